"""The options of commands that ask models for money."""

from __future__ import annotations

from typing import Annotated

import typer

MaxTokens = Annotated[
    int | None, typer.Option(help="stop asking once so many tokens went in and out")
]
MaxCost = Annotated[
    float | None, typer.Option(help="stop asking once so many US dollars are spent")
]
