"""A place in the text of a Mermaid chart: what is taken and skipped there."""

from __future__ import annotations

import re

from benchmark.outcome import Failed, Kind, Stage
from scenarios import mermaid_tokens as tokens


class Fault(Exception):
    """Carries a failure out of the parser."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message)
        self.failed = failed


class Scanner:
    """Goes through a text; what does not fit is raised as a `Fault`."""

    def __init__(self, text: str) -> None:
        """Begin at the start, with line feeds only."""
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.place = 0

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Skip what a pattern of gaps matches, but no directive, which begins as a comment does."""
        start = self.place
        while found := pattern.match(self.text, self.place):
            directive = self.text.find("%%{", self.place, found.end())
            self.place = found.end() if directive < 0 else directive
            if directive >= 0 and not self.take(tokens.DIRECTIVE):
                raise self.fault("a directive is not closed")
        return self.place > start

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Go past what a pattern matches here; return the match."""
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def skip_blank(self) -> None:
        """Skip spaces and tabs."""
        self.take(tokens.BLANK)

    def skip_space(self) -> None:
        """Skip white space of any kind."""
        while self.place < len(self.text) and self.text[self.place].isspace():
            self.place += 1

    def line_end(self) -> int:
        """Return where the line ends."""
        end = self.text.find("\n", self.place)
        return len(self.text) if end < 0 else end

    def line(self) -> int:
        """Return the number of the line, from 1."""
        return self.text.count("\n", 0, self.place) + 1

    def fault(self, message: str) -> Fault:
        """Return the fault of what stands here, with its line."""
        rest = self.text[self.place : self.line_end()][:40]
        shown = repr(rest) if rest else "the end"
        message = f"Mermaid, line {self.line()}: {message} at {shown}"
        return Fault(Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message))
