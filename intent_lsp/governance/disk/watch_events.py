"""Events of file watches without those that the product caused itself (requirements section 7).

Invariant: an event of a file that others than the server may write is dropped only if the file has
the stamp that it had when it was noted as known, or if it is neither on disk, nor in the last
snapshot, nor in HEAD.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import TreeSnapshot
from intent_lsp.core.control_plane import control_plane, server_only
from intent_lsp.core.paths import LEDGER_FILE, WorkspacePath, relative_to
from intent_lsp.governance.root.stores import Stores

OF_GIT: Final = (".gitignore", ".gitattributes")
"""Endings of the names of files that say how git treats other files."""


class WatchEvents(Struct, frozen=True, kw_only=True):
    """Filters the changed paths that the watches of one root report. Its methods may block.

    `last` returns the last snapshot of the work tree, or None if there is none yet.
    """

    stores: Stores
    last: Callable[[], TreeSnapshot | None]

    def in_tree(self, paths: frozenset[Path]) -> frozenset[Path]:
        """Return those of the changed paths that require an examination of the work tree.

        Left out are: the server's own files; files that are neither on disk, nor in the last
        snapshot, nor in HEAD; and files whose present stamp is noted as known, unless they are of
        the control plane or of OF_GIT. A path outside the root is always returned.
        """
        return self._kept(
            paths,
            lambda path: (
                not server_only(path) and self._is_news(path) and not self._came_and_went(path)
            ),
        )

    def of_rules(self, paths: frozenset[Path], is_open: Callable[[Path], bool]) -> frozenset[Path]:
        """Return those of the changed paths that require an examination of rules and open files.

        Left out are files whose present stamp is noted as known, unless they are of OF_GIT, or
        control files that others than the server write. Left out, too, are files that are neither
        on disk, nor in the last snapshot, nor in HEAD, unless they are of the control plane or open
        in an editor (`is_open`). A path outside the root is always returned.
        """
        root = self.stores.root

        def is_news(path: WorkspacePath) -> bool:
            matters = control_plane(path) or is_open(root / path)
            return self._is_news(path) and (matters or not self._came_and_went(path))

        return self._kept(paths, is_news)

    def _kept(
        self, paths: frozenset[Path], is_news: Callable[[WorkspacePath], bool]
    ) -> frozenset[Path]:
        root = str(self.stores.root)
        below = ((path, relative_to(str(path), root)) for path in paths)
        return frozenset(path for path, own in below if own is None or is_news(own))

    def _is_news(self, path: WorkspacePath) -> bool:
        if path == LEDGER_FILE:
            return self.stores.ledger.has_news()
        if not server_only(path) and (control_plane(path) or path.endswith(OF_GIT)):
            # A recorded save of these still changes what other files fall under.
            return True
        return not self.stores.known_files.is_unchanged(path)

    def _came_and_went(self, path: WorkspacePath) -> bool:
        """Return whether a file is not on disk now, not in the last snapshot, and not in HEAD.

        Such a file was a temporary or an ignored one. False without a git repository or a snapshot.
        """
        git, last = self.stores.git, self.last()
        if git is None or last is None or os.path.lexists(self.stores.root / path):
            return False
        listed = path in last.files or any(path.startswith(f"{inner}/") for inner in last.inner)
        return not listed and git.head_version(path) is None
