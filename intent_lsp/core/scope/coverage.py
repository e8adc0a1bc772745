"""What can be proved about patterns without any file: covered by another, reaching somewhere.

Invariant: a claim is made only when it follows from how the patterns are built (requirements
section 3); where nothing can be proved, nothing is claimed.
"""

from collections.abc import Iterator, Sequence

from intent_lsp.core.control_plane import CONTROL_FAMILIES, CONTROL_FILES, CONTROL_ROOMS
from intent_lsp.core.scope.charclass import CharClass
from intent_lsp.core.scope.language import Items, Wild
from intent_lsp.core.scope.pattern import Pattern
from intent_lsp.core.scope.rows import NOWHERE, PatternRow
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
    """Whether a name `head…tail` in `room` can match: some row's next segment shares one."""
    names = room.split("/")
    family: Items = (*head, Wild.MANY, *tail)
    return any(
        _shares(segment, family, head + tail)
        for row in pattern.rows
        for segment in _nexts(pattern, row, names)
    )


def _nexts(pattern: Pattern, row: PatternRow, names: Sequence[str]) -> Iterator[Segment | None]:
    """Give the last segments that a row can have after `names`; None: any."""
    reading = pattern.reading
    states = {0}
    for name in (reading.path(name) for name in names):
        after: set[int] = set()
        for state in _open(row, states):
            segment = row[state]
            if segment is None:
                after.add(state)
            elif segment.matches(name):
                after.add(state + 1)
        states = after
    last = len(row) - 1
    yield from (row[state] for state in _open(row, states) if state == last)


def _open(row: PatternRow, states: set[int]) -> set[int]:
    """Add the places behind a `**` that matches no segment; leave out the end."""
    found = {state for state in states if state < len(row)}
    found |= {state + 1 for state in found if row[state] is None and state + 1 < len(row)}
    return found


def _shares(segment: Segment | None, family: Items, sample: str) -> bool:
    """Whether a name can match both; an extglob that repeats or negates is tried on one name."""
    if segment is None or segment.anything:
        return True
    if segment.flat is None:
        return bool(segment.matches(sample))
    return any(_meet(items, family) for items in segment.flat)


def _meet(left: Items, right: Items) -> bool:
    """Whether two lines of letters and wildcards have a name in common (a walk over both)."""
    seen: set[tuple[int, int]] = set()
    todo = [(0, 0)]
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        at, other = place
        if at == len(left) and other == len(right):
            return True
        todo += _moves(left[at:], right[other:], at, other)
    return False


def _moves(left: Items, right: Items, at: int, other: int) -> Iterator[tuple[int, int]]:
    one = left[0] if left else None
    two = right[0] if right else None
    if one is Wild.MANY:
        yield at + 1, other
    if two is Wild.MANY:
        yield at, other + 1
    if one is None or two is None:
        return
    if one is Wild.MANY:
        yield at, other + 1
    elif two is Wild.MANY:
        yield at + 1, other
    elif isinstance(two, str) and (
        one in (Wild.ONE, two) or (isinstance(one, CharClass) and two in one)
    ):
        yield at + 1, other + 1
