"""The flow of a refresh: sources side by side, the funnel, what happens when a site fails."""

import datetime as dt

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.records import Material
from benchmark.settings import Settings
from flows.forms import RefreshRequest
from flows.freezing import RefreshError
from flows.gathering import TRIES, TROUBLE, Gathering
from flows.progress import observed_by
from flows.workshop import opened
from tests.flows import toy
from tests.flows.test_evaluate import Counts

DAY = dt.date(2026, 11, 1)


class Site:
    """A source that reads a site: a script of what comes, and a count of what was asked for."""

    scenarios, about, live = ("toy",), "A site of these tests.", True

    def __init__(self, name):
        self.name = name
        self.script = []
        self.asked = 0

    def collect(self, *, since=None, limit=None):
        assert limit is None, "a site is asked for as long as something is wanted"
        for outcome in self.script:
            self.asked += 1
            if isinstance(outcome, Exception):
                raise outcome
            if isinstance(outcome, Material):
                if since is None or outcome.provenance.created >= since:
                    yield ok(outcome)
            else:
                yield outcome


def piece(source, number, truth=None, created=DAY):
    return Material(
        id=f"{source}/{number}",
        scenario="toy",
        subset=toy.ToyScenario.subsets[number % 2],
        truth=truth or source[-1] * number,
        provenance=toy.PROVENANCE.model_copy(update={"source": source, "created": created}),
    )


def lost(stage, kind, told="not this one"):
    return Failed.of(stage, kind, told, subject=f"https://site.example/{kind}")


@pytest.fixture(scope="module", autouse=True)
def toys(prefect):
    toy.register()
    for name in ("site-a", "site-b"):
        if name not in registry.sources:
            registry.sources.register(name, Site(name))


@pytest.fixture
def settings(tmp_path):
    return Settings(store=str(tmp_path / "store"), batch=4, workers=2)


@pytest.fixture
def sites():
    made = registry.sources.get("site-a"), registry.sources.get("site-b")
    for site in made:
        site.script, site.asked = [], 0
    return made


LOOKS = ("blank", "near-duplicate")
"""Not applied to the toy's pictures, which are all of one colour."""


def refresh(settings, *sources, without=LOOKS, **arguments):
    from flows.refresh import refresh as flow

    counts = Counts()
    request = RefreshRequest(sources=list(sources), without=list(without), **arguments)
    with opened(settings) as workshop, observed_by(counts):
        return workshop.snapshot(flow(request)), counts


def test_a_site_is_asked_only_until_there_is_enough(settings, sites):
    site, _ = sites
    site.script = [piece("site-a", number) for number in range(1, 40)]
    frozen, counts = refresh(settings, "site-a", limit=6)
    assert [one.id for one in frozen.instances] == [f"site-a/{n}" for n in range(1, 7)]
    assert site.asked == 6
    assert counts.results["render"] == {"done": 6}


def test_what_is_dropped_is_made_up_for(settings, sites):
    site, _ = sites
    site.script = [
        lost(Stage.FETCH, Kind.GONE),
        piece("site-a", 1, truth="fail: does not compile"),
        lost(Stage.FILTER, Kind.OWNER_LIMIT),
        *(piece("site-a", number) for number in range(2, 20)),
    ]
    frozen, _ = refresh(settings, "site-a", limit=3)
    assert [one.id for one in frozen.instances] == ["site-a/2", "site-a/3", "site-a/4"]
    (row,) = frozen.funnel
    assert row.unfetched == {"gone": 1}
    assert row.dropped == {"owner_limit": 1}
    assert row.unrendered == {"compile_error": 1}
    assert (row.found, row.fetched, row.rendered, row.kept) == (6, 5, 3, 3)
    assert {(one.id, one.failure.kind) for one in frozen.rejected} == {
        ("https://site.example/gone", Kind.GONE),
        ("https://site.example/owner_limit", Kind.OWNER_LIMIT),
        ("site-a/1", Kind.COMPILE_ERROR),
    }


def test_what_two_sources_call_the_same_is_one_instance(settings, sites):
    one, other = sites
    one.script = [piece("site-a", 1), piece("site-a", 2)]
    other.script = [piece("site-a", 2), piece("site-b", 3)]
    frozen, _ = refresh(settings, "site-a", "site-b", without=(*LOOKS, "same-text"))
    assert [each.id for each in frozen.instances] == ["site-a/1", "site-a/2", "site-b/3"]
    assert [row.discarded for row in frozen.funnel] == [{}, {"duplicate": 1}]


def test_a_site_that_offers_nothing_usable_is_left_in_the_end(settings, sites):
    site, _ = sites
    site.script = [piece("site-a", 1)] + [lost(Stage.FILTER, Kind.TOXIC)] * (3 * TRIES)
    frozen, _ = refresh(settings, "site-a", limit=2)
    assert len(frozen.instances) == 1
    assert site.asked == 2 * TRIES


def test_sources_are_frozen_together_in_their_order(settings, sites):
    for site in sites:
        site.script = [piece(site.name, number) for number in range(1, 6)]
    frozen, _ = refresh(settings, "site-b", "toy", "site-a", limit=2)
    assert [one.id for one in frozen.instances] == [
        "site-b/1", "site-b/2", "toy/1", "toy/2", "site-a/1", "site-a/2",
    ]  # fmt: skip
    assert [(row.source, row.kept) for row in frozen.funnel] == [
        ("site-b", 2), ("toy", 2), ("site-a", 2)
    ]  # fmt: skip
    assert frozen.name.startswith("fresh-")
    assert refresh(settings, "site-b", "toy", "site-a", limit=2)[0] == frozen


def test_a_site_that_is_down_freezes_nothing_unless_that_is_wanted(settings, sites):
    good, down = sites
    good.script = [piece("site-a", number) for number in range(1, 4)]
    down.script = [lost(Stage.FETCH, Kind.RATE_LIMITED, "come back at noon")]
    with pytest.raises(RefreshError, match="site-b: 1 infra failures, the first: come back at n"):
        refresh(settings, "site-a", "site-b")
    with opened(settings) as workshop:
        assert not workshop.store.documents("snapshots")
    frozen, counts = refresh(settings, "site-a", "site-b", partial=True)
    assert len(frozen.instances) == 3
    assert frozen.funnel[1].unfetched == {"rate_limited": 1}
    assert counts.results["render"] == {"cached": 3}, "what was done is found"


def test_a_defect_of_a_source_is_a_failure_of_that_source_alone(settings, sites):
    good, broken = sites
    good.script = [piece("site-a", 1)]
    broken.script = [piece("site-b", 1), ValueError("unforeseen"), piece("site-b", 2)]
    with pytest.raises(RefreshError, match="site-b: ValueError: unforeseen"):
        refresh(settings, "site-a", "site-b")
    frozen, _ = refresh(settings, "site-a", "site-b", partial=True)
    assert [one.id for one in frozen.instances] == ["site-a/1", "site-b/1"]


def test_a_machine_that_can_draw_nothing_leaves_sites_alone_soon(settings, sites, monkeypatch):
    monkeypatch.setenv("TOY_ENGINE", "down")
    site, _ = sites
    site.script = [piece("site-a", number) for number in range(1, 500)]
    with pytest.raises(RefreshError, match="no engine answers"):
        refresh(settings, "site-a")
    assert site.asked < TROUBLE + settings.batch


def test_two_pieces_of_one_name_are_not_frozen_together(settings, sites):
    one, other = sites
    one.script = [piece("site-a", 1)]
    other.script = [piece("site-b", 2).model_copy(update={"id": "site-a/1"})]
    frozen, _ = refresh(settings, "site-a", "site-b")
    assert [each.provenance.source for each in frozen.instances] == ["site-a"]
    assert frozen.funnel[1].discarded == {"duplicate": 1}


def test_the_next_day_takes_up_what_is_new(settings, sites):
    site, _ = sites
    site.script = [piece("site-a", number) for number in range(1, 4)]
    first, _ = refresh(settings, "site-a")
    site.script = [piece("site-a", 9), *site.script]
    second, counts = refresh(settings, "site-a")
    assert len(second.instances) == 4
    assert counts.results["render"] == {"done": 1, "cached": 3}
    assert first.name != second.name
    site.script = [piece("site-a", 10), *site.script]
    only, _ = refresh(settings, "site-a", only_new=True)
    assert [one.id for one in only.instances] == ["site-a/10"]
    assert only.funnel[0].dropped == {"duplicate": 4}


def test_since_is_handed_on(settings, sites):
    site, _ = sites
    old = piece("site-a", 1, created=dt.date(2020, 1, 1))
    site.script = [old, piece("site-a", 2)]
    frozen, _ = refresh(settings, "site-a", since=DAY)
    assert [one.id for one in frozen.instances] == ["site-a/2"]


class TestFilters:
    def test_what_is_not_wanted_is_told_with_its_reason(self, settings, sites):
        site, _ = sites
        site.script = [
            piece("site-a", 1, truth="A line of text."),
            piece("site-a", 2, truth="A  line of\ntext."),
            piece("site-a", 3, truth="fuck you, you fucking idiot"),
            piece("site-a", 4, truth="write to ada.lovelace@mail.net"),
            piece("site-a", 5, truth="z" * 300_000),
        ]
        frozen, _ = refresh(settings, "site-a")
        assert [one.id for one in frozen.instances] == ["site-a/1", "site-a/4"]
        assert frozen.funnel[0].dropped == {"too_large": 1, "toxic": 1}
        assert frozen.funnel[0].discarded == {"duplicate": 1}
        masked = frozen.instances[1]
        assert masked.attributes["masked"] == {"email": 1}
        with opened(settings) as workshop:
            assert b"ada.lovelace" not in workshop.store.get(masked.truth)

    def test_pictures_are_judged_after_drawing(self, settings, sites):
        site, _ = sites
        site.script = [piece("site-a", 1), piece("site-a", 2)]
        with pytest.raises(RefreshError, match="of the picture is one colour"):
            refresh(settings, "site-a", without=())
        frozen, _ = refresh(settings, "site-a", without=("blank",))
        assert [one.id for one in frozen.instances] == ["site-a/1"]
        assert frozen.funnel[0].discarded == {"duplicate": 1}
        assert (frozen.funnel[0].rendered, frozen.funnel[0].kept) == (2, 1)

    def test_what_looks_like_something_of_an_earlier_snapshot_is_a_duplicate(self, settings, sites):
        site, other = sites
        site.script = [piece("site-a", 1)]
        refresh(settings, "site-a", without=("blank",))
        assert refresh(settings, "site-a", without=("blank",))[0].funnel[0].kept == 1
        other.script = [piece("site-b", 2)]
        with pytest.raises(RefreshError, match="looks like site-a/1"):
            refresh(settings, "site-b", without=("blank",))

    def test_what_a_set_says_of_its_pictures_drops_nothing(self, settings, sites, monkeypatch):
        site, _ = sites
        site.script = [piece("site-a", 1)]
        first, _ = refresh(settings, "site-a", without=("blank",))
        measured = first.instances[0].attributes
        own = [
            piece("toy", number).model_copy(update={"attributes": attributes})
            for number, attributes in enumerate((measured, measured, {"phash": "none"}), 1)
        ]
        monkeypatch.setattr(toy.ToySource, "collect", lambda *_, **__: iter(map(ok, own)))
        frozen, _ = refresh(settings, "toy", without=("blank",))
        assert len(frozen.instances) == 3
        site.script = [piece("site-a", 9)]
        assert refresh(settings, "site-a")[0].instances, "and no later refresh trips over it"

    def test_what_is_drawn_otherwise_each_time_is_dropped(self, settings, sites, monkeypatch):
        drawn = []
        original = toy.ToyRenderer.render

        def render(self, structure):
            drawn.append(structure)
            return original(self, structure.with_text("r" * len(drawn)))

        monkeypatch.setattr(toy.ToyRenderer, "render", render)
        site, _ = sites
        site.script = [piece("site-a", 1)]
        with pytest.raises(RefreshError, match="100 % of the pixels differ"):
            refresh(settings, "site-a")

    def test_a_filter_that_does_not_exist_is_told(self, settings, sites):
        from flows.sieve import UnknownFilter

        with pytest.raises(UnknownFilter, match="did you mean toxicity"):
            refresh(settings, "site-a", without=("toxicty",))


class TestGathering:
    def test_a_piece_that_a_filter_fails_on_is_a_failure_of_that_piece_alone(self, sites):
        site, _ = sites
        site.script = [piece("site-a", 1), piece("site-a", 2)]

        def judge(material):
            if material.id.endswith("1"):
                raise IndexError("unforeseen")
            return ok(material)

        gathering = Gathering("site-a", judge)
        assert [one.id for one in gathering.pull(10)] == ["site-a/2"]
        (lost,) = gathering.lost()
        assert (lost.id, lost.failure.kind) == ("site-a/1", Kind.INTERNAL_ERROR)
        assert not lost.failure.final, "the next run tries again"

    def test_a_piece_that_comes_twice_counts_once(self, sites):
        site, _ = sites
        site.script = [piece("site-a", 1), piece("site-a", 1)]
        gathering = Gathering("site-a")
        assert len(gathering.pull(10)) == 1
        assert gathering.funnel().dropped == {"duplicate": 1}

    def test_a_site_where_nothing_can_be_had_through_a_fault_of_ours_is_left(self, sites):
        site, _ = sites
        site.script = [lost(Stage.FETCH, Kind.NETWORK)] * 500
        gathering = Gathering("site-a")
        assert gathering.pull(10) == []
        assert gathering.exhausted
        assert site.asked == TROUBLE

    def test_a_source_that_cannot_even_begin_is_asked_once(self, sites, monkeypatch):
        def collect(**_):
            raise ValueError("unforeseen")

        monkeypatch.setattr(sites[0], "collect", collect)
        gathering = Gathering("site-a")
        assert gathering.pull(10) == []
        assert gathering.exhausted
        assert gathering.funnel().unfetched == {"internal_error": 1}

    def test_what_is_lost_does_not_stay_in_memory(self, sites):
        site, _ = sites
        large = piece("site-a", 1).model_copy(update={"picture": bytes(1000)})
        site.script = [large]
        gathering = Gathering("site-a", lambda _: lost(Stage.FILTER, Kind.TOXIC))
        gathering.pull(10)
        (kept,) = gathering.lost()
        assert (kept.id, kept.scenario) == ("site-a/1", "toy")
        assert large not in vars(kept).values()

    def test_counts_add_up_whatever_comes(self, sites):
        site, _ = sites
        site.script = [
            piece("site-a", 1),
            lost(Stage.FETCH, Kind.NETWORK),
            piece("site-a", 2),
            lost(Stage.FILTER, Kind.NO_LICENCE),
            piece("site-a", 3),
        ]

        def judge(material):
            if material.id.endswith("2"):
                return lost(Stage.FILTER, Kind.TOXIC)
            return ok(material)

        gathering = Gathering("site-a", judge)
        pulled = gathering.pull(10)
        gathering.lose(pulled[0], lost(Stage.RENDER, Kind.TIMEOUT))
        gathering.discard(pulled[1], lost(Stage.FILTER, Kind.BLANK))
        row = gathering.funnel()
        assert (row.found, row.fetched, row.rendered, row.kept) == (5, 4, 1, 0)
        assert row.reasons == {
            "blank": 1, "network": 1, "no_licence": 1, "timeout": 1, "toxic": 1
        }  # fmt: skip

    def test_a_second_piece_of_a_name_is_a_drop(self, sites):
        site, _ = sites
        site.script = [piece("site-a", 1), piece("site-a", 1, truth="other"), piece("site-a", 2)]
        gathering = Gathering("site-a")
        pulled = gathering.pull(10)
        assert [one.id for one in pulled] == ["site-a/1", "site-a/2"]
        assert pulled[0].truth == "a"
        assert gathering.funnel().reasons == {"duplicate": 1}
