"""The sites that sources ask, so that a server can keep a pace for each before anybody asks.

Those that links lead to (``mindmap-urls``, FlowCE's pictures) are known when they are met.
"""

from __future__ import annotations

from benchmark.settings import Settings
from sources import arxiv_site, github_api, imslp_site, perspective
from sources.http_site import Site
from sources.map_adapters import ADAPTERS


def known_sites(settings: Settings) -> tuple[Site, ...]:
    """Return every site that a source of ours names itself, at the pace that the settings give."""
    return (
        arxiv_site.SITE,
        github_api.core_site(settings),
        github_api.search_site(settings),
        github_api.RAW_SITE,
        imslp_site.SITE,
        perspective.SITE,
        *(adapter.site for adapter in ADAPTERS),
    )
