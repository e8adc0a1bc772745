"""The local room: `.orchestration/.local/`, git-ignored, for this user's eyes only.

Invariant: it is made here alone, and never without the `.gitignore` that keeps it out of git.
Invariant: a root that has no `.orchestration/` is given one for a record, and for nothing else.
Invariant: what stands in the way, a link or a file, is refused, never followed or replaced.
Invariant: nothing is made through a link, nor outside of the root.
"""

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import create_file, leaving, make_directory

_log = logging.getLogger(__name__)
LOCAL_MODE = 0o700
PRIVATE_FILE_MODE = 0o600
GITIGNORE_TEXT = b".local/\n.tmp-*\nintent_map.md\n"


def open_local_directory(root: Path) -> Path | None:
    """Give the local room, made when missing; None, and a line in the log, when it cannot be."""
    try:
        return ensure_local_directory(root)
    except (OSError, UnsafePathError) as problem:
        _log.warning("%s: no room for state and cache: %s", root, problem)
        return None


def ensure_local_directory(root: Path) -> Path:
    """Give the local room of a governed root; made, with its `.gitignore`, when it is missing.

    Raises UnsafePathError when something else is in its place, OSError when it cannot be made:
    the desk then goes on without state.
    """
    control = root / CONTROL_ROOM
    _refuse_outside(control, root)
    room = root / LOCAL_ROOM
    make_directory(room, mode=LOCAL_MODE)
    ignore = control / ".gitignore"
    if not os.path.lexists(ignore):
        create_file(ignore, GITIGNORE_TEXT)
    return room


def restore_local_directory(room: Path) -> None:
    """Make a local room again that was deleted while it was in use; any other is left alone.

    Raises as above, FileNotFoundError where its `.orchestration/` is not there either.
    """
    root = room.parent.parent
    if room == root / LOCAL_ROOM:
        ensure_local_directory(root)


def ensure_inner_directory(room: Path, name: str) -> Path:
    """Give a directory inside the local room, made when missing. Raises as above."""
    inner = room / name
    make_directory(inner, mode=LOCAL_MODE)
    return inner


def keep_aside(room: Path, name: str, data: bytes) -> Path:
    """Keep bytes that the ledger cannot have in `torn/`, once; give their file. Raises as above."""
    directory = ensure_inner_directory(room, "torn")
    kept, number = directory / f"{name}.part", 0
    while not create_file(kept, data, mode=PRIVATE_FILE_MODE) and read_bytes(kept) != data:
        number += 1
        kept = directory / f"{name}-{number}.part"
    return kept


def find_local_directory(root: Path) -> Path | None:
    """Give the local room when it is there, and make nothing."""
    room = root / LOCAL_ROOM
    return room if room.is_dir() and not room.is_symlink() else None


def make_private_directory(root: Path) -> None:
    """Make the local room where it is missing, and `.orchestration/` with it. Raises as above."""
    _make_control_room(root)
    # Text, not Path: it is asked for each record.
    if not _is_directory(f"{root}/{LOCAL_ROOM}"):
        ensure_local_directory(root)


def make_control_directory(root: Path, room: WorkspacePath) -> None:
    """Make a directory of `.orchestration/` where it is missing. Raises as above."""
    _make_control_room(root)
    if not _is_directory(f"{root}/{room}"):
        make_directory(root / room)


def _make_control_room(root: Path) -> None:
    if not _is_directory(f"{root}/{CONTROL_ROOM}"):
        control = root / CONTROL_ROOM
        if not os.path.lexists(control):
            make_directory(control)
        _refuse_outside(control, root)


def _refuse_outside(control: Path, root: Path) -> None:
    if not Path(os.path.realpath(control)).is_relative_to(os.path.realpath(root)):
        raise leaving(control)


def _is_directory(path: str) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.lstat(path).st_mode)
    return False
