"""The web renderer: a site's files to a picture of its entry page in a window of 1920 × 1080.

Two steps, each in its own kind of sandbox: Jekyll builds the site where it is asked for
(`renderers.web_site`), Chromium shows it (`renderers.web_page`, `renderers.web_browser`).

When is there a picture? Jekyll's exit status does not decide: what it reports does. A build that
went through gives a picture, with a flag for each missing layout or broken front matter. A browser
always shows something, so every page that can be photographed within its limits is a picture, with
a flag for what was missing, blocked or broken, except: nothing visible (``empty_render``), a
document other than the site's (``unsupported``), a process that died or too many requests
(``resource_limit``), or a page that does not come to an end (``timeout``).
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from benchmark.outcome import Failed, Outcome
from benchmark.records import Picture, Structure
from renderers import bundle, canvas
from renderers.image_digest import reference
from renderers.pooled import LOG_CHARACTERS, PooledRenderer
from renderers.sandbox import Limits
from renderers.web_site import LIMITS, make_site

if TYPE_CHECKING:
    from renderers.web_browser import Browsers


class WebRenderer(PooledRenderer):
    """Renders web sites, plain or Jekyll; safe to call from several threads at once.

    `workers` is the number of browsers, and so of pages, at the same time.
    """

    name = "web"
    version = "2"
    limits = LIMITS
    page_limits = Limits(seconds=40, memory_mb=1536, cpus=2, pids=400, work_mb=256)
    """Of one browser; `seconds` is the hard limit of one page."""

    def __init__(self, *, workers: int | None = None, runtime: str | None = None) -> None:
        """Describe the renderer; nothing is started before the first page.

        Args:
            workers: browsers at the same time, by default the setting of that name.
            runtime: OCI runtime, by default the setting ``container_runtime``.
        """
        super().__init__(workers=workers, runtime=runtime)
        self._browsers: Browsers | None = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            with self._lock:
                browsers, self._browsers = self._browsers, None
            if browsers:
                browsers.close()

    @property
    def browsers(self) -> Browsers:
        """The browsers of this renderer.

        Raises:
            RuntimeError: the renderer is closed; nobody would close what is started now.
        """
        from renderers.web_browser import Browsers  # noqa: PLC0415 - Playwright loads slowly

        with self._lock:
            self._check_open()
            if self._browsers is None:
                self._browsers = Browsers(
                    reference(self.name),
                    workers=self._workers,
                    limits=self.page_limits,
                    runtime=self._runtime,
                )
            return self._browsers

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render a site's entry page.

        Args:
            structure: the site's files, pictures included; the entry is an HTML page, or a source
                that Jekyll turns into one.

        Returns:
            An RGB picture of 1920 × 1080 pixels, or the failure; see the module.
        """
        begun = time.monotonic()
        checked = bundle.check_structure(structure)
        if isinstance(checked, Failed):
            return checked
        site = make_site(checked.value, self.pool)
        if isinstance(site, Failed):
            return site
        shot = self.browsers.shoot(site.value)
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
