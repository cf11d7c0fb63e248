"""Archives that broke off are told from whole ones, and are not kept."""

from __future__ import annotations

import gzip
import io
import time
import zipfile

import pytest

from sources import http_whole
from sources.http import Keep
from sources.http_whole import CHUNK, is_whole
from tests.servers import site as stand_ins
from tests.servers.site import Answer
from tests.sources.http_fixtures import StoppedClock, client_for
from tests.sources.test_http_cache import got

NOISE = bytes((n * n * 7919 >> 5) & 255 for n in range(3 * CHUNK))
GZIPPED = gzip.compress(NOISE)


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("content.json", "{}")
        archive.comment = b"c" * 300
    return buffer.getvalue()


@pytest.mark.parametrize(
    "body",
    [
        GZIPPED,
        GZIPPED + bytes(700),
        GZIPPED + gzip.compress(b"second member"),
        gzip.compress(b""),
        zipped(),
        b"",
        b"plain text",
        b"%PDF-1.7",
    ],
    ids=lambda body: body[:4].hex(),
)
def test_what_came_to_its_end_is_whole(body):
    assert is_whole(body)


@pytest.mark.parametrize(
    "body",
    [
        GZIPPED[:-1],
        GZIPPED[: len(GZIPPED) // 2],
        GZIPPED + gzip.compress(b"second member")[:-9],
        GZIPPED[:500] + b"x" + GZIPPED[501:],
        gzip.compress(b"")[:5],
        zipped()[:-330],
    ],
    ids=len,
)
def test_what_broke_off_or_is_damaged_is_not(body):
    assert not is_whole(body)


def test_a_bomb_is_not_unpacked_to_its_end(monkeypatch):
    monkeypatch.setattr(http_whole, "MOST_UNPACKED", 1_000_000)
    bomb = gzip.compress(bytes(100_000_000))[:-1]
    began = time.process_time()
    assert is_whole(bomb)
    assert time.process_time() - began < 2


def test_an_archive_that_broke_off_is_asked_for_again_the_next_day(tmp_path):
    clock = StoppedClock()
    with stand_ins.serving() as site, client_for(site, tmp_path, clock=clock) as client:
        site.on("/a.tar.gz", Answer(body=GZIPPED[:-100]), Answer(body=GZIPPED))
        bodies = []
        for hours in (0, 1, 24, 48):
            clock.passed = hours * 3600.0
            bodies.append(got(client, "/a.tar.gz", keep=Keep.FOR_EVER).body)
        assert bodies == [GZIPPED[:-100]] * 2 + [GZIPPED] * 2
        assert site.count("/a.tar.gz") == 2


def test_a_304_does_not_confirm_what_broke_off(tmp_path):
    with stand_ins.serving() as site, client_for(site, tmp_path) as client:
        site.on("/a.tar.gz", Answer(body=GZIPPED[:-100], headers={"ETag": '"1"'}))
        got(client, "/a.tar.gz")
        got(client, "/a.tar.gz")
        assert all("if-none-match" not in asked.headers for asked in site.asked)
