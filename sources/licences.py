"""Licences: one spelling for each (SPDX), and which let everybody pass material on.

Sites name licences in many ways: SPDX identifiers in any case, old identifiers, addresses at
creativecommons.org, headers in prose. ``spdx`` brings them to one spelling and never guesses: what
it does not know becomes a ``LicenseRef-…`` that says what was read. ``publishable`` is the
allow-list of what a published snapshot may hold; everything else is published as a recipe.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

UNKNOWN = "LicenseRef-unknown"
"""Nothing was said of a licence; no right to pass anything on."""
PUBLIC_DOMAIN = "LicenseRef-public-domain"
"""Said to be in the public domain, without one of the marks that have an SPDX identifier."""
ARXIV = "LicenseRef-arXiv-nonexclusive"
"""arXiv's default: arXiv may distribute the paper, nobody else."""
PROPRIETARY = "LicenseRef-proprietary"
"""All rights are said to be reserved."""

MOST_CHARACTERS = 200
"""More than that is no name of a licence."""
MOST_TERMS = 20
"""Licences in one expression."""

RENAMED = MappingProxyType(
    {
        **{
            f"{family}-{version}{ending}": f"{family}-{version}-{meaning}"
            for family, versions in {
                "AGPL": ("1.0", "3.0"),
                "GFDL": ("1.1", "1.2", "1.3"),
                "GPL": ("1.0", "2.0", "3.0"),
                "LGPL": ("2.0", "2.1", "3.0"),
            }.items()
            for version in versions
            for ending, meaning in (("", "only"), ("+", "or-later"))
        },
        "BSD-2-Clause-FreeBSD": "BSD-2-Clause-Views",
        "BSD-2-Clause-NetBSD": "BSD-2-Clause",
        "bzip2-1.0.5": "bzip2-1.0.6",
        "StandardML-NJ": "SMLNJ",
    }
)
"""Identifiers that SPDX has given up, and what stands in their place (SPDX licence list)."""

NAMES = MappingProxyType(
    {
        "apache": "Apache-2.0",
        "apache 2": "Apache-2.0",
        "apache 2.0": "Apache-2.0",
        "apache license": "Apache-2.0",
        "apache license 2.0": "Apache-2.0",
        "apache license version 2.0": "Apache-2.0",
        "bsd 2 clause": "BSD-2-Clause",
        "simplified bsd": "BSD-2-Clause",
        "bsd 3 clause": "BSD-3-Clause",
        "new bsd": "BSD-3-Clause",
        "modified bsd": "BSD-3-Clause",
        "cc0": "CC0-1.0",
        "cc zero": "CC0-1.0",
        "cc0 1.0 universal": "CC0-1.0",
        "creative commons zero": "CC0-1.0",
        "expat": "MIT",
        "mit license": "MIT",
        "the mit license": "MIT",
        "the mit license mit": "MIT",
        "mit license mit": "MIT",
        "mozilla public license 2.0": "MPL-2.0",
        "isc license": "ISC",
        "the unlicense": "Unlicense",
        "public domain": PUBLIC_DOMAIN,
        "publicdomain": PUBLIC_DOMAIN,
        "pd": PUBLIC_DOMAIN,
        "public domain mark 1.0": "CC-PDM-1.0",
        "all rights reserved": PROPRIETARY,
        "none": UNKNOWN,
        "noassertion": UNKNOWN,
        "other": UNKNOWN,
        "unknown": UNKNOWN,
        "": UNKNOWN,
    }
)
"""Names in prose, in lower case, with spaces for all other marks but the dot."""

ADDRESSES = (
    (
        re.compile(r"creativecommons\.org/licenses/([a-z-]{2,10})/([0-9.]{3})(?:/([a-z]{2,3}))?\b"),
        "",
    ),
    (re.compile(r"creativecommons\.org/publicdomain/zero/1\.0\b"), "CC0-1.0"),
    (re.compile(r"creativecommons\.org/publicdomain/mark/1\.0\b"), "CC-PDM-1.0"),
    (re.compile(r"creativecommons\.org/(?:licenses/publicdomain|publicdomain)\b"), "CC-PDDC"),
    (re.compile(r"arxiv\.org/licenses/nonexclusive-distrib\b"), ARXIV),
    (re.compile(r"apache\.org/licenses/license-2\.0\b"), "Apache-2.0"),
    (re.compile(r"opensource\.org/licenses?/mit\b"), "MIT"),
    (re.compile(r"gnu\.org/licenses/(?:old-licenses/)?gpl-([123]\.0)\b"), "GPL-{}-only"),
    (re.compile(r"gnu\.org/licenses/(?:old-licenses/)?lgpl-([123]\.[01])\b"), "LGPL-{}-only"),
    (re.compile(r"gnu\.org/licenses/agpl-3\.0\b"), "AGPL-3.0-only"),
    (re.compile(r"spdx\.org/licenses/([a-z0-9.+-]{2,60}?)(?:\.html)?$"), ""),
)
"""Addresses of licences, in lower case; a group is put into the name."""

CREATIVE_COMMONS = re.compile(
    r"(?:cc|creative commons)\s((?:(?:by|nc|nd|sa|attribution|non ?commercial|no ?deriv(?:ative|s)"
    r"(?: works|s)?|share ?alike)\s){1,8})(?:version\s|v\s?)?([1-4](?:\.[015])?)"
    r"(?:\s(?:international|unported|generic|deed))?"
)
"""Creative Commons in prose: ``cc by sa 4.0``, ``creative commons attribution sharealike 3.0``."""

PARTS = (
    ("by", "^by|^attribution"),
    ("nc", "nc|noncommercial"),
    ("nd", "nd|noderiv"),
    ("sa", "sa|sharealike"),
)
"""Parts of a name, in SPDX's order, and how each is said."""

PUBLISHABLE = frozenset(
    {
        PUBLIC_DOMAIN,
        "0BSD",
        "AGPL-3.0-only",
        "AGPL-3.0-or-later",
        "Apache-2.0",
        "Artistic-2.0",
        "BSD-1-Clause",
        "BSD-2-Clause",
        "BSD-2-Clause-Views",
        "BSD-3-Clause",
        "BSD-3-Clause-Clear",
        "BSL-1.0",
        "CC-PDDC",
        "CC-PDM-1.0",
        "CC0-1.0",
        "CDLA-Permissive-1.0",
        "CDLA-Permissive-2.0",
        "ECL-2.0",
        "EPL-2.0",
        "EUPL-1.1",
        "EUPL-1.2",
        "FSFAP",
        "GFDL-1.3-only",
        "GFDL-1.3-or-later",
        "GPL-2.0-only",
        "GPL-2.0-or-later",
        "GPL-3.0-only",
        "GPL-3.0-or-later",
        "ISC",
        "LGPL-2.1-only",
        "LGPL-2.1-or-later",
        "LGPL-3.0-only",
        "LGPL-3.0-or-later",
        "LPPL-1.3c",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "NCSA",
        "ODC-By-1.0",
        "OFL-1.1",
        "PDDL-1.0",
        "UPL-1.0",
        "Unlicense",
        "WTFPL",
        "X11",
        "Zlib",
    }
)
"""Licences that let everybody copy, change (crop, convert) and pass on, for any purpose.

Besides these: all of the families CC-BY and CC-BY-SA. Not NC (a snapshot may be used by companies)
and not ND (a crop is a change).
"""

FAMILY = re.compile(r"CC-BY(?:-SA)?-[1-4]\.[015](?:-(?:[A-Z]{2,3}))?")


def spdx(text: str | None) -> str:
    """Return the SPDX expression of a licence as a site names it.

    Args:
        text: an SPDX identifier or expression in any case, an old identifier, the address of a
            licence, its name in prose, or nothing.

    Returns:
        A valid SPDX expression: identifiers in the list's own spelling, those that were given up
        replaced; ``LicenseRef-unknown`` for nothing; ``LicenseRef-`` and the words for what is not
        known. Equal to ``spdx`` of itself.
    """
    plain = " ".join((text or "").split())
    if len(plain) > MOST_CHARACTERS:
        return UNKNOWN
    return (
        _address(plain.lower().replace("\\", ""))
        or _named(plain)
        or _expression(plain)
        or _reference(plain)
    )


def publishable(licence: str | None) -> bool:
    """Tell whether everybody may pass on what is under a licence, changed or not.

    Args:
        licence: as ``spdx`` takes it. Of ``A OR B`` one must allow it, of ``A AND B`` both; an
            exception (``WITH``) only ever allows more.
    """
    tokens = spdx(licence).replace("(", " ( ").replace(")", " ) ").split()
    return _any(tokens) and not tokens


def _any(tokens: list[str]) -> bool:
    """Read ``A OR B``; takes from `tokens` what it has read."""
    allowed = _all(tokens)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        allowed = _all(tokens) or allowed
    return allowed


def _all(tokens: list[str]) -> bool:
    allowed = _one(tokens)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        allowed = _one(tokens) and allowed
    return allowed


def _one(tokens: list[str]) -> bool:
    first = tokens.pop(0)
    if first == "(":
        allowed = _any(tokens)
        tokens.pop(0)
        return allowed
    if tokens and tokens[0] == "WITH":
        del tokens[:2]
    return first in PUBLISHABLE or FAMILY.fullmatch(first) is not None


def _address(text: str) -> str | None:
    if " " in text:
        return None
    for pattern, name in ADDRESSES:
        if (found := pattern.search(text)) is None:
            continue
        if name:
            return name.format(*found.groups())
        if "creativecommons" in found[0]:
            kind, version, country = found.groups()
            return _commons(kind, version, country)
        return _expression(found[1])
    return None


def _named(text: str) -> str | None:
    words = " ".join(re.sub(r"[^a-z0-9.+]", " ", text.lower()).split())
    if words in NAMES:
        return NAMES[words]
    words = words.removesuffix(" license").removesuffix(" licence")
    if words in NAMES:
        return NAMES[words]
    if (found := CREATIVE_COMMONS.fullmatch(words)) is None:
        return None
    said = found[1].replace(" ", "")
    parts = [short for short, sign in PARTS if re.search(sign, said)]
    return _commons("-".join(parts), found[2])


def _commons(kind: str, version: str, country: str | None = None) -> str | None:
    """Return the identifier of a Creative Commons licence; of a country only if SPDX has it."""
    version = version if "." in version else f"{version}.0"
    name = f"CC-{kind}-{version}"
    return (_expression(f"{name}-{country}") if country else None) or _expression(name)


def _expression(text: str) -> str | None:
    if text.count("(") > MOST_TERMS or len(text.split()) > 2 * MOST_TERMS:
        return None
    try:
        expression = canonicalize_license_expression(text)
    except (InvalidLicenseExpression, RecursionError, MemoryError):
        return None
    parts = re.split(r"([\s()]+)", expression)
    return "".join(RENAMED.get(part, part) for part in parts)


def _reference(text: str) -> str:
    words = re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:60].strip("-.")
    return f"LicenseRef-{words}" if words else UNKNOWN
