"""What records say of the files as they are now: lines of an intent, and open violations.

Specified in protocol section 2.

Invariant: a file is blamed once, however many records it has.
A file that no record of the intent names is skipped if its own records explain its present content.
Else lines of the intent may have been moved into it.
Invariant: a file that has changed since its newest violation, or of which a later record broke no
rule, is no open violation.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from intent_lsp.core.blame.attribution import BlameRun
from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.ledger.blame import ALL_LINES, Blamed, FileBlame
from intent_lsp.governance.ledger.file_lineage import (
    NAMES_FOLLOWED,
    PATHS_ASKED,
    RECORDS_ELSEWHERE,
    newest_first,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal, unknown
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.tree_reader import holds_file, read_in
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

RECORDS_ASKED: Final = 500
"""The most records of violations and failed edits that are searched, newest first."""

RECORDS_AT_MOST: Final = 2_000
"""The most records of an intent whose files are blamed, newest first."""

PATHS_FOLLOWED: Final = 1_000
"""The most files of an intent's records whose later names are looked up, most recent first."""

RECORDS_OF_A_NAME: Final = 500
"""The most records of one name that are searched for the next name, newest first."""

FILES_AT_MOST: Final = 200
"""The most files that are blamed."""

Meant = Callable[[WorkspacePath], bool]

FILES_HASHED: Final = 2_000
"""The most files that are hashed to see whether their records explain them.

As many files without records are hashed to see whether they are deleted files at another path.
"""


class _Told(Struct):
    """The hashes that recent records give for a file.

    `left` has the hash after each record, `first` is the hash before the oldest of them.
    """

    left: set[ContentHash | None] = field(default_factory=set)
    first: ContentHash | None = None


class WorkedFiles(Struct, frozen=True, kw_only=True):
    """The existing files that may contain an intent's lines, by their present paths.

    Those that the intent's records changed come first, the most recently changed first. `intent_id`
    is the intent's present id; `names` are its present and earlier ids. `truncated`: a limit may
    have left out files with lines of the intent. It is not set for the limits NAMES_FOLLOWED and
    RECORDS_OF_A_NAME.
    """

    intent_id: str
    names: Collection[str]
    paths: Sequence[WorkspacePath]
    truncated: bool


class OtherFiles(NamedTuple):
    """Files that were found besides those of an intent's own records.

    `truncated`: a limit has kept others from being looked at.
    """

    paths: Sequence[WorkspacePath]
    truncated: bool


class Explained(NamedTuple):
    """A file with its blame, and the runs of lines that an intent's records explain."""

    path: WorkspacePath
    blamed: Blamed
    runs: tuple[BlameRun, ...]


class OpenViolation(Struct, frozen=True):
    """A file whose present content, or absence, breaks a rule, and the record of the violation."""

    path: WorkspacePath
    record: Record


def worked_files(
    root: Path, index: Index, rules: Rules, intent_id: str, meant: Meant = lambda _: True
) -> WorkedFiles | CheckoutRefusal:
    """Return the files that may contain an intent's lines and for which `meant` returns True.

    These are the files that the intent's newest RECORDS_AT_MOST records changed, and files into
    which lines of those files may have been moved; at most FILES_AT_MOST. An intent that is no
    longer in the intents file is found by its records. Return a refusal if it has no records
    either. Raise LedgerUnavailableError.
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
    names_of_today = dict.fromkeys(name for name in named if stamp(root / name) is not None)
    others = other_files(root, index, touched, names_of_today)
    wanted = [path for path in (*names_of_today, *others.paths) if meant(path)]
    return WorkedFiles(
        intent_id=intent_id if intent is None else intent.id,
        names=names,
        paths=wanted[:FILES_AT_MOST],
        truncated=others.truncated
        or page.cursor is not None
        or len(wanted) > FILES_AT_MOST
        or len(touched) > PATHS_FOLLOWED,
    )


def explained(blaming: FileBlame, path: WorkspacePath, names: Collection[str]) -> Explained | None:
    """Return a file with its blame and its runs by records of the intent ids `names`, or None.

    None means that there are no such runs. Raise LedgerUnavailableError.
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
    """Yield a path, then the paths to which records have renamed its file, step by step.

    The search ends after NAMES_FOLLOWED new names; of each name the newest RECORDS_OF_A_NAME
    records are searched.
    """
    found, waiting = {path: None}, [path]
    while waiting and len(found) <= NAMES_FOLLOWED:
        name = waiting.pop(0)
        for record in index.query(Query(path=name), limit=RECORDS_OF_A_NAME).records:
            for file in record.files:
                if file.previous == name and file.path not in found:
                    found[file.path] = None
                    waiting.append(file.path)
    yield from found


def other_files(
    root: Path, index: Index, touched: Collection[WorkspacePath], known: Collection[WorkspacePath]
) -> OtherFiles:
    """Return more files into which lines of the `touched` files may have been moved.

    They are files of the newest RECORDS_ELSEWHERE records, and the files without a record that
    `_unrecorded` returns. Files in `known` are left out. Raise LedgerUnavailableError.
    """
    told: dict[WorkspacePath, _Told] = {}
    records = list(islice(newest_first(index, Query()), RECORDS_ELSEWHERE + 1))
    for record in records[:RECORDS_ELSEWHERE]:
        for file in record.files:
            each = told.setdefault(file.path, _Told())
            each.left.add(file.post_hash)
            each.first = file.pre_hash
    gone = [path for path in touched if not holds_file(root / path)]
    lost = {left for path in gone if path in told for left in told[path].left if left is not None}
    others = [path for path in told if path not in known]
    found = [path for path in others[:FILES_HASHED] if _may_hold(root, path, told[path], lost)]
    recorded = index.paths(limit=PATHS_ASKED)
    unrecorded = _unrecorded(root, frozenset(recorded), lost)
    older = len(records) > RECORDS_ELSEWHERE and (
        len(recorded) == PATHS_ASKED
        or any(holds_file(root / path) for path in set(recorded).difference(told, known))
    )
    truncated = older or len(others) > FILES_HASHED or unrecorded.truncated
    # One with more than PATHS_ASKED paths before it has a record all the same.
    elsewhere = (path for path in unrecorded.paths if path not in known)
    return OtherFiles(list(dict.fromkeys((*found, *elsewhere))), truncated)


def _may_hold(root: Path, path: WorkspacePath, told: _Told, lost: Collection[ContentHash]) -> bool:
    """Return whether lines may have been moved into a file without its records showing that.

    True if the file can be read, and none of the records in `told` left it with its present
    content. True, too, if it can be read, and its content before those records is in `lost`, the
    hashes of deleted files.
    """
    today = _hash(root, path)
    return today is not None and (today not in told.left or told.first in lost)


def _unrecorded(
    root: Path, recorded: Collection[WorkspacePath], lost: Collection[ContentHash]
) -> OtherFiles:
    """Return files that are not `recorded` and may contain moved lines; none without git.

    These are files with uncommitted changes outside `.orchestration/`. The first FILES_HASHED other
    files that git lists are hashed; those whose hash is in `lost`, the hashes of deleted files, are
    returned too. `recorded` are the first PATHS_ASKED paths with records. A path with records that
    is not among them is treated as one without records.
    """
    git = Git.open(root)
    if git is None:
        return OtherFiles((), truncated=False)
    changed = (path for path in git.changed_paths() if not path.startswith(f"{CONTROL_ROOM}/"))
    new = dict.fromkeys(path for path in changed if path not in recorded)
    there = [path for path in new if holds_file(root / path)]
    if not lost:
        return OtherFiles(there, truncated=False)
    others = (path for path in git.list_files() if path not in recorded and path not in new)
    asked = list(islice(others, FILES_HASHED + 1))
    found = [path for path in asked[:FILES_HASHED] if _hash(root, path) in lost]
    return OtherFiles([*there, *found], truncated=len(asked) > FILES_HASHED)


def _hash(root: Path, path: WorkspacePath) -> ContentHash | None:
    return hash_if_there(read_in(root, path))


def open_violations(stores: Stores) -> Iterator[OpenViolation]:
    """Yield the open violations of a root, newest first.

    They are searched among the files of the RECORDS_ASKED newest records whose verdict is `FAIL` or
    whose edit failed.
    """
    seen: set[WorkspacePath] = set()
    for record in stores.past.newest_violations(RECORDS_ASKED):
        for path in record.left():
            if path in seen:
                continue
            seen.add(path)
            standing = stores.past.standing_violations(path)
            left = standing[0].left() if standing else {}
            if path in left and _hash(stores.root, path) == left[path]:
                yield OpenViolation(path, standing[0])
