"""The code action *Fix all* on an open control file (protocol section 4.3).

Invariant: the edit fits the text that the editor has now, even if another text was checked last.
Invariant: while a client asks about the same text, it is fixed once.
"""

import asyncio
from collections.abc import Sequence

from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import POLICY_FILE, WorkspacePath
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.control_files import ControlFile
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.wire.names import FIX_ALL
from intent_lsp.formats.intents.fix_all import fix_intents, fix_policy, safely_fixable

_Edits = tuple[int, list[lsp.TextEdit]]
"""The number of fixes, and the edits that make them."""


def is_wanted(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether a client that asks for the kinds `only` wants actions of a kind.

    A kind stands for all kinds below it, as `source` does for `source.fixAll`. If `only` is None or
    empty, the client wants all kinds.
    """
    return not only or any(each in ("", kind) or kind.startswith(f"{each}.") for each in only)


class FixAllAction:
    """Builds the code action *Fix all* for the intents files and policies of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._last: tuple[WorkspacePath, str, asyncio.Task[_Edits]] | None = None

    async def offered(self, page: ControlFile, tracked: TrackedDocument) -> list[lsp.CodeAction]:
        """Return, as a list, the action *Fix all* for a control file and its document `tracked`.

        The list is empty if the file is not open, if nothing is safe to fix, or if the text changes
        meanwhile.
        """
        checked = page.version == tracked.version
        if tracked.version is None or (checked and not safely_fixable(page.findings)):
            return []
        version, text = tracked.version, "".join(tracked.lines)
        # Shielded: a request that is cancelled leaves the work to those that wait for it.
        count, edits = await asyncio.shield(self._fixing(page.path, text))
        # Not every client knows by the version that an edit is for an older text.
        if not edits or tracked.version != version:
            return []
        spelling = self._connection.spelling
        return [
            lsp.CodeAction(
                title=f"Fix all that is safe to fix ({count})",
                kind=FIX_ALL,
                edit=spelling.workspace_edit(tracked.uri, version, edits),
            )
        ]

    def _fixing(self, path: WorkspacePath, text: str) -> asyncio.Task[_Edits]:
        """Return the task that fixes a text of the file at `path`.

        It is the task of the last call, if that was for the same text of the same file.
        """
        last = self._last
        if last is None or last[:2] != (path, text):
            work = self._connection.work
            task = work.begin(work.in_thread(self._edits, path, text))
            last = self._last = (path, text, task)
        return last[2]

    def _edits(self, path: WorkspacePath, text: str) -> _Edits:
        fixed = fix_policy(text) if path == POLICY_FILE else fix_intents(text)
        lines = split_lines(text)
        edits = self._connection.spelling.turning_edits(lines, split_lines(fixed.text))
        return fixed.count, edits if fixed.count else []
