"""Names → scenarios, languages, renderers, metrics, models and sources.

Built-in plug-ins are registered exactly like foreign ones: by an entry point in the group
``rerender.<kind>`` of some installed distribution (ours are in ``pyproject.toml``). A name that two
distributions claim for different objects is an error, never a silent choice.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from benchmark.protocols import (
    Language,
    Metric,
    Model,
    ModelFactory,
    Renderer,
    Scenario,
    Source,
)

if TYPE_CHECKING:
    from benchmark.settings import Settings
    from benchmark.snapshot import Snapshot

T = TypeVar("T")


class RegistryError(LookupError):
    """A name that is unknown or claimed twice; the text says what to do."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Generic[T]):
    """The plug-ins of one kind, loaded when they are first asked for.

    An entry point that names a class (or another callable that is not yet a plug-in) is called
    once without arguments; the object is kept.
    """

    def __init__(self, kind: str, *, instantiate: bool = True) -> None:
        """Open the group ``rerender.<kind>s``."""
        self.kind = kind
        self.group = f"rerender.{kind}s"
        self._instantiate = instantiate
        self._loaded: dict[str, T] = {}

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        entries: dict[str, EntryPoint] = {}
        for entry in entry_points(group=self.group):
            other = entries.setdefault(entry.name, entry)
            if other.value != entry.value:
                raise RegistryError(
                    f"{self.kind} {entry.name!r} is claimed twice: by {other.value} and by "
                    f"{entry.value}; uninstall or rename one of them"
                )
        return entries

    def names(self) -> list[str]:
        """Return all registered names in alphabetical order."""
        return sorted({*self._entries, *self._loaded})

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._loaded

    def get(self, name: str) -> T:
        """Return the plug-in, loading it if need be.

        Raises:
            RegistryError: the name is unknown (the nearest names are suggested).
        """
        if name not in self._loaded:
            if name not in self._entries:
                raise RegistryError(self.unknown(name))
            loaded = self._entries[name].load()
            if self._instantiate and inspect.isclass(loaded):
                loaded = loaded()
            self._loaded[name] = loaded
        return self._loaded[name]

    def register(self, name: str, plugin: T) -> None:
        """Register an object by hand (tests, notebooks).

        Raises:
            RegistryError: the name is taken by another object.
        """
        if name in self and self._loaded.get(name) is not plugin:
            raise RegistryError(f"{self.kind} {name!r} is claimed twice; choose another name")
        self._loaded[name] = plugin

    def unknown(self, name: str) -> str:
        """Return what is said of a name that nothing has, with the nearest names."""
        near = difflib.get_close_matches(name, self.names(), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(self.names())}"
        return f"no {self.kind} is called {name!r}; {hint}"


scenarios: Registry[Scenario] = Registry("scenario")
languages: Registry[Language] = Registry("language")
metrics: Registry[Metric] = Registry("metric", instantiate=False)
sources: Registry[Source] = Registry("source")
renderers: Registry[Callable[[], Renderer]] = Registry("renderer", instantiate=False)
models: Registry[ModelFactory] = Registry("model", instantiate=False)


def scenarios_called(names: Iterable[str]) -> list[str]:
    """Return the scenarios that names stand for, each once: a scenario's own, or a family's.

    Raises:
        RegistryError: neither is called so; the text lists the families.
    """
    names = list(names)
    families = {} if all(name in scenarios for name in names) else _families()
    for name in names:
        if name not in scenarios and name not in families:
            told = "; ".join(f"{family}: {', '.join(own)}" for family, own in families.items())
            raise RegistryError(f"{scenarios.unknown(name)} (families: {told})")
    return list(dict.fromkeys(one for name in names for one in families.get(name, [name])))


def _families() -> dict[str, list[str]]:
    """Return the names of scenarios by their family."""
    families: dict[str, list[str]] = {}
    for name in scenarios.names():
        if family := getattr(scenarios.get(name), "family", None):
            families.setdefault(family, []).append(name)
    return families


PROVIDER_MODEL = "provider"
"""The registered factory behind every name with a slash (``openai/gpt-4o``)."""


def build_model(name: str, settings: Settings, snapshot: Snapshot) -> Model:
    """Build a model by its name; ``provider/model`` names go to the provider factory.

    Raises:
        RegistryError: no such model.
    """
    factory = models.get(PROVIDER_MODEL if "/" in name and name not in models else name)
    return factory(name, settings, snapshot)


def all_registries() -> dict[str, Registry[Any]]:
    """Return every registry by its kind."""
    known = (scenarios, languages, metrics, sources, renderers, models)
    return {registry.kind: cast("Registry[Any]", registry) for registry in known}
