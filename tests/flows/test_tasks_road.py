"""Tasks whose picture shows more than their truth, and answers without a picture: the same road."""

import datetime as dt
import io
import json
from typing import ClassVar

import pytest
from PIL import Image

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Completion, Material, Picture, Provenance, Rendering, Subject
from benchmark.settings import Settings
from benchmark.snapshot import Rejected
from flows import road
from flows.batches import applicable
from flows.derivation import Places, derive, deriving, located, places_key
from flows.map_statistics import count_sets, count_tasks, measure
from flows.scoring import Scorer, score_key
from flows.splits import Split, choose
from flows.workshop import Workshop
from scenarios.tree_styles import Style

PROVENANCE = Provenance(
    source="test", author="us", licence="CC0-1.0", created=dt.date(2026, 1, 1), url=None
)
TREE = {"text": "R", "children": [{"text": "a", "children": [{"text": "c"}]}, {"text": "b"}]}


class FlatRenderer:
    """Stands in for Graphviz: a flat picture whose size and colour follow from the DOT."""

    name, version = "graphviz", "test"
    drawn: ClassVar[list[str]] = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def image_digest(self):
        return ok("d" * 64)

    def render(self, structure):
        self.drawn.append(structure.digest)
        shade = int(structure.digest[:2], 16)
        buffer = io.BytesIO()
        Image.new("RGB", (40, 30), (shade, 0, 0)).save(buffer, "PNG")
        return ok(Picture(png=buffer.getvalue(), width=40, height=30))


@pytest.fixture
def workshop(tmp_path):
    made = Workshop(Settings(store=str(tmp_path / "store")))
    made._renderers["graphviz"] = FlatRenderer()
    FlatRenderer.drawn.clear()
    yield made
    made.close()


def whole(language="en", name="x", tree=TREE, **attributes) -> Material:
    return Material(
        id=f"mindmap/{language}/{name}",
        scenario="mindmap",
        subset=language,
        truth=json.dumps(tree),
        provenance=PROVENANCE,
        attributes=attributes,
    )


def derived(name: str, material: Material, turn: int = 0) -> Material:
    found = registry.scenarios.get(name).derive(material, turn=turn, seed=0)
    assert found is not None
    return found


def instance_of(workshop, material):
    outcome = road.refer(workshop, material)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def answer(workshop, instance, text):
    scenario = registry.scenarios.get(instance.scenario)
    outcome = road.render(workshop, scenario, instance, Completion(text=text))
    assert isinstance(outcome, Ok), outcome
    return scenario, outcome.value


def scores(workshop, instance, text):
    scenario, rendering = answer(workshop, instance, text)
    names = applicable(scenario, instance)
    found = Scorer(workshop.store, scenario).score(instance, rendering, names)
    return {name: each.value.value for name, each in found.items()}


class TestPartOfAPicture:
    def test_the_whole_map_is_shown_and_the_part_is_compared(self, workshop):
        material = whole()
        instance = instance_of(workshop, derived("mindmap-part", material))
        assert instance.image == instance_of(workshop, material).image
        assert instance.reference not in (None, instance.image)
        assert instance.compared == instance.reference
        truth = workshop.store.get(instance.truth).decode()
        _, rendering = answer(workshop, instance, truth)
        assert rendering.image == instance.reference
        assert set(scores(workshop, instance, truth).values()) == {1.0}

    def test_nodes_are_those_of_the_map_that_is_shown(self, workshop):
        for name in ("mindmap-part", "mindmap-vqa"):
            instance = instance_of(workshop, derived(name, whole()))
            assert (instance.attributes["nodes"], instance.attributes["depth"]) == (4, 3)

    def test_one_map_is_drawn_once_for_all_questions(self, workshop):
        material = whole()
        for turn in range(3):
            instance_of(workshop, derived("mindmap-vqa", material, turn))
        assert len(FlatRenderer.drawn) == 1

    def test_an_answer_is_drawn_in_the_style_of_its_instance(self, workshop):
        style = Style(engine="circo").model_dump(mode="json")
        plain = instance_of(workshop, derived("mindmap-part", whole()))
        styled = instance_of(workshop, derived("mindmap-part", whole(style=style)))
        assert plain.reference != styled.reference
        truth = workshop.store.get(styled.truth).decode()
        scenario, rendering = answer(workshop, styled, truth)
        assert rendering.image == styled.reference
        keys = {
            road.render_key(workshop, scenario, each, Completion(text=truth)).value
            for each in (plain, styled)
        }
        assert len(keys) == 2, "the style is part of the key"

    def test_a_given_picture_is_shown_as_it_is(self, workshop):
        buffer = io.BytesIO()
        Image.new("RGB", (50, 60), "yellow").save(buffer, "JPEG")
        material = whole().model_copy(update={"picture": buffer.getvalue()})
        instance = instance_of(workshop, material)
        assert (instance.attributes["width"], instance.attributes["height"]) == (50, 60)
        assert instance.reference not in (None, instance.image)
        keys = {
            road.reference_key(workshop, each).value
            for each in (whole(), material, material.model_copy(update={"picture": b"other"}))
        }
        assert len(keys) == 3, "the picture is part of the key"
        broken = road.refer(workshop, material.model_copy(update={"picture": b"no picture"}))
        assert isinstance(broken, Failed)


class TestAnswersWithoutAPicture:
    def test_nothing_is_rendered_and_texts_are_compared(self, workshop):
        instance = instance_of(workshop, derived("mindmap-vqa", whole(), turn=2))
        assert instance.attributes["kind"] == "children"
        truth = workshop.store.get(instance.truth).decode()
        _, rendering = answer(workshop, instance, truth)
        assert rendering.image is rendering.width is None
        assert Rendering.model_validate_json(rendering.model_dump_json()) == rendering
        assert scores(workshop, instance, truth) == {"vqa_match": 1.0, "answer_f1": 1.0}
        assert scores(workshop, instance, "nothing of the kind")["vqa_match"] == 0.0

    def test_only_metrics_that_say_something_are_computed(self, workshop):
        instance = instance_of(workshop, derived("mindmap-vqa", whole(), turn=0))
        assert instance.attributes["kind"] == "theme"
        assert scores(workshop, instance, "R") == {"vqa_match": 1.0}

    def test_the_key_needs_no_engine(self, workshop):
        workshop._images["graphviz"] = Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, "down")
        scenario = registry.scenarios.get("mindmap-vqa")
        instance = derived("mindmap-vqa", whole())
        assert isinstance(road.reference_key(workshop, instance), Failed), "its picture does"
        asked = instance_of_without_engine(workshop, instance)
        assert isinstance(road.render_key(workshop, scenario, asked, Completion(text="R")), Ok)

    def test_a_question_without_a_picture_is_refused(self, workshop):
        bare = derived("mindmap-vqa", whole()).model_copy(update={"drawn_from": None})
        outcome = road.refer(workshop, bare)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSUPPORTED

    def test_images_are_never_compared_by_accident(self, workshop):
        instance = instance_of(workshop, derived("mindmap-vqa", whole()))
        scenario, rendering = answer(workshop, instance, "R")
        found = Scorer(workshop.store, scenario).score(instance, rendering, ["ssim"])
        assert isinstance(found["ssim"], Failed)
        assert score_key("vqa_match", scenario, instance, rendering)


def instance_of_without_engine(workshop, material):
    shown = material.model_copy(update={"drawn_from": None, "picture": PNG})
    return instance_of(workshop, shown)


def _png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (5, 5), "white").save(buffer, "PNG")
    return buffer.getvalue()


PNG = _png()


class TestDerivation:
    def places(self, material):
        number = str(material.truth).count('"text"')
        boxes = [[10 * i, 100 * i, 10 * i + 9, 100 * i + 50] for i in range(number)]
        return ok(material.model_copy(update={"attributes": {"boxes": boxes}}))

    def test_the_tasks_are_those(self):
        assert deriving() == [
            *("flowce-extraction", "flowce-localization", "flowce-logic", "flowce-reasoning"),
            "flowce-summarization",
            *("mindmap-part", "mindmap-position", "mindmap-position-vqa", "mindmap-vqa"),
        ]

    def test_so_many_of_each_language(self):
        materials = [whole("en", "a"), whole("en", "b"), whole("zh", "c")]
        found, lost = derive(materials, {"mindmap-vqa": 3, "mindmap-position": 1}, self.places)
        assert lost == []
        counts = [(each.scenario, each.subset) for each in found]
        assert (
            counts
            == [("mindmap-position", "en"), ("mindmap-position", "zh")]
            + [("mindmap-vqa", "en")] * 3
            + [("mindmap-vqa", "zh")] * 3
        )
        assert len({each.id for each in found}) == len(found)
        assert len({each.attributes["kind"] for each in found if "vqa" in each.scenario}) == 6
        documents = [e.attributes["document"] for e in found if e.subset == "en"]
        assert set(documents) == {"mindmap/en/a", "mindmap/en/b"}, "maps take turns"

    def test_a_limit_holds_for_each_scenario(self):
        materials = [whole("en", "a"), whole("zh", "c")]
        found, _ = derive(materials, {"mindmap-vqa": 3}, self.places, limit=3)
        assert [each.subset for each in found] == ["en", "en", "zh"]

    def test_a_failure_to_find_places_is_told(self):
        down = Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, "no engine answers")
        found, lost = derive([whole()], {"mindmap-position": 1}, lambda _: down)
        rejected = Rejected(id="mindmap/en/x", scenario="mindmap-position", failure=down)
        assert (found, lost) == ([], [rejected])

    def test_maps_that_offer_nothing_end_the_search(self):
        lonely = whole(tree={"text": "alone"})
        assert derive([lonely], {"mindmap-part": 5}, self.places) == ([], [])

    def test_an_unsuitable_scenario_is_named(self):
        with pytest.raises(registry.RegistryError, match="not derived"):
            derive([], {"latex": 1}, self.places)

    def test_known_places_are_kept_and_found_ones_are_remembered(self, workshop):
        known = whole(boxes=[[0, 0, 1, 1]])
        assert located(workshop, known).value is known
        key = places_key(workshop, whole())
        boxes = ((0, 0, 9, 9), (1, 1, 2, 2), (3, 3, 4, 4), (5, 5, 6, 6))
        journal = workshop.journal(Stage.RENDER, "places/mindmap", Places)
        journal.add(key.value, ok(Places(boxes=boxes)))
        found = located(workshop, whole()).value
        assert found.attributes["boxes"] == [list(box) for box in boxes]


class TestStatistics:
    @pytest.fixture
    def instances(self, workshop):
        large = {"text": "R", "children": [{"text": str(i)} for i in range(60)]}
        materials = [whole(), whole("zh", "large", large)]
        questions = [
            derived("mindmap-vqa", material, turn) for material in materials for turn in (0, 1)
        ]
        return [instance_of(workshop, each) for each in (*materials, *questions)]

    def test_maps_are_counted_once(self, instances):
        rows = [(r.source, r.language, r.test, r.easy) for r in count_sets(instances)]
        assert rows == [("test", "en", 1, 1), ("test", "zh", 1, 0), ("total", "en+zh", 2, 1)]

    def test_sixty_nodes_are_easy_and_one_more_is_not(self, workshop):
        for number, easy in ((59, True), (60, False)):
            tree = {"text": "R", "children": [{"text": str(i)} for i in range(number)]}
            instance = instance_of(workshop, whole(tree=tree))
            assert (choose([instance], Split.EASY) == [instance]) is easy
            assert choose([instance], Split.TEST) == [instance]

    def test_one_published_set_can_be_chosen(self, workshop):
        mine, other = instance_of(workshop, whole()), instance_of(workshop, whole(set="XMind"))
        assert choose([mine, other], source="XMind") == [other]
        assert choose([mine, other], source="test") == [mine]
        assert choose([mine, other]) == [mine, other]

    def test_a_map_that_is_not_known_is_not_easy(self, workshop):
        material = derived("mindmap-vqa", whole()).model_copy(
            update={"drawn_from": None, "picture": PNG}
        )
        instance = instance_of(workshop, material)
        assert choose([instance], Split.EASY) == []
        assert count_sets([instance])[0].unmeasured == 1
        assert measure([instance]) == []

    def test_tasks_are_counted_by_kind(self, instances):
        rows = [(row.task, row.kind, row.test, row.easy) for row in count_tasks(instances)]
        assert rows == [
            ("mindmap", "all", 2, 1),
            ("mindmap-vqa", "all", 4, 2),
            ("mindmap-vqa", "parent", 2, 1),
            ("mindmap-vqa", "theme", 2, 1),
        ]

    def test_structure_is_a_mean(self, instances):
        found = {row.language: row for row in measure(instances)}
        assert (found["en"].nodes, found["en"].depth, found["en"].maps) == (4.0, 3.0, 1)
        assert (found["zh"].nodes, found["zh"].depth) == (61.0, 2.0)
        assert found["en"].longest_side == 40.0


def test_what_a_picture_shows_survives_storing():
    material = whole().model_copy(
        update={"drawn_from": Subject(scenario="mindmap", text="x"), "picture": PNG}
    )
    assert Material.model_validate_json(material.model_dump_json()) == material
