"""The result of `git status` for a root, and a private copy of the index that git may refresh.

In a tree that was just copied or cloned, the stamps in the index match no file, so `git status`
reads every file. A git command of the user writes the new stamps into the index. The server's own
git commands must not write the real index and would read every file each time, so they refresh a
copy.

Invariant: HEAD and the files come from one git call, so that they belong together.
Invariant: if git does not answer, the result is None, never an empty one.
Invariant: the copy is made from the index as it is when the copy is asked for, or there is none.
"""

import logging
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import Stamp, read_bytes, stamp
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, find_local_directory
from intent_lsp.store.fs.write import create_cache_file, remove_file
from intent_lsp.store.git.gitdir import path_below, prefix_of, work_tree_top
from intent_lsp.store.git.objects import discover
from intent_lsp.store.git.program import run_git

# Other values of these settings can make git take a changed file for unchanged.
_SETTINGS: Final = (
    *("-c", "core.trustctime=true"),
    *("-c", "core.checkStat=default"),
    *("-c", "core.untrackedCache=false"),
    # Otherwise refreshing a copy of a split index would write a shared part into `.git`.
    *("-c", "core.splitIndex=false"),
)

_OPTIONS: Final = (
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-ahead-behind",
    "--untracked-files=all",
    "--no-renames",
    "--ignore-submodules=all",
)
_UNBORN: Final = b"(initial)"
_HEAD: Final = b"# branch.oid "
_UNTRACKED: Final = b"? "
_UNMERGED: Final = b"u "
_FIELDS: Final = {b"1 ": 8, _UNMERGED: 10}
"""How many fields precede the path, by the kind of the entry."""
_AS_INDEX: Final = ord(".")
"""The second status letter of an entry whose work-tree file equals the index."""

_log: Final = logging.getLogger(__name__)

FILE_NAME: Final = "git-index"
COPIED_AT_MOST: Final = 256 * 1024 * 1024
"""The largest index, in bytes, that is copied. A million entries take a tenth of it."""

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class InIndex(Struct, frozen=True):
    """A file's blob id in the index, and whether the work-tree file equals that blob (`same`)."""

    blob: str
    same: bool


class TreeStatus(Struct, frozen=True, kw_only=True):
    """HEAD's commit (None if there is none yet) and the files that `git status` reports as changed.

    Such a file differs from HEAD in the work tree or in the index, or is untracked. `paths` are all
    those files, relative to the root; untracked files that git ignores are left out. `unmerged` are
    those of them in conflict. `index` maps those of them that have one blob in the index to their
    index entries. `repositories` are untracked directories that are nested repositories.
    """

    head: str | None
    paths: tuple[WorkspacePath, ...]
    unmerged: frozenset[WorkspacePath] = frozenset()
    index: Mapping[WorkspacePath, InIndex] = field(default_factory=dict)
    repositories: tuple[WorkspacePath, ...] = ()


class PrivateIndex:
    """A copy of one repository's index for git to refresh, in a root's `.local/`. Thread-safe."""

    def __init__(self, root: Path, git_dir: Path) -> None:
        self._root = root
        self._index = git_dir / "index"
        self._lock = threading.Lock()
        self._copied: Stamp | None = None
        self._left: Stamp | None = None

    def place(self) -> Mapping[str, str]:
        """Return the environment variables that make git use and refresh the copy of the index.

        The index is copied again if it has changed, or if anything but this object's git commands
        has changed the copy. Return no variables if there is no `.local/` directory, or if the
        index is missing, larger than `COPIED_AT_MOST`, or cannot be copied.
        """
        with self._lock:
            room = find_local_directory(self._root)
            now = stamp(self._index)
            if room is None or now is None or now.size > COPIED_AT_MOST:
                return _NONE
            copy = room / FILE_NAME
            if now != self._copied or self._left is None or stamp(copy) != self._left:
                self._copied = now if self._copy(copy, now) else None
                self._left = stamp(copy)
            if self._copied is None:
                return _NONE
            return {"GIT_INDEX_FILE": os.fspath(copy), "GIT_OPTIONAL_LOCKS": "1"}

    def done(self) -> None:
        """Remember the stamp that the private copy of the index has now.

        Call this after each git command that used the copy. If the copy has another stamp later,
        `place` copies the index again.
        """
        with self._lock:
            room = find_local_directory(self._root)
            self._left = None if room is None else stamp(room / FILE_NAME)

    def _copy(self, copy: Path, now: Stamp) -> bool:
        """Copy the index, whose stamp is `now`, to the path `copy`, and return True.

        Return False if that fails, or if the index no longer has that stamp after it was read.
        """
        try:
            data = read_bytes(self._index)
            if data is None or stamp(self._index) != now:
                return False
            # A killed git leaves its lock file, and no other process would remove it.
            remove_file(copy.with_name(f"{FILE_NAME}.lock"))
            # Git compares the index's own time with file stamps to find files that changed in the
            # same tick.
            create_cache_file(copy, data, mode=PRIVATE_FILE_MODE, mtime_ns=now.mtime_ns)
        except OSError as problem:
            _log.info("%s: the index is not copied: %s", self._root, problem)
            return False
        return True


def tree_status(root: Path, index: Mapping[str, str] = MappingProxyType({})) -> TreeStatus | None:
    """Return how the files below `root` differ from HEAD, or None if `git status` fails.

    Untracked files count as different, unless git ignores them. Return None also if `root` is in no
    work tree. `index` holds environment variables that make git use a copy of the index; if it is
    empty, git uses the index itself.
    """
    repository = discover(root)
    if repository is None:
        return None
    top = work_tree_top(root, Path(repository.workdir))
    try:
        prefix = prefix_of(root, top)
    except ValueError:
        return None
    # `core.worktree` may name a directory that does not hold these files.
    place = {"GIT_DIR": str(Path(repository.path)), "GIT_WORK_TREE": str(top), **index}
    printed = run_git(root, *_SETTINGS, "status", *_OPTIONS, "--", ".", place=place)
    return None if printed is None else read_status(printed, prefix)


def read_status(printed: bytes, prefix: str) -> TreeStatus | None:
    """Parse the output of `git status --porcelain=v2 -z --branch`.

    `prefix` is the root relative to the git top level: "" or a path that ends with `/`. Files
    outside it are left out. Return None if the output has no line for HEAD.
    """
    entries = printed.split(b"\0")
    head = next((e.removeprefix(_HEAD) for e in entries if e.startswith(_HEAD)), None)
    if head is None:
        return None
    found = dict(_files(entries, prefix))
    index = ((path, _in_index(entry)) for path, entry in found.items())
    return TreeStatus(
        head=None if head == _UNBORN else head.decode("ascii", "replace"),
        paths=tuple(found),
        unmerged=frozenset(path for path, entry in found.items() if entry[:2] == _UNMERGED),
        index={path: known for path, known in index if known is not None},
        repositories=tuple(_repositories(entries, prefix)),
    )


def _files(entries: list[bytes], prefix: str) -> Iterator[tuple[WorkspacePath, bytes]]:
    """Yield (path relative to the root, entry) for each `git status` entry about a file.

    These are changed and untracked files, but not submodules and nested repositories. `prefix` is
    the root relative to the git top level. Files outside the root are left out.
    """
    for entry in entries:
        path = path_below(prefix, os.fsdecode(_name(entry)))
        if path is not None:
            yield path, entry


def _repositories(entries: list[bytes], prefix: str) -> Iterator[WorkspacePath]:
    for entry in entries:
        name = os.fsdecode(entry[2:]) if entry[:2] == _UNTRACKED else ""
        path = path_below(prefix, name[:-1]) if name.endswith("/") else None
        if path is not None:
            yield path


def _in_index(entry: bytes) -> InIndex | None:
    """Return the index entry that a `git status` entry states, or None if it states none.

    It states none for a file that is untracked, in conflict or not in the index.
    """
    if entry[:2] != b"1 ":
        return None
    blob = entry.split(b" ", 8)[7].decode("ascii", "replace")
    return InIndex(blob, entry[3] == _AS_INDEX) if blob.strip("0") else None


def _name(entry: bytes) -> bytes:
    """Return the path in a `git status` entry; empty for a header and for a submodule."""
    kind = entry[:2]
    if kind == _UNTRACKED:
        return entry[2:]
    fields = _FIELDS.get(kind)
    if fields is None:
        return b""
    parts = entry.split(b" ", fields)
    # The third field begins with `S` for a submodule and with `N` for a file.
    return parts[fields] if len(parts) > fields and parts[2].startswith(b"N") else b""
