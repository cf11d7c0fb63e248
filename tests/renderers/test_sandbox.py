"""Real containers: what a hostile job can reach, and what is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import pytest

from benchmark.outcome import Failed, Kind, Ok
from renderers import result, sandbox
from renderers.hardening import OWNER, hardening, owner
from renderers.image_digest import reference
from renderers.job import FLOOD, Job
from renderers.sandbox import Execution, Limits, Pool, Stop

IMAGE = reference("graphviz")
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def pool():
    found = sandbox.image_digest(IMAGE)
    assert isinstance(found, Ok), found  # make test builds the images first
    with Pool(IMAGE, limits=Limits(seconds=60)) as pool:
        yield pool
    eventually(lambda: not containers(owner()))


def shell(pool: Pool, script: str, files=None, **options) -> Execution:
    outcome = pool.run(["sh", "-c", script], files or {}, **options)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def containers(label: str) -> list[str]:
    """Identifiers of the containers of an owner, running or not."""
    client = docker.from_env()
    try:
        filters = {"label": f"{OWNER}={label}"}
        return [found["Id"] for found in client.api.containers(all=True, filters=filters)]
    finally:
        client.close()


def eventually(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


# --- what a job can reach


def test_job_is_nobody_without_capabilities_or_new_privileges(pool):
    log = shell(pool, "id -u; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status").stdout
    assert log.splitlines()[:2] == ["65534", "65534"]
    status = dict(line.split(":\t") for line in log.splitlines()[2:])
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {
        "0" * 16
    }
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_job_has_no_network(pool):
    probe = (
        "use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or die;"
        "connect($s, pack_sockaddr_in(53, inet_aton('1.1.1.1'))) or print $!;"
    )
    execution = shell(pool, f'ls /sys/class/net; perl -e "{probe.replace("$", chr(92) + "$")}"')
    assert execution.stdout.split("\n")[0] == "lo"
    assert "unreachable" in execution.stdout


def test_job_can_write_to_its_tmpfs_folders_only(pool):
    script = (
        "for d in / /etc /usr /var/tmp /home /root /dev /proc /sys; do touch $d/x && echo $d; done"
    )
    assert shell(pool, script).stdout == ""
    mounts = shell(pool, "cat /proc/self/mountinfo").stdout.splitlines()
    places = {line.split()[4]: line for line in mounts}
    assert " ro," in places["/"]
    for folder in ("/work", "/tmp"):  # noqa: S108 - the container's
        assert {"nosuid", "nodev", "noexec"} < set(places[folder].split()[5].split(","))
    on_disk = [line for line in mounts if " - ext4 " in line or " - xfs " in line]
    assert [line.split()[4] for line in on_disk if line.split()[4] not in ENGINE_FILES] == []


ENGINE_FILES = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
"""The engine mounts these three from its own folder into every container."""


def test_job_sees_an_empty_environment(pool, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    names = {
        line.partition("=")[0] for line in shell(pool, "env", environment={"A": "b"}).stdout.split()
    }
    assert names == {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "SOURCE_DATE_EPOCH", "PWD", "A"}


def test_job_reads_no_input_of_the_next_one(pool):
    assert shell(pool, "cat").stdout == ""


def test_nothing_is_left_for_the_next_job(pool):
    first = shell(pool, "echo x >/work/left; echo y >/tmp/left; hostname; ls /work")
    assert "left" in first.stdout
    assert shell(pool, "ls -A /work; ls -A /tmp; hostname").stdout == "sandbox\n"


# --- limits


def test_time_is_up(pool):
    execution = shell(pool, "echo before; sleep 100", limits=Limits(seconds=2))
    assert execution.stopped is Stop.TIMEOUT
    assert execution.exit_code is None
    assert execution.stdout == "before\n"
    failure = sandbox.stopped_failure(execution, Limits(seconds=2))
    assert failure is not None
    assert (failure.kind, failure.message) == (Kind.TIMEOUT, "not finished after 2 s")


def test_a_command_that_ignores_signals_is_ended(pool):
    trap = "trap '' TERM INT HUP QUIT; while :; do :; done"
    assert shell(pool, trap, limits=Limits(seconds=2)).stopped is Stop.TIMEOUT


def test_memory_is_told_from_time_and_from_a_kill(pool):
    limits = Limits(seconds=60, memory_mb=96)
    execution = shell(pool, "perl -e '$x = q(a) x 400_000_000; sleep 50'", limits=limits)
    assert execution.stopped is Stop.MEMORY
    failure = sandbox.stopped_failure(execution, limits)
    assert failure is not None
    assert failure.kind is Kind.RESOURCE_LIMIT
    assert "memory" in failure.message
    killed = shell(pool, "kill -9 $$")
    assert (killed.exit_code, killed.stopped) == (137, None)
    assert sandbox.stopped_failure(killed) is None


def test_memory_of_a_child_counts(pool):
    script = "perl -e '$x = q(a) x 400_000_000; sleep 50'; exit 3"
    execution = shell(pool, script, limits=Limits(seconds=60, memory_mb=96))
    assert (execution.exit_code, execution.stopped) == (3, Stop.MEMORY)


def test_memory_that_costs_the_whole_sandbox_is_the_jobs(pool):
    """The kernel ends the first process, and with it all; so do runtimes with own kernels."""
    script = (
        "echo 1000 >/proc/1/oom_score_adj; head -c 80000000 /dev/zero >f;"
        "perl -e '$x = q(a) x 40_000_000; sleep 50'; sleep 50"
    )
    execution = shell(pool, script, limits=Limits(seconds=60, memory_mb=96))
    assert (execution.exit_code, execution.stopped) == (None, Stop.MEMORY)


def test_fork_bomb_meets_the_process_limit(pool):
    execution = shell(pool, "perl -e 'for (1..500) { defined fork or die }'; exit 1")
    assert execution.stopped is Stop.PROCESSES
    failure = sandbox.stopped_failure(execution)
    assert failure is not None
    assert "processes" in failure.message


def test_fork_bomb_that_never_gives_up_is_ended(pool):
    endless = shell(pool, "perl -e 'fork while 1'", limits=Limits(seconds=3))
    assert endless.stopped is Stop.TIMEOUT
    assert shell(pool, "echo fine").stdout == "fine\n"


def test_background_processes_do_not_outlive_the_command(pool):
    execution = shell(pool, "(sleep 1000; echo late) & setsid sleep 1000 & echo done")
    assert (execution.exit_code, execution.stdout, execution.stopped) == (0, "done\n", None)


def test_a_file_larger_than_the_work_folder(pool):
    execution = shell(pool, "head -c 200000000 /dev/zero >big")
    assert execution.stopped is Stop.OUTPUT


def test_a_full_work_folder(pool):
    script = "for i in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/zero >f$i || exit 1; done"
    assert shell(pool, script).stopped is Stop.OUTPUT


def test_too_much_to_collect(pool):
    execution = shell(
        pool, "head -c 30000000 /dev/zero >f", collect=["f"], limits=Limits(output_mb=8)
    )
    assert execution.stopped is Stop.OUTPUT
    assert execution.files == {}
    failure = sandbox.stopped_failure(execution)
    assert failure is not None
    assert "output" in failure.message


def test_long_logs_are_cut_quietly_and_floods_are_stopped(pool):
    limits = Limits(seconds=60, log_kb=16)
    script = "head -c 200000 /dev/zero | tr '\\0' a; head -c 200000 /dev/zero | tr '\\0' b >&2"
    execution = shell(pool, script, limits=limits)
    assert (execution.exit_code, execution.stopped) == (0, None)
    assert execution.stdout == "a" * (16 << 10)
    assert execution.stderr == "b" * (16 << 10)
    flood = shell(pool, "yes", limits=limits)
    assert flood.stopped is Stop.OUTPUT
    assert len(flood.stdout) == 16 << 10
    assert flood.seconds < limits.seconds
    assert FLOOD > 1


def test_too_many_files_to_collect(pool):
    execution = shell(pool, "mkdir o; cd o; touch $(seq 2001)", collect=["o"])
    assert (execution.exit_code, execution.stopped, execution.files) == (0, Stop.FILES, {})
    failure = sandbox.stopped_failure(execution)
    assert failure is not None
    assert (failure.kind, failure.message) == (
        Kind.RESOURCE_LIMIT, "files: left more than 2000 to collect",
    )  # fmt: skip


def test_input_that_does_not_fit():
    outcome = Pool("never-started:latest").run(
        ["true"], {"a": b"x" * (2 << 20)}, limits=Limits(work_mb=2)
    )
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT


# --- files in and out


def test_files_go_in_and_come_out(pool):
    data = bytes(range(256)) * 5000
    script = (
        "cp 'a b/c.bin' out1.bin; mkdir -p site/sub; echo i >site/sub/i.html; echo x >other; exit 7"
    )
    execution = shell(pool, script, {"a b/c.bin": data}, collect=["out*.bin", "site", "nothing*"])
    assert execution.exit_code == 7
    assert execution.files == {"out1.bin": data, "site/sub/i.html": b"i\n"}


def test_links_and_devices_are_never_collected(pool):
    script = (
        "ln -s /etc/passwd out1; mkfifo out2; mkdir out; ln -s /etc/passwd out/p; ln -s /etc out/e;"
        "echo ok >out3; ln out3 out4; mkdir out5; ln -s ../../../etc/passwd out5/x"
    )
    execution = shell(pool, script, collect=["out*"])
    assert execution.files == {"out3": b"ok\n", "out4": b"ok\n"}
    assert execution.dropped == 4


def test_odd_names_are_left_out(pool):
    script = "touch -- 'out\n1' 'out\\2' out:3 '--checkpoint-action=exec=id' out4"
    execution = shell(pool, script, collect=["*"])
    assert set(execution.files) == {"--checkpoint-action=exec=id", "out4"}
    assert execution.dropped == 3
    assert execution.log.startswith("3 outputs left out")


def test_a_forged_result_stays_inside(pool):
    script = (
        "cd /tmp; mkdir -p x; echo evil >x/evil; tar -P -cf t --transform='s,^x,../..,' x/evil;"
        "tar -rPf t /etc/passwd; ln -s /etc/shadow l; tar -rf t l;"
        "{ printf '\\n0000 0 0 0\\n'; cat t; } >/proc/1/fd/1; echo real >/work/out"
    )
    assert shell(pool, script, collect=["out"]).files == {"out": b"real\n"}


def test_patterns_and_paths_are_checked_before_anything_runs(pool):
    for pattern in ("a; id", "$(id)", "../x", "-x", "a b", ""):
        with pytest.raises(ValueError, match="pattern"):
            pool.run(["true"], {}, collect=[pattern])
    with pytest.raises(ValueError, match="leaves the folder"):
        Job(["true"], {"../x": b""}).payload(Limits())


def test_no_shell_reads_the_command(pool):
    outcome = pool.run(["echo", "$HOME; id", "'\"\n", "*"], {})
    assert isinstance(outcome, Ok)
    assert outcome.value.stdout == "$HOME; id '\"\n *\n"


def test_a_missing_program_is_the_commands_fault(pool):
    outcome = pool.run(["no-such-program"], {})
    assert isinstance(outcome, Ok)
    assert outcome.value.exit_code == 127


# --- the pool


def test_many_threads_share_a_pool(pool):
    with ThreadPoolExecutor(4) as threads:
        logs = list(threads.map(lambda i: shell(pool, f"echo {i}; ls").stdout, range(8)))
    assert logs == [f"{i}\n" for i in range(8)]


def test_closing_leaves_nothing():
    with Pool(IMAGE, size=3) as pool:
        shell(pool, "true")
        eventually(lambda: len(containers(owner())) >= 3)
        own = {container.id for container in pool._ready}
    eventually(lambda: not own & set(containers(owner())))
    with pytest.raises(RuntimeError, match="closed"):
        pool.run(["true"], {})


PROGRAM = """
import sys, time
from renderers.hardening import owner
from renderers.sandbox import Pool, Limits
print(owner(), flush=True)
pool = Pool(sys.argv[1], size=2)
pool.run(["true"], {})
while len(pool._ready) < 2: time.sleep(0.05)
print("ready", flush=True)
pool.run(["sleep", "8"], {}, limits=Limits(seconds=100))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_owner_leaves_no_container(number):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, IMAGE], cwd=PROJECT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    label = process.stdout.readline().strip()
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(number)
    process.wait(60)
    process.stdout.close()
    eventually(lambda: not containers(label))


def test_containers_of_dead_owners_are_removed_at_the_next_start():
    client = docker.from_env()
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    label = owner().split("/")[0] + f"/{dead.stdout.strip()}/1"
    alive = f"another-host/{os.getpid()}/1"
    made = [
        client.api.create_container(IMAGE, ["sleep", "1000"], labels={OWNER: value})["Id"]
        for value in (label, alive)
    ]
    try:
        with Pool(IMAGE) as pool:
            shell(pool, "true")
            eventually(lambda: not containers(label))
        assert containers(alive) == [made[1]]
    finally:
        sandbox.stop_container(made[1])
        client.close()


def test_a_lost_container_is_tried_once_more(pool):
    """Somebody kills the first container from outside; the job runs in a second one."""
    logs = []
    worker = threading.Thread(target=lambda: logs.append(pool.run(["sleep", "3"], {})))
    worker.start()
    kill_running("sleep 3")
    worker.join(60)
    assert isinstance(logs[0], Ok)
    assert logs[0].value.exit_code == 0


def test_a_container_lost_twice_is_our_fault(pool):
    logs = []
    worker = threading.Thread(target=lambda: logs.append(pool.run(["sleep", "4"], {})))
    worker.start()
    first = kill_running("sleep 4")
    kill_running("sleep 4", but=first)
    worker.join(60)
    assert isinstance(logs[0], Failed)
    assert logs[0].kind is Kind.SANDBOX_LOST


def test_a_restart_of_the_engine_costs_no_job():
    """Every container that waited is gone; the next job gets a new one."""
    with Pool(IMAGE, size=2) as pool:
        shell(pool, "true")
        eventually(lambda: len(pool._ready) == 2)
        for container in list(pool._ready):
            sandbox.stop_container(container.id)
        assert shell(pool, "echo fine").stdout == "fine\n"


@pytest.mark.parametrize("files", [{}, {"big": bytes(8 << 20)}])
def test_a_stalled_container_is_no_fault_of_the_jobs(monkeypatch, files):
    """It is paused before it has its job: the input fits into the pipe, or it does not."""
    client = docker.from_env()
    with Pool(IMAGE, size=1, limits=Limits(seconds=20)) as pool:
        shell(pool, "true")
        eventually(lambda: len(pool._ready) == 1)
        client.api.pause(pool._ready[0].id)
        client.close()
        pool._size = 0
        start = pool._start
        monkeypatch.setattr(result, "START_SECONDS", 2)

        def start_with_time(limits: Limits):
            monkeypatch.setattr(result, "START_SECONDS", 60)
            return start(limits)

        monkeypatch.setattr(pool, "_start", start_with_time)
        assert shell(pool, "echo fine", files, limits=Limits(seconds=20)).stdout == "fine\n"


@pytest.mark.parametrize("step", ["attach_socket", "start"])
def test_a_container_that_cannot_be_started_is_removed(monkeypatch, step):
    def fail(*_args, **_options):
        raise docker.errors.APIError("the engine gave up")

    before = set(containers(owner()))
    monkeypatch.setattr(docker.APIClient, step, fail)
    started = sandbox._start(IMAGE, Limits(), None)
    assert isinstance(started, Failed)
    assert started.kind is Kind.ENGINE_UNAVAILABLE
    assert set(containers(owner())) <= before


def kill_running(command: str, but: str = "") -> str:
    """Kill the container of ours that runs a command."""
    client = docker.from_env()
    found = []

    def search() -> bool:
        for identifier in containers(owner()):
            try:
                processes = client.api.top(identifier)["Processes"]
            except docker.errors.APIError:
                continue
            if identifier != but and any(line[-1] == command for line in processes):
                found.append(identifier)
        return bool(found)

    try:
        eventually(search)
        client.api.kill(found[0])
    finally:
        client.close()
    return found[0]


# --- the engine


def test_engine_that_does_not_answer(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    for outcome in (
        Pool(IMAGE).run(["true"], {}), sandbox.image_digest(IMAGE), sandbox.engine_status(),
        sandbox.image_status("tex"),
    ):  # fmt: skip
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.ENGINE_UNAVAILABLE
        assert "none.sock" in outcome.message
    sandbox.stop_container("anything")


def test_missing_image_says_how_to_make_it():
    name = "rerender-none:latest"
    for outcome in (Pool(name).run(["true"], {}), sandbox.image_digest(name)):
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.IMAGE_MISSING
        assert "make setup" in outcome.message


def test_unknown_runtime_is_the_machines_fault():
    outcome = Pool(IMAGE, runtime="no-such-runtime").run(["true"], {})
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.ENGINE_UNAVAILABLE
    assert "no-such-runtime" in outcome.message


def test_status_of_engine_and_images():
    engine = sandbox.engine_status()
    assert isinstance(engine, Ok)
    assert engine.value.runtime in engine.value.runtimes
    image = sandbox.image_status("graphviz")
    assert isinstance(image, Ok)
    assert image.value.state == "present"
    digest = sandbox.image_digest(IMAGE)
    assert isinstance(digest, Ok)
    assert image.value.digest == digest.value
    assert len(digest.value) == 64


def test_a_browsers_container_is_hardened_like_a_jobs():
    limits = Limits(memory_mb=200, pids=50, cpus=0.5, work_mb=30)
    name = f"rerender-test-{os.getpid()}"
    command = sandbox.browser_command(IMAGE, name=name, limits=limits)
    process = subprocess.Popen([*command, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    client = docker.from_env()
    try:
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"hello\n"
        found = client.api.inspect_container(name)
        wanted = client.api.create_host_config(**hardening(limits))
        wanted["IpcMode"] = "private"  # a browser shares memory between its processes
        for key, value in wanted.items():
            assert found["HostConfig"][key] == value, key
        assert found["Config"]["User"] == "65534:65534"
        assert found["Config"]["Labels"][OWNER] == owner()
        assert found["Mounts"] == []
        sandbox.stop_container(name)
        process.wait(60)
        eventually(lambda: not client.api.containers(all=True, filters={"name": name}))
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        sandbox.stop_container(name)
        client.close()
