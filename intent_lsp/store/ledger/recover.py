"""Lost records: records in `.local/` that no file of the ledger contains (ledger section 3).

Invariant: nothing is written, and a record whose id the ledger holds is never returned.
Invariant: a line that is no valid record is reported, and never returned as a record.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import examine, read
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.tree_walk import names_in
from intent_lsp.store.ledger.journal import JOURNAL_NAME, Journal
from intent_lsp.store.ledger.raw.file import file_lines
from intent_lsp.store.ledger.raw.files import LedgerFiles

_ID: Final = slice(len('{"id":"'), len('{"id":"') + 36)
_HASH: Final = slice(-len('sha256:"}}\n') - 64, -len('"}}\n'))


class LostRecord(Struct, frozen=True, kw_only=True):
    """A record that the ledger does not contain: its line, and the file with the line (`source`).

    `source` is relative to the root. `missing` are the hashes of records that it follows or merges
    and that are not in the ledger; an earlier lost record for which `joins` is True counts as being
    there. `waits` is whether it was found in the queue, where it waits to be appended.
    """

    record: Record
    line: bytes
    source: str
    missing: tuple[ContentHash, ...] = ()
    waits: bool = False

    @property
    def joins(self) -> bool:
        """Whether the line can be appended as it is: `missing` is empty, and `waits` is False."""
        return not self.missing and not self.waits


class Unreadable(Struct, frozen=True):
    """A line in `.local/` that is no valid record, or a file that cannot be read.

    `source` is the file, relative to the root, and `problem` what is wrong.
    """

    source: str
    problem: str


class Found(Struct, frozen=True):
    """The lost records, in the order in which they were found, and the unreadable lines."""

    lost: tuple[LostRecord, ...]
    unreadable: tuple[Unreadable, ...]


_Kept = tuple[str, bytes | OSError, bool]
"""A file relative to the root, a line in it or the error of reading it, and if it is queued."""


class _Held(Struct):
    """Those of the record ids and hashes searched for that the ledger contains."""

    ids: set[str] = field(default_factory=set)
    hashes: set[ContentHash] = field(default_factory=set)


def lost_records(root: Path) -> Found:
    """Return the records in `.local/` that are missing from a root's ledger, and unreadable lines.

    They are searched for in the journal, in `torn/` and in `queue/`: a reset, a stash or an
    accident may have removed them from the ledger, or they are still queued. Raise
    LedgerUnavailableError if the journal or a file of the ledger cannot be opened.
    """
    ids: set[str] = set()
    named: set[ContentHash] = set()
    for _, line, _ in _kept(root):
        link = Link() if isinstance(line, OSError) else examine(line)
        if link.hash and link.flaw is None:
            ids.add(link.id)
            named.update(_named_by(link))
    held = _held(root, ids, named) if ids else _Held()
    return _found(_kept(root), held)


def _kept(root: Path) -> Iterator[_Kept]:
    """Yield each line in `.local/` to examine, or the error of a file that cannot be read.

    Lines come from the journal, from `torn/` and from `queue/`, and need not be records.
    """
    for line in Journal(root / LOCAL_ROOM).lines():
        yield f"{LOCAL_ROOM}/{JOURNAL_NAME}", line, False
    for name in sorted(names_in(root, f"{LOCAL_ROOM}/torn").files):
        source = f"{LOCAL_ROOM}/torn/{name}"
        found = _content(root / source)
        if isinstance(found, OSError):
            yield source, found, False
            continue
        for line in found.splitlines(keepends=True):
            yield source, line.rstrip(b"\n") + b"\n", False
    for name in sorted(names_in(root, f"{LOCAL_ROOM}/queue").files):
        if not name.startswith("."):
            source = f"{LOCAL_ROOM}/queue/{name}"
            yield source, _content(root / source), True


def _found(lines: Iterable[_Kept], held: _Held) -> Found:
    """Return those records among `lines` that the ledger does not contain, each id once.

    Lines that are no records, and files that cannot be read, are in the result as unreadable.
    `held` are the ids and hashes that the ledger contains; the ids of lost records are added, and
    the hashes of those for which `joins` is True.
    """
    lost: list[LostRecord] = []
    unreadable: list[Unreadable] = []
    for source, line, waits in lines:
        if isinstance(line, OSError):
            unreadable.append(Unreadable(source, f"it cannot be read: {line.strerror}"))
            continue
        link, record = examine(line), read(line)
        if record is None or link.flaw is not None:
            problem = "the line is not a record" if link.flaw is None else link.flaw.message
            unreadable.append(Unreadable(source, problem))
        elif record.id not in held.ids:
            held.ids.add(record.id)
            missing = tuple(name for name in _named_by(link) if name not in held.hashes)
            each = LostRecord(record=record, line=line, source=source, missing=missing, waits=waits)
            if each.joins:
                held.hashes.add(link.hash)
            lost.append(each)
    return Found(tuple(lost), tuple(unreadable))


def _held(root: Path, ids: set[str], hashes: set[ContentHash]) -> _Held:
    """Read the whole ledger and return which of the given ids and hashes it contains."""
    held = _Held()
    for name in LedgerFiles(root).names():
        for id_, hash_ in (_told(line) for line in file_lines(root / name) if _stays(line)):
            if id_ in ids:
                held.ids.add(id_)
            if hash_ in hashes:
                held.hashes.add(hash_)
    return held


def _stays(line: bytes) -> bool:
    """Return whether a line of a ledger file is whole, or lacks only its line feed.

    The next append to the file removes a last line for which this is False.
    """
    return line.endswith(b"\n") or examine(line + b"\n").flaw is None


def _told(line: bytes) -> tuple[str, ContentHash]:
    """Return the id and the hash of a ledger line, both empty if it is no record.

    The hash is the one that the line states if it is in the usual form, else it is recomputed.
    """
    if line.startswith(b'{"id":"') and line.endswith(b'"}}\n') and line[_HASH][:7] == b"sha256:":
        return line[_ID].decode("latin-1"), ContentHash(line[_HASH].decode("latin-1"))
    link = examine(line)
    return link.id, link.hash


def _named_by(link: Link) -> Iterator[ContentHash]:
    """Yield the hashes of the records that a record follows or merges, given its link."""
    if link.prev is not None:
        yield link.prev
    yield from link.merges


def _content(path: Path) -> bytes | OSError:
    """Return a file's content, empty if there is no file, or the error if it cannot be read."""
    try:
        return read_bytes(path) or b""
    except OSError as problem:
        return problem
