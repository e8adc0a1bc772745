"""Every line that an intent's records explain, in the files as they are now (protocol section 2).

Invariant: a file is asked for its lines' origins once, however many records of it there are.
Invariant: where not everything was asked, that is said.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.blame.runs import BlameRun
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.ledger.blame import ALL_LINES, Blamed, Blaming
from intent_lsp.governance.ledger.candidate_files import other_files
from intent_lsp.governance.ledger.file_lineage import NAMES_FOLLOWED
from intent_lsp.governance.plan.checkout import Refusal, unknown
from intent_lsp.governance.rules import Rules
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

RECORDS_AT_MOST: Final = 2_000
"""The newest records of an intent whose files are asked."""

PATHS_FOLLOWED: Final = 1_000
"""Files of an intent's records whose later names are looked for, those worked on last."""

RECORDS_OF_A_NAME: Final = 500
"""Records of one name that are looked through for the next one, the newest."""

FILES_AT_MOST: Final = 200
"""Files that are asked for their lines."""

Meant = Callable[[WorkspacePath], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedFiles:
    """The files of an intent's records by their names of today, those worked on last first.

    `intent_id` is the id that the intent has now, `names` are its earlier ids, too; `truncated`:
    it may have lines in other files.
    """

    intent_id: str
    names: Collection[str]
    paths: Sequence[WorkspacePath]
    truncated: bool


class Explained(NamedTuple):
    """A file and the runs of its lines that an intent's records explain."""

    path: WorkspacePath
    blamed: Blamed
    runs: tuple[BlameRun, ...]


def worked_files(
    root: Path, index: Index, rules: Rules, intent_id: str, meant: Meant = lambda _: True
) -> WorkedFiles | Refusal:
    """Give the files that an intent was worked on in, as far as they are `meant`.

    An intent that is gone from its file has its records still. Raises LedgerUnavailableError.
    """
    intent = rules.active(intent_id)
    names = (intent_id,) if intent is None else rules.file.intents.names(intent)
    page = index.query(Query(intent_ids=names), limit=RECORDS_AT_MOST)
    if intent is None and not page.records:
        return unknown(rules, intent_id)
    touched = dict.fromkeys(file.path for record in page.records for file in record.files)
    named = (
        name
        for number, path in enumerate(touched)
        for name in (_names_since(index, path) if number < PATHS_FOLLOWED else [path])
    )
    names_of_today = dict.fromkeys(name for name in named if _is_there(root, name))
    others = other_files(root, index, touched, names_of_today)
    wanted = [path for path in (*names_of_today, *others) if meant(path)]
    return WorkedFiles(
        intent_id=intent_id if intent is None else intent.id,
        names=names,
        paths=wanted[:FILES_AT_MOST],
        truncated=page.cursor is not None
        or len(wanted) > FILES_AT_MOST
        or len(touched) > PATHS_FOLLOWED,
    )


def explained(blaming: Blaming, path: WorkspacePath, names: Collection[str]) -> Explained | None:
    """Give the lines of a file that records of these intents explain; None: there are none.

    Raises LedgerUnavailableError.
    """
    blamed = blaming.blame(path)
    if blamed is None:
        return None
    runs = tuple(
        run
        for run in blamed.runs(*ALL_LINES)
        if run.record is not None and run.record.intent_id in names
    )
    return Explained(path, blamed, runs) if runs else None


def _names_since(index: Index, path: WorkspacePath) -> Iterator[WorkspacePath]:
    """Give a file's name and all that records have given it since, the newest last."""
    found, waiting = {path: None}, [path]
    while waiting and len(found) <= NAMES_FOLLOWED:
        name = waiting.pop(0)
        for record in index.query(Query(path=name), limit=RECORDS_OF_A_NAME).records:
            for file in record.files:
                if file.previous == name and file.path not in found:
                    found[file.path] = None
                    waiting.append(file.path)
    yield from found


def _is_there(root: Path, path: WorkspacePath) -> bool:
    return stamp(root / path) is not None
