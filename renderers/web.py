"""The web renderer: a site's files to a picture of its entry page in a window of 1920 × 1080.

Two steps, each in its own kind of sandbox: Jekyll builds the site where it is asked for
(`renderers.web_site`), Chromium shows it (`renderers.web_page`, `renderers.web_browser`).

When is there a picture? Jekyll's exit status does not decide: what it reports does. A build that
went through gives a picture, with a flag for each missing layout or broken front matter. A browser
always shows something, so every page that can be photographed within its limits is a picture, with
a flag for what was missing, blocked or broken, except: nothing visible (``empty_render``), a
document other than the site's (``unsupported``), a process that died (``resource_limit``) or a page
that does not come to an end (``timeout``).
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from benchmark.outcome import Failed, Outcome
from benchmark.records import Digest, Picture, Structure
from renderers import bundle, canvas
from renderers.image_digest import reference
from renderers.sandbox import Limits, Pool, image_digest
from renderers.web_site import LIMITS as JEKYLL_LIMITS
from renderers.web_site import make_site

BROWSER_LIMITS = Limits(seconds=20, memory_mb=1536, cpus=2, pids=400, work_mb=256)
"""Of one browser; `seconds` is the hard limit of one page."""

LOG_CHARACTERS = 4000


class WebRenderer:
    """Renders web sites, plain or Jekyll; safe to call from several threads at once."""

    name = "web"
    version = "1"

    def __init__(
        self,
        workers: int = 2,
        *,
        image: str | None = None,
        runtime: str | None = None,
        limits: Limits = BROWSER_LIMITS,
    ) -> None:
        """Describe the renderer; nothing is started before the first page.

        Args:
            workers: browsers, and so pages, at the same time.
            image: name of the container image; None for the one that this checkout describes.
            runtime: OCI runtime, for instance ``runsc``; None for the engine's own.
            limits: of one browser; its `seconds` are those of one page.
        """
        from renderers.web_browser import Browsers  # noqa: PLC0415 - Playwright takes 0.3 s to import

        self.image = image or reference("web")
        self._jekyll = Pool(self.image, size=workers, limits=JEKYLL_LIMITS, runtime=runtime)
        self._browsers = Browsers(self.image, workers=workers, limits=limits, runtime=runtime)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._browsers.close()
        self._jekyll.close()

    def image_digest(self) -> Outcome[Digest]:
        """Return the identifier of the container image."""
        return image_digest(self.image)

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render a site's entry page.

        Args:
            structure: the site's files, pictures included; the entry is an HTML page, or a source
                that Jekyll turns into one.

        Returns:
            An RGB picture of 1920 × 1080 pixels, or the failure.
        """
        begun = time.monotonic()
        checked = bundle.check_structure(structure)
        if isinstance(checked, Failed):
            return checked
        site = make_site(checked.value, self._jekyll)
        if isinstance(site, Failed):
            return site
        shot = self._browsers.shoot(site.value)
        if isinstance(shot, Failed):
            return shot
        log = "\n".join(part for part in (site.value.log, shot.value.log) if part)
        return canvas.picture(
            [shot.value.png],
            crop_content=False,
            flags=(*site.value.flags, *shot.value.flags),
            log=log[-LOG_CHARACTERS:],
            seconds=time.monotonic() - begun,
        )
