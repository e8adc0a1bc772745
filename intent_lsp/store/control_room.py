"""The control room on disk: what lies in `.orchestration/` (requirements section 2).

Invariant: nothing is opened; links are not followed.
"""

import os
from pathlib import Path

from intent_lsp.core.contract import FILES, ROOMS, EntryKind, drift_of
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.core.question import Drift


def control_drift(root: Path) -> tuple[Drift, ...]:
    """Hold what lies in the control room of a root against the set. Raises OSError."""
    with os.scandir(root / CONTROL_ROOM) as entries:
        # Asked for each call of an agent: what is as it should be is asked for no more than that.
        return drift_of([(entry.name, _kind(entry)) for entry in entries if not _fits(entry)])


def _fits(entry: os.DirEntry[str]) -> bool:
    if entry.name in FILES:
        return entry.is_file(follow_symlinks=False)
    return entry.name in ROOMS and entry.is_dir(follow_symlinks=False)


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.LINK
    if entry.is_dir():
        return EntryKind.DIRECTORY
    return EntryKind.FILE if entry.is_file() else EntryKind.OTHER
