"""Places of a text, carried over to a later text of which only some lines in the middle differ.

Invariant: a place on a line that differs is not carried, but for the end of a span that ends with
the line before.
"""

from collections.abc import Sequence

from intent_lsp.core.findings import Position, Span
from intent_lsp.core.line_diff import common_head, common_tail


class CarriedPlaces:
    """Carries places from the text of `former` lines to that of `now`, and back.

    Only the lines before the first and after the last difference are carried.
    """

    def __init__(self, former: Sequence[str], now: Sequence[str]) -> None:
        former, now = list(former), list(now)
        self.same = former == now
        """Whether both texts are equal, so that every place is carried as it is."""
        self._head = common_head(former, now)
        tail = common_tail(former, now, self._head)
        self._former_tail, self._tail = len(former) - tail, len(now) - tail
        self._has_tail = tail > 0

    def forward(self, span: Span) -> Span | None:
        """Return a span of the former text in the later one, or None if an end is not carried."""
        if self.same:
            return span
        start, end = self._forward(span.start), self._forward(span.end)
        # The start of the first line that differs is also the end of the last one that does not.
        if span.start.line < self._head and span.end == Position(self._head, 0):
            end = span.end
        return None if start is None or end is None else Span(start, end)

    def forward_line(self, line: int) -> int | None:
        """Return the number of a line of the former text in the later one, or None if it differs.

        Lines count from 0.
        """
        found = Position(line, 0) if self.same else self._forward(Position(line, 0))
        return None if found is None else found.line

    def back(self, place: Position) -> Position | None:
        """Return a position of the later text in the former one, or None if it is not carried."""
        return place if self.same else self._moved(place, self._tail, self._former_tail)

    def _forward(self, place: Position) -> Position | None:
        return self._moved(place, self._former_tail, self._tail)

    def _moved(self, place: Position, tail: int, other_tail: int) -> Position | None:
        """Return a position in the other text. `tail` is the line at which the equal end begins."""
        if self._has_tail and place.line >= tail:
            return Position(place.line - tail + other_tail, place.character)
        return place if place.line < self._head else None
