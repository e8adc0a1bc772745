"""What a record changed, as far as it is still kept: texts before and after, and their diffs.

Specified in protocol section 2.

Invariant: a returned content has the hash that the record names. A content that is no longer kept
is distinguished from one whose hash the record does not name.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash, decode, line_body
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record, RecordFile
from intent_lsp.core.text import counted, whole
from intent_lsp.formats.diff import DiffLine, DiffMark, place, text_lines, unified
from intent_lsp.formats.ledger.record_words import record_facts, record_text
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.governance.ledger.reader import LedgerReader

FILES_AT_MOST: Final = 50
"""The most files of one record whose contents are returned."""

LARGEST: Final = 2 << 20
"""Bytes of the largest content that is returned."""

BYTES_AT_MOST: Final = 8 << 20
"""Bytes of all contents together that are returned for one record."""

LONGEST: Final = 4 << 20
"""Characters of a described record after which no more diffs are added."""

_TOO_LARGE: Final = "the content is too large to be shown"
_TOO_MUCH: Final = "the contents of this record are together too large to be shown"
_NO_TEXT: Final = "the content is not text"
_NOT_COMPARED: Final = "not compared, because the file is not text or too large"
_NOT_KEPT: Final = "not shown, because the contents before and after the edit were not kept"


class Side(Struct, frozen=True, kw_only=True):
    """A file's content before or after a record.

    `text` is None if there was no file, if the record has no hash of the content, or if the content
    cannot be shown. In the last case `why` says why: it is no longer kept, not text, or too large.
    """

    text: str | None = None
    why: str | None = None


class ChangedText(Struct, frozen=True, kw_only=True):
    """A file of a record, at its path at that time, with its content before and after.

    `previous` is its path before, if the record renamed it, else None.
    """

    path: WorkspacePath
    previous: WorkspacePath | None
    before: Side
    after: Side


def changes_of(root: Path, record: Record) -> tuple[ChangedText, ...]:
    """Return the content of each file of a record, before and after the record.

    Only the first FILES_AT_MOST files are returned. For a content that is not kept, not text, or
    too large, the result says why instead.
    """
    sides = _Sides(ContentLookup(root), record.vcs.revision_id)
    return tuple(
        ChangedText(
            path=file.path,
            previous=file.previous,
            before=sides.of(file.pre_hash, file.previous or file.path),
            after=sides.of(file.post_hash, file.path),
        )
        for file in record.files[:FILES_AT_MOST]
    )


def side_of(root: Path, record: Record, path: WorkspacePath, *, after: bool) -> Side | None:
    """Return the content of one file of a record, before or after it.

    `path` is the file's path; if the record renamed the file, either its old or its new path. If
    the content is not kept, not text, or too large, the result says why. Return None if the record
    has no such file.
    """
    sides = _Sides(ContentLookup(root), record.vcs.revision_id)
    for file in record.files:
        if path in (file.path, file.previous):
            wanted = file.post_hash if after else file.pre_hash
            return sides.of(wanted, file.path if after else file.previous or file.path)
    return None


def side_of_data(data: bytes | None) -> Side:
    """Return raw bytes as a `Side`. `data` None means that there is no file.

    If they are not text, or too large to be shown, the result says why instead.
    """
    if data is None:
        return Side()
    if len(data) > LARGEST:
        return Side(why=_TOO_LARGE)
    text = decode(data)
    return Side(why=_NO_TEXT) if text is None else Side(text=text.text)


class _Sides(Struct):
    """Looks up contents of the files of a record; `revision` is the commit named in the record.

    At most `bytes_left` more bytes are returned.
    """

    contents: ContentLookup
    revision: str
    bytes_left: int = BYTES_AT_MOST

    def of(self, wanted: ContentHash | None, path: WorkspacePath) -> Side:
        """Return the content of a file with the hash `wanted`; for None, an empty `Side`.

        If it is not kept, not text, or too large to be shown, the result says why instead.
        """
        if wanted is None:
            return Side()
        data = self.contents.find(wanted, path, self.revision)
        if data is None:
            return Side(why="the content is not kept any more")
        found = side_of_data(data)
        if found.text is None:
            return found
        if len(data) > self.bytes_left:
            return Side(why=_TOO_MUCH)
        self.bytes_left -= len(data)
        return found


def described(root: Path, reader: LedgerReader, record: Record) -> str:
    """Return a record in words, and what it changed as far as that is kept, as lines of text.

    `reader` reads the ledger of the root. When the diffs have more than LONGEST characters, the
    files after them are left out.
    """
    facts = record_facts(record, reader.flags(record), record.timestamp)
    return whole(record_text(facts, _bounded(record_diffs(record, ContentLookup(root)))))


def _bounded(diffs: Iterable[Sequence[DiffLine]]) -> Iterator[Sequence[DiffLine]]:
    """Yield diffs until they have more than `LONGEST` characters; then a remark if more remain."""
    taken = 0
    for lines in diffs:
        if taken > LONGEST:
            yield [_remark("more files are not shown, because the change is too large")]
            return
        taken += sum(len(line.text) for line in lines)
        yield lines


def record_diffs(record: Record, contents: ContentLookup) -> Iterator[Sequence[DiffLine]]:
    """Yield the diff of each file of a record, with two lines that name the file in front.

    Files without a line to show are skipped, such as a new empty one. `contents` finds the texts.
    """
    for file in record.files:
        lines = list(_diff(file, record.vcs.revision_id, contents))
        if lines:
            yield [*_heading(file), *lines]


def _heading(file: RecordFile) -> Iterator[DiffLine]:
    old, new = file.previous_path or file.relative_path, file.relative_path
    yield DiffLine(DiffMark.REMOVED, "-- " + ("/dev/null" if file.pre_hash is None else old))
    yield DiffLine(DiffMark.ADDED, "++ " + ("/dev/null" if file.post_hash is None else new))


def _diff(file: RecordFile, revision: str, contents: ContentLookup) -> Iterator[DiffLine]:
    if file.pre_hash == file.post_hash:
        return

    def find(wanted: ContentHash | None, path: WorkspacePath) -> bytes | None:
        return b"" if wanted is None else contents.find(wanted, path, revision)

    old, new = find(file.pre_hash, file.previous or file.path), find(file.post_hash, file.path)
    if old is not None and new is not None:
        found = unified(old, new)
        yield from [_remark(_NOT_COMPARED)] if found is None else found
    elif new is not None:
        yield from _one_side(file, DiffMark.ADDED, text_lines(new))
    elif old is not None:
        yield from _one_side(file, DiffMark.REMOVED, text_lines(old))
    else:
        yield _remark(_NOT_KEPT)


def _one_side(file: RecordFile, side: DiffMark, lines: Sequence[str] | None) -> Iterator[DiffLine]:
    """Yield the changed ranges of a file of which one content is stored, before or after the edit.

    `side` is ADDED if that is the content after the edit, REMOVED if it is the one before. `lines`
    are the lines of that content, or None if it is not text. Where the other content had lines,
    yield a remark instead of them. Yield only one remark, and no lines, if `lines` is None or a
    range of the record does not say what it replaced.
    """
    runs = [run for talk in file.conversations for run in talk.ranges]
    if lines is None or any(run.replaced is None for run in runs):
        yield _remark(_NOT_COMPARED)
        return
    for run in sorted(runs, key=lambda run: run.start_line):
        first, old, new = run.replaced or (0, 0, 0)
        yield place(first, old, run.start_line, new)
        start, kept, lost = (
            (run.start_line, new, old) if side is DiffMark.ADDED else (first, old, new)
        )
        if lost:
            lines_ = counted(lost, "line")
            yield _remark(
                f"{lines_} that stood here before: the text was not kept"
                if side is DiffMark.ADDED
                else f"{lines_} that came in their place: the text was not kept"
            )
        if kept:
            shown = lines[start - 1 : start - 1 + kept]
            yield from (DiffLine(side, line_body(line)) for line in shown)


def _remark(text: str) -> DiffLine:
    return DiffLine(DiffMark.REMARK, f" {text}")
