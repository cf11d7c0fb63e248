"""The stages of the road as plain functions of one instance, with the key of each result.

Nothing here knows Prefect. A key is the exact digest of all that can change a result.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Derives, Describes, Dresses, Model, Scenario
from benchmark.records import (
    Answer,
    Asset,
    Completion,
    Digest,
    Instance,
    Material,
    Rendering,
    Request,
    Subject,
    digest_bytes,
    digest_json,
)
from benchmark.store import Journal
from flows.workshop import Workshop
from renderers import canvas
from scenarios.roundtrip import render_answer

COMPARED_WITH = "compared_with"
"""The attribute that says which picture those of answers are compared with: picture, drawing."""


def with_assets(answer: Answer, assets: Mapping[str, bytes]) -> Answer:
    """Put an instance's assets beside an answer's files; the answer's own files win.

    A file is the answer's own whatever way its path is spelled (``./cat.png``, ``Cat.png``).
    """
    structure = answer.structure
    taken = {posixpath.normpath(path).casefold() for path in structure.files}
    left = {path: data for path, data in assets.items() if path.casefold() not in taken}
    files = {**left, **structure.files}
    return answer.model_copy(update={"structure": structure.model_copy(update={"files": files})})


def render_text(
    workshop: Workshop,
    scenario: Scenario,
    text: str,
    assets: Mapping[str, bytes],
    attributes: Mapping[str, JsonValue],
    *,
    truncated: bool,
) -> Outcome[Rendering]:
    """Take one answer (or truth) along the road: read, dress, repair, render, keep the picture.

    Where the scenario renders nothing, the road ends with the answer as it was read.
    """
    read = scenario.read(text, truncated=truncated)
    if isinstance(read, Failed):
        return read
    answer = read.value
    if scenario.renderer is None:
        return ok(
            Rendering(
                image=None,
                text=answer.text,
                tree=answer.tree,
                repairs=answer.repairs,
                flags=answer.flags,
            )
        )
    if isinstance(scenario, Dresses):
        answer = scenario.dress(answer, attributes)
    answer = with_assets(answer, assets)
    rendered = render_answer(scenario, workshop.renderer(scenario.renderer), answer)
    if isinstance(rendered, Failed):
        return rendered
    final, picture = rendered.value
    return ok(
        Rendering(
            image=workshop.store.put(picture.png),
            width=picture.width,
            height=picture.height,
            pages=picture.pages,
            text=final.text,
            tree=final.tree,
            repairs=final.repairs,
            flags=(*final.flags, *picture.flags),
            seconds=picture.seconds,
        )
    )


def road_key(workshop: Workshop, scenario: Scenario, content: dict[str, Any]) -> Outcome[str]:
    """Return the key of a rendering: its content and every version on the road."""
    versions = _versions(workshop, scenario)
    return versions if isinstance(versions, Failed) else ok(digest_json(versions.value | content))


def _versions(workshop: Workshop, scenario: Scenario) -> Outcome[dict[str, Any]]:
    named: dict[str, Any] = {"scenario": [scenario.name, scenario.version]}
    if scenario.renderer is None:
        return ok(named)
    renderer = workshop.renderer(scenario.renderer)
    image = workshop.image(scenario.renderer)
    if isinstance(image, Failed):
        return image
    rendered = {
        "renderer": [renderer.name, renderer.version, image.value],
        "runtime": workshop.settings.container_runtime,
        "canvas": canvas.VERSION,
    }
    return ok(named | rendered)


def reference_key(
    workshop: Workshop, material: Material, checks: Mapping[str, str] | None = None
) -> Outcome[str]:
    """Return the key of an instance made from fresh material.

    Args:
        workshop: knows the versions.
        material: what the instance is made of.
        checks: of how it looks, with their versions.
    """
    content = material.model_dump(mode="json", exclude={"assets", "picture"})
    content["assets"] = {path: digest_bytes(data) for path, data in material.assets.items()}
    content = {"material": content, "canvas": canvas.VERSION}
    if checks:
        content["checks"] = dict(checks)
    if material.picture is not None:
        content["picture"] = digest_bytes(material.picture)
    if material.drawn_from is not None:
        drawn_by = _versions(workshop, registry.scenarios.get(material.drawn_from.scenario))
        if isinstance(drawn_by, Failed):
            return drawn_by
        content["drawn_by"] = drawn_by.value
    return road_key(workshop, registry.scenarios.get(material.scenario), content)


def refer(workshop: Workshop, material: Material) -> Outcome[Instance]:
    """Render the reference picture of fresh material and make an instance of it.

    A reference must be a clean success: a picture that came out in spite of errors is one that no
    answer could be held to.
    """
    truth = _truth_drawn(workshop, material)
    if isinstance(truth, Failed):
        return truth
    shown: Outcome[Rendering] = truth
    if material.picture is not None:
        shown = _as_found(workshop, material.picture)
    elif material.drawn_from is not None:
        shown = _drawn(workshop, material, material.drawn_from)
    if isinstance(shown, Failed):
        return shown
    picture, drawn = shown.value, truth.value.image
    if picture.image is None:
        message = f"{material.scenario} draws nothing, and the material has no picture to show"
        return Failed.of(Stage.FILTER, Kind.UNSUPPORTED, message)
    store = workshop.store
    return ok(
        Instance(
            id=material.id,
            scenario=material.scenario,
            subset=material.subset,
            image=picture.image,
            reference=drawn if drawn != picture.image else None,
            truth=None if material.truth is None else store.put(material.truth.encode()),
            assets=tuple(
                Asset(path=path, digest=store.put(data))
                for path, data in sorted(material.assets.items())
            ),
            provenance=material.provenance,
            attributes=_measured(material, picture),
            metrics=material.metrics,
        )
    )


def compared_as_found(material: Material) -> bool:
    """Tell whether pictures of answers are compared with the picture that came, not with ours.

    So it is in published sets whose numbers are to be held beside those of others.
    """
    return material.picture is not None and material.attributes.get(COMPARED_WITH) == "picture"


def _truth_drawn(workshop: Workshop, material: Material) -> Outcome[Rendering]:
    """Draw the truth of a material, if there is one that pictures are compared with.

    One that is not drawn must be readable all the same, since texts and trees are compared with it.
    """
    if material.truth is None:
        return ok(Rendering(image=None))
    if compared_as_found(material):
        read = registry.scenarios.get(material.scenario).read(material.truth)
        return read if isinstance(read, Failed) else ok(Rendering(image=None))
    return _drawn(workshop, material, Subject(scenario=material.scenario, text=material.truth))


def _drawn(workshop: Workshop, material: Material, subject: Subject) -> Outcome[Rendering]:
    """Draw a truth, or what a picture shows, once for all that draws the same."""
    scenario = registry.scenarios.get(subject.scenario)
    assets = {path: digest_bytes(data) for path, data in material.assets.items()}
    key = _text_key(workshop, scenario, subject.text, assets, material.attributes, truncated=False)
    if isinstance(key, Failed):
        return key
    journal = _references(workshop, scenario)
    rendered = journal.done(key.value)
    if rendered is None:
        rendered = render_text(
            workshop, scenario, subject.text, material.assets, material.attributes, truncated=False
        )
        journal.add(key.value, rendered)
    if isinstance(rendered, Failed):
        return rendered
    for flag in rendered.value.flags:
        return Failed.of(Stage.FILTER, flag.kind, f"reference is not clean: {flag.message}")
    return rendered


def _references(workshop: Workshop, scenario: Scenario) -> Journal[Rendering]:
    """Return the journal of what was drawn for references; answers that equal one find it there."""
    return workshop.journal(Stage.RENDER, pictures_part(scenario.name), Rendering)


def pictures_part(scenario: str) -> str:
    """Return the part of that journal."""
    return f"pictures/{scenario}"


def dressing(scenario: Scenario, attributes: Mapping[str, JsonValue]) -> dict[str, Any]:
    """Return the part of a key that says how answers are dressed."""
    if not isinstance(scenario, Dresses):
        return {}
    return {"dress": {name: attributes.get(name) for name in scenario.dressed_by}}


def _as_found(workshop: Workshop, picture: bytes) -> Outcome[Rendering]:
    """Keep a picture that came as one: decoded, so that it is bounded, and kept as PNG."""
    decoded = canvas.decode(picture)
    if isinstance(decoded, Failed):
        return decoded
    height, width = decoded.value.shape[:2]
    image = workshop.store.put(canvas.encode(decoded.value))
    return ok(Rendering(image=image, width=width, height=height))


def _measured(material: Material, picture: Rendering) -> dict[str, JsonValue]:
    """Return a material's attributes with the measures of its picture and of what that shows.

    What the material says of what it shows is kept; of the picture itself we know better.
    """
    sizes = {key: getattr(picture, key) for key in ("width", "height", "pages")}
    shown = _shown(material)
    described: dict[str, JsonValue] = {}
    if shown is not None:
        scenario = registry.scenarios.get(shown.scenario)
        if isinstance(scenario, Describes):
            read = scenario.read(shown.text)
            described = {} if isinstance(read, Failed) else scenario.describe(read.value)
    return {**described, **material.attributes, **sizes}


def _shown(material: Material) -> Subject | None:
    """Return what the picture of a material shows, or None if it may be more than its truth."""
    if material.drawn_from is not None:
        return material.drawn_from
    derives = isinstance(registry.scenarios.get(material.scenario), Derives)
    if material.truth is None or (derives and material.picture is not None):
        return None
    return Subject(scenario=material.scenario, text=material.truth)


def query_key(model: Model, scenario: Scenario, instance: Instance) -> str:
    """Return the key of a completion: picture, prompt, model and its settings."""
    content: dict[str, Any] = {
        "image": instance.image,
        "prompt": scenario.prompt(instance),
        "scenario": scenario.name,
        "model": model.name,
        "settings": model.settings(),
    }
    if model.sees_truth:
        content |= {"truth": instance.truth, "version": scenario.version}
    return digest_json(content)


def query(
    workshop: Workshop, model: Model, scenario: Scenario, instance: Instance
) -> Outcome[Completion]:
    """Show a model the picture."""
    return model.complete(
        Request(
            instance=instance.id,
            scenario=scenario.name,
            prompt=scenario.prompt(instance),
            image=workshop.store.get(instance.image),
        )
    )


def render_key(
    workshop: Workshop, scenario: Scenario, instance: Instance, completion: Completion
) -> Outcome[str]:
    """Return the key of an answer's rendering."""
    return _text_key(
        workshop,
        scenario,
        completion.text,
        {asset.path: asset.digest for asset in instance.assets},
        instance.attributes,
        truncated=is_truncated(completion),
    )


def _text_key(
    workshop: Workshop,
    scenario: Scenario,
    text: str,
    assets: Mapping[str, Digest],
    attributes: Mapping[str, JsonValue],
    *,
    truncated: bool,
) -> Outcome[str]:
    """Return the key of what ``render_text`` makes, the same for truth and answer."""
    content = {"text": text, "truncated": truncated, "assets": assets}
    return road_key(workshop, scenario, content | dressing(scenario, attributes))


def render(
    workshop: Workshop,
    scenario: Scenario,
    instance: Instance,
    completion: Completion,
    *,
    again: bool = False,
) -> Outcome[Rendering]:
    """Read and render what a model wrote; what equals a reference was rendered with it.

    `again` renders that too.
    """
    key = render_key(workshop, scenario, instance, completion)
    if isinstance(key, Failed):
        return key
    known = None if again else _references(workshop, scenario).done(key.value)
    if known is not None:
        return known
    assets = {asset.path: workshop.store.get(asset.digest) for asset in instance.assets}
    return render_text(
        workshop,
        scenario,
        completion.text,
        assets,
        instance.attributes,
        truncated=is_truncated(completion),
    )


def is_truncated(completion: Completion) -> bool:
    """Tell whether the provider cut the answer off."""
    return completion.finish_reason == "length"
