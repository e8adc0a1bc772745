"""The control plane: the files that decide what agents may do, and that agents may not change.

Specified in requirements section 5.

Invariant: a path is matched without case, as Unicode folds it, since a file system that ignores
case would open the same file.
Invariant: `.git` and `.orchestration` are control plane in any directory, since each governs the
directory that it is in.
"""

import re
from itertools import chain
from typing import Final

from intent_lsp.core.paths import WorkspacePath

CONTROL_NAMES: Final = (".orchestration", ".git")
"""Names of directories that are control plane at any depth."""

# What registers the hooks and MCP servers of agents, or settles what they may do without asking.
CONTROL_ROOMS: Final = (
    *CONTROL_NAMES,
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
"""Directories whose whole content is control plane."""

CONTROL_FILES: Final = (
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
"""Single files that are control plane."""

CONTROL_FAMILIES: Final = (
    (".claude", "settings", ".json"),
    (".github/copilot", "settings", ".json"),
)
"""Control-plane files known by a part of their name, as (directory, start of name, end of name)."""

_ROOM_GLOBS: Final = {f"{room}/": f"{room}/**" for room in CONTROL_ROOMS}
_FAMILY_GLOBS: Final = {
    f"{room}/{head}*{tail}": re.compile(re.escape(f"{room}/{head}") + "[^/]*" + re.escape(tail))
    for room, head, tail in CONTROL_FAMILIES
}

CONTROL_REASON = "Orchestration control-plane files are machine-managed."
"""The reason that an agent is given when it is denied a control-plane file."""


def control_glob(path: WorkspacePath) -> str | None:
    """Return the glob that makes `path` control plane, or None if `path` is not control plane.

    The glob is in lower case.
    """
    folded = path.casefold()
    if folded in CONTROL_FILES:
        return folded
    whole = f"{folded}/"
    rooms = (glob for room, glob in _ROOM_GLOBS.items() if whole.startswith(room))
    below = (f"**/{name}/**" for name in folded.split("/") if name in CONTROL_NAMES)
    families = (glob for glob, names in _FAMILY_GLOBS.items() if names.fullmatch(folded))
    return next(chain(rooms, below, families), None)


def control_plane(path: WorkspacePath) -> bool:
    """Whether `path` belongs to the control plane. Letter case is ignored.

    The control directories themselves belong to it too: a worktree's `.git` is a file, and moving a
    directory moves the files in it.
    """
    return control_glob(path) is not None
