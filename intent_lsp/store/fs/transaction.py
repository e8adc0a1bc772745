"""File transaction: changes several files of the work tree for an agent, all or none.

Specified in protocol section 2.

Invariant: nothing is written or removed outside the root. Each file is replaced as a whole.
Invariant: after a failure, earlier changes are undone as far as the disk allows, but never over
what somebody else has written meanwhile.
"""

import logging
import os
import secrets
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import takewhile
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.errors import FileChangedError, IntentLspError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import TEMPORARY_PREFIX, remove_file, replace_file, resolved_inside

_log: Final = logging.getLogger(__name__)
_EXECUTABLE: Final = 0o111


class WorkFile(Struct, frozen=True, kw_only=True):
    """A change of one file: `data` is its new content, or None to remove the file.

    `before` is the content that the file must have just before the change (at `source`, if given),
    or None if it must not exist. `source` is the file's old path if the change also renames it,
    else None. `executable`: writing the content also makes the file executable.
    """

    path: WorkspacePath
    data: bytes | None
    before: bytes | None
    source: WorkspacePath | None = None
    executable: bool = False


def change_files(root: Path, changes: Iterable[WorkFile]) -> None:
    """Apply changes to files below `root`. If one fails, undo those before it.

    Raise FileChangedError if a file does not have the expected content, UnsafePathError if a path
    leads outside the root, is not a regular file, or is a new name that exists already, or OSError.
    """
    gone: list[Path] = []
    with ExitStack() as undoing:
        for change in changes:
            _make(root, change, undoing, gone)
        undoing.pop_all()
    for aside in gone:
        _forget(aside)


def remove_empty_directories(root: Path, paths: Iterable[WorkspacePath]) -> None:
    """Remove the directories of the removed files `paths`, and those above them, if they are empty.

    `root` itself is kept. A directory that cannot be removed is kept too.
    """
    for path in paths:
        for above in list((root / path).parents):
            if above == root or not above.is_relative_to(root):
                break
            try:
                above.rmdir()
            except OSError:
                # Something is left in it, or it is gone.
                break


def _make(root: Path, change: WorkFile, undoing: ExitStack, gone: list[Path]) -> None:
    """Apply one change to a file.

    Add to `undoing` callbacks that undo the change. A file to be removed is only renamed, and its
    temporary path added to `gone`, to be deleted once all changes have succeeded. Raise
    FileChangedError, UnsafePathError or OSError.
    """
    path = root / change.path
    if change.data is None:
        if os.path.lexists(path):
            gone.append(_set_aside(root, path, change.before, undoing))
        elif change.before is not None:
            raise FileChangedError(path=os.fspath(path))
        return
    _make_directories(root, path.parent, undoing)
    if change.source is not None:
        _move(root, root / change.source, path, change.before, undoing)
        if change.data == change.before:
            return
    replace_file(path, change.data, root=root, expected=change.before)
    undoing.callback(_restore, root, path, change)
    if change.executable:
        path.chmod(path.stat().st_mode | _EXECUTABLE)


def _move(root: Path, old: Path, new: Path, before: bytes | None, undoing: ExitStack) -> None:
    """Rename the file `old`, which must have the content `before`, to `new`.

    Add to `undoing` a callback that renames it back. Raise UnsafePathError if `new` exists or `old`
    is outside `root`, FileChangedError if the content of `old` is another.
    """
    _require(root, old, before)
    if os.path.lexists(new):
        raise UnsafePathError(path=os.fspath(new), problem="exists already")
    os.rename(old, new)  # noqa: PTH104 - refuses no other file's place
    undoing.callback(_move_back, new, old)


def _set_aside(root: Path, path: Path, before: bytes | None, undoing: ExitStack) -> Path:
    """Rename a file that is to be removed to a temporary name, and return its new path.

    Add to `undoing` a callback that renames it back. Raise FileChangedError if the file's content
    is not `before`. Raise UnsafePathError if the path is outside `root` or is a directory.
    """
    _require(root, path, before)
    if path.is_dir() and not path.is_symlink():
        raise UnsafePathError(path=os.fspath(path), problem="is a directory")
    aside = path.with_name(f"{TEMPORARY_PREFIX}{secrets.token_hex(6)}")
    os.rename(path, aside)  # noqa: PTH104 - as above
    undoing.callback(_move_back, aside, path)
    return aside


def _require(root: Path, path: Path, before: bytes | None) -> None:
    """Raise FileChangedError if a file's content is not `before` (None: there must be no file).

    Raise UnsafePathError if the file's directory is outside `root`.
    """
    resolved_inside(path.parent, root)
    if read_bytes(path) != before:
        raise FileChangedError(path=os.fspath(path))


def _make_directories(root: Path, path: Path, undoing: ExitStack) -> None:
    """Create a directory and its missing parents. Add to `undoing` callbacks that remove them.

    Raise UnsafePathError if the directory is outside `root`.
    """
    resolved_inside(path, root)
    missing = list(takewhile(lambda each: not each.is_dir(), (path, *path.parents)))
    for each in reversed(missing):
        each.mkdir()
        undoing.callback(_remove_directory, each)


def _restore(root: Path, path: Path, change: WorkFile) -> None:
    """Restore the content that a file had before `change`, unless it has changed again since.

    If there was no file before `change`, remove it. A failure is logged.
    """
    try:
        if change.before is not None:
            replace_file(path, change.before, root=root, expected=change.data)
        elif read_bytes(path) == change.data:
            remove_file(path)
    except (OSError, IntentLspError) as problem:
        _log.error("%s could not be put back: %s", path, problem)


def _move_back(now: Path, old: Path) -> None:
    """Rename the file `now` back to `old`, unless `old` exists again. A failure is logged."""
    try:
        if os.path.lexists(old):
            raise UnsafePathError(path=os.fspath(old), problem="exists again")
        os.rename(now, old)  # noqa: PTH104 - its own old place
    except (OSError, IntentLspError) as problem:
        _log.error("%s could not be put back: %s", old, problem)


def _remove_directory(path: Path) -> None:
    try:
        path.rmdir()
    except OSError as problem:
        _log.info("%s stays: %s", path, problem)


def _forget(aside: Path) -> None:
    try:
        remove_file(aside)
    except OSError as problem:
        _log.warning("%s could not be removed: %s", aside, problem)
