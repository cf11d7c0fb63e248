"""The shapes of Mermaid's flowcharts: how they are written, and what they stand for.

Brackets and names are those of mermaid.js.org/syntax/flowchart.html (version 11).
"""

from __future__ import annotations

from scenarios.graphs import NodeType

_T, _P, _D, _IO, _O = (
    NodeType.TERMINAL,
    NodeType.PROCESS,
    NodeType.DECISION,
    NodeType.INPUT_OUTPUT,
    NodeType.OTHER,
)

BRACKETS: tuple[tuple[str, tuple[tuple[str, NodeType], ...]], ...] = (
    ("(((", ((")))", _T),)),
    ("((", (("))", _T),)),
    ("([", (("])", _T),)),
    ("[[", (("]]", _P),)),
    ("[(", ((")]", _O),)),
    ("[/", (("/]", _IO), ("\\]", _O))),
    ("[\\", (("\\]", _IO), ("/]", _O))),
    ("{{", (("}}", _O),)),
    ("(-", (("-)", _T),)),
    ("(", ((")", _P),)),
    ("[", (("]", _P),)),
    ("{", (("}", _D),)),
    (">", (("]", _O),)),
)
"""What opens a label, longest first, with what closes it and the type that this makes."""


def _named(kind: NodeType, names: str) -> dict[str, NodeType]:
    return dict.fromkeys(names.split(), kind)


NAMES: dict[str, NodeType] = {
    **_named(
        _T,
        "circle circ sm-circ small-circle start dbl-circ double-circle fr-circ framed-circle stop"
        " stadium pill terminal ellipse",
    ),
    **_named(
        _P,
        "rect proc process rectangle square rounded event fr-rect framed-rectangle subproc"
        " subprocess subroutine div-rect div-proc divided-process divided-rectangle lin-rect"
        " lin-proc lined-process lined-rectangle shaded-process st-rect procs processes"
        " stacked-rectangle tag-rect tag-proc tagged-process tagged-rectangle",
    ),
    **_named(_D, "diam decision diamond question rhombus"),
    **_named(
        _IO,
        "lean-r in-out lean-right lean-l lean-left out-in sl-rect manual-input sloped-rectangle",
    ),
    **_named(
        _O,
        "notch-rect card notched-rectangle hourglass collate bolt com-link lightning-bolt brace"
        " brace-l comment brace-r braces cyl cylinder database db datastore data-store delay"
        " half-rounded-rectangle h-cyl das horizontal-cylinder lin-cyl disk lined-cylinder"
        " curv-trap curved-trapezoid display doc document lin-doc lined-document tri extract"
        " triangle fork join f-circ filled-circle junction win-pane internal-storage window-pane"
        " notch-pent loop-limit notched-pentagon flip-tri flipped-triangle manual-file trap-t"
        " inv-trapezoid manual trapezoid-top trap-b priority trapezoid trapezoid-bottom docs"
        " documents st-doc stacked-document odd flag paper-tape hex hexagon prepare prep"
        " tag-doc tagged-document text cross-circ crossed-circle summary bow-rect"
        " bow-tie-rectangle stored-data cloud bang icon image anchor",
    ),
}
"""What a shape that is named (``@{ shape: diam }``) stands for."""
