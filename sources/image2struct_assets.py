"""The files that come with a row besides its structure: base64 in one column, names in another."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.image2struct_sites import SITE_BYTES, SITE_FILES, is_inside


def read_assets(row: Mapping[str, object]) -> Outcome[dict[str, bytes]]:
    """Return the assets of a row by name; none where they have no names (the published sets).

    Returns:
        The files, or a failure of stage FETCH: UNSAFE_INPUT (a name that leaves the folder),
        NOT_AS_CLAIMED (no base64), TOO_LARGE.
    """
    names, contents = row.get("asset_names"), row.get("assets")
    if not isinstance(names, list) or not isinstance(contents, list) or not names:
        return ok({})
    if len(names) != len(contents) or len(names) > SITE_FILES:
        message = f"{len(names)} names for {len(contents)} assets"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message)
    files: dict[str, bytes] = {}
    for name, content in zip(names, contents, strict=True):
        if not isinstance(name, str) or not is_inside(name) or name in files:
            message = f"the asset {str(name)[:100]!r} is no file of the instance"
            return Failed.of(Stage.FETCH, Kind.UNSAFE_INPUT, message)
        try:
            files[name] = base64.b64decode(str(content), validate=True)
        except (binascii.Error, ValueError) as error:
            message = f"the asset {name[:100]!r} is no base64: {error}"
            return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message)
    if sum(map(len, files.values())) > SITE_BYTES:
        return Failed.of(Stage.FETCH, Kind.TOO_LARGE, f"assets of more than {SITE_BYTES} bytes")
    return ok(files)
