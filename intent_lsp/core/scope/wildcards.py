"""Many wildcard segments of one place in a trie, asked all at once.

Invariant: a name is held against no segment whose fixed text it does not hold.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from intent_lsp.core.scope.language import Items
from intent_lsp.core.scope.segment import Segment

_GRAM = 3
_MANY = 1 << 30
_MOST_KNOWN = 4_096

T = TypeVar("T")
Filed = tuple[Callable[[str], object] | None, tuple[T, ...]]


class Table(Generic[T]):
    """Wildcard segments of one node, each filed where the fewest others are."""

    __slots__ = ("_grams", "_heads", "_known", "_rest", "_tails")

    def __init__(self, magic: Mapping[Segment, tuple[T, ...]]) -> None:
        heads = Counter(segment.prefix for segment in magic)
        tails = Counter(segment.suffix for segment in magic)
        grams = Counter(gram for segment in magic for gram in _held(segment.items))
        self._heads: dict[int, dict[str, list[Filed[T]]]] = {}
        self._tails: dict[int, dict[str, list[Filed[T]]]] = {}
        self._grams: dict[str, list[Filed[T]]] = {}
        self._rest: list[Filed[T]] = []
        self._known: dict[str, tuple[T, ...]] = {}
        for segment, nodes in magic.items():
            head, tail = segment.prefix, segment.suffix
            gram = min(_held(segment.items), key=grams.__getitem__, default="")
            filed = None if segment.one_sided else segment.matches, nodes
            if head and heads[head] <= min(tails[tail] if tail else _MANY, grams[gram] or _MANY):
                self._heads.setdefault(len(head), {}).setdefault(head, []).append(filed)
            elif tail and tails[tail] <= (grams[gram] or _MANY):
                self._tails.setdefault(len(tail), {}).setdefault(tail, []).append(filed)
            elif gram:
                self._grams.setdefault(gram, []).append(filed)
            else:
                self._rest.append(filed)

    def leading(self, name: str) -> Sequence[T]:
        """Give what the segments lead to that match `name`; names come again and again."""
        known = self._known.get(name)
        if known is None:
            known = tuple(self._asked(name))
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[name] = known
        return known

    def _asked(self, name: str) -> Iterator[T]:
        for filed in self._candidates(name):
            for matches, nodes in filed:
                if matches is None or matches(name):
                    yield from nodes

    def _candidates(self, name: str) -> Iterator[Sequence[Filed[T]]]:
        # No list on the way: most names are asked for once, and nothing is filed under them.
        for size, filed in self._heads.items():
            if (head := name[:size]) in filed:
                yield filed[head]
        for size, filed in self._tails.items():
            if (tail := name[-size:]) in filed:
                yield filed[tail]
        grams = self._grams
        if grams:
            for at in range(len(name) - _GRAM + 1):
                if (gram := name[at : at + _GRAM]) in grams:
                    yield grams[gram]
        yield self._rest


def _grams(name: str) -> set[str]:
    return {name[at : at + _GRAM] for at in range(len(name) - _GRAM + 1)}


def _held(items: Items) -> set[str]:
    """Give all short texts that a name must hold to match."""
    runs = "".join(item if isinstance(item, str) else "/" for item in items).split("/")
    return {gram for run in runs for gram in _grams(run)}
