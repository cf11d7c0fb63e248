"""Steps and conditions that compute: assignments (``i = i + 1``) and comparisons (``i % 2 == 0?``).

Only what has one meaning in every notation of programs and of mathematics is read.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_NAME = r"[A-Za-z_]\w{0,15}"
_OPERAND = rf"(?:{_NAME}|\d{{1,6}})"
_ASSIGNMENT = re.compile(rf"({_NAME}) ?= ?({_OPERAND})(?: ?([-+*]) ?({_OPERAND}))?", re.ASCII)
_COMPARISON = re.compile(
    rf"({_NAME})(?: ?% ?(\d{{1,3}}))? ?(==|=|!=|≠|<=|≤|>=|≥|<|>) ?(\d{{1,6}}) ?[?？]?", re.ASCII
)
_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    **dict.fromkeys(("==", "="), operator.eq),
    **dict.fromkeys(("!=", "≠"), operator.ne),
    **dict.fromkeys(("<=", "≤"), operator.le),
    **dict.fromkeys((">=", "≥"), operator.ge),
    "<": operator.lt,
    ">": operator.gt,
}
_MEANT: dict[str, bool] = {
    **dict.fromkeys(("yes", "y", "true", "t", "是", "真", "成立"), True),
    **dict.fromkeys(("no", "n", "false", "f", "否", "假", "不成立"), False),
}


@dataclass(frozen=True)
class Assignment:
    """A variable becomes a value, or the result of an operation on two."""

    variable: str
    operands: tuple[str, ...]
    sign: str = ""

    def run(self, values: Mapping[str, int]) -> dict[str, int]:
        """Return the values after it; a variable that becomes something unknown is left out."""
        known = [int(one) if one.isdigit() else values.get(one) for one in self.operands]
        after = {name: value for name, value in values.items() if name != self.variable}
        numbers = [one for one in known if one is not None]
        if len(numbers) == len(known):
            result = _ARITHMETIC[self.sign](*numbers) if self.sign else numbers[0]
            after[self.variable] = result
        return after


@dataclass(frozen=True)
class Comparison:
    """A variable, or its remainder, against a number."""

    variable: str
    modulus: int
    relation: str
    bound: int

    def holds(self, value: int) -> bool:
        """Tell whether it is true of a value of the variable."""
        compared = value % self.modulus if self.modulus else value
        return _RELATIONS[self.relation](compared, self.bound)


def read_assignment(text: str) -> Assignment | None:
    """Return the assignment that a step is, if it is one."""
    found = _ASSIGNMENT.fullmatch(text)
    if found is None:
        return None
    variable, first, sign, second = found.groups()
    return Assignment(variable, (first, second) if sign else (first,), sign or "")


def read_comparison(text: str) -> Comparison | None:
    """Return the comparison that a question is, if it is one."""
    found = _COMPARISON.fullmatch(text)
    if found is None or (found[2] and int(found[2]) < 2):
        return None
    return Comparison(found[1], int(found[2] or 0), found[3], int(found[4]))


def meant_by(label: str) -> bool | None:
    """Return whether an answer says yes or no; None where it is another one."""
    return _MEANT.get(label.strip().casefold())
