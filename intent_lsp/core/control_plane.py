"""The control plane: files that decide what agents may do, denied to them always.

Specified in requirements section 5.

Invariant: a path is judged without regard to case, since a disk that ignores case would open the
same file.
Invariant: git's own directory and the control room are control plane wherever they stand, since
each governs the directory that it stands in.
"""

import re

from intent_lsp.core.paths import WorkspacePath

_ANYWHERE = (".orchestration", ".git")
_ROOMS = (*_ANYWHERE, ".codex", ".github/hooks")
_FILES = (".intentignore", ".cursor/hooks.json", ".gemini/settings.json", ".vscode/settings.json")
_FAMILIES = ((".claude", "settings", ".json"),)
_FAMILY = re.compile(
    "|".join(f"{re.escape(room)}/{head}[^/]*{re.escape(tail)}" for room, head, tail in _FAMILIES)
)

CONTROL_ROOMS: tuple[tuple[str, ...], ...] = tuple(tuple(room.split("/")) for room in _ROOMS)
"""Directories all of whose content is control plane, by their segments."""
CONTROL_FILES: tuple[tuple[str, ...], ...] = tuple(tuple(file.split("/")) for file in _FILES)
"""Single files, by their segments."""
CONTROL_FAMILIES: tuple[tuple[str, str, str], ...] = _FAMILIES
"""Files of a directory by how their names begin and end."""


CONTROL_NAMES: frozenset[str] = frozenset(_ANYWHERE)
"""Directories all of whose content is control plane wherever they stand."""

CONTROL_REASON = "Orchestration control-plane files are machine-managed."
"""What agents are told who would change one."""


def control_glob(path: WorkspacePath) -> str | None:
    """Give the glob by which a path is control plane; None: it is not."""
    if not control_plane(path):
        return None
    folded = path.lower()
    room = next((room for room in _ROOMS if folded == room or folded.startswith(room + "/")), None)
    if room is not None:
        return f"{room}/**"
    below = next((part for part in folded.split("/") if part in CONTROL_NAMES), None)
    if below is not None:
        return f"**/{below}/**"
    return folded if folded in _FILES else ".claude/settings*.json"


def control_plane(path: WorkspacePath) -> bool:
    """Whether `path` is control plane; the directories themselves are, too.

    `.git` is a file in a worktree, and whoever moves a directory has changed what is in it.
    """
    folded = path.lower()
    return (
        folded in _FILES
        or folded in _ROOMS
        or folded.startswith(tuple(room + "/" for room in _ROOMS))
        or _FAMILY.fullmatch(folded) is not None
        or not CONTROL_NAMES.isdisjoint(folded.split("/"))
    )
