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
# What registers the hooks and MCP servers of agents, or settles what they may do without asking.
_ROOMS = (
    *_ANYWHERE,
    ".cline",
    ".clinerules/hooks",
    ".codex",
    ".github/hooks",
    ".grok/hooks",
    ".kiro/agents",
    ".kiro/hooks",
    ".opencode/plugin",
    ".opencode/plugins",
)
_FILES = (
    ".intentignore",
    ".agents/hooks.json",
    ".agents/mcp_config.json",
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".gemini/settings.json",
    ".github/mcp.json",
    ".grok/config.toml",
    ".kimi-code/mcp.json",
    ".kiro/settings/mcp.json",
    ".mcp.json",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".qwen/settings.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".windsurf/hooks.json",
    "opencode.json",
    "opencode.jsonc",
)
_FAMILIES = ((".claude", "settings", ".json"), (".github/copilot", "settings", ".json"))
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
    return folded if folded in _FILES else _family_glob(folded)


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


def _family_glob(folded: str) -> str:
    return next(
        f"{room}/{head}*{tail}" for room, head, tail in _FAMILIES if folded.startswith(f"{room}/")
    )
