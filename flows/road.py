"""The stages of the road as plain functions of one instance, with the key of each result.

Nothing here knows Prefect. A key is the exact digest of all that can change a result.
"""

from __future__ import annotations

import posixpath
from typing import Any

from benchmark import registry
from benchmark.outcome import Failed, Outcome, Stage, ok
from benchmark.protocols import Model, Scenario
from benchmark.records import (
    Answer,
    Asset,
    Completion,
    Instance,
    Material,
    Rendering,
    Request,
    digest_bytes,
    digest_json,
)
from flows.workshop import Workshop
from renderers import canvas
from scenarios.roundtrip import render_answer


def with_assets(answer: Answer, assets: dict[str, bytes]) -> Answer:
    """Put an instance's assets beside an answer's files; the answer's own files win.

    A file is the answer's own whatever way its path is spelled (``./cat.png``, ``Cat.png``).
    """
    structure = answer.structure
    taken = {posixpath.normpath(path).casefold() for path in structure.files}
    left = {path: data for path, data in assets.items() if path.casefold() not in taken}
    files = {**left, **structure.files}
    return answer.model_copy(update={"structure": structure.model_copy(update={"files": files})})


def render_text(
    workshop: Workshop, scenario: Scenario, text: str, assets: dict[str, bytes], *, truncated: bool
) -> Outcome[Rendering]:
    """Take one answer (or truth) along the road: read, repair, render, keep the picture."""
    read = scenario.read(text, truncated=truncated)
    if isinstance(read, Failed):
        return read
    answer = with_assets(read.value, assets)
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
    renderer = workshop.renderer(scenario.renderer)
    image = workshop.image(scenario.renderer)
    if isinstance(image, Failed):
        return image
    versions = {
        "scenario": [scenario.name, scenario.version],
        "renderer": [renderer.name, renderer.version, image.value],
        "runtime": workshop.settings.container_runtime,
        "canvas": canvas.VERSION,
    }
    return ok(digest_json({**versions, **content}))


def reference_key(workshop: Workshop, material: Material) -> Outcome[str]:
    """Return the key of an instance made from fresh material."""
    content = material.model_dump(mode="json", exclude={"assets"})
    content["assets"] = {path: digest_bytes(data) for path, data in material.assets.items()}
    return road_key(workshop, registry.scenarios.get(material.scenario), {"material": content})


def refer(workshop: Workshop, material: Material) -> Outcome[Instance]:
    """Render the reference picture of fresh material and make an instance of it.

    A reference must be a clean success: a picture that came out in spite of errors is one that no
    answer could be held to.
    """
    scenario = registry.scenarios.get(material.scenario)
    rendered = render_text(workshop, scenario, material.truth, material.assets, truncated=False)
    if isinstance(rendered, Failed):
        return rendered
    for flag in rendered.value.flags:
        return Failed.of(Stage.FILTER, flag.kind, f"reference is not clean: {flag.message}")
    store = workshop.store
    measured = {key: getattr(rendered.value, key) for key in ("width", "height", "pages")}
    return ok(
        Instance(
            id=material.id,
            scenario=material.scenario,
            subset=material.subset,
            image=rendered.value.image,
            truth=store.put(material.truth.encode()),
            assets=tuple(
                Asset(path=path, digest=store.put(data))
                for path, data in sorted(material.assets.items())
            ),
            provenance=material.provenance,
            attributes={**material.attributes, **measured},
        )
    )


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
    content = {
        "text": completion.text,
        "truncated": is_truncated(completion),
        "assets": [[asset.path, asset.digest] for asset in instance.assets],
    }
    return road_key(workshop, scenario, content)


def render(
    workshop: Workshop, scenario: Scenario, instance: Instance, completion: Completion
) -> Outcome[Rendering]:
    """Read and render what a model wrote."""
    assets = {asset.path: workshop.store.get(asset.digest) for asset in instance.assets}
    return render_text(
        workshop, scenario, completion.text, assets, truncated=is_truncated(completion)
    )


def is_truncated(completion: Completion) -> bool:
    """Tell whether the provider cut the answer off."""
    return completion.finish_reason == "length"
