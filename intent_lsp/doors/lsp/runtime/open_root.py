"""The open roots of one connection: finds the root that governs a path, and opens it when needed.

Specified in scope section 4.

Invariant: a path outside every governed root opens nothing and writes nothing (requirements section
2).
Invariant: of nested roots the innermost governs.
Invariant: a root and a workspace folder are compared both as given and with links resolved; one
match is enough.
"""

import logging
import os
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os.path import lexists
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import INTENTS_FILE, path_of_uri, relative_to
from intent_lsp.doors.lsp.runtime.executor import FifoLock
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, Settings
from intent_lsp.governance.authoring.authoring import IntentsAuthoring
from intent_lsp.governance.authoring.completion import ControlFileCompletion
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.open_file import GovernedPlace
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from intent_lsp.store.fs.roots import governed_root

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenRoot:
    """A governed root that a connection has open, and the connection's own session in it.

    `governance` has the root's rules, stores and use cases. `save_turns` is a lock that keeps the
    records of saves in the order in which the editor reports them. `hooks` answers the hooks of
    agent hosts. If `hooks` is None, the hooks of agent hosts judge by themselves.
    """

    governance: Governance
    session: Session
    save_turns: FifoLock = field(default_factory=FifoLock, compare=False)
    hooks: HookListener | None = field(default=None, compare=False)

    @cached_property
    def authoring(self) -> IntentsAuthoring:
        """What answers requests about the parts of the root's intents file.

        It is made when an editor first needs it.
        """
        return IntentsAuthoring(self.governance.stores, self.governance.listing)

    @cached_property
    def completion(self) -> ControlFileCompletion:
        """What completes text in the root's control files.

        It is made when an editor first needs it.
        """
        return ControlFileCompletion(self.governance.stores)

    def governed(self, place: ResolvedPath) -> GovernedPlace:
        """Return `place`, a file of this root, with the `Saves` and the session that govern it."""
        return GovernedPlace(self.governance.saves, self.session, place)


class OpenRoots:
    """Finds and opens governed roots for one connection.

    Methods may wait on the disk; call them from a thread.
    """

    def __init__(self, settings: LiveSettings, folders: Sequence[str]) -> None:
        self._settings = settings
        self.folders = tuple(folders)
        # Roots are strings here: building a Path for each costs more than asking the disk.
        self._reach: dict[str, tuple[tuple[str, ...], bool]] = {}
        self._lock = threading.RLock()
        self._open: dict[str, OpenRoot] = {}
        self._failed: dict[str, str] = {}

    @property
    def settings(self) -> Settings:
        """The connection's current settings."""
        return self._settings.now

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings.now = settings

    @property
    def roots(self) -> tuple[OpenRoot, ...]:
        """Every root that this connection has open now."""
        with self._lock:
            return tuple(self._open.values())

    def of_path(self, path: str) -> OpenRoot | None:
        """Return the root that governs an absolute path, and open it if it is not open.

        Return None if governance is switched off in the settings, if no root governs the path, if
        there are workspace folders and the root is neither inside nor above one, or if the root
        could not be opened. A failed opening is not tried again.
        """
        if not self.settings.enabled:
            return None
        known = self._open.get(path)
        if known is not None and lexists(f"{path}/{INTENTS_FILE}"):
            # Most requests name an open root itself: then no other root can govern it.
            return known if self._in_reach(path) else None
        governed = governed_root(path)
        with self._lock:
            root = self._innermost(path, None if governed is None else os.fspath(governed))
            if root is None or root in self._failed or not self._in_reach(root):
                return None
            return self._open.get(root) or self._attach(root)

    def of_uri(self, uri: str | None) -> tuple[OpenRoot, ResolvedPath] | None:
        """Return the root that governs a file, as `of_path` does, and the file's path in it.

        Return None if no root governs the file, if `uri` is None, or if `uri` names no file.
        """
        path = None if uri is None else path_of_uri(uri)
        open_root = None if path is None else self.of_path(path)
        if path is None or open_root is None:
            return None
        place = resolve_below(open_root.governance.root, path)
        return None if place is None else (open_root, place)

    def at_or_above(self, path: str) -> list[OpenRoot]:
        """Return the open roots at or above an absolute path, the innermost first."""
        with self._lock:
            roots = sorted(self._at_or_above(path), key=len, reverse=True)
            return [self._open[root] for root in roots]

    def first(self) -> OpenRoot | None:
        """Return the root of the first workspace folder for which `of_path` returns a root.

        If there is no such folder, return the only open root, or None if not exactly one root is
        open. Return None, too, if governance is switched off in the settings.
        """
        if not self.settings.enabled:
            return None
        found = (self.of_path(folder) for folder in self.folders)
        first = next((open_root for open_root in found if open_root is not None), None)
        if first is not None:
            return first
        with self._lock:
            known = tuple(self._open.values())
        return known[0] if len(known) == 1 else None

    def close(self, unsaved: Collection[OpenRoot] = ()) -> None:
        """Write what every open root still has to write, then close its session and stores.

        That is audit events, the history of intents in the intents file, and the intent map.
        `unsaved` are the roots whose intents file has unsaved edits in the editor: their history is
        not written. If something fails for a root, log that and go on with the next root. `roots`
        is empty afterwards.
        """
        with self._lock:
            for open_root in self._open.values():
                if open_root.hooks is not None:
                    open_root.hooks.end()
                try:
                    open_root.governance.unreported.write()
                    if open_root not in unsaved:
                        open_root.governance.history.write(unsaved_file=False, at_the_end=True)
                    open_root.governance.intent_map.write()
                    open_root.governance.close(open_root.session)
                except (OSError, IntentLspError):
                    _log.exception("closing %s", open_root.governance.root)
            self._open.clear()

    def _in_reach(self, root: str) -> bool:
        """Return whether a root lies inside or above a workspace folder, or there are no folders.

        Specified in requirements section 4.
        """
        # Cached, because every request asks: links are resolved once for each set of folders.
        known = self._reach.get(root)
        if known is None or known[0] != self.folders:
            known = self._reach[root] = (self.folders, in_reach(root, self.folders))
        return known[1]

    def _innermost(self, path: str, found: str | None) -> str | None:
        """Return the innermost of `found` and the open roots at or above `path`, or None.

        `found` is the root that governs `path` by the files on disk, or None. An open root counts
        even if its intents file has vanished: if it did not count, an outer root would take its
        place and hide the loss.
        """
        seen = self._at_or_above(path)
        return max([*seen, found] if found is not None else seen, key=len, default=None)

    def _at_or_above(self, path: str) -> list[str]:
        return [root for root in self._open if path == root or relative_to(path, root) is not None]

    def _attach(self, root: str) -> OpenRoot | None:
        """Open a root and return it. Return None if it cannot be opened, after logging that.

        A root that cannot be opened is remembered as failed.
        """
        try:
            governance = Governance(Path(root), patient=True)
            session = governance.open_editor(self.settings.session_id, self.settings.contributor)
        except (OSError, IntentLspError) as error:
            # Governance that cannot be opened must not stop people's work.
            _log.exception("governance of %s cannot be opened; edits pass unjudged", root)
            self._failed[root] = str(error)
            return None
        hooks = HookListener(governance)
        hooks.begin()
        self._open[root] = OpenRoot(governance, session, hooks=hooks)
        return self._open[root]


def in_reach(root: str, folders: Sequence[str]) -> bool:
    """Return whether a root lies inside or above one of `folders`, or there are no folders.

    May wait on the disk to resolve links.
    """
    ours = {root, os.path.realpath(root)}
    theirs = [{folder, os.path.realpath(folder)} for folder in folders]
    near = (_near(a, b) for folder in theirs for a in ours for b in folder)
    return not theirs or any(near)


def _near(one: str, other: str) -> bool:
    return (
        one == other or relative_to(one, other) is not None or relative_to(other, one) is not None
    )
