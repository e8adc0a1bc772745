"""The directories `.orchestration/` and `.orchestration/.local/`: creates, finds and checks them.

Invariant: `.local/` is created only in this module. If `.orchestration/` has no `.gitignore`, one
that hides `.local/` from git is created too.
Invariant: this module creates a missing `.orchestration/` only for the ledger.
Invariant: a link or a file at the path of `.local/`, or of a directory in it, is refused, never
followed or replaced. `.orchestration/` may be a link to a directory inside the root.
Invariant: nothing is created outside the root.
"""

import logging
import os
from pathlib import Path

from intent_lsp.core.control_plane import Drift, EntryKind, drift_of
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.files import is_plain_directory, read_bytes
from intent_lsp.store.fs.write import create_file, make_directory, resolved_inside

_log = logging.getLogger(__name__)
LOCAL_MODE = 0o700
PRIVATE_FILE_MODE = 0o600
GITIGNORE_TEXT = b".local/\n.tmp-*\nintent_map.md\n"


def open_local_directory(root: Path) -> Path | None:
    """Return the path of `.local/` of a governed root, created if it is missing.

    If it cannot be created, as without `.orchestration/`, log the reason and return None.
    """
    try:
        return ensure_local_directory(root)
    except (OSError, UnsafePathError) as problem:
        _log.warning("%s: no directory for state and cache: %s", root, problem)
        return None


def ensure_local_directory(root: Path) -> Path:
    """Return the path of `.local/` of a governed root, created if it is missing.

    A missing `.orchestration/.gitignore` is created too. `.orchestration/` must exist. Raise
    UnsafePathError if `.orchestration/` leads outside the root or if something else is at the path
    of `.local/`, OSError if `.local/` or the `.gitignore` cannot be created.
    """
    control = root / CONTROL_ROOM
    resolved_inside(control, root)
    room = root / LOCAL_ROOM
    make_directory(room, mode=LOCAL_MODE)
    ignore = control / ".gitignore"
    if not os.path.lexists(ignore):
        create_file(ignore, GITIGNORE_TEXT)
    return room


def restore_local_directory(room: Path) -> None:
    """Create `room`, the `.local/` directory of a root, if it is missing.

    Do nothing if `room` does not end in `.orchestration/.local`. Raise FileNotFoundError if
    `.orchestration/` is missing, else what `ensure_local_directory` raises.
    """
    root = room.parent.parent
    if room == root / LOCAL_ROOM:
        ensure_local_directory(root)


def ensure_inner_directory(room: Path, name: str) -> Path:
    """Return the directory `name` inside the `.local/` directory `room`, created if it is missing.

    Raise UnsafePathError if something else is at its path, OSError if it cannot be created.
    """
    inner = room / name
    make_directory(inner, mode=LOCAL_MODE)
    return inner


def keep_aside(room: Path, name: str, data: bytes) -> Path:
    """Save `data`, which the ledger cannot keep, as a file in `torn/` inside `.local/` (`room`).

    Return the path of the file, whose name begins with `name`. Equal data with the same `name` is
    saved once. Raise UnsafePathError or OSError if it cannot be saved.
    """
    directory = ensure_inner_directory(room, "torn")
    kept, number = directory / f"{name}.part", 0
    while not create_file(kept, data, mode=PRIVATE_FILE_MODE) and read_bytes(kept) != data:
        number += 1
        kept = directory / f"{name}-{number}.part"
    return kept


def find_local_directory(root: Path) -> Path | None:
    """Return the path of a root's `.local/` if it is a directory, not a link, else None.

    Create nothing.
    """
    room = root / LOCAL_ROOM
    return room if room.is_dir() and not room.is_symlink() else None


def make_private_directory(root: Path) -> None:
    """Create `.local/` of a root, and `.orchestration/` above it, where they are missing.

    Raise UnsafePathError or OSError if one cannot be created, as when something else is at its path
    or `.orchestration/` leads outside the root.
    """
    _make_control_room(root)
    # A string, not a Path: this runs for each record.
    if not is_plain_directory(f"{root}/{LOCAL_ROOM}"):
        ensure_local_directory(root)


def make_control_directory(root: Path, room: WorkspacePath) -> None:
    """Create the directory `room` in `.orchestration/`, and `.orchestration/` itself, if missing.

    `room` is relative to the root. Raise UnsafePathError or OSError if one cannot be created, as
    when something else is at its path or `.orchestration/` leads outside the root.
    """
    _make_control_room(root)
    if not is_plain_directory(f"{root}/{room}"):
        make_directory(root / room)


def control_drift(root: Path) -> tuple[Drift, ...]:
    """Return a problem for each entry of `.orchestration/` that is unexpected or of the wrong kind.

    The result is empty if the directory does not exist. Raise OSError if it cannot be listed.
    """
    try:
        with os.scandir(root / CONTROL_ROOM) as entries:
            return drift_of([(entry.name, _kind(entry)) for entry in entries])
    except FileNotFoundError:
        return ()


def _make_control_room(root: Path) -> None:
    if not is_plain_directory(f"{root}/{CONTROL_ROOM}"):
        control = root / CONTROL_ROOM
        if not os.path.lexists(control):
            make_directory(control)
        resolved_inside(control, root)


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.LINK
    if entry.is_dir():
        return EntryKind.DIRECTORY
    return EntryKind.FILE if entry.is_file() else EntryKind.OTHER
