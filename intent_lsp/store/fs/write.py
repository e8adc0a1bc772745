"""Files written durably: replaced or created in one step, synced, and gone again after an error.

Invariant: nobody sees half of a file that is replaced or created here, nor one that was not synced.
Invariant: no byte is written through a symbolic link that leaves the root (requirements section 2).
"""

import contextlib
import errno
import os
import re
import secrets
import stat as modes
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path

from intent_lsp.core.errors import FileChangedError, UnsafePathError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM
from intent_lsp.store.clock import pause
from intent_lsp.store.fs.files import read_bytes

TEMPORARY_PREFIX = ".tmp-"
_TEMPORARY = re.compile(r"(?:.*/)?\.tmp-[0-9a-f]{12}", re.DOTALL)

_NEW_FILE_MODE = 0o666
_BUFFER = 1 << 20
_WRITABLE = modes.S_IWUSR | modes.S_IWGRP | modes.S_IWOTH
# Of a file that must not be there, so that no link is followed.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Anything(Enum):
    """The content that is expected when any will do."""

    ANY = "any"


ANY = Anything.ANY


def replace_file(
    path: Path, data: bytes, *, root: Path, expected: bytes | Anything | None = ANY
) -> None:
    """Make `data` the content of `path` in one step; a link stays a link.

    Raises as `replace_lines`, and UnsafePathError when the bytes would leave `root`.
    """
    target = Path(os.path.realpath(path))
    if not target.is_relative_to(os.path.realpath(root)):
        raise leaving(path)
    replace_lines(target, (data,), expected=expected)


def replace_lines(
    path: Path,
    lines: Iterable[bytes],
    *,
    mode: int = _NEW_FILE_MODE,
    expected: bytes | Anything | None = ANY,
) -> None:
    """Make lines, or other pieces, the content of a file in one step, as they come.

    A file that is there keeps its mode, another is given `mode`. `expected` is what must be there
    right before (None: nothing). Raises FileChangedError when it is not, UnsafePathError when no
    regular file is there, OSError when it is read-only or the disk refuses, and whatever reading
    `lines` does; the file is then as it was.
    """
    before = _replaceable(path)
    with _written(path, lines, mode=mode, like=before) as temporary:
        if not isinstance(expected, Anything) and read_bytes(path) != expected:
            raise FileChangedError(path=os.fspath(path))
        _rename(temporary, path)
    sync_directory(path.parent)


def create_file(path: Path, data: bytes, *, mode: int = _NEW_FILE_MODE) -> bool:
    """Create a file with its content in one step; False when anything is there already.

    `mode` is narrowed by the process's mask. Raises OSError.
    """
    with _written(path, (data,), mode=mode) as temporary:
        try:
            # A link to a finished file: unlike a file opened new, it is never seen half written.
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
    """Put a file into a cache in one step, over what is there, the disk not asked to keep it."""
    with _written(path, (data,), mode=mode, lasting=False) as temporary:
        if mtime_ns is not None:
            os.utime(temporary, ns=(mtime_ns, mtime_ns))
        _rename(temporary, path)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Callable[[bytes], object]]:
    """Make a file for others and give what writes to it; on any error the file goes again.

    Raises OSError, FileExistsError where anything has that name.
    """
    try:
        with path.open("xb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except BaseException:
        _discard(path)
        raise


@contextlib.contextmanager
def temporary_files(contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Give a directory of files for another program, which is gone in the end."""
    with tempfile.TemporaryDirectory(prefix="intent-lsp-") as directory:
        for name, data in contents.items():
            Path(directory, name).write_bytes(data)
        yield Path(directory)


def move_file(source: Path, target: Path) -> None:
    """Give a file another name, over what has it, and have the disk keep that. Raises OSError."""
    _rename(source, target)
    sync_directory(target.parent)


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
        path.mkdir(0o777 if mode is None else mode)
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


def directory_for_temporary(path: Path) -> Path:
    """Give the directory in which a file is written before it takes its place at `path`.

    What is ours is written in `.local/`, where git does not see it, as far as that is on the same
    file system; all else beside its place.
    """
    room = path.parent
    for control in (room, room.parent):
        local = control.parent / LOCAL_ROOM
        if control.name == CONTROL_ROOM and local.is_dir() and not local.is_symlink():
            return local if local.stat().st_dev == room.stat().st_dev else room
    return room


def is_temporary(path: str) -> bool:
    """Whether a path is of a file as one is written here before it is given its name."""
    return _TEMPORARY.fullmatch(path) is not None


def sync_directory(path: Path) -> None:
    """Ask the disk to keep a directory's names; some file systems cannot, and lose nothing."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_all(descriptor: int, data: bytes | bytearray) -> None:
    """Write all of some bytes, in as many calls as that takes. Raises OSError."""
    with memoryview(data) as rest:
        written = 0
        while written < len(rest):
            written += os.write(descriptor, rest[written:])


def leaving(path: Path) -> UnsafePathError:
    """Give the error of a path that leads out of its root."""
    problem = "is a link that points outside its root"
    return UnsafePathError(path=os.fspath(path), problem=problem)


@contextlib.contextmanager
def _written(
    path: Path,
    pieces: Iterable[bytes],
    *,
    mode: int,
    like: os.stat_result | None = None,
    lasting: bool = True,
) -> Iterator[Path]:
    """Give a finished file that is to take its place at `path`, and is gone in the end if not."""
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
    """Write a new file, with the owner and mode of another, and ask the disk to keep it."""
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
    finally:
        os.close(descriptor)


def _imitate(path: Path, like: os.stat_result) -> None:
    if sys.platform != "win32":
        mine = path.stat()
        if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid):
            # As far as we may; before the mode, of which a change of owner clears bits.
            with contextlib.suppress(PermissionError):
                os.chown(path, like.st_uid, like.st_gid)
    path.chmod(modes.S_IMODE(like.st_mode))


def _replaceable(path: Path) -> os.stat_result | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not modes.S_ISREG(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is not a regular file")
    # The mode too: what a person made read-only stays as it is, whoever we run as.
    if not found.st_mode & _WRITABLE or not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return found


def _rename(source: Path, target: Path) -> None:
    if sys.platform == "win32":
        # Windows refuses while a virus scanner or an editor holds the target open for a moment.
        for _ in range(10):
            with contextlib.suppress(PermissionError):
                source.replace(target)
                return
            pause(0.02)
    source.replace(target)


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
