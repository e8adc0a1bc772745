"""`.intentignore`: which intents may not be used (requirements section 2).

Invariant: gitignore lines, matched against the id alone, case-sensitively; the last match wins.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from intent_lsp.core.content import line_body, split_lines


class IgnorePattern(Protocol):
    """One line, compiled; `include` False: it takes back what a line before it ignores."""

    include: bool | None

    def match_file(self, file: str) -> object | None:
        """Match an id; None: the line is not about it."""
        ...


@dataclass(frozen=True, slots=True)
class IgnoredIntents:
    """The lines of one ignore file, as written, each with its compiled form."""

    lines: tuple[tuple[str, IgnorePattern], ...] = ()

    def matching(self, intent_id: str) -> tuple[str, ...]:
        """List the lines that ignore an id; none when a later `!` line takes it back."""
        matched: list[str] = []
        for line, pattern in self.lines:
            if pattern.match_file(intent_id) is None:
                continue
            if pattern.include:
                matched.append(line)
            else:
                matched.clear()
        return tuple(matched)


def read_ignored(text: str) -> IgnoredIntents:
    """Read an ignore file; a line that is no pattern ignores nothing."""
    lines = split_lines(text)
    return IgnoredIntents(tuple(_compiled(map(line_body, lines)))) if lines else IgnoredIntents()


def _compiled(lines: Iterable[str]) -> Iterator[tuple[str, IgnorePattern]]:
    # Most projects ignore nothing: they do not wait for this to load.
    from pathspec import PathSpec  # noqa: PLC0415

    for line in lines:
        try:
            spec = PathSpec.from_lines("gitignore", [line])
        except (ValueError, re.error):
            continue
        yield from ((line, pattern) for pattern in spec.patterns if pattern.include is not None)
