"""Small sites for the tests of the web renderer, and a renderer that gives up sooner."""

from __future__ import annotations

from pathlib import Path

from benchmark.records import Structure
from renderers.sandbox import Limits
from renderers.web import WebRenderer


def site(entry="index.html", **files: str | bytes) -> Structure:
    data = {
        name.replace("__", "/").replace("_dot_", "."): text.encode()
        if isinstance(text, str)
        else text
        for name, text in files.items()
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


class QuickRenderer(WebRenderer):
    """Gives up sooner, so that the tests of what never ends are short."""

    limits = Limits(seconds=20, memory_mb=1024)
    page_limits = Limits(seconds=12, memory_mb=1024, cpus=2, pids=400, work_mb=256)
