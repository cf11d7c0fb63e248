"""From a row of a published Image2Struct set, or of a set that we exported, to material.

Published values are JSON inside of text (a uuid stands in quotation marks); plain text is taken as
well. Columns that only our own exports have: licence, author, url, created, publishable, recipe,
subset, attributes, metrics, asset_names. All of it is foreign, and every row is read by itself.
"""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import dataclass

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok, printable
from benchmark.records import Material, Provenance, digest_bytes
from sources import licences
from sources.exported import day_of, json_of, line_of, plain, recipe_only, restated
from sources.image2struct_assets import read_assets
from sources.image2struct_sets import Place, Row
from sources.image2struct_sites import read_site

SOURCE = "image2struct"
RELEASED = dt.date(2024, 8, 1)
"""The day on which the published sets were last changed, as a catalogue of data sets has it."""

AUTHOR = "see the address; chosen by Roberts et al., Image2Struct"
IMAGE_METRICS = ("pixel", "ssim", "lpips", "cis", "ems")

MOST_PICTURE_BYTES = 50_000_000
MOST_PIXELS = 25_000_000
MOST_SOURCE_CHARACTERS = 1_000_000
MOST_TEXT_CHARACTERS = 100_000
MOST_NAME_CHARACTERS = 200


@dataclass(frozen=True)
class Reader:
    """Reads the rows of one configuration."""

    place: Place
    compare: str | None
    """What pictures of answers are compared with: picture, drawing; None: what the row says."""

    def read(self, row: Row) -> Outcome[Material]:
        """Return the material of a row, or why there is none; failures name the row."""
        uuid = plain(row.get("uuid"))
        if not isinstance(uuid, str) or not 0 < len(uuid) <= MOST_NAME_CHARACTERS:
            failure = _failed(Kind.NOT_AS_CLAIMED, "a row without a uuid")
            return failure.model_copy(update={"subject": self.place.name})
        name = f"{self.place.part.scenario}/{self.place.part.config}/{printable(uuid)}"
        made = self._material(row, name, printable(uuid))
        return made.model_copy(update={"subject": name}) if isinstance(made, Failed) else made

    def _material(self, row: Row, name: str, uuid: str) -> Outcome[Material]:
        part = self.place.part
        category = plain(row.get("category"))
        if category != part.config:
            message = f"{uuid} is of the category {category!r}, not {part.config}"
            return _failed(Kind.UNSUITABLE, message, Stage.FILTER)
        if row.get("image") is None and isinstance(row.get("recipe"), str):
            return recipe_only(json_of(row.get("recipe")), name)
        picture = _picture(row.get("image"))
        if isinstance(picture, Failed):
            return picture
        found = self._truth(row)
        if isinstance(found, Failed):
            return found
        truth, assets = found.value
        return ok(
            Material(
                id=name,
                scenario=part.scenario,
                subset=self._subset(row),
                truth=truth,
                picture=picture.value,
                assets=assets,
                provenance=self._provenance(row, uuid, picture.value),
                attributes=self._attributes(row, uuid, truth),
                metrics=self._metrics(row, truth),
            )
        )

    def _truth(self, row: Row) -> Outcome[tuple[str | None, dict[str, bytes]]]:
        """Return the truth, None where the set has none by nature, and its assets."""
        part, structure = self.place.part, row.get("structure")
        if part.config == "wild" or (part.scenario == "music" and not structure):
            return ok((None, {}))
        if not isinstance(structure, str) or not structure.strip():
            return _failed(Kind.NO_SOURCE, "the structure is empty")
        if part.scenario == "webpage":
            site = read_site(structure)
            return site if isinstance(site, Failed) else ok(site.value)
        if len(structure) > MOST_SOURCE_CHARACTERS:
            return _failed(Kind.TOO_LARGE, f"a source of {len(structure)} characters")
        assets = read_assets(row)
        return assets if isinstance(assets, Failed) else ok((structure, assets.value))

    def _subset(self, row: Row) -> str:
        part, own = self.place.part, row.get("subset")
        known = registry.scenarios.get(part.scenario).subsets
        return own if isinstance(own, str) and own in known else part.subset

    def _metrics(self, row: Row, truth: str | None) -> tuple[str, ...] | None:
        scenario = registry.scenarios.get(self.place.part.scenario)
        own = json_of(row.get("metrics"))
        if isinstance(own, list) and own and all(name in scenario.metrics for name in own):
            return tuple(str(name) for name in own)
        if truth is not None:
            return None
        return tuple(name for name in scenario.metrics if name in IMAGE_METRICS)

    def _attributes(self, row: Row, uuid: str, truth: str | None) -> dict[str, JsonValue]:
        own = json_of(row.get("attributes"))
        kept: dict[str, JsonValue] = own if isinstance(own, dict) else {}
        text = plain(row.get("text"))
        text = text if isinstance(text, str) else ""
        difficulty = plain(row.get("difficulty"))
        attributes: dict[str, JsonValue] = {
            **kept,
            "uuid": uuid,
            "category": self.place.part.config,
            "difficulty": difficulty if isinstance(difficulty, str) else None,
            "text": text[:MOST_TEXT_CHARACTERS],
            "set": self.place.part.set,
            "split": self.place.split,
        }
        if len(text) > MOST_TEXT_CHARACTERS:
            attributes["text_cut"] = True
        if truth is not None:
            chosen = self.compare or kept.get("compared_with")
            attributes["compared_with"] = "drawing" if chosen == "drawing" else "picture"
        return attributes

    def _provenance(self, row: Row, uuid: str, picture: bytes) -> Provenance:
        place = self.place
        published = Provenance(
            source=SOURCE,
            author=AUTHOR,
            licence=licences.UNKNOWN,  # the cards' Apache 2.0 is not that of what is in the rows
            created=created(row),
            url=line_of(row.get("download_url")) or place.address,
            made=f"{place.name}, {uuid}",
            publishable=False,
            recipe={
                "dataset": place.part.repository,
                "revision": place.revision,
                "config": place.part.config,
                "split": place.split,
                "uuid": uuid,
                "sha256": digest_bytes(picture),
            },
        )
        return restated(published, {**row, "recipe": json_of(row.get("recipe"))})


def created(row: Row) -> dt.date:
    """Return when the material of a row was made; the sets' own day where the row does not say."""
    return day_of(row.get("created")) or day_of(row.get("date")) or RELEASED


def _picture(value: object) -> Outcome[bytes]:
    """Return the file of a picture whose size, as its header says, can be had in memory."""
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - heavy

    data = value.get("bytes") if isinstance(value, dict) else None
    if not isinstance(data, bytes) or not data:
        return _failed(Kind.NOT_AS_CLAIMED, "the row holds no picture")
    if len(data) > MOST_PICTURE_BYTES:
        return _failed(Kind.TOO_LARGE, f"a picture of {len(data)} bytes")
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP", "TIFF")) as image:
            width, height = image.size
    except Image.DecompressionBombError:
        return _failed(Kind.TOO_LARGE, "a picture of far too many pixels")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        return _failed(Kind.NOT_AS_CLAIMED, f"the picture cannot be read ({type(error).__name__})")
    if width * height > MOST_PIXELS:
        return _failed(Kind.TOO_LARGE, f"a picture of {width} × {height} pixels")
    return ok(data)


def _failed(kind: Kind, message: str, stage: Stage = Stage.FETCH) -> Failed:
    return Failed.of(stage, kind, message)
