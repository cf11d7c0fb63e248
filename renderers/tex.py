r"""The LaTeX renderer: a document or a snippet to one picture of all its pages.

A structure's option ``form`` says what its entry is. A *document* is compiled as it is. A *snippet*
is put into the standard document (`renderers.tex_document`), which the image holds as a dumped
format; the options ``packages``, ``libraries``, ``plot_libraries`` and ``preamble`` add to it. The
option ``engine`` is ``pdflatex`` or ``xelatex``; never LuaLaTeX, which would run Lua. Both engines
run without shell escape and may neither read nor write outside their work folder.

When is there a picture? Every error ends a run, so a PDF that TeX makes in spite of errors is never
looked at: a status other than 0 is a failure with the first error. Status 0 is a picture only if no
character was lost on the way (``unsupported``), no file outside the folder was asked for
(``unsafe_input``; TeX refuses it and may go on without), a page was written and something on it is
visible (``empty_render``), and no limit was met: 10 pages, 50 million pixels (``resource_limit``).
All pages are stacked into one picture, whose ``pages`` says how many there are.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag, Picture, Structure
from renderers import bundle, canvas, tex_log
from renderers.pooled import PooledRenderer
from renderers.sandbox import Execution, Limits, stopped_failure
from renderers.tex_document import build, standard_preamble

DPI = 200
"""Resolution of the pictures, as in Image2Struct (the default of pdf2image)."""

MOST_PAGES = 10
_PAGE = "rerender-page"
LIMITS = Limits(seconds=60)
ENGINES = ("pdflatex", "xelatex")

DOCUMENT = "rerender-document.tex"
_ENTRY = re.compile(r"(?:\w[\w-]*/)*\w[\w-]*(?:\.\w[\w-]*)*\.tex", re.ASCII)
_COUNT = re.compile(r"^(pages|pixels) (\d+)$", re.M)


class _Job(NamedTuple):
    engine: str
    entry: str
    files: Mapping[str, bytes]


class TexRenderer(PooledRenderer):
    """Renders LaTeX; safe to call from several threads at once."""

    name = "tex"
    version = "2"
    limits = LIMITS

    def __init__(
        self,
        *,
        workers: int | None = None,
        runtime: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Describe the renderer; nothing is started before the first structure.

        Args:
            workers: containers kept ready, by default the setting of that name.
            runtime: OCI runtime, by default the setting ``container_runtime``.
            limits: of one document.
        """
        super().__init__(workers=workers, runtime=runtime)
        self.limits = limits or LIMITS

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render a document or a snippet.

        Args:
            structure: an entry ``*.tex`` and what it inputs or includes; options as above.

        Returns:
            An RGB picture at 200 dots per inch, cropped to its content, all pages below each
            other; or the failure, whose message begins with ``file:line:`` for an error of TeX.
        """
        begun = time.monotonic()
        job = _prepare(structure)
        if isinstance(job, Failed):
            return job
        name = job.value.entry.rpartition("/")[2].removesuffix(".tex")
        limits = (str(DPI), str(MOST_PAGES), str(canvas.MAX_PIXELS))
        outcome = self.pool.run(
            ["render-tex", job.value.engine, name, job.value.entry, *limits],
            job.value.files,
            collect=[f"{name}.log", f"{_PAGE}-*.png"],
        )
        if isinstance(outcome, Failed):
            return outcome
        execution = outcome.value
        transcript = execution.files.get(f"{name}.log", b"")
        log = tex_log.read(transcript)
        failure = (
            tex_log.refused_path(execution.stderr)
            or stopped_failure(execution, self.limits)
            or _failure(execution, log, job.value.engine)
        )
        if failure:
            return failure
        flags = tex_log.flags(log, was_cut=tex_log.was_cut(transcript))
        return _picture(execution, log, flags, time.monotonic() - begun)


def _prepare(structure: Structure) -> Outcome[_Job]:
    """Choose the engine and put a snippet into the standard document."""
    checked = bundle.check_structure(structure)
    if isinstance(checked, Failed):
        return checked
    files, entry = dict(checked.value.files), checked.value.entry
    engine = str(structure.options.get("engine", "pdflatex"))
    if not _ENTRY.fullmatch(entry) or engine not in ENGINES:
        message = f"entry {entry!r} with engine {engine!r}: wanted are *.tex and {ENGINES}"
        return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
    if structure.options.get("form", "snippet") != "document":
        text = build(
            entry,
            packages=_names(structure, "packages"),
            libraries=_names(structure, "libraries"),
            plot_libraries=_names(structure, "plot_libraries"),
            preamble=str(structure.options.get("preamble", "")),
            unicode_engine=engine == "xelatex",
        )
        entry = DOCUMENT
        files[entry] = text.encode()
    if engine == "pdflatex" and files[entry].startswith(standard_preamble().encode()):
        files[entry] = files[entry].removeprefix(standard_preamble().encode())
        engine = "standard"
    return ok(_Job(engine, entry, files))


def _names(structure: Structure, option: str) -> list[str]:
    value = structure.options.get(option, [])
    return [str(name) for name in value] if isinstance(value, list) else []


def _failure(execution: Execution, log: str, engine: str) -> Failed | None:
    """Judge a run that no limit stopped."""
    counts = {name: int(count) for name, count in _COUNT.findall(execution.stdout)}
    if execution.exit_code:
        return tex_log.error(log, execution.exit_code)
    lost = tex_log.lost_characters(log, engine)
    if lost:
        return lost
    if counts.get("pages", 0) > MOST_PAGES:
        message = f"pages: {counts['pages']}, more than {MOST_PAGES}"
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
    if counts.get("pixels", 0) > canvas.MAX_PIXELS:
        message = f"paper: {counts['pixels']} pixels at {DPI} dpi, more than {canvas.MAX_PIXELS}"
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
    return None


def _picture(
    execution: Execution, log: str, flags: Sequence[Flag], seconds: float
) -> Outcome[Picture]:
    pages = [execution.files[path] for path in sorted(execution.files) if path.endswith(".png")]
    if not pages:
        message = "TeX finished without an error, but no page was written"
        return Failed.of(Stage.RENDER, Kind.EMPTY_RENDER, message)
    return canvas.picture(
        pages,
        flags=flags,
        log=tex_log.warnings(log),
        seconds=seconds,
    )
