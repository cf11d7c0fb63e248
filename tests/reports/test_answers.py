"""Reports of tasks whose answers have no picture, or whose picture shows more than the truth."""

from __future__ import annotations

import dataclasses

from benchmark.outcome import ok
from benchmark.records import Rendering
from reports.leaderboard import leaderboard
from reports.site import write_site
from tests.reports.samples import METRICS, Blobs, Named, answered, instance, png


def page(result, blobs: Blobs, folder) -> str:
    board = leaderboard([result], METRICS, [Named("webpage")])
    write_site(board, [result], blobs.load, folder)
    return (folder / "webpage.html").read_text(encoding="utf-8")


def answer(blobs: Blobs):
    asked = instance("q/1", image=blobs.put(png("map")), truth=blobs.put(b"truth"))
    asked = asked.model_copy(update={"metrics": ("edit",)})
    rendering = Rendering(image=None, text="<b>the answer</b>")
    result = answered("m", asked, {"edit": 0.5})
    return dataclasses.replace(result, rendering=ok(rendering))


def test_the_text_stands_where_a_picture_would(tmp_path):
    blobs = Blobs()
    written = page(answer(blobs), blobs, tmp_path / "report")
    assert "&lt;b&gt;the answer&lt;/b&gt;" in written
    assert "<b>the answer" not in written
    assert "not done yet" not in written


def test_a_metric_that_says_nothing_is_not_called_missing(tmp_path):
    blobs = Blobs()
    written = page(answer(blobs), blobs, tmp_path / "report")
    entry = written[written.index('class="entry"') :]
    assert "<dt>edit</dt>" in entry
    assert "<dt>ssim</dt>" not in entry


def test_a_metric_that_says_nothing_has_no_mean_and_the_reason_is_given():
    result = answer(Blobs())
    (table,) = leaderboard([result], METRICS, [Named("webpage")]).tables
    cells = {cell.metric: cell for cell in table.rows[0].cells}
    assert cells["edit"].interval.mean == 0.5
    assert cells["ssim"].interval.mean is None
    assert cells["ssim"].reason == "it says nothing of these instances"


def test_what_was_shown_stands_beside_what_is_compared(tmp_path):
    blobs = Blobs()
    whole, part = blobs.put(png("whole")), blobs.put(png("part"))
    asked = instance("p/1", image=whole, truth=blobs.put(b"truth"))
    asked = asked.model_copy(update={"reference": part})
    result = answered("m", asked, {"ssim": 1.0}, image=part)
    written = page(result, blobs, tmp_path / "report")
    place = written.index('<figure class="reference">')
    assert place < written.index(part[:20], place) < written.index('class="entry"')
    assert written.index("shown to the models") < written.index(whole[:20]) < place
