"""The HTML report: safe with hostile text, complete or absent, the same for the same input."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from benchmark.outcome import Kind
from benchmark.records import Flag
from benchmark.store import BlobMissing
from reports.leaderboard import Result, leaderboard
from reports.site import INSTANCES_PER_PAGE, MARK, SiteError, write_site
from reports.text import printable
from reports.views import INLINE_CHARACTERS, bar, web_address
from tests.reports.samples import METRICS, Blobs, Named, answered, failed, instance, pending, png

ATTACK = "</pre><script>document.title='owned'</script><img src=x onerror=alert(1)>"


def write(results: list[Result], blobs: Blobs, folder: Path, **options: object) -> Path:
    board = leaderboard(results, METRICS, [Named("webpage")], title="A test")
    return write_site(board, results, blobs.load, folder, **options)


def sample(blobs: Blobs, *, text: str = "an answer", model: str = "good") -> list[Result]:
    reference, worse = blobs.put(png("reference")), blobs.put(png("worse", "pink"))
    truth = blobs.put(f"truth {text}".encode("utf-8", "replace"))
    items = [instance(f"page-{number}", image=reference, truth=truth) for number in range(4)]
    flag = Flag(kind=Kind.MISSING_RESOURCE, message=f"lacks {text}")
    results = [
        answered(model, item, {"ssim": 0.9, "edit": 0.8}, image=reference, text=text)
        for item in items
    ]
    results += [
        answered("bad", items[0], {"ssim": 0.4, "edit": None}, image=worse, reason=f"no {text}"),
        answered(
            "bad",
            items[1],
            {"ssim": 0.2, "edit": 0.1},
            image=worse,
            flags=(flag,),
            repairs=(f"closed {text}",),
        ),
        failed("bad", items[2], Kind.COMPILE_ERROR, f"stopped at {text}"),
        failed("bad", items[3], Kind.PROVIDER_ERROR, "answered 503"),
    ]
    return results


def pages(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}


class Elements(HTMLParser):
    """Every start tag with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    blobs = Blobs()
    write(
        sample(blobs, text=ATTACK, model=ATTACK),
        blobs,
        tmp_path / "report",
        prompt=lambda _: ATTACK,
    )
    for text in pages(tmp_path / "report").values():
        assert "document.title='owned'</script>" not in text
        elements = Elements(text)
        assert len(elements.all("script")) == 1
        handlers = [name for _, attributes in elements.found for name in attributes]
        assert not [name for name in handlers if name.startswith("on")]
        assert not [one for one in elements.all("img") if one.get("src") == "x"]


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://example.org/a?b=c", True),
        ("HTTP://example.org", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,<script>", False),
        ("https://a\njavascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("", False),
        (None, False),
    ],
)
def test_only_web_addresses_are_links(url: str | None, linked: bool, tmp_path: Path) -> None:
    assert web_address(url) == (url if linked else None)
    blobs = Blobs()
    item = instance("page", image=blobs.put(png("x")), truth=None, url=url or None)
    write([failed("a", item, Kind.TIMEOUT)], blobs, tmp_path / "report")
    links = Elements(pages(tmp_path / "report")["webpage.html"]).all("a")
    assert len([link for link in links if link["href"] == url]) == int(linked)
    assert all(re.match(r"[a-z0-9#]|https?://", link["href"], re.IGNORECASE) for link in links)


def test_policy_allows_our_own_script_and_style_only(tmp_path: Path) -> None:
    blobs = Blobs()
    write(sample(blobs), blobs, tmp_path / "report")
    for text in pages(tmp_path / "report").values():
        (policy,) = (
            one["content"]
            for one in Elements(text).all("meta")
            if one.get("http-equiv") == "Content-Security-Policy"
        )
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        for tag in ("script", "style"):
            (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy


def test_nothing_comes_from_outside_and_every_file_is_there(tmp_path: Path) -> None:
    blobs = Blobs()
    index = write(sample(blobs), blobs, tmp_path / "report")
    assert index == tmp_path / "report" / "index.html"
    for text in pages(tmp_path / "report").values():
        for tag, attributes in Elements(text).found:
            for name in {"src", "href"} & set(attributes):
                target = attributes[name]
                assert target.startswith("#") or (index.parent / target).is_file(), (tag, target)


def test_shows_failures_scores_flags_and_repairs(tmp_path: Path) -> None:
    blobs = Blobs()
    write(sample(blobs), blobs, tmp_path / "report", prompt=lambda _: "Write this page.")
    text = pages(tmp_path / "report")["webpage.html"]
    for expected in (
        "stopped at an answer",
        "compile_error",
        "the model&#39;s fault",
        "answered 503",
        "not the model&#39;s fault",
        "lacks an answer",
        "closed an answer",
        "Write this page.",
        "truth an answer",
        "0.900",
        'title="no an answer"',
    ):
        assert expected in text, expected
    entries = [one for one in Elements(text).all("figure") if "data-model" in one]
    assert [one["data-fate"] for one in entries if one["data-model"] == "bad"] == [
        "clean",
        "partial",
        "failed",
        "infra",
    ]
    articles = Elements(text).all("article")
    assert json.loads(articles[0]["data-means"]) == {"edit": 0.8, "ssim": 0.65}


def test_index_tells_n_failures_intervals_and_reasons(tmp_path: Path) -> None:
    blobs = Blobs()
    write(sample(blobs), blobs, tmp_path / "report")
    text = pages(tmp_path / "report")["index.html"]
    assert "1 of 4 lost to the infrastructure (25.0%)" in text
    assert re.search(r"1&nbsp;× compile_error", text)
    assert re.search(r"0\.\d\d–\d\.\d\d", text)
    report = tmp_path / "report"
    assert json.loads((report / "leaderboard.json").read_text())["title"] == "A test"
    assert (report / "leaderboard.csv").read_text().startswith("scenario,subset,model,n,")


def test_pictures_are_lazy_have_words_and_small_thumbnails(tmp_path: Path) -> None:
    blobs = Blobs()
    large = blobs.put(png("large", size=(1920, 5000)))
    item = instance("page", image=large, truth=None)
    result = answered("a", item, {"ssim": 1.0, "edit": 1.0}, image=large)
    write([result], blobs, tmp_path / "report")
    images = [
        one
        for text in pages(tmp_path / "report").values()
        for one in Elements(text).all("img")
        if "src" in one
    ]
    assert images
    assert all(one["loading"] == "lazy" and one["alt"] for one in images)
    with Image.open(tmp_path / "report" / images[0]["src"]) as thumbnail:
        assert thumbnail.size == (184, 480)
    (full,) = (tmp_path / "report" / "pictures").iterdir()
    assert full.read_bytes() == blobs.load(large)


def test_lost_and_damaged_pictures_are_told(tmp_path: Path) -> None:
    blobs = Blobs()
    item = instance("page", image=blobs.put(b"not a picture"), truth="f" * 64)

    def load(digest: str) -> bytes:
        if digest not in blobs.data:
            raise BlobMissing(digest)
        return blobs.load(digest)

    results = [answered("a", item, {"ssim": 1.0, "edit": 1.0}, image="e" * 64)]
    board = leaderboard(results, METRICS, [Named("webpage")])
    write_site(board, results, load, tmp_path / "report")
    text = pages(tmp_path / "report")["webpage.html"]
    assert "the picture cannot be opened" in text
    assert "is not in the store" in text


def test_unfinished_instances_are_shown_as_such(tmp_path: Path) -> None:
    blobs = Blobs()
    item = instance("page", image=blobs.put(png("x")), truth=None)
    write([pending("a", item)], blobs, tmp_path / "report")
    assert "not done yet" in pages(tmp_path / "report")["webpage.html"]


def test_long_answers_are_cut_in_the_page_and_whole_in_a_file(tmp_path: Path) -> None:
    blobs = Blobs()
    text = "x" * INLINE_CHARACTERS + "THE END"
    item = instance("page", image=blobs.put(png("x")), truth=None)
    result = answered("a", item, {"ssim": 1.0}, image=blobs.put(png("y")), text=text)
    write([result], blobs, tmp_path / "report")
    page = pages(tmp_path / "report")["webpage.html"]
    assert "THE END" not in page
    (path,) = re.findall(r"texts/\w+\.txt", page)
    assert (tmp_path / "report" / path).read_text() == text


def test_unprintable_characters_do_not_break_the_page(tmp_path: Path) -> None:
    assert printable("a\x00b\r\nc\rd\x1b\ud800\t") == "a\ufffdb\nc\nd\ufffd\ufffd\t"
    blobs = Blobs()
    write(sample(blobs, text="lone \ud83d surrogate \x00"), blobs, tmp_path / "report")
    assert "lone \ufffd surrogate \ufffd" in pages(tmp_path / "report")["webpage.html"]


def test_many_instances_are_spread_over_pages(tmp_path: Path) -> None:
    blobs = Blobs()
    picture = blobs.put(png("x"))
    results = [
        answered("a", instance(f"p{n}", image=picture, truth=None), {"ssim": 0.5}, image=picture)
        for n in range(INSTANCES_PER_PAGE + 1)
    ]
    write(results, blobs, tmp_path / "report")
    found = pages(tmp_path / "report")
    assert set(found) == {"index.html", "webpage.html", "webpage.2.html"}
    assert len(Elements(found["webpage.html"]).all("article")) == INSTANCES_PER_PAGE
    assert len(Elements(found["webpage.2.html"]).all("article")) == 1


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    contents = []
    for name in ("one", "other"):
        blobs = Blobs()
        write(sample(blobs), blobs, tmp_path / name)
        folder = tmp_path / name
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        contents.append({str(path.relative_to(folder)): path.read_bytes() for path in files})
    assert contents[0] == contents[1]


def test_an_empty_board_is_a_report_too(tmp_path: Path) -> None:
    write([], Blobs(), tmp_path / "report")
    assert "There are no results yet" in pages(tmp_path / "report")["index.html"]


def test_a_report_that_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    blobs = Blobs()
    results = sample(blobs)
    write(results, blobs, tmp_path / "report")
    before = pages(tmp_path / "report")

    def full(digest: str) -> bytes:
        raise OSError(28, "No space left on device")

    board = leaderboard(results, METRICS, [Named("webpage")], title="Another")
    with pytest.raises(OSError, match="No space left"):
        write_site(board, results, full, tmp_path / "report")
    assert pages(tmp_path / "report") == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_an_older_report_is_replaced_whole(tmp_path: Path) -> None:
    blobs = Blobs()
    write(sample(blobs), blobs, tmp_path / "report")
    (tmp_path / "report" / "webpage-9.html").write_text("left over")
    write(sample(blobs, model="newer"), blobs, tmp_path / "report")
    assert "newer" in pages(tmp_path / "report")["index.html"]
    assert set(pages(tmp_path / "report")) == {"index.html", "webpage.html"}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    assert (tmp_path / "report" / MARK).is_file()


def test_a_folder_that_is_no_report_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(SiteError, match="is not a report"):
        write(sample(Blobs()), Blobs(), tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter.tex").read_text() == "years of work"
    blobs = Blobs()
    (tmp_path / "empty").mkdir()
    write(sample(blobs), blobs, tmp_path / "empty")
    assert (tmp_path / "empty" / "index.html").is_file()


def test_names_of_scenarios_make_distinct_plain_files(tmp_path: Path) -> None:
    blobs = Blobs()
    picture = blobs.put(png("x"))
    names = ["index", "a/../b", "a b", "楽譜"]
    results = [
        failed("a", instance(f"i{n}", scenario=name, image=picture, truth=None), Kind.TIMEOUT)
        for n, name in enumerate(names)
    ]
    board = leaderboard(results, METRICS, [Named(name) for name in names])
    write_site(board, results, blobs.load, tmp_path / "report")
    assert set(pages(tmp_path / "report")) == {
        "index.html",
        "index_.html",
        "a-b.html",
        "a-b_.html",
        "scenario.html",
    }


def test_bars_stay_within_their_bounds() -> None:
    found = bar(0.5, 0.25, 2.0)
    assert (found.value, found.low, found.high) == (50.0, 25.0, 100.0)
    assert bar(-1.0, None, None, (-1.0, 1.0)).value == 0.0
    assert bar(None, None, None) is None
    assert bar(3.0, 2.0, 4.0, (0.0, float("inf"))) is None


@pytest.fixture
def browser():
    """Opens a folder's page in the Chromium of the container image and returns the final DOM."""
    docker = pytest.importorskip("docker")
    try:
        client = docker.from_env()
        client.images.get("rerender-web")
    except docker.errors.DockerException as error:
        pytest.skip(f"the container image rerender-web is not at hand: {error}")

    def dump(folder: Path, page: str) -> str:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            archive.add(folder, "report")
        container = client.containers.create(
            "rerender-web",
            [
                *("chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--dump-dom"),
                f"file:///srv/report/{page}",
            ],
            network_mode="none",
        )
        try:
            container.put_archive("/srv", packed.getvalue())
            container.start()
            container.wait(timeout=120)
            return container.logs(stdout=True, stderr=False).decode()
        finally:
            container.remove(force=True)

    yield dump
    client.close()


def test_own_script_runs_and_a_foreign_one_does_not(tmp_path: Path, browser) -> None:
    blobs = Blobs()
    write(sample(blobs, text=ATTACK), blobs, tmp_path / "report")
    page = tmp_path / "report" / "webpage.html"
    # As if escaping had failed somewhere: the policy alone must stop these.
    smuggled = (
        "<script>document.title='owned'</script><img src='x' onerror=\"document.title='owned'\">"
    )
    page.write_text(page.read_text().replace("<main", f"{smuggled}<main"))
    found = browser(tmp_path / "report", "webpage.html")
    assert "<title>webpage · A test · Rerender</title>" in found
    assert "4 of 4" in found
