"""What can be proved from patterns alone: one covers another, or can reach the control plane.

Invariant: a result is reported only if it follows from the patterns alone, whatever files exist
(requirements section 3). Where nothing can be proved, nothing is reported.
"""

from collections.abc import Iterator, Sequence

from intent_lsp.core.control_plane import CONTROL_FAMILIES, CONTROL_FILES, CONTROL_ROOMS
from intent_lsp.core.scope.pattern import Pattern
from intent_lsp.core.scope.rows import NOWHERE, PatternRow, PatternRows
from intent_lsp.core.scope.segment import Segment


def covered(patterns: Sequence[Pattern]) -> Iterator[tuple[int, int]]:
    """Yield (index of a covered pattern, index of a pattern that covers it).

    A pattern covers another if it is proved to match everything that the other matches. Each
    covered pattern is reported once, with the first that covers it. If two cover each other, only
    the later is reported as covered. Exclusions are skipped.
    """
    known = [(at, _Cover(one)) for at, one in enumerate(patterns) if one.rows and not one.exclusion]
    for at, cover in known:
        for other_at, other in known:
            mutual = other_at > at and cover.holds(other)
            if other_at != at and not mutual and other.holds(cover):
                yield at, other_at
                break


def reaches(pattern: Pattern) -> bool:
    """Whether the pattern can match a control-plane path at the root. False for an exclusion.

    Control directories deeper in the tree are not considered, nor names with upper-case letters. Of
    files that are known by a part of their name only samples are tested, so that False is not
    certain for them.
    """
    return not pattern.exclusion and (
        any(pattern.after(room.split("/")) != NOWHERE for room in CONTROL_ROOMS)
        or any(pattern.after(file.split("/")).ends for file in CONTROL_FILES)
        or any(_reaches_family(pattern, *family) for family in CONTROL_FAMILIES)
    )


class _Cover:
    """A pattern prepared for comparison with others.

    `rows` are its alternatives, each a sequence of segments. `whole` are the directories, also as
    segments, in which the pattern matches everything.
    """

    def __init__(self, pattern: Pattern) -> None:
        self.rows = frozenset(pattern.rows)
        self.whole = frozenset(
            row[:-1] for row in self.rows if row[-1] is None and None not in row[:-1]
        )

    def holds(self, other: "_Cover") -> bool:
        """Whether this pattern covers `other`, because it covers each of its alternatives.

        An alternative is covered if this pattern has the same one, or if it lies in a directory of
        `whole`.
        """
        return all(row in self.rows or self._inside(row) for row in other.rows)

    def _inside(self, row: PatternRow) -> bool:
        # `a/**` covers `a/b`, `a/**` and `a/*/c`, but not `a` itself, since `**` at the end needs
        # at least one segment. Equal leading segments match equal names, so they need no test.
        return any(row[:size] in self.whole for size in range(len(row)))


def _reaches_family(pattern: Pattern, room: str, head: str, tail: str) -> bool:
    """Whether the pattern matches a name of the form `head…tail` in the directory `room`.

    Only sample names are tested.
    """
    names = tuple(room.split("/"))
    return pattern.after(names).goes_on and any(
        PatternRows((row,)).matches((*names, name))
        for row in pattern.rows
        for name in _samples(row[-1], head, tail)
    )


def _samples(segment: Segment | None, head: str, tail: str) -> Iterator[str]:
    """Yield sample names of the form `head…tail` that the segment may match."""
    yield head + tail
    yield f"{head}.local{tail}"
    first, last = (segment.prefix, segment.suffix) if segment is not None else ("", "")
    for name in (first, first + last, first + tail, head + last):
        if name.startswith(head) and name.endswith(tail):
            yield name
