"""FlowCE's published questions: files as they are, pictures from a folder or from links."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter

import pytest

from benchmark import registry
from benchmark.outcome import Blame, Failed, Kind, Ok, Stage
from benchmark.records import digest_bytes
from benchmark.settings import Settings
from benchmark.store import Store
from renderers import canvas
from sources.flowce import Flowce
from sources.flowce_files import (
    COMMIT,
    DIMENSIONS,
    REPOSITORY,
    ROWS,
    picture_number,
    read_links,
    read_rows,
)
from sources.flowce_pictures import DIGESTS, PICTURE_BYTES, SILENT_HOSTS
from sources.http import Client
from tests.contracts.source_contract import SourceContract
from tests.servers.site import Answer, html, redirect, serving, typed
from tests.sources.flowce_copy import LINKS, build, draw, picture, table, tables
from tests.sources.http_fixtures import StoppedClock

LOGIC = DIMENSIONS[0]
HOSTS = (
    "pictures.example", "www.pictures.example", "old.example", "gone.example", "silent.example",
    "raw.githubusercontent.com",
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
    monkeypatch.setenv("RERENDER_HTTP_RETRIES", "0")


@pytest.fixture
def copy(tmp_path):
    return build(tmp_path / "copy")


@pytest.fixture
def web(monkeypatch):
    """A stand-in of all hosts, each below its name; it has no picture and forbids nothing."""
    with serving() as site:
        mirrors = {host: f"{site.address}/{host}" for host in HOSTS}
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(mirrors))
        yield site


def collected(*args, **options):
    return list(Flowce(*args, make_client=lambda: Client(clock=StoppedClock())).collect(**options))


def by_id(outcomes):
    return {
        outcome.value.id if isinstance(outcome, Ok) else outcome.subject: outcome
        for outcome in outcomes
    }


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, tmp_path):
        type(self).source = Flowce(build(tmp_path / "copy"), draw(tmp_path / "images"))


def test_is_registered():
    assert type(registry.sources.get("flowce")) is Flowce


@pytest.mark.parametrize("inner", [True, False])
def test_questions_are_the_published_ones(tmp_path, inner):
    found = collected(build(tmp_path / "c", inner=inner), draw(tmp_path / "images"))
    materials = {outcome.value.id: outcome.value for outcome in found}
    assert len(materials) == 8
    logic = materials["flowce-logic/2"]
    assert (logic.truth, logic.attributes["question"]) == ("No", "The cup is washed first.")
    assert logic.attributes["document"] == materials["flowce-logic/0"].attributes["document"]
    summary = materials["flowce-summarization/0"]
    assert summary.truth == 'How "tea" is made:\n\n1. boil,\n2. pour.'
    kinds = {each.id: each.attributes["kind"] for each in materials.values()}
    assert kinds["flowce-extraction/0"] == "all_texts"
    assert kinds["flowce-extraction/1"] == "some_texts"
    for each in materials.values():
        assert not each.provenance.publishable
        assert each.provenance.recipe["sha256"] == digest_bytes(each.picture)
        assert each.subset == "en"


def test_truths_are_read_without_repairs(copy, tmp_path):
    for outcome in collected(copy, draw(tmp_path / "images")):
        scenario = registry.scenarios.get(outcome.value.scenario)
        read = scenario.read(outcome.value.truth)
        assert isinstance(read, Ok)
        assert read.value.repairs == ()
        assert read.value.flags == ()


class TestFiles:
    def test_a_table_that_is_missing_is_told_with_advice(self, copy, tmp_path):
        (copy / "flowce_benchmark" / LOGIC.table).unlink()
        found = collected(copy, draw(tmp_path / "images"))
        (failure,) = [one for one in found if isinstance(one, Failed)]
        assert "RERENDER_FLOWCE_FOLDER" in failure.message
        assert len(found) == 6

    @pytest.mark.parametrize(
        ("data", "told"),
        [
            (b"", "the columns index, question"),
            (b"index\tquestion\n1\t2\n", "the columns answer"),
            (b"\0" * 9, "no text"),
            (b"\xff\xfe" + b"x" * 3_000_000, "more than"),
        ],
    )
    def test_what_is_no_table_is_one_failure(self, data, told):
        (failure,) = read_rows(LOGIC, data)
        assert isinstance(failure, Failed)
        assert told in failure.message

    def test_a_bad_question_is_one_failure_by_its_number(self):
        data = table("reasoning", [("Why?", "Because.", "1"), ("", "No question.", "2")])
        data += b'2\tWhat?\t"an open quote\n3\tWhen?\tNow.\tx\tp/3.jpg\tx\n'
        first, second, third = read_rows(LOGIC, data)
        assert isinstance(first, Ok)
        assert "question 1: question is empty" in second.message
        assert "question 2: image_path is empty" in third.message

    def test_too_many_questions_are_not_read(self):
        rows = read_rows(LOGIC, table("reasoning", [("Why?", "So.", "1")] * (ROWS + 5)))
        assert len(rows) == ROWS + 1
        assert isinstance(rows[-1], Failed)

    def test_a_verdict_that_is_none_is_not_asked(self, copy, tmp_path):
        rows = [("It may be.", "Perhaps", "3"), ("It is.", "yes", "3")]
        path = copy / "flowce_benchmark" / LOGIC.table
        path.write_bytes(table("logical_verification", rows))
        found = by_id(collected(copy, draw(tmp_path / "images")))
        assert found["flowce-logic/0"].kind is Kind.NOT_AS_CLAIMED
        assert isinstance(found["flowce-logic/1"], Ok)

    def test_links_are_found_by_number_however_the_line_is_spelled(self):
        links = read_links("\n".join(LINKS["logical_verification"] + LINKS["reasoning"]).encode())
        assert links["84"] == "http://old.example/84"
        assert links["7"].endswith("b|c")
        assert read_links("\n".join(LINKS["summary"]).encode()).keys() == {"9"}

    def test_the_day_of_publication_decides(self, copy, tmp_path):
        images = draw(tmp_path / "images")
        assert collected(copy, images, since=dt.date(2024, 6, 15)) == []
        assert len(collected(copy, images, since=dt.date(2024, 6, 14))) == 8


class TestFolderOfPictures:
    def test_numbers_are_found_whatever_the_folder_and_ending(self, copy, tmp_path):
        images = draw(tmp_path / "images", ("84", "6", "7", "8", "9"))
        draw(images / "Logical_Verification", ("3",))
        (images / "other").mkdir()
        (images / "other" / "3.jpeg").write_bytes(picture(200, "JPEG"))
        (images / "information_extraction").mkdir()
        (images / "information_extraction" / "5.webp").write_bytes(picture(5, "WEBP"))
        found = by_id(collected(copy, images))
        assert all(isinstance(outcome, Ok) for outcome in found.values())
        assert found["flowce-logic/0"].value.picture == picture(3)

    def test_what_is_missing_is_the_infrastructures_and_no_question(self, copy, tmp_path):
        images = draw(tmp_path / "images", ("3", "5"))
        (images / "6.jpg").write_bytes(b"<!DOCTYPE html><html><body>Not found</body></html>")
        for folder in ("a", "b"):
            draw(images / folder, ("7",))
        (images / "8.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(PICTURE_BYTES))
        found = by_id(collected(copy, images))
        lost = {name: one for name, one in found.items() if isinstance(one, Failed)}
        assert {one.kind for one in lost.values()} == {Kind.PICTURE_MISSING}
        assert {one.blame for one in lost.values()} == {Blame.INFRA}
        assert all(one.stage is Stage.FETCH for one in lost.values())
        assert all(one.message.startswith("picture is missing: ") for one in lost.values())
        told = {name: one.message for name, one in lost.items()}
        assert "no such file" in told["flowce-logic/1"]
        assert "is html, no picture" in told["flowce-extraction/1"]
        assert "2 files of that name" in told["flowce-reasoning/0"]
        assert "more than" in told["flowce-localization/0"]

    def test_a_folder_that_is_none_is_told_once(self, copy, tmp_path):
        (failure,) = collected(copy, tmp_path / "nowhere")
        assert "RERENDER_FLOWCE_IMAGES" in failure.message

    def test_what_claims_to_be_a_picture_is_decoded_within_limits_only(self, copy, tmp_path):
        images = draw(tmp_path / "images")
        (images / "3.png").write_bytes(picture(3)[:50])
        found = by_id(collected(copy, images))
        assert isinstance(canvas.decode(found["flowce-logic/0"].value.picture), Failed)


class TestLinks:
    def test_each_link_is_asked_and_what_fails_is_missing(self, copy, web):
        shown = typed(picture(1), "image/png")
        web.on("/pictures.example/3.png", shown)
        web.on("/old.example/84", typed(picture(2, "JPEG"), "text/plain"))
        web.on("/pictures.example/5.png", html("<html><body>Please log in</body></html>"))
        web.on("/gone.example/6", Answer(404))
        web.on("/www.pictures.example/7", redirect("https://pictures.example/seven.png"))
        web.on("/pictures.example/seven.png", typed(picture(4, "WEBP"), "image/webp"))
        web.on("/silent.example/8.gif", Answer(500))
        web.on("/pictures.example/9.ppm", Answer(403))
        found = by_id(collected(copy))
        good = {name for name, one in found.items() if isinstance(one, Ok)}
        assert good == {"flowce-logic/0", "flowce-logic/1", "flowce-logic/2", "flowce-reasoning/0"}
        lost = [one for one in found.values() if isinstance(one, Failed)]
        assert {one.kind for one in lost} == {Kind.PICTURE_MISSING}
        told = found["flowce-extraction/0"].message
        assert "picture is missing" in told
        assert "https://pictures.example/5.png" in told
        assert found["flowce-logic/1"].value.provenance.url == "http://old.example/84"
        assert web.count("/pictures.example/3.png") == 1  # two questions, one picture

    def test_the_next_refresh_asks_for_what_was_missing_and_for_nothing_else(self, copy, web):
        web.on("/pictures.example/3.png", typed(picture(1), "image/png"))
        web.on("/gone.example/6", Answer(404), typed(picture(6), "image/png"))
        assert isinstance(by_id(collected(copy))["flowce-extraction/1"], Failed)
        again = by_id(collected(copy))
        assert isinstance(again["flowce-extraction/1"], Ok)
        assert isinstance(again["flowce-logic/0"], Ok)
        assert web.count("/pictures.example/3.png") == 1

    def test_a_host_that_does_not_answer_is_not_asked_again(self, copy, web):
        web.under("/pictures.example/", Answer(500))
        web.on("/pictures.example/robots.txt", Answer(404))
        found = by_id(collected(copy))
        asked = [one for one in web.asked if one.path.startswith("/pictures.example/")]
        assert [one.path.rsplit("/", 1)[1] for one in asked] == ["robots.txt", "3.png"]
        assert "did not answer before" in found["flowce-summarization/0"].message

    def test_where_no_host_answers_it_is_the_network(self, tmp_path, monkeypatch):
        rows = [(f"Is it {n}?", "Yes", str(n)) for n in range(SILENT_HOSTS + 3)]
        copy = build(tmp_path / "copy")
        (copy / "flowce_benchmark" / LOGIC.table).write_bytes(table("logical_verification", rows))
        lines = [f"{n}.jpg\thttps://host-{n}.example/{n}.jpg" for n in range(SILENT_HOSTS + 3)]
        (copy / "flowce_benchmark" / LOGIC.links).write_text("\n".join(lines))
        with serving() as site:
            site.under("/", Answer(503))
            hosts = [f"host-{n}.example" for n in range(SILENT_HOSTS + 3)] + list(HOSTS)
            monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(dict.fromkeys(hosts, site.address)))
            found = collected(copy)
            assert site.count("/robots.txt") == len(site.asked) == SILENT_HOSTS
        kinds = [one.kind for one in found]
        assert kinds[:SILENT_HOSTS] == [Kind.PICTURE_MISSING] * SILENT_HOSTS
        assert set(kinds[SILENT_HOSTS:]) == {Kind.NETWORK}  # nothing is frozen for good
        assert "hosts in a row did not answer" in found[-1].message

    def test_a_host_that_sends_programs_away_is_not_asked(self, copy, web):
        refusal = typed(b"User-agent: *\nDisallow: /\n", "text/plain")
        web.on("/pictures.example/robots.txt", refusal)
        found = by_id(collected(copy))
        assert "robots.txt" in found["flowce-logic/0"].message
        assert web.count("/pictures.example/3.png") == 0

    def test_another_picture_than_at_first_is_missing(self, copy, web, tmp_path, monkeypatch):
        web.on("/pictures.example/3.png", typed(picture(1), "image/png"))
        assert isinstance(by_id(collected(copy))["flowce-logic/0"], Ok)
        known = json.loads(Store(Settings().store).read_document(DIGESTS))
        assert known == {"https://pictures.example/3.png": digest_bytes(picture(1))}
        monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "empty"))
        web.on("/pictures.example/3.png", typed(picture(2), "image/png"))
        assert "another picture than at first" in by_id(collected(copy))["flowce-logic/0"].message
        assert json.loads(Store(Settings().store).read_document(DIGESTS)) == known

    def test_digests_that_cannot_be_read_are_never_replaced(self, copy, web):
        Store(Settings().store).write_document(DIGESTS, "[]")
        (failure,) = collected(copy)
        assert DIGESTS in failure.message
        assert Store(Settings().store).read_document(DIGESTS) == "[]"

    @pytest.mark.parametrize(
        "link", ["ftp://x.example/1", "https://u:p@x.example/1", "https://x.example:99/1",
                 "javascript:alert(1)", "https://[::1", "//x", "https://127.0.0.1/1"],
    )  # fmt: skip
    def test_what_is_no_public_https_address_is_not_asked(self, copy, web, link):
        lists = copy / "flowce_benchmark" / LOGIC.links
        lists.write_text(f"3.jpg\t{link}\n")
        found = by_id(collected(copy))
        assert found["flowce-logic/0"].kind is Kind.PICTURE_MISSING
        assert ":p@" not in found["flowce-logic/0"].message
        assert "no link was published" in found["flowce-logic/1"].message


class TestRepository:
    def test_files_come_from_github_at_the_pinned_commit(self, web, tmp_path):
        base = f"/raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/flowce_benchmark"
        for (name, _), data in tables().items():
            web.on(f"{base}/{name}", typed(data, "text/plain"))
        for name, lines in LINKS.items():
            web.on(f"{base}/{name}/{name}.txt", typed("\n".join(lines).encode(), "text/plain"))
        found = collected(None, draw(tmp_path / "images"))
        assert len(found) == 8
        assert {one.value.provenance.recipe["revision"] for one in found} == {COMMIT}

    def test_a_commit_of_the_users_is_taken_and_a_branch_is_not(self, web, tmp_path, monkeypatch):
        images = draw(tmp_path / "images")
        monkeypatch.setenv("RERENDER_FLOWCE_REVISION", "main")
        (failure,) = collected(None, images)
        assert "40 hexadecimal digits" in failure.message
        monkeypatch.setenv("RERENDER_FLOWCE_REVISION", "a" * 40)
        found = collected(None, images)
        assert all(isinstance(one, Failed) for one in found)
        assert all(f"/{'a' * 40}/" in one.path for one in web.asked)


class TestTheRealFiles:
    def test_everything_published_is_read(self, shared):
        folder = shared / "real" / "flowce" / "flowce_benchmark"
        counts, pictures, unlinked = Counter(), set(), []
        for dimension in DIMENSIONS:
            links = read_links((folder / dimension.links).read_bytes())
            assert len(links) == 100
            assert all(link.startswith(("https://", "http://")) for link in links.values())
            for row in read_rows(dimension, (folder / dimension.table).read_bytes()):
                assert isinstance(row, Ok), row
                counts[dimension.scenario] += 1
                number = picture_number(row.value.picture)
                pictures.add(number)
                unlinked += [] if number in links else [number]
        assert list(counts.values()) == [105, 100, 100, 100, 100]
        assert len(pictures) == 499
        assert unlinked == []

    def test_every_question_becomes_material_with_a_picture_of_its_own(self, shared, tmp_path):
        folder = shared / "real" / "flowce"
        images = draw(tmp_path / "images", [str(number) for number in range(1, 505)])
        found = collected(folder, images)
        assert len(found) == 505
        assert all(isinstance(outcome, Ok) for outcome in found)
        assert len({outcome.value.attributes["document"] for outcome in found}) == 483
        for outcome in found:
            read = registry.scenarios.get(outcome.value.scenario).read(outcome.value.truth)
            assert isinstance(read, Ok)
            assert (read.value.repairs, read.value.flags) == ((), ())
            drawn = str(outcome.value.provenance.recipe["picture"])
            assert outcome.value.picture == picture(int(picture_number(drawn)))
