"""The rooms of a ledger below its root: made where they are missing, refused where they lead away.

Invariant: nothing is made through a link, nor outside of the root.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM, WorkspacePath
from intent_lsp.store.fs.local_dir import keep_out_of_git


def make_private_room(root: Path) -> None:
    """Make `.orchestration/.local/`, private to this user, where it is missing.

    Raises UnsafePathError when something else is in its place or in that of what it is in, OSError.
    """
    _make_control_room(root)
    if _make(f"{root}/{LOCAL_ROOM}", 0o700):
        keep_out_of_git(root / CONTROL_ROOM)


def make_room(root: Path, room: WorkspacePath) -> None:
    """Make a directory of `.orchestration/` where it is missing. Raises as above."""
    _make_control_room(root)
    _make(f"{root}/{room}", 0o777)


def _make_control_room(root: Path) -> None:
    # Text, not Path: it is asked for each record.
    if not _is_directory(f"{root}/{CONTROL_ROOM}"):
        control = root / CONTROL_ROOM
        control.mkdir(exist_ok=True)
        if not control.resolve().is_relative_to(root.resolve()):
            raise UnsafePathError(path=str(control), problem="it points outside the root")


def _make(room: str, mode: int) -> bool:
    """Make a directory where it is missing; whether it was."""
    if _is_directory(room):
        return False
    try:
        Path(room).mkdir(mode=mode)
    except FileExistsError as error:
        # Two that start together make it once; anything else is no place to write.
        if not _is_directory(room):
            raise UnsafePathError(path=room, problem="not a directory") from error
    return True


def _is_directory(path: str) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.lstat(path).st_mode)
    return False
