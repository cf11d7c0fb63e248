"""Every model that a provider serves, asked through inspect_ai.

Names are inspect_ai's: ``openai/gpt-4o``, ``anthropic/claude-…``, ``google/gemini-…``,
``openai-api/<service>/<model>`` for any server with OpenAI's wire format. See docs/models.md.
"""

from __future__ import annotations

from typing import Any

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Completion, Request
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from vlms import images
from vlms.asker import Asker, Terms
from vlms.patience import Patience
from vlms.wire import Message

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
        self._settings = settings
        terms = Terms(
            max_tokens=settings.model_max_tokens,
            seed=settings.seed,
            timeout=settings.model_timeout,
            concurrency=settings.model_concurrency,
            base_url=settings.model_base_url,
            reasoning_fallback=settings.reasoning_fallback,
        )
        self._asker = Asker(name, terms, patience or Patience(retries=settings.model_retries))
        self.provider = self._asker.provider

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
            "base_url": self._asker.base_url,
            "reasoning_fallback": settings.reasoning_fallback,
            "image_limits": self.provider.limits.as_settings(),
        }

    @property
    def adjustments(self) -> tuple[str, ...]:
        """What was changed in all requests because the model does not accept it, in words."""
        return self._asker.adjustments

    def complete(self, request: Request) -> Outcome[Completion]:
        """Ask until there is a completion, a failure of the model, or no patience left."""
        try:
            picture = images.fit(request.image, self.provider.limits)
        except images.ImageTooLarge as error:
            return Failed.of(Stage.QUERY, Kind.IMAGE_TOO_LARGE, str(error))
        notes = (picture.note,) if picture.note else ()
        message = Message(text=request.prompt, png=picture.png)
        return self._asker.ask(message, request.instance, notes)


def build(name: str, settings: Settings, snapshot: Snapshot) -> InspectModel:  # noqa: ARG001 - contract
    """Build a provider's model; the snapshot is not looked at.

    Raises:
        RegistryError: no such provider, or its package is not installed.
    """
    return InspectModel(name, settings)
