"""What the stand-in of GitHub holds where a test wants nothing else: good sites and bad ones."""

from __future__ import annotations

import io

from PIL import Image

from tests.servers.github_server import Repo


def picture(colour: str = "#246", size: tuple[int, int] = (120, 80)) -> bytes:
    """Draw a PNG of one colour."""
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def page(title: str, *, head: str = "", body: str = "") -> bytes:
    """Write a page of a dozen lines and more."""
    items = "\n".join(f"  <li>{title}, part {number}</li>" for number in range(1, 7))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
{head}
</head>
<body>
<h1 style="background: #531; color: #fff; padding: 2em 1em 9em">{title}</h1>
<ul>
{items}
</ul>
{body}
</body>
</html>
""".encode()


STYLE = b"body { background: #eef; color: #123; font: 20px sans-serif; margin: 40px }\n" * 3
LINK = '<link rel="stylesheet" href="css/site.css">'
CDN = '<link rel="stylesheet" href="https://cdn.example.org/bootstrap.min.css">'
SCRIPT = b"const list = document.querySelector('ul');\nlist.style.columns = 2;\n"

PLAIN = {
    "index.html": page("Boats", head=LINK, body='<img src="boat.png" alt="A boat">'),
    "css/site.css": STYLE,
    "boat.png": picture(),
    "README.md": b"# Boats\n",
    "LICENSE": b"MIT\n",
    ".gitignore": b"*.swp\n",
}

JEKYLL = {
    "_config.yml": b"title: Lamps\n",
    "_layouts/default.html": page("{{ site.title }}", head=LINK, body="{{ content }}"),
    "css/site.css": STYLE,
    "index.md": b"---\nlayout: default\ntitle: Lamps\n---\n# Old lamps\n\n* brass\n* glass\n",
}

REMOTE = {**JEKYLL, "_config.yml": b"remote_theme: somebody/theme\n"}
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def good() -> list[Repo]:
    """Return sites that become material: two in HTML, one each in CSS and JavaScript."""
    styled = {"index.html": page("Kites", head=LINK), "css/site.css": STYLE * 20}
    scripted = {
        "index.html": page("Maps", body='<script src="site.js"></script>'),
        "site.js": SCRIPT,
    }
    return [
        Repo("ada-q/ada-q.github.io", PLAIN, created="2026-11-20T08:00:00Z"),
        Repo("ben/ben.github.io", JEKYLL, created="2026-11-18T09:30:00Z", licence=None),
        Repo("cleo/cleo.github.io", styled, "CSS", created="2026-11-19T10:00:00Z"),
        Repo("dan/dan.github.io", scripted, "JavaScript", created="2026-11-17T23:59:59Z",
             licence="GPL-3.0"),
    ]  # fmt: skip


def bad() -> list[Repo]:
    """Return repositories that are dropped, each for another reason."""
    many = {f"part{number}.html": page("x") for number in range(9)} | {"index.html": page("x")}
    return [
        Repo("ada-q/second.github.io", PLAIN, created="2026-11-15T08:00:00Z"),
        Repo("eve/eve.github.io", {"index.html": page("Shop", head=CDN)}),
        Repo("fay/fay.github.io", PLAIN, fork=True),
        Repo("gus/gus.github.io", PLAIN, archived=True),
        Repo("hal/hal.github.io", many),
        Repo("ida/ida.github.io", REMOTE),
        Repo("jon/jon.github.io", {**PLAIN, "boat.png": POINTER}),
        Repo("kim/kim.github.io", {"README.md": b"# Hello\n" * 20}, "CSS"),
        Repo("lea/lea.github.io", trouble="gone"),
        Repo("max/max.github.io", PLAIN, "JavaScript", trouble="cut"),
    ]


def tomorrow() -> list[Repo]:
    """Return what is made on the next day."""
    fresh = {"index.html": page("Clocks", head=LINK), "css/site.css": STYLE}
    return [Repo("noa/noa.github.io", fresh, created="2026-11-28T07:00:00Z")]


def repositories() -> list[Repo]:
    """Return all of the first day."""
    return [*good(), *bad()]
