from importlib.metadata import EntryPoint

import pytest

from benchmark import registry
from benchmark.registry import Registry, RegistryError


def entries(*pairs):
    return lambda group: [EntryPoint(name, value, group) for name, value in pairs]


def test_a_name_claimed_twice_is_an_error(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", entries(("ems", "a:A"), ("ems", "b:B")))
    with pytest.raises(RegistryError, match="claimed twice: by a:A and by b:B"):
        Registry("metric").names()


def test_the_same_entry_seen_twice_is_no_clash(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", entries(("x", "json:dumps"), ("x", "json:dumps")))
    assert Registry("metric").names() == ["x"]


def test_an_unknown_name_is_told_with_the_nearest(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", entries(("pixel", "json:dumps")))
    with pytest.raises(RegistryError, match="did you mean pixel"):
        Registry("metric").get("pixle")


def test_classes_are_instantiated_once(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", entries(("d", "collections:OrderedDict")))
    one = Registry("source")
    assert one.get("d") is one.get("d")
    assert not isinstance(one.get("d"), type)


def test_registering_by_hand_cannot_replace(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", entries())
    one = Registry("metric")
    one.register("x", 1)
    one.register("x", 1)
    with pytest.raises(RegistryError, match="claimed twice"):
        one.register("x", 2)


def test_everything_that_pyproject_registers_can_be_loaded():
    for kind, each in registry.all_registries().items():
        assert each.names(), kind
        for name in each.names():
            assert each.get(name) is not None


def test_a_family_stands_for_all_its_scenarios_in_the_place_where_it_is_named():
    five = ["extraction", "localization", "logic", "reasoning", "summarization"]
    found = registry.scenarios_called(["mindmap", "flowce", "flowce-logic", "webpage"])
    assert found == ["mindmap", *(f"flowce-{name}" for name in five), "webpage"]
    assert set(registry.scenarios_called(["mindbench"])) == {
        "mindmap", "mindmap-part", "mindmap-position", "mindmap-vqa", "mindmap-position-vqa",
    }  # fmt: skip
    assert registry.scenarios_called([]) == []


def test_neither_a_scenario_nor_a_family_is_told_with_both():
    with pytest.raises(RegistryError, match=r"(?s)flowse.*families: flowce: flowce-.*mindbench: "):
        registry.scenarios_called(["flowse"])
