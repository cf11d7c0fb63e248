import pytest
from pydantic import TypeAdapter, ValidationError

from benchmark.outcome import Blame, Failed, Kind, Ok, Stage, discriminated, ok
from benchmark.records import Flag, Score


def test_every_kind_has_exactly_one_blame():
    by_model = {kind for kind in Kind if kind.blame is Blame.MODEL}
    assert by_model == {
        "compile_error", "missing_resource", "timeout", "resource_limit", "empty_render",
        "unsafe_input", "parse_error", "unsupported", "truncated", "refused", "no_answer",
        "image_too_large",
    }  # fmt: skip
    by_infra = {kind for kind in Kind if kind.blame is Blame.INFRA}
    assert by_infra == {
        "engine_unavailable", "image_missing", "sandbox_lost", "provider_error",
        "provider_timeout", "rate_limited", "quota", "unauthorized", "network", "disk_full",
        "missing_weights", "picture_missing", "no_judgment", "internal_error",
    }  # fmt: skip
    assert all(kind.blame is Blame.MATERIAL for kind in set(Kind) - by_model - by_infra)


def test_a_failure_is_one_readable_line():
    failure = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "first\n  second\t" + "x" * 1000)
    assert "\n" not in failure.message
    assert failure.message.startswith("first second x")
    assert len(failure.message) == 500


@pytest.mark.parametrize("kind", list(Kind))
def test_outcomes_survive_json(kind):
    adapter = TypeAdapter(discriminated(Score))
    failure = Failed.of(Stage.SCORE, kind, "why")
    assert adapter.validate_json(adapter.dump_json(failure)) == failure
    value = ok(Score(metric="ems", version="1", value=0.1 + 0.2))
    again = adapter.validate_json(adapter.dump_json(value))
    assert isinstance(again, Ok)
    assert again.value == value.value


def test_an_unknown_outcome_is_refused():
    with pytest.raises(ValidationError):
        TypeAdapter(discriminated(Score)).validate_python({"outcome": "maybe"})


def test_foreign_text_cannot_steer_a_terminal():
    failure = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "a\x1b[2Jb\x07c\ud800")
    assert failure.message == "a [2Jb c "
    assert Flag(kind=Kind.TIMEOUT, message="\x1b]0;x").message == " ]0;x"


def test_halves_of_characters_in_a_log_do_not_stop_the_storing():
    failure = Failed.of(Stage.RENDER, Kind.TIMEOUT, "a\ud83d", "b\ud83d", "c\ud83d")
    assert Failed.model_validate_json(failure.model_dump_json()) == failure
