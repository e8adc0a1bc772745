"""The control room on disk: what lies in `.orchestration/` (requirements section 2).

Invariant: nothing is opened; links are not followed.
"""

import os
from pathlib import Path

from intent_lsp.core.gate.directory_contract import EntryKind, drift_of
from intent_lsp.core.gate.request import Drift
from intent_lsp.core.paths import CONTROL_ROOM


def control_drift(root: Path) -> tuple[Drift, ...]:
    """Hold what lies in the control room of a root against the set; in none there is no drift.

    Raises OSError.
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
