import socket
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from benchmark.outcome import Failed, Kind, Stage, ok
from flows import doctor
from renderers import sandbox

ENGINE = sandbox.EngineStatus("28.1", "runc", ("runc", "runsc"), ())


def engine_says(monkeypatch, outcome):
    monkeypatch.setattr(sandbox, "engine_status", lambda: outcome)


def test_a_good_engine_passes(monkeypatch):
    engine_says(monkeypatch, ok(ENGINE))
    assert doctor.check_engine("runsc") == doctor.Check("engine", True, "28.1, runtime runsc")


def test_a_silent_engine_fails_with_a_fix(monkeypatch):
    failure = Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, "nobody\nanswers")
    engine_says(monkeypatch, failure)
    check = doctor.check_engine(None)
    assert check.ok is False
    assert check.message == "nobody answers"
    assert "make setup" in check.fix


def test_a_missing_runtime_fails(monkeypatch):
    engine_says(monkeypatch, ok(ENGINE))
    check = doctor.check_engine("kata")
    assert check.ok is False
    assert "it has runc, runsc" in check.message


def test_limits_that_cannot_be_enforced_are_named(monkeypatch):
    engine_says(
        monkeypatch, ok(sandbox.EngineStatus("28.1", "runc", ("runc",), ("memory", "pids")))
    )
    check = doctor.check_engine(None)
    assert check.ok is None
    assert "cannot limit memory, pids" in check.message


@pytest.mark.parametrize(
    ("state", "passes"), [("present", True), ("stale", False), ("missing", False)]
)
def test_images_are_current_or_to_be_made(monkeypatch, state, passes):
    monkeypatch.setattr(
        sandbox, "image_status", lambda name: ok(sandbox.ImageStatus(name, state, "ab" * 32))
    )
    for check in doctor.check_images():
        assert check.ok is passes
        assert check.fix == ("" if passes else "make setup")


def test_keys_are_never_shown(monkeypatch):
    for names in doctor.KEYS.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GEMINI_API_KEY", "very-secret")
    found = {check.name: check for check in doctor.check_keys()}
    assert "very-secret" not in str(found)
    assert found["key Google"].ok is True
    assert found["key OpenAI"].ok is None
    assert "export OPENAI_API_KEY" in found["key OpenAI"].fix


def test_a_nearly_full_disk_is_noted(monkeypatch, tmp_path):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(4_900_000_000))
    checks = doctor.check_disk(str(tmp_path / "not" / "yet" / "there"))
    assert "disk store" in {check.name for check in checks}
    assert all(check.ok is None and "docker system prune" in check.fix for check in checks)


def test_a_remote_store_is_not_measured():
    assert "disk store" not in {check.name for check in doctor.check_disk("s3://bucket/store")}


def test_prefect_is_not_checked_where_no_server_is_named(monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    assert doctor.check_prefect() == []


def test_a_silent_prefect_server_fails_without_showing_a_password(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("PREFECT_API_URL", f"http://user:secret@127.0.0.1:{port}/api")
    (check,) = doctor.check_prefect()
    assert check.ok is False
    assert "secret" not in str(check)
    assert "does not answer" in check.message


@pytest.mark.parametrize(("status", "passes"), [(200, True), (401, None)])
def test_a_prefect_server_that_answers(monkeypatch, status, passes):
    class Health(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status if self.path == "/api/health" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        Thread(target=server.handle_request, daemon=True).start()
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{server.server_port}/api/")
        (check,) = doctor.check_prefect()
    assert check.ok is passes


def test_an_address_that_is_no_address_fails(monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "localhost:4200/api")
    (check,) = doctor.check_prefect()
    assert check.ok is False


def test_a_store_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name, value in {"ENDPOINT_URL": "http://127.0.0.1:9", "ACCESS_KEY_ID": "a"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    (check,) = doctor.check_store("s3://bucket/part")
    assert check.ok is False
    assert "s3://bucket/part: no answer" in check.message
    (check,) = doctor.check_store("memory://rerender-doctor")
    assert check.ok
    assert doctor.check_store("/a/folder") == []
