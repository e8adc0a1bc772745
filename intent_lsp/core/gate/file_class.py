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
    the server may write the file. IGNORED: neither judged nor recorded.
    """

    GOVERNED = auto()
    EXEMPT = auto()
    SERVER_ONLY = auto()
    IGNORED = auto()


def standing(path: WorkspacePath, policy: TeamPolicy, *, ignored: bool) -> FileClass:
    """Return how a person's save of the file at `path` is treated.

    IGNORED if a part of its path is `.git`, else SERVER_ONLY if only the server may write it, else
    EXEMPT if it is control plane or takes lessons. `ignored`: git ignores the file and does not
    track it, so that it is IGNORED instead of GOVERNED.
    """
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
    """Whether the file at `path` is one that only the server may write (requirements section 2).

    The `.orchestration/` that holds such a file may be at any depth.
    """
    own = _in_its_room(path)
    return own in _SERVER_FILES or own.startswith(_SERVER_ROOMS)


def _in_its_room(path: WorkspacePath) -> str:
    """Return a path inside a nested `.orchestration/` relative to that directory's parent.

    `sub/.orchestration/x` becomes `.orchestration/x`. Any other path is returned unchanged.
    """
    _, room, rest = path.rpartition(f"/{CONTROL_ROOM}/")
    return f"{CONTROL_ROOM}/{rest}" if room else path
