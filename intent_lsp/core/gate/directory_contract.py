"""The contract of `.orchestration/`: the entries it may have, and the problems of others.

Specified in requirements section 2.

Invariant: files that editors and operating systems leave behind are no drift. A symbolic link in
the place of a file is drift.
"""

from collections.abc import Iterable
from enum import Enum
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import Final

from intent_lsp.core.gate.request import Drift
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath

_FILES: Final = frozenset(
    {
        "active_intents.yaml",
        "constraints.sidecar.yaml",
        "agent_trace.jsonl",
        "intent_map.md",
        "governance_ledger.md",
        ".gitignore",
        ".gitattributes",
    }
)
_ROOMS: Final = frozenset({".local", "trace", "archive"})
_PASSED_OVER: Final = (
    *("README.md", "AGENT.md", ".tmp-*"),
    *("*~", "*.sw?", "4913", ".#*", "#*#", "*.tmp", "*.bak", "*.orig", "*.rej", "*.lock"),
    *(".DS_Store", "Thumbs.db", "desktop.ini"),
)


class EntryKind(Enum):
    """The kind of an entry of a directory. A symbolic link is a LINK whatever its target is."""

    FILE = "a file"
    DIRECTORY = "a directory"
    LINK = "a symbolic link"
    OTHER = "neither a file nor a directory"


def drift_of(entries: Iterable[tuple[str, EntryKind]]) -> tuple[Drift, ...]:
    """Return the entries of `.orchestration/` that do not belong there, each with its problem.

    Each of `entries` is the name and the kind of one entry. An entry with an expected name but of
    another kind is returned too. `README.md`, `AGENT.md`, what editors and systems leave behind,
    and missing entries are not. The result is sorted by name.
    """
    found = ((name, _problem(name, kind)) for name, kind in sorted(entries, key=itemgetter(0)))
    return tuple(
        Drift(WorkspacePath(f"{CONTROL_ROOM}/{name}"), problem)
        for name, problem in found
        if problem is not None
    )


def _problem(name: str, kind: EntryKind) -> str | None:
    if name in _FILES:
        return None if kind is EntryKind.FILE else f"is {kind.value}, but must be a file"
    if name in _ROOMS:
        return None if kind is EntryKind.DIRECTORY else f"is {kind.value}, but must be a directory"
    if any(fnmatchcase(name, pattern) for pattern in _PASSED_OVER):
        return None
    return "does not belong there"
