"""Paths that no intent needs to own: files that git ignores, and temporary files.

Invariant: a path in a governed root, or in a git work tree below a temporary directory, is not
temporary.
"""

import os
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.agent_hosts import home_directory
from intent_lsp.store.fs.root_search import directories_above, is_git_top
from intent_lsp.store.fs.roots import governed_root
from intent_lsp.store.git.repository import Git

_VARIABLES: Final = ("TMPDIR", "TEMP", "TMP")
_ROOMS: Final = ("/tmp", "/var/tmp")  # noqa: S108 - asked about, never written to


def is_ignored(git: Git, path: WorkspacePath, *, directory: bool = False) -> bool:
    """Return whether git ignores a path and tracks neither the path nor anything below it.

    `directory` is for a path that does not exist yet and may become a directory: patterns such as
    `build/`, which ignore only directories, then apply.
    """
    spelled = WorkspacePath(f"{path}/") if directory else path
    return git.ignored(spelled) and not git.tracks_below(path)


def is_temporary(root: Path, path: str) -> bool:
    """Return whether a path is that of a temporary file, which belongs to nobody.

    `path` is absolute or relative to `root`; its links are resolved. A temporary file is in a
    temporary directory of the system, but in no governed root. Neither it nor a directory above it,
    up to the temporary directory, is the top of a git work tree. Nor is it in the subdirectory of
    the temporary directory that contains `root` or the home directory. For example, with the root
    `/tmp/a/root` nothing in `/tmp/a` is temporary, except in a further temporary directory such as
    `/tmp/a/tmp`.
    """
    real = os.path.realpath(root / path)
    homes = [os.path.realpath(each) + os.sep for each in (root, home_directory())]
    for room in _rooms():
        if not real.startswith(room + os.sep):
            continue
        part = room + os.sep + real[len(room) + 1 :].partition(os.sep)[0]
        if not any(home.startswith(part + os.sep) for home in homes):
            above = (each for each in (real, *directories_above(real)) if each.startswith(room))
            return not any(map(is_git_top, above)) and governed_root(real) is None
    return False


def _rooms() -> tuple[str, ...]:
    """Return the temporary directories: those that TMPDIR, TEMP and TMP name, `/tmp`, `/var/tmp`.

    Links are resolved, and a variable with a relative path is ignored.
    """
    named = (os.environ.get(variable, "") for variable in _VARIABLES)
    rooms = (room for room in (*named, *_ROOMS) if Path(room).is_absolute())
    return tuple(dict.fromkeys(os.path.realpath(room) for room in rooms))
