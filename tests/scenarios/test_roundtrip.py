import pytest

from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Answer, Picture, Structure
from scenarios.roundtrip import MOST_REPAIRS, render_answer

BAD = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "the author's own error")
DOWN = Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, "no engine")


def answer(text="x"):
    return Answer(structure=Structure(files={"a": text.encode()}, entry="a"), text=text)


class Renderer:
    """Renders only a certain text."""

    def __init__(self, good, failure=BAD):
        self.good, self.failure, self.seen = good, failure, []

    def render(self, structure):
        self.seen.append(structure.text)
        if structure.text == self.good:
            return ok(Picture(png=b"png", width=1, height=1))
        if len(self.seen) > 1 and self.failure is BAD:
            return Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "an error that a repair caused")
        return self.failure


class Reader:
    """Repairs by appending a letter."""

    def repair(self, answer, failure):
        text = answer.structure.text + "x"
        return answer.repaired(answer.structure.with_text(text), f"appended {len(text)}")


class NoRepair:
    def repair(self, answer, failure):
        return None


class SameAgain:
    def repair(self, answer, failure):
        return answer.repaired(answer.structure, "nothing changed")


def test_repairs_are_tried_in_turn_and_recorded():
    outcome = render_answer(Reader(), Renderer("xxx"), answer())
    assert isinstance(outcome, Ok)
    assert outcome.value[0].repairs == ("appended 2", "appended 3")


@pytest.mark.parametrize("reader", [Reader(), NoRepair(), SameAgain()])
def test_the_first_failure_is_reported_and_the_loop_ends(reader):
    renderer = Renderer("never")
    assert render_answer(reader, renderer, answer()) == BAD
    assert len(renderer.seen) == (MOST_REPAIRS + 1 if isinstance(reader, Reader) else 1)


def test_an_infra_failure_is_not_repaired():
    renderer = Renderer("never", DOWN)
    assert render_answer(Reader(), renderer, answer()) == DOWN
    assert renderer.seen == ["x"]
