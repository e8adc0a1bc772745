"""Classifies a file by how a person's save of it is treated, before the gate runs.

Specified in requirements section 7.

Invariant: people may always edit the files that govern them, and never the files that are reserved
for the server.
"""

from enum import Enum, auto

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import (
    CONTROL_ROOM,
    GOVERNANCE_LEDGER,
    INTENT_MAP,
    LEDGER_FILE,
    LOCAL_ROOM,
    WorkspacePath,
)
from intent_lsp.core.policy import AGENTS_FILE, LESSONS_FILES, TeamPolicy

_SERVER_FILES = frozenset((LEDGER_FILE, INTENT_MAP, GOVERNANCE_LEDGER))
_SERVER_ROOMS = (f"{LOCAL_ROOM}/", f"{CONTROL_ROOM}/trace/", f"{CONTROL_ROOM}/archive/")


class FileClass(Enum):
    """How a person's save of a file is treated.

    GOVERNED: judged by the gate. EXEMPT: always allowed, and recorded as EXEMPT. SERVER_ONLY: only
    the server may write the file.
    """

    GOVERNED = auto()
    EXEMPT = auto()
    SERVER_ONLY = auto()
    IGNORED = auto()
    """Neither judged nor recorded."""


def standing(path: WorkspacePath, policy: TeamPolicy, *, ignored: bool) -> FileClass:
    """Return the class of `path`. `ignored`: git ignores the file and does not track it."""
    if ".git" in path.split("/"):
        return FileClass.IGNORED
    if server_only(path):
        return FileClass.SERVER_ONLY
    if path in _lessons_files(policy) or control_plane(path):
        return FileClass.EXEMPT
    return FileClass.IGNORED if ignored else FileClass.GOVERNED


def _lessons_files(policy: TeamPolicy) -> tuple[str, ...]:
    named = (policy.lessons_violations, policy.lessons_verification)
    return named if set(named).isdisjoint(LESSONS_FILES) else (*named, AGENTS_FILE)


def server_only(path: WorkspacePath) -> bool:
    """Whether only the server may write the file at `path` (requirements section 2)."""
    own = _in_its_room(path)
    return own in _SERVER_FILES or own.startswith(_SERVER_ROOMS)


def _in_its_room(path: WorkspacePath) -> str:
    """Return a path relative to the root whose `.orchestration/` contains it.

    That root may be nested in the root that `path` is relative to. If no nested one contains it,
    return `path` unchanged.
    """
    _, room, rest = path.rpartition(f"/{CONTROL_ROOM}/")
    return f"{CONTROL_ROOM}/{rest}" if room else path
