"""Paths that no intent needs to own: files that git ignores, and temporary files.

Invariant: a path that may belong to somebody, in a git work tree or a governed root, is not
temporary.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.roots import governed_root, is_git_top
from intent_lsp.store.git.repository import Git

_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")
_ROOMS: Final = ("/tmp", "/var/tmp")  # noqa: S108 - asked about, never written to


def is_ignored(git: Git, path: WorkspacePath, *, directory: bool = False) -> bool:
    """Return whether git ignores a file or directory and tracks neither it nor anything below it.

    `directory` is for a path that does not exist yet and may become a directory. A pattern such as
    `build/` ignores only directories.
    """
    spelled = WorkspacePath(f"{path}/") if directory else path
    return git.ignored(spelled) and not git.tracks_below(path)


def is_temporary(root: Path, path: str) -> bool:
    """Return whether a path, absolute or relative to a root, is that of a temporary file.

    If the root or the home directory is itself below the temporary directory, it is in one of that
    directory's entries; paths in the same entry are not temporary.
    """
    real = os.path.realpath(root / path)
    homes = [os.path.realpath(each) + os.sep for each in (root, Path.home())]
    for room in _rooms():
        if not real.startswith(room + os.sep):
            continue
        part = room + os.sep + real[len(room) + 1 :].partition(os.sep)[0]
        if not any(home.startswith(part + os.sep) for home in homes):
            tops = (is_git_top(directory) for directory in _above(real, room))
            return not any(tops) and governed_root(real) is None
    return False


def _rooms() -> tuple[str, ...]:
    """Return the temporary directories of the system, with links resolved."""
    named = (os.environ.get(variable, "") for variable in _VARIABLES)
    rooms = (room for room in (*named, *_ROOMS) if Path(room).is_absolute())
    return tuple(dict.fromkeys(os.path.realpath(room) for room in rooms))


def _above(path: str, room: str) -> Iterator[Path]:
    """Yield `path` and each directory above it, up to the temporary directory `room`."""
    yield Path(path)
    yield from (each for each in Path(path).parents if each.is_relative_to(room))
