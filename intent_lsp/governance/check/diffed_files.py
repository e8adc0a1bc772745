"""The files that a change touches, each with its content before and after, and its hunks.

Invariant: contents of commits and of the index are those that git would check out, as records have
hashed them.
Invariant: of a merge only what differs from every parent is its own change.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.content import ABSENT, FileContent, content_of
from intent_lsp.core.gate.violations import marked_runs, new_to_all
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.rename_detection import renamed
from intent_lsp.formats.diff import MAX_DIFFED_BYTES, line_hunks
from intent_lsp.store.fs.tree_reader import read_tracked
from intent_lsp.store.git.commits import UnreadableCommitsError
from intent_lsp.store.git.file_changes import FileDelta, FileSide, commit_deltas, index_deltas
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.status import tree_status

UNKNOWN: Final = content_of(b"\0")
"""Stands for a file of HEAD of which git cannot give the bytes, such as a submodule."""


class DiffedFile(Struct, frozen=True, kw_only=True):
    """A file that a change touches. `previous` is its path before, if it was renamed.

    `old_id` and `new_id` are the ids of its blobs before and after. Each is None if there is no
    file, or if the id is not known. `hunks` is empty if the content is the same. It is None if the
    contents cannot be compared line by line, or differ although no line does.
    """

    path: WorkspacePath
    before: FileContent
    after: FileContent
    previous: WorkspacePath | None = None
    old_id: str | None = None
    new_id: str | None = None
    hunks: tuple[Hunk, ...] | None = None

    @property
    def same_content(self) -> bool:
        """Whether only the name or the mode differs."""
        return self.before.hash == self.after.hash


def commit_files(git: Git, commit: CommitFacts) -> Iterator[DiffedFile]:
    """Yield the files that a commit itself changed. Raise UnreadableCommitsError.

    Of a merge, these are files that differ from every parent, with the hunks that are new to all.
    """
    first, *others = commit.parents or (None,)
    sides = [{d.path: d for d in commit_deltas(git, each, commit.id)} for each in others]
    for delta in commit_deltas(git, first, commit.id):
        if not others:
            yield _diffed(git, delta)
        elif all(delta.path in side for side in sides):
            found = _own_part(git, delta, [side[delta.path] for side in sides])
            if found is not None:
                yield found


def index_files(git: Git) -> Iterator[DiffedFile]:
    """Yield the files that differ between HEAD and the index. Raise UnreadableCommitsError."""
    return (_diffed(git, delta) for delta in index_deltas(git))


def work_tree_files(git: Git) -> Iterator[DiffedFile]:
    """Yield the files that differ between HEAD and the work tree; ignored ones are left out.

    Raise UnreadableCommitsError, or OSError for a file that cannot be read.
    """
    status = tree_status(git.root)
    if status is None:
        raise UnreadableCommitsError("the status of the work tree")
    versions = {} if status.head is None else git.versions_at(status.head, status.paths) or {}
    before = {path: git.version_bytes(version) for path, version in versions.items()}
    after = {path: read_tracked(git.root, path) for path in status.paths}
    gone = {p: data for p, data in before.items() if data is not None and after[p].absent}
    came = {p: c.data for p, c in after.items() if p not in versions and c.data is not None}
    moves = renamed(gone, came)
    for path in status.paths:
        if path not in moves.values():
            old = moves.get(path, path)
            then = _content(before[old]) if old in before else ABSENT
            yield DiffedFile(
                path=path,
                previous=None if old == path else old,
                before=then,
                after=after[path],
                hunks=hunks_between(then, after[path]),
            )


def hunks_between(before: FileContent, after: FileContent) -> tuple[Hunk, ...] | None:
    """Return the hunks between two contents, or None if they cannot be compared line by line.

    Return () if they are the same. Return None, too, if they differ but no line does, for example
    if only the encoding changed.
    """
    if before.hash == after.hash:
        return ()
    old, new = comparable_lines(before), comparable_lines(after)
    if old is None or new is None:
        return None
    # Equal lines in another encoding are no change of a line, but one of the file.
    return line_hunks(old, new) or None


def comparable_lines(content: FileContent) -> Sequence[str] | None:
    """Return a content's lines, [] for no file; None if it is no text or too large to compare."""
    if content.absent:
        return []
    return content.lines if len(content.data or b"") <= MAX_DIFFED_BYTES else None


def _diffed(git: Git, delta: FileDelta) -> DiffedFile:
    old, new = delta.old, delta.new
    before, after = _side(git, old), _side(git, new)
    return DiffedFile(
        path=delta.path,
        previous=old.path if old is not None and new and old.path != new.path else None,
        before=before,
        after=after,
        old_id=None if old is None else old.blob_id,
        new_id=None if new is None else new.blob_id,
        hunks=hunks_between(before, after),
    )


def _own_part(git: Git, delta: FileDelta, others: Sequence[FileDelta]) -> DiffedFile | None:
    """Return what a merge changed in a file against every parent, or None if that is nothing.

    `delta` compares the file with the first parent, `others` with each other parent. If lines
    cannot be compared, return the file as compared with the first parent.
    """
    file = _diffed(git, delta)
    sides = [hunks_between(_side(git, each.old), file.after) for each in others]
    if file.hunks is None or None in sides:
        return file
    known = [side for side in sides if side is not None]
    runs = (run.hunk for run in marked_runs(file.hunks, known))
    own = tuple(part for hunk in runs if hunk is not None for part in _new_to_all(hunk, known))
    return replace(file, hunks=own) if own else None


def _new_to_all(hunk: Hunk, sides: Sequence[Sequence[Hunk]]) -> Iterator[Hunk]:
    """Yield the parts of a hunk whose lines are new against every other parent, too.

    `sides` are the hunks against each of these parents. A hunk without new lines is yielded whole.
    """
    own = new_to_all(hunk, sides)
    if sum(end - start for start, end in own) == hunk.new_count:
        yield hunk
        return
    for start, end in own:
        yield Hunk(old_start=hunk.old_start, old_count=0, new_start=start, new_count=end - start)


def _side(git: Git, side: FileSide | None) -> FileContent:
    if side is None:
        return ABSENT
    if side.submodule:
        return content_of(side.blob_id.encode() + b"\0")
    data = git.version_bytes(git.version_of(side.path, side.blob_id))
    if data is None:
        raise UnreadableCommitsError(f"{side.path} ({side.blob_id})")
    return _content(data)


def _content(data: bytes | None) -> FileContent:
    return UNKNOWN if data is None else content_of(data)
