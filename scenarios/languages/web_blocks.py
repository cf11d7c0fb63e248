"""A site in several fenced blocks, each with or without a file name beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scenarios.fences import Block
from scenarios.languages.web_files import tidy_name

HTML_TAGS = frozenset({"html", "htm", "xhtml", "html5", "svg", "vue", "liquid", "jinja", "web"})
_UNNAMED = {"css": "style.css", "js": "script.js", "javascript": "script.js"}
_SUFFIX = {"css": ".css", "js": ".js", "javascript": ".js"}

_FILE = r"[\w@-][\w.@/-]{0,200}\.[A-Za-z0-9]{1,8}|_config\.yml"
_IN_INFO = re.compile(rf"(?:^|[\s:=\"'{{])((?:\./)?(?:{_FILE}))(?=$|[\s\"'}}])")
_LINE_ABOVE = re.compile(
    rf"[\s>#*_\-\d.)]*(?:file(?:name)?|path)?[\s:*]*[`*_\"']*((?:\./)?(?:{_FILE}))[`*_\"']*"
    r"(?:[ \t]*\([^()]{0,80}\))?[\s:*_`]*",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    rf"\s*(?:<!--|/\*|//|#)[ \t]*(?:file(?:name)?:?[ \t]*)?((?:\./)?(?:{_FILE}))"
    r"[ \t]*(?:-->|\*/)?[ \t]*$",
    re.IGNORECASE,
)
_LINKED = re.compile(r"""(?:href|src)\s*=\s*["']?([^"'\s>]{1,300})""", re.IGNORECASE)
_SNIPPET_SHARE = 0.5


class Named(NamedTuple):
    """Pairs of file name and content, with what was guessed."""

    pairs: list[tuple[str, str]]
    repairs: tuple[str, ...]


def read_blocks(body: str, blocks: Sequence[Block]) -> Named | None:
    """Read a site from fenced blocks.

    A block's file name stands in its info string (```` ```html index.html````), in the line above
    it (``**style.css**``) or in a comment in its first line. Of the HTML blocks without a name the
    last that is no snippet becomes ``index.html``; style sheets and scripts without a name take the
    one name that the page links and no other block has, else ``style.css`` and ``script.js``.

    Returns:
        None when no block holds a page or has a name.
    """
    named = [(name, block) for block in blocks if (name := _name(body, block))]
    taken = {name for name, _ in named}
    rest = [block for block in blocks if not _name(body, block)]
    pairs = [(name, block.text) for name, block in named]
    repairs = ["several named code blocks read as files"] if named else []
    page = _page(rest)
    if page is not None and "index.html" not in taken:
        pairs.append(("index.html", page.text))
        repairs.append("HTML without a file name read as index.html")
    if not pairs:
        return None
    for block in rest:
        if block.tag in _UNNAMED:
            name = _linked(pairs, _SUFFIX[block.tag], taken) or _UNNAMED[block.tag]
            taken.add(name)
            pairs.append((name, block.text))
            repairs.append(f"unnamed {block.tag} block read as {name}")
    return Named(pairs, tuple(dict.fromkeys(repairs)))


def _name(body: str, block: Block) -> str | None:
    first = body[block.start : block.end].split("\n", 1)[0]
    info = first.strip().lstrip("`~> ")
    found = _IN_INFO.search(info) if "<" not in info else None
    if found is None:
        above = body[: block.start].rstrip("\n").rsplit("\n", 1)[-1]
        found = _LINE_ABOVE.fullmatch(above[-300:])
    if found is None:
        found = _COMMENT.match(block.text.split("\n", 1)[0][:300])
    return tidy_name(found[1]) if found else None


def _page(blocks: Sequence[Block]) -> Block | None:
    pages = [
        block
        for block in blocks
        if block.tag in HTML_TAGS or (not block.tag and block.text.lstrip().startswith("<"))
    ]
    if not pages:
        return None
    least = _SNIPPET_SHARE * max(len(block.text) for block in pages)
    return next(block for block in reversed(pages) if len(block.text) >= least)


def _linked(pairs: list[tuple[str, str]], suffix: str, taken: set[str]) -> str | None:
    """Return the only local file of a kind that the pages link and that has no block yet."""
    links = (
        tidy_name(link.split("?")[0])
        for name, text in pairs
        if name.endswith((".html", ".htm"))
        for link in _LINKED.findall(text)
        if "//" not in link
    )
    found = {link for link in links if link.endswith(suffix) and ".." not in link} - taken
    return found.pop() if len(found) == 1 else None
