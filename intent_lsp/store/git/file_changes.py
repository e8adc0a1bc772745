"""The files in which two trees differ: commits, or HEAD and the index, with renames as in git.

Invariant: a path is relative to the root. Files outside the root are left out.
Invariant: a file that was moved into the root counts as new, one that was moved out as deleted.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.commits import UnreadableCommitsError
from intent_lsp.store.git.objects import conflicting
from intent_lsp.store.git.objects import index as current_index
from intent_lsp.store.git.repository import Git

_NO_FILE: Final = 0
_SUBMODULE: Final = 0o160000
_INDEX_FILE: Final = "GIT_INDEX_FILE"
_UNCHANGED: Final = " "
"""The status of files that a diff lists beside those that differ."""


class FileSide(Struct, frozen=True, kw_only=True):
    """A file of one tree: its blob and its git mode. A submodule's `blob_id` is a commit's id."""

    path: WorkspacePath
    blob_id: str
    mode: int

    @property
    def submodule(self) -> bool:
        """Whether this is another repository's commit, and no file."""
        return self.mode == _SUBMODULE


class FileDelta(Struct, frozen=True, kw_only=True):
    """A file that differs between two trees. `old` is None for a new file, `new` for a deleted one.

    If the file was renamed, `old` and `new` have different paths.
    """

    old: FileSide | None
    new: FileSide | None

    @property
    def path(self) -> WorkspacePath:
        """The path of the file after the change, or before it if it was deleted."""
        side = self.new or self.old
        return WorkspacePath("") if side is None else side.path


def commit_deltas(git: Git, old: str | None, new: str) -> list[FileDelta]:
    """Return the files below the root in which two commits, given by id, differ.

    `old` is the earlier one, or None for the empty tree. Raise UnreadableCommitsError if git cannot
    read them.
    """
    asked = partial(_between_commits, git, old=old, new=new)
    return _below(git.ask(None, asked), f"the files of commit {new}")


def index_deltas(git: Git) -> list[FileDelta]:
    """Return the files below the root in which the index differs from HEAD.

    All files of the index are new if HEAD has no commit yet. Inside a hook of `git commit -a` the
    index is the one that git is about to commit. Raise UnreadableCommitsError if git cannot read
    it.
    """
    return _below(git.ask(None, partial(_in_index, git)), "the index")


def unmerged_paths(git: Git) -> tuple[WorkspacePath, ...]:
    """Return the files below the root that are in conflict in the index.

    The result is empty if git cannot read the index.
    """
    return git.below(git.ask(frozenset(), lambda repository: conflicting(_index(repository))))


def _between_commits(git: Git, repository: Any, *, old: str | None, new: str) -> list[FileDelta]:
    tree = repository[new].tree
    if old is None:
        return _similar(git, tree.diff_to_tree(swap=True))
    return _similar(git, repository[old].tree.diff_to_tree(tree))


def _in_index(git: Git, repository: Any) -> list[FileDelta]:
    index = _index(repository)
    if repository.head_is_unborn:
        sides = (_side(git, entry, os.fsencode(entry.path)) for entry in index)
        return [FileDelta(old=None, new=side) for side in sides]
    return _similar(git, repository.head.peel().tree.diff_to_index(index))


def _index(repository: Any) -> Any:
    """Return the index; inside a hook, the one that git has made for this commit."""
    import pygit2  # noqa: PLC0415 - slow to import, and not always needed

    named = os.environ.get(_INDEX_FILE)
    if named:
        place = Path(repository.workdir, named)
        # The variable may also come from a hook of another repository.
        if place.parent == Path(repository.path) and place.is_file():
            return pygit2.Index(os.fspath(place))
    return current_index(repository)


def _similar(git: Git, diff: Any) -> list[FileDelta]:
    """Return the files of a diff of libgit2. The two sides of a renamed file are one delta."""
    diff.find_similar()
    return [
        FileDelta(
            old=_side(git, each.old_file, each.old_file.raw_path),
            new=_side(git, each.new_file, each.new_file.raw_path),
        )
        for each in diff.deltas
        if each.status_char() != _UNCHANGED
    ]


def _side(git: Git, file: Any, path: bytes) -> FileSide | None:
    """Return one side of a delta of libgit2, or None if the side is absent or outside the root."""
    below = git.below((path,)) if file.mode != _NO_FILE else ()
    return FileSide(path=below[0], blob_id=str(file.id), mode=int(file.mode)) if below else None


def _below(found: Iterable[FileDelta] | None, asked: str) -> list[FileDelta]:
    """Return the deltas that have a side below the root.

    If `found` is None, raise UnreadableCommitsError, which says that git cannot read `asked`.
    """
    if found is None:
        raise UnreadableCommitsError(asked)
    return [delta for delta in found if delta.old is not None or delta.new is not None]
