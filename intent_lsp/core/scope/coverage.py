"""What can be proved about patterns without any file: covered by another, reaching somewhere.

Invariant: a claim is made only when it follows from how the patterns are built (requirements
section 3); where nothing can be proved, nothing is claimed.
"""

from collections.abc import Iterator, Sequence

from intent_lsp.core.control_plane import CONTROL_FAMILIES, CONTROL_FILES, CONTROL_ROOMS
from intent_lsp.core.scope.pattern import Pattern
from intent_lsp.core.scope.rows import NOWHERE, PatternRow, PatternRows
from intent_lsp.core.scope.segment import Segment


def covered(patterns: Sequence[Pattern]) -> Iterator[tuple[int, int]]:
    """Give each pattern that another of the list covers whole, with that other one.

    Of two that cover each other the later is the covered one; exclusions are left aside.
    """
    known = [(at, _Cover(one)) for at, one in enumerate(patterns) if one.rows and not one.exclusion]
    for at, cover in known:
        for other_at, other in known:
            mutual = other_at > at and cover.holds(other)
            if other_at != at and not mutual and other.holds(cover):
                yield at, other_at
                break


def reaches(pattern: Pattern) -> bool:
    """Whether a path of the control plane can match the pattern."""
    return not pattern.exclusion and any(
        (
            any(pattern.after(room) != NOWHERE for room in CONTROL_ROOMS),
            any(pattern.after(file).ends for file in CONTROL_FILES),
            any(_reaches_family(pattern, *family) for family in CONTROL_FAMILIES),
        )
    )


class _Cover:
    """A pattern's rows, and the directories it owns whole."""

    def __init__(self, pattern: Pattern) -> None:
        self.rows = frozenset(pattern.rows)
        self.whole = frozenset(
            row[:-1] for row in self.rows if row[-1] is None and None not in row[:-1]
        )

    def holds(self, other: "_Cover") -> bool:
        """Whether each row of the other is one of ours or lies in a directory we own whole."""
        return all(row in self.rows or self._inside(row) for row in other.rows)

    def _inside(self, row: PatternRow) -> bool:
        # `a/**` holds `a/b`, `a/**` and `a/*/c`, but not `a` itself: something must follow. The
        # segments before it are the same, whatever names they match.
        return any(row[:size] in self.whole for size in range(len(row)))


def _reaches_family(pattern: Pattern, room: str, head: str, tail: str) -> bool:
    """Whether a name `head…tail` in `room` matches, of the names that are tried."""
    names = tuple(room.split("/"))
    return pattern.after(names).goes_on and any(
        PatternRows((row,)).matches((*names, name))
        for row in pattern.rows
        for name in _samples(row[-1], head, tail)
    )


def _samples(segment: Segment | None, head: str, tail: str) -> Iterator[str]:
    """Give names `head…tail` to try: those in use, and those with the segment's fixed ends."""
    yield head + tail
    yield f"{head}.local{tail}"
    first, last = (segment.prefix, segment.suffix) if segment is not None else ("", "")
    for name in (first, first + last, first + tail, head + last):
        if name.startswith(head) and name.endswith(tail):
            yield name
