"""A bell beside a lock file: who lets go of the lock wakes one of those who wait for it.

It is a named pipe in a directory of this user's own, outside of every tree, as tools that copy a
tree stumble over one. Where there is none, who waits asks for the lock again and again.

Invariant: who rings never waits. Who is woken knows nothing by that: the lock alone tells.
Invariant: nothing is opened that another user may have put there.
"""

import os
import select
import stat
import tempfile
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

_HERE: Final = hasattr(select, "EPOLLEXCLUSIVE") and hasattr(os, "mkfifo")
_MARK: Final = b"w"
"""What a lock file begins with once anybody has hung a bell beside it."""

_FIRST: Final = 0.001
_EVERYTHING: Final = 1 << 16
_NAME: Final = "intent-lsp"
_ROOM_MODE: Final = 0o700
_MODE: Final = 0o600
_FLAGS: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


class LockWakeup:
    """The bell of a lock, whose file is given as `fd`, opened to read and write."""

    def __init__(self) -> None:
        self._pipe: int | None = None
        self._waiting: select.epoll | None = None

    def ring(self, fd: int) -> None:
        """Wake one of those who wait, if anybody ever did."""
        with suppress(OSError):
            if not _HERE or os.pread(fd, len(_MARK), 0) != _MARK or self._room is None:
                return
            # It cannot be opened where nobody has it open to read, and with it nobody waits.
            pipe = _opened(_name(self._room, fd), os.O_WRONLY)
            try:
                os.write(pipe, b"!")
            finally:
                os.close(pipe)

    def wait(self, fd: int, seconds: float) -> bool:
        """Wait until it is rung, for so long at most; False: there is none, and nothing was done.

        Where it has to be hung first, the lock may have been let go before: it is a short wait.
        """
        if not _HERE or self._room is None:
            return False
        try:
            name = _name(self._room, fd)
            if self._waiting is None or not self._hangs(name):
                self._hang(name, fd)
                seconds = min(seconds, _FIRST)
            if self._heard(seconds) and self._pipe is not None:
                # All of it: there is one lock to be had, however often it was rung.
                os.read(self._pipe, _EVERYTHING)
        except BlockingIOError:
            # Another one was quicker.
            return True
        except OSError:
            self.close()
            return False
        return True

    def close(self) -> None:
        """Let go of it; the next wait hangs it again."""
        if self._waiting is not None:
            self._waiting.close()
        if self._pipe is not None:
            os.close(self._pipe)
        self._waiting = self._pipe = None

    @cached_property
    def _room(self) -> Path | None:
        """This user's own directory for what lives as long as processes do, made when missing."""
        user, runtime = os.getuid(), Path(os.environ.get("XDG_RUNTIME_DIR", ""))
        temporary = Path(tempfile.gettempdir()) / f"{_NAME}-{user}"
        # A relative one is to be passed over, says its specification.
        room = runtime / _NAME if runtime.is_absolute() else temporary
        with suppress(OSError):
            with suppress(FileExistsError):
                room.mkdir(mode=_ROOM_MODE)
            found = room.lstat()
            if found.st_uid == user and found.st_mode == stat.S_IFDIR | _ROOM_MODE:
                return room
        return None

    def _heard(self, seconds: float) -> bool:
        return self._waiting is not None and bool(self._waiting.poll(seconds, 1))

    def _hangs(self, name: str) -> bool:
        with suppress(FileNotFoundError):
            return self._pipe is not None and os.path.samestat(os.fstat(self._pipe), os.lstat(name))
        return False

    def _hang(self, name: str, fd: int) -> None:
        self.close()
        with suppress(FileExistsError):
            os.mkfifo(name, _MODE)
        # To write as well: it stays open to those who ring, and never ends for us.
        self._pipe = _opened(name, os.O_RDWR)
        self._waiting = select.epoll()
        self._waiting.register(self._pipe, select.EPOLLIN | select.EPOLLEXCLUSIVE)
        if os.pread(fd, len(_MARK), 0) != _MARK:
            os.pwrite(fd, _MARK, 0)


def _name(room: Path, fd: int) -> str:
    found = os.fstat(fd)
    return f"{room}/{found.st_dev:x}-{found.st_ino:x}"


def _opened(name: str, how: int) -> int:
    """Open a named pipe and nothing else. Raises OSError."""
    pipe = os.open(name, how | _FLAGS)
    if stat.S_ISFIFO(os.fstat(pipe).st_mode):
        return pipe
    os.close(pipe)
    raise FileExistsError(f"{name} is not a named pipe")
