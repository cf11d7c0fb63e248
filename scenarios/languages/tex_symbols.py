r"""Unicode symbols that models type, and the commands that print them with every engine."""

from __future__ import annotations

from scenarios.languages.tex_source import substitute


def _named(characters: str, names: str) -> dict[str, str]:
    return dict(zip(characters, names.split(), strict=True))


_GREEK = _named(
    "αβγδεζηθικλμνξπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϑϕϱ",
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "varsigma sigma tau upsilon varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma "
    "Upsilon Phi Psi Omega epsilon vartheta phi varrho",
)
_RELATIONS = _named(
    "≤≥≠≈≡≅∼≃∝≪≫∈∉∋⊂⊃⊆⊇⊥∥≺≻⊢⊨∣",
    "leq geq neq approx equiv cong sim simeq propto ll gg in notin ni subset supset subseteq "
    "supseteq perp parallel prec succ vdash models mid",
)
_OPERATORS = _named(
    "∪∩∧∨⊕⊗⊙∘∙⋅∓∖∗⋆∑∏∐∫∬∮∂∇√∞∅∀∃∄∠△□ℓℏℜℑ℘ℵ",
    "cup cap wedge vee oplus otimes odot circ bullet cdot mp setminus ast star sum prod coprod "
    "int iint oint partial nabla surd infty emptyset forall exists nexists angle triangle "
    "square ell hbar Re Im wp aleph",
)
_ARROWS = _named(
    "→←↔⇒⇐⇔↦↑↓↗↘⟶⟵⟹⟺⇌↪",
    "rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow "
    "downarrow nearrow searrow longrightarrow longleftarrow Longrightarrow Longleftrightarrow "
    "rightleftharpoons hookrightarrow",
)
_DELIMITERS = _named(
    "⟨⟩⌊⌋⌈⌉‖⋯⋮⋱",
    "langle rangle lfloor rfloor lceil rceil Vert cdots vdots ddots",
)
_LETTERS = {"ℝ": "R", "ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℂ": "C", "𝔼": "E", "ℙ": "P"}
_SCRIPTS = {
    **{
        character: f"^{{{value}}}"
        for character, value in zip("⁰⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0456789+-n", strict=True)
    },
    **{
        character: f"_{{{value}}}"
        for character, value in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)
    },
}
_SPACES = {"\u2009": r"\,", "\u202f": r"\,", "\u200b": "", "\u2060": "", "\ufe0f": ""}

SYMBOLS: dict[str, str] = {
    **{
        character: rf"\ensuremath{{\{name}}}"
        for table in (_GREEK, _RELATIONS, _OPERATORS, _ARROWS, _DELIMITERS)
        for character, name in table.items()
    },
    **{character: rf"\ensuremath{{\mathbb{{{letter}}}}}" for character, letter in _LETTERS.items()},
    **{character: rf"\ensuremath{{{script}}}" for character, script in _SCRIPTS.items()},
    **_SPACES,
    "−": r"\ensuremath{-}",
    "′": r"\ensuremath{'}",
    "✓": r"\ding{51}",
    "✔": r"\ding{52}",
    "✗": r"\ding{55}",
    "✘": r"\ding{56}",
}
"""Character → LaTeX, good in text and in mathematics."""


def write_as_commands(text: str) -> str:
    """Replace the symbols of the table outside comments and verbatim parts."""
    return substitute(f"[{''.join(SYMBOLS)}]", lambda match: SYMBOLS[match[0]], text)
