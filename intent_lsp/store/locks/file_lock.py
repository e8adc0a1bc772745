"""Advisory locks on open files, among processes and threads.

Invariant: a lock ends with its file's descriptor, however the process ends; nothing waits for one
but `wait_for`, and that for a time.
"""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from intent_lsp.store.clock import deadline, pause
from intent_lsp.store.fs.write import create_file

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCK_FILE_MODE: Final = 0o600
_SHORTEST: Final = 0.00005
_LONGEST: Final = 0.001

T = TypeVar("T")


def open_lock_file(path: Path) -> BinaryIO:
    """Open a lock file, created when missing; its directory has to exist. Raises OSError."""
    if not path.exists():
        create_file(path, b"", mode=_LOCK_FILE_MODE)
    return path.open("rb")


def wait_for(attempt: Callable[[], T], seconds: float) -> T:
    """Try for a lock until an attempt gives something true, or the time is over; give the last."""
    late, between = deadline(seconds), _SHORTEST
    while not (found := attempt()) and not late():
        pause(between)
        between = min(between * 1.5, _LONGEST)
    return found


if sys.platform == "win32":

    def try_lock(fd: int) -> bool:
        """Lock a file against every other holder; False when someone has it."""
        os.lseek(fd, 0, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def try_share(fd: int) -> bool:
        """Lock a file as `try_lock` does: Windows shares no locks by way of this call."""
        return try_lock(fd)

    def unlock(fd: int) -> None:
        """Let go of the lock."""
        os.lseek(fd, 0, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:

    def try_lock(fd: int) -> bool:
        """Lock a file against every other holder; False when someone has it. Raises OSError."""
        return _try(fd, fcntl.LOCK_EX)

    def try_share(fd: int) -> bool:
        """Lock a file together with others that share it; False when one has it for itself."""
        return _try(fd, fcntl.LOCK_SH)

    def unlock(fd: int) -> None:
        """Let go of the lock."""
        fcntl.flock(fd, fcntl.LOCK_UN)

    def _try(fd: int, kind: int) -> bool:
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except OSError as problem:
            # Some network shares say of a lock that somebody has that it is not permitted.
            if problem.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise
        return True
