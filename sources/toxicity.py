"""Toxicity: nothing hostile or obscene is shown to models or published.

Three checks of what a reader would see (``sources.readable``), each of which can refuse:

* hostile words (``sources.hostile_words``), in some 25 languages, one is enough;
* a classifier of offensive English (``sources.toxicity_model``), of windows of 20 words, so that
  one bad passage in a long page is not averaged away, and only of those with two telling words,
  since one insult alone is as often quoted as meant;
* the Perspective API (``sources.perspective``), where a key is set.

What the classifier would take amiss in innocent material is not shown to it: words that are terms
here (a process is killed, a master has a branch, Gay-Lussac has a law), and words with a capital
inside of a sentence, since people and places are called so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material
from sources.filters import refused
from sources.hostile_words import hostile_words, is_name
from sources.perspective import BOUNDS, Perspective
from sources.readable import readable
from sources.toxicity_model import Model, ModelMissing, load

_TERMS = """
abort aborted aborts anal animal animals anus arse ass ball balls bang bastard beaver bite bites
bitten black blind blood bloody blow blows bomb bombs bone boned boner bones boob brain breast
breasts bug bugs bum butt chick chink chop christian christians cock cocks coma coon cow cows
crack cracker crap crazy cripple crippled cum cunning damn dang dead death dick die died dies
dirty dog dogs donkey duck dumb dummy dyke dykes fag fags fart fat fool foolish fools garbage
gay goof hack hacker hacks hate hated hates hell hoe hoes hole holes homo homosexual hung
ignorant islam jerk jesus jew jewish jews kill killed killer killers killing kills kinky lame
lesbian mad master masters mom muslim muslims naked nazi nazis negro nerd nerds nig nip nipple
nipples nude nut nuts orgasm penis pest pig pigs pimp piss poop pork prick pussies pussy queer
queers rape raped rapist rat rats rectum retard ridiculous roach rubbish semen sex sexes sexual
sexuality shoot shooting shot shut sick sissy slave slaves sneezy spank spastic sperm spic stink
stinks suck sucking sucks suicide testicle testicles tit tits trash turd ugly urine uterus
vagina virgin weed weird white zombie zombies
"""
TERMS = frozenset(_TERMS.split())
"""Words that the classifier knows from insults and we from manuals, papers and lyrics."""

_TOKEN = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True)
class Toxicity:
    """Refuses hostile and obscene material; TOXIC, or ours where a check cannot be made.

    The bounds were chosen on some 200 innocent pieces of real and bundled material, of which no
    window has two telling words, and on the sentences of the tests. Image2Struct asks Perspective
    alone, with the bounds 0.5 (toxicity) and 0.3 (sexually explicit).
    """

    most: float = 0.6
    """Of the classifier's score of a window, 0 to 1."""
    window: int = 20
    """Words; windows overlap by half."""
    telling: int = 2
    """Different words of a window that must speak for offence before it is scored."""
    perspective: Perspective | None = None

    name: ClassVar[str] = "toxicity"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "nothing hostile or obscene is said"

    def judge(self, material: Material) -> Outcome[Material]:
        """Check the readable text."""
        text = readable(material)
        if not text.strip():
            return ok(material)
        if (found := next(hostile_words(text), None)) is not None:
            message = f"a hostile word, {found} (at most 0)"
            return refused(material, Kind.TOXIC, message)
        try:
            score, place = worst_window(load(), text, self.window, self.telling)
        except ModelMissing as missing:
            return refused(
                material, Kind.MISSING_WEIGHTS, f"{missing}; install the locked packages"
            )
        if score > self.most:
            message = (
                f"toxicity {score:.3f} of {self.window} words from word {place} on "
                f"(at most {self.most:g})"
            )
            return refused(material, Kind.TOXIC, message)
        return self._ask(material, text)

    def _ask(self, material: Material, text: str) -> Outcome[Material]:
        if self.perspective is None:
            return ok(material)
        verdict = self.perspective.judge(text)
        if isinstance(verdict, Failed):
            return verdict.model_copy(update={"stage": Stage.FILTER, "subject": material.id})
        if (found := verdict.value.above(BOUNDS)) is None:
            return ok(material)
        attribute, score, most = found
        message = f"Perspective's {attribute.lower()} {score:.3f} (at most {most:g})"
        return refused(material, Kind.TOXIC, message)


def worst_window(model: Model, text: str, size: int, telling: int) -> tuple[float, int]:
    """Return the highest score of windows of `size` words that overlap by half, and its place.

    Args:
        model: scores bags of words.
        text: as a reader sees it.
        size: words in a window.
        telling: different words of a window that must speak for offence; others score 0.

    Returns:
        A score, 0 to 1, and the number of the window's first word, from 1.
    """
    words = list(words_to_judge(text))
    step = max(1, size // 2)
    worst = (0.0, 1)
    for at in range(0, max(1, len(words) - size + step), step):
        window = [word for word in words[at : at + size] if word]
        if len(model.telling(window)) >= telling and (score := model.score(window)) > worst[0]:
            worst = (score, at + 1)
    return worst


def words_to_judge(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case, an empty one in the place of each that is passed."""
    for found in _TOKEN.finditer(text):
        word = found[0].lower()
        passed = word in TERMS or is_name(text, found.start(), found.end())
        yield "" if passed else word
