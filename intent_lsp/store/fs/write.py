"""Durable file writes: replaced or created in one step, synced, and cleaned up after an error.

Invariant: nobody sees a file that is half written or not synced, unless a function says otherwise.
Invariant: a link at a file's path is followed by `replace_file` alone, and only inside the root.
"""

import contextlib
import errno
import os
import re
import secrets
import stat as modes
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path

from intent_lsp.core.errors import FileChangedError, UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM
from intent_lsp.store.fs.files import read_bytes

TEMPORARY_PREFIX = ".tmp-"
_TEMPORARY = re.compile(r"(?:.*/)?\.tmp-[0-9a-f]{12}", re.DOTALL)
_NEW_FILE_MODE = 0o666
_BUFFER = 1 << 20
_WRITABLE = modes.S_IWUSR | modes.S_IWGRP | modes.S_IWOTH
# Flags for a file that must not exist yet, so that no link is followed.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


class Anything(Enum):
    """The type of ANY, the value of a parameter `expected` that accepts any content or no file."""

    ANY = "any"


ANY = Anything.ANY
"""As `expected`: any content is accepted, and so is no file."""


def replace_file(
    path: Path, data: bytes, *, root: Path, expected: bytes | Anything | None = ANY
) -> None:
    """Replace the content of `path` by `data` atomically. If `path` is a link, replace its target.

    A missing file is created. `expected` is the content that the file must have just before (None:
    there must be no file; ANY: anything); otherwise raise FileChangedError. Raise UnsafePathError
    if the target is outside `root` or not a regular file, or OSError.
    """
    replace_lines(resolved_inside(path, root), (data,), expected=expected)


def replace_lines(
    path: Path,
    lines: Iterable[bytes],
    *,
    mode: int = _NEW_FILE_MODE,
    expected: bytes | Anything | None = ANY,
) -> None:
    """Replace the content of a file by `lines` atomically. The lines are written as they arrive.

    An existing file keeps its mode; a missing one is created with `mode`, reduced by the umask.
    `expected` is as in `replace_file`. Raise FileChangedError, UnsafePathError if something else
    than a regular file is at the path, or OSError if the file is read-only or writing fails. After
    any error the file is unchanged.
    """
    before = _replaceable(path)
    with _written(path, lines, mode=mode, like=before) as temporary:
        if not isinstance(expected, Anything) and read_bytes(path) != expected:
            raise FileChangedError(path=os.fspath(path))
        temporary.replace(path)
    sync_directory(path.parent)


def create_file(path: Path, data: bytes, *, mode: int = _NEW_FILE_MODE) -> bool:
    """Create a file with its content, and return True. Return False if anything is at the path.

    It appears complete, in one step, except on a file system without hard links. `mode` is reduced
    by the process's umask. Raise OSError if creating fails.
    """
    with _written(path, (data,), mode=mode) as temporary:
        try:
            # Link a finished file to the name: a file opened under it could be seen half written.
            os.link(temporary, path, follow_symlinks=False)
        except FileExistsError:
            return False
        except (OSError, NotImplementedError):  # A file system without hard links.
            try:
                _write_new(path, (data,), mode=mode)
            except FileExistsError:
                return False
    sync_directory(path.parent)
    return True


def create_cache_file(path: Path, data: bytes, *, mode: int, mtime_ns: int | None = None) -> None:
    """Create or replace a file atomically, without syncing, with the permissions `mode`.

    The umask reduces `mode`. `mtime_ns` is its modification time in ns since 1970 (None: now).
    """
    with _written(path, (data,), mode=mode, lasting=False) as temporary:
        if mtime_ns is not None:
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
        temporary.replace(path)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Callable[[bytes], object]]:
    """Create a file, and yield a function that appends bytes to it. Sync the file at the end.

    Others can see the unfinished file. If the `with` block or the sync fails, remove the file and
    raise that error. Raise FileExistsError if anything exists at the path, or another OSError.
    """
    with path.open("xb") as file:
        try:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            _discard(path)
            raise


@contextlib.contextmanager
def temporary_files(contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a temporary directory with the files in `contents` (name to bytes), then delete it."""
    with tempfile.TemporaryDirectory(prefix="intent-lsp-") as directory:
        for name, data in contents.items():
            Path(directory, name).write_bytes(data)
        yield Path(directory)


def move_file(source: Path, target: Path) -> None:
    """Move `source` to `target`, replacing a file. Sync the target's directory. Raise OSError."""
    source.replace(target)
    sync_directory(target.parent)


def remove_file(path: Path) -> bool:
    """Remove a file or link. Return False if there is none. Raise OSError if removing fails."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def make_directory(path: Path, *, mode: int | None = None) -> None:
    """Create a directory, unless it exists, and give it exactly `mode`. Its parent must exist.

    If `mode` is None, or this user may not change it, an existing directory keeps its mode. Raise
    UnsafePathError if a symbolic link or something else is at the path, or OSError.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir(0o777 if mode is None else mode)
    found = path.lstat()
    if not modes.S_ISDIR(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is a link or is not a directory")
    if mode is not None and modes.S_IMODE(found.st_mode) != mode:
        # Another user's directory, or a file system without modes: leave it as it is.
        with contextlib.suppress(PermissionError):
            path.chmod(mode)


def make_parents(path: Path, *, root: Path) -> None:
    """Create the missing directories above `path`. Do nothing if they are outside `root`."""
    room = Path(os.path.realpath(path.parent))
    if room.is_relative_to(os.path.realpath(root)):
        room.mkdir(parents=True, exist_ok=True)


def directory_for_temporary(path: Path) -> Path:
    """Return the directory in which a file is written before it is renamed to `path`.

    For a file in `.orchestration/` or in a directory directly inside it, this is `.local/`, which
    git ignores, if that exists on the same file system. Otherwise it is the directory of `path`.
    """
    room = path.parent
    for control in (room, room.parent):
        local = control.parent / LOCAL_ROOM
        if control.name == CONTROL_ROOM and local.is_dir() and not local.is_symlink():
            return local if local.stat().st_dev == room.stat().st_dev else room
    return room


def is_temporary(path: str) -> bool:
    """Return whether a path's last part is a name that this module gives to temporary files."""
    return _TEMPORARY.fullmatch(path) is not None


def sync_directory(path: Path) -> None:
    """Sync a directory's entries to disk. Ignore errors: not every file system supports that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    """Write all bytes, in as many calls as needed. Raise OSError."""
    with memoryview(data) as rest:
        written = 0
        while written < len(rest):
            written += os.write(descriptor, rest[written:])


def resolved_inside(path: Path, root: Path) -> Path:
    """Return `path` with its links resolved. Raise UnsafePathError if that is outside `root`."""
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise UnsafePathError(path=os.fspath(path), problem="leads outside its root through a link")
    return target


@contextlib.contextmanager
def _written(
    path: Path,
    pieces: Iterable[bytes],
    *,
    mode: int,
    like: os.stat_result | None = None,
    lasting: bool = True,
) -> Iterator[Path]:
    """Write a temporary file for `path` and yield its path, for the caller to rename it to `path`.

    It is removed afterwards if the caller has not renamed it. It gets owner and mode of the stat
    result `like`, or else `mode`. It is synced to disk if `lasting`.
    """
    temporary = directory_for_temporary(path) / f"{TEMPORARY_PREFIX}{secrets.token_hex(6)}"
    try:
        _write_new(temporary, pieces, mode=mode, like=like, lasting=lasting)
        yield temporary
    finally:
        _discard(temporary)


def _write_new(
    path: Path,
    pieces: Iterable[bytes],
    *,
    mode: int,
    like: os.stat_result | None = None,
    lasting: bool = True,
) -> None:
    """Write a new file, synced if `lasting`. It gets owner and mode of `like`, or else `mode`.

    Raise FileExistsError if anything is at `path`. After another error the file is removed.
    """
    descriptor = os.open(path, _NEW, mode)
    try:
        held = bytearray()
        for piece in pieces:
            held += piece
            if len(held) >= _BUFFER:
                write_all(descriptor, held)
                held.clear()
        write_all(descriptor, held)
        if like is not None:
            _imitate(path, like)
        if lasting:
            os.fsync(descriptor)
    except BaseException:
        _discard(path)
        raise
    finally:
        os.close(descriptor)


def _imitate(path: Path, like: os.stat_result) -> None:
    """Set a file's owner, if permitted, and mode to those in the stat result `like`."""
    mine = path.stat()
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
        # As far as permitted. Before the mode, since a change of owner clears mode bits.
        with contextlib.suppress(PermissionError):
            os.chown(path, like.st_uid, like.st_gid)
    path.chmod(modes.S_IMODE(like.st_mode))


def _replaceable(path: Path) -> os.stat_result | None:
    """Return the stat result of a file to be replaced, or None if there is no file.

    Raise UnsafePathError if the path is not a regular file, PermissionError if it is read-only.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not modes.S_ISREG(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is not a regular file")
    # Check the mode as well: for root `os.access` allows all, but a person made it read-only.
    if not found.st_mode & _WRITABLE or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return found


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
