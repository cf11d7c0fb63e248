"""Where redirects may lead, and what goes along."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.outcome import Kind, Ok
from sources.http import Claim
from sources.http_address import Addresses, Refused, parse
from tests.servers.site import Answer, html, json_answer, redirect
from tests.sources.http_fixtures import SITE, TOKEN, WITH_TOKEN, client_for, far, kind_of

ROOT, FILES = "https://shop.example", "https://files.example"
PIECES = [
    *(
        "http",
        "https",
        "file",
        ":",
        "//",
        "/",
        "@",
        "shop.example",
        "files.example",
        "evil.example",
    ),
    *(".", "..", "\\", "?", "#", "[", "]", "::1", "127.0.0.1", ":443", ":80", ":8443", ":9", "/x"),
    *("%00", "%2e", "%", "\n", "é", "。", "xn--", "\ud800", "a", " "),
]


def test_a_redirect_to_another_host_of_the_site_goes_through_its_mirror_without_the_token(
    site, client
):
    site.on("/a", redirect(f"{FILES}/b?x=1"))
    site.on("/files.example/b", redirect(f"{ROOT}/c"))
    site.on("/c", redirect("/d"))
    site.on("/d", json_answer([]))
    outcome = client.get(WITH_TOKEN, f"{ROOT}/a", headers={"X-Api-Key": "own", "Accept": "x/y"})
    assert isinstance(outcome, Ok)
    assert outcome.value.url == f"{ROOT}/d"
    first, second, third, fourth = site.asked
    assert (first.headers["authorization"], first.headers["x-api-key"]) == (TOKEN, "own")
    assert second.target == "/files.example/b?x=1"
    for later in (second, third, fourth):  # nor back home: another host has chosen the address
        assert not {"authorization", "x-api-key"} & set(later.headers)
        assert (later.headers["accept"], later.headers["x-version"]) == ("x/y", "3")


def test_a_redirect_on_the_same_host_keeps_the_token(site, client):
    site.on("/a", redirect("/b", status=301))
    site.on("/b", json_answer([]))
    assert isinstance(client.get(WITH_TOKEN, f"{ROOT}/a"), Ok)
    assert site.of("/b")[0].headers["authorization"] == TOKEN


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/a",
        "//evil.example/a",
        "https://shop.example@evil.example/a",
        "https://user:word@shop.example/a",
        "https://shop.example:8443/a",
        "http://shop.example:8080/a",
        "ftp://shop.example/a",
        "file:///etc/passwd",
        "https://shop.example.evil.example/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[broken/",
        "https://shop.example/" + "a" * 9000,
    ],
)
def test_a_redirect_off_the_site_is_refused(site, client, location):
    site.on("/a", redirect(location))
    assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.NOT_AS_CLAIMED
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example/",
        "https://evil.example/",
        "https://shop.example\\@evil.example/",
        "https://evil.example#@shop.example/",
        "https://shop.example.",
        "shop.example/a",
        "https://",
        "",
        "https://shop.example/\nHost: x",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_is_not_of_the_site_is_not_asked(site, client, url):
    assert kind_of(client.get(SITE, url)) is Kind.NOT_AS_CLAIMED
    assert site.asked == []


def test_a_redirect_to_http_is_asked_over_https():
    addresses = Addresses({})
    route = addresses.route(SITE, parse(f"{ROOT}/a/b"))
    assert str(addresses.target(route, "http://files.example/c#d")) == f"{FILES}/c"
    assert str(addresses.target(route, "../c?d")) == f"{ROOT}/c?d"
    assert str(addresses.target(route, "//files.example/c")) == f"{FILES}/c"


def test_a_mirror_may_have_a_path_and_give_its_own_address():
    addresses = Addresses({"shop.example": "https://mirror.example:8443/of/shop/"})
    route = addresses.route(SITE, parse(f"{ROOT}/a?b=c"))
    assert str(route.asked) == "https://mirror.example:8443/of/shop/a?b=c"
    back = addresses.target(route, "https://mirror.example:8443/of/shop/x?y=z")
    assert str(back) == f"{ROOT}/x?y=z"
    with pytest.raises(Refused, match="out of the mirror"):
        addresses.target(route, "https://mirror.example:8443/of/another/x")


def test_redirects_end(site, client):
    site.on("/a", redirect("/a"))
    outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.NOT_AS_CLAIMED
    assert "more than 10 redirects" in outcome.message
    assert site.count("/a") == 11


def test_ten_redirects_are_followed(site, client):
    for step in range(10):
        site.on(f"/{step}", redirect(f"/{step + 1}"))
    site.on("/10", json_answer([]))
    assert isinstance(client.get(SITE, f"{ROOT}/0"), Ok)


def test_a_redirect_that_leads_nowhere_is_not_followed(site, client):
    site.on("/a", Answer(302))
    assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.NOT_AS_CLAIMED


def test_cookies_of_a_chain_open_the_door_and_stay_with_their_host(site, client):
    def file(asked):
        accepted = "accepted=yes" in asked.headers.get("cookie", "")
        return Answer(body=b"%PDF-1.7") if accepted else html("<html>Disclaimer")

    site.on("/a", redirect("/accept"))
    site.on("/accept", redirect("/file", "accepted=yes; Path=/", "other=1; Domain=evil.example"))
    site.on("/file", file)
    site.on("/files.example/c", json_answer([]))
    outcome = client.get(SITE, f"{ROOT}/a", claims=[Claim.PDF], headers={"Cookie": "own=1"})
    assert isinstance(outcome, Ok)
    assert site.of("/file")[0].headers["cookie"] == "own=1; accepted=yes"
    client.get(SITE, f"{FILES}/c")
    assert "cookie" not in site.of("/files.example/c")[0].headers
    client.get(SITE, f"{ROOT}/file")
    assert site.of("/file")[1].headers["cookie"] == "accepted=yes"


def test_secrets_are_not_sent_in_clear_to_a_mirror_elsewhere(site, tmp_path):
    site.on("/a", json_answer([]))
    with client_for(site, tmp_path, mirrors=far(site)) as client:
        assert isinstance(client.get(WITH_TOKEN, f"{ROOT}/a"), Ok)
    assert "authorization" not in site.asked[0].headers
    assert site.asked[0].headers["x-version"] == "3"


def test_parameters_that_cannot_be_sent_are_a_value(site, client):
    for params in ({"q": "\ud800"}, {"q": "x" * 9000}):
        assert kind_of(client.get(SITE, f"{ROOT}/a", params=params)) is Kind.NOT_AS_CLAIMED
    assert site.asked == []


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_no_location_leads_off_the_site(text):
    for addresses in (Addresses({}), Addresses({"shop.example": "http://127.0.0.1:9/x"})):
        route = addresses.route(SITE, parse(f"{ROOT}/a/b?c"))
        try:
            led = addresses.route(SITE, addresses.target(route, text))
        except Refused:
            continue
        assert led.real.raw_host.decode() in SITE.hosts
        assert (led.real.scheme, led.real.userinfo, led.real.port) == ("https", b"", None)
        mirrored = led.mirrored and str(led.asked).startswith("http://127.0.0.1:9/x/")
        assert mirrored or led.asked == led.real
