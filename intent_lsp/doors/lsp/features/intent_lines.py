"""The lines of an intent, found file by file for whoever waits for them (protocol section 2).

Invariant: a search that is cancelled stops behind the file that it is at.
Invariant: a save that is under way is waited for, so that its lines are among them.
"""

from dataclasses import dataclass

from intent_lsp.doors.lsp.connection.progress import Progress, Token
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.governance.ledger.intent_lines import (
    Explained,
    WorkedFiles,
    explained,
    worked_files,
)
from intent_lsp.governance.plan.checkout import Refusal


@dataclass(frozen=True, slots=True)
class LinesFound:
    """Which files were asked, and those that have lines of the intent."""

    asked: WorkedFiles
    files: tuple[Explained, ...]


class IntentLines:
    """Finds lines of intents for one connection."""

    def __init__(self, workplace: Workplace, progress: Progress) -> None:
        self._workplace = workplace
        self._progress = progress

    async def of(
        self, attached: Attached, intent_id: str, token: Token | None
    ) -> LinesFound | Refusal:
        """Find every line of an intent, and show how far it is under the client's `token`.

        Raises LedgerUnavailableError.
        """
        for tracked in self._workplace.all_tracked():
            await tracked.all_recorded.wait()
        in_thread, desk = self._workplace.work.in_thread, attached.desk
        asked = await in_thread(_worked, attached, intent_id)
        if isinstance(asked, Refusal):
            return asked
        found = []
        async with self._progress.shown(token, f"Finding the lines of {intent_id}") as report:
            for done, path in enumerate(asked.paths, 1):
                found.append(await in_thread(explained, desk.blaming, path, asked.names))
                report(done, len(asked.paths))
        return LinesFound(asked, tuple(each for each in found if each is not None))


def _worked(attached: Attached, intent_id: str) -> WorkedFiles | Refusal:
    desk = attached.desk
    rules, index = desk.rules.current(), desk.stores.ledger.index
    return worked_files(desk.root, index, rules, intent_id)
