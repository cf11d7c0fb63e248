"""Hostile archives, made here by script; the hard cases of the same kind run where they are."""

import gzip
import io
import stat
import struct
import tarfile
import time
import zipfile

import pytest

from benchmark.outcome import Failed, Kind, Ok
from sources.archive import DAMAGED, Limits, TooMuch, read_tar_stream, unpack
from tests.cases import case_params, input_file


def tar(*members, mode="w:gz"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for member, data in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def packed(*entries, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        tar(("a/x.txt", b"1"), ("y", b"2")),
        tar(("a/x.txt", b"1"), ("y", b"2"), mode="w"),
        packed(("a/x.txt", b"1"), ("y", b"2")),
        packed(("/a/x.txt", b"1"), ("y", b"2")),
    ],
    ids=["tar.gz", "tar", "zip", "zip with rooted names"],
)
def test_each_format_is_read(data):
    assert unpack(data).value == {"a/x.txt": b"1", "y": b"2"}


def test_names_that_are_not_utf_8_are_text_all_the_same():
    buffer = io.BytesIO()
    form = {"format": tarfile.GNU_FORMAT, "encoding": "latin-1"}
    with tarfile.open(fileobj=buffer, mode="w", **form) as archive:
        archive.addfile(tarfile.TarInfo("caf\xe9.tex"))
    assert list(unpack(buffer.getvalue()).value) == ["caf\xe9.tex"]


def test_symbolic_links_are_left_out_where_they_are_expected():
    link = special("top/latest", tarfile.SYMTYPE, "/etc/passwd")
    data = tar(("top/a", b"1"), (link, b""), ("top/latest", b"2"))
    skipped = []
    assert unpack(data, skipped=skipped).value == {"top/a": b"1", "top/latest": b"2"}
    assert skipped == ["top/latest"]
    assert unpack(data).kind is Kind.UNSAFE_INPUT


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_other_special_entries_are_refused_there_too(kind):
    data = tar(("a", b"1"), (special("b", kind, "a"), b""))
    assert unpack(data, skipped=[]).kind is Kind.UNSAFE_INPUT


def test_a_gzip_without_tar_is_one_file():
    assert unpack(gzip.compress(b"text"), single_name="main.tex").value == {"main.tex": b"text"}


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (tar(("../evil", b"x")), Kind.UNSAFE_INPUT),
        (tar(("/etc/passwd", b"x")), Kind.UNSAFE_INPUT),
        (tar(("a\\..\\b", b"x")), Kind.UNSAFE_INPUT),
        (tar(("a\nb", b"x")), Kind.UNSAFE_INPUT),
        (tar(("a", b"x"), ("./a", b"y")), Kind.UNSAFE_INPUT),
        (tar((special("l", tarfile.SYMTYPE, "/etc/passwd"), b"")), Kind.UNSAFE_INPUT),
        (tar((special("l", tarfile.LNKTYPE, "/etc/passwd"), b"")), Kind.UNSAFE_INPUT),
        (tar((special("f", tarfile.FIFOTYPE), b"")), Kind.UNSAFE_INPUT),
        (tar((special("d", tarfile.CHRTYPE), b"")), Kind.UNSAFE_INPUT),
        (packed(("../index.html", b"evil")), Kind.UNSAFE_INPUT),
        (packed(("a", b"0" * 10_000_000)), Kind.RESOURCE_LIMIT),
        (gzip.compress(b"0" * 50_000_000), Kind.RESOURCE_LIMIT),
        (tar(*[(f"f{n}", b"") for n in range(3000)]), Kind.RESOURCE_LIMIT),
        (tar(("x" * 300, b"")), Kind.RESOURCE_LIMIT),
        (tar(("a", b"text" * 500))[:60], Kind.PARSE_ERROR),
        (packed(("a", b"x"))[:40], Kind.PARSE_ERROR),
        (b"<html>not an archive</html>", Kind.PARSE_ERROR),
        (b"", Kind.PARSE_ERROR),
    ],
)
def test_hostile_and_broken_archives_are_refused(data, kind):
    outcome = unpack(data)
    assert isinstance(outcome, Failed)
    assert outcome.kind is kind


def forge(data, offset, value, form):
    """Overwrite a field of the only local header and of the only central one."""
    central = data.rindex(b"PK\x01\x02") + 2  # its fields lie two bytes further on
    forged = bytearray(data)
    for start in (0, central):
        struct.pack_into(form, forged, start + offset, value)
    return bytes(forged)


def test_a_bomb_of_a_compression_that_is_unpacked_at_once_is_refused():
    data = packed(("content.xml", b"0" * 5_000_000), compression=zipfile.ZIP_BZIP2)
    bomb = forge(data, 22, 1000, "<I")  # the declared size, which hides the ratio
    assert zipfile.ZipFile(io.BytesIO(bomb)).infolist()[0].file_size == 1000
    outcome = unpack(bomb)
    assert outcome.kind is Kind.UNSUPPORTED
    assert "method 12" in outcome.message


def test_a_damaged_lzma_entry_is_refused():
    data = bytearray(packed(("a", b"text" * 500), compression=zipfile.ZIP_LZMA))
    data[40:60] = bytes(255 for _ in range(20))
    assert unpack(bytes(data)).kind is Kind.UNSUPPORTED


def test_an_unknown_compression_is_refused():
    assert unpack(forge(packed(("a", b"text")), 8, 77, "<H")).kind is Kind.UNSUPPORTED


def test_a_link_in_a_zip_is_refused():
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert unpack(packed((info, "/etc/passwd"))).kind is Kind.UNSAFE_INPUT


def test_a_name_in_an_old_encoding_becomes_one_that_a_manifest_can_hold():
    buffer = io.BytesIO()
    with tarfile.open(
        fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1"
    ) as archive:
        archive.addfile(tarfile.TarInfo("site/café.html"))
    assert list(unpack(buffer.getvalue()).value) == ["site/café.html"]


def block(kind, size, name="a"):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, b"V", tarfile.XHDTYPE])
def test_a_tar_that_claims_a_size_beyond_any_number_is_refused(kind, tmp_path):
    data = block(kind, 1 << 80) + bytes(2048)
    assert unpack(data).kind in {Kind.PARSE_ERROR, Kind.RESOURCE_LIMIT}
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(data))
    with pytest.raises((TooMuch, *DAMAGED)):
        list(read_tar_stream(tmp_path / "a.tar.gz", 1 << 40))


def padded(data):
    return data + bytes(-len(data) % 512)


def named(count, first=0):
    lines = b"".join(b"13 k%07d=\n" % number for number in range(first, first + count))
    return block(tarfile.XGLTYPE, len(lines)) + padded(lines)


@pytest.mark.parametrize(
    "headers",
    [named(200_000), named(5_000), b"".join(named(60, 60 * n) for n in range(5))],
    ids=["large", "many", "many a few at a time"],
)
def test_headers_that_are_copied_for_each_member_cannot_fill_the_memory(headers):
    files = b"".join(block(tarfile.REGTYPE, 0, f"f{n}") for n in range(1_999))
    began = time.process_time()
    outcome = unpack(gzip.compress(headers + files + bytes(1024)))
    assert outcome.kind is Kind.RESOURCE_LIMIT
    assert time.process_time() - began < 5


def test_the_headers_that_git_writes_are_fine():
    lines = b"52 comment=0123456789abcdef0123456789abcdef01234567\n"
    assert len(lines) == 52
    data = block(tarfile.XGLTYPE, 52) + padded(lines) + block(tarfile.REGTYPE, 4) + padded(b"text")
    assert unpack(data + bytes(1024)).value == {"a": b"text"}


def test_a_sparse_file_is_refused():
    info = tarfile.TarInfo("a")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 0
    buffer = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    buffer[483:495] = b"00000100000\0"  # so many bytes of nothing
    buffer[148:156] = b"%06o\0 " % (sum(buffer[:148]) + 8 * 32 + sum(buffer[156:]))
    assert unpack(bytes(buffer) + bytes(1024)).kind is Kind.UNSAFE_INPUT


def test_the_total_is_limited_while_reading():
    data = tar(*[(f"f{n}", bytes([n]) * 1000) for n in range(20)], mode="w")
    assert isinstance(unpack(data, Limits(total_bytes=30_000)), Ok)
    assert unpack(data, Limits(total_bytes=5_000)).kind is Kind.RESOURCE_LIMIT


EXPECTED = {
    "src-001": Kind.UNSAFE_INPUT,
    "src-003": Kind.UNSAFE_INPUT,
    "src-004": None,
    "src-006": None,
    "src-007": Kind.PARSE_ERROR,  # a bare .tex is no archive; reading it is the source's work
    "src-009": Kind.RESOURCE_LIMIT,
    "src-010": Kind.UNSAFE_INPUT,
}


@pytest.mark.parametrize("case", case_params("source"))
def test_hard_cases(case, tmp_path):
    outcome = unpack(input_file(case, tmp_path).read_bytes())
    kind = outcome.kind if isinstance(outcome, Failed) else None
    assert kind is EXPECTED[case["id"]]
    assert {p.name for p in tmp_path.iterdir()} == {"input"}
