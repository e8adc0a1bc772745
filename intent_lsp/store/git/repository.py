"""The git repository around a governed root, queried through libgit2 or the git program.

Invariant: nothing is written, no lock of git's is held, nothing is fetched.
Invariant: a damaged, foreign or missing repository raises nothing. What is asked of it is then
None, False or empty, unless the method says otherwise.
Invariant: where a result may be None, an empty one means that git answered and found nothing.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.gitdir import (
    common_directory,
    git_identity,
    path_below,
    prefix_of,
    watched_directories,
    work_tree_top,
)
from intent_lsp.store.git.objects import (
    Conversion,
    Version,
    blob_data,
    blob_in_head,
    blob_in_index,
    blobs_in_commit,
    conversion_of,
    discover,
    head_commit,
    index,
    merge_parents,
    setting,
    submodules,
)
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.status import tree_status

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Git:
    """The git repository around one root. Thread-safe.

    `root` is that root, `git_dir` the git directory of its work tree, `common_dir` the git
    directory that all work trees share, and `top` the top directory of the root's work tree.
    """

    def __init__(self, root: Path, repository: Any) -> None:  # noqa: ANN401 - pygit2 is loaded late
        self.root = root
        self._guard = threading.Lock()
        self._take(repository)

    @staticmethod
    def open(root: Path) -> "Git | None":
        """Open the repository around `root` and return it.

        Return None if none has a work tree that contains `root`, or if it cannot be opened.
        """
        repository = discover(root)
        if repository is None:
            return None
        try:
            return Git(root, repository)
        except ValueError:
            _log.info("%s: the git repository has its work tree elsewhere", root)
            return None

    def watch_paths(self) -> tuple[Path, ...]:
        """Return the existing directories whose entries change when HEAD or the index changes."""
        return watched_directories(self.git_dir)

    def full_path(self, path: WorkspacePath) -> str:
        """Convert a path relative to the root into a path relative to the git top level."""
        return self._prefix + path

    def setting(self, name: str) -> str:
        """Return the value of a git setting, or "" if it is not set or git cannot be read."""
        return self.ask("", partial(setting, name=name))

    def head_commit(self) -> str | None:
        """Return the id of HEAD's commit, or None if there is none yet or git cannot be read."""
        return self.ask(None, head_commit)

    def head_bytes(self, path: WorkspacePath) -> bytes | None:
        """Return a file of HEAD as `version_bytes` does, or None if it is absent or unreadable."""
        return self._bytes(self.head_version(path))

    def head_version(self, path: WorkspacePath) -> Version | None:
        """Return a file's version in HEAD, following a link there; None if absent or unreadable."""
        return self._version(path, blob_in_head)

    def blob_bytes(self, commit: str, path: WorkspacePath) -> bytes | None:
        """Return a commit's file as `version_bytes` does, or None if it is absent or unreadable."""
        return self._bytes(self.version_at(commit, path))

    def version_at(self, commit: str, path: WorkspacePath) -> Version | None:
        """Return a file's version (blob, conversion) in a commit; None if absent or unreadable."""
        return (self.versions_at(commit, (path,)) or {}).get(path)

    def merge_parents(self, path: WorkspacePath, *, limit: int) -> tuple[str, ...]:
        """Return the parents' ids of each merge whose file at `path` differs from all parents'.

        The newest merges come first, one item a parent, at most `limit` in all. Only the newest
        5,000 commits of HEAD's history are searched. The result is () if git cannot be read.
        """
        full = self._prefix + path
        return self.ask(
            (), lambda repository: tuple(islice(merge_parents(repository, full), limit))
        )

    def versions_at(
        self, revision: str, paths: Iterable[WorkspacePath]
    ) -> Mapping[WorkspacePath, Version] | None:
        """Return the version of each of `paths` in the commit `revision`.

        Paths that the commit lacks are left out. `revision` is the commit's id or any other name of
        it. Return None if there is no such commit or git cannot read it.
        """
        full = {self._prefix + path: path for path in paths}
        blobs = self.ask(None, partial(blobs_in_commit, paths=full, commit=revision))
        if blobs is None:
            return None
        return {
            full[name]: Version(path=name, blob_id=blob, how=self._how(name))
            for name, blob in blobs.items()
        }

    def version_of(self, path: WorkspacePath, blob_id: str) -> Version:
        """Return a file's version that has the blob `blob_id` and the file's present conversion."""
        full = self._prefix + path
        return Version(path=full, blob_id=blob_id, how=self._how(full))

    def version_bytes(self, version: Version) -> bytes | None:
        """Return a version's bytes as git would check them out, or None if they cannot be read.

        For a version that git converts, these are the bytes that the function `filtered` returns.
        """
        if version.how != Conversion():
            return filtered(self.top, version)
        return self.ask(None, lambda repository: blob_data(repository, version.blob_id))

    def tracked(self, path: WorkspacePath) -> bool:
        """Return whether git tracks a file: its index has it. False if the index is unreadable."""
        full = self._prefix + path
        found = self.ask(None, lambda repository: full in index(repository))
        if found is None:  # libgit2 cannot read a split or sparse index.
            return bool(self._run("--literal-pathspecs", "ls-files", "--error-unmatch", "--", path))
        return found

    def staged_version(self, path: WorkspacePath) -> Version | None:
        """Return a file's version in the index (a link's own), or None if absent or unreadable."""
        return self._version(path, blob_in_index)

    def ignored(self, path: WorkspacePath) -> bool:
        """Return whether git ignores a path and does not track it as a file.

        A path that ends with `/` is judged as a directory. Return False if git does not answer.
        """
        if self.tracked(path):
            return False
        full = self._prefix + path
        found = self.ask(None, lambda repository: bool(repository.path_is_ignored(full)))
        if found is None:  # libgit2 refuses a name that is not UTF-8.
            return bool(self._run("check-ignore", "--", f"./{path}"))
        return found

    def tracks_below(self, path: WorkspacePath) -> bool:
        """Return whether git tracks the file `path`, or any file below it. False if git fails."""
        return bool(self._run("--literal-pathspecs", "ls-files", "-z", "--", path))

    def has_submodules(self) -> bool:
        """Return whether the repository has submodules. True if that cannot be determined."""
        return self.ask(True, submodules)  # noqa: FBT003 - the default answer

    def changed_paths(self) -> tuple[WorkspacePath, ...]:
        """Return the files below the root that differ from HEAD, as `git status` finds them.

        Untracked files are included, unless git ignores them. The result is empty if git does not
        answer.
        """
        status = tree_status(self.root)
        return () if status is None else status.paths

    def list_files(self) -> tuple[WorkspacePath, ...]:
        """Return the files below the root that git tracks or does not ignore; () if git fails.

        A tracked file is included even if it is not on disk.
        """
        return self.known_files() or ()

    def known_files(self) -> tuple[WorkspacePath, ...] | None:
        """Return what `list_files` returns, but None if git does not answer."""
        options = ("-z", "--cached", "--others", "--exclude-standard", "--full-name")
        printed = self._run("ls-files", *options, "--", ".")
        return None if printed is None else self.below(printed.split(b"\0"))

    def names_in(self, directory: WorkspacePath, *, tracked: bool = False) -> list[str] | None:
        """Return the files at any depth below a directory that git tracks or does not ignore.

        They are relative to the directory. If `tracked`, untracked ones are left out. A submodule
        is one name, another repository one name with `/` at its end; if the directory itself is one
        of these, its name is "". Return None if git fails.
        """
        options = ("--cached",) if tracked else ("--cached", "--others", "--exclude-standard")
        place = f"./{directory}"
        printed = self._run("--literal-pathspecs", "ls-files", "-z", *options, "--", place)
        if printed is None:
            return None
        names = (os.fsdecode(name) for name in dict.fromkeys(printed.split(b"\0")) if name)
        return ["" if name == directory else name.removeprefix(f"{directory}/") for name in names]

    def _take(self, repository: Any) -> None:  # noqa: ANN401 - pygit2 is loaded late
        """Store a newly opened repository. Raise ValueError if the root is not in its work tree."""
        self.git_dir = Path(repository.path)
        self.top = work_tree_top(self.root, Path(repository.workdir))
        self._prefix = prefix_of(self.root, self.top)
        self.common_dir = common_directory(self.git_dir)
        self._identity = git_identity(self.git_dir, self.common_dir)
        self._repository = repository

    def ask(self, otherwise: T, question: Callable[[Any], T]) -> T:
        """Return what `question` returns for the libgit2 repository.

        If `question` raises an exception, log that and return `otherwise`. Only one thread asks at
        a time. If the repository was replaced on disk, it is opened again first; if that fails,
        return `otherwise`.
        """
        with self._guard:
            try:
                if self._identity != git_identity(self.git_dir, self.common_dir):
                    repository = discover(self.root)
                    if repository is None:
                        return otherwise
                    self._take(repository)
                return question(self._repository)
            except Exception as problem:  # noqa: BLE001 - libgit2 raises many types for damage
                _log.info("%s: git: %r", self.root, problem)
                return otherwise

    def _version(
        self, path: WorkspacePath, find: Callable[[Any, str], str | None]
    ) -> Version | None:
        full = self._prefix + path
        blob_id = self.ask(None, lambda repository: find(repository, full))
        if blob_id is None:
            return None
        return Version(path=full, blob_id=blob_id, how=self._how(full))

    def _how(self, full: str) -> Conversion:
        return self.ask(Conversion(), lambda repository: conversion_of(repository, full))

    def _bytes(self, version: Version | None) -> bytes | None:
        return None if version is None else self.version_bytes(version)

    def _run(self, *arguments: str) -> bytes | None:
        return run_git(self.root, *arguments)

    def below(self, paths: Iterable[bytes]) -> tuple[WorkspacePath, ...]:
        """Convert paths relative to the git top level into paths relative to the root, each once.

        Paths outside the root, and paths that end with `/` (nested repositories), are left out.
        """
        found = (path_below(self._prefix, name) for name in map(os.fsdecode, paths))
        return tuple(dict.fromkeys(path for path in found if path is not None))


def filtered(top: Path, version: Version) -> bytes | None:
    """Return a version's bytes as git would check them out at `top`, or None if git fails.

    If the file has a filter program or a working-tree encoding, return the file's bytes on disk,
    provided that git cleans them into the version's blob: a program may not give the same bytes
    again. Otherwise git converts the blob; for Git LFS it then gives only the file's pointer.
    """
    if version.how.program and (disk := _clean(top, version)) is not None:
        return disk
    return run_git(top, "cat-file", "--filters", f"--path={version.path}", version.blob_id)


def _clean(top: Path, version: Version) -> bytes | None:
    """Return the bytes of a version's file on disk, or None if they are not those of the version.

    They are those of the version if git's clean filter turns them into the version's blob.
    """
    try:
        disk = read_bytes(top / version.path)
    except OSError:
        return None
    if disk is None:
        return None
    made = run_git(top, "hash-object", "--stdin", f"--path={version.path}", given=disk)
    return disk if made is not None and made.strip() == version.blob_id.encode() else None
