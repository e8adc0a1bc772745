"""A file operation that a person makes in an editor: create, rename or delete.

Specified in requirements section 7.

Invariant: a rename within the root has an old path, which disappears, and a new path.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass

UriEnds = tuple[str | None, str | None]
"""The old and the new URI of a file operation.

The old one is None for a creation, the new one for a deletion.
"""


class FileOperation(StrEnum):
    """The kind of a file operation. Its value is the tool name in the record (ledger section 1)."""

    CREATE = "editor/create"
    RENAME = "editor/rename"
    DELETE = "editor/delete"


class OperationEnds(Struct, frozen=True):
    """The old and the new path of a file operation on one file, relative to the governed root.

    A creation has no `old`, a deletion no `new`. A path outside of the root is None too.
    """

    old: WorkspacePath | None
    new: WorkspacePath | None

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """The paths that are not None, the old one first."""
        return tuple(end for end in (self.old, self.new) if end is not None)


class FileHashes(Struct, frozen=True):
    """One file of a file operation: its paths, and its hashes before (`pre`) and after (`post`).

    A hash is None if the file did not exist at that time.
    """

    ends: OperationEnds
    pre: ContentHash | None
    post: ContentHash | None

    @property
    def moved(self) -> bool:
        """Whether the file has an old and a new path: it is renamed within the root."""
        return self.ends.old is not None and self.ends.new is not None


def mutation_class(files: Sequence[FileHashes]) -> MutationClass:
    """Return the mutation class of a file operation, from all its files (requirements section 9).

    If any files are `moved`, only these count: the class is AST_REFACTOR if the content of none of
    them changes, else INTENT_EVOLUTION. If no file is `moved`, it is FILE_DELETION if no file is
    left, FILE_CREATION if none was there before, else INTENT_EVOLUTION.
    """
    moved = [file for file in files if file.moved]
    if moved:
        pure = all(file.pre == file.post for file in moved)
        return MutationClass.AST_REFACTOR if pure else MutationClass.INTENT_EVOLUTION
    if all(file.post is None for file in files):
        return MutationClass.FILE_DELETION
    if all(file.pre is None for file in files):
        return MutationClass.FILE_CREATION
    return MutationClass.INTENT_EVOLUTION
