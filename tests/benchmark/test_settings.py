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


@pytest.mark.parametrize(
    "address",
    ["ftp://mirror.example", "mirror.example", "http://", "http://a:sesame@mirror.example",
     "https://mirror.example/?key=sesame", "https://mirror.example:port", "http://[::1"],
)  # fmt: skip
def test_a_mirror_that_is_no_address_is_told_at_once(address):
    with pytest.raises(ValidationError, match=r"the mirror of shop\.example") as told:
        Settings(mirrors={"shop.example": address})
    assert "sesame" not in str(told.value)


def test_a_secret_is_shown_nowhere(tmp_path, monkeypatch):
    settings = Settings(
        github_token="sesame", store="s3://ada:sesame@store.example/x",  # noqa: S106
        model_base_url="http://ada:sesame@127.0.0.1/v1",
    )  # fmt: skip
    assert "sesame" not in repr(settings)
    assert "sesame" not in str(settings)
    (tmp_path / "rerender.toml").write_text('githubtoken = "sesame"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValidationError, match="githubtoken") as told:
        Settings()
    assert "sesame" not in str(told.value)
