"""`rerender try` through reading, repairs and the real sandboxes."""

import io
import json
import tarfile

import pytest

from benchmark.outcome import Failed, Kind, Stage
from flows import trial
from tests.flows.test_cli import rerender


@pytest.fixture
def attempt(tmp_path):
    def run(target, content, name="answer.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return trial.run(target, path, None, tmp_path / "pictures").as_json()

    return run


def test_the_json_object_is_as_promised(tmp_path):
    (tmp_path / "a.dot").write_text("digraph { a -> b }")
    done = rerender("try", "graphviz", str(tmp_path / "a.dot"), "-o", str(tmp_path / "a.png"),
                    "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert set(told) == {
        "outcome", "kind", "blame", "message", "repairs", "flags", "image", "pages", "seconds"
    }  # fmt: skip
    assert told["outcome"] == "rendered"
    assert told["image"] == str(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (told["kind"], told["blame"], told["message"]) == (None, None, None)
    assert told["pages"] == 1


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("latex", "Here it is:\n```latex\n\\[ \\int_0^1 x^2 \\, dx = \\tfrac{1}{3} \\]\n```"),
        ("tex", "E = mc^2"),
        ("music", "```lilypond\n\\version \"2.24.0\"\n{ c'4 d' e' f' }\n```"),
        ("mindmap", '{"text": "Root", "children": [{"text": "叶"}]}'),
        ("webpage", '[{"filename": "index.html", "content": "<h1>Hello</h1>"}]'),
        ("web", "<h1>Hello</h1>"),
    ],
)
def test_each_kind_of_answer_is_rendered(attempt, target, content):
    told = attempt(target, content)
    assert told["outcome"] == "rendered", told
    assert told["image"]


def test_a_repair_is_told(attempt):
    told = attempt("graphviz", "graph g { A -> B }", "g.dot")
    assert told["outcome"] == "rendered"
    assert told["repairs"]


def test_a_failed_answer_is_status_1_and_says_whose_fault(tmp_path):
    (tmp_path / "bad.tex").write_text(
        "\\documentclass{article}\\begin{document}\\nosuch\\end{document}"
    )
    done = rerender("try", "tex", str(tmp_path / "bad.tex"), "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["outcome"], told["kind"], told["blame"]) == ("failed", "compile_error", "model")
    assert "nosuch" in told["message"]
    assert told["image"] is None


def test_no_engine_is_status_3(tmp_path):
    (tmp_path / "a.dot").write_text("digraph { a }")
    done = rerender("try", "graphviz", str(tmp_path / "a.dot"), "--json",
                    DOCKER_HOST=f"unix://{tmp_path}/nobody.sock")  # fmt: skip
    told = json.loads(done.stdout)
    assert done.returncode == 3
    assert (told["kind"], told["blame"]) == ("engine_unavailable", "infra")


def test_a_site_is_read_from_a_folder_or_an_archive(tmp_path):
    site = tmp_path / "site"
    (site / "css").mkdir(parents=True)
    (site / "index.html").write_text('<link rel=stylesheet href="css/a.css"><h1>Site</h1>')
    (site / "css" / "a.css").write_text("h1 { color: red }")
    with tarfile.open(tmp_path / "site.tar.gz", "w:gz") as archive:
        archive.add(site, arcname="")
    pictures = [
        trial.run("web", tmp_path / name, tmp_path / f"{name}.png", tmp_path)
        for name in ("site", "site.tar.gz")
    ]
    assert [picture.failure for picture in pictures] == [None, None]
    assert pictures[0].image.read_bytes() == pictures[1].image.read_bytes()


def test_a_link_in_an_archive_is_refused(attempt):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        link = tarfile.TarInfo("index.html")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    told = attempt("web", buffer.getvalue(), "site.tar.gz")
    assert (told["outcome"], told["kind"]) == ("failed", "unsafe_input")


def test_latin_1_is_read_and_said(attempt):
    told = attempt("tex", "caf\xe9 na\xefve".encode("latin-1"), "a.tex")
    assert told["outcome"] == "rendered"
    assert "Latin-1" in told["repairs"][0]


def test_a_folder_is_not_for_every_renderer(tmp_path):
    result = trial.run("lilypond", tmp_path, None, tmp_path)
    assert result.failure == Failed.of(
        Stage.PARSE, Kind.UNSUPPORTED, "lilypond reads one file, not a folder or archive"
    )


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ("graphviz", 'digraph { a [image="[/x].png"] }'),
        ("lilypond", '\\version "2.24.0"\n\\include "[/nope].ly"\n{ c\'1 }'),
    ],
)
def test_foreign_text_is_not_markup(tmp_path, target, content):
    (tmp_path / "answer").write_text(content)
    done = rerender("try", target, str(tmp_path / "answer"))
    assert done.returncode in {0, 1}, done.stderr
    assert "[/" in done.stdout + done.stderr


def test_an_answer_without_a_picture_is_told_as_it_was_read(tmp_path):
    (tmp_path / "answer.txt").write_text("Answer: ['b', 'a']")
    done = rerender("try", "mindmap-vqa", str(tmp_path / "answer.txt"), "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["outcome"], told["text"], told["image"]) == ("read", '["a", "b"]', None)
    shown = rerender("try", "mindmap-vqa", str(tmp_path / "answer.txt"))
    assert 'read: ["a", "b"]' in shown.stdout
