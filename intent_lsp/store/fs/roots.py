"""Governed roots: which directory's intents govern a path (requirements section 4).

Invariant: the search goes no higher than the git top level, the home directory and `stop_at`.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE, LEDGER_FILE, WorkspacePath

_SEGMENT_ROOMS = (f"{CONTROL_ROOM}/trace", f"{CONTROL_ROOM}/archive")


@dataclass(frozen=True, slots=True)
class Governed:
    """A governed root; `intents_missing`: a ledger stands there without its intents file."""

    root: Path
    intents_missing: bool


def governed_root(path: str, *, stop_at: Sequence[str] = ()) -> Governed | None:
    """Find the root that governs a file or a directory, which need not exist.

    None: the path is dormant. The root is spelled as the path is, its links not resolved.
    """
    tops: frozenset[str] | None = None
    for directory in _upwards(path):
        governed = _governed(directory)
        if governed is not None:
            return governed
        # Not before: where the first directory governs, nobody needs to know where to stop.
        tops = _tops(stop_at) if tops is None else tops
        if directory in tops or is_git_top(Path(directory)):
            return None
    return None


def has_ledger(root: Path) -> bool:
    """Whether records were ever written under `root`: the ledger, or a segment of it."""
    if _present(root / LEDGER_FILE):
        return True
    return any(_has_segment(root / room) for room in _SEGMENT_ROOMS)


class RootsBelow:
    """The governed roots below one root; each directory is asked once."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._known = {"": False}

    def hold(self, path: WorkspacePath) -> bool:
        """Whether a path lies in a governed root below this one, or is one."""
        unknown = []
        room: str = path
        while room not in self._known:
            unknown.append(room)
            room = room.rpartition("/")[0]
        held = self._known[room]
        for inner in reversed(unknown):
            held = held or _governed(f"{self._root}/{inner}") is not None
            self._known[inner] = held
        return held


def is_git_top(directory: Path) -> bool:
    """Whether a git work tree begins here: of a repository, a linked work tree or a submodule."""
    git = directory / ".git"
    if not _present(git):
        return False
    try:
        return git.is_file() or (git / "HEAD").is_file()
    except PermissionError:  # Not ours to look into: another's repository begins here all the same.
        return True
    except OSError:
        return False


def _governed(directory: str) -> Governed | None:
    """Find out whether a directory is a governed root itself."""
    if not os.path.lexists(f"{directory}/{CONTROL_ROOM}"):
        # Most directories: one question instead of four.
        return None
    root = Path(directory)
    if _present(root / INTENTS_FILE):
        return Governed(root, intents_missing=False)
    return Governed(root, intents_missing=True) if has_ledger(root) else None


def _upwards(path: str) -> Iterator[str]:
    """Give the directory of `path` and its ancestors, without resolving links."""
    # Text, not Path: it is asked for each request.
    directory = os.path.abspath(path)  # noqa: PTH100 - resolve() would follow links
    if os.path.isdir(directory):  # noqa: PTH112 - as above
        yield directory
    while (above := os.path.dirname(directory)) != directory:  # noqa: PTH120 - as above
        yield above
        directory = above


def _tops(stop_at: Sequence[str]) -> frozenset[str]:
    return frozenset(os.path.abspath(top) for top in (*stop_at, *_home()))  # noqa: PTH100 - resolve() would follow links


def _home() -> tuple[str, ...]:
    try:
        return (str(Path.home()),)
    except RuntimeError:  # A user without a home.
        return ()


def _present(path: Path) -> bool:
    """Whether anything has this name: a broken file of ours governs too, loudly."""
    return os.path.lexists(path)


def _has_segment(room: Path) -> bool:
    try:
        return any(name.endswith(".jsonl") for name in os.listdir(room))  # noqa: PTH208
    except (OSError, ValueError):
        return False
