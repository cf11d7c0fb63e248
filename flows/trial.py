"""`rerender try`: one answer or source through reading, repairs and the sandbox, by itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchmark import registry
from benchmark.outcome import Blame, Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Language, Scenario
from benchmark.records import Answer, Flag, digest_bytes
from scenarios.roundtrip import render_answer
from sources import archive

MOST_BYTES = 20_000_000


class UnknownTarget(LookupError):
    """The name is neither a scenario nor a renderer."""

    def __str__(self) -> str:
        return str(self.args[0])


@runtime_checkable
class ReadsSites(Protocol):
    """What the language of web sites offers besides reading one text."""

    def from_folder(self, folder: Path) -> Outcome[Answer]:
        """Read a site's folder."""

    def from_files(self, files: dict[str, bytes]) -> Outcome[Answer]:
        """Read a site's files."""


@dataclass(frozen=True)
class Trial:
    """What became of one answer."""

    failure: Failed | None
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    image: Path | None = None
    pages: int = 0
    seconds: float = 0.0
    text: str | None = None
    """The answer as it was read, of a scenario that renders nothing."""

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints.

        A picture that came out in spite of errors is "rendered" with the kind and message of the
        first error; a clean success has null in both. The outcome of a scenario that renders
        nothing is "read", with the answer as it was read in ``text``.
        """
        failure: Failed | Flag | None = self.failure
        if failure is None and self.flags:
            failure = self.flags[0]
        return {
            "outcome": self._outcome,
            "kind": str(failure.kind) if failure else None,
            "blame": str(failure.kind.blame) if failure else None,
            "message": failure.message if failure else None,
            "repairs": list(self.repairs),
            "flags": [flag.model_dump(mode="json") for flag in self.flags],
            "image": str(self.image) if self.image else None,
            **({} if self.text is None else {"text": self.text}),
            "pages": self.pages,
            "seconds": round(self.seconds, 3),
        }

    @property
    def _outcome(self) -> str:
        if self.failure:
            return "failed"
        return "rendered" if self.text is None else "read"

    @property
    def infrastructure_failed(self) -> bool:
        """Whether the answer was not judged at all."""
        return self.failure is not None and self.failure.blame is Blame.INFRA


def run(target: str, path: Path, output: Path | None, folder: Path) -> Trial:
    """Read, repair and render one file (for web also a folder or an archive of a site).

    Args:
        target: a scenario's name, or a renderer's (web, tex, lilypond, graphviz).
        path: the answer or source.
        output: where to save the picture; by default in `folder`, named by its digest.
        folder: the default place of pictures.

    Raises:
        UnknownTarget: `target` is neither.
    """
    reader = _reader(target)
    started = time.monotonic()
    read = _read(reader, path)
    if isinstance(read, Failed):
        return Trial(failure=read, seconds=time.monotonic() - started)
    if reader.renderer is None:
        seconds = time.monotonic() - started
        answer = read.value
        return Trial(None, answer.repairs, answer.flags, seconds=seconds, text=answer.text)
    with registry.renderers.get(reader.renderer)() as renderer:
        rendered = render_answer(reader, renderer, read.value)
    seconds = time.monotonic() - started
    if isinstance(rendered, Failed):
        return Trial(failure=rendered, repairs=read.value.repairs, seconds=seconds)
    answer, picture = rendered.value
    image = output or folder / f"{path.stem or 'site'}-{digest_bytes(picture.png)[:12]}.png"
    image.parent.mkdir(parents=True, exist_ok=True)
    image.write_bytes(picture.png)
    return Trial(
        failure=None,
        repairs=answer.repairs,
        flags=(*answer.flags, *picture.flags),
        image=image,
        pages=picture.pages,
        seconds=seconds,
    )


def _reader(target: str) -> Scenario | Language:
    if target in registry.scenarios:
        return registry.scenarios.get(target)
    if target in registry.languages:
        return registry.languages.get(target)
    known = ", ".join([*registry.scenarios.names(), *registry.languages.names()])
    raise UnknownTarget(f"{target!r} is neither a scenario nor a renderer; known: {known}")


def _read(reader: Scenario | Language, path: Path) -> Outcome[Answer]:
    if path.is_dir() or _is_archive(path):
        return _read_site(reader, path)
    if path.stat().st_size > MOST_BYTES:
        return Failed.of(
            Stage.PARSE, Kind.RESOURCE_LIMIT, f"{path.name} is larger than {MOST_BYTES} bytes"
        )
    data = path.read_bytes()
    try:
        return reader.read(data.decode("utf-8"))
    except UnicodeDecodeError:
        read = reader.read(data.decode("latin-1"))
        if isinstance(read, Failed):
            return read
        note = "not UTF-8: read as Latin-1"
        return ok(read.value.model_copy(update={"repairs": (note, *read.value.repairs)}))


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(265)
    return head.startswith((archive.GZIP, archive.ZIP)) or head[257:262] == b"ustar"


def _read_site(reader: Scenario | Language, path: Path) -> Outcome[Answer]:
    web = registry.languages.get("web")
    if reader.renderer != web.renderer or not isinstance(web, ReadsSites):
        return Failed.of(
            Stage.PARSE, Kind.UNSUPPORTED, f"{reader.name} reads one file, not a folder or archive"
        )
    if path.is_dir():
        return web.from_folder(path)
    files = archive.unpack(path.read_bytes())
    return files if isinstance(files, Failed) else web.from_files(files.value)
