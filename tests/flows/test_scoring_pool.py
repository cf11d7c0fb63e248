"""Scores made in processes of their own: real processes, real pictures."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage
from benchmark.records import Instance, Rendering, Structure
from benchmark.settings import Settings
from benchmark.store import Store
from flows import scoring_pool
from flows.scoring import Scorer
from flows.scoring_pool import PooledScorer, ScoringPool
from flows.workshop import Workshop
from tests.flows import drawn, toy

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugins")
    drawn.install(folder)
    drawn.register()
    return os.pathsep.join([str(PROJECT), str(folder)])


@pytest.fixture
def store(tmp_path, plugins, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", plugins)
    return Store(str(tmp_path / "store"))


@pytest.fixture
def pool(store):
    made = ScoringPool(2, {"RERENDER_STORE": store.location})
    yield made
    made.close()


def picture(store, text):
    structure = Structure(files={"text": text.encode()}, entry="text")
    return store.put(drawn.DrawnRenderer().render(structure).value.png)


def pieces(store, scenario="drawn"):
    for number, text in enumerate(drawn.TEXTS):
        instance = Instance(
            id=f"{scenario}/{number}", scenario=scenario, subset="short",
            image=picture(store, text), truth=store.put(text.encode()),
            provenance=toy.PROVENANCE,
        )  # fmt: skip
        answer = text.replace("a", "o") + "!"
        yield instance, Rendering(image=picture(store, answer), text=answer)


def ask(pool, instance, rendering, names=None):
    scenario = registry.scenarios.get(instance.scenario)
    return pool.score(scenario.name, instance, rendering, names or scenario.metrics)


def test_processes_and_threads_give_the_same_values(pool, store):
    near = Scorer(store, registry.scenarios.get("drawn"))
    values = []
    for instance, rendering in pieces(store):
        here = near.score(instance, rendering, drawn.DrawnScenario.metrics)
        there, unavailable = ask(pool, instance, rendering)
        assert there == here, "to the last digit"
        assert unavailable == near.unavailable
        values += [each.value.value for each in here.values() if isinstance(each, Ok)]
    assert len(set(values)) > 8, "real values"


def test_reasons_and_failures_come_back(pool, store):
    instance, rendering = next(pieces(store, "toy"))
    outcomes, unavailable = ask(pool, instance, rendering)
    assert set(outcomes) == {"toy_same", "toy_text"}
    assert unavailable == {"toy_absent": "no weights here; run `rerender weights`"}
    lost = rendering.model_copy(update={"image": "0" * 64})
    outcomes, _ = ask(pool, instance, lost, ["toy_same"])
    assert "BlobMissing" in outcomes["toy_same"].message
    outcomes, _ = ask(pool, instance, rendering, ["toy_text"])
    assert isinstance(outcomes["toy_text"], Ok), "the same process goes on"


def test_a_process_that_is_killed_costs_its_instance_alone(store, monkeypatch):
    monkeypatch.setenv("TOY_SECONDS", "60")
    pool = ScoringPool(1, {"RERENDER_STORE": store.location})
    instance, rendering = next(pieces(store, "toy"))
    ask(pool, instance, rendering, ["toy_text"])
    victim = pool.processes[0].pid
    with scoring(pool, instance, rendering) as found:
        os.kill(victim, signal.SIGKILL)
    failure = found[0]["toy_same"]
    assert isinstance(failure, Failed)
    assert (failure.stage, failure.kind, failure.final) == (Stage.SCORE, Kind.INTERNAL_ERROR, False)
    assert "was killed, perhaps because memory ran out; run again" in failure.message
    outcomes, _ = ask(pool, instance, rendering, ["toy_text"])
    assert isinstance(outcomes["toy_text"], Ok)
    assert pool.processes[0].pid != victim
    last = pool.processes[0].pid
    with scoring(pool, instance, rendering) as found:
        pool.stop()  # what Ctrl-C leads to: a minute of scoring is not waited for
    assert "run again" in found[0]["toy_same"].message
    outcomes, _ = ask(pool, instance, rendering, ["toy_text"])
    assert "scoring was stopped" in outcomes["toy_text"].message
    pool.close()
    assert not psutil.pid_exists(last)


class scoring:  # noqa: N801 - used like a function
    """Score in a thread, do something meanwhile, wait for the end."""

    def __init__(self, pool, instance, rendering):
        from concurrent.futures import ThreadPoolExecutor

        self.threads = ThreadPoolExecutor(1)
        self.arguments = pool, instance, rendering, ["toy_same"]
        self.pool = pool

    def __enter__(self):
        self.future = self.threads.submit(ask, *self.arguments)
        time.sleep(1)
        self.found = []
        return self.found

    def __exit__(self, *error):
        self.found.append(self.future.result(timeout=50)[0])
        self.threads.shutdown()


PARENT = """
import sys
from benchmark.records import Instance, Rendering
from flows.scoring_pool import ScoringPool
pool = ScoringPool(1, {})
instance = Instance.model_validate_json(sys.argv[1])
rendering = Rendering.model_validate_json(sys.argv[2])
pool.score("toy", instance, rendering, ["toy_text"])
print(pool.processes[0].pid, flush=True)
pool.score("toy", instance, rendering, ["toy_same"])
"""


def test_no_process_outlives_a_parent_that_is_killed(store):
    instance, rendering = next(pieces(store, "toy"))
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, instance.model_dump_json(), rendering.model_dump_json()],
        env=os.environ | {"RERENDER_STORE": store.location, "TOY_SECONDS": "600"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    child = psutil.Process(int(parent.stdout.readline()))
    time.sleep(1)  # it is at the long one now
    parent.kill()
    parent.wait()
    parent.stdout.close()
    child.wait(timeout=60)


def test_processes_are_started_for_long_runs_alone(store, monkeypatch):
    settings = Settings(store=store.location, score_processes=1, workers=1)
    workshop = Workshop(settings)
    try:
        scorer = workshop.scorer(registry.scenarios.get("toy"))
        assert isinstance(scorer, PooledScorer)
        pool = workshop._pool
        instance, rendering = next(pieces(store, "toy"))
        first = scorer.score(instance, rendering, ["toy_text", "toy_absent"])
        assert pool.processes[0].pid is None, "a small run starts none"
        monkeypatch.setattr(scoring_pool, "START_AFTER", 0.0)
        assert scorer.score(instance, rendering, ["toy_text", "toy_absent"]) == first
        assert pool.processes[0].pid is not None
        assert workshop.unavailable()["toy"].keys() == {"toy_absent"}
    finally:
        workshop.close()
    assert pool.processes[0].pid is None
