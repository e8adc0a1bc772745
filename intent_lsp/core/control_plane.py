"""The control plane: the files that decide what agents may do, and who may change which of them.

The contract of `.orchestration/` says which entries that directory may have. Drift is an entry that
the contract does not allow.

Specified in requirements sections 2, 5 and 7.

Invariant: whether a path is control plane is decided without case, as Unicode folds it, since a
file system that ignores case would open the same file.
Invariant: `.git` and `.orchestration` are control plane in any directory, since each governs the
directory that it is in.
Invariant: people may always edit the files that govern them, and never the files that are reserved
for the server.
Invariant: files that editors and operating systems leave behind are no drift. A symbolic link in
the place of a file is drift.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from fnmatch import fnmatchcase
from itertools import chain
from operator import itemgetter
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import (
    CONTROL_ROOM,
    GOVERNANCE_LEDGER,
    INTENT_MAP,
    LEDGER_FILE,
    LOCAL_ROOM,
    WorkspacePath,
)
from intent_lsp.core.policy import AGENTS_FILE, LESSONS_FILES, TeamPolicy

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

    IGNORED if a segment of the path is `.git`, else SERVER_ONLY if only the server may write the
    file, else EXEMPT if it is control plane or a file for lessons. Any other file is IGNORED if
    `ignored`, else GOVERNED. `ignored`: git ignores the file and does not track it.
    """
    if ".git" in path.casefold().split("/"):
        return FileClass.IGNORED
    if server_only(path):
        return FileClass.SERVER_ONLY
    if path in _lessons_files(policy) or control_plane(path):
        return FileClass.EXEMPT
    return FileClass.IGNORED if ignored else FileClass.GOVERNED


def server_only(path: WorkspacePath) -> bool:
    """Whether the file at `path` is one that only the server may write (requirements section 2).

    The `.orchestration/` that holds such a file may be at any depth. Letter case is ignored.
    """
    names = path.casefold().split("/")
    rooms = ("/".join(names[at:]) for at, name in enumerate(names) if name == CONTROL_ROOM)
    return any(own in _SERVER_FILES or own.startswith(_SERVER_ROOMS) for own in rooms)


class EntryKind(Enum):
    """The kind of an entry of a directory. A symbolic link is a LINK whatever its target is."""

    FILE = "a file"
    DIRECTORY = "a directory"
    LINK = "a symbolic link"
    OTHER = "neither a file nor a directory"


_ENTRIES: Final = {
    "active_intents.yaml": EntryKind.FILE,
    "constraints.sidecar.yaml": EntryKind.FILE,
    "agent_trace.jsonl": EntryKind.FILE,
    "intent_map.md": EntryKind.FILE,
    "governance_ledger.md": EntryKind.FILE,
    ".gitignore": EntryKind.FILE,
    ".gitattributes": EntryKind.FILE,
    ".local": EntryKind.DIRECTORY,
    "trace": EntryKind.DIRECTORY,
    "archive": EntryKind.DIRECTORY,
}
"""The entries that `.orchestration/` may have, by name, and what each has to be."""

_PASSED_OVER: Final = (
    *("README.md", "AGENT.md", ".tmp-*"),
    *("*~", "*.sw?", "4913", ".#*", "#*#", "*.tmp", "*.bak", "*.orig", "*.rej", "*.lock"),
    *(".DS_Store", "Thumbs.db", "desktop.ini"),
)


class Drift(Struct, frozen=True):
    """An entry of `.orchestration/` that its contract does not allow, and why.

    Such an entry is called contract drift (requirements section 2).
    """

    path: WorkspacePath
    problem: str


def drift_of(entries: Iterable[tuple[str, EntryKind]]) -> tuple[Drift, ...]:
    """Return the entries of `.orchestration/` that do not belong there, each with its problem.

    Each of `entries` is the name and the kind of one entry. An entry of an expected name but of
    another kind is returned too. `README.md`, `AGENT.md` and what editors and systems leave behind
    belong there. A missing entry is no drift. The result is sorted by name.
    """
    found = ((name, _problem(name, kind)) for name, kind in sorted(entries, key=itemgetter(0)))
    return tuple(
        Drift(WorkspacePath(f"{CONTROL_ROOM}/{name}"), problem)
        for name, problem in found
        if problem is not None
    )


def _lessons_files(policy: TeamPolicy) -> tuple[str, ...]:
    named = (policy.lessons_violations, policy.lessons_verification)
    return named if set(named).isdisjoint(LESSONS_FILES) else (*named, AGENTS_FILE)


def _problem(name: str, kind: EntryKind) -> str | None:
    wanted = _ENTRIES.get(name)
    if wanted is not None:
        return None if kind is wanted else f"is {kind.value}, but must be {wanted.value}"
    passed_over = any(fnmatchcase(name, pattern) for pattern in _PASSED_OVER)
    return None if passed_over else "does not belong there"
