"""Advisory locks on open files, between processes and threads.

Invariant: a lock ends with its file descriptor, however the process ends. Only `wait_for` waits,
and only for a limited time.
"""

import errno
import fcntl
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from intent_lsp.store.clock import deadline, pause
from intent_lsp.store.fs.write import create_file

_LOCK_FILE_MODE: Final = 0o600
_SHORTEST: Final = 0.00005
_LONGEST: Final = 0.001

T = TypeVar("T")


def open_lock_file(path: Path) -> BinaryIO:
    """Open a lock file, and create it if it is missing. Raise OSError if that fails.

    Its directory must exist.
    """
    if not path.exists():
        create_file(path, b"", mode=_LOCK_FILE_MODE)
    return path.open("rb")


def wait_for(attempt: Callable[[], T], seconds: float) -> T:
    """Call `attempt`, pausing shortly, until it returns something true or `seconds` have passed.

    Call it once at least. Return what the last call returned.
    """
    late, between = deadline(seconds), _SHORTEST
    while not (found := attempt()) and not late():
        pause(between)
        between = min(between * 1.5, _LONGEST)
    return found


def try_lock(fd: int) -> bool:
    """Lock an open file exclusively, and return True.

    Return False if it is locked through another descriptor. Raise OSError if it cannot be locked
    for another reason.
    """
    return _try(fd, fcntl.LOCK_EX)


def try_share(fd: int) -> bool:
    """Take a shared lock on an open file, and return True.

    Return False if it is locked exclusively through another descriptor. Raise OSError if it cannot
    be locked for another reason.
    """
    return _try(fd, fcntl.LOCK_SH)


def unlock(fd: int) -> None:
    """Release the lock on an open file."""
    fcntl.flock(fd, fcntl.LOCK_UN)


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError as problem:
        # Some network file systems report a lock that is held as EACCES.
        if problem.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True
