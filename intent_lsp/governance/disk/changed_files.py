"""Changed files of a work tree: what a comparison of two snapshots found, and what was recorded."""

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record


class ChangedFile(Struct, frozen=True, kw_only=True):
    """A file with another content than before: its hashes (None: no file) and its new content.

    `data` is also None if the file is too large to keep, or is a protected file or a repository.
    `old_known` is false if the earlier content cannot be determined; `old` is then None.
    `discarded`: git removed an uncommitted content from the work tree. `hidden_by` is the ignore
    file whose new line hides the file from git, or None.
    """

    path: WorkspacePath
    old: ContentHash | None
    new: ContentHash | None
    data: bytes | None
    old_known: bool = True
    discarded: bool = False
    hidden_by: WorkspacePath | None = None


class Comparison(Struct, frozen=True, kw_only=True):
    """What changed between two snapshots: `edits`, and the paths that git itself changed (`gits`).

    `discarded` are uncommitted contents that git removed. `unseen`, if asked for, are edits that
    were committed between the snapshots and replaced since; each is the content before the edit and
    the committed one.
    """

    edits: tuple[ChangedFile, ...]
    gits: frozenset[WorkspacePath]
    discarded: tuple[ChangedFile, ...] = ()
    unseen: tuple[ChangedFile, ...] = ()


class RecordedChange(Struct, frozen=True, kw_only=True):
    """One record of changes on disk: the paths that changed, and the record.

    `record` is None if the record is queued and not yet in the ledger; `queued` then says why.
    `unannounced`: no call that was announced may have made the changes, and their verdict is not
    EXEMPT.
    """

    paths: tuple[WorkspacePath, ...]
    record: Record | None = None
    queued: str | None = None
    unannounced: bool = False
