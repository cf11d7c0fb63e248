r"""The words of LilyPond that the cutter knows, and what follows each of them.

A command that is not listed makes a piece unreadable: what it does to the time is not known.
"""

from __future__ import annotations

import re

_TAKE_NOTHING = """
    stemUp stemDown stemNeutral slurUp slurDown slurNeutral tieUp tieDown tieNeutral phrasingSlurUp
    phrasingSlurDown phrasingSlurNeutral dynamicUp dynamicDown dynamicNeutral dotsUp dotsDown
    dotsNeutral tupletUp tupletDown tupletNeutral voiceOne voiceTwo voiceThree voiceFour oneVoice
    autoBeamOn autoBeamOff break noBreak pageBreak noPageBreak arpeggioArrowUp arpeggioArrowDown
    arpeggioNormal arpeggioBracket slurSolid slurDashed slurDotted tieSolid tieDashed tieDotted
    textLengthOn textLengthOff mergeDifferentlyHeadedOn mergeDifferentlyHeadedOff
    mergeDifferentlyDottedOn mergeDifferentlyDottedOff numericTimeSignature defaultTimeSignature
    shiftOn shiftOnn shiftOnnn shiftOff melisma melismaEnd hideNotes unHideNotes easyHeadsOff
    crescTextCresc crescHairpin dimTextDim dimHairpin dimTextDecresc dimTextDecr textSpannerUp
    textSpannerDown textSpannerNeutral fermataMarkup germanChords italianChords frenchChords
    compressFullBarRests expandFullBarRests compressEmptyMeasures expandEmptyMeasures tiny small
    normalsize large huge teeny stemLength breathe sustainOnDown showStaffSwitch hideStaffSwitch
    newSpacingSection bassFigureExtendersOn predefinedFretboardsOff default bracketCloseSolid
    tabFullNotation kievanOn balloonLengthOff startStaff stopStaff laissezVibrerOff inStaffSegno
    caesura fine section
"""

_AFTER_NOTES = """
    pppp ppp pp p mp mf f ff fff ffff fp sf sff sfz sp spp rfz n cresc decresc dim cr decr endcr
    enddecr endcresc enddim accent espressivo fermata shortfermata longfermata verylongfermata
    veryshortfermata henzeshortfermata henzelongfermata flageolet downbow upbow lheel ltoe rheel
    rtoe marcato mordent open portato prall prallmordent prallprall pralldown prallup lineprall
    upprall downprall upmordent downmordent reverseturn haydnturn slashturn segno coda varcoda
    signumcongruentiae snappizzicato halfopen staccatissimo staccato stopped tenuto thumb trill
    turn glissando arpeggio laissezVibrer repeatTie startTrillSpan stopTrillSpan startTextSpan
    stopTextSpan startGroup stopGroup sustainOn sustainOff sostenutoOn sostenutoOff unaCorda
    treCorde rest noBeam bendAfter breathe harmonic xNote episemInitium episemFinis ictus
    sfpp sffz accentus circulus semicirculus startTrillspan
"""

_REFUSED = """
    cadenzaOn drummode drums figuremode figures keepWithTag removeWithTag partcombine partCombine
    cueDuring quoteDuring addQuote pushToTag appendToTag killCues displayMusic displayLilyMusic
    compressMMRests bookOutputName applyMusic applyContext applyOutput musicMap footnote
"""

ARGUMENTS: dict[str, str] = dict.fromkeys(
    _TAKE_NOTHING.split(),
    "",
) | {
    "clef": "s", "key": "pc", "bar": "s", "barNumberCheck": "n", "octaveCheck": "p",
    "transposition": "p", "ottava": "n", "language": "s", "unset": "g", "omit": "g", "hide": "g",
    "undo": "", "set": "g=v", "override": "g=v", "revert": "g", "accidentalStyle": "g",
    "change": "g=v", "shape": "vg", "mark": "v", "tempo": "t", "textMark": "v",
    "textEndMark": "v", "sectionLabel": "v", "segnoMark": "v", "codaMark": "v", "jump": "v",
    "pointAndClickOff": "", "pointAndClickOn": "",
}  # fmt: skip
"""Commands that take no time; the letters say what follows: s text, v value, n number, p pitch, c
command, g the path of a grob or property, t a tempo, = that sign."""

AFTER_NOTES = frozenset(_AFTER_NOTES.split()) | {
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "!",
    "~",
    "\\(",
    "\\)",
}

BACKWARD_PAIRS = {
    "(": ")", "[": "]", r"\(": r"\)", r"\startTrillSpan": r"\stopTrillSpan",
    r"\startTextSpan": r"\stopTextSpan", r"\startGroup": r"\stopGroup",
    r"\sustainOn": r"\sustainOff",
}  # fmt: skip
"""What begins after a note and must end after another one."""

LEADING_ON = frozenset({"~", r"\glissando"})
"""What leads from a note to the next one."""

HAIRPINS = frozenset({r"\<", r"\>"})
HAIRPIN_ENDS = HAIRPINS | {
    r"\!", r"\pppp", r"\ppp", r"\pp", r"\p", r"\mp", r"\mf", r"\f", r"\ff", r"\fff", r"\ffff",
    r"\fp", r"\sf", r"\sfz", r"\rfz",
}  # fmt: skip

UNSUPPORTED = frozenset(_REFUSED.split())

BAR_SETTINGS = frozenset({"measureLength", "measurePosition", "timing"})
"""Properties that say where bars end whatever the metre."""

BREAKS = frozenset({"break", "noBreak", "pageBreak", "noPageBreak"})

_NAMES = {
    "nederlands": r"[a-g](?:(?:is|es|ih|eh){0,3})|(?:as|es)(?:es|eh)?|aes|ees",
    "english": r"[a-g](?:s{1,2}|f{1,2}|x|qs|qf|-sharp(?:sharp)?|-flat(?:flat)?|-natural)?",
    "deutsch": r"[a-h](?:(?:is|es|ih|eh){0,3})|as(?:as|es)?|es(?:es)?",
    "italiano": r"(?:do|re|mi|fa|sol|la|si)(?:d{1,2}|b{1,2}|sd|sb)?",
    "espanol": r"(?:do|re|mi|fa|sol|la|si)(?:s{1,2}|b{1,2}|x)?",
    "portugues": r"(?:do|re|mi|fa|sol|la|si)(?:s{1,2}|b{1,2})?",
    "svenska": r"[a-h](?:(?:iss|ess){0,2})|ass(?:ess)?|ess(?:ess)?",
    "norsk": r"[a-h](?:(?:iss?|ess?){0,2})|ass?|ess?",
}
_NAMES |= {
    "suomi": _NAMES["deutsch"], "català": _NAMES["italiano"], "catalan": _NAMES["italiano"],
    "español": _NAMES["espanol"], "português": _NAMES["portugues"],
    "français": r"(?:do|re|ré|mi|fa|sol|la|si)(?:d{1,2}|b{1,2}|x)?",
}  # fmt: skip


def pitch_names(language: str) -> re.Pattern[str] | None:
    """Return what notes are called in a language of LilyPond's, or None for one not known."""
    names = _NAMES.get(language.lower())
    return re.compile(names) if names else None


_SAFE_SCHEME = re.compile(
    r"""[\#$](?:
      -?\d{1,6}(?:[./]\d{1,6})? | \#[tf] | "(?:[^"\\]|\\.)*" | -?\.\d{1,6}
    | '[^`,]{0,400} | [A-Za-z][\w:!?*<>=+/-]{0,60}
    | \(\s?make-dynamic-script\s[^`]{1,300}\) | \(\s?ly:make-moment\s[\d\s/]{1,12}\)
    | \(\s?cons\s[-\d.\s]{1,20}\)
    )""",
    re.X | re.S,
)
_CALL = re.compile(r"\((?!\s*(?:markup|make-dynamic-script)\b)")


def is_plain_scheme(text: str) -> bool:
    """Tell whether an expression is data, or one of a few calls that only make such."""
    if text.startswith(("#(make-dynamic-script", "#( make-dynamic-script")):
        return not _CALL.search(text)
    return bool(_SAFE_SCHEME.fullmatch(text))
