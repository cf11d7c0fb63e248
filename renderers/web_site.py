"""From the files of an answer to a site that can be served: Jekyll where it is asked for.

Jekyll runs only for sites that need it (`needs_jekyll`); all others are served as they are, so that
folders with a leading underscore are not lost. It runs in safe mode, in a container of its own,
with the plug-ins and the one theme (minima) that the image holds, without a network, and never
looks at a Gemfile. Source and destination are ours whatever ``_config.yml`` says. Its clock stands
still, and posts dated after it are published all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag
from renderers.bundle import Bundle
from renderers.job import WORK
from renderers.sandbox import Execution, Limits, Pool, stopped_failure

ORIGIN = "http://site.test"
"""Where pages believe to live; the name is reserved (RFC 6761) and never resolved."""

LIMITS = Limits(seconds=30, memory_mb=1024)
"""Of one build. A build takes a second of processor time; the rest is room for a busy machine."""
COMMAND = ("ruby", "/usr/local/lib/rerender/build-site.rb")

MOST_FLAGS = 10
MESSAGE_CHARACTERS = 300
LOG_CHARACTERS = 4000

_SPECIAL_FILES = ("_config.yml", "_config.yaml", "_config.toml")
_SPECIAL_FOLDERS = ("_layouts", "_includes", "_posts", "_drafts", "_data", "_sass")
_MARKDOWN = (".md", ".markdown", ".mkd", ".mkdn", ".mkdown")
_PAGES = (".html", ".htm", ".xhtml")
_FRONT_MATTER = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_ABSENT = re.compile(r"could not locate|could not find|file to import not found|not found", re.I)
_LAYOUT = re.compile(r"Layout .* does not exist")
_WORK = re.compile(rf"{re.escape(WORK)}/source/|(?<![\w/])source/")


@dataclass(frozen=True)
class Site:
    """Files as a web server would hold them, and the page to open."""

    files: Mapping[str, bytes]
    entry: str
    base: str = ""
    """Path below which the site believes to be served: "" or ``/project``."""
    flags: tuple[Flag, ...] = ()
    log: str = ""

    @property
    def url(self) -> str:
        """Address of the entry page."""
        path = "" if self.entry == "index.html" else quote(self.entry)
        return f"{ORIGIN}{quote(self.base)}/{path}"

    def find(self, path: str) -> str | None:
        """Return the file behind the (unquoted) path of an address, as GitHub Pages finds it."""
        for root in (self.base, "") if self.base else ("",):
            if not path.startswith(f"{root}/") and path != root:
                continue
            name = path[len(root) :].strip("/")
            folder = f"{name}/" if name else ""
            for candidate in (name, f"{folder}index.html", f"{name}.html"):
                if candidate in self.files:
                    return candidate
        return None


def make_site(bundle: Bundle, pool: Pool) -> Outcome[Site]:
    """Turn checked files into a site, building it with Jekyll if it asks for that.

    Returns:
        The site, or a failure: what Jekyll said (``compile_error``), what it lacked
        (``missing_resource``: a theme, an include), the limit that it met, or no page to open.
    """
    if not needs_jekyll(bundle):
        if not bundle.entry.lower().endswith(_PAGES):
            return _failed(Kind.UNSUPPORTED, f"{bundle.entry} is not a page that a browser shows")
        return ok(Site(bundle.files, bundle.entry))
    outcome = pool.run(
        COMMAND,
        {f"source/{name}": data for name, data in bundle.files.items()},
        collect=("report.json", "site"),
        environment={"RERENDER_ORIGIN": ORIGIN},
    )
    if isinstance(outcome, Failed):
        return outcome
    return read_build(outcome.value, bundle.entry, pool.limits)


def needs_jekyll(bundle: Bundle) -> bool:
    """Tell whether files are a Jekyll source rather than a finished site.

    They are if they have a ``_config.yml``, one of Jekyll's own folders, an entry in Markdown, or
    any file that begins with front matter.
    """
    if bundle.entry.lower().endswith(_MARKDOWN):
        return True
    tops = {name.split("/", 1)[0] for name in bundle.files if "/" in name}
    if tops.intersection(_SPECIAL_FOLDERS) or any(name in bundle.files for name in _SPECIAL_FILES):
        return True
    return any(_FRONT_MATTER.match(data) for data in bundle.files.values())


def read_build(execution: Execution, entry: str, limits: Limits) -> Outcome[Site]:
    """Decide what a run of Jekyll means.

    The report decides, not the exit status: Jekyll ends with 0 although a layout is missing or
    front matter is broken (both become flags), and its error status says nothing of the cause.
    """
    stopped = stopped_failure(execution, limits)
    if stopped:
        return stopped
    report = _read_report(execution.files.get("report.json", b""))
    if report is None:
        message = f"Jekyll ended with status {execution.exit_code} and without a report"
        return _failed(Kind.COMPILE_ERROR, message, execution.log)
    log = "\n".join(text for _, text in _log_lines(report))
    failure = _theme_failure(report) or _build_failure(report, log)
    if failure:
        return failure
    files = {
        name.removeprefix("site/"): data
        for name, data in execution.files.items()
        if name.startswith("site/")
    }
    page = _entry(files, entry)
    if isinstance(page, Failed):
        return page
    base = _base(report.get("baseurl"))
    return ok(Site(files, page, base, _flags(report), log[-LOG_CHARACTERS:]))


def _read_report(data: bytes) -> dict[str, Any] | None:
    try:
        report = json.loads(data)
    except ValueError:
        return None
    return report if isinstance(report, dict) else None


def _log_lines(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the level and the text of what Jekyll logged, without our paths."""
    return [
        (level, " ".join(_WORK.sub("", text).split())[:MESSAGE_CHARACTERS])
        for level, text in report.get("log", [])
    ]


def _theme_failure(report: dict[str, Any]) -> Failed | None:
    theme = report.get("theme") or {}
    if theme.get("remote"):
        return _failed(
            Kind.MISSING_RESOURCE,
            f"remote_theme {theme['remote']!r} cannot be fetched: there is no network",
        )
    if theme.get("named") and not theme["use"] and not theme["own_layouts"]:
        return _failed(
            Kind.MISSING_RESOURCE,
            f"theme {theme['named']!r} is not available (only minima is) and the site has no "
            "_layouts of its own",
        )
    return None


def _build_failure(report: dict[str, Any], log: str) -> Failed | None:
    """Name the file and the error that stopped a build; Jekyll's last error line holds both."""
    error = report.get("error")
    if not error:
        return None if report.get("built") else _failed(Kind.COMPILE_ERROR, "nothing built", log)
    said = _WORK.sub("", f"{error.get('file') or ''} {error['message']}").strip()
    said = said.replace("(<unknown>): ", "")
    name = str(error["class"]).rpartition("::")[2]
    if name in ("SystemStackError", "NoMemoryError", "StackLevelError"):
        return _failed(Kind.RESOURCE_LIMIT, f"Jekyll: {name}: {said}", log)
    errors = [text for level, text in _log_lines(report) if level == "error"]
    stated = next((text for text in errors if "Exception" in text), "")
    message = stated if said.split("\n")[0][:60] in stated else f"{stated} {said}".strip()
    missing = name == "MissingDependencyException" or _ABSENT.search(said)
    kind = Kind.MISSING_RESOURCE if missing else Kind.COMPILE_ERROR
    return _failed(kind, f"Jekyll: {message}", log)


def _flags(report: dict[str, Any]) -> tuple[Flag, ...]:
    theme = report.get("theme") or {}
    found = []
    if theme.get("named") and not theme["use"]:
        found.append((Kind.MISSING_RESOURCE, f"theme {theme['named']!r} dropped for own _layouts"))
    found += [
        (Kind.MISSING_RESOURCE, f"plug-in {str(plugin)[:100]!r} is not available")
        for plugin in report.get("plugins_absent", [])
    ]
    for _, text in _log_lines(report):
        if _LAYOUT.search(text):
            found.append((Kind.MISSING_RESOURCE, text))
        elif "YAML Exception" in text:
            found.append((Kind.COMPILE_ERROR, f"yaml_error: {text}"))
        elif "Liquid Warning" in text or text.startswith(("Error", "Conversion error")):
            found.append((Kind.COMPILE_ERROR, text))
    distinct = list(dict.fromkeys(found))[:MOST_FLAGS]
    return tuple(Flag(kind=kind, message=message) for kind, message in distinct)


def _entry(files: Iterable[str], source: str) -> str | Failed:
    """Find the page to open: the index, what became of the entry, or the only page there is."""
    pages = sorted(
        name for name in files if name.lower().endswith(_PAGES) and not name.startswith("404.")
    )
    stem = source.rpartition(".")[0]
    for name in ("index.html", "index.htm", f"{stem}.html", f"{stem}/index.html"):
        if name in pages:
            return name
    if len(pages) == 1:
        return pages[0]
    what = f"{len(pages)} pages, none is index.html" if pages else "no page"
    return _failed(Kind.MISSING_RESOURCE, f"no entry page: Jekyll made {what}")


def _base(value: object) -> str:
    """Return a usable ``baseurl``: "" or a path that begins with a slash and ends without one."""
    path = str(value or "").strip("/")
    return f"/{path}" if path and "//" not in path and ".." not in path else ""


def _failed(kind: Kind, message: str, log: str = "") -> Failed:
    return Failed.of(Stage.RENDER, kind, message, log[-LOG_CHARACTERS:])
