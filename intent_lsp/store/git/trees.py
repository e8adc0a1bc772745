"""Git's trees: files of commits, results of merges, and whether a commit is reachable from others.

Invariant: a failed read gives None or nothing, never an exception.
Invariant: nothing is left behind but blobs that libgit2 stores in the repository when it merges.
"""

# pygit2 is imported only when a repository is opened, so its types cannot be named here.
# ruff: noqa: ANN401

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.write import temporary_files
from intent_lsp.store.git.gitdir import Move, small_file
from intent_lsp.store.git.objects import blob_data, conflicting
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.reachable import commits_of, reachable
from intent_lsp.store.git.repository import Git

_PARENTS_OF_MERGE: Final = 2
_SHA1_DIGITS: Final = 40


class GitTrees:
    """Queries about the commits of one repository. The results of merges are cached."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._merged: dict[tuple[str, ...], Any] = {}

    def blob(self, commit: str, path: WorkspacePath) -> str | None:
        """Return the id of a file's blob in a commit, or None if the commit lacks the file.

        For a symbolic link, this is the link's own blob. Return None also if the commit cannot be
        read.
        """
        full = self._git.full_path(path)
        return self._git.ask(None, lambda repository: _id(_tree(repository, commit), full))

    def changed(self, old: str | None, new: str | None) -> frozenset[WorkspacePath] | None:
        """Return the root's files in which two commits differ, or None if a commit cannot be read.

        A commit that is None stands for the empty tree.
        """
        if old == new:
            return frozenset()
        found = self._git.ask(None, lambda repository: _differing(repository, old, new))
        return None if found is None else frozenset(self._git.below(found))

    def authored(self, moves: Iterable[Move]) -> frozenset[WorkspacePath]:
        """Return the files changed by those of `moves` whose `authored` is True.

        For each of these moves, they are the files that `authored_in` returns for its commit `new`.
        """
        changed = (self.authored_in(move.new) for move in moves if move.authored)
        return frozenset[WorkspacePath]().union(*changed)

    def authored_in(self, commit: str) -> frozenset[WorkspacePath]:
        """Return the root's files that a commit itself changed.

        A merge of two parents is compared with the result of merging the parents again, and files
        in conflict there count as changed. Any other commit is compared with its first parent, or
        with the empty tree if it has no parent. The result is empty if the commit cannot be read.
        """
        paths = self._git.ask(frozenset[bytes](), partial(_of_commit, commit=commit))
        return frozenset(self._git.below(paths))

    def leads_to(self, tips: Collection[str], commit: str) -> bool:
        """Return whether a commit is one of `tips` or reachable from one of them.

        Return False if it is none of `tips` and cannot be read. A tip that is no commit is ignored.
        """
        if commit in tips:
            return True
        return self._git.ask(False, partial(_leads_to, tips=tips, commit=commit))  # noqa: FBT003 - the default answer

    def merging_gives(
        self, path: WorkspacePath, blob: str | None, merges: Iterable[tuple[str, str, str]]
    ) -> bool:
        """Return whether one of `merges` gives a path the blob `blob`.

        If `blob` is None, return whether one of them leaves no file there or a conflict. Each merge
        is three revisions: base, ours and theirs. If the base is empty, it is the merge base of the
        other two. A merge that cannot be made is ignored.
        """
        full = self._git.full_path(path)
        for merge in merges:
            if merge not in self._merged:
                self._merged[merge] = self._git.ask(None, partial(_merge, revisions=merge))
            index = self._merged[merge]
            if index is not None and (_in_index(index, full) == blob):
                return True
        return False

    def merged_blob(self, base: str, ours: str, theirs: bytes) -> str | None:
        """Return the blob id of the result of a three-way merge, or None on a conflict or an error.

        `base` and `ours` are blob ids; `theirs` is the content itself. The result is not stored in
        the repository.
        """
        blobs = (self._git.ask(None, partial(blob_data, blob_id=each)) for each in (base, ours))
        old, new = blobs
        merged = None if old is None or new is None else merge_file(old, new, theirs)
        return None if merged is None else _blob_id(merged)

    def object_ids(self, paths: Collection[WorkspacePath]) -> Mapping[WorkspacePath, str] | None:
        """Return the id of the blob that git would store for each file on disk, by path.

        Files are converted as git would when it adds them. Paths that are neither files nor links
        are left out. Return None if git fails.
        """
        root = self._git.root
        links = {path: _link_id(root / path) for path in paths if (root / path).is_symlink()}
        files = [path for path in paths if path not in links and (root / path).is_file()]
        found = {path: id_ for path, id_ in links.items() if id_ is not None}
        if not files:
            return found
        # `--stdin-paths` takes paths relative to the top level, whatever the working directory is.
        names = [_quoted(self._git.full_path(path)) for path in files]
        given = b"\n".join(names) + b"\n"
        printed = run_git(root, "hash-object", "--stdin-paths", given=given)
        if printed is None:
            return None
        ids = printed.decode("ascii", "replace").split()
        return {**found, **dict(zip(files, ids, strict=False))} if len(ids) == len(files) else None


def standing_merges(git_dir: Path, head: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield (base, ours, theirs) of each unfinished merge, squash, cherry-pick, rebase or revert.

    They are revisions; an empty base means the merge base of the other two. If several commits are
    being merged into HEAD at once, only the first of them counts. `head` is HEAD's commit, or None
    if there is none yet; then nothing is yielded.
    """
    for name, merge in _STANDING.items():
        commit = None if head is None else _commit_in(git_dir / name)
        if commit is not None:
            base, theirs = merge(commit)
            yield base, head or "", theirs


def merge_of_stash(stash: str) -> tuple[str, str, str]:
    """Return (base, ours, theirs), the revisions that git merges to apply a stash to HEAD."""
    return (f"{stash}^1", "HEAD", stash)


_STANDING: Final[Mapping[str, Callable[[str], tuple[str, str]]]] = {
    "MERGE_HEAD": lambda commit: ("", commit),
    "SQUASH_MSG": lambda commit: ("", commit),
    "CHERRY_PICK_HEAD": lambda commit: (f"{commit}^1", commit),
    "REBASE_HEAD": lambda commit: (f"{commit}^1", commit),
    "REVERT_HEAD": lambda commit: (commit, f"{commit}^1"),
}
"""The files in `.git` that show an unfinished operation, each with its merge's base and theirs."""


def _commit_in(place: Path) -> str | None:
    """Return the first commit id in the first 64 KiB of a file, or None if there is none.

    Any word of 40 or more hexadecimal digits counts as a commit id.
    """
    text = small_file(place)[:65536].decode("ascii", "replace")
    words = (
        word for line in text.split("\n") for word in line.split() if len(word) >= _SHA1_DIGITS
    )
    return next((word for word in words if word.strip("0123456789abcdef") == ""), None)


def _tree(repository: Any, revision: str) -> Any:
    return repository.revparse_single(f"{revision}^{{tree}}")


def _id(tree: Any, path: str) -> str | None:
    try:
        found = tree[path]
    except KeyError:
        return None
    return str(found.id) if found.type_str == "blob" else None


def _differing(repository: Any, old: str | None, new: str | None) -> frozenset[bytes]:
    """Return the paths in which two commits differ, as bytes relative to the git top level.

    A commit that is None stands for the empty tree.
    """
    if new is None or old is None:
        known = new if old is None else old
        diff = _tree(repository, known or "").diff_to_tree()
    else:
        diff = _tree(repository, new).diff_to_tree(_tree(repository, old))
    return frozenset(_paths(diff))


def _paths(diff: Any) -> Iterator[bytes]:
    for delta in diff.deltas:
        yield delta.old_file.raw_path
        yield delta.new_file.raw_path


def _of_commit(repository: Any, commit: str) -> frozenset[bytes]:
    """Return the paths that a commit itself changed, as bytes relative to the git top level.

    A merge of two parents is compared with merging them again, and paths in conflict there are
    included. Any other commit is compared with its first parent, or with the empty tree if it has
    no parent.
    """
    found = repository[commit]
    parents = found.parents
    if not parents:
        return frozenset(_paths(found.tree.diff_to_tree()))
    if len(parents) == _PARENTS_OF_MERGE:
        index = repository.merge_commits(parents[0].id, parents[1].id)
        return conflicting(index).union(_paths(found.tree.diff_to_index(index)))
    return frozenset(_paths(found.tree.diff_to_tree(parents[0].tree)))


def _leads_to(repository: Any, *, tips: Collection[str], commit: str) -> bool:
    """Return whether `commit` is one of `tips` or reachable from one of them.

    A tip that is no commit or does not exist is ignored.
    """
    wanted = repository[commit].id
    rest = reachable(repository, [commit], commits_of(repository, tips))
    return all(each.id != wanted for each in rest)


def _merge(repository: Any, *, revisions: tuple[str, str, str]) -> Any:
    """Return the libgit2 index that results from merging the `revisions` base, ours and theirs.

    Conflicts are in that index. If the base is empty, it is the merge base of the other two.
    """
    base, ours, theirs = revisions
    if not base:
        one, other = (repository.revparse_single(each).id for each in (ours, theirs))
        return repository.merge_commits(one, other)
    return repository.merge_trees(*(_tree(repository, each) for each in (base, ours, theirs)))


def _in_index(index: Any, path: str) -> str | None:
    try:
        return str(index[path].id)
    except KeyError:
        return None


def _link_id(place: Path) -> str | None:
    try:
        return _blob_id(os.fsencode(place.readlink()))
    except OSError:
        return None


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).hexdigest()


def _quoted(path: str) -> bytes:
    """Return a path in the form that `git hash-object --stdin-paths` reads, quoted if necessary."""
    name = os.fsencode(path)
    # Git also strips a carriage return from the end of a line.
    if name.isascii() and not name.startswith(b'"') and not {10, 13} & {*name}:
        return name
    escaped = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    escaped = escaped.replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return b'"' + escaped + b'"'


def merge_file(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the result of a three-way merge of file contents, as `git merge-file` makes it.

    Return None on a conflict or an error.
    """
    contents = {"ours": ours, "base": base, "theirs": theirs}
    with temporary_files(contents) as room:
        return run_git(room, "merge-file", "-p", "-q", *contents)
