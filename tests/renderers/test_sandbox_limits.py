"""Limits of time, memory, processes and output, and how each is told from the others."""

from __future__ import annotations

from benchmark.outcome import Failed, Kind
from renderers import sandbox
from renderers.job import FLOOD
from renderers.sandbox import Limits, Pool, Stop
from tests.renderers.sandboxes import shell


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


def test_a_file_larger_than_the_work_folder_is_too_much_output(pool):
    execution = shell(pool, "head -c 200000000 /dev/zero >big")
    assert execution.stopped is Stop.OUTPUT


def test_a_full_work_folder_is_too_much_output(pool):
    script = "for i in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/zero >f$i || exit 1; done"
    assert shell(pool, script).stopped is Stop.OUTPUT


def test_too_much_output_is_not_collected(pool):
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


def test_too_many_files_are_not_collected(pool):
    execution = shell(pool, "mkdir o; cd o; touch $(seq 2001)", collect=["o"])
    assert (execution.exit_code, execution.stopped, execution.files) == (0, Stop.FILES, {})
    failure = sandbox.stopped_failure(execution)
    assert failure is not None
    assert (failure.kind, failure.message) == (
        Kind.RESOURCE_LIMIT, "files: left more than 2000 to collect",
    )  # fmt: skip


def test_input_that_does_not_fit_is_refused():
    outcome = Pool("never-started:latest").run(
        ["true"], {"a": b"x" * (2 << 20)}, limits=Limits(work_mb=2)
    )
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT
