"""What git's trees hold of a root's files, what merging them gives, and who leads to a commit.

Invariant: nothing is written, and what cannot be read is None or nothing, never an exception.
Invariant: only temporary files are written, and they are gone in the end.
"""

# pygit2's types are not named here: it is loaded when a repository is opened, after the start.
# ruff: noqa: ANN401

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.write import temporary_files
from intent_lsp.store.git.objects import blob_data
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.reachable import reachable
from intent_lsp.store.git.reflog import Move
from intent_lsp.store.git.repository import Git

_PARENTS_OF_MERGE: Final = 2
_SHA1_DIGITS: Final = 40


class GitTrees:
    """Answers of one repository about its commits; each tree is merged and compared once."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._merged: dict[tuple[str, ...], Any] = {}

    def blob(self, commit: str, path: WorkspacePath) -> str | None:
        """Give the id of what a commit's tree has at a path; None: nothing, or no such commit."""
        full = self._git.full_path(path)
        return self._git.ask(None, lambda repository: _id(_tree(repository, commit), full))

    def changed(self, old: str | None, new: str | None) -> frozenset[WorkspacePath] | None:
        """List the files in which two commits differ (None: the empty tree); None: unreadable."""
        if old == new:
            return frozenset()
        found = self._git.ask(None, lambda repository: _differing(repository, old, new))
        return None if found is None else frozenset(self._git.below(found))

    def authored(self, moves: Iterable[Move]) -> frozenset[WorkspacePath]:
        """List the files that authored commits among some moves of HEAD changed themselves."""
        changed = (self.authored_in(move.new) for move in moves if move.authored)
        return frozenset[WorkspacePath]().union(*changed)

    def authored_in(self, commit: str) -> frozenset[WorkspacePath]:
        """List the files that a commit changed itself.

        Against its first parent; of a merge only what merging its parents does not give.
        """
        paths = self._git.ask(frozenset[bytes](), partial(_of_commit, commit=commit))
        return frozenset(self._git.below(paths))

    def leads_to(self, tips: Collection[str], commit: str) -> bool:
        """Whether a commit is one of some objects, or one of those that these lead to."""
        if commit in tips:
            return True
        return self._git.ask(False, partial(_leads_to, tips=tips, commit=commit))  # noqa: FBT003 - what is told otherwise

    def merging_gives(
        self, path: WorkspacePath, blob: str | None, merges: Iterable[tuple[str, str, str]]
    ) -> bool:
        """Whether one of some merges gives a path this content, or leaves it out (None).

        A merge is the revisions of its base, of ours and of theirs.
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
        """Give the id of what merging a content into a blob gives; None: a conflict, no answer."""
        blobs = (self._git.ask(None, partial(blob_data, blob_id=each)) for each in (base, ours))
        old, new = blobs
        merged = None if old is None or new is None else merge_file(old, new, theirs)
        return None if merged is None else _blob_id(merged)

    def object_ids(self, paths: Collection[WorkspacePath]) -> Mapping[WorkspacePath, str] | None:
        """Give the ids that files of the work tree have in git's clean form; None: no answer.

        What is not there, or is not a file, is left out.
        """
        root = self._git.root
        links = {path: _link_id(root / path) for path in paths if (root / path).is_symlink()}
        files = [path for path in paths if path not in links and (root / path).is_file()]
        found = {path: id_ for path, id_ in links.items() if id_ is not None}
        if not files:
            return found
        # Git reads paths from its input as from the top of the work tree, wherever it is called.
        names = [_quoted(self._git.full_path(path)) for path in files]
        given = b"\n".join(names) + b"\n"
        printed = run_git(root, "hash-object", "--stdin-paths", given=given)
        if printed is None:
            return None
        ids = printed.decode("ascii", "replace").split()
        return {**found, **dict(zip(files, ids, strict=False))} if len(ids) == len(files) else None


def standing_merges(git_dir: Path, head: str | None) -> Iterator[tuple[str, str, str]]:
    """Give the merges, as `merging_gives` takes them, of what stands unfinished on a HEAD."""
    for name, merge in _STANDING.items():
        commit = None if head is None else _commit_in(git_dir / name)
        if commit is not None:
            base, theirs = merge(commit)
            yield base, head or "", theirs


def merge_of_stash(stash: str) -> tuple[str, str, str]:
    """Give the merge by which a stash is applied to HEAD."""
    return (f"{stash}^1", "HEAD", stash)


_STANDING: Final[Mapping[str, Callable[[str], tuple[str, str]]]] = {
    "MERGE_HEAD": lambda commit: ("", commit),
    "SQUASH_MSG": lambda commit: ("", commit),
    "CHERRY_PICK_HEAD": lambda commit: (f"{commit}^1", commit),
    "REBASE_HEAD": lambda commit: (f"{commit}^1", commit),
    "REVERT_HEAD": lambda commit: (commit, f"{commit}^1"),
}
"""The files of git's own directory that tell of an operation, and its merge's base and theirs."""


def _commit_in(place: Path) -> str | None:
    try:
        text = place.read_bytes()[:65536].decode("ascii", "replace")
    except OSError:
        return None
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
    found = repository[commit]
    parents = found.parents
    if not parents:
        return frozenset(_paths(found.tree.diff_to_tree()))
    if len(parents) == _PARENTS_OF_MERGE:
        index = repository.merge_commits(parents[0].id, parents[1].id)
        theirs = {
            os.fsencode(entry.path)
            for conflict in index.conflicts or ()
            for entry in conflict
            if entry is not None
        }
        return frozenset(theirs.union(_paths(found.tree.diff_to_index(index))))
    return frozenset(_paths(found.tree.diff_to_tree(parents[0].tree)))


def _leads_to(repository: Any, *, tips: Collection[str], commit: str) -> bool:
    known = []
    for tip in tips:
        try:
            known.append(repository.revparse_single(f"{tip}^{{commit}}").id)
        except (KeyError, ValueError):
            # It names no commit, or one that is there no more.
            continue
    wanted = repository[commit].id
    return all(each.id != wanted for each in reachable(repository, [commit], known))


def _merge(repository: Any, *, revisions: tuple[str, str, str]) -> Any:
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
    """Spell a path as git reads it from a line: in quotes where it would not end as it begins."""
    name = os.fsencode(path)
    # Of a line's end git takes a carriage return off, too.
    if name.isascii() and not name.startswith(b'"') and not {10, 13} & {*name}:
        return name
    escaped = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    escaped = escaped.replace(b"\n", b"\\n").replace(b"\r", b"\\r")
    return b'"' + escaped + b'"'


def merge_file(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge what became of a content in two ways; None: they conflict, or git does not answer."""
    contents = {"ours": ours, "base": base, "theirs": theirs}
    with temporary_files(contents) as room:
        return run_git(room, "merge-file", "-p", "-q", *contents)
