"""PDF files of the internet: how many pages there are, and pages as pictures.

Poppler reads the file in a sandbox of the image ``tex``, which brings it along. A page is measured
before it is drawn, so that a page of a kilometre costs nothing.

Failures are of stage fetch: ``PARSE_ERROR`` (damaged, or not a PDF), ``UNSUPPORTED`` (a password is
needed), ``EMPTY_RENDER`` (no pages), ``NOT_AS_CLAIMED`` (a page that the file does not have),
``RESOURCE_LIMIT`` (too many pages, too large pages, memory, output), ``TIMEOUT``; and those of the
sandbox, which are ours.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from renderers import canvas
from renderers.sandbox import Execution, Limits, Pool, stopped_failure

MOST_PAGES = 2_000
"""Of a file: the largest scores have a few hundred, and 10,000 are a trap."""

MOST_DRAWN = 20
"""Pages drawn in one job."""

LIMITS = Limits(seconds=60)
POINTS = 72
"""Units of a PDF to the inch."""

_FILE = "document.pdf"
_PAGES = re.compile(r"^Pages:\s{1,40}(\d{1,9})$", re.M)
_SIZE = re.compile(r"^Page\s{1,20}(\d{1,9}) size:\s{1,20}([\d.]{1,20}) x ([\d.]{1,20}) pts", re.M)
_BEYOND = re.compile(r"first page \((\d{1,9})\) can not be after the last page \((\d{1,9})\)")
_ERROR = re.compile(r"^[\w ]{0,40}Error[^:\n]{0,40}: (.{1,300})$", re.M)


def count_pages(pool: Pool, pdf: bytes) -> Outcome[int]:
    """Count the pages of a PDF.

    Args:
        pool: sandboxes with poppler.
        pdf: the file as it was received.

    Returns:
        The number, from 1 to ``MOST_PAGES``, or a failure as the module says.
    """
    ran = _run(pool, pdf, ["pdfinfo", _FILE])
    if isinstance(ran, Failed):
        return ran
    return _read_count(ran.value)


def draw_pages(pool: Pool, pdf: bytes, pages: Sequence[int], dpi: int) -> Outcome[list[bytes]]:
    """Draw pages of a PDF as grey PNG files.

    Args:
        pool: sandboxes with poppler.
        pdf: the file as it was received.
        pages: numbers from 1, at most ``MOST_DRAWN`` of them.
        dpi: dots per inch.

    Returns:
        The pictures in the order of `pages`, or a failure as the module says.
    """
    if not pages:
        return ok([])
    if len(pages) > MOST_DRAWN:
        return _failed(Kind.RESOURCE_LIMIT, f"{len(pages)} pages at once, more than {MOST_DRAWN}")
    measure = ["pdfinfo", "-f", str(min(pages)), "-l", str(max(pages)), _FILE]
    ran = _run(pool, pdf, measure)
    if isinstance(ran, Failed):
        return ran
    unfit = _check_sizes(ran.value, pages, dpi)
    if unfit:
        return unfit
    return _draw(pool, pdf, pages, dpi)


def _draw(pool: Pool, pdf: bytes, pages: Sequence[int], dpi: int) -> Outcome[list[bytes]]:
    names = {number: f"page-{number}.png" for number in pages}
    options = f"-png -gray -r {dpi:d} -singlefile"
    script = " && ".join(f"pdftoppm {options} -f {n} -l {n} {_FILE} page-{n}" for n in names)
    ran = _run(pool, pdf, ["sh", "-c", script], collect=list(names.values()))
    if isinstance(ran, Failed):
        return ran
    files = ran.value.files
    for number, name in names.items():
        if name not in files:
            message = f"page {number} could not be drawn"
            return _failed(Kind.PARSE_ERROR, message, ran.value.log)
    return ok([files[names[number]] for number in pages])


def _run(
    pool: Pool, pdf: bytes, command: Sequence[str], collect: Sequence[str] = ()
) -> Outcome[Execution]:
    """Run a tool of poppler on the file; what it says of an error is the failure."""
    outcome = pool.run(command, {_FILE: pdf}, collect=collect, limits=LIMITS)
    if isinstance(outcome, Failed):
        return outcome.model_copy(update={"stage": Stage.FETCH})
    execution = outcome.value
    stopped = stopped_failure(execution, LIMITS)
    if stopped:
        return stopped.model_copy(update={"stage": Stage.FETCH})
    if execution.exit_code == 0:
        return outcome
    errors = _ERROR.findall(execution.stderr)
    beyond = _BEYOND.search(execution.stderr)
    if beyond:
        return _beyond(int(beyond[1]), int(beyond[2]))
    if any("ncorrect password" in error for error in errors):
        return _failed(Kind.UNSUPPORTED, "the PDF needs a password", execution.log)
    what = errors[-1] if errors else f"{shlex.join(command[:1])} ended: {execution.exit_code}"
    return _failed(Kind.PARSE_ERROR, f"the PDF cannot be read: {what}", execution.log)


def _read_count(execution: Execution) -> Outcome[int]:
    found = _PAGES.search(execution.stdout)
    if found is None:
        return _failed(Kind.PARSE_ERROR, "the PDF does not say how many pages", execution.log)
    count = int(found[1])
    if count > MOST_PAGES:
        return _failed(Kind.RESOURCE_LIMIT, f"{count} pages, more than {MOST_PAGES}")
    return ok(count)


def _check_sizes(execution: Execution, pages: Sequence[int], dpi: int) -> Failed | None:
    count = _read_count(execution)
    if isinstance(count, Failed):
        return count
    sizes = {
        int(number): (float(width) * dpi / POINTS, float(height) * dpi / POINTS)
        for number, width, height in _SIZE.findall(execution.stdout)
    }
    for number in pages:
        if not 1 <= number <= count.value or number not in sizes:
            return _beyond(number, count.value)
        width, height = sizes[number]
        too_long = width > canvas.MAX_WIDTH or height > canvas.MAX_HEIGHT
        if too_long or width * height > canvas.MAX_PIXELS:
            message = f"page {number} has {width:.0f} x {height:.0f} pixels at {dpi} dpi"
            return _failed(Kind.RESOURCE_LIMIT, message)
    return None


def _beyond(page: int, count: int) -> Failed:
    """A page is wanted that the file does not have; poppler always wants the first."""
    if count == 0:
        return _failed(Kind.EMPTY_RENDER, "the PDF has no pages")
    return _failed(Kind.NOT_AS_CLAIMED, f"there is no page {page}, the PDF has {count}")


def _failed(kind: Kind, message: str, detail: str = "") -> Failed:
    return Failed.of(Stage.FETCH, kind, message, detail[-4000:])
