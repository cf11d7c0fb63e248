"""Which commit of a data set on the Hugging Face hub is loaded: always a pinned one.

A commit that the settings name is taken as it is. Without one, the newest commit is looked up once
and written to the store, ``pins/<owner>__<name>.json``, and every later refresh into that store
loads the same commit, until the file is removed or a setting says otherwise.
"""

from __future__ import annotations

import json
import os
import re

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.settings import Settings
from benchmark.store import Store

_COMMIT = re.compile(r"[0-9a-f]{40}")
_SECONDS = 30.0


def pin(repository: str, wanted: str | None, settings: Settings) -> Outcome[str]:
    """Return the commit of a data set that is to be loaded.

    Args:
        repository: owner and name on the hub.
        wanted: a commit of the user's, or the name of a branch or tag, which is looked up each
            time and never written down; None: the pinned one.
        settings: where the store is.

    Returns:
        A commit (40 hexadecimal digits), or a failure of stage FETCH: MISSING_RESOURCE (the file
        of the pin cannot be read), GONE (the hub knows no such data set or revision), FORBIDDEN,
        RATE_LIMITED, NETWORK.
    """
    if wanted is not None:
        return ok(wanted) if _COMMIT.fullmatch(wanted) else _look_up(repository, wanted)
    store = Store(settings.store)
    path = f"pins/{repository.replace('/', '__')}.json"
    known = _read(store, path)
    if known is not None:
        return known
    found = _look_up(repository, "main")
    if isinstance(found, Failed):
        return found
    entry = {"repository": repository, "revision": found.value}
    try:
        store.create_document(path, json.dumps(entry, indent=1) + "\n")
    except FileExistsError:  # another process was first, and its pin holds
        return _read(store, path) or found
    return found


def _read(store: Store, path: str) -> Outcome[str] | None:
    """Return the commit of a pin file; None where there is none.

    A file that names no commit is never replaced by the newest one: what it was meant to pin, and
    with it what is compared, would change without a word.
    """
    try:
        revision = json.loads(store.read_document(path))["revision"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        revision = None
    if isinstance(revision, str) and _COMMIT.fullmatch(revision):
        return ok(revision)
    message = f"{path} of the store names no commit (40 hexadecimal digits); mend or remove it"
    return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message, subject=path)


def _look_up(repository: str, revision: str) -> Outcome[str]:
    """Ask the hub which commit a name stands for now."""
    quieten()
    from huggingface_hub import HfApi  # noqa: PLC0415 - heavy

    try:
        commit = HfApi().dataset_info(repository, revision=revision, timeout=_SECONDS).sha
    except hub_errors() as error:
        return hub_failure(repository, error)
    if commit is None or not _COMMIT.fullmatch(commit):
        message = f"the hub does not say which commit {revision!r} of {repository} is"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=address(repository))
    return ok(commit)


def hub_errors() -> tuple[type[Exception], ...]:
    """Return what the hub's client raises, whichever HTTP library its version is built on."""
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError  # noqa: PLC0415 - heavy

    return (*HfHubHTTPError.__bases__, HFValidationError)


def hub_failure(repository: str, error: Exception) -> Failed:
    """Return what an error of the hub's client means."""
    from huggingface_hub.errors import (  # noqa: PLC0415 - heavy
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    reason = " ".join(str(error).split())[:200]
    kind = Kind.NETWORK
    if isinstance(error, GatedRepoError):
        kind = Kind.FORBIDDEN
    elif isinstance(error, RepositoryNotFoundError | RevisionNotFoundError | HFValidationError):
        kind = Kind.GONE
    elif isinstance(error, HfHubHTTPError) and error.response.status_code == 429:
        kind = Kind.RATE_LIMITED
    message = f"{repository} cannot be loaded from the hub ({type(error).__name__}: {reason})"
    return Failed.of(Stage.FETCH, kind, message, subject=address(repository))


def address(repository: str, revision: str | None = None) -> str:
    """Return where people find a data set, at a commit if that is known."""
    place = f"https://huggingface.co/datasets/{repository}"
    return place if revision is None else f"{place}/tree/{revision}"


def quieten() -> None:
    """Keep the hub's client from reporting use and from drawing progress bars.

    Its variables are read when it is imported, so this comes before the first import; what the
    user has set stays.
    """
    for name in (
        "HF_HUB_DISABLE_TELEMETRY",
        "HF_HUB_DISABLE_PROGRESS_BARS",
        "HF_DATASETS_DISABLE_PROGRESS_BARS",
    ):
        os.environ.setdefault(name, "1")
    os.environ.setdefault("HF_UPDATE_DOWNLOAD_COUNTS", "0")
