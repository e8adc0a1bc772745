"""Path resolution: the file that a path names after links, and whether case matters in names.

Specified in scope section 4.

Invariant: nothing is written, not even to test something.
Invariant: `last_touched` also counts the change time (ctime), which no program can set back.
"""

import os
import string
import sys
from dataclasses import dataclass
from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath, fold, parse_relative, relative_to

_SWAPPED = str.maketrans(string.ascii_letters, string.ascii_uppercase + string.ascii_lowercase, "")


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path as given, and the path after resolving symbolic links, both relative to the root.

    `real` is None if the resolved path is outside the root or is the root.
    """

    path: WorkspacePath
    real: WorkspacePath | None


def resolve_below(root: Path, path: str) -> ResolvedPath | None:
    """Resolve the symbolic links of a path that is absolute or relative to the root. Never raises.

    Components that do not exist are kept as they are. `.` and `..` are removed before links are
    resolved. The path may be below the root as given or below the resolved root. Return None if the
    path, before its links are resolved, is outside the root or is the root, or if it cannot be a
    file name.
    """
    given = os.path.abspath(root)  # noqa: PTH100 - resolve() would follow links
    folded = fold(os.path.join(given, path))  # noqa: PTH118 - keeps `.` and `..`
    if folded is None or "\0" in folded:
        return None
    try:
        lexical, real = relative_to(folded, given), os.path.realpath(folded)
    except UnicodeEncodeError:
        # A lone surrogate that stands for no byte of a file name.
        return None
    if lexical is not None and real == folded:
        # The path has no link on its way, so neither has the root: no need to resolve the root.
        return ResolvedPath(lexical, lexical)
    resolved_root = os.path.realpath(root)
    lexical = lexical or relative_to(folded, resolved_root)
    return None if lexical is None else ResolvedPath(lexical, relative_to(real, resolved_root))


def resolved_path(root: Path, path: str) -> str | None:
    """Resolve the symbolic links of a path that is relative to the root.

    Return the resolved path, relative to the resolved root: "" for the root itself. Return None if
    it is outside the root, or if `path` cannot be a file name.
    """
    try:
        real, top = os.path.realpath(root / path), os.path.realpath(root)
    except ValueError:
        return None
    return "" if real == top else relative_to(real, top)


def is_directory(root: Path, name: str) -> bool:
    """Return whether `name`, a path relative to the root, is a directory, or a link to one.

    Return False if `name` is not a valid path.
    """
    path = parse_relative(name)
    return path is not None and os.path.isdir(root / path)  # noqa: PTH112 - False for any error


def is_file(root: Path, name: str) -> bool:
    """Return whether `name`, a path relative to the root, is a regular file, or a link to one.

    Return False if `name` is not a valid path.
    """
    path = parse_relative(name)
    return path is not None and os.path.isfile(root / path)  # noqa: PTH113 - False for any error


def case_sensitive(root: Path) -> bool:
    """Return whether file names under `root` are case-sensitive, so that `a` and `A` are two files.

    This is tested by looking up an existing entry with its letters' case swapped. Without a
    suitable entry, return what is usual for the operating system.
    """
    for entry in _entries(root):
        swapped = entry.with_name(entry.name.translate(_SWAPPED))
        try:
            return not os.path.samestat(entry.lstat(), swapped.lstat())
        except FileNotFoundError:
            return entry.is_symlink() or entry.exists()
        except (OSError, ValueError):
            continue
    return sys.platform != "darwin"


def _entries(root: Path) -> list[Path]:
    """Return at most 8 entries of the directory `root` whose names have ASCII letters.

    `.orchestration/` comes first.
    """
    try:
        names = os.listdir(root)  # noqa: PTH208 - names alone, without an object for each
    except (OSError, ValueError):
        return []
    lettered = [name for name in names if name != name.translate(_SWAPPED)]
    lettered.sort(key=lambda name: (name != CONTROL_ROOM, name))
    return [root / name for name in lettered[:8]]


def last_touched(path: Path) -> float | None:
    """Return when a file last changed: its modification or change time, whichever is later.

    The time is in seconds since 1970. If the file is missing or cannot be read, return the time of
    its parent directory, which changed when the file was removed. Return None if neither can be
    read.
    """
    for place in (path, path.parent):
        try:
            found = place.stat()
        except (OSError, ValueError):
            continue
        return max(found.st_mtime, found.st_ctime)
    return None
