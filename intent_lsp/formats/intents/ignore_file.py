"""`.intentignore`: the intents that may not be used (requirements section 2).

Invariant: lines are gitignore patterns, matched against an id alone, case-sensitively. The last
match wins.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from msgspec import Struct

from intent_lsp.core.content import line_body, split_lines


class IgnorePattern(Protocol):
    """A compiled line of an ignore file.

    `include` is True for a line that ignores ids, False for a `!` line, which cancels earlier
    lines, and None for a comment or a blank line.
    """

    include: bool | None

    def match_file(self, file: str) -> object | None:
        """Return a match of the line with the intent id `file`, or None if it does not match."""
        ...


class IgnoredIntents(Struct, frozen=True):
    """The patterns of an ignore file: each with its line as written, and compiled."""

    lines: tuple[tuple[str, IgnorePattern], ...] = ()

    def matching(self, intent_id: str) -> tuple[str, ...]:
        """Return the lines that ignore an intent id; empty if the id is not ignored.

        A later `!` line that matches the id cancels the lines before it.
        """
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
    """Parse the text of an ignore file.

    Comments, blank lines and lines that are not valid patterns are left out.
    """
    lines = split_lines(text)
    return IgnoredIntents(tuple(_compiled(map(line_body, lines)))) if lines else IgnoredIntents()


def _compiled(lines: Iterable[str]) -> Iterator[tuple[str, IgnorePattern]]:
    # Imported late: most projects ignore nothing and need not load it.
    from pathspec import PathSpec  # noqa: PLC0415

    for line in lines:
        try:
            spec = PathSpec.from_lines("gitignore", [line])
        except (ValueError, re.error):
            continue
        yield from ((line, pattern) for pattern in spec.patterns if pattern.include is not None)
