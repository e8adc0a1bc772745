"""`.intentignore`: the intents that may not be used (requirements section 2).

Invariant: lines are gitignore patterns, matched against an id alone, case-sensitively. The last
match wins.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from intent_lsp.core.content import line_body, split_lines


class IgnoredIntents(Struct, frozen=True):
    """The patterns of an ignore file: for each, its line as written, a flag, and a matcher of ids.

    The flag is False for a `!` line, which cancels earlier lines.
    """

    lines: tuple[tuple[str, bool, Callable[[str], object | None]], ...] = ()

    def matching(self, intent_id: str) -> tuple[str, ...]:
        """Return the lines that ignore an intent id; empty if the id is not ignored.

        A later `!` line that matches the id cancels the lines before it.
        """
        matched: list[str] = []
        for line, ignores, match in self.lines:
            if match(intent_id) is None:
                continue
            if ignores:
                matched.append(line)
            else:
                matched.clear()
        return tuple(matched)


def read_ignored(text: str) -> IgnoredIntents:
    """Parse the text of `.intentignore`, whose patterns match ids of intents.

    Comments, blank lines and lines that are no valid gitignore patterns are left out.
    """
    lines = split_lines(text)
    return IgnoredIntents(tuple(_compiled(map(line_body, lines)))) if lines else IgnoredIntents()


def _compiled(lines: Iterable[str]) -> Iterator[tuple[str, bool, Callable[[str], object | None]]]:
    # Imported late: most projects ignore nothing and need not load it.
    from pathspec import PathSpec  # noqa: PLC0415

    for line in lines:
        try:
            spec = PathSpec.from_lines("gitignore", [line])
        except (ValueError, re.error):
            continue
        for pattern in spec.patterns:
            if pattern.include is not None:
                yield line, pattern.include, pattern.match_file
