"""A model as a judge: text alone in, an answer of a given form out, asked through inspect_ai.

What is asked and how the reply is read is not known here (see ``metrics.judge_rubric``); the flows
join both. Which models there are, and how they are named, is as in ``vlms.inspect_model``.
"""

from __future__ import annotations

from typing import Any

from benchmark.outcome import Outcome
from benchmark.records import Completion
from benchmark.settings import Settings
from vlms.asker import Asker, Terms
from vlms.patience import Patience
from vlms.wire import Message

VERSION = "1"
"""Raised when the request itself changes: all judgments are then asked anew."""


class JudgeModel:
    """A model behind inspect_ai that is asked without a picture, at temperature 0."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        schema: dict[str, Any],
        patience: Patience | None = None,
    ) -> None:
        """Open the provider's client; nothing is sent yet.

        Args:
            name: as models are named here, e.g. ``openai/gpt-4.1``.
            settings: ``judge_base_url`` and, as for models, limits and retries.
            schema: JSON schema of the answers; a provider that knows none of schemas is asked
                without it, so whoever reads an answer checks it all the same.
            patience: bounds on asking again; None: as set for models.

        Raises:
            RegistryError: no such provider, or its package is not installed.
        """
        self.name = name
        self.concurrency = settings.model_concurrency
        self._terms = Terms(
            max_tokens=settings.model_max_tokens,
            seed=settings.seed,
            timeout=settings.model_timeout,
            concurrency=settings.model_concurrency,
            base_url=settings.judge_base_url,
            schema=schema,
        )
        self._asker = Asker(name, self._terms, patience or Patience(settings.model_retries))

    def settings(self) -> dict[str, Any]:
        """Return what can change an answer; see ``InspectModel.settings``."""
        return {
            "version": VERSION,
            "temperature": 0,
            "max_tokens": self._terms.max_tokens,
            "seed": self._terms.seed,
            "base_url": self._asker.base_url,
            "schema": self._terms.schema,
        }

    def ask(self, rubric: str, case: str, subject: str) -> Outcome[Completion]:
        """Ask once, waiting and retrying as for models; failures are those of ``Stage.QUERY``.

        Args:
            rubric: the instructions, sent as the system's message.
            case: what is judged, sent as the user's message.
            subject: what it is about; decides the jitter of waits.
        """
        return self._asker.ask(Message(text=case, system=rubric), subject)
