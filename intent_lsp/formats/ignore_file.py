"""`.intentignore`: which intents may not be used (requirements section 2).

Invariant: gitignore lines, matched against the id alone, case-sensitively; the last match wins.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pathspec import PathSpec, Pattern

from intent_lsp.core.content import line_body, split_lines


@dataclass(frozen=True, slots=True)
class IgnoredIntents:
    """The lines of one ignore file, as written, each with its compiled form."""

    lines: tuple[tuple[str, Pattern], ...] = ()

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
    return IgnoredIntents(tuple(_compiled(map(line_body, split_lines(text)))))


def _compiled(lines: Iterable[str]) -> Iterator[tuple[str, Pattern]]:
    for line in lines:
        try:
            spec = PathSpec.from_lines("gitignore", [line])
        except (ValueError, re.error):
            continue
        yield from ((line, pattern) for pattern in spec.patterns if pattern.include is not None)
