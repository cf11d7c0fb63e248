r"""LaTeX as a notation: how an answer is read, what is taken out of it, how it is repaired.

An answer is a *document* when it names a document class; it is then compiled as it is, after the
repairs recorded with it. Anything else is a *snippet*, and the renderer supplies the document
around it. The option ``form`` of the structure says which; further options are

``packages``, ``libraries``, ``plot_libraries``
    LaTeX packages, TikZ and PGFPlots libraries that a snippet needs beyond the standard preamble.
``preamble``
    package lines that stood in a snippet.
``engine``
    ``xelatex`` for text that pdfTeX has no characters for; pdfTeX otherwise.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Answer, Structure
from scenarios.languages import tex_cleaning, tex_closing
from scenarios.languages.tex_packages import (
    ALGORITHM_PACKAGES,
    UNICODE_PACKAGES,
    algorithm_family,
    loaded_packages,
)
from scenarios.languages.tex_repairs import REPAIRS, UNICODE_ENGINE
from scenarios.languages.tex_source import has, is_document, mask, normalise
from scenarios.parsing import Extracted, cut_off_flag, extract, read_json

ENTRY = "answer.tex"
FENCES = ("latex", "tex")

_JSON = re.compile(r'\s*\{\s*"(?P<key>latex|tex|code|source|document|answer)"\s*:')
_PROSE_BEFORE = re.compile(r"\A\s*[^\\%\s{$].*?(?=\\document(?:class|style)\b)", re.DOTALL)


class Tex:
    """The language of the renderer ``tex``."""

    name = "tex"
    version = "1"
    renderer = "tex"

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer: a fenced block, ``{"latex": …}`` or bare source.

        Args:
            text: a completion, a truth or a source file.
            truncated: whether the provider cut the completion off.

        Returns:
            The answer with one structure file ``answer.tex`` and all repairs recorded, or a
            failure of stage parse: no_answer, truncated, parse_error, or unsupported (plain TeX).
        """
        outcome = _source(text, truncated)
        if isinstance(outcome, Failed):
            return outcome
        extracted = outcome.value
        if has(r"\\bye(?![a-zA-Z])", extracted.text) and not is_document(extracted.text):
            return Failed.of(Stage.PARSE, Kind.UNSUPPORTED, "plain TeX, not LaTeX")
        return ok(_answer(extracted))

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """Make the one repair that answers the failure's message; None when there is none."""
        if failure.kind not in (Kind.COMPILE_ERROR, Kind.UNSUPPORTED):
            return None
        for repair in REPAIRS:
            match = repair.message.search(failure.message)
            repaired = repair.apply(answer.structure, match) if match else None
            if repaired is not None and repaired[1] not in answer.repairs:
                return answer.repaired(*repaired)
        return None


def _source(text: str, truncated: bool) -> Outcome[Extracted]:
    """Find the LaTeX in a completion."""
    outcome = extract(text, FENCES, truncated=truncated)
    if isinstance(outcome, Failed):
        return outcome
    extracted = outcome.value
    wrapped = _JSON.match(extracted.text)
    if wrapped:
        return _from_json(extracted, wrapped["key"])
    if extracted.fenced or not is_document(extracted.text):
        return outcome
    document = _document_in_prose(extracted.text)
    repairs = extracted.repairs
    if document != extracted.text:
        repairs = (*repairs, "prose around the document dropped")
    return ok(extracted.model_copy(update={"text": document, "repairs": repairs}))


def _from_json(extracted: Extracted, key: str) -> Outcome[Extracted]:
    outcome = read_json(extracted.text)
    if isinstance(outcome, Failed):
        return outcome
    value = outcome.value.value
    text = value.get(key) if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        return Failed.of(Stage.PARSE, Kind.NO_ANSWER, f'the JSON field "{key}" holds no LaTeX')
    update = {
        "text": text,
        "repairs": (*extracted.repairs, *outcome.value.repairs),
        "flags": (*extracted.flags, *outcome.value.flags),
    }
    return ok(extracted.model_copy(update=update))


def _document_in_prose(text: str) -> str:
    r"""Return a document without the prose before its class and after its end."""
    text = _PROSE_BEFORE.sub("", text)
    end = re.search(r"\\end\s*\{document\}", mask(text))
    return text[: end.end()] if end else text


def _answer(extracted: Extracted) -> Answer:
    text, repairs, flags = extracted.text, [*extracted.repairs], [*extracted.flags]
    for step in (tex_cleaning.use_document_class, tex_cleaning.supply_document_class):
        text = _note(step(text), repairs)
    closed = tex_closing.close(text)
    if closed is not None:
        text = closed
        repairs.append("open environments and groups closed")
        if not any(flag.kind is Kind.TRUNCATED for flag in flags):
            flags.append(cut_off_flag())
    for step in (tex_cleaning.star_environments, tex_cleaning.drop_pointers):
        text = _note(step(text), repairs)
    written = normalise(text)
    text, options = _options(_note(tex_cleaning.suppress_page_numbers(text), repairs))
    if options["form"] == "snippet":
        repairs.append("preamble supplied")
    return Answer(
        structure=Structure(files={ENTRY: text.encode("utf-8")}, entry=ENTRY, options=options),
        text=written,
        repairs=tuple(repairs),
        flags=tuple(flags),
    )


def _note(cleaned: tex_cleaning.Cleaned, repairs: list[str]) -> str:
    text, repair = cleaned
    if repair:
        repairs.append(repair)
    return text


def _options(text: str) -> tuple[str, dict[str, JsonValue]]:
    """Return the text to compile and what the renderer must know about it."""
    options: dict[str, JsonValue] = {"form": "document" if is_document(text) else "snippet"}
    if loaded_packages(text) & UNICODE_PACKAGES or has(r"\{ctex\w+\}", text):
        options["engine"] = UNICODE_ENGINE
    if options["form"] == "document":
        return text, options
    snippet = tex_cleaning.split_snippet(text)
    if snippet.preamble:
        options["preamble"] = snippet.preamble
    if not loaded_packages(snippet.preamble) & ALGORITHM_PACKAGES:
        family = algorithm_family(snippet.body)
        if family:
            options["packages"] = list(family)
    return snippet.body, options
