"""The records of one file, under its earlier names too, as steps of its lineage (ledger section 5).

Invariant: of an earlier name only what came before the rename belongs to the file.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Final

from intent_lsp.core.blame_runs import Source
from intent_lsp.core.claims import Step
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.store.index import Query
from intent_lsp.store.ledger_index import Index

RECORDS_READ: Final = 10_000
"""Records of one name that are read at most, the newest."""

NAMES_FOLLOWED: Final = 16
"""Names that one file is followed under at most."""

RECORDS_ELSEWHERE: Final = 2_000
"""Records, the newest of all files, in which blocks that moved are looked for."""

_PAGE: Final = 500


@dataclass(slots=True)
class FileLineage:
    """The records of one file, oldest first, and their steps; the sources are one answer's own."""

    sources: list[Source]
    steps: Sequence[Step]

    def elsewhere(self, index: Index) -> list[Step]:
        """Add what newer records tell of other files to the sources, and give their steps."""
        records = list(islice(_newest_first(index, Query()), RECORDS_ELSEWHERE))
        begin = len(self.sources)
        own = {(record.id, file.path) for record, file in self.sources}
        self.sources += [
            (record, file)
            for record in reversed(records)
            for file in record.files
            if (record.id, file.path) not in own
        ]
        return steps_of(self.sources[begin:], begin)


def file_lineage(index: Index, path: WorkspacePath) -> FileLineage:
    """Read the records of a file. Raises LedgerUnavailableError."""
    names: dict[WorkspacePath, list[Source]] = {}
    wanted: list[tuple[WorkspacePath, str | None]] = [(path, None)]
    while wanted and len(names) < NAMES_FOLLOWED:
        name, renamed_by = wanted.pop(0)
        if name in names:
            continue
        records = islice(_newest_first(index, Query(path=name)), RECORDS_READ)
        names[name] = list(_of_name(_before(records, renamed_by), name))
        wanted += [
            (file.previous, record.id) for record, file in names[name] if file.previous is not None
        ]
    newest_first = merge(*names.values(), key=lambda source: source[0].timestamp, reverse=True)
    sources = [*newest_first][::-1]
    return FileLineage(sources, steps_of(sources))


def left_by(index: Index, wanted: ContentHash) -> frozenset[WorkspacePath]:
    """List the files that newer records have left with a content. Raises as above."""
    records = islice(_newest_first(index, Query()), RECORDS_ELSEWHERE)
    files = (file for record in records for file in record.files)
    return frozenset(file.path for file in files if file.post_hash == wanted)


def gone_on(index: Index, path: WorkspacePath, known: FileLineage) -> FileLineage | None:
    """Read what has been recorded of a file since; None: all of it has to be read again.

    Raises LedgerUnavailableError.
    """
    if not known.sources or known.sources[-1][1].path != path:
        return None
    last, fresh = known.sources[-1][0], []
    for record in islice(_newest_first(index, Query(path=path)), RECORDS_READ):
        if record.id == last.id:
            break
        fresh.append(record)
    else:
        return None
    added = [*_of_name(fresh, path)][::-1]
    renamed = any(file.previous is not None for _, file in added)
    early = any(record.timestamp < last.timestamp for record, _ in added)
    if renamed or early or len(known.sources) + len(added) > RECORDS_READ:
        return None
    steps = steps_of(added, len(known.sources))
    return FileLineage([*known.sources, *added], [*known.steps, *steps])


def steps_of(sources: Sequence[Source], begin: int = 0) -> list[Step]:
    """Give the step of each source; their orders count from `begin`."""
    return [
        Step(
            order=order,
            pre=file.pre_hash,
            post=file.post_hash,
            talks=tuple(talk.ranges for talk in file.conversations),
            told=record.success,
        )
        for order, (record, file) in enumerate(sources, begin)
    ]


def _newest_first(index: Index, query: Query) -> Iterator[Record]:
    page = index.query(query, limit=_PAGE)
    yield from page.records
    while page.cursor is not None:
        page = index.query(query, limit=_PAGE, cursor=page.cursor)
        yield from page.records


def _before(records: Iterable[Record], renamed_by: str | None) -> Iterator[Record]:
    """Leave out the rename that gave a file its next name, and all that came after it."""
    passed = renamed_by is None
    for record in records:
        if passed:
            yield record
        passed = passed or record.id == renamed_by


def _of_name(records: Iterable[Record], name: WorkspacePath) -> Iterator[Source]:
    for record in records:
        for file in record.files:
            if file.path == name:
                yield record, file
