"""How fresh material looks: nobody has seen it yet, so its picture is checked before it is kept.

The checks are filters on pictures of ``sources``; here they meet the store and the renderers. What
was measured on the way (the hash that finds near-duplicates) stays with the instance.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Instance, Material
from flows.road import compared_as_found, render_text
from flows.workshop import Workshop
from renderers import canvas
from sources.near_duplicates import perceptual_hash, text_key
from sources.picture_filters import NotBlank, unstable

STABLE = "stable"
"""Name of the check that a reference comes out the same when it is drawn again."""

CHECKS: Mapping[str, str] = {STABLE: "1", NotBlank.name: NotBlank.version}
"""Names of the checks and their versions, which are part of the keys."""


def wanted(without: Collection[str]) -> dict[str, str]:
    """Return the checks that are applied, with their versions."""
    return {name: version for name, version in CHECKS.items() if name not in without}


def checked(
    workshop: Workshop,
    material: Material,
    made: Outcome[Instance],
    checks: Mapping[str, str],
) -> Outcome[Instance]:
    """Check how a piece looks.

    Returns:
        The instance with its attributes ``phash`` and ``text_key``, or why it is not wanted.
    """
    if isinstance(made, Failed):
        return made
    instance = made.value
    if STABLE in checks and (failure := _drawn_again(workshop, material, instance)) is not None:
        return failure
    decoded = canvas.decode(workshop.store.get(instance.image))
    if isinstance(decoded, Failed):
        return decoded
    picture = decoded.value
    if NotBlank.name in checks and (failure := NotBlank().judge(material, picture)) is not None:
        return failure
    measures = {**instance.attributes, "phash": perceptual_hash(picture)}
    if material.truth is not None:
        assets = {asset.path: asset.digest for asset in instance.assets}
        measures["text_key"] = text_key(material.scenario, material.truth, assets)
    return ok(instance.model_copy(update={"attributes": measures}))


def _drawn_again(workshop: Workshop, material: Material, instance: Instance) -> Failed | None:
    """Draw the truth a second time.

    A page that shows the time of day, or a number that it drew, has no picture that an answer could
    be held to.
    """
    scenario = registry.scenarios.get(material.scenario)
    if material.truth is None or scenario.renderer is None or compared_as_found(material):
        return None
    again = render_text(
        workshop, scenario, material.truth, material.assets, material.attributes, truncated=False
    )
    if isinstance(again, Failed):
        if not again.final:
            return again
        message = f"drawn a second time it fails: {again.message}"
        return Failed.of(Stage.FILTER, Kind.UNSTABLE, message, subject=material.id)
    first, second = instance.compared, again.value.image
    if first == second or second is None:
        return None
    return unstable(material, workshop.store.get(first), workshop.store.get(second))
