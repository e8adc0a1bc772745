"""Lineage of a file: its records, under earlier names too, as edits in order (ledger section 5).

Invariant: under an earlier name only the records before the rename belong to the file.
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import dropwhile, islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.blame.attribution import Edit, FileRecord
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION, Record
from intent_lsp.core.rename_detection import EQUAL_AT_LEAST
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.store.fs.tree_reader import holds_file
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import Query

RECORDS_READ: Final = 10_000
"""The most records of one name that are read, newest first."""

NAMES_FOLLOWED: Final = 16
"""The most names under which one file is followed."""

RECORDS_ELSEWHERE: Final = 2_000
"""The most records of other files, newest first, that are searched for moved blocks."""

PATHS_ASKED: Final = 5_000
GONE_ASKED: Final = 100
"""The most deleted files that are searched for an earlier name; `PATHS_ASKED` limits all paths."""

NOTHING: Final = hash_content(b"")
_PAGE: Final = 500


class FileLineage(Struct):
    """The records of one file, oldest first (`sources`), and the edits they describe (`steps`).

    `joined`: how many of the first records are of earlier files, each of which was moved to the
    next one without a record. The method `elsewhere` appends records of other files to `sources`,
    in which moved blocks are searched for.
    """

    sources: list[FileRecord]
    steps: Sequence[Edit]
    joined: int = 0

    def elsewhere(self, index: Index) -> list[Sequence[Edit]]:
        """Append to `sources` each file of the newest RECORDS_ELSEWHERE records, if not yet there.

        Return the edits of the appended files, one sequence for each path, oldest first. The most
        recently changed path comes first. Raise LedgerUnavailableError.
        """
        records = list(islice(newest_first(index, Query()), RECORDS_ELSEWHERE))
        begin = len(self.sources)
        own = {(record.id, file.path) for record, file in self.sources}
        self.sources += [
            (record, file)
            for record in reversed(records)
            for file in record.files
            if (record.id, file.path) not in own
        ]
        found: dict[WorkspacePath, list[Edit]] = {}
        for step in reversed(steps_of(self.sources[begin:], begin)):
            found.setdefault(self.sources[step.order][1].path, []).append(step)
        return [steps[::-1] for steps in found.values()]


def file_lineage(index: Index, path: WorkspacePath) -> FileLineage:
    """Return the lineage of a file from the ledger, under its earlier names too.

    At most NAMES_FOLLOWED names and the newest RECORDS_READ records of each are read. Raise
    LedgerUnavailableError.
    """
    names: dict[WorkspacePath, list[FileRecord]] = {}
    wanted: list[tuple[WorkspacePath, str | None]] = [(path, None)]
    while wanted and len(names) < NAMES_FOLLOWED:
        name, renamed_by = wanted.pop(0)
        if name in names:
            continue
        records = islice(newest_first(index, Query(path=name)), RECORDS_READ)
        older = _before(records, renamed_by)
        names[name] = [(each, file) for each in older for file in each.files if file.path == name]
        wanted += [
            (file.previous, record.id) for record, file in names[name] if file.previous is not None
        ]
    by_time = merge(*names.values(), key=lambda source: source[0].timestamp, reverse=True)
    sources = [*by_time][::-1]
    return FileLineage(sources, steps_of(sources))


def with_earlier_name(
    index: Index, root: Path, path: WorkspacePath, known: FileLineage
) -> FileLineage:
    """Return `known`, extended by the records of a file that was moved to `path` without a record.

    The moved file must be the only deleted file whose last content is exactly the content before
    the first record of `known`, and must pass `_is_earlier`. Its own origin is searched for in the
    same way, for at most NAMES_FOLLOWED files. Return `known` if there is no such file, if there
    are too many paths to be sure (see `moved_from`), or if the content before the first record
    shows no origin (see `begun_with`). Raise LedgerUnavailableError.
    """
    for _ in range(NAMES_FOLLOWED):
        begun = begun_with(known)
        earlier = None if begun is None else moved_from(index, root, begun)
        if earlier is None or not _is_earlier(root, path, earlier, known):
            return known
        sources = [*earlier.sources, *known.sources]
        joined = known.joined + len(earlier.sources)
        known = FileLineage(sources, steps_of(sources), joined)
    return known


def moved_from(index: Index, root: Path, wanted: ContentHash) -> FileLineage | None:
    """Return the lineage of the deleted file whose newest record left it with the hash `wanted`.

    Return None if there is no such file, more than one, or too many paths to be sure: PATHS_ASKED
    or more in the ledger, or more than GONE_ASKED deleted ones. Raise LedgerUnavailableError.
    """
    paths = index.paths(limit=PATHS_ASKED)
    gone = [path for path in paths if not holds_file(root / path)]
    if len(paths) == PATHS_ASKED or len(gone) > GONE_ASKED:
        # Beyond the limit there may be a second candidate, and the match must be unique.
        return None
    newest = ((path, index.newest_for_path(path)) for path in gone)
    left = [path for path, each in newest if each is not None and each.left().get(path) == wanted]
    return file_lineage(index, left[0]) if len(left) == 1 else None


def _is_earlier(root: Path, path: WorkspacePath, earlier: FileLineage, known: FileLineage) -> bool:
    """Return whether the file of `earlier` may have been moved to `path`, where `known` begins.

    False if the newest record of `earlier` is newer than the first of `known`. False if a commit
    that a record of `earlier` names has a file at `path`: then both files existed at once. False,
    too, if the content at the move is still kept and too short to be distinctive.
    """
    last, first = earlier.sources[-1][0], known.sources[0][0]
    if last.timestamp > first.timestamp:
        return False
    data = ContentLookup(root).find(known.steps[0].pre or NOTHING, path, UNKNOWN_REVISION)
    if data is not None and len(data) < EQUAL_AT_LEAST:
        return False
    git = Git.open(root)
    revisions = {record.vcs.revision_id for record, _ in earlier.sources} - {UNKNOWN_REVISION}
    return git is None or all(git.version_at(each, path) is None for each in revisions)


def begun_with(known: FileLineage) -> ContentHash | None:
    """Return the hash of a file's content before its first record, or None if it shows no origin.

    None means that there is no record, that the first record has no hash before it, that a record
    of the file left it with this content, or that the content is empty, since all empty files are
    alike.
    """
    first = next(iter(known.steps), None)
    if first is None or first.pre in {None, NOTHING}:
        return None
    return None if any(step.post == first.pre for step in known.steps) else first.pre


def steps_of(sources: Sequence[FileRecord], begin: int = 0) -> list[Edit]:
    """Return the edit of each record, with the numbers from `begin` on as their `order`."""
    return [
        Edit(
            order=order,
            pre=file.pre_hash,
            post=file.post_hash,
            talks=tuple(talk.ranges for talk in file.conversations),
            told=record.success,
        )
        for order, (record, file) in enumerate(sources, begin)
    ]


def newest_first(index: Index, query: Query) -> Iterator[Record]:
    """Yield the records that a query finds, newest first. Raise LedgerUnavailableError."""
    page = index.query(query, limit=_PAGE)
    yield from page.records
    while page.cursor is not None:
        page = index.query(query, limit=_PAGE, cursor=page.cursor)
        yield from page.records


def _before(records: Iterable[Record], renamed_by: str | None) -> Iterator[Record]:
    """Return those of the records, newest first, that are older than the record `renamed_by`.

    `renamed_by` is the id of the record of a rename, which is left out; None: return all records.
    """
    if renamed_by is None:
        return iter(records)
    return islice(dropwhile(lambda record: record.id != renamed_by, records), 1, None)
