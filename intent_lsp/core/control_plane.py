"""The control plane: the files that decide what agents may do. Agents may never change them.

Specified in requirements section 5.

Invariant: a path is matched without case, since a file system that ignores case would open the same
file.
Invariant: `.git` and `.orchestration` are control plane in any directory, since each governs the
directory that it is in.
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
"""Directories whose whole content is control plane. Each path is split into its segments."""
CONTROL_FILES: tuple[tuple[str, ...], ...] = tuple(tuple(file.split("/")) for file in _FILES)
"""Single files that are control plane. Each path is split into its segments."""
CONTROL_FAMILIES: tuple[tuple[str, str, str], ...] = _FAMILIES
"""Control-plane files known by a part of their name, as (directory, start of name, end of name)."""


CONTROL_NAMES: frozenset[str] = frozenset(_ANYWHERE)
"""Names of directories that are control plane at any depth."""

CONTROL_REASON = "Orchestration control-plane files are machine-managed."
"""The reason that an agent is given when it is denied a control-plane file."""


def control_glob(path: WorkspacePath) -> str | None:
    """Return the glob that makes `path` control plane, or None if `path` is not control plane."""
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
    """Whether `path` belongs to the control plane. Letter case is ignored.

    The control directories themselves belong to it too: a worktree's `.git` is a file, and moving a
    directory moves the files in it.
    """
    folded = path.lower()
    return (
        folded in _FILES
        or folded in _ROOMS
        or folded.startswith(tuple(room + "/" for room in _ROOMS))
        or _FAMILY.fullmatch(folded) is not None
        or not CONTROL_NAMES.isdisjoint(folded.split("/"))
    )
