"""Toxicity: the innocent pass, the hostile fall, and nothing that is read can do harm."""

from __future__ import annotations

import datetime as dt
import json
import math
import pickle
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material, Provenance, Subject
from sources.bundled import Bundled
from sources.difficulty import difficulty
from sources.hostile_words import hostile_words, is_name
from sources.http import Client
from sources.perspective import MOST_BYTES, Perspective, pieces, posting
from sources.readable import readable
from sources.toxicity import Toxicity
from sources.toxicity_model import load, read_pickle
from tests.servers.perspective_server import (
    BAD_KEY,
    HOST,
    KEY,
    NOT_ENABLED,
    PATH,
    QUOTA,
    UNKNOWN_LANGUAGE,
    refusal,
    scores,
    serving_perspective,
)
from tests.servers.site import Answer, StandIn, json_answer

INNOCENT = [
    "Scunthorpe beat Penistone; Cockermouth and Sussex drew, and Essex lost to Middlesex.",
    "Kill the process with SIGTERM, then kill all zombie children; a killed child dies at once.",
    "The master is replicated to each slave; a dead slave is dumped and the master aborts.",
    "Die Dame spielt mit dem Buben, der dicke König passt.",
    "Screening for breast cancer; sperm count, anal fistula, penis and vagina, rectum and anus.",
    "Gay-Lussac's law, Fick's second law and the Cox model.",
    "Dr. Dick Cock met Mrs. Hooker and Mr. Butts in Dyke Road.",
    "Paetzold and S. Shit are supported by the council; Shit, Zhylka and Ezhov wrote the code.",
    "A dumb terminal, a dirty bit, a brain dead node, black holes, white noise, a hung job.",
    "Dies irae, dies illa. Et cum spiritu tuo. Qui tollis peccata mundi.",
    "Stupid questions are welcome here.",
    "He hates the ugly rat, the fat cat and the weird dog.",
    "Homo sapiens has sex chromosomes; sexual selection and homosexual behaviour in penguins.",
    "Nique-nique, nous ferons un pique-nique; la bite d'amarrage; le con d'or.",
    "Slut på dagen. La hora de la cena. Troia brucia. Nutten av kurvan.",
    "パチンコの店。起点は始発駅。 시발점에서 출발한다. 操作系统、妈妈的家。",
    "A titmouse sat on a bushtit; grape and therapist, assassin, cumulus, shitake, basshole.",
    "Handling of Hermitian operators whose analysis is canonical; bi-annual titration.",
]
HOSTILE = [
    ("you are a stupid idiot and nobody likes you", "toxicity"),
    ("what a bunch of idiots, morons and retards they are", "toxicity"),
    ("your mother is a disgusting imbecile and so are you, you moron", "toxicity"),
    ("go away and f" + "uck yourself", "(en)"),
    ("what a b1" + "tch", "(en)"),
    ("Du bist ein verdammtes Arsch" + "loch", "(de)"),
    ("espèce de conn" + "ard", "(fr)"),
    ("eres un hijo de pu" + "ta", "(es)"),
    ("che stron" + "zo", "(it)"),
    ("ty skurwy" + "synu", "(pl)"),
    ("он муд" + "ак", "(ru)"),
    ("你他" + "妈的", "(zh)"),
    ("開" + "씨" + "발" + "놈", "(ko)"),
    ("oros" + "pu çocuğu", "(tr)"),
    ("तू चूति" + "या है", "(hi)"),
]
PADDING = (
    "The committee met on Thursday to speak about the hours of the library and the state of the "
    "roof, which has been leaking since the storm in March. Members asked for two more offers. "
)


def material(truth: str | None, scenario: str = "mindmap", **more: Any) -> Material:
    provenance = Provenance(source="s", author="a", licence="MIT", created=dt.date(2026, 1, 1))
    values = {"id": "x/1", "scenario": scenario, "subset": "en", "truth": truth} | more
    return Material(provenance=provenance, **values)


def page(body: str) -> str:
    return json.dumps([{"filename": "index.html", "content": f"<html><body>{body}</body></html>"}])


@pytest.mark.parametrize("text", INNOCENT)
def test_the_innocent_pass(text):
    assert Toxicity().judge(material(text)) == ok(material(text))


@pytest.mark.parametrize(("text", "reason"), HOSTILE)
def test_the_hostile_fall_alone_and_inside_of_a_long_text(text, reason):
    for whole in (text, f"{PADDING * 3}\n{text}.\n{PADDING * 3}"):
        outcome = Toxicity().judge(material(whole))
        assert isinstance(outcome, Failed), whole
        assert (outcome.stage, outcome.kind) == (Stage.FILTER, Kind.TOXIC)
        assert outcome.subject == "x/1"
        assert reason in outcome.message
        assert "at most" in outcome.message


def test_the_reason_does_not_repeat_the_word():
    outcome = Toxicity().judge(material(HOSTILE[3][0]))
    assert isinstance(outcome, Failed)
    assert "uck" not in outcome.message


def test_what_people_wrote_and_what_we_wrote_passes(shared):
    judge = Toxicity().judge
    for outcome in Bundled().collect():
        assert isinstance(outcome, Ok)
        assert isinstance(judge(outcome.value), Ok), outcome.value.id
    for path in sorted((shared / "real" / "tex").rglob("*.tex")):
        text = path.read_text(encoding="utf-8", errors="replace")
        assert isinstance(judge(material(text, "latex")), Ok), path
    for path in sorted((shared / "real" / "ly").rglob("*.ly")):
        text = path.read_text(encoding="utf-8", errors="replace")
        assert isinstance(judge(material(text, "music")), Ok), path


def test_only_what_a_reader_sees_is_read():
    hidden = "<!-- shi" + "t --><style>.cu" + "nt{}</style><p class='shi" + "t'>hello</p>"
    assert isinstance(Toxicity().judge(material(page(hidden), "webpage")), Ok)
    for seen in (
        "<p>oh shi" + "t</p>",
        "<img alt='oh shi" + "t'>",
        "<script>alert('oh shi" + "t')</script>",
    ):
        assert isinstance(Toxicity().judge(material(page(seen), "webpage")), Failed), seen


@pytest.mark.parametrize("depth", [300, 5_000])
def test_what_is_nested_deeply_is_read(depth):
    nested = "<div>" * depth + "oh shi" + "t" + "</div>" * depth
    assert isinstance(Toxicity().judge(material(page(nested), "webpage")), Failed)
    after = "<div>" * depth + "</div>" * depth + "<p>oh shi" + "t</p>"
    assert isinstance(Toxicity().judge(material(page(after), "webpage")), Failed)


def test_notes_are_not_words_but_lyrics_are():
    notes = "{ ass4 fiss ciss ass fag dyk } % what shi" + "t"
    assert isinstance(Toxicity().judge(material(notes, "music")), Ok)
    lyrics = r"\addlyrics { oh shi -- " + "tty day }"
    assert isinstance(Toxicity().judge(material(lyrics, "music")), Failed)
    title = r'\header { title = "oh shi' + 't" } { c4 }'
    assert isinstance(Toxicity().judge(material(title, "music")), Failed)


def test_the_whole_map_is_read_where_the_truth_is_a_part_of_it():
    drawn = Subject(scenario="mindmap", text=json.dumps({"text": "oh shi" + "t"}))
    assert isinstance(Toxicity().judge(material('{"text": "hello"}', drawn_from=drawn)), Failed)


def test_a_picture_alone_is_not_read():
    assert isinstance(Toxicity().judge(material(None, picture=b"scan")), Ok)


def test_names_are_told_by_a_capital_inside_of_a_sentence():
    text = "By Jane Moron. Moron! moron"
    places = [at for at in range(len(text)) if text[at : at + 5].lower() == "moron"]
    assert [is_name(text, at, at + 5) for at in places] == [True, False, False]


LENGTH = 100_000
LONG = {
    "open strings": '\\"' * LENGTH,
    "open templates": "`\\" * LENGTH,
    "open comments": "%{\n" * LENGTH,
    "open lyrics": "\\lyrics{" * LENGTH,
    "one word": "a" * LENGTH,
    "nested elements": "<div>" * LENGTH,
    "an open script": "<script>" + "\\'" * LENGTH,
    "blank lines": "a\n \n" * LENGTH,
}


@pytest.mark.parametrize("scenario", ["webpage", "latex", "music", "mindmap"])
@pytest.mark.parametrize("what", LONG)
def test_long_texts_are_read_in_one_pass(scenario, what):
    text = LONG[what]
    piece = material(page(text) if scenario == "webpage" else text, scenario)
    assert isinstance(Toxicity().judge(piece), Ok)  # an attempt per beginning would take hours
    assert difficulty(piece) is not None


# --- the model ---


def test_the_model_is_read_without_what_it_was_trained_with():
    model = load()
    assert len(model.vocabulary) > 10_000
    assert model.score(["you", "stupid", "idiot"]) > 0.99
    assert model.score(["good", "morning"]) < 0.2
    assert 0 <= model.score([]) < 0.2


@pytest.mark.parametrize(
    "hostile",
    [
        b"cos\nsystem\n(S'true'\ntR.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cnumpy\nload\n.",
        b"csklearn.calibration\nopen\n.",
        pickle.dumps(dt.date(2026, 1, 1)),
        pickle.dumps(ValueError("x")),
        b"\x80\x05",
        b"",
        b"junk",
    ],
)
def test_a_pickle_that_names_anything_else_is_refused(hostile):
    with pytest.raises(pickle.UnpicklingError):
        read_pickle(hostile)


def test_plain_containers_are_read():
    value = {"a": [1, 2.5, None], "b": ("x", {"y": True})}
    assert read_pickle(pickle.dumps(value)) == value


# --- Perspective ---


class Service:
    """Answers as the Perspective API does."""

    def __init__(self, status: int, answer: Any) -> None:
        self.reply: Outcome[tuple[int, Any]] = ok((status, answer))
        self.asked: list[tuple[str, Mapping[str, Any], Mapping[str, str]]] = []

    def __call__(self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]):
        self.asked.append((url, body, headers))
        return self.reply


def asked(service: Service) -> Outcome[Material]:
    return Toxicity(perspective=Perspective("secret", service)).judge(material("good morning"))


def test_perspective_is_asked_besides_and_both_must_pass():
    assert isinstance(asked(Service(200, scores(0.1, 0.1))), Ok)
    toxic = asked(Service(200, scores(0.51, 0.1)))
    explicit = asked(Service(200, scores(0.1, 0.31)))
    for outcome, word in ((toxic, "toxicity 0.510"), (explicit, "sexually_explicit 0.310")):
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.TOXIC
        assert outcome.subject == "x/1"
        assert word in outcome.message


def test_the_key_is_in_no_address_and_nothing_is_to_be_stored():
    service = Service(200, scores(0.1, 0.1))
    asked(service)
    [(url, body, headers)] = service.asked
    assert "secret" not in url
    assert headers["X-Goog-Api-Key"] == "secret"
    assert body["doNotStore"] is True
    assert body["comment"]["text"] == "good morning"


def test_a_language_that_it_does_not_know_is_no_verdict():
    assert isinstance(asked(Service(400, UNKNOWN_LANGUAGE)), Ok)


@pytest.mark.parametrize(
    ("status", "answer", "kind"),
    [
        (400, BAD_KEY, Kind.UNAUTHORIZED),
        (500, refusal(500, "INTERNAL", "Internal error encountered."), Kind.PROVIDER_ERROR),
        (400, refusal(400, "INVALID_ARGUMENT", "Unknown requested attribute: X"),
         Kind.PROVIDER_ERROR),
        (200, {"attributeScores": {}}, Kind.PROVIDER_ERROR),
        (200, scores(math.nan, 0.0), Kind.PROVIDER_ERROR),
        (200, scores(0.0, 1.5), Kind.PROVIDER_ERROR),
        (200, None, Kind.PROVIDER_ERROR),
        (502, "<html>", Kind.PROVIDER_ERROR),
        (418, {"error": {"details": [None, 3]}}, Kind.PROVIDER_ERROR),
    ],
)  # fmt: skip
def test_what_it_refuses_is_ours_and_asked_again(status, answer, kind):
    outcome = asked(Service(status, answer))
    assert isinstance(outcome, Failed)
    assert outcome.kind is kind
    assert not outcome.final
    assert outcome.subject == "x/1"


def test_what_the_local_check_refuses_never_leaves_the_machine():
    service = Service(200, scores(0.0, 0.0))
    judge = Toxicity(perspective=Perspective("secret", service)).judge
    assert isinstance(judge(material(HOSTILE[0][0])), Failed)
    assert not service.asked


@pytest.fixture
def client(monkeypatch, tmp_path):
    """A client whose waits are none."""
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path))
    monkeypatch.setenv("RERENDER_HTTP_RETRIES", "0")
    monkeypatch.setenv("RERENDER_HTTP_LONGEST_WAIT", "0")

    def connected(site: StandIn) -> Client:
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps({HOST: site.address}))
        return Client()

    return connected


def test_the_service_is_asked_over_a_real_connection(client):
    with serving_perspective() as site, client(site) as http:
        judge = Toxicity(perspective=Perspective(KEY, posting(http))).judge
        assert isinstance(judge(material("good morning")), Ok)
        assert isinstance(judge(material("Gloria in excelsis")), Ok)
        toxic = judge(material("a wicked thing"))
        assert isinstance(toxic, Failed)
        assert (toxic.stage, toxic.kind) == (Stage.FILTER, Kind.TOXIC)
        wrong = Toxicity(perspective=Perspective("wrong", posting(http))).judge(material("hello"))
        assert isinstance(wrong, Failed)
        assert wrong.kind is Kind.UNAUTHORIZED
        assert "wrong" not in wrong.model_dump_json()
        assert site.count(PATH, "POST") == 4
        assert all(KEY not in each.target for each in site.asked)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (json_answer(NOT_ENABLED, 403), Kind.UNAUTHORIZED),
        (json_answer(QUOTA, 429, retry_after="60"), Kind.RATE_LIMITED),
        (json_answer({}, 503), Kind.NETWORK),
        (
            Answer(200, b"<html>maintenance</html>", {"Content-Type": "text/html"}),
            Kind.PROVIDER_ERROR,
        ),
    ],
)
def test_what_the_service_does_wrong_is_ours(client, answer, kind):
    with serving_perspective(answer) as site, client(site) as http:
        outcome = Toxicity(perspective=Perspective(KEY, posting(http))).judge(material("hello"))
    assert isinstance(outcome, Failed)
    assert outcome.stage is Stage.FILTER
    assert outcome.subject == "x/1"
    assert outcome.kind is kind
    assert not outcome.final


@given(st.text(max_size=400).map(lambda text: text * 200))
@settings(derandomize=True, deadline=None, max_examples=30)
def test_long_texts_are_asked_about_in_parts_that_lose_nothing(text):
    parts = list(pieces(text))
    assert all(0 < len(part.encode("utf-8", "replace")) <= MOST_BYTES for part in parts)
    whole = "".join(text.encode("utf-8", "replace").decode().split())
    assert whole.startswith("".join("".join(parts).split())) or len(parts) == 20


# --- properties ---

TRUTHS = (
    st.text(max_size=300)
    | st.text(alphabet="<>{}\\\"'`%$&a \n/!-", max_size=300)
    | st.text(max_size=100).map(page)
)


@given(TRUTHS, st.sampled_from(["webpage", "latex", "music", "mindmap", "flowchart"]))
@settings(derandomize=True, deadline=None)
def test_any_text_is_judged_without_raising_and_the_same_each_time(truth, scenario):
    piece = material(truth, scenario)
    assert Toxicity().judge(piece) == Toxicity().judge(piece)
    assert isinstance(readable(piece), str)
    assert list(hostile_words(truth)) == list(hostile_words(truth))
