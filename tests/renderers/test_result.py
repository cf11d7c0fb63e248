"""What a sandbox sends back is hostile, or stops in the middle: neither harms the host."""

from __future__ import annotations

import io
import random
import socket
import tarfile

import pytest

from renderers import result as results
from renderers.job import MAX_FILES, Execution, Job, Limits, Stop
from renderers.result import Result, exchange

MARKER = Job(["true"], {}).marker
HEADER = b"0 0 0\n"
BLOCK = tarfile.BLOCKSIZE


def tar(files: dict[str, bytes], kind: int = tarfile.GNU_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=kind) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def member(name: str, kind: bytes, size: int = 0, pax: dict[str, str] | None = None) -> bytes:
    """The header of one member, whatever its size says."""
    info = tarfile.TarInfo(name)
    info.type, info.size, info.pax_headers = kind, size, pax or {}
    return info.tobuf(tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT)


def frame(data: bytes, stream: int = 1) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def sealed(header: bytes) -> bytes:
    """A header with a valid check sum."""
    total = sum(header[:148]) + sum(header[156:BLOCK]) + 8 * ord(" ")
    return header[:148] + b"%06o\0 " % total + header[156:]


def read(sent: bytes, stopped: Stop | None = None) -> Execution | None:
    """Read what came after the line's marker."""
    result = Result(MARKER, Limits())
    result.feed(frame(f"{MARKER}log\n{MARKER} ".encode() + sent))
    return result.execution(1, stopped)


def test_a_whole_result_is_read():
    for data in (b"", b"x", bytes(5 * BLOCK), bytes(range(256)) * 100):
        execution = read(HEADER + tar({"out": data}))
        assert execution is not None
        assert (execution.exit_code, execution.files, execution.dropped) == (0, {"out": data}, 0)
        assert execution.stdout == "log"
    nothing = read(HEADER + tar({}))
    assert nothing is not None
    assert nothing.files == {}


def test_a_result_that_is_cut_off_anywhere_is_none():
    """The sandbox died while it sent: no empty result, which would be the model's fault."""
    files = {"zeros": bytes(3 * BLOCK), "out": b"x" * 700, "n" * 150: b"y"}
    archive = tar(files)
    end = len(archive.rstrip(b"\0")) // BLOCK * BLOCK + BLOCK
    for size in [*range(0, end, 60), *range(0, end + BLOCK + 1, BLOCK)]:
        assert read(HEADER + archive[:size]) is None, size
    whole = read(HEADER + archive[: end + 2 * BLOCK])
    assert whole is not None
    assert whole.files == files


def test_what_a_limit_cut_off_keeps_its_whole_files():
    archive = tar({"one": b"1", "two": b"2" * 5000})
    execution = read(HEADER + archive[: 4 * BLOCK], Stop.OUTPUT)
    assert execution is not None
    assert (execution.files, execution.stopped) == ({"one": b"1"}, Stop.OUTPUT)


@pytest.mark.parametrize(
    "header", [b"1" * 5000 + b" 0 0\n", b"0 " + b"9" * 5000 + b" 0\n", b"-1 0 0\n", b"a 0 0\n",
               b"0 0\n", b"0 0 0 0\n", b"\xd9\xa1 0 0\n"],
)  # fmt: skip
def test_forged_counts_are_no_result(header):
    assert read(header + tar({"out": b""})) is None


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_headers_of_headers_do_not_exhaust_the_stack(kind):
    execution = read(HEADER + tar({"out": b"1"})[: 2 * BLOCK] + member("x", kind) * 5000)
    assert execution is not None
    assert execution.files == {"out": b"1"}


def test_sizes_that_lead_back_end_the_reading():
    first = member("out", tarfile.REGTYPE, 1) + b"1".ljust(BLOCK, b"\0")
    for back in (
        member("again", tarfile.REGTYPE, -3 * BLOCK),
        member("again", tarfile.REGTYPE, 1, {"size": str(-6 * BLOCK)}),
    ):
        execution = read(HEADER + first + back + tar({}))
        assert execution is not None
        assert (execution.files, execution.stopped) == ({"out": b"1"}, None)


def test_forged_archives_never_raise():
    """Bytes of tars of several kinds, altered at random (a fixed seed)."""
    chance = random.Random(7)  # noqa: S311 - no secret
    sparse = member("s", tarfile.GNUTYPE_SPARSE, 10)
    parts = [
        tar({"a": b"1" * 600, "b" * 200: b"2"}), tar({"ä" * 90: b"3"}, tarfile.PAX_FORMAT),
        member("p", tarfile.REGTYPE, 3, {"GNU.sparse.map": "1,x", "size": "9" * 30}),
        sealed(sparse[:482] + b"\1" + sparse[483:]),  # says that it goes on
    ]  # fmt: skip
    for _ in range(1500):
        data = bytearray(b"".join(chance.choices(parts, k=2)))
        for _ in range(chance.randrange(4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        position = chance.randrange(0, len(data) - BLOCK, BLOCK)
        data[position : position + BLOCK] = sealed(bytes(data[position : position + BLOCK]))
        assert (
            read(HEADER + bytes(data[: chance.randrange(0, len(data) + 1, BLOCK)]), Stop.OUTPUT)
            is not None
        )


def test_too_many_files_are_told_and_not_cut_to_some():
    some = read(HEADER + tar({f"{number}": b"" for number in range(MAX_FILES)}))
    assert some is not None
    assert (len(some.files), some.stopped) == (MAX_FILES, None)
    many = read(HEADER + tar({f"{number}": b"" for number in range(MAX_FILES + 1)}))
    assert many is not None
    assert (many.files, many.stopped) == ({}, Stop.FILES)


def test_outputs_that_are_left_out_are_counted_and_told():
    execution = read(HEADER + tar({"../x": b"", "a:b": b"", "good": b"1"}))
    assert execution is not None
    assert (execution.files, execution.dropped) == ({"good": b"1"}, 2)
    assert execution.log == "2 outputs left out: links, devices or unsafe names\nlog"


def test_time_before_the_command_starts_is_not_the_jobs(monkeypatch):
    """The engine takes nothing, or takes all and starts nothing: no limit of the job's is met."""
    monkeypatch.setattr(results, "START_SECONDS", 0.2)
    for payload in (b"x", b"x" * (8 << 20)):
        here, there = socket.socketpair()
        with here, there:
            result = Result(MARKER, Limits())
            assert exchange(here, payload, result, 0.1)[1] is None
            assert not result.begun
            assert result.execution(1, None) is None


def test_time_after_the_command_started_is_the_jobs():
    here, there = socket.socketpair()
    with here, there:
        there.sendall(frame(MARKER.encode()[:9]) + frame(MARKER.encode()[9:] + b"before"))
        result = Result(MARKER, Limits())
        seconds, stopped = exchange(here, b"x", result, 0.1)
        assert stopped is Stop.TIMEOUT
        assert 0 < seconds < 60
        execution = result.execution(seconds, stopped)
        assert execution is not None
        assert (execution.exit_code, execution.stdout) == (None, "before")
