"""The lines of an intent, found file by file for whoever waits for them (protocol section 2).

Invariant: a search that is cancelled stops behind the file that it is at.
Invariant: a save that is under way is waited for, so that its lines are among them.
"""

from dataclasses import dataclass

from intent_lsp.doors.lsp.connection.progress import ClientProgress, Token
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.ledger.intent_lines import (
    Explained,
    WorkedFiles,
    explained,
    worked_files,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal


@dataclass(frozen=True, slots=True)
class LinesFound:
    """Which files were asked, and those that have lines of the intent."""

    asked: WorkedFiles
    files: tuple[Explained, ...]


class IntentLines:
    """Finds lines of intents for one connection."""

    def __init__(self, tracked_documents: TrackedDocuments, progress: ClientProgress) -> None:
        self._tracked_documents = tracked_documents
        self._progress = progress

    async def of(
        self, open_root: OpenRoot, intent_id: str, token: Token | None
    ) -> LinesFound | CheckoutRefusal:
        """Find every line of an intent, and show how far it is under the client's `token`.

        Raises LedgerUnavailableError.
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
