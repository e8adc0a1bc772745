"""Files of a tree by directory, so that a pattern is matched against all of them at once.

Invariant: a pattern matches the same files in a tree as if each file were tested on its own.
Invariant: the directories that a pattern cannot reach are not visited.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct, field

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.pattern import EXACT, NameComparison, Pattern
from intent_lsp.core.scope.rows import PatternRows
from intent_lsp.core.scope.segment import Segment

_SEARCHES_A_NAME = 4
"""Searches for names that begin alike cost less than to test all names, up to so many for each."""


class TreeDirectory(Struct):
    """One directory of a `FileTree`.

    `files` are its own files. `names` are their last segments, in the form in which patterns
    compare names, and sorted. `below` maps the last segment of each subdirectory, in the same form,
    to that subdirectory.
    """

    files: list[WorkspacePath] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    below: dict[str, "TreeDirectory"] = field(default_factory=dict)


class FileTree:
    """The files of a tree, given as paths relative to its root, and grouped by directory.

    `reading` is how names are compared. Patterns that are matched must be compiled with it.
    """

    def __init__(self, paths: Iterable[WorkspacePath], reading: NameComparison = EXACT) -> None:
        self.reading = reading
        self.top = TreeDirectory()
        """The root of the tree."""
        known = {"": self.top}
        compared = None if reading == EXACT else reading.path
        for path in sorted(paths, key=compared):
            head, _, name = (path if compared is None else compared(path)).rpartition("/")
            directory = known.get(head) or _directory(known, head)
            directory.files.append(path)
            directory.names.append(name)

    def matching(self, pattern: Pattern) -> Iterator[WorkspacePath]:
        """Yield the files that the glob of a pattern matches. The `!` of an exclusion is ignored.

        The files of a directory come sorted and before those in its directories.
        """
        yield from _matching(pattern.steps, self.top)

    def has_directory(self, path: str) -> bool:
        """Return whether there are files in or below the directory `path`; True for "", the root.

        `path` is relative to the root.
        """
        found: TreeDirectory | None = self.top
        for name in self.reading.path(path).split("/") if path else ():
            found = None if found is None else found.below.get(name)
        return found is not None


def _directory(known: dict[str, TreeDirectory], path: str) -> TreeDirectory:
    """Return the directory at `path`, after adding it and its parents to `known` and the tree."""
    missing: list[str] = []
    while path not in known:
        missing.append(path)
        path = path.rpartition("/")[0]
    found = known[path]
    for each in reversed(missing):
        fresh = known[each] = TreeDirectory()
        found.below[each.rpartition("/")[2]] = fresh
        found = fresh
    return found


def _matching(rows: PatternRows, top: TreeDirectory) -> Iterator[WorkspacePath]:
    # Many files have equal names, and each name is tested once.
    passed_by = cache(rows.passed_by)
    tests = [(each, mask) for each, mask in rows.lines.masks.items() if not each.anything]
    # Most directories are reached in a few states, which want the same tests.
    wanted_tests = cache(lambda wanted: [each for each, mask in tests if mask & wanted])
    waiting = [(top, rows.lines.start)]
    while waiting:
        directory, state = waiting.pop()
        wanted = rows.ending(state)
        if wanted & rows.anything:
            yield from directory.files
        elif wanted:
            for at in _candidates(directory.names, wanted_tests(wanted)):
                if wanted & passed_by(directory.names[at]):
                    yield directory.files[at]
        below = [
            (found, rows.lines.step(state, passed_by(name)))
            for name, found in directory.below.items()
        ]
        waiting += [(found, reached) for found, reached in reversed(below) if reached]


def _candidates(names: Sequence[str], tests: Sequence[Segment]) -> Sequence[int]:
    """Return the ascending indices of all names that one of `tests` may match.

    They are the names that begin and end as a test does, or all names if there are many tests.
    `names` are sorted, so that their beginnings are found by a binary search.
    """
    if len(tests) > _SEARCHES_A_NAME * len(names):
        # Braces make a thousand alternatives; the work must not grow by that in every directory.
        return range(len(names))
    found = set[int]()
    for each in tests:
        beginning = _beginning(names, each.prefix)
        found.update(at for at in beginning if names[at].endswith(each.suffix))
    return sorted(found)


def _beginning(names: Sequence[str], prefix: str) -> range:
    """Return the indices of the names, which are sorted, that begin with `prefix`."""
    size = len(prefix)
    first = bisect_left(names, prefix)
    return range(first, bisect_right(names, prefix, first, key=lambda name: name[:size]))
