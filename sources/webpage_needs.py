"""What a site needs besides its own files: Jekyll, a theme, other hosts.

References are rendered without a network. What could not be had there would leave a page without
its style, which must not pass for what its author made; so such sites are dropped here, before
anything is rendered. The renderer looks again at what happens, and its flags drop the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlsplit

from benchmark.outcome import Failed, Kind, Outcome, ok
from sources.webpage_files import MARKDOWN, SiteFiles, has_front_matter, unsuitable

THEMES = frozenset({"minima"})
"""The themes that the image of the renderer holds."""

CONFIGS = ("_config.yml", "_config.yaml", "_config.toml")
FOLDERS = ("_layouts", "_includes", "_posts", "_drafts", "_data", "_sass")
NO_JEKYLL = ".nojekyll"

_SETTING = r"^{}[ \t]*:[ \t]*[\"']?([^\s\"'#][^\"'#\n]*)"
_THEME = re.compile(_SETTING.format("theme"), re.MULTILINE)
_REMOTE_THEME = re.compile(_SETTING.format("remote_theme"), re.MULTILINE)
_THEME_LINE = re.compile(r"^theme[ \t]*:.*\n?", re.MULTILINE)
_NOTHING = frozenset({"null", "~", "false"})
_DEFAULTS = re.compile(r"^defaults[ \t]*:", re.MULTILINE)
_LAYOUT = re.compile(r"^layout[ \t]*:[ \t]*[\"']?([\w./ -]+)", re.MULTILINE)
_DEFAULT_LAYOUTS = ("home", "page", "default")
"""What Jekyll's plug-in gives to Markdown without a layout, see jekyll-default-layout."""

_HOSTS_NAMED = 3
_FRONT_MATTER_CHARACTERS = 10_000


def needs_jekyll(site: SiteFiles) -> bool:
    """Tell whether a site is a source for Jekyll rather than finished; as the renderer tells it."""
    if _is_markdown(site.entry):
        return True
    tops = {name.partition("/")[0] for name in (*site.texts, *site.assets) if "/" in name}
    if tops.intersection(FOLDERS) or any(name in site.texts for name in CONFIGS):
        return True
    return any(has_front_matter(text.encode()) for text in site.texts.values())


def check_needs(site: SiteFiles) -> Outcome[SiteFiles]:
    """Drop a site that needs what is not there; return it as it can be rendered.

    A theme that is named beside layouts of the site's own is no longer named in what is returned:
    those layouts are used in any case, and a layout, an include or a style sheet that they lack
    shows when the page is rendered.

    Returns:
        The site, or a failure of stage filter: MISSING_RESOURCE (a theme, a layout, style sheets
        and scripts of other hosts), UNSUITABLE (said to be finished, but a source).
    """
    if needs_jekyll(site):
        return _check_source(site)
    elsewhere = _elsewhere(site.texts[site.entry])
    return _missing(f"its page needs {elsewhere}") if elsewhere else ok(site)


def _check_source(site: SiteFiles) -> Outcome[SiteFiles]:
    if f"{site.folder}/{NO_JEKYLL}".lstrip("/") in site.left_out:
        return unsuitable(f"{NO_JEKYLL} says that it is finished, but it is a source for Jekyll")
    config = next((site.texts[name] for name in CONFIGS if name in site.texts), "")
    remote, named = _setting(_REMOTE_THEME, config), _setting(_THEME, config)
    if remote:
        return _missing(f"its theme {remote!r} lies in another repository")
    if named in THEMES:
        return ok(site)
    if named and not _own_layouts(site):
        return _missing(f"its theme {named!r} is neither in the repository nor in the renderer")
    bare = _bare(site, config)
    if bare:
        return _missing(bare)
    return ok(_without_theme(site, named) if named else site)


def _setting(pattern: re.Pattern[str], config: str) -> str:
    """Return the value of a setting, or an empty string where it has none."""
    found = pattern.search(config)
    value = found[1].strip() if found else ""
    return "" if value in _NOTHING else value


def _bare(site: SiteFiles, config: str) -> str:
    """Say why the entry page would have no layout, or return an empty string.

    GitHub Pages dresses Markdown in its default theme, which is not there.
    """
    own = _own_layouts(site)
    named = _LAYOUT.search(_front_matter(site.texts[site.entry]))
    if named:
        name = named[1].strip()
        if name in _NOTHING | {"none"} or name in own:
            return ""
        return f"its layout {name!r} is not in the repository"
    if not _is_markdown(site.entry) or _DEFAULTS.search(config):
        return ""
    if own.intersection(_DEFAULT_LAYOUTS):
        return ""
    return "it has no layout of its own, so GitHub Pages would dress it in its default theme"


def _own_layouts(site: SiteFiles) -> set[str]:
    """Return the names of a site's layouts."""
    found = (name.removeprefix("_layouts/") for name in site.texts if name.startswith("_layouts/"))
    return {name.rpartition(".")[0] for name in found}


def _without_theme(site: SiteFiles, named: str) -> SiteFiles:
    name = next(name for name in CONFIGS if name in site.texts)
    text = _THEME_LINE.sub("", site.texts[name])
    change = f"{name} no longer names the theme {named}, whose layouts are in the repository"
    return site.with_text(name, text, change)


def _front_matter(text: str) -> str:
    """Return the lines between the first two lines of dashes."""
    text = text[:_FRONT_MATTER_CHARACTERS].replace("\r\n", "\n").removeprefix("\ufeff")
    if not text.startswith("---\n"):
        return ""
    return text[4:].partition("\n---")[0]


class _Loaded:
    """Takes the tags of a page from the parser; keeps the addresses that it is sure to load."""

    def __init__(self) -> None:
        self.addresses: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "script":
            self.addresses.append(attributes.get("src", ""))
        elif tag == "link" and "stylesheet" in attributes.get("rel", "").lower().split():
            self.addresses.append(attributes.get("href", ""))

    def close(self) -> list[str]:
        return self.addresses


def _elsewhere(page: str) -> str:
    """Name the style sheets and scripts that a finished page loads from other hosts."""
    from lxml import etree  # noqa: PLC0415 - loads slowly

    parser = etree.HTMLParser(target=_Loaded(), encoding="utf-8")
    parser.feed(page.encode())
    addresses: list[str] = parser.close()
    wanted = Counter(host for host in map(_host, addresses) if host)
    if not wanted:
        return ""
    hosts = sorted(wanted)
    more = ", …" if len(hosts) > _HOSTS_NAMED else ""
    return f"{_count(wanted)} of {', '.join(hosts[:_HOSTS_NAMED])}{more}"


def _count(wanted: Mapping[str, int]) -> str:
    number = sum(wanted.values())
    return "a style sheet or script" if number == 1 else f"{number} style sheets or scripts"


def _host(address: str) -> str:
    """Return the host of an address that leaves the site, or an empty string."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ""
    return parts.netloc[:100] if parts.scheme in ("http", "https", "") else ""


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(tuple(MARKDOWN))


def _missing(message: str) -> Failed:
    return unsuitable(message, Kind.MISSING_RESOURCE)
