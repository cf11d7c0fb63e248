"""A snapshot: a frozen set of instances, with a manifest that says what and whose each one is."""

from __future__ import annotations

import datetime as dt
import re

from pydantic import Field, JsonValue, ValidationError

from benchmark.funnel import Funnel
from benchmark.outcome import Failed
from benchmark.records import Instance, Record, digest_json
from benchmark.store import Store

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class SnapshotError(ValueError):
    """A snapshot that is missing, unreadable or about to be changed; the text says what to do."""


class Rejected(Record):
    """Material that did not become an instance, and why."""

    id: str
    scenario: str
    failure: Failed


class Snapshot(Record):
    """The manifest. Immutable: `freeze` refuses to replace one with another content."""

    name: str
    created: dt.date = Field(description="newest creation date of the material, not the clock's")
    about: str = Field(default="", description="who made it, how, under which licence")
    licences: dict[str, int] = Field(description="SPDX identifier to number of instances")
    tools: dict[str, str] = Field(description="renderer to version and container image digest")
    instances: tuple[Instance, ...]
    rejected: tuple[Rejected, ...] = ()
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    funnel: tuple[Funnel, ...] = Field(default=(), description="a row for each source")

    @property
    def digest(self) -> str:
        """Exact digest of the whole manifest."""
        return digest_json(self.model_dump(mode="json"))

    def select(self, scenarios: list[str] | None = None) -> list[Instance]:
        """Return the instances of some scenarios (all if None), in manifest order."""
        return [i for i in self.instances if scenarios is None or i.scenario in scenarios]

    def scenarios(self) -> list[str]:
        """Return the scenarios that have instances, in order of appearance."""
        return list(dict.fromkeys(instance.scenario for instance in self.instances))


def freeze(store: Store, snapshot: Snapshot) -> str:
    """Write the manifest under its name; the same content again is fine.

    Returns the path inside the store.

    Raises:
        SnapshotError: the name is not usable, or is taken by a snapshot of other content.
    """
    if not NAME.fullmatch(snapshot.name):
        raise SnapshotError(
            f"{snapshot.name!r} cannot name a snapshot: use letters, digits, dots and dashes"
        )
    path = _path(snapshot.name)
    try:
        store.create_document(path, snapshot.model_dump_json(indent=1))
    except FileExistsError:
        if load(store, snapshot.name).digest != snapshot.digest:
            raise SnapshotError(
                f"snapshot {snapshot.name!r} exists with other content and is never changed; "
                f"choose another name"
            ) from None
    return path


def load(store: Store, name: str) -> Snapshot:
    """Read a manifest.

    Raises:
        SnapshotError: there is none of that name, or it cannot be read.
    """
    try:
        return Snapshot.model_validate_json(store.read_document(_path(name)))
    except FileNotFoundError:
        known = ", ".join(names(store)) or "none yet"
        raise SnapshotError(f"no snapshot is called {name!r} (known: {known})") from None
    except ValidationError as error:
        raise SnapshotError(f"snapshot {name!r} is not readable: {error.errors()[0]}") from None


def newest(store: Store) -> str:
    """Return the name of the snapshot that was frozen last.

    Raises:
        SnapshotError: there is none.
    """
    name = store.newest("snapshots")
    if name is None:
        raise SnapshotError("there is no snapshot yet; `rerender refresh` makes one")
    return name


def names(store: Store) -> list[str]:
    """Return the names of all snapshots in the store."""
    return store.documents("snapshots")


def _path(name: str) -> str:
    return f"snapshots/{name}.json"
