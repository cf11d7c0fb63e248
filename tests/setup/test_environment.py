import importlib.metadata
import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from setup import environment
from setup.console import ROOT, SetupError
from setup.lock import locked


def read_lock():
    lines = environment.LOCK.read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", pin) for pin in pins)
    return {canonicalize_name(name): version for name, version in (p.split("==") for p in pins)}


def test_lock_has_a_fitting_version_of_every_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    pins = read_lock()
    unmet = [
        text
        for text in wanted
        if not Requirement(text).specifier.contains(
            pins.get(canonicalize_name(Requirement(text).name), "0")
        )
    ]
    assert unmet == []


def test_every_locked_package_runs_on_debian_12():
    """Whoever writes the lock may have a newer 3.11 than Debian's 3.11.2."""
    pins = read_lock()
    refusing = [
        distribution.name
        for distribution in importlib.metadata.distributions()
        if canonicalize_name(distribution.name) in pins
        and not SpecifierSet(distribution.metadata.get("Requires-Python", "")).contains("3.11.2")
    ]
    assert refusing == []


def test_lock_leaves_the_platform_to_torch():
    frozen = "numpy==2.4.6\nnvidia-cublas==13.1\ncuda-toolkit==13.0\ntriton==3.8\n-e /here\nx @ file:///y"
    assert locked(frozen) == "numpy==2.4.6\n"
    assert not [name for name in read_lock() if name.startswith(("nvidia-", "cuda-", "triton"))]


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A part of an environment that exists, with the installer's calls."""
    (tmp_path / "python").write_text("")
    (tmp_path / "some.lock").write_text("a==1\n")
    monkeypatch.setattr(environment, "VENV", tmp_path)
    monkeypatch.setattr(environment, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(environment, "log_file", lambda _: tmp_path / "log")
    (tmp_path / "log").write_text("")
    return environment.Part("some packages", tmp_path / "some.lock", ("--requirement", "some.lock"))


def test_a_part_is_installed_again_only_when_its_file_changes(part, monkeypatch):
    calls = []
    monkeypatch.setattr(environment, "run_logged", lambda *call, **_: calls.append(call))
    environment.prepare([part])
    environment.prepare([part])
    assert len(calls) == 1
    part.decided_by.write_text("a==2\n")
    environment.prepare([part])
    assert len(calls) == 2


def test_a_failed_part_is_tried_again(part, monkeypatch):
    def fail(*_, failure, **__):
        raise SetupError(*failure)

    monkeypatch.setattr(environment, "run_logged", fail)
    for _ in range(2):
        with pytest.raises(SetupError, match="Installing some packages failed"):
            environment.prepare([part])


def test_old_python_is_explained(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SetupError, match=r"3\.11 or newer is needed"):
        environment.require_python()


def test_second_set_up_finds_all_done():
    """The tests run after `make setup`, so nothing is left to do, and nothing is done."""
    done = subprocess.run(
        [sys.executable, "-m", "setup", "environment", "engine", "images"],
        cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    assert "ready: environment, Docker" in done.stdout


def test_unknown_step_is_bad_usage():
    done = subprocess.run(
        [sys.executable, "-m", "setup", "kitchen"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "Unknown step kitchen; there are environment engine images weights postgresql."
    ]


def test_a_driver_without_its_libraries_is_told(tmp_path, monkeypatch):
    driver = tmp_path / "node"
    driver.write_text(
        "#!/bin/sh\necho 'libatomic.so.1: cannot open shared object file' >&2\nexit 127\n"
    )
    driver.chmod(0o755)
    monkeypatch.setattr(environment, "can_install", lambda: False)
    with pytest.raises(SetupError, match="libatomic"):
        environment.require_driver(driver)


def test_a_driver_that_lacks_libatomic_gets_it(tmp_path, monkeypatch):
    driver = tmp_path / "node"
    driver.write_text(
        f"#!/bin/sh\ntest -e {tmp_path}/there || {{ echo libatomic.so.1 >&2; exit 127; }}\n"
    )
    driver.chmod(0o755)
    monkeypatch.setattr(environment, "can_install", lambda: True)
    monkeypatch.setattr(environment, "install", (tmp_path / "there").write_text)
    environment.require_driver(driver)
    assert (tmp_path / "there").read_text() == "libatomic1"
