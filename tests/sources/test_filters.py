"""Filters: each keeps what it should, says with number and bound why not, and raises never."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Material, Provenance, Subject
from sources.bundled import Bundled
from sources.filters import (
    ContentFilter,
    Created,
    PerDay,
    PerOwner,
    PictureFilter,
    Size,
    judge_content,
)
from sources.near_duplicates import NearDuplicates, SameText, perceptual_hash, text_key
from sources.personal_data import PersonalData
from sources.picture_filters import NotBlank, share_of_one_colour, unstable
from sources.toxicity import Toxicity

DAY = dt.date(2026, 11, 3)
SITE_SIZE = Size(least_lines=10, most_files=5, most_assets=5)
CONTENT = (Created, Size, PerOwner, PerDay, SameText, Toxicity, PersonalData)


def material(name: str = "x/1", **more: Any) -> Material:
    told = {"author": "Ada", "licence": "MIT", "created": DAY, "source": "s"}
    provenance = Provenance.model_validate(told | {k: more.pop(k) for k in told if k in more})
    values = {"scenario": "latex", "subset": "equation", "truth": "$x$", "id": name}
    return Material.model_validate(values | more | {"provenance": provenance})


def kind_of(outcome: object) -> Kind | None:
    return outcome.kind if isinstance(outcome, Failed) else None


def why(outcome: object) -> str:
    assert isinstance(outcome, Failed)
    assert outcome.stage is Stage.FILTER
    assert outcome.final
    return outcome.message


def test_every_filter_is_what_the_contract_says():
    content: list[ContentFilter] = [each() for each in CONTENT]
    pictures: list[PictureFilter] = [NotBlank(), NearDuplicates()]
    for each in (*content, *pictures):
        assert isinstance(each, ContentFilter | PictureFilter)
        assert each.name
        assert each.version
        assert each.about
    assert len({each.name for each in (*content, *pictures)}) == len(CONTENT) + 2


# --- date, size, owner, day, licence ---


def test_the_span_of_days_includes_its_ends():
    assert isinstance(Created(since=DAY, until=DAY).judge(material()), Ok)
    early, late = Created(since=dt.date(2026, 11, 4)), Created(until=dt.date(2026, 11, 2))
    assert why(early.judge(material())) == "made on 2026-11-03 (since 2026-11-04)"
    assert why(late.judge(material())) == "made on 2026-11-03 (until 2026-11-02)"
    assert kind_of(early.judge(material())) is Kind.OUT_OF_DATE


def page(**files: str) -> str:
    items = [{"filename": n.replace("_", "."), "content": c} for n, c in files.items()]
    return json.dumps(items)


@pytest.mark.parametrize(
    ("size", "truth", "assets", "kind", "reason"),
    [
        (Size(most_bytes=4), "äää", {}, Kind.TOO_LARGE, "6 bytes (at most 4)"),
        (Size(), "x\n" * 1001, {}, Kind.TOO_LARGE, "1,001 lines (at most 1,000)"),
        (Size(), " \n\n", {}, Kind.UNSUITABLE, "0 lines (at least 1)"),
        (Size(), page(index_html="x", a_css="x\n" * 2001), {}, Kind.TOO_LARGE,
         "2,001 lines of style (at most 2,000)"),
        (SITE_SIZE, page(index_html="x\n" * 9), {}, Kind.UNSUITABLE, "9 lines (at least 10)"),
        (SITE_SIZE, page(**{f"a{n}_html": "x\n" * 10 for n in range(6)}), {}, Kind.TOO_LARGE,
         "6 files (at most 5)"),
        (SITE_SIZE, page(a_html="x\n" * 10), dict.fromkeys("abcdef", b""), Kind.TOO_LARGE,
         "6 assets (at most 5)"),
        (Size(most_asset_bytes=5), "x", {"a": b"123", "b": b"456"}, Kind.TOO_LARGE,
         "6 bytes of assets (at most 5)"),
    ],
)  # fmt: skip
def test_sizes_are_counted(size, truth, assets, kind, reason):
    outcome = size.judge(material(scenario="webpage", truth=truth, assets=assets))
    assert why(outcome) == reason
    assert kind_of(outcome) is kind


def test_the_bundled_material_is_of_a_good_size():
    for outcome in Bundled().collect():
        assert isinstance(outcome, Ok)
        assert isinstance(Size().judge(outcome.value), Ok), outcome.value.id


def test_one_of_each_owner_and_nobody_is_not_an_owner():
    judge = PerOwner().judge
    assert isinstance(judge(material("1")), Ok)
    second = judge(material("2", author="ada "))
    assert kind_of(second) is Kind.OWNER_LIMIT
    assert why(second) == "another of ada, of whom there are 1 already (at most 1)"
    assert isinstance(judge(material("3", author="Bob")), Ok)
    assert isinstance(judge(material("4", source="other")), Ok)
    assert isinstance(judge(material("5", scenario="music")), Ok)
    for n in range(3):
        assert isinstance(judge(material(f"u{n}", author="unknown")), Ok)
    account = {"owner": "ada-q"}
    assert isinstance(judge(material("6", attributes=account)), Ok)
    assert kind_of(judge(material("7", author="Zoe", attributes=account))) is Kind.OWNER_LIMIT


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["latex", "music"])), max_size=40),
    st.integers(0, 4),
)
@settings(derandomize=True, deadline=None)
def test_no_day_ever_has_more_than_its_number(made, most):
    def run() -> list[bool]:
        judge = PerDay(most=most).judge
        return [
            isinstance(
                judge(material(str(n), created=DAY + dt.timedelta(day), scenario=scenario)), Ok
            )
            for n, (day, scenario) in enumerate(made)
        ]

    kept = Counter(key for key, good in zip(made, run(), strict=True) if good)
    wanted = {key: min(count, most) for key, count in Counter(made).items()}
    assert {key: kept[key] for key in wanted} == wanted
    assert run() == run()


def test_a_refused_material_takes_no_place():
    filters = [Created(since=DAY), PerOwner()]
    old = judge_content(filters, material("old", created=dt.date(2020, 1, 1)))
    assert kind_of(old) is Kind.OUT_OF_DATE
    assert judge_content(filters, material("new")) == ok(material("new"))


# --- pictures ---


def white(height: int = 100, width: int = 100) -> np.ndarray:
    return np.full((height, width, 3), 255, dtype=np.uint8)


@pytest.mark.parametrize(
    ("scenario", "black", "reason"),
    [
        ("webpage", 300, "97 % of the picture is one colour (at most 95 %)"),
        ("webpage", 500, None),
        ("latex", 99, "99.01 % of the picture is one colour (at most 99 %)"),
        ("latex", 100, None),
        ("music", 0, "100 % of the picture is one colour (at most 99 %)"),
    ],
)
def test_a_picture_of_one_colour_is_blank(scenario, black, reason):
    picture = white()
    picture.reshape(-1, 3)[:black] = 0
    outcome = NotBlank().judge(material(scenario=scenario), picture)
    assert outcome is None if reason is None else why(outcome) == reason


@given(arrays.arrays(np.uint8, st.tuples(st.integers(0, 9), st.integers(1, 9), st.just(3)),
                     elements=st.sampled_from([0, 1, 255])))  # fmt: skip
@settings(derandomize=True, deadline=None)
def test_the_share_of_one_colour_is_exact(picture):
    colours = Counter(map(tuple, picture.reshape(-1, 3).tolist()))
    wanted = max(colours.values()) / colours.total() if colours else 1.0
    assert share_of_one_colour(picture) == pytest.approx(wanted)


def png(picture: np.ndarray, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG", **options)
    return file.getvalue()


def test_only_equal_bytes_are_stable():
    first, other = white(10, 10), white(10, 10)
    other[0, 0] = 0
    assert unstable(material(), png(first), png(first)) is None
    reasons = {
        "1 % of the pixels differ": png(other),
        "the same pixels in other bytes": png(first, compress_level=0),
        "10 × 10 and then 20 × 10 pixels": png(white(10, 20)),
        "cannot be read as a picture": png(first)[:30],
        "and 0 bytes": b"",
    }
    for reason, second in reasons.items():
        outcome = unstable(material(), png(first), second)
        assert kind_of(outcome) is Kind.UNSTABLE
        assert reason in why(outcome)


# --- duplicates ---


def line(seed: int, words: int = 6) -> np.ndarray:
    """A picture of black boxes in a row, as alike to others as lines of text are."""
    random = np.random.default_rng(seed)
    picture = white(60, 600)
    left = 10
    for _ in range(words * 4):
        width, top, bottom = random.integers(4, 16), random.integers(8, 28), random.integers(32, 52)
        picture[top:bottom, left : left + width] = 0
        left += int(width) + int(random.integers(2, 9))
    return picture


def changed(picture: np.ndarray) -> dict[str, np.ndarray]:
    image = Image.fromarray(picture)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=70)
    return {
        "saved as JPEG": np.asarray(Image.open(file).convert("RGB")),
        "smaller": np.asarray(image.resize((image.width * 4 // 5, image.height * 4 // 5))),
        "darker": (picture * 0.95).astype(np.uint8),
    }


def test_a_picture_that_was_saved_again_is_a_near_duplicate():
    for seed in range(5):
        for how, picture in changed(line(seed)).items():
            judge = NearDuplicates().judge
            assert judge(material("first"), line(seed)) is None
            outcome = judge(material("second"), picture)
            assert kind_of(outcome) is Kind.DUPLICATE, how
            assert why(outcome).startswith("looks like first: ")
            assert "of 256 bits differ (more than 24 for another picture)" in why(outcome)


def test_lines_that_are_alike_by_nature_are_told_apart():
    judge = NearDuplicates().judge
    assert all(judge(material(str(seed)), line(seed)) is None for seed in range(120))


def test_pictures_of_other_ratios_are_other_pictures():
    judge = NearDuplicates().judge
    assert judge(material("1"), line(1)) is None
    wider = np.asarray(Image.fromarray(line(1)).resize((900, 60)))
    assert judge(material("2"), wider) is None


def test_earlier_snapshots_count_but_nothing_is_a_duplicate_of_itself():
    known = [("old", perceptual_hash(line(1)))]
    assert kind_of(NearDuplicates(known).judge(material("new"), line(1))) is Kind.DUPLICATE
    assert NearDuplicates(known).judge(material("old"), line(1)) is None
    with pytest.raises(ValueError, match="no hash of a picture"):
        NearDuplicates([("old", "ffff")])


def test_a_refused_picture_is_not_remembered():
    judge = NearDuplicates(most_bits=24).judge
    assert judge(material("1"), line(1)) is None
    assert judge(material("2"), line(1)) is not None
    assert "looks like 1:" in why(judge(material("3"), line(1)))


def test_questions_about_one_picture_are_no_duplicates():
    drawn = Subject(scenario="mindmap", text="{}")
    near, same = NearDuplicates().judge, SameText().judge
    for name in ("q1", "q2"):
        question = material(name, truth="3", drawn_from=drawn)
        assert near(question, line(1)) is None
        assert isinstance(same(question), Ok)


def test_thousands_of_hashes_are_compared_at_once():
    random = np.random.default_rng(0)
    known = [(str(n), f"600x60:{random.bytes(32).hex()}") for n in range(20_000)]
    filter_ = NearDuplicates([*known, ("old", perceptual_hash(line(1)))])
    assert "looks like old" in why(filter_.judge(material("new"), line(1)))
    assert filter_.judge(material("other"), line(2)) is None


def test_the_same_text_is_a_duplicate_at_once():
    judge = SameText().judge
    assert isinstance(judge(material("1", truth="a  b\n")), Ok)
    assert isinstance(judge(material("1", truth="a b")), Ok)
    again = judge(material("2", truth=" a\tb"))
    assert kind_of(again) is Kind.DUPLICATE
    assert why(again) == "the same text as 1 (0 may be equal)"
    assert isinstance(judge(material("3", truth="ab")), Ok)
    assert isinstance(judge(material("4", truth="a b", scenario="music")), Ok)
    assert isinstance(judge(material("5", truth="a b", assets={"p": b"1"})), Ok)
    assert isinstance(judge(material("6", truth=None, picture=b"x")), Ok)
    assert isinstance(judge(material("7", truth=None, picture=b"x")), Ok)


def test_the_same_text_of_an_earlier_snapshot_counts():
    known = [("old", text_key("latex", "a b", {}))]
    assert kind_of(SameText(known).judge(material("new", truth="a  b"))) is Kind.DUPLICATE
    assert isinstance(SameText(known).judge(material("old", truth="a b")), Ok)


# --- properties ---

TRUTHS = st.none() | st.text(max_size=200) | st.text(max_size=80).map(lambda t: page(a_html=t))


@given(
    TRUTHS,
    st.sampled_from(["webpage", "latex", "music", "mindmap"]),
    st.dictionaries(st.text(max_size=10), st.binary(max_size=10), max_size=3),
    st.dates(),
    st.text(max_size=20),
    st.text(max_size=20),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_no_filter_raises_and_all_are_deterministic(truth, scenario, assets, day, author, licence):
    piece = material(
        truth=truth, scenario=scenario, assets=assets, created=day, author=author, licence=licence
    )
    for kind in CONTENT:
        first, again = kind().judge(piece), kind().judge(piece)
        assert first == again
        if isinstance(first, Failed):
            assert first.stage is Stage.FILTER
            assert first.subject == piece.id
            assert first.message


@given(arrays.arrays(np.uint8, st.tuples(st.integers(1, 40), st.integers(1, 40), st.just(3))))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_any_picture_is_judged(picture):
    for kind in (NotBlank, NearDuplicates):
        assert kind().judge(material(), picture) == kind().judge(material(), picture)
    twice = NearDuplicates()
    assert twice.judge(material("1"), picture) is None
    assert kind_of(twice.judge(material("2"), picture)) is Kind.DUPLICATE
