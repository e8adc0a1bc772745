"""The governed roots that an MCP server answers for, and which of them a call is about.

Invariant: a root that is open stays open until the server ends.
"""

import logging
import os
import threading
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError, WrongParamsError
from intent_lsp.doors.mcp.answers import NOT_GOVERNED, NOTHING_SERVED, invalid_params
from intent_lsp.doors.mcp.inputs import ToolInput
from intent_lsp.governance.governance import Governance
from intent_lsp.store.fs.roots import governed_root

_log: Final = logging.getLogger(__name__)


class McpRoots:
    """Finds and opens governed roots. Every method may wait on the disk.

    The root that governs `start`, the server's directory, is the default of a call. If `only` is
    True, no other root is served.
    """

    def __init__(self, start: Path, *, only: bool) -> None:
        self.start = start
        self.only = only
        self._lock = threading.Lock()
        self._open: dict[Path, Governance] = {}
        self._of_sessions: dict[str, Path] = {}

    def of_call(self, given: ToolInput) -> Governance | None:
        """Return the opened root that a call is about, or None if nothing governs it.

        It is the first of these that exists: the root that governs the path in the call (`_named`),
        the root of the call's session, the root that governs the server's directory `start`. If
        only one root is served, the path does not count, and an argument `root` outside of that
        root raises WrongParamsError.
        """
        if self.only and given.root is not None:
            self._check(given.root)
        with self._lock:
            known = self._of_sessions.get(given.session or "")
        named = None if self.only else _named(given)
        governed = None if named is None else governed_root(named)
        return self._opened(governed or known or governed_root(os.fspath(self.start)))

    def of_directory(self, directory: str | None) -> Governance | None:
        """Return the opened root that governs `directory`, or `start` if `directory` is None.

        If only one root is served, return the root that governs `start`. Return None if there is no
        such root. Raise WrongParamsError if `directory` is not absolute, or not in the only root
        that is served.
        """
        if directory is not None and absolute(directory) is None:
            raise WrongParamsError("root", f"{directory[:80]!r} is not an absolute path")
        if self.only and directory is not None:
            self._check(directory)
            directory = None
        return self._opened(governed_root(directory or os.fspath(self.start)))

    def governing(self, directory: str | None) -> Governance:
        """Return what `of_directory` returns.

        Raise MCPError if `of_directory` returns None or raises WrongParamsError.
        """
        try:
            found = self.of_directory(directory)
        except WrongParamsError as wrong:
            raise invalid_params(f"{wrong.field}: {wrong.problem}") from wrong
        if found is None:
            raise invalid_params(self._ungoverned(directory))
        return found

    def ungoverned_call(self, given: ToolInput) -> str:
        """Return the message for a call for which `of_call` returns None."""
        return self._ungoverned(_named(given))

    def remember(self, handle: str, governance: Governance) -> None:
        """Remember in which root the session of a handle works, for later calls with it."""
        with self._lock:
            self._of_sessions[handle] = governance.root

    def close(self) -> None:
        """Write what every open root still has to write, and close the root.

        That is audit events, the history of intents in the intents file, and the intent map.
        """
        with self._lock:
            for governance in self._open.values():
                _close(governance)
            self._open.clear()

    def _ungoverned(self, named: str | None) -> str:
        if self.only:
            return NOTHING_SERVED.format(directory=self.start)
        return NOT_GOVERNED.format(directory=named or self.start)

    def _check(self, named: str) -> None:
        """Raise WrongParamsError if a directory is not governed by the root of `start`.

        Do nothing if `start` has no root.
        """
        root, theirs = governed_root(os.fspath(self.start)), governed_root(named)
        if root is not None and (theirs is None or theirs.resolve() != root.resolve()):
            raise WrongParamsError(
                "root",
                f"{named!r} does not belong to {root}, the only root that this server serves",
            )

    def _opened(self, root: Path | None) -> Governance | None:
        if root is None:
            return None
        with self._lock:
            known = self._open.get(root)
            if known is None:
                known = self._open[root] = Governance(root)
            return known


def _named(given: ToolInput) -> str | None:
    """Return the absolute path by which the root of a call is found, or None if there is none.

    It is the first file that the call names, or, if that is not absolute, the argument `root`.
    """
    return absolute(given.place()) or absolute(given.root)


def absolute(spelled: str | None) -> str | None:
    """Return a path if it is absolute and has no NUL, else None."""
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
