r"""LilyPond source of any age brought to the installed version by ``convert-ly``, in a sandbox.

The version is what the source declares. Newer than the installed one: ``UNSUPPORTED``, for
``convert-ly`` never goes back. None declared: the source stays as it is, to be tried. What the tool
says is kept: "Not smart enough to convert" there often explains why a result does not compile.
"""

from __future__ import annotations

import re

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.workbench import Updated
from renderers.lilypond import INSTALLED
from renderers.sandbox import Execution, Limits, Pool, stopped_failure

LIMITS = Limits(seconds=60, memory_mb=1024)
MOST_CHARACTERS = 2_000_000
LOG_CHARACTERS = 4_000

_ENTRY = "score.ly"
_COMMENT = re.compile(r"%\{.*?(?:%\}|\Z)|%[^\n]*", re.S)
_VERSION = re.compile(r'\\version\s*"\s*(\d{1,4}(?:\.\d{1,4}){1,3})')
_ERROR = re.compile(r"^(?:convert-ly: )?(?:error|fatal error|.*Error): ?(.{1,300})$", re.M)
_BEYOND = re.compile(r"^Not smart enough to convert (.{1,200}?)\.?$", re.M)
_LINE = re.compile(r"^(?:.{0,100}:)?(\d{1,7}):|\bline (\d{1,7})\b", re.M)


def declared_version(source: str) -> str | None:
    r"""Return the first ``\version`` outside comments, such as ``"2.18.2"``, or None."""
    found = _VERSION.search(_COMMENT.sub("", source))
    return found[1] if found else None


def update(pool: Pool, source: str) -> Outcome[Updated]:
    """Bring source to the installed version.

    Args:
        pool: sandboxes with ``convert-ly``.
        source: one file, what it includes is not looked at.

    Returns:
        The source and the log, or a failure of stage fetch: UNSUPPORTED (it needs a later
        LilyPond), PARSE_ERROR (``convert-ly`` failed; with its line), TIMEOUT, RESOURCE_LIMIT, and
        those of the sandbox, which are ours.
    """
    version = declared_version(source)
    unfit = _check(source, version)
    if unfit:
        return unfit
    if version is None or _parts(version)[:2] == _parts(INSTALLED)[:2]:
        return ok(Updated(source=source, version=version, log=""))
    files = {_ENTRY: source.encode("utf-8", "replace")}
    command = ["convert-ly", "--edit", f"--from={version}", f"./{_ENTRY}"]
    outcome = pool.run(command, files, collect=[_ENTRY], limits=LIMITS)
    if isinstance(outcome, Failed):
        return outcome.model_copy(update={"stage": Stage.FETCH})
    return _read(outcome.value, version)


def _check(source: str, version: str | None) -> Failed | None:
    if len(source) > MOST_CHARACTERS:
        return _failed(Kind.RESOURCE_LIMIT, f"source of {len(source)} characters")
    if version is not None and _parts(version)[:3] > _parts(INSTALLED):
        return _failed(Kind.UNSUPPORTED, f"needs LilyPond {version}; installed is {INSTALLED}")
    return None


def _read(execution: Execution, version: str) -> Outcome[Updated]:
    stopped = stopped_failure(execution, LIMITS)
    if stopped:
        return stopped.model_copy(update={"stage": Stage.FETCH})
    log = execution.log[-LOG_CHARACTERS:]
    if execution.exit_code or _ENTRY not in execution.files:
        return _failed(Kind.PARSE_ERROR, f"convert-ly: {_reason(log)}", log)
    converted = execution.files[_ENTRY].decode("utf-8", "replace")
    return ok(Updated(source=converted, version=version, log=log))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _reason(log: str) -> str:
    beyond = _BEYOND.findall(log)
    if beyond:  # by far the most frequent one, and without a line
        return f"not smart enough to convert {beyond[-1]}"
    error, line = _ERROR.search(log), _LINE.search(log)
    what = error[1] if error else (log.strip().rpartition("\n")[2] or "failed without a word")
    return f"line {line[1] or line[2]}: {what}" if line else what


def _failed(kind: Kind, message: str, detail: str = "") -> Failed:
    return Failed.of(Stage.FETCH, kind, message, detail)
