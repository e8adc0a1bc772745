"""The contents of `.orchestration/` on disk (requirements section 2).

Invariant: no file is opened and no link is followed.
"""

import os
from pathlib import Path

from intent_lsp.core.gate.directory_contract import EntryKind, drift_of
from intent_lsp.core.gate.request import Drift
from intent_lsp.core.paths import CONTROL_ROOM


def control_drift(root: Path) -> tuple[Drift, ...]:
    """Return what in `.orchestration/` of a root should not be there, or is not as it should be.

    Empty if the directory does not exist. Raise OSError.
    """
    try:
        with os.scandir(root / CONTROL_ROOM) as entries:
            return drift_of([(entry.name, _kind(entry)) for entry in entries])
    except FileNotFoundError:
        return ()


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.LINK
    if entry.is_dir():
        return EntryKind.DIRECTORY
    return EntryKind.FILE if entry.is_file() else EntryKind.OTHER
