"""Finds the lines attributed to an intent, file by file and with progress (protocol section 2).

Invariant: a cancelled search stops after the file that it is reading.
Invariant: saves under way are waited for first.
"""

from msgspec import Struct

from intent_lsp.doors.lsp.connection.client_ui import ClientProgress, Token
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.ledger.intent_lines import (
    Explained,
    WorkedFiles,
    explained,
    worked_files,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal


class LinesFound(Struct, frozen=True):
    """The result of a search for an intent's lines.

    `asked` says which files were searched. `files` are those with such lines, each with the lines.
    """

    asked: WorkedFiles
    files: tuple[Explained, ...]


class IntentLines:
    """Finds the lines of intents for one connection."""

    def __init__(self, tracked_documents: TrackedDocuments, progress: ClientProgress) -> None:
        self._tracked_documents = tracked_documents
        self._progress = progress

    async def of(
        self, open_root: OpenRoot, intent_id: str, token: Token | None
    ) -> LinesFound | CheckoutRefusal:
        """Return the lines of an intent, or a refusal if neither intents file nor ledger has it.

        The files in which they may be are searched, up to a limit (`WorkedFiles.truncated`).
        Progress is reported under the client's `token`, or, if that is None, under a new one once
        the search takes long. Raise LedgerUnavailableError if the ledger cannot be read.
        """
        for tracked in self._tracked_documents.all_tracked():
            await tracked.all_recorded.wait()
        in_thread, governance = self._tracked_documents.work.in_thread, open_root.governance
        asked = await in_thread(_worked, open_root, intent_id)
        if isinstance(asked, CheckoutRefusal):
            return asked
        found = []
        async with self._progress.shown(token, f"Finding the lines of {intent_id}") as report:
            for done, path in enumerate(asked.paths, 1):
                found.append(await in_thread(explained, governance.blaming, path, asked.names))
                report(done, len(asked.paths))
        return LinesFound(asked, tuple(each for each in found if each is not None))


def _worked(open_root: OpenRoot, intent_id: str) -> WorkedFiles | CheckoutRefusal:
    governance = open_root.governance
    rules, index = governance.rules.current(), governance.stores.ledger.index
    return worked_files(governance.root, index, rules, intent_id)
