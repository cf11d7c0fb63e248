"""Named limits on a real Prefect server: made, kept low, strict, held for a batch."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmark.outcome import Failed, Ok, Stage, ok
from benchmark.records import Score
from benchmark.settings import Settings
from benchmark.store import Journal, Store
from flows import slots
from flows.batching import Work, each, finish

STAGE = Stage.QUERY


@pytest.fixture
def client(prefect):
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        yield client


def limit(client, name):
    return client.read_global_concurrency_limit_by_name(name)


def do_all(store, place, do, pieces=6, threads=4):
    journal = Journal(Store(str(store)), "query", "m/s", Score)
    with ThreadPoolExecutor(threads) as executor:
        work = [Work((str(n),), n) for n in range(pieces)]
        return finish(STAGE, work, each(do), journal, executor, place)


def done(_=None):
    return ok(Score(metric="m", version="1", value=1.0))


def test_a_model_counts_against_its_provider_and_a_rendering_against_its_container():
    assert slots.provider_limit("openai/gpt-4o") == "rerender-provider-openai"
    assert slots.provider_limit("openai-api/mine/x") == "rerender-provider-openai-api"
    assert slots.provider_limit("oracle") is None
    assert slots.container_limit("tex") == "rerender-container-tex"
    assert slots.container_limit(None) is None


def test_every_provider_and_container_has_a_limit_of_the_settings():
    found = slots.wanted(
        Settings(
            models=["oracle", "own/model"],
            judge="another/judge",
            provider_slots=5,
            container_slots=7,
            slots={"provider-openai": 2, "container-tex": 3},
        )
    )
    assert found["rerender-provider-openai"] == 2
    assert found["rerender-provider-anthropic"] == found["rerender-provider-own"] == 5
    assert found["rerender-provider-another"] == 5
    assert "rerender-provider-oracle" not in found
    assert "rerender-provider-offline" not in slots.wanted(Settings())
    kinds = [found[f"rerender-container-{kind}"] for kind in ("web", "tex", "lilypond", "graphviz")]
    assert kinds == [7, 3, 7, 7]


@pytest.mark.parametrize("wrong", [{"openai": 3}, {"provider-a/b": 3}, {"provider-x": 0}])
def test_slots_of_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match="slots"):
        Settings(slots=wrong)


def test_a_limit_is_made_and_brought_down_but_never_raised(client):
    slots.ensure(client, {"rerender-provider-ensured": 8})
    assert limit(client, "rerender-provider-ensured").limit == 8
    slots.ensure(client, {"rerender-provider-ensured": 20})
    assert limit(client, "rerender-provider-ensured").limit == 8, "somebody may have set it lower"
    slots.ensure(client, {"rerender-provider-ensured": 4})
    assert limit(client, "rerender-provider-ensured").limit == 4


def test_batches_that_know_only_the_server_share_its_slots(client, tmp_path):
    name = "rerender-provider-shared"
    slots.ensure(client, {name: 3})
    guard, now, seen = threading.Lock(), [0], []

    def work(_):
        with guard:
            now[0] += 1
            seen.append(now[0])
        time.sleep(0.2)
        with guard:
            now[0] -= 1
        return done()

    def batch(number):
        place = slots.place(STAGE, [name, None], 2)
        outcomes.append(do_all(tmp_path / str(number), place, work))

    outcomes = []
    threads = [threading.Thread(target=batch, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(each) for each in outcomes] == [6, 6]
    assert max(seen) <= 3
    assert limit(client, name).active_slots == 0, "all slots are given back"


def test_a_batch_that_gets_fewer_slots_than_it_has_threads_works_on_fewer(client, tmp_path):
    name = "rerender-provider-narrow"
    slots.ensure(client, {name: 1})
    held = []

    def work(_):
        held.append(limit(client, name).active_slots)
        return done()

    outcomes = do_all(tmp_path, slots.place(STAGE, [name], 4), work, pieces=3)
    assert all(isinstance(each, Ok) for each in outcomes.values())
    assert held == [1, 1, 1]


def test_a_missing_limit_is_a_failure_that_says_what_makes_it(client, tmp_path):
    asked = []
    for names, remedy in (
        (["rerender-provider-nobody"], "rerender provision --provider nobody"),
        (["rerender-container-nothing", "rerender-container-toy"], "rerender provision"),
    ):
        outcomes = do_all(tmp_path / remedy, slots.place(STAGE, names, 4), asked.append)
        assert len(outcomes) == 6
        failure = outcomes["0"]
        assert isinstance(failure, Failed)
        assert not failure.final
        assert f"no limit {names[0]}; `{remedy}` makes it" in failure.message
        journal = Journal(Store(str(tmp_path / remedy)), "query", "m/s", Score)
        assert journal.get("0") == failure, "so that the report shows it"
    assert asked == []


def test_a_limit_of_zero_and_a_server_that_is_gone_are_told(client, tmp_path):
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    name = "rerender-provider-paused"
    slots.ensure(client, {name: 1})
    client.update_global_concurrency_limit(name, GlobalConcurrencyLimitUpdate(limit=0))
    outcomes = do_all(tmp_path / "zero", slots.place(STAGE, [name], 4), done, pieces=1)
    assert "is 0; raise it" in outcomes["0"].message
    nobody = {PREFECT_API_URL: "http://127.0.0.1:9/api", PREFECT_CLIENT_MAX_RETRIES: 0}
    with temporary_settings(nobody):
        outcomes = do_all(tmp_path / "gone", slots.place(STAGE, [name], 4), done, pieces=1)
    assert "gives no slots" in outcomes["0"].message


def test_without_a_server_and_without_work_nobody_is_asked(client, tmp_path):
    from prefect.settings import PREFECT_API_URL, temporary_settings

    nobody = slots.place(STAGE, ["rerender-provider-nobody"], 4)
    with temporary_settings(restore_defaults={PREFECT_API_URL}):
        outcomes = do_all(tmp_path, nobody, done)
    assert all(isinstance(each, Ok) for each in outcomes.values())
    outcomes = do_all(tmp_path, nobody, done)
    assert all(isinstance(each, Ok) for each in outcomes.values()), "all of it is cached"
