"""Surveys for findings: what patterns cover by themselves, and what the files of a tree show.

Invariant: that one pattern covers another, or reaches the control plane, is reported only if it
follows from the patterns alone, whatever files exist (requirements section 3). Where nothing can be
proved, nothing is reported.
Invariant: the work of a survey grows with the number of files, and with the number of different
sets of patterns that match a file. It does not grow with the number of pairs of intents for each
file.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from msgspec import Struct, field

from intent_lsp.core.control_plane import (
    CONTROL_FAMILIES,
    CONTROL_FILES,
    CONTROL_ROOMS,
    control_plane,
)
from intent_lsp.core.intents import Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.pattern import NameComparison, Pattern
from intent_lsp.core.scope.scope import Hits, Scope, ScopeIndex
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

    Control directories deeper in the tree are not considered, nor names with upper-case letters.
    Some control files are known only by the beginning and end of their name. For these, sample
    names are tested, so False is not certain.
    """
    return not pattern.exclusion and (
        any(pattern.steps.reaches(room.split("/")) for room in CONTROL_ROOMS)
        or any(pattern.matches_names(file.split("/")) for file in CONTROL_FILES)
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
        """Whether this pattern covers each alternative of `other`, and so covers `other`.

        It covers an alternative that it has too, and one that lies in a directory of `whole`.
        """
        # `a/**` covers `a/b`, `a/**` and `a/*/c`, but not `a` itself, since `**` at the end needs
        # at least one segment. Equal leading segments match equal names, so they need no test.
        return all(
            row in self.rows or any(row[:size] in self.whole for size in range(len(row)))
            for row in other.rows
        )


MAX_NAMED = 10
"""The most files that are named in one overlap."""
MAX_OVERLAPS = 1_000
"""The most overlapping pairs that are reported. One careless `**` can make half a million."""
_MAX_PAIRS = 200_000


class Overlap(Struct, frozen=True, kw_only=True):
    """Two open intents, by their index in the file, and files that both of them own.

    At most MAX_NAMED files are named; `count` is how many were found. `pattern_index` is the index
    of the pattern of the first intent that matches the first of these files.
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
    """Files matched by exactly the same patterns: the first MAX_NAMED of them, and their number."""

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

        All files that exactly the same patterns match are counted together, but only the first
        MAX_NAMED paths are kept. Files of the control plane are neither counted nor kept, since no
        pattern grants anything there.
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
        """Yield an Overlap for each pair of open intents that own the same file, in file order.

        At most the first MAX_OVERLAPS pairs that are found are yielded. The search ends after
        _MAX_PAIRS steps; a step is one pair for one set of files that the same patterns match.
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
        """Yield pairs of open intents, each with files that both intents own.

        The first intent is given as (intent index, pattern index), the second by its index. The
        same patterns match all files of one result, so a pair may come again with other files.
        Control files are left out.
        """
        for hits, files in self._alike.items():
            owning = self._index.owning(hits) if files.count else ()
            opened = sorted(owned for owned in owning if owned[0] in self._open)
            for first, (second, _) in combinations(opened, 2):
                yield first, second, files


def _reaches_family(pattern: Pattern, room: str, head: str, tail: str) -> bool:
    """Whether the pattern matches a name of the form `head…tail` in the directory `room`.

    Only sample names are tested.
    """
    names = room.split("/")
    if not pattern.steps.reaches(names):
        # Most patterns lie elsewhere, and one may have a thousand alternatives to make samples of.
        return False
    tested = {name for row in pattern.rows for name in _samples(row[-1], head, tail)}
    return any(pattern.matches_names([*names, name]) for name in tested)


def _samples(segment: Segment | None, head: str, tail: str) -> Iterator[str]:
    """Yield sample names of the form `head…tail` that the segment may match."""
    yield head + tail
    yield f"{head}.local{tail}"
    first, last = (segment.prefix, segment.suffix) if segment is not None else ("", "")
    for name in (first, first + last, first + tail, head + last):
        if name.startswith(head) and name.endswith(tail):
            yield name
