"""Reading completions: the hard cases, the rules in order, and arbitrary text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from scenarios.parsing import (
    degenerate_repetition,
    extract,
    read_json,
    read_verdict,
)
from tests.cases import case_input
from tests.scenarios.reading import flag_text


def extracted(text: str, *languages: str, truncated: bool = False):
    outcome = extract(text, languages, truncated=truncated)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def parsed(text: str):
    outcome = read_json(text)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


class TestHardCases:
    def test_parse_001_backticks_inside_a_json_string(self):
        files = parsed(extracted(case_input("parse-001"), "json").text).value
        assert [file["filename"] for file in files] == ["README.md", "index.html"]
        assert files[0]["content"] == "Use ```bash``` here"

    def test_parse_003_unclosed_fence(self):
        text = case_input("parse-003")
        whole, cut = extracted(text, "latex"), extracted(text, "latex", truncated=True)
        assert whole.text == cut.text == "$x^2$"
        assert not whole.flags
        assert [flag.kind for flag in cut.flags] == [Kind.TRUNCATED]

    def test_parse_004_other_language_tag(self):
        found = extracted(case_input("parse-004"), "latex", "tex")
        assert found.text == "\\frac{a}{b}"
        assert found.language == "tex"

    def test_parse_006_latex_damaged_by_json_escapes(self):
        found = parsed(case_input("parse-006"))
        assert found.value == {"latex": "\\frac{a}{b} \\theta \\nu"}
        assert "escape_damage" in flag_text(found)

    def test_parse_007_backslash_that_is_no_escape(self):
        found = parsed(case_input("parse-007"))
        assert found.value == {"latex": "\\alpha + \\sum"}
        assert found.repairs

    def test_parse_009_raw_newline_in_a_string(self):
        assert parsed(case_input("parse-009")).value[0]["content"] == "<p>\nhi</p>"

    def test_parse_010_braces_in_reasoning(self):
        found = parsed(extracted(case_input("parse-010"), "json").text)
        assert found.value == {"text": "Root", "children": []}

    def test_parse_012_only_reasoning(self):
        outcome = extract(case_input("parse-012"), ("latex",))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.TRUNCATED
        assert "only reasoning" in outcome.message

    def test_parse_013_literal_tags_in_a_fence(self):
        text = case_input("parse-013")
        assert extracted(text, "html").text == text.split("\n")[1]

    def test_parse_015_byte_order_mark(self):
        text = case_input("parse-015")
        assert len(parsed(text).value) == 1
        assert len(parsed(extracted(text, "json").text).value) == 1

    def test_parse_016_lone_surrogate(self):
        found = parsed(case_input("parse-016"))
        assert found.value[0]["content"].encode() == "<p>\ufffd</p>".encode()
        assert "lone surrogates replaced" in found.repairs

    def test_parse_018_oversized_number(self, tmp_path):
        outcome = read_json(case_input("parse-018", tmp_path))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_parse_019_the_first_word_decides(self):
        assert read_verdict(case_input("parse-019")) == "no"

    def test_parse_021_markup_and_chinese(self):
        assert read_verdict(case_input("parse-021")) == "yes"
        assert read_verdict("是的。", "zh") == "yes"

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize("truncated", [False, True])
    def test_parse_022_degenerate_repetition(self, truncated, tmp_path):
        text = case_input("parse-022", tmp_path)
        outcome = extract(text, ("dot",), truncated=truncated)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.TRUNCATED
        assert "degenerate_repetition" in outcome.message

    def test_mind_009_duplicate_keys(self):
        found = parsed(case_input("mind-009"))
        assert found.value == {"text": "R", "children": [{"text": "A"}, {"text": "B"}]}
        assert "duplicate_keys" in flag_text(found)

    def test_mind_016_deep_nesting(self, tmp_path):
        outcome = read_json(case_input("mind-016", tmp_path))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR


class TestReasoning:
    @pytest.mark.parametrize(
        "text",
        [
            "<think>a</think>\n<think>b</think>$x$",
            "<THINKING>first\n```latex\n$y$\n```</THINKING>$x$",
            "Let me look.\n<think>hm</think>\n```latex\n$x$\n```",
            "reasoning without an opening tag ```latex $y$\n</think>\n$x$",
            "◁think▷hm◁/think▷$x$",
            "<think>so</think><answer>$x$</answer>",
            "<think>mentions <think> again</think>$x$",
        ],
    )
    def test_is_dropped(self, text):
        assert extracted(text, "latex").text.strip() == "$x$"

    def test_literal_tag_in_bare_html_stays(self):
        page = "<html><body>\n<p>the <think> tag and </think> end</p></body></html>"
        assert extracted(page, "html").text == page

    def test_answer_after_reasoning_is_empty(self):
        outcome = extract("<think>done</think>\n \n", ("latex",))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER


class TestBlocks:
    def test_wanted_tag_is_preferred(self):
        text = "```bash\npdflatex a_long_name_of_a_file.tex\n```\n```latex\n$x$\n```"
        found = extracted(text, "latex", "tex")
        assert (found.text, found.language, found.flags) == ("$x$", "latex", ())

    def test_the_last_of_several_wins_and_is_flagged(self):
        found = extracted("```tex\n$a+b$\n```\nCorrected:\n```tex\n$a-b$\n```", "tex")
        assert found.text == "$a-b$"
        assert "multiple blocks" in flag_text(found)

    def test_a_short_snippet_at_the_end_is_not_the_answer(self):
        text = "```tex\n$a+b+c+d+e+f$\n```\nor only\n```tex\n$a$\n```"
        assert extracted(text, "tex").text == "$a+b+c+d+e+f$"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("~~~latex\n$x$\n~~~", "$x$"),
            ("````latex\n```\n$x$\n````", "```\n$x$"),
            ("Here: ```latex\n$x$\n```", "$x$"),
            ("```html\n<p>x</p>```", "<p>x</p>"),
            ("```latex $x^2$```", "$x^2$"),
            ("- item\n  ```latex\n  $x$\n  ```", "  $x$"),
            ("```LaTeX\r\n$x$\r\n```\r\n", "$x$"),
            ("`$x$`", "$x$"),
            ("```latex\n$x$\n``", "$x$"),
            ("plain $x$", "plain $x$"),
        ],
    )
    def test_shapes_of_fences(self, text, expected):
        assert extracted(text, "latex", "html").text == expected

    def test_json_with_raw_newlines_and_fences_inside_strings(self):
        text = '```json\n[{"f":"a","c":"Use\n```bash\nls\n```\ndone"}]\n```\nThat is all.'
        assert parsed(extracted(text, "json").text).value[0]["c"] == "Use\n```bash\nls\n```\ndone"

    @pytest.mark.parametrize("text", ["", " \n", "```\n```", "Sorry.\n```latex\n\n```"])
    def test_empty_is_no_answer(self, text):
        outcome = extract(text, ("latex",))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER
        cut = extract(text, ("latex",), truncated=True)
        assert isinstance(cut, Failed)
        assert cut.kind is Kind.TRUNCATED

    def test_complete_block_in_a_cut_off_completion_is_whole(self):
        found = extracted("```latex\n$x$\n```\nThis formula sa", "latex", truncated=True)
        assert not found.flags

    def test_lone_surrogates_are_replaced(self):
        found = extracted("a\ud83db", "latex")
        assert found.text == "a\ufffdb"
        assert found.repairs == ("lone surrogates replaced",)


PLAIN = st.text(st.characters(exclude_characters="\b\f", exclude_categories=["Cs"]))
"""Backspace and form feed before a letter are taken for damaged LaTeX commands."""

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | PLAIN
    | st.floats(allow_nan=False, allow_infinity=False)
)
CONTAINERS = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(PLAIN, inner), max_leaves=20
).filter(lambda value: isinstance(value, dict | list))


class TestJson:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('Here it is: {"a": [1, 2,],} Hope it helps', {"a": [1, 2]}),
            ("{'a': 'it', 'b': None, 'c': True}", {"a": "it", "b": None, "c": True}),
            ("{“a”: “b”}", {"a": "b"}),
            (r'{"a":"line\nnext\ttab"}', {"a": "line\nnext\ttab"}),
            (r'{"a":"\nnot so"}', {"a": "\nnot so"}),
            (r'{"a":"\\frac{1}{2} \\theta"}', {"a": r"\frac{1}{2} \theta"}),
            (r'{"a":"\theta \to \infty"}', {"a": r"\theta \to \infty"}),
            (r'{"a":"it\'s"}', {"a": "it's"}),
            (r'{"a":"\ud83d\ude00"}', {"a": "\U0001f600"}),
            (r'{"a":"C:\users\x"}', {"a": r"C:\users\x"}),
            ("[]", []),
        ],
    )
    def test_reads(self, text, value):
        assert parsed(text).value == value

    def test_clean_json_needs_no_repair(self):
        found = parsed('{"a": ["b", "\\n", "\\u00e9", 1.5, -2, true, null]}')
        assert found.repairs == ()
        assert found.flags == ()

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a":"R","b":[{"a":"A"},{"te', {"a": "R", "b": [{"a": "A"}, {}]}),
            ('{"a":"R","b":[{"a":"A"},{"a":"B', {"a": "R", "b": [{"a": "A"}, {"a": "B"}]}),
            ('{"a":1,"b":', {"a": 1}),
            ('{"a":1,', {"a": 1}),
            ('{"a":tr', {}),
            ('["x", "y\\', ["x", "y"]),
        ],
    )  # fmt: skip
    def test_cut_off_is_closed_and_flagged(self, text, value):
        found = parsed(text)
        assert found.value == value
        assert [flag.kind for flag in found.flags] == [Kind.TRUNCATED]

    @pytest.mark.parametrize("text", ["", "no json", "NaN", '{"a":1e999}', '{"a":NaN}', "\ufeff"])
    def test_no_value_is_a_parse_error(self, text):
        outcome = read_json(text)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    @given(CONTAINERS, st.booleans(), st.sampled_from([None, 2]))
    def test_whatever_json_writes_is_read_back(self, value, ascii_only, indent):
        found = parsed(json.dumps(value, ensure_ascii=ascii_only, indent=indent))
        assert found.value == value
        assert found.flags == ()
        assert found.repairs == ()


class TestVerdicts:
    @pytest.mark.parametrize(
        ("text", "language", "verdict"),
        [
            ("yes", "en", "yes"),
            ("NO.", "en", "no"),
            ("The answer is no, although yes seems likely.", "en", "no"),
            ("After looking, I would say yes.", "en", "yes"),
            ("It could be yes or no.", "en", None),
            ("Nobody knows.", "en", None),
            ("<think>yes?</think>No", "en", "no"),
            ("不是", "zh", "no"),
            ("否", "zh", "no"),
            ("**答案：**是", "zh", "yes"),
            ("根据图片，答案是否", "zh", "no"),
            ("Yes", "zh", "yes"),
            ("", "en", None),
        ],
    )
    def test_reads(self, text, language, verdict):
        assert read_verdict(text, language) == verdict

    @pytest.mark.parametrize(
        ("texts", "verdict"),
        [
            (("The statement does not hold.", "It doesn’t hold.", "It does not.", "Wrong.", "N",
              "The answer is not yes.", "This is incorrect.", "It's false", "Of course not.",
              "The claim isn't true.", "The statement is untrue", "Correct answer: No", "ＮＯ",
              "Yes or No?\nNo", "true or false? false", "Does it hold? No",
              "\\boxed{\\text{No}}", "So the correct answer is No."), "no"),
            (("The statement holds.", "That's correct.", "No doubt: yes", "Right.", "Y", "It does.",
              "No problem! The answer is yes.", "The statement is therefore accurate.",
              "Answer with one word: Yes or No. Yes", "Yes, no arrow leads there."), "yes"),
            (("是否成立：否", "该陈述不成立", "陈述不正确", "正确答案是否", "这个陈述有误",
              "有误。", "有一条箭头从A到B，所以该陈述不成立", "图中没有这一步，所以不成立。",
              "不完全正确",
              "存在错误，不成立", "能否成立？否", "有没有？没有", "对该陈述，答案为否",
              "对于该流程图，陈述不成立", "答案不是“是”", "是这样的吗？不是"), "no"),
            (("该陈述成立。", "该陈述是正确的", "图中有从A到B的箭头，所以成立", "可以", "Yes，成立",
              "不存在错误，成立", "不难看出，该陈述成立", "错误处理之后进入A，因此成立"), "yes"),
            (("No, it cannot be determined.", "I don’t know", "Unable to verify", "Not necessarily",
              "Yes or no cannot be determined", "是否成立无法判断", "对不起，我无法判断", "不一定",
              "没有足够信息", "不，无法确定"), "unknown"),
            (("Yes and no", "Yes/No", "Yes, no", "Yes\nNo", "是/否", "是或否", "Partially correct",
              "The answer is neither yes nor no.", "There is no arrow from A to B.",
              "It takes the path labelled No.", "Right after A comes B.", "有一条箭头从A到B",
              "如果答案是否，则进入B", "错误处理之后进入A", "是否下雨"), None),
        ],
    )  # fmt: skip
    def test_what_models_write_is_read_as_people_read_it(self, texts, verdict):
        assert {text: read_verdict(text, "zh") for text in texts} == dict.fromkeys(texts, verdict)

    @pytest.mark.parametrize(
        ("text", "verdict"),
        [
            ("If the answer is yes, the flow goes to B. So it is false.", "no"),
            ("When the answer is No, it loops. The statement is therefore correct.", "yes"),
            ("The statement is false: the branch labelled Yes leads to B.", "no"),
            ("是否下雨？是，则带伞；否，则不带。因此该陈述成立。", "yes"),
        ],
    )
    def test_what_holds_under_a_condition_is_no_verdict(self, text, verdict):
        assert read_verdict(text, "zh") == verdict


class TestRepetition:
    def test_long_varied_text_is_not_degenerate(self):
        assert not degenerate_repetition("\n".join(f"n{i} -> n{i * 7 % 97};" for i in range(3000)))

    def test_a_few_repeats_are_not_degenerate(self):
        assert not degenerate_repetition("<td></td>" * 50)

    def test_complete_repetitive_answer_is_an_answer(self):
        row = "0 & 0 \\\\\n" * 400
        assert extracted("```latex\n" + row + "```", "latex").text.startswith("0 & 0")

    def test_repetition_cut_in_the_middle(self):
        assert degenerate_repetition("start " + "the same words again " * 200 + "the sa")


MARKS = st.sampled_from(
    ["```", "~~~", "`", "\n", "<think>", "</think>", "{", "}", "[", "]", '"', "\\", ":", ",",
     "json", "latex", "a", " ", "\\u", "d83d", "9", "'", "yes", "是", "\ufeff", "-", "\ud800"]
)  # fmt: skip
VERDICTS = {"yes", "no", "unknown", None}
ANY_TEXT = st.text() | st.lists(MARKS, max_size=60).map("".join)


@given(ANY_TEXT, st.booleans())
def test_nothing_raises_for_arbitrary_text(text, truncated):
    outcome = extract(text, ("json",), truncated=truncated)
    read = read_json(outcome.value.text if isinstance(outcome, Ok) else text)
    assert isinstance(read, Ok | Failed)
    if isinstance(read, Ok):
        assert json.dumps(read.value.value, ensure_ascii=False).encode()
    assert {read_verdict(text), read_verdict(text, "zh")} <= VERDICTS
    assert degenerate_repetition(text) in (True, False)


UNITS = [
    '```json\n["', "```\n", "``` ", "a`", "<think>", "</think>\n", "```\nx\n```\n</think>\n",
    "{", '{"a":', "[[", '"\\', "\\", "' ", "\n~~~x", "yes no ", "\n", "如果答案是是，",
    "if the answer is yes ", "因此，",
]  # fmt: skip


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", UNITS)
def test_hostile_length_is_read_in_bounded_time(unit):
    text = unit * (400_000 // len(unit))
    for candidate in (text, "x\n" + text, "<think></think>" + text):
        assert isinstance(extract(candidate, ("json",), truncated=True), Ok | Failed)
        assert isinstance(read_json(candidate), Ok | Failed)
        assert read_verdict(candidate, "zh") in VERDICTS
