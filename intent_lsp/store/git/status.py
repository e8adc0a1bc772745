"""What `git status` says of a root: HEAD, and the files that differ from it.

Invariant: both come from one question, so that the files differ from the HEAD that is told.
Invariant: without an answer there is None, which is not the same as no difference.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.store.git.gitdir import work_tree_top
from intent_lsp.store.git.objects import discover
from intent_lsp.store.git.program import run_git

# What makes git believe that a file is as it was although it is not.
_SETTINGS: Final = (
    *("-c", "core.trustctime=true"),
    *("-c", "core.checkStat=default"),
    *("-c", "core.untrackedCache=false"),
    # A copy of an index that is refreshed would else leave a part of itself in git's directory.
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
"""How many fields come before the path, by the kind of an entry."""
_AS_INDEX: Final = ord(".")
"""Where an entry's second letter is this one, the file is what the index has of it."""


@dataclass(frozen=True, slots=True)
class InIndex:
    """A blob in the index, and whether the file in the work tree is the same."""

    blob: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStatus:
    """HEAD's commit (None: unborn), and the files that differ from it, ignored ones not.

    Untracked files are among them. `unmerged` are those in which git has left a conflict; `index`
    is what it has of the others. `repositories` are untracked directories, each of which is a
    repository of its own.
    """

    head: str | None
    paths: tuple[WorkspacePath, ...]
    unmerged: frozenset[WorkspacePath] = frozenset()
    untracked: frozenset[WorkspacePath] = frozenset()
    index: Mapping[WorkspacePath, InIndex] = field(default_factory=dict)
    repositories: tuple[WorkspacePath, ...] = ()


def tree_status(root: Path, index: Mapping[str, str] = MappingProxyType({})) -> TreeStatus | None:
    """Ask how the files below `root` differ from HEAD; None, and a line in the log: no answer.

    `index` are the variables by which git uses another index than its own.
    """
    repository = discover(root)
    top = None if repository is None else work_tree_top(root, Path(repository.workdir))
    prefix = None if top is None else _prefix(root, top)
    if repository is None or top is None or prefix is None:
        return None
    # The work tree is where it is, whatever the settings say.
    place = {"GIT_DIR": str(Path(repository.path)), "GIT_WORK_TREE": str(top), **index}
    printed = run_git(root, *_SETTINGS, "status", *_OPTIONS, "--", ".", place=place)
    return None if printed is None else read_status(printed, prefix)


def read_status(printed: bytes, prefix: str) -> TreeStatus | None:
    """Read what `git status --porcelain=v2 -z --branch` printed; None: it tells of no HEAD.

    `prefix` is the root below the git top level, "" or with `/`; what is not below it is left out.
    """
    entries = printed.split(b"\0")
    head = next((e.removeprefix(_HEAD) for e in entries if e.startswith(_HEAD)), None)
    if head is None:
        return None
    found = dict(_files(entries, prefix))
    kinds = {path: entry[:2] for path, entry in found.items()}
    index = ((path, _in_index(entry)) for path, entry in found.items())
    return TreeStatus(
        head=None if head == _UNBORN else head.decode("ascii", "replace"),
        paths=tuple(found),
        unmerged=frozenset(path for path, kind in kinds.items() if kind == _UNMERGED),
        untracked=frozenset(path for path, kind in kinds.items() if kind == _UNTRACKED),
        index={path: known for path, known in index if known is not None},
        repositories=tuple(_repositories(entries, prefix)),
    )


def _files(entries: list[bytes], prefix: str) -> Iterator[tuple[WorkspacePath, bytes]]:
    for entry in entries:
        name = os.fsdecode(_name(entry))
        # A directory is a repository of its own.
        if name.startswith(prefix) and not name.endswith("/"):
            path = parse_relative(name[len(prefix) :])
            if path is not None:
                yield path, entry


def _repositories(entries: list[bytes], prefix: str) -> Iterator[WorkspacePath]:
    for entry in entries:
        name = os.fsdecode(entry[2:]) if entry[:2] == _UNTRACKED else ""
        if name.endswith("/") and name.startswith(prefix):
            path = parse_relative(name[len(prefix) : -1])
            if path is not None:
                yield path


def _in_index(entry: bytes) -> InIndex | None:
    """Read what the index has of a file; None: it does not have it."""
    if entry[:2] != b"1 ":
        return None
    blob = entry.split(b" ", 8)[7].decode("ascii", "replace")
    return InIndex(blob, entry[3] == _AS_INDEX) if blob.strip("0") else None


def _name(entry: bytes) -> bytes:
    """Give the path of an entry; empty: it is not a file's."""
    kind = entry[:2]
    if kind == _UNTRACKED:
        return entry[2:]
    fields = _FIELDS.get(kind)
    if fields is None:
        return b""
    parts = entry.split(b" ", fields)
    # A submodule's entry says `S`, a file's `N`.
    return parts[fields] if len(parts) > fields and parts[2].startswith(b"N") else b""


def _prefix(root: Path, top: Path) -> str | None:
    """Tell where `root` lies below the git top level; None: elsewhere."""
    try:
        below = Path(os.path.realpath(root)).relative_to(top).as_posix()
    except ValueError:
        return None
    return "" if below == "." else f"{below}/"
