"""Web: a site as a JSON list of files, as bare HTML, as fenced blocks or as a folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Answer, Flag, Structure
from scenarios.fences import Block
from scenarios.languages.web_blocks import read_blocks
from scenarios.languages.web_files import (
    as_one_text,
    find_entry,
    is_picture,
    name_fault,
    no_entry,
    tidy_name,
    write,
)
from scenarios.languages.web_items import read_items
from scenarios.parsing import (
    clean_text,
    cut_off_flag,
    degenerate_repetition,
    extract,
    find_blocks,
    read_json,
    strip_reasoning,
)

__all__ = ["Web", "write"]

FOLDER_FILES = 500
FOLDER_BYTES = 20_000_000

_JSON_TAGS = ("json", "json5", "jsonc", "web")
_FRONT_MATTER = r"(?:---[ \t]*\n(?:(?!---).*\n){0,200}---[ \t]*\n\s*)?"
_BARE_HTML = re.compile(
    rf"\s*{_FRONT_MATTER}<(?:!doctype|!--|[a-z][a-z0-9-]*[\s>/])", re.IGNORECASE
)
_DOCUMENT = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_END = re.compile(r"</html\s*>", re.IGNORECASE)
_FRAGMENT = re.compile(r"<([a-z][a-z0-9]*)(?:\s[^<>]*)?>", re.IGNORECASE)
_JSON_LIST = re.compile(r"\[\s{0,100}\{\s{0,100}[\"'“]|\{\s{0,100}[\"'“]")


class Web:
    """How web sites are read; nothing in them is ever repaired after a failed rendering.

    What a site lacks (a theme, a layout, an include) cannot be supplied without changing what its
    author meant. Where leaving something out is harmless (plug-ins, a theme beside own layouts) the
    renderer does so for truth and answer alike, and flags it.
    """

    name = "web"
    version = "1"
    renderer = "web"

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer or a bare source (HTML, or a JSON list of files).

        Tried in this order: the whole text as JSON or as HTML; a fenced block of JSON; fenced
        blocks of HTML, CSS, JavaScript and named files; JSON or HTML amid prose.

        Args:
            text: a completion, or the content of an ``.html`` or ``.json`` file.
            truncated: whether the provider cut the completion off.

        Returns:
            The site; its text is all text files one after the other, the index first. Failures of
            stage parse: ``no_answer``, ``truncated``, ``parse_error`` (neither JSON nor HTML, or
            items that are no files), ``unsafe_input`` (names that leave the folder),
            ``missing_resource`` (no entry page).
        """
        cleaned, repairs = clean_text(text)
        body = strip_reasoning(cleaned)
        if body is None or not body.strip():
            return _unreadable(text, truncated)
        whole = _from_whole(body, truncated, repairs)
        if whole is not None:
            return whole
        blocks = [block for block in find_blocks(body) if block.text.strip()]
        if any(_holds_json(block.tag, block.text) for block in blocks):
            return _from_json_block(text, truncated)
        fenced = _from_blocks(body, blocks, truncated, repairs)
        if fenced is not None:
            return fenced
        return _from_prose(body, truncated, repairs) or _unreadable(text, truncated)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002
        """Return None: see the class."""
        return None

    def from_files(self, files: dict[str, bytes]) -> Outcome[Answer]:
        """Read a site whose files are at hand (an unpacked archive), pictures included."""
        return _site(files, (), ())

    def from_folder(self, folder: Path) -> Outcome[Answer]:
        """Read a site's folder as it lies on the disk, pictures included.

        Symbolic links are refused (``unsafe_input``), a missing folder is a ``parse_error``, and
        more than 500 files or 20 MB are a ``resource_limit``. Hidden folders (``.git``) are left
        out.
        """
        if not folder.is_dir():
            return _failed(Kind.PARSE_ERROR, f"{folder} is not a folder")
        files: dict[str, bytes] = {}
        size = 0
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(folder)
            if any(part.startswith(".") for part in relative.parts):
                continue
            if path.is_symlink():
                return _failed(Kind.UNSAFE_INPUT, f"{relative} is a symbolic link")
            if not path.is_file():
                continue
            size += path.stat().st_size
            if len(files) >= FOLDER_FILES or size > FOLDER_BYTES:
                return _failed(
                    Kind.RESOURCE_LIMIT,
                    f"{folder} holds more than {FOLDER_FILES} files or {FOLDER_BYTES} bytes",
                )
            files[relative.as_posix()] = path.read_bytes()
        return self.from_files(files)


def _from_whole(body: str, truncated: bool, repairs: Sequence[str]) -> Outcome[Answer] | None:
    """Read a text that begins as JSON or HTML; None when it begins with anything else."""
    if body.lstrip().startswith(("[", "{")):
        return _from_json(body, repairs, ())
    return _from_html(body, truncated, repairs) if _BARE_HTML.match(body) else None


def _from_prose(body: str, truncated: bool, repairs: Sequence[str]) -> Outcome[Answer] | None:
    """Read JSON or HTML that stands amid prose without a fence, whichever comes first."""
    document, items = _DOCUMENT.search(body), _JSON_LIST.search(body)
    if items and (document is None or items.start() < document.start()):
        return _from_json(body[items.start() :], (*repairs, "text around the JSON dropped"), ())
    return _from_html(body, truncated, repairs)


def _from_html(body: str, truncated: bool, repairs: Sequence[str]) -> Outcome[Answer] | None:
    """Read HTML that may stand amid prose; it becomes ``index.html``. None without any tag."""
    if truncated and degenerate_repetition(body):
        return _repetition()
    html = _cut_html(body)
    if html is None:
        return None
    prose = () if html.strip() == body.strip() else ("text around the HTML dropped",)
    return _answer(
        [("index.html", html)],
        (*repairs, *prose, "HTML without a file name read as index.html"),
        (cut_off_flag(),) if truncated else (),
    )


def _from_blocks(
    body: str, blocks: Sequence[Block], truncated: bool, repairs: Sequence[str]
) -> Outcome[Answer] | None:
    """Read a site from fenced blocks; None when they hold none."""
    named = read_blocks(body, blocks)
    if named is None:
        return None
    if all(block.closed for block in blocks):
        return _answer(named.pairs, (*repairs, *named.repairs), ())
    if degenerate_repetition(blocks[-1].text):
        return _repetition()
    return _answer(
        named.pairs,
        (*repairs, *named.repairs, "closing fence supplied"),
        (cut_off_flag(),) if truncated else (),
    )


def _holds_json(tag: str, text: str) -> bool:
    if tag in ("", "web"):
        return text.lstrip().startswith(("[", "{"))
    return tag in _JSON_TAGS


def _from_json_block(text: str, truncated: bool) -> Outcome[Answer]:
    extracted = extract(text, _JSON_TAGS, truncated=truncated)
    if isinstance(extracted, Failed):
        return extracted
    found = extracted.value
    return _from_json(found.text, found.repairs, found.flags)


def _from_json(text: str, repairs: Sequence[str], flags: Sequence[Flag]) -> Outcome[Answer]:
    if degenerate_repetition(text):
        return _repetition()
    json = read_json(text)
    if isinstance(json, Failed):
        return json
    cut_off = any(flag.kind is Kind.TRUNCATED for flag in json.value.flags)
    items = read_items(json.value.value, cut_off=cut_off)
    if isinstance(items, Failed):
        return items
    all_flags = dict.fromkeys((flag.kind, flag.message) for flag in (*flags, *json.value.flags))
    return _answer(
        items.pairs,
        (*repairs, *json.value.repairs, *items.repairs),
        (*(Flag(kind=kind, message=message) for kind, message in all_flags), *items.flags),
    )


def _cut_html(body: str) -> str | None:
    """Return the HTML document or fragment in a text, or None."""
    document, whole = _DOCUMENT.search(body), _BARE_HTML.match(body)
    if document:
        start, ends = 0 if whole else document.start(), list(_END.finditer(body))
        return body[start : ends[-1].end() if ends else len(body)].strip("\n") + "\n"
    first = _FRAGMENT.search(body)
    if first is None:
        return None
    end = body.rfind(">") + 1
    if whole and not body[end:].startswith("\n\n"):
        return body  # what follows the last tag is text of the page, not a remark below it
    return body[0 if whole else first.start() : end].lstrip("\n") + "\n"


def _answer(
    pairs: Sequence[tuple[str, str]], repairs: Sequence[str], flags: Sequence[Flag]
) -> Outcome[Answer]:
    """Check names and build the answer; of files with one name the last stays, flagged."""
    unsafe = [f"{name[:80]!r} {fault}" for name, _ in pairs if (fault := name_fault(name))]
    if unsafe:
        return _failed(Kind.UNSAFE_INPUT, f"file name {'; '.join(unsafe[:4])}")
    files: dict[str, bytes] = {}
    noted: dict[str, Flag] = {}
    for name, content in ((tidy_name(name), content) for name, content in pairs):
        data = content.encode("utf-8", "replace")
        if is_picture(name):
            noted[name] = _flag(f"{name} is left out: a picture cannot be written as text")
            continue
        if files.get(name, data) != data:
            noted[name] = _flag(f"{name} is written twice; the last one is kept")
        files[name] = data
    return _site(files, tuple(repairs), (*flags, *noted.values()))


def _site(
    files: dict[str, bytes], repairs: Sequence[str], flags: Sequence[Flag]
) -> Outcome[Answer]:
    inner = _without_wrapper(files)
    if inner is not None:
        files, repairs = inner, (*repairs, "folder around all files dropped")
    entry = find_entry(files)
    if entry is None:
        return no_entry(files)
    return ok(
        Answer(
            structure=Structure(files=files, entry=entry),
            text=as_one_text(files),
            repairs=tuple(repairs),
            flags=tuple(flags),
        )
    )


def _without_wrapper(files: dict[str, bytes]) -> dict[str, bytes] | None:
    """Return the files without the one folder that holds them all, if there is one."""
    tops = {name.split("/", 1)[0] for name in files}
    if len(tops) != 1 or any("/" not in name for name in files) or tops.pop()[0] in "_.":
        return None
    return {name.split("/", 1)[1]: data for name, data in files.items()}


def _flag(message: str) -> Flag:
    return Flag(kind=Kind.PARSE_ERROR, message=message)


def _unreadable(text: str, truncated: bool) -> Failed:
    nothing = extract(text, (), truncated=truncated)
    if isinstance(nothing, Failed):
        return nothing
    return _failed(Kind.PARSE_ERROR, "the answer holds neither a JSON list of files nor HTML")


def _repetition() -> Failed:
    return _failed(
        Kind.TRUNCATED, "degenerate_repetition: the answer repeats itself until it is cut off"
    )


def _failed(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.PARSE, kind, message)
