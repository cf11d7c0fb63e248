"""Hostile paths never get as far as a container."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Structure
from renderers.bundle import Caps, check, check_structure, path_fault


@pytest.mark.parametrize(
    "path",
    [
        "../up.txt", "a/../../up.txt", "..", "a/..", "/etc/passwd", "//host/share", "C:/x", "c:x",
        "a\\b", "..\\up", "a\0b", "a\nb", "a\x7fb", "a\u2028b", "\ud800", "", ".", "a/", "a/.",
        "nul", "a/CON", "com1.txt", "LPT¹", "a:stream", "trailing.", "trailing ", " leading",
        "x" * 256, "é" * 200, "/".join("d" * 33), "/".join(["x" * 200] * 6),
    ],
)  # fmt: skip
def test_unsafe_paths_are_refused_by_name(path):
    outcome = check({path: b""})
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSAFE_INPUT
    assert "path" in outcome.message


@pytest.mark.parametrize(
    "path",
    ["a", "a/b.tex", ".nojekyll", "_posts/2024-01-01-x.md", "图/思维.png", "-e", "a b", "a.b.c",
     "console.js", "com10", ".x", "nullable.txt"],
)  # fmt: skip
def test_ordinary_paths_pass(path):
    outcome = check({path: b"x"})
    assert isinstance(outcome, Ok)
    assert list(outcome.value.files) == [path]


def test_paths_come_out_normalised():
    outcome = check({"./a//e\u0301.txt": b"x"})
    assert isinstance(outcome, Ok)
    assert outcome.value.files == {"a/\u00e9.txt": b"x"}


@pytest.mark.parametrize(
    "paths",
    [
        ("a", "./a"), ("\u00e9", "e\u0301"), ("a", "A"), ("a/x", "A/y"), ("straße", "STRASSE"),
        ("a", "a/b"), ("a/b", "a"),
    ],
)  # fmt: skip
def test_collisions_are_refused(paths):
    outcome = check(dict.fromkeys(paths, b""))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSAFE_INPUT


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({f"f{number}": b"" for number in range(4)}, "4 files"),
        ({"big": b"x" * 11}, "big"),
        ({"a": b"x" * 9, "b": b"x" * 9}, "18 bytes"),
    ],
)
def test_caps_say_what_was_too_much(files, named):
    outcome = check(files, Caps(files=3, file_bytes=10, total_bytes=15))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT
    assert named in outcome.message


def test_entry_must_be_among_the_files():
    structure = Structure(files={"a.tex": b"x"}, entry="b.tex")
    outcome = check_structure(structure)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSAFE_INPUT
    fine = check_structure(Structure(files={"./a.tex": b"x"}, entry="a.tex"))
    assert isinstance(fine, Ok)
    assert fine.value.entry == "a.tex"


@given(st.text(max_size=60))
def test_what_passes_stays_inside_and_portable(path):
    if path_fault(path):
        return
    outcome = check({path: b""})
    assert isinstance(outcome, Ok)
    (name,) = outcome.value.files
    assert unicodedata.is_normalized("NFC", name)
    assert not name.startswith("/")
    assert not {"", ".", ".."} & set(name.split("/"))
    assert not set(name) & set("\\\0\n\r:")
    assert list(check({name: b""}).value.files) == [name]
