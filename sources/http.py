"""One polite client for every site that material comes from.

A source says of each site which hosts belong to it and how fast it may be asked (``Site``); the
client waits its turn, says who it is, keeps what it got on disk, and returns every kind of answer
as a value. ``RERENDER_MIRRORS`` puts another address in the place of a host: a mirror of yours, or
a stand-in on loopback, which is the only way to a private address.
"""

from __future__ import annotations

import errno
from collections.abc import Collection, Mapping
from types import TracebackType
from typing import Self

from benchmark.outcome import Failed, Kind, Outcome, ok
from benchmark.settings import Settings
from sources import http_address, http_cache, http_claim
from sources.http_address import Addresses, Refused
from sources.http_cache import Cache, Keep, Kept
from sources.http_claim import Claim
from sources.http_guard import Resolver, resolve
from sources.http_pace import CLOCK, Clock, Pace
from sources.http_request import Ask, Response, failed
from sources.http_site import Site, is_secret, is_well_formed, lowered
from sources.http_whole import is_whole
from sources.http_wire import LONGEST_REQUEST, Wire

__all__ = ["MEGABYTE", "Claim", "Client", "Keep", "Pace", "Response", "Site"]

MEGABYTE = 1_000_000
FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class Client:
    """Asks sites; safe to call from several threads at once.

    A request ends in one of these ways:

    * a ``Response``, for status 200 (and those in `accept`);
    * GONE (404, 410), FORBIDDEN (401 without a token, 403, 451, a host whose addresses are all
      private), TOO_LARGE (more bytes than `most`, as announced or as counted), NOT_AS_CLAIMED
      (another kind of content than `claims`, a redirect to a host that is not the site's, an
      address that may not be asked, any other status): final, the material's;
    * UNAUTHORIZED (a token that is refused), RATE_LIMITED (429, 403 with the marks of a limit, 503
      with Retry-After, when waiting would take longer than the settings allow), NETWORK (no answer
      after all retries, one that broke off, 5xx), DISK_FULL and INTERNAL_ERROR (the answer could
      not be kept): ours, the next run tries again.

    Every failure is of stage FETCH and its ``subject`` is the address.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        pace: Pace | None = None,
        clock: Clock = CLOCK,
        resolver: Resolver = resolve,
        longest: float = LONGEST_REQUEST,
    ) -> None:
        """Read contact, cache, mirrors and waits from the settings; nothing is opened yet.

        Args:
            settings: by default those of the environment.
            pace: by default the one of the process (``sources.http_pace``).
            clock: for waits and dates.
            resolver: how host names are looked up.
            longest: seconds after which one request ends, however it is going.

        Raises:
            ValueError: a mirror of the settings is no http(s) address.
        """
        settings = settings or Settings()
        self._addresses = Addresses(settings.mirrors)
        self._cache = Cache(settings.http_cache)
        self._clock = clock
        self._wire = Wire(
            settings, self._addresses, pace=pace, clock=clock, resolver=resolver, longest=longest
        )

    def __enter__(self) -> Self:
        """Open connections lazily."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        self._wire.close()

    def get(
        self,
        site: Site,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        claims: Collection[Claim] = (),
        most: int = 20 * MEGABYTE,
        keep: Keep = Keep.CHECKED,
        kept: Collection[Claim] = (),
        accept: Collection[int] = (),
    ) -> Outcome[Response]:
        """Get an address.

        Args:
            site: whose it is; the address must be on one of its hosts.
            url: the real address (https://…), also where a mirror stands in.
            params: query parameters, encoded by the client.
            headers: besides the site's own.
            claims: what the body may be; empty: anything.
            most: bytes of the body, counted while it comes in.
            keep: how long the answer is used again.
            kept: what may be kept, if not everything: where a site puts a page in the place of a
                file (a disclaimer, a countdown), only the file is. An archive that broke off is
                asked for again the next day.
            accept: statuses besides 200 that are answers to the caller (422).
        """
        ask = self._asked("GET", site, url, params, headers, claims, most, accept)
        if isinstance(ask, Failed):
            return ask
        key = self._key(ask)
        try:
            known = None if keep is Keep.NOT else self._kept(key, ask)
        except OSError as error:
            return _unkept(ask, error)
        if known is not None and self._holds(known, keep):
            return ok(Response.of_kept(known))
        confirmed = known if known is not None and is_whole(known.body) else None
        answer = self._wire.answer(ask, confirmed)
        if isinstance(answer, Failed):
            return answer
        if not http_claim.is_one_of(answer.body, kept):
            return ok(answer)
        return self._keep(ask, key, keep, answer)

    def post(
        self,
        site: Site,
        url: str,
        *,
        content: bytes,
        content_type: str,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        claims: Collection[Claim] = (),
        most: int = 20 * MEGABYTE,
        accept: Collection[int] = (),
    ) -> Outcome[Response]:
        """Send something to an address; never kept, and a redirect is not followed.

        Args:
            site: whose it is; the address must be on one of its hosts.
            url: the real address (https://…), also where a mirror stands in.
            content: what is sent. It is sent again where the connection fails: send only what may
                arrive twice.
            content_type: its type, e.g. ``application/json``.
            params: query parameters, encoded by the client.
            headers: besides the site's own.
            claims: what the body of the answer may be; empty: anything.
            most: bytes of the body of the answer.
            accept: statuses besides 200 that are answers to the caller.
        """
        typed = {**(headers or {}), "Content-Type": content_type}
        ask = self._asked("POST", site, url, params, typed, claims, most, accept, content)
        if isinstance(ask, Failed):
            return ask
        answer = self._wire.answer(ask, None)
        return answer if isinstance(answer, Failed) else ok(answer)

    def _asked(
        self,
        method: str,
        site: Site,
        url: str,
        params: Mapping[str, str | int] | None,
        headers: Mapping[str, str] | None,
        claims: Collection[Claim],
        most: int,
        accept: Collection[int],
        content: bytes = b"",
    ) -> Ask | Failed:
        try:
            parsed = http_address.parse(url).copy_with(fragment=None)
            parsed = http_address.with_parameters(parsed, params or {})
            subject = http_address.shown(parsed)
            self._addresses.route(site, parsed)
        except Refused as error:
            return failed(Kind.NOT_AS_CLAIMED, str(error), http_address.shown_as_given(url))
        if not is_well_formed(headers or {}):
            return failed(Kind.NOT_AS_CLAIMED, "a header that cannot be sent", subject)
        if not is_well_formed(site.headers):
            message = f"a header for {site.name} cannot be sent: look for line breaks in a token"
            return failed(Kind.UNAUTHORIZED, message, subject)
        return Ask(
            method=method,
            site=site,
            url=parsed,
            subject=subject,
            headers=lowered(headers or {}),
            claims=frozenset(claims),
            most=most,
            accept=frozenset(accept),
            content=content,
        )

    def _key(self, ask: Ask) -> str:
        chosen = {name: value for name, value in ask.sent.items() if not is_secret(name)}
        mirrors = self._addresses.mirrors_of(ask.site)
        return http_cache.key_of(ask.method, str(ask.url), chosen, mirrors)

    def _kept(self, key: str, ask: Ask) -> Kept | None:
        """Return an answer on disk that is what this question asks for."""
        kept = self._cache.read(key, ask.most)
        if kept is None or not http_claim.is_one_of(kept.body, ask.claims):
            return None
        try:
            self._addresses.route(ask.site, http_address.parse(kept.url))
        except Refused:
            return None
        return kept

    def _holds(self, kept: Kept, keep: Keep) -> bool:
        """Tell whether an answer may be used without asking; one that broke off for that day."""
        now = self._clock.now()
        return kept.holds(keep, now) and (kept.holds(Keep.TODAY, now) or is_whole(kept.body))

    def _keep(self, ask: Ask, key: str, keep: Keep, answer: Response) -> Outcome[Response]:
        """Keep an answer, or note that the one on disk still holds."""
        now = self._clock.now()
        try:
            asked = not answer.from_cache or keep is Keep.TODAY  # a 304 is noted only for that
            if asked and answer.status == 200 and keep is not Keep.NOT:
                self._cache.write(
                    Kept(key, answer.url, answer.headers, answer.fetched, now, answer.body)
                )
        except OSError as error:
            return _unkept(ask, error)
        return ok(answer)


def _unkept(ask: Ask, error: OSError) -> Failed:
    kind = Kind.DISK_FULL if error.errno in FULL else Kind.INTERNAL_ERROR
    return ask.failed(kind, f"the folder of the setting http_cache cannot be used: {error}")
