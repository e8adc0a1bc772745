"""Survey of a tree's files: which patterns match a file, and which intents overlap.

Invariant: the work grows with the number of files and of different sets of matching patterns. It
does not grow with the number of pairs of intents for each file.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from msgspec import Struct, field

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.pattern import NameComparison
from intent_lsp.core.scope.scope import Hits, Scope, ScopeIndex

MAX_NAMED = 10
"""The most files that are named in one overlap."""
MAX_OVERLAPS = 1_000
"""The most overlapping pairs that are reported. One careless `**` can make half a million."""
_MAX_PAIRS = 200_000


class Overlap(Struct, frozen=True, kw_only=True):
    """Two open intents, by their index in the file, and files that both of them own.

    At most MAX_NAMED files are named; `count` is how many were found. `pattern_index` is the index,
    in the intent `first`, of its pattern that matches the first of these files.
    """

    first: int
    second: int
    pattern_index: int
    files: tuple[WorkspacePath, ...]
    count: int

    def words(self, *, whole: bool) -> str:
        """Return the files as they stand in a sentence: their names, and how many more there are.

        `whole` says whether all files of the tree were surveyed.
        """
        names = ", ".join(f"`{path}`" for path in self.files)
        beyond = self.count - len(self.files)
        return names + (f" and {'' if whole else 'at least '}{beyond:,} more" if beyond else "")


class _Alike(Struct):
    """Files that exactly the same patterns match: the first MAX_NAMED of them, and their number."""

    named: list[WorkspacePath] = field(default_factory=list)
    count: int = 0


class ScopeSurvey:
    """Collects, from the files of a tree, which patterns match a file and which intents overlap.

    `scopes` are those of `intents`, in the same order. `reading` is how names are compared.
    """

    def __init__(self, intents: Intents, scopes: Sequence[Scope], reading: NameComparison) -> None:
        entries = [(intent.id, scope) for intent, scope in zip(intents, scopes, strict=True)]
        self._index = ScopeIndex(entries, reading)
        self._open = frozenset(
            place for place, intent in enumerate(intents) if not intent.status.closed
        )
        self._alike: defaultdict[Hits, _Alike] = defaultdict(_Alike)

    def matched(self) -> frozenset[tuple[int, int]]:
        """Return (intent index, pattern index) of each pattern that matches at least one file.

        Exclusions are not among them.
        """
        numbers = frozenset[int]().union(*(hits.given for hits in self._alike))
        return frozenset(map(self._index.place, numbers))

    def walk(self, files: Iterable[WorkspacePath]) -> None:
        """Record which patterns match each of `files`.

        Of the files that exactly the same patterns match, only the first MAX_NAMED are kept. Those
        of the control plane are not kept, since no pattern grants anything there.
        """
        for path in files:
            hits = self._index.hits(path)
            if hits.given:
                alike = self._alike[hits]
                if not control_plane(path):
                    alike.count += 1
                    if alike.count <= MAX_NAMED:
                        alike.named.append(path)

    def overlaps(self) -> Iterator[Overlap]:
        """Yield an Overlap for each pair of open intents that own the same file, sorted by index.

        At most the first MAX_OVERLAPS pairs that are found are yielded, and the search ends after
        _MAX_PAIRS combinations of a pair and a set of matching patterns.
        """
        pairs: dict[tuple[int, int], tuple[int, _Alike]] = {}
        for (first, at), second, files in islice(self._shared(), _MAX_PAIRS):
            known = pairs.get((first, second))
            if known is None and len(pairs) < MAX_OVERLAPS:
                known = pairs[first, second] = at, _Alike()
            if known is not None:
                shared = known[1]
                shared.named += files.named[: MAX_NAMED - len(shared.named)]
                shared.count += files.count
        for (first, second), (at, shared) in sorted(pairs.items(), key=lambda each: each[0]):
            yield Overlap(
                first=first,
                second=second,
                pattern_index=at,
                files=tuple(shared.named),
                count=shared.count,
            )

    def _shared(self) -> Iterator[tuple[tuple[int, int], int, _Alike]]:
        """Yield two open intents and files that both own, for each set of files that match alike.

        The first intent comes with the index of its pattern. Control files are left out.
        """
        for hits, files in self._alike.items():
            owning = self._index.owning(hits) if files.count else ()
            opened = sorted(owned for owned in owning if owned[0] in self._open)
            for first, (second, _) in combinations(opened, 2):
                yield first, second, files
