"""An evaluation in real containers, killed at 20 points and started again, loses nothing."""

from __future__ import annotations

import base64
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import pytest

from benchmark.records import digest_bytes
from benchmark.settings import Settings
from flows import lifeline, runs, station, station_processes
from flows.workshop import Workshop
from renderers.hardening import owner
from reports.leaderboard import leaderboard
from tests.engine import containers, eventually
from tests.flows import chaos, test_station
from tests.servers.openai_server import OpenAIServer, Received, answer, error

PROJECT = Path(__file__).resolve().parents[2]
MODEL = "openai-api/stand-in/vision-1"
KILLS, STARTS, SEED = 20, 4, 6
"""How often it is killed; so often of them in its first seconds, else at a point of its work."""
PATIENCE = 240
LIMITS = [
    f"rerender-{name}"
    for name in ("provider-openai-api", "container-tex", "container-graphviz", "container-web")
]
"""What is shared with other runs. Slots of the killed come back after a minute, so there are many:
that nobody waits for them is no part of this test."""
TOKENS = (11, 7)


class Provider:
    """The stand-in model: knows its instances by their pictures and counts who asks for which."""

    def __init__(self, instances):
        self.instances = {instance.image: instance.id for instance in instances}
        self.attempt = 0
        self.asked: dict[str, list[int]] = defaultdict(list)
        self.known: list[set[str]] = []

    def __call__(self, received: Received):
        picture = base64.b64decode(received.image_url.partition(",")[2])
        instance = self.instances.get(digest_bytes(picture))
        if instance is None:
            return error(400, "this picture is not of the snapshot")(received)
        self.asked[instance].append(self.attempt)
        time.sleep(0.15)
        scenario, _, number = instance.partition("/")
        text = chaos.text_of(scenario, int(number), answer=True)
        return answer(text, usage=(*TOKENS, 0))(received)


@dataclass
class Begetter:
    """Processes that evaluate, one at a time, each forked from one that has imported all."""

    environment: dict[str, str]
    log: Path
    pids: list[int] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.flows.chaos"], cwd=PROJECT, text=True,
            env=os.environ | self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def begin(self, store, *arguments) -> int:
        environment = {"RERENDER_STORE": str(store)}
        told = {"environment": environment, "arguments": arguments, "log": str(self.log)}
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        self.pids.append(pid)
        self.owners.append(owner(pid))
        return pid

    def end(self) -> int:
        return int(self._process.stdout.readline())

    def run(self, store, *arguments) -> None:
        self.begin(store, *arguments)
        status = self.end()
        assert status == 0, self.log.read_text()[-3000:]


@dataclass
class Scene:
    """A snapshot, the processes and the provider; and what an undisturbed run made of it."""

    begetter: Begetter
    provider: Provider
    folder: Path
    snapshot: str

    def evaluate(self, store) -> tuple[str, ...]:
        names = ("-m", "oracle", "-m", MODEL, "--name", "run")
        return (store, "evaluate", self.snapshot, *names)


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    """The variables that lead a process to a server as `rerender up` starts it."""
    settings = Settings(
        prefect_home=tmp_path_factory.mktemp("server"), prefect_port=test_station.free_port()
    )
    port, log = settings.prefect_port, settings.prefect_home / "log"
    server = station_processes.start(
        ["-m", "prefect", "server", "start"], station.server_environment(settings, port), log
    )
    variables = station.client_environment(settings, port)
    address = variables["PREFECT_API_URL"]
    try:
        station_processes.wait_until(
            lambda: station_processes.answers(f"{address}/health"), server, log, "the server"
        )
        signed = tuple(station.sign_in(settings).split(":"))
        for name in LIMITS:
            limit = {"name": name, "limit": 1000}
            made = httpx.post(f"{address}/v2/concurrency_limits/", json=limit, auth=signed)
            assert made.is_success, made.text
        yield variables
    finally:
        station_processes.end([server])


@pytest.fixture
def scene(tmp_path, api):
    chaos.register()
    with (
        OpenAIServer() as server,
        Begetter(api | environment(tmp_path, server), tmp_path / "log") as begetter,
    ):
        begetter.run(tmp_path / "first", "refresh", "--source", "chaos", "--name", "material")
        workshop = Workshop(Settings(store=str(tmp_path / "first")))
        provider = Provider(workshop.snapshot("material").instances)
        server.script(provider)
        shutil.copytree(tmp_path / "first", tmp_path / "killed")
        yield Scene(begetter, provider, tmp_path, "material")


def environment(folder, server):
    (folder / "tmp").mkdir()
    return {
        "TMPDIR": str(folder / "tmp"),
        "RERENDER_MODEL_BASE_URL": server.url,
        "STAND_IN_API_KEY": "none",
        "RERENDER_BATCH": "3",
        "RERENDER_WORKERS": "2",
        "RERENDER_MODEL_CONCURRENCY": "2",
    }


def lines(store: Path) -> Counter[tuple[str, str]]:
    """Return how often each key stands in each journal, whole lines alone."""
    found = Counter()
    for path in (store / "journals").rglob("*.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            found[str(path.parent), json.loads(line)["key"]] += 1
    return found


def query_keys(store: Path) -> dict[str, str]:
    """Return the key of the stand-in's answer to each instance."""
    entries = runs.load(Workshop(Settings(store=str(store))).store, "run").entries
    return {entry.instance: entry.query for entry in entries if entry.model == MODEL}


def results(store: Path):
    """Return what a run's document points to, without the time that it took."""
    workshop = Workshop(Settings(store=str(store)))
    looked = runs.look_up(workshop, runs.load(workshop.store, "run"))
    workshop.close()
    return sorted(
        (each.model, each.instance.id, each.completion.value.text,
         each.rendering.value.model_dump(exclude={"seconds"}),
         [(score.metric, score.value, score.reason) for score in each.scores])
        for each in looked
    ), looked  # fmt: skip


@pytest.mark.timeout(1200)
def test_killed_at_twenty_points_it_loses_and_repeats_nothing(scene):
    begetter, provider = scene.begetter, scene.provider
    undisturbed, killed = scene.folder / "first", scene.folder / "killed"
    begun = sum(lines(undisturbed).values())
    begetter.run(*scene.evaluate(undisturbed))
    expected, _ = results(undisturbed)
    assert len(expected) == 2 * sum(chaos.EACH.values())
    work = sum(lines(undisturbed).values()) - begun
    provider.asked.clear()

    kill_again_and_again(scene, killed, begun, work)
    provider.attempt += 1
    begetter.run(*scene.evaluate(killed))

    found, looked = results(killed)
    assert found == expected, "nothing is lost, and nothing is another"
    assert max(lines(killed).values()) == 1, "what was finished is not done again"
    check_that_nobody_was_asked_for_what_was_known(provider, looked, query_keys(killed))
    check_that_the_board_counts_once(looked)
    check_that_all_is_whole(killed)
    cut_off_the_ends(killed)
    begetter.run(*scene.evaluate(killed))
    assert results(killed)[0] == expected, "what was half written is done again"
    check_that_nothing_is_left(begetter, scene.folder)


def kill_again_and_again(scene: Scene, store: Path, begun: int, work: int) -> None:
    """Start the evaluation and kill it, at points of its work and moments of its start."""
    chance = random.Random(SEED)  # noqa: S311
    most = int(0.85 * work)
    points = sorted(chance.sample(range(1, most), KILLS - STARTS))
    plan = [begun + point for point in points]
    for _ in range(STARTS):
        plan.insert(chance.randrange(len(plan)), 0)
    for point in plan:
        scene.provider.attempt += 1
        before = sum(lines(store).values())
        pid = scene.begetter.begin(*scene.evaluate(store))
        if point and before < begun + most:
            wait_until_it_has(scene, pid, store, max(point, before + 1))
        time.sleep(chance.uniform(0, 0.1 if point else 3.0))
        kill = chance.choice([os.kill, os.killpg])
        kill(pid, signal.SIGKILL)
        assert scene.begetter.end() == -signal.SIGKILL, "it ended before it could be killed"
        scene.provider.known.append({key for _, key in lines(store)})


def wait_until_it_has(scene: Scene, pid: int, store: Path, count: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while sum(lines(store).values()) < count:
        assert psutil.pid_exists(pid), scene.begetter.log.read_text()[-3000:]
        assert time.monotonic() < deadline, "the evaluation does not go on"
        time.sleep(0.01)


def check_that_nobody_was_asked_for_what_was_known(provider, looked, keys):
    """Assert that an answer on disk was not asked for again, and that a kill costs two at most.

    Two are under way at a time. What was on its way when a process was killed may arrive while the
    next one runs, so that what counts is who asks after that.
    """
    assert set(provider.asked) == {each.instance.id for each in looked if each.model == MODEL}
    for instance, attempts in provider.asked.items():
        known = [keys[instance] in each for each in provider.known]
        first = known.index(True) if True in known else KILLS
        assert max(attempts) <= first + 2, f"{instance} was asked for again"
    asked = sum(map(len, provider.asked.values()))
    assert asked <= len(provider.asked) + 2 * KILLS


def check_that_the_board_counts_once(looked):
    from benchmark import registry

    scenarios = [registry.scenarios.get(name) for name in chaos.EACH]
    metrics = {name for each in scenarios for name in each.metrics}
    board = leaderboard(looked, {name: registry.metrics.get(name) for name in metrics}, scenarios)
    rows = {row.model: row for row in board.overall}
    count = sum(chaos.EACH.values())
    assert [(row.n, row.failed, row.infra) for row in rows.values()] == [(count, 0, 0)] * 2
    usage = rows[MODEL].usage
    assert (usage.input_tokens, usage.output_tokens) == (count * TOKENS[0], count * TOKENS[1])


def check_that_all_is_whole(store: Path) -> None:
    """Assert that each blob is what its name says, nothing else is left, and documents are read."""
    blobs = [path for path in (store / "blobs").rglob("*") if path.is_file()]
    whole = [path for path in blobs if re.fullmatch("[0-9a-f]{64}", path.name)]
    assert whole == blobs, "what was half written is gone"
    assert len(whole) > 2 * sum(chaos.EACH.values())
    assert [path for path in whole if digest_bytes(path.read_bytes()) != path.name] == []
    for path in store.rglob("*.json"):
        json.loads(path.read_text())


def cut_off_the_ends(store: Path) -> None:
    """Leave the last line of each journal as if its writer had been killed while it wrote."""
    chance, cut = random.Random(SEED), 0  # noqa: S311
    for folder in {path.parent for path in (store / "journals").rglob("*.jsonl")}:
        if "references" in folder.name or "pictures" in folder.name:
            continue
        path = max(folder.glob("*.jsonl"), key=lambda one: one.stat().st_size)
        whole = path.read_bytes()
        last = whole.rstrip(b"\n").rfind(b"\n") + 1
        path.write_bytes(whole[: chance.randrange(last + 1, len(whole))])
        cut += 1
    assert cut == 3 * 2 * len(chaos.EACH)


def check_that_nothing_is_left(begetter: Begetter, folder: Path) -> None:
    """Assert that no process, container or folder of any of the processes is left."""
    for mark in begetter.owners:
        eventually(lambda: not containers(mark), f"containers of {mark} stay")  # noqa: B023
        eventually(lambda: not lifeline.marked(mark), f"processes of {mark} stay")  # noqa: B023
    guards = [
        process
        for process in psutil.process_iter(["cmdline"])
        if set(begetter.owners) & set(process.info["cmdline"] or ())
    ]
    assert psutil.wait_procs(guards, timeout=60)[1] == []
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.timeout(600)
def test_a_run_that_is_killed_takes_its_own_server_with_it(tmp_path):
    environment = {name: os.environ[name] for name in os.environ if "PREFECT" not in name} | {
        "PREFECT_HOME": str(tmp_path / "home"),
        "RERENDER_PREFECT_HOME": str(tmp_path / "station"),
        "RERENDER_STORE": str(tmp_path / "store"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "refresh", "--source", "synthetic-mindmaps"],
        cwd=PROJECT, env=environment, start_new_session=True,
    )  # fmt: skip
    mark = owner(process.pid)

    def servers():
        assert process.poll() is None, "it ended before it could be killed"
        return [each for each in lifeline.marked(mark) if "uvicorn" in each.cmdline()]

    eventually(lambda: len(servers()) == 1, "it has started no server", PATIENCE)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    eventually(lambda: lifeline.marked(mark) == [], "its server stays")
    eventually(lambda: not list((tmp_path / "tmp").iterdir()), "its folder stays")
