"""The files in which two trees differ: commits, or HEAD and the index, with renames as in git.

Invariant: a path is relative to the root. Files outside the root are left out.
Invariant: a file that was moved across the root's border has no other side.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import os
from collections.abc import Iterable, Iterator
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

_Side = tuple[bytes, str, int]
_Sides = tuple[_Side | None, _Side | None]


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

    Both have different paths if the file was renamed.
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

    `old` is None for the empty tree. Raise UnreadableCommitsError if git cannot read them.
    """
    found = git.ask(None, partial(_between_commits, old=old, new=new))
    if found is None:
        raise UnreadableCommitsError(f"the files of commit {new}")
    return list(_below(git, found))


def index_deltas(git: Git) -> list[FileDelta]:
    """Return the files below the root in which the index differs from HEAD.

    All files of the index are new if HEAD has no commit yet. Inside a hook of `git commit -a` the
    index is the one that git is about to commit. Raise UnreadableCommitsError if git cannot read
    it.
    """
    found = git.ask(None, _in_index)
    if found is None:
        raise UnreadableCommitsError("the index")
    return list(_below(git, found))


def unmerged_paths(git: Git) -> tuple[WorkspacePath, ...]:
    """Return the files below the root that are in conflict in the index.

    The result is empty if git cannot read the index.
    """
    return git.below(git.ask(frozenset(), lambda repository: conflicting(_index(repository))))


def _between_commits(repository: Any, *, old: str | None, new: str) -> list[_Sides]:
    tree = repository[new].tree
    if old is None:
        return _similar(tree.diff_to_tree(swap=True))
    return _similar(repository[old].tree.diff_to_tree(tree))


def _in_index(repository: Any) -> list[_Sides]:
    index = _index(repository)
    if repository.head_is_unborn:
        return [(None, _side(entry, os.fsencode(entry.path))) for entry in index]
    return _similar(repository.head.peel().tree.diff_to_index(index))


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


def _similar(diff: Any) -> list[_Sides]:
    """Return both sides of each file of a diff of libgit2, renames joined."""
    diff.find_similar()
    return [
        (_side(each.old_file, each.old_file.raw_path), _side(each.new_file, each.new_file.raw_path))
        for each in diff.deltas
        if each.status_char() != _UNCHANGED
    ]


def _side(file: Any, path: bytes) -> _Side | None:
    return None if file.mode == _NO_FILE else (path, str(file.id), int(file.mode))


def _below(git: Git, found: Iterable[_Sides]) -> Iterator[FileDelta]:
    """Yield the deltas with paths below the root.

    A file that left the root is deleted there, and one that came in is new.
    """
    for old, new in found:
        delta = FileDelta(old=_inside(git, old), new=_inside(git, new))
        if delta.old is not None or delta.new is not None:
            yield delta


def _inside(git: Git, side: _Side | None) -> FileSide | None:
    if side is None:
        return None
    path, blob_id, mode = side
    below = git.below((path,))
    return FileSide(path=below[0], blob_id=blob_id, mode=mode) if below else None
