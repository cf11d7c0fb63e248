"""From the files of a paper to material, and back: how a piece is fetched again."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from sources import arxiv_source
from sources.arxiv_site import Listed
from sources.http import Client
from sources.latex_files import Files, Main, find_main
from sources.latex_snippets import read
from sources.latex_truths import Choice, Truth, choose
from sources.licences import publishable, spdx

NAME = "arxiv"
"""The source's registered name."""
MOST_AUTHORS = 20
RECIPE_ADDRESS = "https://arxiv.org/src/"


def read_choices(content: dict[str, bytes]) -> Outcome[tuple[Main, list[Choice]]]:
    """Return the main file of a paper and what becomes of its pieces; it depends on nothing else.

    Args:
        content: the files of a source by path.
    """
    files = Files(content)
    main = find_main(files)
    if isinstance(main, Failed):
        return main
    paper = read(files, main.value)
    if isinstance(paper, Failed):
        return paper
    return ok((main.value, list(choose(paper.value))))


def materials(
    paper: Listed, main: Main, choices: list[Choice], licence: str | None
) -> Iterator[Outcome[Material]]:
    """Yield the material of a paper's choices, and the reasons for what is not taken.

    Args:
        paper: as it was listed.
        main: its main file.
        choices: what became of its pieces.
        licence: address of its licence; None: not known.
    """
    for choice in choices:
        if isinstance(choice.outcome, Failed):
            piece = choice.piece
            code = piece.text.scan.text[piece.start : piece.end]
            digest = hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
            yield choice.outcome.model_copy(update={"subject": _name(choice, paper, digest)})
        else:
            yield ok(_material(paper, main, choice, choice.outcome.value, licence))


def _name(choice: Choice, paper: Listed, digest: str) -> str:
    return f"latex/{choice.sort}/{paper.identifier}/{digest[:12]}"


def _material(
    paper: Listed, main: Main, choice: Choice, truth: Truth, licence: str | None
) -> Material:
    piece = truth.piece
    identifier = spdx(licence)
    attributes: dict[str, JsonValue] = {
        "arxiv": paper.identifier,
        "version": paper.version,
        "category": paper.categories[0] if paper.categories else None,
        "environment": piece.environment,
        "definitions": len(truth.definitions),
        "lines": truth.text.count("\n") + 1,
        "characters": len(truth.text),
    }
    if truth.files:
        attributes |= {
            "pictures": len(truth.files),
            "picture_bytes": sum(len(each.data) for each in truth.files),
            "captions_left_out": truth.captions_left_out,
        }
    return Material(
        id=_name(choice, paper, truth.name),
        scenario="latex",
        subset=choice.sort,
        truth=truth.text,
        assets={each.path: each.data for each in truth.files},
        provenance=Provenance(
            source=NAME,
            author=_authors(paper.authors),
            licence=identifier,
            created=paper.created,
            url=paper.address,
            made=f"cut out of the paper's LaTeX, without comments and labels, after the "
            f"definitions of the paper that it uses; main file: {main.path}, told by {main.by}"
            + (f", not {', '.join(main.others[:5])}" if main.others else ""),
            publishable=publishable(identifier),
            recipe=_recipe(paper, truth),
        ),
        attributes=attributes,
    )


def _recipe(paper: Listed, truth: Truth) -> dict[str, JsonValue]:
    """Return how the truth and its files are had again; see ``fetch_again``."""
    piece = truth.piece
    recipe: dict[str, JsonValue] = {
        "source": NAME,
        "arxiv": paper.identifier,
        "version": paper.version,
        "address": RECIPE_ADDRESS + paper.name,
        "file": piece.text.path,
        "encoding": piece.text.encoding,
        "characters": [piece.start, piece.end],
        "definitions": [
            {"file": each.path, "characters": [each.start, each.end]} for each in truth.definitions
        ],
        "sha256": truth.digest,
    }
    if truth.files:
        recipe["assets"] = _listed_files(truth)
    return recipe


def _listed_files(truth: Truth) -> list[JsonValue]:
    return [
        {"path": each.path, "member": each.member, "sha256": each.digest} for each in truth.files
    ]


@dataclass(frozen=True)
class Again:
    """What a recipe gives: the truth and the files that come with it, by their paths."""

    truth: str
    assets: dict[str, bytes]


def fetch_again(client: Client, recipe: dict[str, JsonValue]) -> Outcome[Again]:
    """Return the truth that a recipe tells of, with its assets, from arXiv.

    Returns:
        The same text and the same files, to the digest; or a failure, of kind GONE if the source
        does not hold them any more.
    """
    version = recipe.get("version")
    paper = Listed(
        identifier=str(recipe.get("arxiv", "")),
        version=version if isinstance(version, int) else None,
        created=dt.date.min,
        authors=(),
        categories=(),
        comment="",
    )
    files = arxiv_source.fetch(client, paper)
    if isinstance(files, Failed):
        return files
    read_paper = read_choices(files.value)
    if isinstance(read_paper, Failed):
        return read_paper
    for choice in read_paper.value[1]:
        if isinstance(choice.outcome, Ok) and _is_told_of(recipe, truth := choice.outcome.value):
            return ok(Again(truth.text, {each.path: each.data for each in truth.files}))
    message = "the paper's source does not hold this piece any more, or is read otherwise now"
    return Failed.of(Stage.FETCH, Kind.GONE, message, subject=paper.address)


def _is_told_of(recipe: dict[str, JsonValue], truth: Truth) -> bool:
    return recipe.get("sha256") == truth.digest and recipe.get("assets", []) == _listed_files(truth)


def _authors(names: tuple[str, ...]) -> str:
    listed = [name.strip() for name in names if name.strip()]
    more = len(listed) - MOST_AUTHORS
    text = ", ".join(listed[:MOST_AUTHORS]) or "unknown"
    return f"{text} and {more} more" if more > 0 else text
