"""`rerender up`, `status`, `down` as a user has them: real server, worker and deployments."""

import http.server
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from benchmark.settings import Settings
from flows import station
from flows.station import Member, Station

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 400


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rerender(environment, *arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *arguments],
        cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
        **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def posted():
    """What a chat server was told; the address is ``posted.address``."""
    told = Posted()
    server = http.server.HTTPServer(("127.0.0.1", 0), told.handler())
    told.address = f"http://127.0.0.1:{server.server_port}/hook"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


class Posted:
    def __init__(self):
        self.texts, self.address = [], ""

    def handler(self):
        texts = self.texts

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                texts.append(json.loads(self.rfile.read(length))["text"])
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        return Hook

    def wait_for(self, part: str) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for text in list(self.texts):
                if part in text:
                    return text
            time.sleep(0.2)
        raise AssertionError(f"{part!r} was not told, only {self.texts}")


@pytest.fixture(scope="module")
def environment(tmp_path_factory, posted):
    home = tmp_path_factory.mktemp("station")
    return os.environ | {
        "RERENDER_WEBHOOK": posted.address,
        "RERENDER_PREFECT_HOME": str(home / "prefect"),
        "RERENDER_PREFECT_PORT": str(free_port()),
        "RERENDER_STORE": str(home / "store"),
        "RERENDER_REPORTS": str(home / "reports"),
        "COLUMNS": "200",
    }


def settings_of(environment) -> Settings:
    return Settings(
        prefect_home=environment["RERENDER_PREFECT_HOME"],
        prefect_port=int(environment["RERENDER_PREFECT_PORT"]),
    )


@pytest.fixture(scope="module")
def up(environment):
    """A station that is up; it leaves no process when it goes down."""
    started = rerender(environment, "up", "--detach")
    assert started.returncode == 0, started.stderr
    found = station.find(settings_of(environment))
    assert found is not None
    yield found
    family = [
        process
        for member in found.members.values()
        if psutil.pid_exists(member.pid)
        for process in [psutil.Process(member.pid), *psutil.Process(member.pid).children(True)]
    ]
    assert len(family) >= 3
    went = rerender(environment, "down")
    assert went.returncode == 0
    assert went.stdout.strip() == "down"
    _, left = psutil.wait_procs(family, timeout=5)
    assert left == []
    assert station.find(settings_of(environment)) is None


def client_of(environment):
    return {
        **environment,
        **station.client_environment(
            settings_of(environment), int(environment["RERENDER_PREFECT_PORT"])
        ),
    }


def asked(environment, script: str):
    """Return what a script prints as JSON, run against the station."""
    done = subprocess.run(
        [sys.executable, "-c", script], env=client_of(environment), cwd=PROJECT,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


SLEEPS = """
import time
from prefect import flow, runtime

@flow(name="report")  # dead runs of other flows are somebody else's
def sleeps():
    print(runtime.flow_run.id, flush=True)
    time.sleep(3600)

sleeps()
"""


@pytest.fixture(scope="module")
def killed(environment, up):
    """The number of a run that has said once that it lives, and was killed; it is still Running.

    The automation knows only signs of life that came after it was made, so it must not be made
    again after this.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEPS], env=client_of(environment), cwd=PROJECT,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    run = process.stdout.readline().strip()
    alive = {"filter": {"event": {"name": ["prefect.flow-run.heartbeat"]},
                        "resource": {"id": [f"prefect.flow-run.{run}"]}}}  # fmt: skip
    end = time.monotonic() + PATIENCE
    while not api(environment, up, "/events/filter", alive)["events"]:
        assert time.monotonic() < end, "the run does not say that it lives"
        time.sleep(0.5)
    process.kill()
    process.wait()
    process.stdout.close()
    return run


def api(environment, up, path, body=None):
    """Return what the server's interface answers."""
    import httpx

    signed = tuple(station.sign_in(settings_of(environment)).split(":"))
    method = "GET" if body is None else "POST"
    answer = httpx.request(method, up.api + path, json=body, auth=signed, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


SAID = """
import json, logging, time, warnings
warnings.simplefilter("error", UserWarning)
from prefect import flow, task
from prefect.client.orchestration import get_client
from benchmark.outcome import Failed, Kind, Stage, ok
from flows import logs
from flows.workshop import opened

@task
def work():
    with opened() as workshop:
        logger = logging.getLogger("sources.http_wire")
        workshop.executor("test", 1).submit(logger.info, "said in a thread of ours").result()
        slow = Failed.of(Stage.QUERY, Kind.TIMEOUT, "slow")
        logs.tell(Stage.QUERY, 2, [ok("an answer"), slow], 0.01)

@flow
def says():
    with opened():
        work.submit().wait()

run = says(return_state=True).state_details.flow_run_id
asked, said = {"logs": {"flow_run_id": {"any_": [str(run)]}}}, {}
with get_client(sync_client=True) as client:
    end = time.monotonic() + 60
    while len(said) < 2 and time.monotonic() < end:
        rows = client.request("POST", "/logs/filter", json=asked).json()
        said = {row["name"]: row["message"] for row in rows if row["name"].count(".") == 1
                and not row["name"].startswith("prefect")}
        time.sleep(0.2)
print(json.dumps(said))
"""


class TestUp:
    @pytest.mark.timeout(600)
    def test_says_where_and_how_to_sign_in(self, environment, up):
        told = rerender(environment, "status")
        assert told.returncode == 0, told.stderr
        assert up.address in told.stdout
        assert station.sign_in(settings_of(environment)) in told.stdout
        assert "benchmark" in told.stdout, "the weekly run is ahead"

    def test_only_who_knows_the_password_is_let_in(self, environment, up):
        import httpx

        assert httpx.post(f"{up.api}/flow_runs/filter", json={}).status_code == 401
        signed = tuple(station.sign_in(settings_of(environment)).split(":"))
        assert httpx.post(f"{up.api}/flow_runs/filter", json={}, auth=signed).status_code == 200

    def test_the_interface_asks_nobody_else(self, environment, up):
        import httpx

        shown = httpx.get(f"{up.address}/ui-settings").json()
        assert shown["default_ui"] == "v1", "pages of the second one ask amplitude.com"
        assert shown["api_url"] == up.api, "or the pages are blank"

    def test_a_second_one_is_refused(self, environment, up):
        second = rerender(environment, "up", "--detach")
        assert second.returncode == 2
        assert f"a station is up already at {up.address}" in second.stderr

    def test_deployments_pool_and_automations_are_there(self, environment, up):
        found = asked(
            environment,
            "import json\n"
            "from prefect.client.orchestration import get_client\n"
            "from flows.provisioning import ZOMBIES, provision\n"
            "from benchmark.settings import Settings\n"
            "provision(Settings())\n"
            "with get_client(sync_client=True) as client:\n"
            "    print(json.dumps({\n"
            "        'deployments': {d.name: [s.schedule.cron for s in d.schedules]\n"
            "                        for d in client.read_deployments()},\n"
            "        'pools': [p.name for p in client.read_work_pools()],\n"
            "        'zombies': len(client.read_automations_by_name(ZOMBIES)),\n"
            "    }))",
        )
        assert found["deployments"] == {
            "benchmark": ["0 3 * * 1"], "refresh": [], "evaluate": [], "rerun": [], "report": []
        }  # fmt: skip
        assert found["pools"] == ["rerender"]
        assert found["zombies"] == 1, "said again, it is brought up to date"

    def test_prefects_own_command_line_is_signed_in(self, environment, up, killed):
        assert api(environment, up, f"/flow_runs/{killed}")["state"]["type"] == "RUNNING"
        told = rerender(environment, "prefect", "deployment", "ls")
        assert told.returncode == 0, told.stderr
        assert "benchmark/benchmark" in told.stdout

    def test_a_form_refuses_what_makes_no_sense(self, environment, up):
        found = asked(
            environment,
            "import json\n"
            "from prefect.deployments import run_deployment\n"
            "try:\n"
            "    run_deployment('refresh/refresh', parameters={'request': {'limit': 0}},\n"
            "                   timeout=0)\n"
            "except Exception as error:\n"
            "    print(json.dumps(str(error)))",
        )
        assert "less than the minimum of 1" in found

    def test_what_our_packages_say_is_seen_from_threads_too(self, environment, up):
        assert asked(environment, SAID) == {
            "flows.logs": "query: 1 done in 0.0 s, 2 found; 1 timeout (model)",
            "sources.http_wire": "said in a thread of ours",
        }

    @pytest.mark.timeout(600)
    def test_a_run_of_the_worker_and_one_by_hand_are_seen_and_told(self, environment, up, posted):
        state = asked(
            environment,
            "import json\n"
            "from prefect.deployments import run_deployment\n"
            "run = run_deployment('report/report', timeout=200)\n"
            "print(json.dumps([run.state.name, run.state.message, str(run.id)]))",
        )
        run = state[2]
        assert state[0] == "Failed"
        assert "there is no run yet; `rerender evaluate` makes one" in state[1]
        assert "there is no run yet" in posted.wait_for("Rerender: report Failed")
        by_hand = rerender(environment, "refresh", "--source", "synthetic-mindmaps", "--limit", "1")
        assert by_hand.returncode == 0, by_hand.stderr
        told = rerender(environment, "status").stdout
        rows = [line for line in told.splitlines() if "Completed" in line or "Failed" in line]
        assert any("refresh" in row and "hand" in row and "Completed" in row for row in rows)
        assert any("report" in row and "worker" in row and "Failed" in row for row in rows)
        logged = api(environment, up, "/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}})
        assert any("Traceback" in row["message"] for row in logged), "of the run of the worker"
        posted.wait_for("Rerender: refresh Completed")

    @pytest.mark.timeout(600)
    def test_a_killed_run_becomes_crashed_by_itself(self, environment, up, killed):
        end = time.monotonic() + PATIENCE
        while (run := api(environment, up, f"/flow_runs/{killed}"))["state"]["type"] == "RUNNING":
            assert time.monotonic() < end, "it is Running for ever"
            time.sleep(1)
        assert run["state"]["type"] == "CRASHED"
        assert "no sign of life" in run["state"]["message"]


class TestNote:
    def test_a_process_that_has_another_start_is_another_process(self):
        me = Member.of(os.getpid())
        assert me.lives()
        assert not Member(me.pid, me.started - 1).lives()

    def test_a_note_of_a_dead_server_is_not_believed(self, tmp_path):
        settings = Settings(prefect_home=tmp_path)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        station.note(settings, Station(1, {"server": Member.of(child.pid)}))
        assert station.find(settings) is not None
        child.kill()
        child.wait()
        assert station.find(settings) is None

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"port": 1, "members": [1]}', "\x00"])
    def test_a_note_that_is_not_readable_is_none(self, tmp_path, text):
        (tmp_path / "station.json").write_text(text)
        assert station.find(Settings(prefect_home=tmp_path)) is None

    def test_the_password_is_made_once_and_is_the_users_alone(self, tmp_path):
        settings = Settings(prefect_home=tmp_path / "new")
        first = station.password(settings)
        assert len(first) >= 24
        assert station.password(settings) == first
        mode = (tmp_path / "new" / "password").stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700, "nobody reads its logs"
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["password"]


def test_a_port_that_is_taken_is_told(environment, tmp_path):
    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        port = str(server.server_port)
        elsewhere = {**environment, "RERENDER_PREFECT_HOME": str(tmp_path)}
        taken = rerender(elsewhere, "up", "--port", port)
    finally:
        server.shutdown()
        server.server_close()
    assert taken.returncode == 1
    assert f"port {port} is taken by another server" in taken.stderr


def test_a_second_one_at_the_same_moment_is_refused(environment, tmp_path):
    elsewhere = {**environment, "RERENDER_PREFECT_HOME": str(tmp_path)}
    with station.claim(settings_of(elsewhere)) as alone:
        assert alone
        second = rerender(elsewhere, "up", "--port", str(free_port()))
    assert second.returncode == 2
    assert "a station is being started already" in second.stderr
    assert not (tmp_path / "password").exists(), "it has begun nothing"


@pytest.mark.timeout(600)
def test_a_signal_ends_everything_while_it_starts_and_after(environment, tmp_path):
    elsewhere = {
        **environment,
        "RERENDER_PREFECT_HOME": str(tmp_path),
        "RERENDER_PREFECT_PORT": str(free_port()),
    }
    keeper = subprocess.Popen(
        [sys.executable, "-m", "flows.cli", "up"], cwd=PROJECT, env=elsewhere,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    settings = settings_of(elsewhere)
    end = time.monotonic() + PATIENCE
    while station.find(settings) is None and time.monotonic() < end:
        time.sleep(0.2)
    found = station.find(settings)
    assert found is not None
    children = psutil.Process(keeper.pid).children(recursive=True)
    assert children
    keeper.terminate()
    keeper.communicate(timeout=PATIENCE)
    _, left = psutil.wait_procs(children, timeout=5)
    assert left == []
    assert station.find(settings) is None
