"""Small sites for the tests of the web renderer, and a renderer that gives up sooner."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmark.records import Structure
from renderers.sandbox import Limits
from tests.roads import QuickWeb


def named(files: Mapping[str, str | bytes]) -> dict[str, str | bytes]:
    """Write ``.`` and ``/`` for ``_dot_`` and ``__`` in names."""
    return {name.replace("__", "/").replace("_dot_", "."): data for name, data in files.items()}


def site(entry="index.html", **files: str | bytes) -> Structure:
    data = {
        name: text.encode() if isinstance(text, str) else text
        for name, text in named(files).items()
    }
    return Structure(files=data, entry=entry)


def page(html: str, **files: str | bytes) -> Structure:
    return site(index_dot_html=html, **files)


def folder(path: Path, entry="index.html") -> Structure:
    names = (name for name in sorted(path.rglob("*")) if name.is_file())
    files = {name.relative_to(path).as_posix(): name.read_bytes() for name in names}
    return Structure(files=files, entry=entry)


JEKYLL = site(
    _config_dot_yml="title: Tea\nplugins: [jekyll-feed]\n",
    _layouts__page_dot_html="<link rel=stylesheet href=s.css><h1>{{ site.title }}</h1>"
    "{{ content }}",
    _includes__list_dot_html="{% for x in site.data.teas %}<b>{{ x }}</b> {% endfor %}",
    _data__teas_dot_yml="- Assam\n- Sencha\n",
    s_dot_scss="---\n---\n$c: rgb(200, 30, 10);\nh1 { background: $c; }\n",
    index_dot_md="---\nlayout: page\n---\nSome *teas*: {% include list.html %}\n",
    entry="index.md",
)


class QuickRenderer(QuickWeb):
    """Gives up sooner with Jekyll, too."""

    limits = Limits(seconds=20, memory_mb=1024)
