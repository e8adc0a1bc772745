"""Files on disk: read whole, replaced whole, never half.

Invariant: nobody sees half of a file that is written here, nor a file that was never synced.
Invariant: no byte is written through a symbolic link that leaves the root (requirements section 2).
Invariant: reading never waits on a pipe or a device: what is not a regular file does not exist.
"""

import contextlib
import errno
import os
import re
import secrets
import stat as modes
import sys
import threading
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from intent_lsp.core.errors import FileChangedError, UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM

TEMPORARY_PREFIX = ".tmp-"
_LOCAL = Path(LOCAL_ROOM).name
_TEMPORARY = re.compile(r"(?:.*/)?\.tmp-[0-9a-f]{12}", re.DOTALL)

_NEW_FILE_MODE = 0o666
_DIRECTORY_MODE = 0o777
_CHUNK = 1 << 20
_WRITABLE = modes.S_IWUSR | modes.S_IWGRP | modes.S_IWOTH
# What the operating system says of a name that no file of its can have.
_NO_SUCH_FILE = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.ENXIO,
    errno.EISDIR,
    errno.EINVAL,
}
_READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_WRITE_FLAGS = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


class Anything(Enum):
    """The content that `replace_file` expects when any will do."""

    ANY = "any"


ANY = Anything.ANY


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What tells two states of a file apart without reading it."""

    identity: tuple[int, int]
    """Device and inode."""
    size: int
    mtime_ns: int


class TooLargeError(OSError):
    """A file has more bytes than its reader takes."""

    def __init__(self, at_most: int) -> None:
        super().__init__(errno.EFBIG, f"a file of more than {at_most >> 20} MiB is not read")


def read_bytes(path: Path, at_most: int | None = None) -> bytes | None:
    """Read a whole file, links followed; None when no regular file is there.

    Raises OSError when it is there and cannot be read, and TooLargeError, unread, when it has more
    than `at_most` bytes.
    """
    try:
        descriptor = os.open(path, _READ_FLAGS)
    except ValueError:  # A null character: no file has such a name.
        return None
    except OSError as problem:
        if problem.errno in _NO_SUCH_FILE or path.is_dir():
            return None
        raise
    try:
        found = os.fstat(descriptor)
        if not modes.S_ISREG(found.st_mode):
            return None
        if at_most is not None and found.st_size > at_most:
            raise TooLargeError(at_most)
        return _read_all(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def stamp(path: Path | str) -> Stamp | None:
    """Stamp a file, links followed; None when no regular file is there or it cannot be asked."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for each call: a Path costs as much again
    except (OSError, ValueError):
        return None
    if not modes.S_ISREG(found.st_mode):
        return None
    return Stamp(
        identity=(found.st_dev, found.st_ino), size=found.st_size, mtime_ns=found.st_mtime_ns
    )


def replace_file(
    path: Path, data: bytes, *, root: Path, expected: bytes | Anything | None = ANY
) -> None:
    """Make `data` the content of `path` in one step; its mode stays, a link stays a link.

    `expected` is what must be there right before (None: nothing). Raises FileChangedError when it
    is not, UnsafePathError when the bytes would leave `root` or `path` is not a regular file,
    OSError when the file is read-only or the disk refuses.
    """
    target = _target(path, root)
    before = _regular(target)
    if before is not None and _read_only(target, before):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(target))
    temporary = _write_temporary(directory_for_temporary(target), data, mode=_NEW_FILE_MODE)
    try:
        _make_lasting(temporary, like=before)
        _require(target, expected)
        _rename(temporary, target)
    except BaseException:
        _discard(temporary)
        raise
    _sync_directory(target.parent)


def create_file(path: Path, data: bytes, *, mode: int = _NEW_FILE_MODE) -> bool:
    """Create a file with its content in one step; False when anything is there already.

    `mode` is narrowed by the process's mask. Raises OSError.
    """
    temporary = _write_temporary(directory_for_temporary(path), data, mode=mode)
    try:
        _make_lasting(temporary, like=None)
        # A link to a finished file: unlike a file opened new, it is never seen half written.
        os.link(temporary, path, follow_symlinks=False)
    except FileExistsError:
        return False
    except (OSError, NotImplementedError):
        if not _create_in_place(path, data, mode):
            return False
    finally:
        _discard(temporary)
    _sync_directory(path.parent)
    return True


def directory_for_temporary(path: Path) -> Path:
    """Give the directory in which a file is written before it takes its place at `path`.

    What is ours is written in `.local/`, where git does not see it, as far as that is on the same
    file system; all else beside its place.
    """
    room = path.parent
    for control in (room, room.parent):
        local = control / _LOCAL
        if control.name == CONTROL_ROOM and local.is_dir() and not local.is_symlink():
            return local if local.stat().st_dev == room.stat().st_dev else room
    return room


def create_cache_file(path: Path, data: bytes, *, mode: int) -> None:
    """Put a file into a cache in one step, over what is there, the disk not asked to keep it."""
    temporary = _write_temporary(path.parent, data, mode=mode)
    try:
        temporary.replace(path)
    except BaseException:
        _discard(temporary)
        raise


def remove_file(path: Path) -> bool:
    """Remove a file or a link; False when nothing is there. Raises OSError."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def make_directory(path: Path, *, mode: int | None = None) -> None:
    """Make a directory, unless one is there, with exactly `mode`; its parent must exist.

    Without `mode`, one that is there keeps its own. Raises UnsafePathError when something else or
    a symbolic link is there, OSError.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir(_DIRECTORY_MODE if mode is None else mode)
    found = path.lstat()
    if not modes.S_ISDIR(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is not a directory")
    if mode is not None and sys.platform != "win32" and modes.S_IMODE(found.st_mode) != mode:
        # Another user's directory, or a file system without modes: as good as it gets.
        with contextlib.suppress(PermissionError):
            path.chmod(mode)


def make_parents(path: Path, *, root: Path) -> None:
    """Make the directories above a file that is to be made; none of them outside of `root`."""
    room = Path(os.path.realpath(path.parent))
    if room.is_relative_to(os.path.realpath(root)):
        room.mkdir(parents=True, exist_ok=True)


def _read_all(descriptor: int, size: int) -> bytes:
    """Read to the end, which may be elsewhere by now than `size` bytes on."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while parts[-1]:
        parts.append(os.read(descriptor, _CHUNK))
    return b"".join(parts)


def _target(path: Path, root: Path) -> Path:
    """Follow links to where the bytes of `path` go: into the root, or nowhere."""
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise UnsafePathError(
            path=os.fspath(path), problem="is a link that points outside its root"
        )
    return target


def _regular(path: Path) -> os.stat_result | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not modes.S_ISREG(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is not a regular file")
    return found


def _read_only(path: Path, found: os.stat_result) -> bool:
    # The mode too: what a person made read-only stays as it is, whoever we run as.
    return not found.st_mode & _WRITABLE or not os.access(path, os.W_OK)


def is_temporary(path: str) -> bool:
    """Whether a path is of a file as one is written here before it is given its name."""
    return _TEMPORARY.fullmatch(path) is not None


def _require(path: Path, expected: bytes | Anything | None) -> None:
    if not isinstance(expected, Anything) and read_bytes(path) != expected:
        raise FileChangedError(path=os.fspath(path))


def _write_temporary(directory: Path, data: bytes, *, mode: int) -> Path:
    path = directory / f"{TEMPORARY_PREFIX}{secrets.token_hex(6)}"
    descriptor = os.open(path, _WRITE_FLAGS, mode)
    try:
        try:
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)
    except BaseException:
        _discard(path)
        raise
    return path


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _make_lasting(path: Path, *, like: os.stat_result | None) -> None:
    """Ask the disk to keep a file, with the owner and mode of the one it replaces."""
    if like is not None:
        _imitate(path, like)
    # Windows flushes only what is open for writing.
    descriptor = os.open(path, os.O_WRONLY if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _imitate(path: Path, like: os.stat_result) -> None:
    if sys.platform != "win32":
        mine = path.stat()
        if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
            # As far as we may; before the mode, of which a change of owner clears bits.
            with contextlib.suppress(PermissionError):
                os.chown(path, like.st_uid, like.st_gid)
    path.chmod(modes.S_IMODE(like.st_mode))


def _rename(source: Path, target: Path) -> None:
    if sys.platform == "win32":
        # Windows refuses while a virus scanner or an editor holds the target open for a moment.
        for _ in range(10):
            with contextlib.suppress(PermissionError):
                source.replace(target)
                return
            threading.Event().wait(0.02)
    source.replace(target)


def _create_in_place(path: Path, data: bytes, mode: int) -> bool:
    """Create a file where the file system has no hard links."""
    try:
        descriptor = os.open(path, _WRITE_FLAGS, mode)
    except FileExistsError:
        return False
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


def _sync_directory(path: Path) -> None:
    """Ask the disk to keep a rename; some file systems cannot, and lose nothing by it."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
