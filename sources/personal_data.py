r"""Personal data in texts: e-mail addresses, telephone numbers, IBANs, payment cards.

``find`` yields what is surely such a thing, ``mask`` writes a stand-in of the same shape in its
place: letters become ``x``, digits ``0``, marks stay, so that a page keeps its layout and a
structure its grammar. What is masked is not found again.

Found: addresses also as ``mailto:`` and with ``@`` as an entity, in groups as papers write them
(``{ada, bob}@uni.edu``); numbers with a country code that ``phonenumbers`` knows to be assigned,
and any number that is called one (``Tel.: …``, ``href="tel:…"``); IBANs and card numbers in groups
whose check digits are right. Not found: "name at domain dot org", addresses spelled in entities
throughout or put together by a script, national numbers that nothing announces, names, postal
addresses, and whatever a picture shows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from benchmark.outcome import Kind, Outcome, ok
from benchmark.records import Material
from sources.filters import refused

MOST_CHARACTERS = 5_000_000
"""Of a text that is searched; a longer one is refused."""
MOST_FOUND = 200
"""Different addresses and numbers in one material; what has more is a directory, and refused."""

_DOMAINS = """
academy aero agency ai app art asia berlin biz bitnet blog cat cloud club com community company
coop design dev digital earth eco edu education email engineering foundation fun gov group guru
hamburg health help house info ink institute int io jobs land law life link live lol london love
ltd media mil mobi museum music name net network news ngo one ong online org page paris photo
photos post press pro rocks school science services shop site social software solutions space
store studio support systems team tech technology tel tips today tools top travel university uno
vip website wien wiki win work works world wtf xyz zone
"""
DOMAINS = frozenset(_DOMAINS.split())
"""Top-level domains of more than two letters; all of two letters are taken for countries'."""
NO_DOMAINS = frozenset({"js", "ts"})
RESERVED = frozenset({"example.com", "example.edu", "example.net", "example.org"})
"""Nobody's, for use in manuals (RFC 2606), as are the domains .example, .invalid, .test."""
SERVICES = frozenset({"git"})
"""Local parts that are programs' (``git@github.com:…``)."""

_AT = r"(?:@|&#0*64;|&#[xX]40;|&commat;|%40)"
_DOMAIN = r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
_EMAIL = re.compile(rf"(?<![\w.+\\-])((?:[A-Za-z0-9.+-]|\\?_){{1,64}}){_AT}({_DOMAIN})")
_GROUP = re.compile(rf"\\?\{{([A-Za-z0-9.,;_+ \\-]{{1,200}})\\?\}}{_AT}({_DOMAIN})")

_NUMBER = r"[0-9(][0-9()./ \u00a0\u2011-]{5,24}[0-9]"
_ABROAD = re.compile(rf"(?<![\w.+])\+{_NUMBER}(?![\w%])")
_CALLED = re.compile(
    r"(?:\b(?:(?:tel|telephone|telefon|telefono|teléfono|téléphone|phone|fax|telefax)"
    r"(?:[.:：=\"~(]|\s|no\.|number|nr\.){1,6}"
    r"|(?:cell|handy|mobile|mobil|whatsapp)\s?[.:：=]\s?)"
    r"|(?:电话|手机|電話|携帯|传真)[:：\s]{0,3})"
    rf"(\+?{_NUMBER})(?![\w%])",
    re.IGNORECASE,
)
_FICTION = re.compile(r"555[ .-]?01[0-9]{2}$")
"""North American numbers that are nobody's, for films and manuals."""
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*+"')
"""A string of a JSON text."""
_DECIMAL = re.compile(r"\+?\d+\.\d+")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_CARD = re.compile(r"(?<![\w.-])[3-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}(?![\w.-])")


@dataclass(frozen=True)
class Found:
    """Something personal: of which kind, and the text as it was written."""

    kind: str
    text: str


def find(text: str) -> Iterator[Found]:
    """Yield e-mail addresses, telephone numbers, IBANs and card numbers, kind after kind.

    Args:
        text: plain, or of any language that leaves them in one piece.
    """
    for pattern in (_EMAIL, _GROUP):
        for found in pattern.finditer(text):
            if _is_address(found[1], found[2]):
                yield Found("email", found[0])
    for found in _ABROAD.finditer(text):
        if _is_assigned(found[0]):
            yield Found("phone", found[0])
    for found in _CALLED.finditer(text):
        if _is_number(found[1]):
            yield Found("phone", found[1])
    for found in _IBAN.finditer(text):
        if _is_iban(found[0]):
            yield Found("iban", found[0])
    for found in _CARD.finditer(text):
        if _is_card(found[0]):
            yield Found("card", found[0])


def mask(text: str) -> str:
    """Return a stand-in of the same shape.

    Example:
        >>> mask("Ada.L-7@uni.edu"), mask("+44 20 7946 0958")
        ('Xxx.X-0@xxx.xxx', '+00 00 0000 0000')
    """
    parts = re.split(rf"({_AT})", text)
    parts[::2] = [_masked(part) for part in parts[::2]]
    return "".join(parts)


def _masked(text: str) -> str:
    text = re.sub(r"[A-Z]", "X", re.sub(r"[a-z]", "x", text))
    return re.sub(r"[0-9]", "0", text)


def _is_address(local: str, domain: str) -> bool:
    domain = domain.lower()
    last = domain.rpartition(".")[2]
    known = last in DOMAINS or (len(last) == 2 and last not in NO_DOMAINS)
    reserved = any(domain == name or domain.endswith(f".{name}") for name in RESERVED)
    masked = not re.search(r"[a-wyz1-9]", f"{local}@{domain}".lower())
    return known and not reserved and not masked and local.lower() not in SERVICES


def _is_assigned(text: str) -> bool:
    """Tell whether a number with a country code is one that a country hands out."""
    import phonenumbers  # noqa: PLC0415 - large tables

    if _DECIMAL.fullmatch(text) or not _is_number(text):
        return False
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text.replace("(0)", "")))
    except phonenumbers.NumberParseException:
        return False


def _is_number(text: str) -> bool:
    digits = re.sub(r"[^0-9]", "", text)
    nobodys = not digits.strip("0") or _FICTION.search(text) is not None
    return 7 <= len(digits) <= 15 and not nobodys and not _DECIMAL.fullmatch(text)


def _is_iban(text: str) -> bool:
    """Check the digits of ISO 13616: the number, its head moved to its end, is 1 modulo 97."""
    plain = text.replace(" ", "")
    number = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and bool(plain[2:].strip("0")) and int(number) % 97 == 1


def _is_card(text: str) -> bool:
    """Check the last digit of ISO 7812 (Luhn)."""
    digits = [int(digit) for digit in text if digit.isdigit()][::-1]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return any(digits) and (sum(digits[::2]) + sum(doubled)) % 10 == 0


@dataclass(frozen=True)
class PersonalData:
    """Masks personal data in the truth and in what the picture is drawn from.

    The attribute ``masked`` counts it by kind. Refused (PERSONAL_DATA) is what masking would not
    hide: where the material came as a picture, which shows it; where the name of an asset holds
    it; where a text is too long to search, or lists more than are masked.
    """

    most_characters: int = MOST_CHARACTERS
    most_found: int = MOST_FOUND

    name: ClassVar[str] = "personal-data"
    version: ClassVar[str] = "2"
    about: ClassVar[str] = "no e-mail addresses, telephone numbers, IBANs or cards"

    def judge(self, material: Material) -> Outcome[Material]:
        """Search and mask; what is masked already stays as it is."""
        drawn = material.drawn_from.text if material.drawn_from is not None else ""
        longest = max(len(material.truth or ""), len(drawn))
        if longest > self.most_characters:
            message = f"{longest:,} characters to search (at most {self.most_characters:,})"
            return refused(material, Kind.PERSONAL_DATA, message)
        if in_names := [each for name in material.assets for each in find(name)]:
            message = f"{_counted(in_names)} in names of assets, which are not masked (at most 0)"
            return refused(material, Kind.PERSONAL_DATA, message)
        found = [*_search(material.truth or ""), *_search(drawn)]
        if not found:
            return ok(material)
        if material.picture is not None:
            message = f"{_counted(found)} in the picture, which is not masked (at most 0)"
            return refused(material, Kind.PERSONAL_DATA, message)
        if len({each.text for each in found}) > self.most_found:
            message = f"{_counted(found)}: it is a directory (at most {self.most_found} are masked)"
            return refused(material, Kind.PERSONAL_DATA, message)
        return self._masked(material, found)

    def _masked(self, material: Material, found: Sequence[Found]) -> Outcome[Material]:
        counts: Counter[str] = Counter()
        seen = counts if material.truth is None else Counter[str]()
        stand_ins = _stand_ins(found)
        truth, drawn = material.truth, material.drawn_from
        if truth is not None:
            truth = _replace(truth, stand_ins, counts)
        if drawn is not None:
            drawn = drawn.model_copy(update={"text": _replace(drawn.text, stand_ins, seen)})
        if left := [*_search(truth or ""), *_search(drawn.text if drawn is not None else "")]:
            message = f"{_counted(left)} that masking does not hide (at most 0)"
            return refused(material, Kind.PERSONAL_DATA, message)
        before = material.attributes.get("masked")
        if isinstance(before, dict):
            counts.update({kind: count for kind, count in before.items() if isinstance(count, int)})
        attributes = {**material.attributes, "masked": dict(sorted(counts.items()))}
        changed = {"truth": truth, "drawn_from": drawn, "attributes": attributes}
        return ok(material.model_copy(update=changed))


def _search(text: str) -> list[Found]:
    return [each for part in _strings(text) for each in find(part)]


def _counted(found: Sequence[Found]) -> str:
    counts = Counter(each.kind for each in found)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


def _stand_ins(found: Sequence[Found]) -> list[tuple[str, re.Pattern[str]]]:
    """Return kind and pattern of each text that was found, longest first.

    What was announced as a number in one place is masked in all, but not inside of another number.
    """
    kinds = {each.text: each.kind for each in found}
    return [
        (kinds[text], re.compile(rf"(?<![\w#+]){re.escape(text)}(?!\w)")
         if kinds[text] != "email" else re.compile(re.escape(text)))
        for text in sorted(kinds, key=lambda text: (-len(text), text))
    ]  # fmt: skip


def _replace(
    text: str, stand_ins: Iterable[tuple[str, re.Pattern[str]]], counts: Counter[str]
) -> str:
    """Mask in a text, or in the strings of a JSON text, whose other bytes stay as they are."""
    if not _is_json(text):
        return _mask_all(text, stand_ins, counts)

    def masked(literal: re.Match[str]) -> str:
        plain = json.loads(literal[0])
        changed = _mask_all(plain, stand_ins, counts)
        return literal[0] if changed == plain else json.dumps(
            changed, ensure_ascii=literal[0].isascii())  # fmt: skip

    return _LITERAL.sub(masked, text)


def _mask_all(
    text: str, stand_ins: Iterable[tuple[str, re.Pattern[str]]], counts: Counter[str]
) -> str:
    for kind, pattern in stand_ins:
        text, count = pattern.subn(lambda found: mask(found[0]), text)
        if count:
            counts[kind] += count
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _strings(text: str) -> Iterator[str]:
    """Yield the strings of a JSON text, names of members included, or a text as it is."""
    if not _is_json(text):
        yield text
        return
    for literal in _LITERAL.finditer(text):
        yield json.loads(literal[0])
