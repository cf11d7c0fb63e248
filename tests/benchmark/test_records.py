import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from benchmark.records import (
    Completion,
    Material,
    Provenance,
    Structure,
    Subject,
    digest_json,
)


def structure(**change):
    return Structure(**({"files": {"a": b"1", "b": b"2"}, "entry": "a"} | change))


def test_the_digest_covers_everything_and_only_that():
    base = structure().digest
    assert structure(files={"b": b"2", "a": b"1"}).digest == base, "order does not matter"
    for change in (
        {"files": {"a": b"1", "b": b"3"}},
        {"files": {"a": b"1", "c": b"2"}},
        {"entry": "b"},
        {"options": {"layout": "dot"}},
    ):
        assert structure(**change).digest != base


@given(st.text())
def test_any_text_can_be_digested_and_kept(text):
    assert len(digest_json({"text": text})) == 64
    changed = structure().with_text(text)
    assert changed.files["b"] == b"2"
    assert changed.text == text.encode("utf-8", "replace").decode()


def test_lone_surrogates_do_not_stop_the_digest():
    assert digest_json("\ud83d") != digest_json("?")
    assert structure().with_text("\ud83d").text == "?"


def test_a_completion_is_the_same_after_it_was_stored():
    completion = Completion(text="a\ud800b", reasoning="\udfff")
    assert completion.text == "a?b"
    assert Completion.model_validate_json(completion.model_dump_json()) == completion


def test_material_is_the_same_after_it_was_stored():
    half = "a\ud83d"
    provenance = Provenance(
        source="s", author=half, licence=half, created=dt.date(2026, 1, 1), url=half, made=half,
        recipe={half: half},
    )  # fmt: skip
    material = Material(
        id=half, scenario="mindmap", subset="s", truth=half,
        drawn_from=Subject(scenario="mindmap", text=half), assets={half: b""},
        provenance=provenance, attributes={"title": [{"x": half}]},
    )  # fmt: skip
    assert material.attributes == {"title": [{"x": "a?"}]}
    assert Material.model_validate_json(material.model_dump_json()) == material
