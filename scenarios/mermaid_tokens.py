"""The words and signs of Mermaid's flowcharts, as patterns; each is linear where it is tried."""

from __future__ import annotations

import re

HEADER = re.compile(r"(?:flowchart(?:-elk|-v2)?|graph)(?:[ \t]++(TD|TB|BT|RL|LR|[v^<>]))?(?![\w-])")
IS_FLOWCHART = re.compile(
    r"\s*+(?:---\s*\n(?:(?!---)[^\n]*+\n)*+---\s*+)?(?:%%[^\n]*+\s*+)*+"
    r"(?:flowchart(?:-elk|-v2)?\b(?!\s*+\{)|graph\s++(?:TD|TB|BT|RL|LR)\b(?!\s*+\{)"
    r"|graph[ \t]*+(?:;|\n)(?!\s*+\{))"
)
FRONT_MATTER = re.compile(r"\s*+---[ \t]*+\n(?:(?!---)[^\n]*+\n)*+---[ \t]*+(?:\n|\Z)")
DIRECTIVE = re.compile(r"%%\{(?:[^}]++|\}(?!%%))*+\}%%")
COMMENT = re.compile(r"%%[^\n]*+")
BLANK = re.compile(r"[ \t]++")
GAP = re.compile(r"(?:[ \t;\n]++|%%[^\n]*+)++")
SPACE = re.compile(r"(?:\s++|%%[^\n]*+)++")
ID = re.compile(r"(?:[^\s\[\](){}<>|;&@:,\"`~=-]|-(?![->.)\s])|=(?![=\s])|:(?!::))++")
CLASS = re.compile(r":::[\w-]++(?:,[\w-]++)*+")
LINK = re.compile(r"([xo<]?)(?:--+([-xo>])|==+([=xo>])|-?\.+-([xo>]?))")
INVISIBLE = re.compile(r"~~~+")
OPEN_LINK = re.compile(r"([xo<]?)(--|==|-\.)(?![-=>.])")
LINK_ENDS = {
    "--": re.compile(r"--+([-xo>])"),
    "==": re.compile(r"==+([=xo>])"),
    "-.": re.compile(r"(?:-|(?<!\.))\.++-([xo>]?)"),
}
LINK_NAME = re.compile(r"[\w-]++@(?=[xo<]?(?:--|==|-\.|-?\.+-|~~~))")
QUOTED = re.compile(r'"([^"]*+)"')
PIPED = re.compile(r'\|\s*+(?:"([^"]*+)"\s*+|([^|]*+))\|')
LOOKS = re.compile(r"(?:classDef|class|style|linkStyle|click|accTitle|accDescr)(?=[ \t:{])")
DESCRIPTION = re.compile(r"accDescr[ \t]*+\{[^}]*+\}")
SUBGRAPH = re.compile(r"subgraph(?=[\s;])")
END = re.compile(r"end(?=[ \t]*+(?:[;\n]|%%|\Z))")
DIRECTION = re.compile(r"direction[ \t]++(?:TB|TD|BT|RL|LR)(?=[ \t]*+(?:[;\n]|\Z))")
TITLED = re.compile(r"([^\s\[\"]++)?[ \t]*+\[[ \t]*+(?:\"([^\"]*+)\"|([^\]\"\n]*+))[ \t]*+\]")
TITLE = re.compile(r'"([^"]*+)"|([^\n;]*+)')
PROPERTIES = re.compile(
    r"""\s*+([\w-]++)\s*+:\s*+(?:"((?:[^"\\]++|\\.)*+)"|'([^']*+)'|([^,}\n]*+))[ \t]*+"""
    r"(?:,|\n|(?=\s*+\}))"
)
