"""Which files of Mutopia's repository are wanted, in three requests at most, and their text.

The whole list comes from the tree of the newest commit. What is new since a day comes from a
comparison of that commit with the last one before the day, which names up to 300 files; more than
that, and the whole list is taken and the headers' dates decide. Files are read at the commit from
the host of raw files, so that each is asked for once and kept for ever.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import Any
from urllib.parse import quote

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import digest_bytes
from benchmark.settings import Settings
from sources.github_api import RAW_SITE, core_site
from sources.http import Claim, Client, Keep

REPOSITORY = "MutopiaProject/MutopiaProject"
API = f"https://api.github.com/repos/{REPOSITORY}"
RAW = f"https://raw.githubusercontent.com/{REPOSITORY}"
FOLDER = "ftp/"
MOST_COMPARED = 300
"""Files that GitHub names in a comparison; as many may mean more."""
MOST_BYTES = 1_000_000
MOST_LISTED = 30_000_000


class Listing:
    """Asks GitHub about the repository."""

    def __init__(self, client: Client, settings: Settings) -> None:
        """Remember the client; pace and token are those of everything that asks GitHub."""
        self._client = client
        self._api = core_site(settings)

    def newest(self) -> Outcome[str]:
        """Return the newest commit, the same all day."""
        return self._commit({"per_page": 1})

    def paths(self, commit: str, since: dt.date | None) -> Outcome[list[str]]:
        """Return the LilyPond files of a commit, only what changed since a day if one is given.

        They are in an order that is always the same and mixes the composers.
        """
        changed = ok(None) if since is None else self._changed(commit, since)
        if isinstance(changed, Failed):
            return changed
        listed = ok(changed.value) if changed.value is not None else self._whole(commit)
        if isinstance(listed, Failed):
            return listed
        wanted = {path for path in listed.value if _is_wanted(path)}
        return ok(sorted(wanted, key=lambda path: digest_bytes(path.encode())))

    def text(self, commit: str, path: str) -> Outcome[str]:
        """Return a file, in UTF-8 or, if it is not that, Latin-1."""
        got = self._client.get(
            RAW_SITE, self.address(commit, path), most=MOST_BYTES, keep=Keep.FOR_EVER
        )
        if isinstance(got, Failed):
            return got
        body = got.value.body
        if b"\x00" in body:
            return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, "not a text", subject=path)
        try:
            return ok(body.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return ok(body.decode("latin-1"))

    def first_day(self, commit: str, path: str) -> Outcome[dt.date]:
        """Return the day of the oldest of the last 100 commits that changed a file."""
        params: dict[str, str | int] = {"sha": commit, "path": path, "per_page": 100}
        got = self._json(f"{API}/commits", params, Keep.FOR_EVER)
        if isinstance(got, Failed):
            return got
        try:
            return ok(dt.date.fromisoformat(got.value[-1]["commit"]["committer"]["date"][:10]))
        except (LookupError, TypeError, ValueError):
            return _odd("the list of a file's commits")

    def address(self, commit: str, path: str) -> str:
        """Return where a file is read at a commit."""
        return f"{RAW}/{commit}/{quote(path)}"

    def _commit(self, params: dict[str, str | int]) -> Outcome[str]:
        got = self._json(f"{API}/commits", params)
        if isinstance(got, Failed):
            return got
        commits = got.value
        if isinstance(commits, list) and not commits:
            return ok("")
        if isinstance(commits, list) and isinstance(commits[0], dict):
            sha = commits[0].get("sha")
            if isinstance(sha, str) and len(sha) == 40 and sha.isalnum():
                return ok(sha)
        return _odd("the list of commits")

    def _changed(self, commit: str, since: dt.date) -> Outcome[list[str] | None]:
        """Return the files that changed since a day, None if that cannot be told."""
        before = self._commit({"per_page": 1, "until": f"{since.isoformat()}T00:00:00Z"})
        if isinstance(before, Failed):
            return before
        if not before.value:
            return ok(None)
        if before.value == commit:
            return ok([])
        return self._between(before.value, commit)

    def _between(self, before: str, commit: str) -> Outcome[list[str] | None]:
        got = self._json(f"{API}/compare/{before}...{commit}", {})
        if isinstance(got, Failed):
            return got
        files = got.value.get("files") if isinstance(got.value, dict) else None
        if not isinstance(files, list):
            return _odd("the comparison of two commits")
        if len(files) >= MOST_COMPARED:
            return ok(None)
        there = [file for file in files if isinstance(file, dict)]
        return ok([str(file.get("filename")) for file in there if file.get("status") != "removed"])

    def _whole(self, commit: str) -> Outcome[list[str]]:
        got = self._json(f"{API}/git/trees/{commit}", {"recursive": 1}, Keep.FOR_EVER)
        if isinstance(got, Failed):
            return got
        tree = got.value.get("tree") if isinstance(got.value, dict) else None
        if not isinstance(tree, list):
            return _odd("the tree of a commit")
        if got.value.get("truncated"):
            message = "GitHub cuts the list of Mutopia's files short; ask for what is new (--since)"
            return Failed.of(Stage.FETCH, Kind.NETWORK, message, subject=API)
        files = [entry for entry in tree if isinstance(entry, dict) and entry.get("type") == "blob"]
        return ok([str(entry.get("path")) for entry in files])

    def _json(
        self, url: str, params: dict[str, str | int], keep: Keep = Keep.TODAY
    ) -> Outcome[Any]:
        got = self._client.get(
            self._api, url, params=params, claims=[Claim.JSON], most=MOST_LISTED, keep=keep
        )
        if isinstance(got, Failed):
            return got
        try:
            return ok(json.loads(got.value.body))
        except (ValueError, RecursionError):
            return _odd("an answer")


def _is_wanted(path: str) -> bool:
    return path.startswith(FOLDER) and path.endswith(".ly") and ".." not in path


def _odd(what: str) -> Failed:
    message = f"{what} is not in the form that GitHub's API describes"
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=API)
