"""Files that hold something else than at an earlier look: edits, and what git itself made."""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file whose content is another than before: its hashes (None: no file), and what it holds.

    `data` is None too where the file is too large to hold. `old_known` is False where nobody can
    tell any more what the file held; `old` is then None. `discarded`: git has put what was there
    before, uncommitted, out of the work tree. `hidden_by` is the ignore file whose new line keeps
    the file from git's sight.
    """

    path: WorkspacePath
    old: ContentHash | None
    new: ContentHash | None
    data: bytes | None
    old_known: bool = True
    discarded: bool = False
    hidden_by: WorkspacePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed between two snapshots: edits, and what git made, by path.

    `unseen` are edits that somebody has committed since, and that git has taken away by now: what
    the file held before, and in that commit.
    """

    edits: tuple[ChangedFile, ...]
    gits: frozenset[WorkspacePath]
    discarded: tuple[ChangedFile, ...] = ()
    unseen: tuple[ChangedFile, ...] = ()
