"""A walk over a tree's files that notes what the scopes of its intents match.

Invariant: the work grows with the files and with the different sets of patterns that match them,
not with the pairs of intents on each file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.index import Hits, ScopeIndex
from intent_lsp.core.scope.scope import Scope

MAX_NAMED = 3
MAX_OVERLAPS = 1_000
"""Pairs that are reported: nobody reads more, and a careless `**` makes half a million."""
_MAX_PAIRS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two open intents, by their places in the file, and the first files that both own."""

    first: int
    second: int
    pattern_index: int
    files: tuple[WorkspacePath, ...]


class ScopeSurvey:
    """What the files seen so far show about the scopes of `intents`."""

    def __init__(
        self, intents: Intents, scopes: Sequence[Scope], *, case_sensitive: bool, nfc: bool
    ) -> None:
        entries = [(intent.id, scope) for intent, scope in zip(intents, scopes, strict=True)]
        self._index = ScopeIndex(entries, case_sensitive=case_sensitive, nfc=nfc)
        self._open = frozenset(
            place for place, intent in enumerate(intents) if not intent.status.closed
        )
        self._alike: dict[Hits, list[WorkspacePath]] = {}

    def matched(self) -> frozenset[tuple[int, int]]:
        """Give the patterns that match a file, by their intent's place and their own."""
        numbers = frozenset[int]().union(*(hits.given for hits in self._alike))
        return frozenset(map(self._index.place, numbers))

    def walk(self, files: Iterable[WorkspacePath]) -> None:
        """Note these files; those that the same patterns match are kept together."""
        for path in files:
            hits = self._index.hits(path)
            if hits.given:
                alike = self._alike.setdefault(hits, [])
                if len(alike) < MAX_NAMED:
                    alike.append(path)

    def overlaps(self) -> Iterator[Overlap]:
        """Give each pair of open intents that own a file both, in file order, within bounds."""
        pairs: dict[tuple[int, int], tuple[int, list[WorkspacePath]]] = {}
        looked = 0
        for hits, files in self._alike.items():
            owning = [owned for owned in self._index.owning(hits) if owned[0] in self._open]
            for (first, at), (second, _) in combinations(sorted(owning), 2):
                looked += 1
                known = pairs.get((first, second))
                if known is None and len(pairs) < MAX_OVERLAPS:
                    known = pairs[first, second] = at, []
                if known is not None:
                    known[1].extend(files[: MAX_NAMED - len(known[1])])
                if looked >= _MAX_PAIRS:
                    break
            if looked >= _MAX_PAIRS:
                break
        for (first, second), (at, named) in sorted(pairs.items()):
            yield Overlap(first=first, second=second, pattern_index=at, files=tuple(named))
