import pytest
from pydantic import ValidationError

from benchmark.settings import Settings


def test_the_environment_wins_over_the_file(tmp_path, monkeypatch):
    (tmp_path / "rerender.toml").write_text('batch = 7\nstore = "/x"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RERENDER_BATCH", "9")
    settings = Settings()
    assert (settings.batch, settings.store) == (9, "/x")


@pytest.mark.parametrize(("name", "value"), [("BATCH", "0"), ("WORKERS", "many")])
def test_a_bad_value_is_named(monkeypatch, name, value):
    monkeypatch.setenv(f"RERENDER_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_an_unknown_setting_in_the_file_is_refused(tmp_path, monkeypatch):
    (tmp_path / "rerender.toml").write_text("bacth = 7\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValidationError, match="bacth"):
        Settings()
