"""Bodies that are larger than wanted, announced or not, encoded or not."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import httpx
import pytest

from benchmark.outcome import Kind, Ok
from sources import http_body
from tests.servers import site as stand_ins
from tests.servers.site import Answer, gzipped, html
from tests.sources.http_fixtures import SITE, kind_of

ROOT = "https://shop.example"
TEXT = b"some text that is sent " * 2000


def test_a_body_of_just_the_size_is_let_in_and_one_byte_more_is_not(site, client):
    for number, answer in enumerate(
        (Answer(body=TEXT), Answer(body=TEXT, chunked=True), gzipped(Answer(body=TEXT)))
    ):
        site.on(f"/{number}", answer)
        outcome = client.get(SITE, f"{ROOT}/{number}", most=len(TEXT))
        assert isinstance(outcome, Ok)
        assert outcome.value.body == TEXT
        site.on(f"/less{number}", answer)
        outcome = client.get(SITE, f"{ROOT}/less{number}", most=len(TEXT) - 1)
        assert kind_of(outcome) is Kind.TOO_LARGE


def test_an_answer_on_disk_that_is_too_large_for_this_question_is_not_used(site, client):
    site.on("/a", Answer(body=TEXT))
    assert isinstance(client.get(SITE, f"{ROOT}/a"), Ok)
    assert kind_of(client.get(SITE, f"{ROOT}/a", most=100)) is Kind.TOO_LARGE


@pytest.mark.parametrize("announced", [True, False])
def test_a_huge_body_is_broken_off(site, client, announced):
    site.on("/a", stand_ins.huge(3_000_000_000, announced=announced))
    assert kind_of(client.get(SITE, f"{ROOT}/a", most=1_000_000)) is Kind.TOO_LARGE
    assert site.count("/a") == 1


def test_a_few_bytes_that_unpack_to_very_many_take_no_memory(site, client):
    bomb = gzip.compress(bytes(100_000_000))
    site.on("/a", Answer(body=bomb, headers={"Content-Encoding": "gzip"}))
    tracemalloc.start()
    try:
        outcome = client.get(SITE, f"{ROOT}/a", most=2_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert kind_of(outcome) is Kind.TOO_LARGE
    assert peak < 20_000_000


def test_gzip_of_several_members_and_under_its_old_name_is_undone(site, client):
    body = gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]) + b"\0" * 512
    site.on("/a", Answer(body=body, headers={"Content-Encoding": "x-gzip"}))
    outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Ok)
    assert outcome.value.body == TEXT
    assert site.asked[0].headers["accept-encoding"] == "gzip"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (zlib.compress(TEXT), "deflate"),
        (TEXT, "br"),
        (gzip.compress(gzip.compress(TEXT)), "gzip, gzip"),
        (TEXT, "gzip"),
        (gzip.compress(TEXT)[:-20], "gzip"),
        (gzip.compress(TEXT)[:-8] + b"\0" * 8, "gzip"),
        (gzip.compress(TEXT) + b"garbage", "gzip"),
    ],
    ids=["deflate", "br", "twice", "plain", "cut", "checksum", "garbage"],
)
def test_an_encoding_that_cannot_be_undone_is_not_as_claimed(site, client, body, encoding):
    site.on("/a", Answer(body=body, headers={"Content-Encoding": encoding}))
    assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.NOT_AS_CLAIMED


def test_an_empty_encoded_body_is_empty(site, client):
    site.on("/a", Answer(headers={"Content-Encoding": "gzip"}))
    outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Ok)
    assert outcome.value.body == b""


def test_a_length_that_is_no_number_is_counted():
    answer = httpx.Response(200, headers={"content-length": "9" * 30}, stream=_Pieces([b"ab"]))
    assert http_body.read(answer, 2) == b"ab"


def test_a_huge_error_page_is_not_read(site, client):
    site.on("/a", html("x" * 5_000_000, 404))
    assert kind_of(client.get(SITE, f"{ROOT}/a", most=10)) is Kind.GONE
    site.on("/b", html("x" * 5_000_000, 403))
    assert kind_of(client.get(SITE, f"{ROOT}/b", most=10)) is Kind.FORBIDDEN


class _Pieces(httpx.SyncByteStream):
    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        yield from self.pieces
