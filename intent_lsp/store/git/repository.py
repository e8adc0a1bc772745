"""The git repository around a governed root, as far as we ask it.

Invariant: nothing is written, no lock of git's is held, nothing is fetched.
Invariant: a damaged, foreign or missing repository is None or False and a line in the log, never
an exception.
Invariant: an answer that is not whole is None, never "nothing is said".
Invariant: a filter that fails gives None, never half a file.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.git.attributes import attributes_of
from intent_lsp.store.git.conversion import Conversion, Version
from intent_lsp.store.git.gitdir import (
    common_directory,
    git_identity,
    watched_directories,
    work_tree_top,
)
from intent_lsp.store.git.objects import (
    blob_data,
    blob_in_commit,
    blob_in_head,
    blob_in_index,
    blobs_in_commit,
    conversion_of,
    conversions,
    discover,
    head_commit,
    index,
    merged_commits,
    setting,
    submodules,
)
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.status import tree_status

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
        return self._common

    @property
    def top(self) -> Path:
        """The top of the work tree, in which the root lies."""
        return self._top

    def watch_paths(self) -> tuple[Path, ...]:
        """Give the directories, not their subdirectories, in which HEAD or the index moves."""
        return watched_directories(self.git_dir)

    def full_path(self, path: WorkspacePath) -> str:
        """Give a path of the root as git's trees and its index have it."""
        return self._prefix + path

    def setting(self, name: str) -> str:
        """Give a setting of the repository, as it is spelled; empty: it is not set."""
        return self.ask("", partial(setting, name=name))

    def head_commit(self) -> str | None:
        """Give the id of the commit that HEAD names; None: there is none yet."""
        return self.ask(None, head_commit)

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

    def merged_commits(self, path: WorkspacePath, *, limit: int) -> tuple[str, ...]:
        """Give the newest commits of which git made a content of a file that none of them has."""
        full = self._prefix + path
        return self.ask(
            (), lambda repository: tuple(islice(merged_commits(repository, full), limit))
        )

    def versions_at(
        self, revision: str, paths: Iterable[WorkspacePath]
    ) -> Mapping[WorkspacePath, Version] | None:
        """Name what `version_at` would for many files at once, those that are there.

        `revision` is a commit or leads to one. None: there is no such commit, or it is damaged.
        """
        full = {self._prefix + path: path for path in paths}
        blobs = self.ask(None, partial(blobs_in_commit, paths=full, commit=revision))
        if not blobs:
            return None if blobs is None else {}
        said = attributes_of(self._top, tuple(blobs))
        # Without the program's answer each file is asked for alone.
        hows: Mapping[str, Conversion] = {}
        if said is not None:
            hows = self.ask(hows, partial(conversions, attributes=said))
        return {
            full[name]: Version(path=name, blob_id=blob, how=hows.get(name) or self._how(name))
            for name, blob in blobs.items()
        }

    def version_bytes(self, version: Version) -> bytes | None:
        """Give a version as git would write it into the work tree; None: it cannot be read."""
        if version.how != Conversion():
            return filtered(self._top, version)
        return self.ask(None, lambda repository: blob_data(repository, version.blob_id))

    def tracked(self, path: WorkspacePath) -> bool:
        """Whether the index has the file."""
        full = self._prefix + path
        found = self.ask(None, lambda repository: full in index(repository))
        if found is None:  # An index that libgit2 cannot read: split, or sparse.
            return bool(self._run("--literal-pathspecs", "ls-files", "--error-unmatch", "--", path))
        return found

    def staged_version(self, path: WorkspacePath) -> Version | None:
        """Name what the index has of a file, as `head_version` does what HEAD has."""
        return self._version(path, blob_in_index)

    def ignored(self, path: WorkspacePath) -> bool:
        """Whether git ignores the file and does not track it."""
        if self.tracked(path):
            return False
        full = self._prefix + path
        found = self.ask(None, lambda repository: bool(repository.path_is_ignored(full)))
        if found is None:  # A name that is not UTF-8.
            return bool(self._run("check-ignore", "--", f"./{path}"))
        return found

    def tracks_below(self, path: WorkspacePath) -> bool:
        """Whether the index has the file, or any below the directory."""
        return bool(self._run("--literal-pathspecs", "ls-files", "-z", "--", path))

    def has_submodules(self) -> bool:
        """Whether git knows other repositories below; true also where nobody can tell."""
        return self.ask(True, submodules)  # noqa: FBT003 - what is told otherwise

    def changed_paths(self) -> tuple[WorkspacePath, ...]:
        """Give the files that differ from HEAD, untracked ones included, ignored ones not."""
        status = tree_status(self.root)
        return () if status is None else status.paths

    def list_files(self) -> tuple[WorkspacePath, ...]:
        """Give the files that git tracks, and those that it does not ignore."""
        options = ("-z", "--cached", "--others", "--exclude-standard", "--full-name")
        printed = self._run("ls-files", *options, "--", ".") or b""
        return self.below(printed.split(b"\0"))

    def names_in(self, directory: WorkspacePath, *, tracked: bool = False) -> list[str] | None:
        """List what git tracks below a directory and what it does not ignore, from there.

        Another repository is one name, which ends with `/`. `tracked`: only what it tracks. None:
        git does not answer.
        """
        options = ("--cached",) if tracked else ("--cached", "--others", "--exclude-standard")
        place = f"./{directory}"
        printed = self._run("--literal-pathspecs", "ls-files", "-z", *options, "--", place)
        if printed is None:
            return None
        names = map(os.fsdecode, printed.split(b"\0"))
        return [name.removeprefix(f"{directory}/") for name in dict.fromkeys(names) if name]

    def _take(self, repository: Any) -> None:  # noqa: ANN401 - pygit2 is loaded late
        self.git_dir = Path(repository.path)
        self._top = work_tree_top(self.root, Path(repository.workdir))
        below = Path(os.path.realpath(self.root)).relative_to(self._top).as_posix()
        self._prefix = "" if below == "." else f"{below}/"
        self._common = common_directory(self.git_dir)
        self._identity = git_identity(self.git_dir, self._common)
        self._repository = repository

    def ask(self, otherwise: T, question: Callable[[Any], T]) -> T:
        """Ask libgit2 about the repository that is there now."""
        with self._guard:
            try:
                if self._identity != git_identity(self.git_dir, self._common):
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
        """Give paths below the git top level as the root sees them, each once."""
        found: dict[WorkspacePath, None] = {}
        for name in map(os.fsdecode, paths):
            # A directory is a repository of its own.
            if name.startswith(self._prefix) and not name.endswith("/"):
                path = parse_relative(name[len(self._prefix) :])
                if path is not None:
                    found[path] = None
        return tuple(found)


def filtered(top: Path, version: Version) -> bytes | None:
    """Give a version's bytes in the work tree at `top`; None: it cannot be spelled.

    What is on disk is taken for it, where the filters make the blob of that.
    """
    if version.how.program and (disk := _clean(top, version)) is not None:
        return disk
    return run_git(top, "cat-file", "--filters", f"--path={version.path}", version.blob_id)


def _clean(top: Path, version: Version) -> bytes | None:
    try:
        disk = read_bytes(top / version.path)
    except OSError:
        return None
    if disk is None:
        return None
    made = run_git(top, "hash-object", "--stdin", f"--path={version.path}", given=disk)
    return disk if made is not None and made.strip() == version.blob_id.encode() else None
