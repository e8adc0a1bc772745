"""The governed roots that an MCP server answers for, and which of them a call is about.

Invariant: a root is opened once and stays open until the server ends.
"""

import logging
import os
import threading
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, WrongParamsError
from intent_lsp.doors.mcp.inputs import ToolInput
from intent_lsp.governance.governance import Governance
from intent_lsp.store.fs.roots import governed_root

_log: Final = logging.getLogger(__name__)


class McpRoots:
    """Finds and opens governed roots. Every method may wait on the disk.

    `start` is the directory where a call without an absolute path is looked for. `only`: no other
    root is served.
    """

    def __init__(self, start: Path, *, only: bool) -> None:
        self.start = start
        self.only = only
        self._lock = threading.Lock()
        self._open: dict[Path, Governance] = {}
        self._of_sessions: dict[str, Path] = {}

    def of_call(self, given: ToolInput) -> Governance | None:
        """Return the root that a call is about, or None if nothing governs it.

        That is the only root; else the one of an absolute path in the call, else of its session,
        else of the directory where the server was started. Raise WrongParamsError if the call names
        another root than the only one.
        """
        if self.only and given.root is not None:
            self._check(given.root)
        session: str | None = getattr(given, "session", None)
        with self._lock:
            known = self._of_sessions.get(session or "")
        named = None if self.only else absolute(given.place()) or absolute(given.root)
        governed = None if named is None else governed_root(named)
        return self._opened(governed or known or governed_root(os.fspath(self.start)))

    def of_directory(self, directory: str | None) -> Governance | None:
        """Return the root that governs a directory, None: the one where the server was started.

        Raise WrongParamsError if that is not the only root, or the directory is not absolute.
        """
        if directory is not None and absolute(directory) is None:
            raise WrongParamsError("root", f"{directory[:80]!r} is not an absolute path")
        if self.only and directory is not None:
            self._check(directory)
        return self._opened(governed_root(directory or os.fspath(self.start)))

    def remember(self, handle: str, governance: Governance) -> None:
        """Remember in which root the session of a handle works."""
        with self._lock:
            self._of_sessions[handle] = governance.root

    def close(self) -> None:
        """Write what was put off, and close every root."""
        with self._lock:
            for governance in self._open.values():
                _close(governance)
            self._open.clear()

    def _check(self, named: str) -> None:
        """Raise WrongParamsError if a directory is not governed by the only root."""
        ours, theirs = governed_root(os.fspath(self.start)), governed_root(named)
        if ours is not None and (theirs is None or theirs.resolve() != ours.resolve()):
            raise WrongParamsError(
                "root", f"{named!r} is not in {ours}, which alone is served here"
            )

    def _opened(self, root: Path | None) -> Governance | None:
        if root is None:
            return None
        with self._lock:
            known = self._open.get(root)
            if known is None:
                known = self._open[root] = Governance(root)
            return known


def absolute(spelled: str | None) -> str | None:
    """Return a path if it is absolute, else None."""
    usable = spelled is not None and spelled.startswith("/") and "\0" not in spelled
    return spelled if usable else None


def _close(governance: Governance) -> None:
    try:
        governance.unreported.write()
        governance.history.write(unsaved_file=False, at_the_end=True)
        governance.intent_map.write()
    except (OSError, IntentLspError) as problem:
        _log.warning("%s: not everything could be written: %s", governance.root, problem)
    finally:
        governance.close(None)
