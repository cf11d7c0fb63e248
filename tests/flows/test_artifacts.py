"""What Prefect's interface shows of a run; that it gets there is tested with the flows."""

import base64
import io
import re

import pytest
from PIL import Image

from benchmark.funnel import Funnel
from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Usage
from benchmark.settings import Settings
from benchmark.snapshot import Rejected
from flows import artifacts
from flows.batches import Tally
from flows.budget import Budget
from flows.report import address_of
from reports.leaderboard import leaderboard
from tests.reports.samples import METRICS, Blobs, Named, answered, failed, instance, png
from vlms.prices import Price


def test_the_funnel_has_a_row_for_each_source():
    gone = Failed.of(Stage.FETCH, Kind.GONE, "no longer there")
    rows = [Funnel.of("site", kept=2, unfetched=[gone, gone]), Funnel.of("other", kept=1)]
    assert artifacts.funnel_cells(rows) == [
        {"source": "site", "found": 4, "fetched": 2, "rendered": 2, "kept": 2, "lost": "2 gone"},
        {"source": "other", "found": 1, "fetched": 1, "rendered": 1, "kept": 1,
         "lost": "nothing"},
    ]  # fmt: skip


def test_what_was_rejected_is_told_by_reason_with_the_first_of_each():
    rejected = [
        Rejected(id=f"piece/{n}", scenario="", failure=Failed.of(Stage.FILTER, kind, f"no {n}"))
        for n, kind in enumerate([Kind.BLANK, Kind.TOXIC, Kind.TOXIC])
    ]
    assert artifacts.rejected_cells(rejected) == [
        {"reason": "toxic", "count": 2, "of": "piece/1", "example": "no 1"},
        {"reason": "blank", "count": 1, "of": "piece/0", "example": "no 0"},
    ]


def test_failures_are_told_by_model_and_blame():
    items = [instance(f"page-{number}") for number in range(4)]
    results = [
        answered("good", items[0], {"ssim": 0.5, "edit": 0.5}),
        failed("good", items[1], Kind.TIMEOUT, "after 30 s"),
        failed("good", items[2], Kind.TIMEOUT, "after 31 s"),
        failed("good", items[3], Kind.NETWORK, "no answer"),
    ]
    assert artifacts.failure_cells(results) == [
        {"model": "good", "blame": "model", "kind": "timeout", "count": 2,
         "example": "after 30 s"},
        {"model": "good", "blame": "infra", "kind": "network", "count": 1,
         "example": "no answer"},
    ]  # fmt: skip


def test_no_number_of_the_leaderboard_stands_without_n_failures_and_interval():
    items = [instance(f"page-{number}") for number in range(3)]
    results = [answered("good", item, {"ssim": 0.5, "edit": 0.5}) for item in items]
    results += [failed("bad", item, Kind.REFUSED) for item in items]
    board = leaderboard(results, METRICS, [Named("webpage")])
    good, bad = artifacts.board_cells(board)
    assert (good["model"], good["n"], good["failed"]) == ("good", 3, 0)
    assert (bad["model"], bad["failed"], bad["rendered"][:5]) == ("bad", 3, "0.000")
    assert re.fullmatch(r"1\.000 \(.+\)", good["mean win rate"])


def test_examples_are_small_pictures_inside_the_text():
    store = Blobs()
    shown, drawn = store.put(png("what was shown")), store.put(png("what came", size=(700, 90)))
    item = instance("page-1", image=shown)
    result = answered("good", item, {"ssim": 0.5, "edit": 0.5}, image=drawn)
    text = artifacts.examples([result, result], store.load)
    assert text.count("page-1") == 1, "one of each scenario"
    found = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", text)
    sizes = [Image.open(io.BytesIO(base64.b64decode(each))).size for each in found]
    assert sizes == [(280, 158), (280, 36), (280, 158)]


def test_answers_without_any_picture_are_told():
    results = [failed("bad", instance("page-1"), Kind.REFUSED)]
    assert "No picture" in artifacts.examples(results, Blobs().load)


def test_tallies_add_up():
    first = Tally(done=1, failed=2, infra=1, first_infra="down")
    assert first.plus(Tally(done=4)) == Tally(done=5, failed=2, infra=1, first_infra="down")


def test_what_is_spent_is_told_by_model_and_an_unknown_price_as_unknown():
    spent = Budget(most_tokens=1000, prices={"openai/gpt-4o": Price(2.5, 10.0)})
    for model in ("openai/gpt-4o", "openai/gpt-4o", "local/nobody"):
        spent.spend(model, Usage(input_tokens=100, output_tokens=20, reasoning_tokens=5))
    spent.spend("oracle", Usage())
    assert artifacts.spending_cells(spent) == [
        {"model": "openai/gpt-4o", "answers": 2, "input tokens": 200, "output tokens": 40,
         "of these reasoning": 10, "cost": "$0.0009"},
        {"model": "local/nobody", "answers": 1, "input tokens": 100, "output tokens": 20,
         "of these reasoning": 5, "cost": "unknown"},
    ]  # fmt: skip
    told = artifacts.spending_text(spent)
    assert told.startswith("spent in this run: 360 tokens of 1,000; $0.00 and what local/nobody")
    assert told.endswith("unknown")


def test_nothing_spent_is_no_table():
    spent = Budget()
    spent.spend("oracle", Usage())
    assert artifacts.spending_cells(spent) == []


@pytest.mark.parametrize(
    ("url", "folder", "address"),
    [
        ("https://example.org/all/", "run 1", "https://example.org/all/run%201/index.html"),
        (None, "run 1", None),
        ("https://example.org/all", "../elsewhere", None),
    ],
)
def test_a_report_has_an_address_where_its_folder_is_published(tmp_path, url, folder, address):
    settings = Settings(reports=tmp_path / "reports", report_url=url)
    page = (tmp_path / "reports" / folder / "index.html").resolve()
    assert address_of(page, settings) == address
