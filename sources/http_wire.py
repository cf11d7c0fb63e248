"""Asking over the network: turns, redirects, retries, and what each answer means."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import itertools
import logging
import threading
import urllib.parse
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from benchmark.outcome import Failed, Kind
from benchmark.settings import Settings
from sources import http_body, http_claim, http_limits, http_pace
from sources.http_address import Addresses, Refused, Route, shown
from sources.http_cache import Kept
from sources.http_guard import Backend, PrivateAddress, Resolver, TooSlow, Transport, ending
from sources.http_pace import HOLDS, Clock, Holds, Pace
from sources.http_request import Ask, Response
from sources.http_site import is_secret, lowered

LONGEST_REQUEST = 300.0
"""Seconds after which one request ends, however it is going."""
SILENCE = 30.0
"""Seconds without any byte after which it ends."""
MOST_REDIRECTS = 10
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TRANSIENT = frozenset({408, 425})

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Again:
    """An answer that may be another one later."""

    failure: Failed
    """What it is if it is not asked again."""
    wait: float | None = None
    """Seconds that the site asks to wait; None: it does not say."""


@dataclass(frozen=True)
class Hop:
    """One request of a chain of redirects."""

    route: Route
    trusted: bool
    """No other host has been asked in between: tokens go along."""


Step = Response | Failed | Again | Hop


class Wire:
    """The part of the client that talks to sites."""

    def __init__(
        self,
        settings: Settings,
        addresses: Addresses,
        *,
        pace: Pace | None,
        clock: Clock,
        resolver: Resolver,
        longest: float,
    ) -> None:
        """Open nothing yet."""
        self._retries = settings.http_retries
        self._longest_wait = settings.http_longest_wait
        self._agent = user_agent(settings.contact)
        self._addresses = addresses
        self._pace = pace
        self._clock = clock
        self._holds = HOLDS if clock is http_pace.CLOCK else Holds()
        self._backend = Backend(resolver, addresses.exempt)
        self._longest = longest
        self._cookies = httpx.Cookies()
        self._opening = threading.Lock()
        self._http: httpx.Client | None = None

    def close(self) -> None:
        """Close all connections; asking opens them again."""
        with self._opening:
            if self._http is not None:
                self._http.close()
                self._http = None

    def answer(self, ask: Ask, kept: Kept | None) -> Response | Failed:
        """Ask a site until there is an answer, or no hope of one.

        Args:
            ask: the question.
            kept: an answer on disk; it is returned if the site says that it still holds.
        """
        for attempt in itertools.count():
            step = self._follow(ask, kept, attempt)
            if not isinstance(step, Again):
                return step
            if step.wait is not None and step.wait > self._longest_wait:
                return self._too_long(ask, step.wait)
            if attempt >= self._retries:
                return step.failure
            wait = max(self._back_off(ask, attempt), step.wait or 0.0)
            log.info("%s: %s; asked again in %.0f s", ask.site.name, step.failure.message, wait)
            self._clock.sleep(wait)
        raise AssertionError("counting ends never")

    def _back_off(self, ask: Ask, attempt: int) -> float:
        if self._addresses.route(ask.site, ask.url).loopback:
            return 0.0
        return min(http_limits.back_off(attempt), self._longest_wait)

    def _follow(self, ask: Ask, kept: Kept | None, attempt: int) -> Response | Failed | Again:
        """Ask, and ask where a redirect leads to."""
        try:
            step: Step = Hop(self._addresses.route(ask.site, ask.url), trusted=True)
            for _ in range(MOST_REDIRECTS + 1):
                if not isinstance(step, Hop):
                    return step
                step = self._take(ask, step, kept, attempt)
        except Refused as error:
            return ask.failed(Kind.NOT_AS_CLAIMED, str(error))
        if isinstance(step, Hop):
            message = f"more than {MOST_REDIRECTS} redirects, the last to {shown(step.route.real)}"
            return ask.failed(Kind.NOT_AS_CLAIMED, message)
        return step

    def _take(self, ask: Ask, hop: Hop, kept: Kept | None, attempt: int) -> Step:
        """Make one request when it is its turn."""
        with self._turn(ask, hop.route):
            held = self._holds.remaining(ask.site, self._clock.monotonic())
            if held and not hop.route.loopback:
                if held > self._longest_wait:
                    return self._too_long(ask, held)
                self._clock.sleep(held)
            return self._exchange(ask, hop, kept, attempt)

    def _exchange(self, ask: Ask, hop: Hop, kept: Kept | None, attempt: int) -> Step:
        """Send a request and read what comes, in the time that it may take."""
        try:
            with ending(self._longest), self._sent(ask, hop, kept) as answer:
                return self._read(ask, hop, kept, answer, attempt)
        except TooSlow as error:
            return ask.failed(Kind.NETWORK, f"{ask.site.name}: {error}")
        except PrivateAddress as error:
            return ask.failed(Kind.FORBIDDEN, f"{error}; private addresses are not asked")
        except httpx.TransportError as error:
            message = f"no whole answer from {ask.site.name}: {error or type(error).__name__}"
            return Again(ask.failed(Kind.NETWORK, message))
        except http_body.BodyTooLarge as error:
            return ask.failed(Kind.TOO_LARGE, f"{error}, at most {ask.most:,} are wanted")
        except http_body.BodyUnreadable as error:
            return ask.failed(Kind.NOT_AS_CLAIMED, f"a body {error}")

    def _turn(self, ask: Ask, route: Route) -> AbstractContextManager[None]:
        if route.loopback:
            return contextlib.nullcontext()
        return (self._pace or http_pace.current()).turn(ask.site)

    def _sent(
        self, ask: Ask, hop: Hop, kept: Kept | None
    ) -> AbstractContextManager[httpx.Response]:
        headers = self._headers(ask, hop)
        if kept is not None and kept.url == shown(hop.route.real):
            headers |= kept.conditions()
        return self._client().stream(
            ask.method, hop.route.asked, headers=headers, content=ask.content or None
        )

    def _headers(self, ask: Ask, hop: Hop) -> dict[str, str]:
        """Return what is sent: secrets only to the first host, and not in clear to a mirror."""
        headers = ask.sent
        if not (hop.trusted and hop.route.private):
            headers = {name: value for name, value in headers.items() if not is_secret(name)}
        if hop.route.private:
            jar = httpx.Request("GET", hop.route.real)
            self._cookies.set_cookie_header(jar)
            crumbs = [headers.pop("cookie", ""), jar.headers.get("cookie", "")]
            if any(crumbs):
                headers["cookie"] = "; ".join(filter(None, crumbs))
        return headers | {"user-agent": self._agent, "accept-encoding": "gzip"}

    def _read(
        self, ask: Ask, hop: Hop, kept: Kept | None, answer: httpx.Response, attempt: int
    ) -> Step:
        """Tell what an answer means, and read its body where it is wanted."""
        status = answer.status_code
        self._remember(hop, answer)
        if status == 304 and kept is not None and kept.url == shown(hop.route.real):
            return Response.of_kept(kept)
        if status in REDIRECTS and status not in ask.accept:
            return self._next(ask, hop, answer)
        limited = self._limit(ask, hop, answer, attempt)
        if limited is not None:
            return limited
        if status == 200 or status in ask.accept:
            return self._accepted(ask, hop, answer)
        return _refusal(ask, hop, status)

    def _next(self, ask: Ask, hop: Hop, answer: httpx.Response) -> Step:
        location = answer.headers.get("location")
        if location is None:
            return ask.failed(Kind.NOT_AS_CLAIMED, "a redirect that leads nowhere")
        target = self._addresses.target(hop.route, location)
        if ask.method != "GET":
            message = f"a redirect to {shown(target)}, where nothing is sent"
            return ask.failed(Kind.NOT_AS_CLAIMED, message)
        route = self._addresses.route(ask.site, target)
        return Hop(route, trusted=hop.trusted and target.host == hop.route.real.host)

    def _limit(self, ask: Ask, hop: Hop, answer: httpx.Response, attempt: int) -> Again | None:
        status, now = answer.status_code, self._clock.now()
        if status not in {403, 429, 503} or status in ask.accept:
            return None
        body = _beginning(answer) if status == 403 else b""
        headers = lowered(answer.headers)
        wait = http_limits.asked_wait(status, headers, body, attempt, now)
        if wait is None:
            return None
        if not hop.route.loopback:
            self._holds.hold(ask.site, self._clock.monotonic() + wait)
        message = f"{ask.site.name} asks to wait {wait:.0f} s (status {status})"
        return Again(ask.failed(Kind.RATE_LIMITED, message), wait)

    def _accepted(self, ask: Ask, hop: Hop, answer: httpx.Response) -> Response | Failed:
        body = http_body.read(answer, ask.most)
        if not http_claim.is_one_of(body, ask.claims):
            wanted = " or ".join(sorted(ask.claims))
            message = f"{http_claim.describe(body)} instead of {wanted}"
            return ask.failed(Kind.NOT_AS_CLAIMED, message)
        headers = lowered(answer.headers)
        url = shown(hop.route.real)
        return Response(url, answer.status_code, headers, body, self._clock.now())

    def _remember(self, hop: Hop, answer: httpx.Response) -> None:
        """Keep cookies as set by the real host, whoever stands in for it."""
        real = httpx.Request("GET", hop.route.real)
        self._cookies.extract_cookies(httpx.Response(200, headers=answer.headers, request=real))

    def _too_long(self, ask: Ask, wait: float) -> Failed:
        until = (self._clock.now() + dt.timedelta(seconds=wait)).strftime("%Y-%m-%d %H:%M:%S UTC")
        message = (
            f"{ask.site.name} asks to wait until {until}, longer than "
            f"http_longest_wait ({self._longest_wait:.0f} s); run again after that"
        )
        return ask.failed(Kind.RATE_LIMITED, message)

    def _client(self) -> httpx.Client:
        with self._opening:
            if self._http is None:
                nobody = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
                self._http = httpx.Client(
                    transport=Transport(self._backend),
                    timeout=httpx.Timeout(SILENCE),
                    trust_env=False,
                    cookies=nobody,  # ours know the real hosts
                )
            return self._http


def user_agent(contact: str | None) -> str:
    """Return how the client names itself; a contact is shown as far as a header may."""
    name = f"Rerender/{importlib.metadata.version('rerender')}"
    if not contact or not contact.strip():
        return name
    return f"{name} (+{urllib.parse.quote(contact.strip(), safe=':/?#@!$&*+,;=-._~% ')})"


def _beginning(answer: httpx.Response) -> bytes:
    """Return the body of an error if it is a short one, or nothing."""
    try:
        return http_body.read(answer, http_limits.MESSAGE_BYTES)
    except (http_body.BodyTooLarge, http_body.BodyUnreadable):
        return b""


def _refusal(ask: Ask, hop: Hop, status: int) -> Failed | Again:
    """Return what a status that is no answer means."""
    if status in {404, 410}:
        return ask.failed(Kind.GONE, f"{ask.site.name} has nothing there (status {status})")
    if status == 401 and ask.has_token and hop.trusted:
        message = f"{ask.site.name} does not accept the token; renew it or leave it out"
        return ask.failed(Kind.UNAUTHORIZED, message)
    if status in {401, 403, 451}:
        return ask.failed(Kind.FORBIDDEN, f"{ask.site.name} does not allow it (status {status})")
    message = f"{ask.site.name} answers with status {status}"
    if status >= 500 or status in TRANSIENT:
        return Again(ask.failed(Kind.NETWORK, message))
    return ask.failed(Kind.NOT_AS_CLAIMED, message)
