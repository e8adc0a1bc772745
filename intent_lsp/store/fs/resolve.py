"""Where the bytes of a path go: links resolved, letter case known (scope section 4).

Invariant: nothing is written, not even to probe.
Invariant: what is asked is the system's own moment, too, which no program can set back.
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
    """A path as it reads, and where its bytes go; `real` is None when they leave the root."""

    path: WorkspacePath
    real: WorkspacePath | None


def resolve_below(root: Path, path: str) -> ResolvedPath | None:
    """Place an absolute or root-relative path: its deepest existing ancestor is resolved.

    Folded first, then compared with the root as given and as resolved. None: the path is outside
    of the root, or the root itself, or nothing that a file could be called. Total.
    """
    given = _spelled(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
    folded = fold(_spelled(os.path.join(given, _spelled(path))))  # noqa: PTH118 - keeps `.` and `..`
    if folded is None or "\0" in folded:
        return None
    lexical, real = relative_to(folded, given), _spelled(os.path.realpath(folded))
    if lexical is not None and real == folded:
        # Without a link on its way there is none on the way of the root.
        return ResolvedPath(lexical, lexical)
    resolved_root = _spelled(os.path.realpath(root))
    lexical = lexical or relative_to(folded, resolved_root)
    return None if lexical is None else ResolvedPath(lexical, relative_to(real, resolved_root))


def is_directory(root: Path, name: str) -> bool:
    """Whether there is a directory of this root-relative name; False for what is no such name."""
    path = parse_relative(name)
    return path is not None and (root / path).is_dir()


def case_sensitive(root: Path) -> bool:
    """Whether `a` and `A` are two files under `root`, found by asking for a name in swapped case.

    Where nothing can be asked: what the operating system usually does.
    """
    for entry in _entries(root):
        swapped = entry.with_name(entry.name.translate(_SWAPPED))
        try:
            return not os.path.samestat(entry.lstat(), swapped.lstat())
        except FileNotFoundError:
            return entry.is_symlink() or entry.exists()
        except (OSError, ValueError):
            continue
    return sys.platform not in ("darwin", "win32")


def _entries(root: Path) -> list[Path]:
    """Give existing entries whose names have letters; the control room first."""
    try:
        names = os.listdir(root)  # noqa: PTH208 - names alone, without an object for each
    except (OSError, ValueError):
        return []
    lettered = [name for name in names if name != name.translate(_SWAPPED)]
    lettered.sort(key=lambda name: (name != CONTROL_ROOM, name))
    return [root / name for name in lettered[:8]]


if sys.platform == "win32":

    def _spelled(path: str) -> str:
        """Spell a path with `/`, a lower-case drive letter and without the prefix for long ones."""
        spelled = path.replace("\\", "/").removeprefix("//?/UNC").removeprefix("//?/")
        return spelled[:1].lower() + spelled[1:] if spelled[1:2] == ":" else spelled

else:

    def _spelled(path: str) -> str:
        """Spell a path as it is: `/` is the only separator."""
        return path


def last_touched(path: Path) -> float | None:
    """Tell when a file was written, or changed in any other way, in seconds since 1970.

    Of a file that is not there, that of its directory, out of which it may have been taken. None:
    neither is there, or it cannot be asked.
    """
    for place in (path, path.parent):
        try:
            found = place.stat()
        except (OSError, ValueError):
            continue
        return max(found.st_mtime, found.st_ctime)
    return None
