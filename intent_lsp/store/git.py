"""The git repository around a governed root, as far as we ask it.

Invariant: nothing is written, no lock of git's is held, nothing is fetched.
Invariant: a damaged, foreign or missing repository is None or False and a line in the log, never
an exception.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.store.files import read_bytes
from intent_lsp.store.git_objects import (
    blob_data,
    blob_in_commit,
    blob_in_head,
    blob_in_index,
    blob_in_stash,
    blob_in_stashed_untracked,
    conversion_of,
    discover,
    head_commit,
    index,
)
from intent_lsp.store.git_places import (
    common_directory,
    git_identity,
    operation_in_progress,
    watched_directories,
)
from intent_lsp.store.git_program import run_git
from intent_lsp.store.git_text import Conversion, Version, to_work_tree

_log = logging.getLogger(__name__)

T = TypeVar("T")


class Git:
    """The repository of one root; `prefix` is the root below the git top level, "" or with `/`.

    Methods may be called from any thread.
    """

    def __init__(self, root: Path, repository: Any) -> None:  # noqa: ANN401 - pygit2 is loaded late
        self.root = root
        self._guard = threading.Lock()
        self._take(repository)

    @staticmethod
    def open(root: Path) -> "Git | None":
        """Open the repository around `root`; None: there is none with a work tree, or no access."""
        repository = discover(root)
        if repository is None:
            return None
        try:
            return Git(root, repository)
        except ValueError:
            _log.info("%s: the git repository has its work tree elsewhere", root)
            return None

    @property
    def common_dir(self) -> Path:
        """The git directory that all work trees share."""
        return common_directory(self.git_dir)

    def watch_paths(self) -> tuple[Path, ...]:
        """Give the directories, not their subdirectories, in which HEAD or the index moves."""
        return watched_directories(self.git_dir)

    def operation_in_progress(self) -> bool:
        """Whether git holds its index, or a rebase or a merge stands."""
        return operation_in_progress(self.git_dir)

    def head_commit(self) -> str | None:
        """Give the id of the commit that HEAD names; None: there is none yet."""
        return self._ask(None, head_commit)

    def head_bytes(self, path: WorkspacePath) -> bytes | None:
        """Give a file of HEAD as git would write it into the work tree; None: not in HEAD.

        A file whose filter cleans what is on disk to the very blob of HEAD is what is on disk.
        """
        return self._bytes(self.head_version(path))

    def head_version(self, path: WorkspacePath) -> Version | None:
        """Name what `head_bytes` would give, without reading it; None: not in HEAD."""
        return self._version(path, blob_in_head)

    def blob_bytes(self, commit: str, path: WorkspacePath) -> bytes | None:
        """Give a file of a commit as git would write it; None: not there, or no such commit."""
        return self._bytes(self.version_at(commit, path))

    def version_at(self, commit: str, path: WorkspacePath) -> Version | None:
        """Name what `blob_bytes` would give, without reading it; None as there."""
        return self._version(path, partial(blob_in_commit, commit=commit))

    def version_bytes(self, version: Version) -> bytes | None:
        """Give a version as git would write it into the work tree; None: it cannot be read."""
        data = self._ask(None, lambda repository: blob_data(repository, version.blob_id))
        if data is None or not version.how.program:
            return None if data is None else to_work_tree(data, version.blob_id, version.how)
        if (disk := self._clean(version)) is not None:
            return disk
        options = ("--filters", f"--path={version.path}")
        return run_git(self._top, "cat-file", *options, version.blob_id)

    def holds(self, path: WorkspacePath, data: bytes) -> bool:
        """Whether `data` is the file's content in HEAD, the index or the top stash (section 7)."""
        places = (blob_in_head, blob_in_stash, blob_in_stashed_untracked, blob_in_index)
        return any(self._bytes(self._version(path, place)) == data for place in places)

    def tracked(self, path: WorkspacePath) -> bool:
        """Whether the index has the file."""
        full = self._prefix + path
        found = self._ask(None, lambda repository: full in index(repository))
        if found is None:  # An index that libgit2 cannot read: split, or sparse.
            return bool(self._run("--literal-pathspecs", "ls-files", "--error-unmatch", "--", path))
        return found

    def ignored(self, path: WorkspacePath) -> bool:
        """Whether git ignores the file and does not track it."""
        if self.tracked(path):
            return False
        full = self._prefix + path
        found = self._ask(None, lambda repository: bool(repository.path_is_ignored(full)))
        if found is None:  # A name that is not UTF-8.
            return bool(self._run("check-ignore", "--", f"./{path}"))
        return found

    def changed_paths(self) -> tuple[WorkspacePath, ...]:
        """Give the files that differ from HEAD, untracked ones included, ignored ones not."""
        options = ("--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
        printed = self._run("status", *options, "--ignore-submodules=all", "--", ".") or b""
        return self._below(filter(None, map(_status_path, printed.split(b"\0"))))

    def list_files(self) -> tuple[WorkspacePath, ...]:
        """Give the files that git tracks, and those that it does not ignore."""
        options = ("-z", "--cached", "--others", "--exclude-standard", "--full-name")
        printed = self._run("ls-files", *options, "--", ".") or b""
        return self._below(printed.split(b"\0"))

    def _take(self, repository: Any) -> None:  # noqa: ANN401 - pygit2 is loaded late
        self.git_dir = Path(repository.path)
        self._top = Path(os.path.realpath(repository.workdir))
        below = Path(os.path.realpath(self.root)).relative_to(self._top).as_posix()
        self._prefix = "" if below == "." else f"{below}/"
        self._identity = git_identity(self.git_dir)
        self._repository = repository

    def _ask(self, otherwise: T, question: Callable[[Any], T]) -> T:
        """Ask libgit2 about the repository that is there now."""
        with self._guard:
            try:
                if self._identity != git_identity(self.git_dir):
                    repository = discover(self.root)
                    if repository is None:
                        return otherwise
                    self._take(repository)
                return question(self._repository)
            except Exception as problem:  # noqa: BLE001 - libgit2 has an error for each damage
                _log.info("%s: git: %r", self.root, problem)
                return otherwise

    def _version(
        self, path: WorkspacePath, find: Callable[[Any, str], str | None]
    ) -> Version | None:
        full = self._prefix + path
        blob_id = self._ask(None, lambda repository: find(repository, full))
        if blob_id is None:
            return None
        how = self._ask(Conversion(), lambda repository: conversion_of(repository, full))
        return Version(path=full, blob_id=blob_id, how=how)

    def _bytes(self, version: Version | None) -> bytes | None:
        return None if version is None else self.version_bytes(version)

    def _clean(self, version: Version) -> bytes | None:
        """Give what is on disk when git's filters make the blob of it."""
        try:
            disk = read_bytes(self._top / version.path)
        except OSError:
            return None
        if disk is None:
            return None
        options = ("--stdin", f"--path={version.path}")
        made = run_git(self._top, "hash-object", *options, given=disk)
        return disk if made is not None and made.strip() == version.blob_id.encode() else None

    def _run(self, *arguments: str) -> bytes | None:
        return run_git(self.root, *arguments)

    def _below(self, paths: Iterable[bytes]) -> tuple[WorkspacePath, ...]:
        """Give paths below the git top level as the root sees them, each once."""
        found: dict[WorkspacePath, None] = {}
        for name in map(os.fsdecode, paths):
            # A directory is a repository of its own.
            if name.startswith(self._prefix) and not name.endswith("/"):
                path = parse_relative(name[len(self._prefix) :])
                if path is not None:
                    found[path] = None
        return tuple(found)


def _status_path(entry: bytes) -> bytes | None:
    """Read one entry of `git status --porcelain=v2 -z`; None: no file's."""
    kind = entry[:2]
    if kind == b"? ":
        return entry[2:]
    fields = {b"1 ": 8, b"u ": 10}.get(kind)
    if fields is None:
        return None
    parts = entry.split(b" ", fields)
    return parts[fields] if len(parts) > fields and parts[2].startswith(b"N") else None
