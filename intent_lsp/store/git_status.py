"""What `git status` says of a root: HEAD, and the files that differ from it.

Invariant: both come from one question, so that the files differ from the HEAD that is told.
Invariant: without an answer there is None, which is not the same as no difference.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.store.git_objects import discover
from intent_lsp.store.git_program import run_git

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


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStatus:
    """HEAD's commit (None: unborn), and the files that differ from it, ignored ones not.

    Untracked files are among them. `unmerged` are those in which git has left a conflict.
    """

    head: str | None
    paths: tuple[WorkspacePath, ...]
    unmerged: frozenset[WorkspacePath] = frozenset()
    untracked: frozenset[WorkspacePath] = frozenset()


def tree_status(root: Path) -> TreeStatus | None:
    """Ask how the files below `root` differ from HEAD; None, and a line in the log: no answer."""
    prefix = _prefix(root)
    printed = None if prefix is None else run_git(root, "status", *_OPTIONS, "--", ".")
    return None if prefix is None or printed is None else read_status(printed, prefix)


def read_status(printed: bytes, prefix: str) -> TreeStatus | None:
    """Read what `git status --porcelain=v2 -z --branch` printed; None: it tells of no HEAD.

    `prefix` is the root below the git top level, "" or with `/`; what is not below it is left out.
    """
    entries = printed.split(b"\0")
    head = next((e.removeprefix(_HEAD) for e in entries if e.startswith(_HEAD)), None)
    if head is None:
        return None
    found = dict(_files(entries, prefix))
    return TreeStatus(
        head=None if head == _UNBORN else head.decode("ascii", "replace"),
        paths=tuple(found),
        unmerged=frozenset(path for path, kind in found.items() if kind == _UNMERGED),
        untracked=frozenset(path for path, kind in found.items() if kind == _UNTRACKED),
    )


def _files(entries: list[bytes], prefix: str) -> Iterator[tuple[WorkspacePath, bytes]]:
    for entry in entries:
        name = os.fsdecode(_name(entry))
        # A directory is a repository of its own.
        if name.startswith(prefix) and not name.endswith("/"):
            path = parse_relative(name[len(prefix) :])
            if path is not None:
                yield path, entry[:2]


def _name(entry: bytes) -> bytes:
    """Give the path of an entry; empty: it is no file's."""
    kind = entry[:2]
    if kind == _UNTRACKED:
        return entry[2:]
    fields = _FIELDS.get(kind)
    if fields is None:
        return b""
    parts = entry.split(b" ", fields)
    # A submodule's entry says `S`, a file's `N`.
    return parts[fields] if len(parts) > fields and parts[2].startswith(b"N") else b""


def _prefix(root: Path) -> str | None:
    """Tell where `root` lies below the git top level; None: in no repository that can be read."""
    repository = discover(root)
    if repository is None:
        return None
    top = Path(os.path.realpath(repository.workdir))
    try:
        below = Path(os.path.realpath(root)).relative_to(top).as_posix()
    except ValueError:  # Its work tree is elsewhere.
        return None
    return "" if below == "." else f"{below}/"
