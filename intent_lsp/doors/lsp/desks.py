"""The desks of one connection: which governed root a path belongs to, opened when first needed.

Invariant: a path without governance opens nothing and writes nothing (requirements section 2).
Invariant: each root is opened once; the innermost one wins.
"""

import logging
import os
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import relative_to
from intent_lsp.doors.lsp.attached import Attached
from intent_lsp.doors.lsp.settings import Settings
from intent_lsp.governance.desk import Governance
from intent_lsp.store.roots import governed_root

_log: Final = logging.getLogger(__name__)


class Desks:
    """Opens desks; every method may wait on the disk, so that it is called from a thread."""

    def __init__(self, settings: Settings, folders: Sequence[str]) -> None:
        self.settings = settings
        self.folders = tuple(folders)
        self._reach: dict[Path, tuple[tuple[str, ...], bool]] = {}
        self._lock = threading.RLock()
        self._open: dict[Path, Attached] = {}
        self._failed: dict[Path, str] = {}

    @property
    def attached(self) -> tuple[Attached, ...]:
        """Every root that is open now."""
        with self._lock:
            return tuple(self._open.values())

    def of_path(self, path: str) -> Attached | None:
        """Give the desk that governs an absolute path; None: nobody does."""
        if not self.settings.enabled:
            return None
        governed = governed_root(path)
        with self._lock:
            root = self._innermost(path, None if governed is None else governed.root)
            if root is None or root in self._failed or not self._in_reach(root):
                return None
            return self._open.get(root) or self._attach(root)

    def first(self) -> Attached | None:
        """Give the desk of the first workspace folder that has governance."""
        found = (self.of_path(folder) for folder in self.folders)
        return next((attached for attached in found if attached is not None), None)

    def close(self, unsaved: Collection[Attached] = ()) -> None:
        """End every session and let go of every store.

        `unsaved` are the roots of whose intents file the editor holds unsaved text.
        """
        with self._lock:
            for attached in self._open.values():
                try:
                    attached.desk.untold.tell()
                    if attached not in unsaved:
                        attached.desk.history.write(unsaved_file=False, at_the_end=True)
                    attached.desk.intent_map.write()
                    attached.desk.close(attached.session)
                except (OSError, IntentLspError):
                    _log.exception("closing %s", attached.desk.root)
            self._open.clear()

    def _in_reach(self, root: Path) -> bool:
        """Whether a root lies inside or above a workspace folder (requirements section 4)."""
        # Asked by every request: links are resolved once for each set of folders.
        known = self._reach.get(root)
        if known is None or known[0] != self.folders:
            known = self._reach[root] = (self.folders, self._is_near(root))
        return known[1]

    def _is_near(self, root: Path) -> bool:
        ours = {os.fspath(root), os.path.realpath(root)}
        theirs = [{folder, os.path.realpath(folder)} for folder in self.folders]
        near = (_near(a, b) for folder in theirs for a in ours for b in folder)
        return not theirs or any(near)

    def _innermost(self, path: str, found: Path | None) -> Path | None:
        """Prefer an open root below the one found: its intents file has gone, loudly."""
        at = (root for root in self._open if path == str(root))
        seen = [root for root in self._open if relative_to(path, str(root)) is not None]
        seen += at
        known = [*seen, found] if found is not None else seen
        return max(known, key=lambda root: len(str(root)), default=None)

    def _attach(self, root: Path) -> Attached | None:
        try:
            desk = Governance(root, patient=True)
            session = desk.open_editor(self.settings.session_id, self.settings.contributor)
            # What changes from now on is a change.
            desk.disk_changes.look()
        except (OSError, IntentLspError) as error:
            # Governance that cannot be opened must not stop anybody's work.
            _log.exception("governance of %s cannot be opened; edits pass unjudged", root)
            self._failed[root] = str(error)
            return None
        self._open[root] = Attached(desk, session)
        return self._open[root]


def _near(one: str, other: str) -> bool:
    return (
        one == other or relative_to(one, other) is not None or relative_to(other, one) is not None
    )
