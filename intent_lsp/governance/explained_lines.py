"""Every line that an intent's records explain, in the files as they are now (protocol section 4).

Invariant: a file is asked for its lines' origins once, however many records of it there are.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from intent_lsp.core.blame_runs import BlameRun
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.blaming import ALL_LINES, Blamed, Blaming
from intent_lsp.governance.past import Past

RECORDS_AT_MOST: Final = 2_000
"""The newest records of an intent whose files are asked."""

FILES_AT_MOST: Final = 200


class Explained(NamedTuple):
    """A file and the runs of its lines that an intent's records explain."""

    path: WorkspacePath
    blamed: Blamed
    runs: tuple[BlameRun, ...]


def explained_lines(
    past: Past, blaming: Blaming, intents: Intents, intent: Intent
) -> Iterator[Explained]:
    """Give the files with lines of an intent, those that were worked on last first.

    Its earlier ids count, too. Raises LedgerUnavailableError.
    """
    names = intents.names(intent)
    records = past.of_intent(intents, intent, limit=RECORDS_AT_MOST)
    paths = dict.fromkeys(file.path for record in records for file in record.files)
    for path in list(paths)[:FILES_AT_MOST]:
        blamed = blaming.blame(WorkspacePath(path))
        if blamed is None:
            continue
        runs = tuple(
            run
            for run in blamed.runs(*ALL_LINES)
            if run.record is not None and run.record.intent_id in names
        )
        if runs:
            yield Explained(WorkspacePath(path), blamed, runs)
