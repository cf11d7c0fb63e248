"""Small map files written for tests, in the shapes that the programs write."""

from __future__ import annotations

import io
import json
import zipfile

WARNING_TITLE = "Warning\n警告\nAttention"


def archive(entries: dict[str, str | bytes]) -> bytes:
    """Return a zip of these entries."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 0, 0, 0)), content)
    return out.getvalue()


def topic(title: str, *children: dict, **more: object) -> dict:
    made: dict = {"id": title, "class": "topic", "title": title, **more}
    return made | ({"children": {"attached": list(children)}} if children else {})


def xmind(root: dict, *, sheets: int = 1) -> bytes:
    """A file of XMind since 2018: the map as JSON, and the page for old programs beside it."""
    content = [{"id": f"s{n}", "title": f"Sheet {n}", "rootTopic": root} for n in range(sheets)]
    return archive(
        {
            "content.json": json.dumps(content),
            "content.xml": xmap(WARNING_TITLE, "Please update"),
            "metadata.json": "{}",
        }
    )


def xmap(root: str, *leaves: str) -> str:
    """The XML of XMind 8."""
    below = "".join(f"<topic><title>{leaf}</title></topic>" for leaf in leaves)
    return (
        '<xmap-content xmlns="urn:xmind:xmap:xmlns:content:2.0"><sheet><topic>'
        f"<title>{root}</title><children><topics type='attached'>{below}</topics></children>"
        "</topic></sheet></xmap-content>"
    )


def stub() -> bytes:
    """What a converter leaves that knows the old form only: nothing but the warning page."""
    return archive({"content.xml": xmap(WARNING_TITLE, "Please update", "请更新")})


def xmind8(root: str, *leaves: str, entry: str = "content.xml") -> bytes:
    return archive({entry: xmap(root, *leaves)})


def mmap(root: str, *leaves: str) -> bytes:
    """A file of MindManager."""
    below = "".join(f'<ap:Topic><ap:Text PlainText="{leaf}"/></ap:Topic>' for leaf in leaves)
    text = f'<ap:Text PlainText="{root}"/>' if root else ""
    document = (
        '<?xml version="1.0"?>'
        '<ap:Map xmlns:ap="http://schemas.mindjet.com/MindManager/Application/2003"><ap:OneTopic>'
        f"<ap:Topic><ap:SubTopics>{below}</ap:SubTopics>{text}</ap:Topic>"
        "</ap:OneTopic></ap:Map>"
    )
    return archive({"Document.xml": document})


def minder(text: str, *children: dict) -> dict:
    """A node of KityMinder's kind."""
    return {"data": {"text": text}, "children": list(children)}


TEA = topic(
    "Tea",
    topic("Green", topic("Sencha"), topic("Matcha")),
    topic("Black", topic("Assam"), topic("Ceylon")),
    topic("White"),
)
BICYCLE = topic("自行车", topic("车轮", topic("轮胎"), topic("辐条")), topic("车架"), topic("车把"))
GARDEN = topic("Garden", topic("Beds", topic("Beans"), topic("Peas")), topic("Paths"))
HARBOUR = topic("Harbour", topic("Quay"), topic("Cranes", topic("Hook")), topic("Ferry"))
OUTLINE = "# 面包\n- 面粉\n  - 小麦\n  - 黑麦\n- 水\n- 盐\n- 酵母\n"
