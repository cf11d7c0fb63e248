"""Licences in one spelling, and which of them may be passed on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.licences import ARXIV, PUBLIC_DOMAIN, PUBLISHABLE, UNKNOWN, publishable, spdx

SPELLINGS = [
    ("mit", "MIT"),
    ("The MIT License (MIT)", "MIT"),
    ("Apache License, Version 2.0", "Apache-2.0"),
    ("https://www.apache.org/licenses/LICENSE-2.0", "Apache-2.0"),
    ("BSD 3-Clause License", "BSD-3-Clause"),
    ("GPL-2.0", "GPL-2.0-only"),
    ("gpl-3.0+", "GPL-3.0-or-later"),
    ("lgpl-2.1", "LGPL-2.1-only"),
    ("CC BY 4.0", "CC-BY-4.0"),
    ("CC BY 4", "CC-BY-4.0"),
    ("cc-by-sa 3.0", "CC-BY-SA-3.0"),
    ("CC BY-NC-SA 4.0", "CC-BY-NC-SA-4.0"),
    ("Creative Commons Attribution 4.0", "CC-BY-4.0"),
    ("Creative Commons Attribution-ShareAlike 4.0", "CC-BY-SA-4.0"),
    ("Creative Commons Attribution Share Alike 4.0 International", "CC-BY-SA-4.0"),
    ("Creative Commons Attribution-NonCommercial-NoDerivs 3.0 Unported", "CC-BY-NC-ND-3.0"),
    ("http://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
    ("https://creativecommons.org/licenses/by-sa/3.0/de/", "CC-BY-SA-3.0-DE"),
    ("https://creativecommons.org/licenses/by/3.0/xx/", "CC-BY-3.0"),
    ("https://creativecommons.org/licenses/by-nc-nd/4.0/legalcode", "CC-BY-NC-ND-4.0"),
    ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
    ("http://creativecommons.org/licenses/publicdomain/", "CC-PDDC"),
    ("https://spdx.org/licenses/MPL-2.0.html", "MPL-2.0"),
    ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", ARXIV),
    ("Public Domain", PUBLIC_DOMAIN),
    ("mit or (gpl-2.0 and cc0-1.0)", "MIT OR (GPL-2.0-only AND CC0-1.0)"),
    (None, UNKNOWN),
    ("", UNKNOWN),
    ("NOASSERTION", UNKNOWN),
    ("x" * 5000, UNKNOWN),
    ("licenseref-House-Rules", "LicenseRef-House-Rules"),
    ("ask my aunt, please", "LicenseRef-ask-my-aunt-please"),
    ("CC BY", "LicenseRef-CC-BY"),
]


@pytest.mark.parametrize(("said", "meant"), SPELLINGS)
def test_one_spelling_for_each(said, meant):
    assert spdx(said) == meant


@pytest.mark.parametrize(
    "licence",
    ["MIT", "CC0-1.0", "CC BY 4.0", "CC-BY-SA-3.0-DE", "Public Domain", "gpl-3.0", "OFL-1.1",
     "MIT OR CC-BY-NC-4.0", "GPL-2.0-or-later WITH Classpath-exception-2.0",
     "(MIT OR CC-BY-NC-4.0) AND ISC"],
)  # fmt: skip
def test_what_everybody_may_pass_on(licence):
    assert publishable(licence)


@pytest.mark.parametrize(
    "licence",
    [None, "NOASSERTION", ARXIV, "CC BY-NC 4.0", "CC-BY-ND-4.0", "All rights reserved",
     "MIT AND CC-BY-NC-4.0", "MIT OR", "LicenseRef-MIT", "not under MIT",
     "parts not under https://creativecommons.org/licenses/by/4.0/", "CC BY"],
)  # fmt: skip
def test_what_is_published_as_a_recipe(licence):
    assert not publishable(licence)


def test_the_allow_list_is_in_the_one_spelling():
    assert {spdx(licence) for licence in PUBLISHABLE} == PUBLISHABLE


@given(st.text(max_size=300) | st.from_regex(r"[(]*(MIT|CC-BY-4.0)( (AND|OR|WITH) ?[()MIT]*)*"))
@settings(derandomize=True, deadline=None)
def test_any_text_has_a_stable_spelling_and_an_answer(text):
    assert spdx(spdx(text)) == spdx(text)
    assert publishable(text) == publishable(spdx(text))
