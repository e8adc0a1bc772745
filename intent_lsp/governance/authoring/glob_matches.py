"""Matches of single globs in the work tree, and the open intents that own the matched files.

Invariant: matches are cached as long as the files of the work tree stay the same.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.pattern import Pattern, compile_pattern
from intent_lsp.core.scope.scope import ScopeIndex, compile_scope, compile_scopes
from intent_lsp.governance.plan.tree_listing import TreeListing

KEPT_AT_MOST: Final = 1_000
"""The most files of one glob or scope that are kept, and whose other owners are searched."""

REMEMBERED: Final = 8_192
"""The most globs and scopes together whose files are cached."""


class MatchedFiles(Struct, frozen=True):
    """The files of a glob or scope: their number, and the first ones, `KEPT_AT_MOST` or fewer."""

    count: int
    first: tuple[WorkspacePath, ...]


class SharedFiles(Struct, frozen=True):
    """An open intent, and how many of some files its scope covers."""

    intent: Intent
    count: int


class GlobMatches:
    """Matches globs against the work tree of one root. Any thread may ask."""

    def __init__(self, listing: TreeListing) -> None:
        self._listing = listing
        # Both are replaced as a whole and never locked: threads at most make the same twice.
        self._known: tuple[FileTree | None, dict[str | tuple[str, ...], MatchedFiles]] = (None, {})
        self._index: tuple[Intents, ScopeIndex] | None = None

    def pattern(self, glob: str) -> Pattern:
        """Return a glob compiled, so that it compares names as the file system does."""
        return compile_pattern(glob, self._listing.spelling)

    def of(self, glob: str) -> MatchedFiles | None:
        """Return the number of files that a glob matches, and the first of them.

        Return None if git does not list the files. The `!` of an exclusion is ignored.
        """
        return self._found(glob)

    def owned(self, globs: tuple[str, ...]) -> MatchedFiles | None:
        """Return the files that a scope with these globs covers, sorted.

        Each counts once, however many of the globs match it. Return None if git does not list the
        files.
        """
        return self._found(globs)

    def each(self, glob: str) -> Iterator[WorkspacePath]:
        """Yield every file that a glob matches; none if git does not list the files.

        The `!` of an exclusion is ignored.
        """
        tree = self._listing.tree()
        if tree is not None:
            yield from tree.matching(self.pattern(glob))

    def other_owners(
        self, files: Sequence[WorkspacePath], intents: Intents, own: Intent | None
    ) -> tuple[SharedFiles, ...]:
        """Return the open intents that own any of `files`, in the order of `intents`.

        `own` is left out. Each comes with the number of these files that it owns.
        """
        counts = Counter(
            found.intent_id for path in files for found in self._indexed(intents).owners(path)
        )
        return tuple(
            SharedFiles(intent, counts[intent.id])
            for intent in intents
            if counts[intent.id]
            and not intent.status.closed
            and (own is None or intent.id != own.id)
        )

    def _found(self, key: str | tuple[str, ...]) -> MatchedFiles | None:
        """Return the files of a glob or of a scope, or None if git does not list the files.

        They are cached as long as the tree stays the same.
        """
        tree = self._listing.tree()
        if tree is None:
            return None
        of_tree, known = self._known
        if of_tree is not tree:
            known = {}
            self._known = (tree, known)
        found = known.get(key)
        if found is None:
            found = _matched(tree, key) if isinstance(key, str) else _covered(tree, key)
            if len(known) >= REMEMBERED:
                # The newest makes room. Globs are asked for in the order of the file, again and
                # again: if the oldest did, each would be dropped just before it is asked for.
                known.popitem()
            known[key] = found
        return found

    def _indexed(self, intents: Intents) -> ScopeIndex:
        known = self._index
        if known is None or known[0] is not intents:
            spelling = self._listing.spelling
            scopes = compile_scopes([intent.owned_scope for intent in intents], spelling)
            entries = [(intent.id, scope) for intent, scope in zip(intents, scopes, strict=True)]
            known = self._index = (intents, ScopeIndex(entries, spelling))
        return known[1]


def _matched(tree: FileTree, glob: str) -> MatchedFiles:
    found = tree.matching(compile_pattern(glob, tree.reading))
    first = tuple(islice(found, KEPT_AT_MOST))
    return MatchedFiles(len(first) + sum(1 for _ in found), first)


def _covered(tree: FileTree, globs: tuple[str, ...]) -> MatchedFiles:
    patterns = compile_scope(globs, tree.reading).compiled
    taken, left_out = set[WorkspacePath](), set[WorkspacePath]()
    for pattern in patterns:
        (left_out if pattern.exclusion else taken).update(tree.matching(pattern))
    covered = sorted(taken - left_out)
    return MatchedFiles(len(covered), tuple(covered[:KEPT_AT_MOST]))
