import pytest

from setup.console import SetupError, explain, run_logged, step, succeeds


def test_a_failing_command_is_told_with_its_last_lines(tmp_path, capsys):
    log = tmp_path / "setup.log"
    with pytest.raises(SetupError) as stopped:
        run_logged(["sh", "-c", "seq 100; exit 3"], log, failure=("It failed.", "Do this."))
    explain(stopped.value)
    told = capsys.readouterr().err.splitlines()
    assert told[-2:] == ["It failed.", "Do this."]
    assert [line.strip() for line in told[:12]] == [str(n) for n in range(89, 101)]
    assert str(log) in told[12]


def test_a_missing_command_fails_with_its_name_in_the_log(tmp_path):
    log = tmp_path / "setup.log"
    assert not succeeds(["no-such-command-here", "x"], log)
    assert "no-such-command-here" in log.read_text()


def test_a_step_tells_its_end_only_when_it_succeeds(tmp_path, capsys):
    log = tmp_path / "setup.log"
    log.write_text("")
    with step("baking", log):
        pass
    assert "baking: done" in capsys.readouterr().out
    with pytest.raises(SetupError), step("baking", log):
        raise SetupError("burnt")
    assert "done" not in capsys.readouterr().out
