"""Control-plane files that git ignores, which no snapshot of a work tree contains.

Invariant: nothing is written, and a directory that cannot be read counts as empty.
"""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.control_plane import CONTROL_FAMILIES, CONTROL_FILES, CONTROL_ROOMS
from intent_lsp.core.gate.file_class import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.repository import Git

FILES_AT_MOST: Final = 1_000
_GITS_OWN: Final = ".git"


def hidden_control_files(root: Path, git: Git) -> tuple[WorkspacePath, ...]:
    """Return the control-plane files of a root that git ignores.

    Files that only the server writes are left out.
    """
    found = itertools.islice(_files(root), FILES_AT_MOST)
    return tuple(path for path in found if not server_only(path) and git.ignored(path))


def _files(root: Path) -> Iterator[WorkspacePath]:
    """Yield the control-plane files that exist below a root, whether ignored or not."""
    yield from (WorkspacePath("/".join(each)) for each in CONTROL_FILES if _is_file(root, *each))
    for room, head, tail in CONTROL_FAMILIES:
        for name in _names(root / room):
            if name.startswith(head) and name.endswith(tail):
                yield WorkspacePath(f"{room}/{name}")
    for parts in CONTROL_ROOMS:
        if parts[0] != _GITS_OWN:
            yield from _below(root, "/".join(parts))


def _below(root: Path, room: str) -> Iterator[WorkspacePath]:
    """Yield all files below a directory, without directories that only the server writes."""
    for directory, rooms, names in os.walk(root / room):
        below = Path(directory).relative_to(root).as_posix()
        # Directories that only the server writes may be large, and no agent's change is looked for
        # there.
        rooms[:] = sorted(name for name in rooms if not server_only(_path(below, name, "x")))
        yield from (_path(below, name) for name in sorted(names))


def _path(*parts: str) -> WorkspacePath:
    return WorkspacePath("/".join(parts))


def _names(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir() if entry.is_file())
    except OSError:
        return []


def _is_file(root: Path, *parts: str) -> bool:
    return root.joinpath(*parts).is_file()
