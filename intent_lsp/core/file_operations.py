"""A file operation that a person has an editor make: create, rename, delete.

Specified in requirements section 7.

Invariant: whoever renames has two ends: what is taken away, and what comes in its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass


class FileOperation(StrEnum):
    """What is done; its value is what a record calls its tool (ledger section 1)."""

    CREATE = "editor/create"
    RENAME = "editor/rename"
    DELETE = "editor/delete"


@dataclass(frozen=True, slots=True)
class OperationEnds:
    """The two ends of an operation on one name; None: nothing, or nothing of this root.

    Of a creation `old` is None, of a deletion `new`.
    """

    old: WorkspacePath | None
    new: WorkspacePath | None

    @property
    def paths(self) -> tuple[WorkspacePath, ...]:
        """The ends that there are, the old one first."""
        return tuple(end for end in (self.old, self.new) if end is not None)


@dataclass(frozen=True, slots=True)
class FileHashes:
    """What became of one file: its ends, and its hashes before and after (None: no file)."""

    ends: OperationEnds
    pre: ContentHash | None
    post: ContentHash | None

    @property
    def moved(self) -> bool:
        """Whether the file has another name now."""
        return self.ends.old is not None and self.ends.new is not None


def mutation_class(files: Sequence[FileHashes]) -> MutationClass:
    """Infer the class of an operation from all of its files (requirements section 9).

    A rename that leaves every content as it is moves code and changes none.
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
