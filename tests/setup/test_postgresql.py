"""PostgreSQL's programs are found where Debian puts them, and its lack ends nothing."""

from setup import postgresql


def test_the_newest_version_that_is_whole_is_chosen(monkeypatch, tmp_path):
    monkeypatch.setattr(postgresql, "VERSIONS", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert postgresql.programs() is None
    for version, names in {"9.6": 2, "15": 2, "17": 1}.items():
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        for name in ("initdb", "postgres")[:names]:
            (folder / name).touch()
    assert postgresql.programs() == tmp_path / "15" / "bin"


def test_without_it_set_up_goes_on(monkeypatch, capsys):
    monkeypatch.setattr(postgresql, "programs", lambda: None)
    monkeypatch.setattr(postgresql, "can_install", lambda: False)
    assert postgresql.prepare() is False
    assert "the test of Prefect on it is skipped" in "".join(capsys.readouterr())


def test_it_is_installed_where_we_may(monkeypatch, tmp_path):
    installed = []
    monkeypatch.setattr(postgresql, "programs", lambda: tmp_path if installed else None)
    monkeypatch.setattr(postgresql, "can_install", lambda: True)
    monkeypatch.setattr(postgresql, "install", installed.append)
    assert postgresql.prepare() is True
    assert installed == ["postgresql"]
