"""What goes into a sandbox and what comes out of it, whatever a job leaves there."""

from __future__ import annotations

import pytest

from benchmark.outcome import Ok
from renderers.job import Job
from renderers.sandbox import Limits
from tests.renderers.sandboxes import shell


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
