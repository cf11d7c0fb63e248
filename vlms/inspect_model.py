"""Every model that a provider serves, asked through inspect_ai.

Names are inspect_ai's: ``openai/gpt-4o``, ``anthropic/claude-…``, ``google/gemini-…``,
``openai-api/<service>/<model>`` for any server with OpenAI's wire format. See docs/models.md.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Completion, Request
from benchmark.registry import RegistryError
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from vlms import images, replies, wire
from vlms.faults import Fault, classify
from vlms.patience import Gate, Patience
from vlms.providers import provider_of

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model

VERSION = "1"
"""Raised when the request itself changes (the order of its parts, say): all is then asked anew."""


class InspectModel:
    """A model behind inspect_ai: one picture and one prompt in, one completion out."""

    def __init__(self, name: str, settings: Settings, patience: Patience | None = None) -> None:
        """Open the provider's client; nothing is sent yet.

        Raises:
            RegistryError: no such provider, or its package is not installed.
        """
        self.name = name
        self.concurrency = settings.model_concurrency
        self.sees_truth = False
        self.provider = provider_of(name)
        self._settings = settings
        self._patience = patience or Patience(retries=settings.model_retries)
        self._gate = Gate(self._patience.sleep)
        self._slots = threading.BoundedSemaphore(settings.model_concurrency)
        self._lock = threading.Lock()
        self._dropped: tuple[str, ...] = ()
        self._client = self._connect()

    def settings(self) -> dict[str, Any]:
        """Return what can change an answer.

        Parameters that a model turns out not to accept are not in here, because a key must be
        known before the first request; each completion has them in its notes.
        """
        settings = self._settings
        return {
            "version": VERSION,
            "temperature": 0,
            "max_tokens": settings.model_max_tokens,
            "seed": settings.seed,
            "base_url": self._base_url(),
            "reasoning_fallback": settings.reasoning_fallback,
            "image_limits": self.provider.limits.as_settings(),
        }

    def _base_url(self) -> str | None:
        """Return the endpoint that is really asked, wherever it was set (a variable, a setting)."""
        opened = getattr(self._client, "base_url", None)
        return str(opened or self._settings.model_base_url or "") or None

    @property
    def adjustments(self) -> tuple[str, ...]:
        """What was changed in all requests because the model does not accept it, in words."""
        return tuple(_adjustment(parameter) for parameter in self._dropped)

    def complete(self, request: Request) -> Outcome[Completion]:
        """Ask until there is a completion, a failure of the model, or no patience left."""
        try:
            picture = images.fit(request.image, self.provider.limits)
        except images.ImageTooLarge as error:
            return Failed.of(Stage.QUERY, Kind.IMAGE_TOO_LARGE, str(error))
        asked = 0
        waited = 0.0
        while True:
            client, dropped = self._client, self._dropped
            if isinstance(client, Failed):
                return client
            answer = self._ask_once(client, request.prompt, picture, dropped)
            if isinstance(answer, Completion):
                return ok(answer)
            if answer.parameter and self._drop(answer.parameter, dropped):
                continue
            asked += 1
            if not self._patience.allows(answer, asked):
                return self._give_up(answer, asked)
            wait = self._patience.wait(answer, asked, request.instance)
            waited += wait
            if waited > self._patience.budget:
                bound = f"waiting {wait:.0f} s more would exceed {self._patience.budget:.0f} s"
                return self._give_up(answer, asked, bound)
            self._pause(answer, wait)

    def _ask_once(
        self, client: Model, prompt: str, picture: images.Fitted, dropped: tuple[str, ...]
    ) -> Completion | Fault:
        config = self._config(dropped)
        timeout = self._settings.model_timeout
        self._gate.pass_through()
        with self._slots:
            started = time.monotonic()
            reply = wire.await_here(wire.ask(client, prompt, picture.png, config, timeout))
            seconds = time.monotonic() - started
        if isinstance(reply, BaseException):
            return classify(reply)
        read = replies.read(reply, reasoning_fallback=self._settings.reasoning_fallback)
        if isinstance(read, Fault):
            return read
        unsent = replies.unsent(reply, {"temperature", "seed"} - set(dropped))
        changes = tuple(_adjustment(parameter) for parameter in (*dropped, *unsent))
        notes = (*filter(None, [picture.note]), *changes, *read.notes)
        return read.model_copy(update={"notes": notes, "seconds": seconds})

    def _config(self, dropped: tuple[str, ...]) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig

        settings = self._settings
        tokens = settings.model_max_tokens
        renamed = "max_tokens" in dropped
        return GenerateConfig(
            temperature=None if "temperature" in dropped else 0.0,
            seed=None if "seed" in dropped else settings.seed,
            max_tokens=None if renamed else tokens,
            extra_body={"max_completion_tokens": tokens} if renamed else None,
            reasoning_summary="none",
            cache_prompt=False,
            cache=False,
        )

    def _drop(self, parameter: str, known: tuple[str, ...]) -> bool:
        """Leave a parameter out from now on; False if that was already tried in vain."""
        if parameter in known:
            return False
        with self._lock:
            if parameter not in self._dropped:
                self._dropped = (*self._dropped, parameter)
        return True

    def _pause(self, fault: Fault, seconds: float) -> None:
        if fault.kind is Kind.RATE_LIMITED:
            self._gate.close(seconds)
        self._patience.sleep(seconds)

    def _give_up(self, fault: Fault, asked: int, bound: str = "") -> Failed:
        message = fault.message
        if fault.kind is Kind.UNAUTHORIZED:
            message = f"check {self._key_names()}: {message}"
        tail = "; ".join(filter(None, [f"asked {asked} times" if asked > 1 else "", bound]))
        message = f"{self.name}: {message}" + (f" ({tail})" if tail else "")
        failed = Failed.of(Stage.QUERY, fault.kind, message, fault.detail)
        if fault.lasting:
            self._client = failed  # the next instance would only meet the same
        return failed

    def _key_names(self) -> str:
        return " or ".join(self.provider.keys) or "the provider's key variable"

    def _connect(self) -> Model | Failed:
        """Open the client; a missing key is kept as the answer to every request."""
        from inspect_ai._util.error import PrerequisiteError

        settings = self._settings
        try:
            return wire.connect(
                self.name, self.provider, settings.model_base_url, settings.model_timeout
            )
        except ValueError as error:
            raise RegistryError(f"no model is called {self.name!r}: {error}") from None
        except PrerequisiteError as error:
            reason = " ".join(str(error).replace("[bold]", "").replace("[/bold]", "").split())
            if "pip install" in reason:
                raise RegistryError(f"{self.name} cannot be asked here: {reason}") from None
            message = f"{self.name}: no key; set {self._key_names()} and run again"
            return Failed.of(Stage.QUERY, Kind.UNAUTHORIZED, message, reason)


def _adjustment(parameter: str) -> str:
    if parameter == "max_tokens":
        return "max_tokens is not accepted: sent as max_completion_tokens"
    return f"{parameter} is not accepted: sent without it"


def build(name: str, settings: Settings, snapshot: Snapshot) -> InspectModel:  # noqa: ARG001 - contract
    """Build a provider's model; the snapshot is not looked at.

    Raises:
        RegistryError: no such provider, or its package is not installed.
    """
    return InspectModel(name, settings)
