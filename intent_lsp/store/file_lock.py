"""Advisory locks on open files, among processes and threads.

Invariant: nothing here waits; a lock ends with its file's descriptor, however the process ends.
"""

import sys
from pathlib import Path
from typing import BinaryIO

from intent_lsp.store.files import create_file

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCK_FILE_MODE = 0o600


def open_lock_file(path: Path) -> BinaryIO:
    """Open a lock file, created when missing; its directory has to exist. Raises OSError."""
    if not path.exists():
        create_file(path, b"", mode=_LOCK_FILE_MODE)
    return path.open("rb")


if sys.platform == "win32":

    def try_lock(file: BinaryIO) -> bool:
        """Lock a file against every other holder; False when someone has it."""
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def try_share(file: BinaryIO) -> bool:
        """Lock a file as `try_lock` does: Windows shares no locks by way of this call."""
        return try_lock(file)

    def unlock(file: BinaryIO) -> None:
        """Let go of the lock."""
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:

    def try_lock(file: BinaryIO) -> bool:
        """Lock a file against every other holder; False when someone has it. Raises OSError."""
        return _try(file, fcntl.LOCK_EX)

    def try_share(file: BinaryIO) -> bool:
        """Lock a file together with others that share it; False when one has it for itself."""
        return _try(file, fcntl.LOCK_SH)

    def unlock(file: BinaryIO) -> None:
        """Let go of the lock."""
        fcntl.flock(file, fcntl.LOCK_UN)

    def _try(file: BinaryIO, kind: int) -> bool:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
