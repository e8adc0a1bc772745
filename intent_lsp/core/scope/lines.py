"""Many lines of tests with gaps between them, matched together against one sequence.

Invariant: a step is a few operations on one number that has a bit for each test, whatever the
lines are; no line can make it explode.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class TestLine(Generic[T]):
    """Tests in order; `gaps` holds the places (0: before the first) that any run may fill."""

    tests: tuple[T, ...]
    gaps: frozenset[int]


class TestLines(Generic[T]):
    """A set of lines; a state is a number whose bit says "this much of that line has matched".

    Each line has a bit for every count of its tests that have matched, from none to all.
    """

    __slots__ = ("_ends", "_loops", "_starts", "final", "masks", "start")

    def __init__(self, lines: Sequence[TestLine[T]]) -> None:
        at = 0
        places: dict[T, list[int]] = {}
        starts, loops, self._ends = [], [], list[int]()
        for line in lines:
            starts.append(at)
            loops += [at + gap for gap in line.gaps]
            for place, test in enumerate(line.tests, at):
                places.setdefault(test, []).append(place)
            at += len(line.tests)
            self._ends.append(at)
            at += 1
        self.masks: Mapping[T, int] = {test: _bits(found, at) for test, found in places.items()}
        self._loops = _bits(loops, at)
        self.start = _bits(starts, at)
        self.final = _bits(self._ends, at)

    def step(self, state: int, passed: int) -> int:
        """Give the state after a symbol; `passed` joins the masks of the tests it passes."""
        return ((state & passed) << 1) | (state & self._loops)

    def matched(self, state: int) -> list[int]:
        """Give the indices of the lines that match when the sequence ends in `state`."""
        ended = state & self.final
        if not ended:
            return []
        digits = bin(ended)[:1:-1]
        return [index for index, end in enumerate(self._ends) if digits[end : end + 1] == "1"]


def _bits(places: Sequence[int], size: int) -> int:
    """Give the number whose bits at `places` are set, in one pass."""
    if len(places) < 3:  # noqa: PLR2004 - shifting is quicker for a few
        return sum(1 << place for place in places)
    buffer = bytearray(size // 8 + 1)
    for place in places:
        buffer[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(buffer, "little")
