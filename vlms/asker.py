"""One model behind inspect_ai, asked until there is an answer, a failure or no patience left.

``InspectModel`` asks it about pictures, ``JudgeModel`` about answers.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Completion
from benchmark.registry import RegistryError
from vlms import replies, wire
from vlms.faults import Fault, classify
from vlms.patience import Gate, Patience
from vlms.providers import provider_of

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model


@dataclass(frozen=True)
class Terms:
    """How a model is asked, the same for every request."""

    max_tokens: int
    seed: int
    timeout: float
    """Seconds for one request."""
    concurrency: int
    base_url: str | None = None
    reasoning_fallback: bool = False
    schema: dict[str, Any] | None = None
    """JSON schema of the answer, sent where the provider keeps to one."""


class Asker:
    """Asks one model; safe for threads."""

    def __init__(self, name: str, terms: Terms, patience: Patience) -> None:
        """Open the provider's client; nothing is sent yet.

        Raises:
            RegistryError: no such provider, or its package is not installed.
        """
        self.name = name
        self.provider = provider_of(name)
        self._terms = terms
        self._patience = patience
        self._gate = Gate(patience.sleep)
        self._slots = threading.BoundedSemaphore(terms.concurrency)
        self._lock = threading.Lock()
        self._dropped: tuple[str, ...] = ()
        self._client = self._connect()

    @property
    def base_url(self) -> str | None:
        """The endpoint that is really asked, wherever it was set (a variable, a setting)."""
        opened = getattr(self._client, "base_url", None)
        return str(opened or self._terms.base_url or "") or None

    @property
    def adjustments(self) -> tuple[str, ...]:
        """What was changed in all requests because the model does not accept it, in words."""
        return tuple(_adjustment(parameter) for parameter in self._dropped)

    def ask(
        self, message: wire.Message, subject: str, notes: tuple[str, ...] = ()
    ) -> Outcome[Completion]:
        """Ask until there is a completion, a failure of the model, or no patience left.

        Args:
            message: what is sent.
            subject: what it is about; decides the jitter of waits.
            notes: what was done to the message already; they become notes of the completion.
        """
        asked = 0
        waited = 0.0
        while True:
            client, dropped = self._client, self._dropped
            if isinstance(client, Failed):
                return client
            answer = self._ask_once(client, message, dropped, notes)
            if isinstance(answer, Completion):
                return ok(answer)
            if answer.parameter and self._drop(answer.parameter, dropped):
                continue
            asked += 1
            if not self._patience.allows(answer, asked):
                return self._give_up(answer, asked)
            wait = self._patience.wait(answer, asked, subject)
            waited += wait
            if waited > self._patience.budget:
                bound = f"waiting {wait:.0f} s more would exceed {self._patience.budget:.0f} s"
                return self._give_up(answer, asked, bound)
            self._pause(answer, wait)

    def _ask_once(
        self, client: Model, message: wire.Message, dropped: tuple[str, ...], notes: tuple[str, ...]
    ) -> Completion | Fault:
        config = self._config(dropped)
        self._gate.pass_through()
        with self._slots:
            started = time.monotonic()
            reply = wire.await_here(wire.ask(client, message, config, self._terms.timeout))
            seconds = time.monotonic() - started
        if isinstance(reply, BaseException):
            return classify(reply)
        read = replies.read(reply, reasoning_fallback=self._terms.reasoning_fallback)
        if isinstance(read, Fault):
            return read
        unsent = replies.unsent(reply, {"temperature", "seed"} - set(dropped))
        changes = tuple(_adjustment(parameter) for parameter in (*dropped, *unsent))
        return read.model_copy(
            update={"notes": (*notes, *changes, *read.notes), "seconds": seconds}
        )

    def _config(self, dropped: tuple[str, ...]) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig, ResponseSchema

        terms = self._terms
        renamed = "max_tokens" in dropped
        form = None
        if terms.schema is not None and "response_format" not in dropped:
            form = ResponseSchema.model_validate(
                {"name": "answer", "json_schema": terms.schema, "strict": True}
            )
        return GenerateConfig(
            temperature=None if "temperature" in dropped else 0.0,
            seed=None if "seed" in dropped else terms.seed,
            max_tokens=None if renamed else terms.max_tokens,
            extra_body={"max_completion_tokens": terms.max_tokens} if renamed else None,
            response_schema=form,
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

        terms = self._terms
        try:
            return wire.connect(self.name, self.provider, terms.base_url, terms.timeout)
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
