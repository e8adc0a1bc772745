"""A file's standing: how the save of one is treated before the gate is asked.

Specified in requirements section 7.

Invariant: people may always mend what governs them; what only the server writes is never theirs.
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
    """How a person's save of a file is treated."""

    JUDGED = auto()
    EXEMPT = auto()
    SERVER_ONLY = auto()
    UNSEEN = auto()
    """Never judged nor recorded."""


def standing(path: WorkspacePath, policy: TeamPolicy, *, ignored: bool) -> FileClass:
    """Tell how a person's save of `path` is treated; `ignored`: git ignores it, untracked."""
    if ".git" in path.split("/"):
        return FileClass.UNSEEN
    if server_only(path):
        return FileClass.SERVER_ONLY
    if path in _lessons_files(policy) or control_plane(path):
        return FileClass.EXEMPT
    return FileClass.UNSEEN if ignored else FileClass.JUDGED


def _lessons_files(policy: TeamPolicy) -> tuple[str, ...]:
    named = (policy.lessons_violations, policy.lessons_verification)
    return named if set(named).isdisjoint(LESSONS_FILES) else (*named, AGENTS_FILE)


def server_only(path: WorkspacePath) -> bool:
    """Whether the server alone writes a file (requirements section 2)."""
    own = _in_its_room(path)
    return own in _SERVER_FILES or own.startswith(_SERVER_ROOMS)


def _in_its_room(path: WorkspacePath) -> str:
    """Give a path as the root sees it in whose control room it lies, which may be below ours."""
    _, room, rest = path.rpartition(f"/{CONTROL_ROOM}/")
    return f"{CONTROL_ROOM}/{rest}" if room else path
