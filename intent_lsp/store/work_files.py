"""Files of the work tree, changed for an agent: all of them, or none (protocol section 2).

Invariant: no byte leaves the root; each file is replaced whole.
Invariant: what fails in the middle is put back as it was, as far as the disk lets us.
"""

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store import files

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFile:
    """One file and what it is to hold: `data` None: nothing, it goes.

    `source` is where it comes from when it is moved; `before` what must be there right before.
    """

    path: WorkspacePath
    data: bytes | None
    before: bytes | None
    source: WorkspacePath | None = None


def change_files(root: Path, changes: Sequence[WorkFile]) -> None:
    """Make every change, or none. Raises OSError, FileChangedError, UnsafePathError."""
    done: list[WorkFile] = []
    try:
        for change in changes:
            _make(root, change)
            done.append(change)
    except (OSError, IntentLspError):
        for change in reversed(done):
            _undo(root, change)
        raise


def _make(root: Path, change: WorkFile) -> None:
    path = root / change.path
    if change.source is not None:
        _make_directories(root, path.parent)
        if files.stamp(path) is not None:
            raise UnsafePathError(path=os.fspath(path), problem="is there already")
        os.rename(root / change.source, path)  # noqa: PTH104 - refuses no other file's place
        if change.data != change.before:
            files.replace_file(path, change.data or b"", root=root, expected=change.before)
    elif change.data is None:
        files.remove_file(path)
    else:
        _make_directories(root, path.parent)
        files.replace_file(path, change.data, root=root, expected=change.before)


def _undo(root: Path, change: WorkFile) -> None:
    path = root / change.path
    try:
        if change.before is None:
            files.remove_file(path)
            return
        files.replace_file(path, change.before, root=root)
        if change.source is not None:
            os.rename(path, root / change.source)  # noqa: PTH104 - its own old place
    except (OSError, IntentLspError) as problem:
        _log.error("%s could not be put back: %s", change.path, problem)


def _make_directories(root: Path, path: Path) -> None:
    """Make a directory and those above it, none of them through a link out of the root."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        raise UnsafePathError(path=os.fspath(path), problem="is a link that leaves its root")
    path.mkdir(parents=True, exist_ok=True)
