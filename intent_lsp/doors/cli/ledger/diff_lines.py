"""The lines that a record changed, as far as their contents are still kept.

Invariant: what is shown has the record's own hashes; where nothing is kept, that is said.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.content import ContentHash, line_body
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record, RecordFile
from intent_lsp.doors.cli.terminal.output import Page
from intent_lsp.doors.cli.terminal.table import Cell, Column, Table
from intent_lsp.formats.unified_diff import DiffLine, Mark, place, text_lines, unified
from intent_lsp.governance.contents.content_lookup import KnownContents

_STYLES: Final = {
    Mark.PLACE: "cyan",
    Mark.KEPT: "",
    Mark.REMOVED: "red",
    Mark.ADDED: "green",
    Mark.REMARK: "dim",
}
_NO_TEXT: Final = "not compared: not text, or too large"
_NOT_KEPT: Final = "its contents before and after are not kept"


def write_diffs(page: Page, record: Record, contents: KnownContents) -> None:
    """Write what a record changed, file by file; nothing for a file that kept its content."""
    for file in record.files:
        lines = list(_diff(file, record.vcs.revision_id, contents))
        if lines:
            page.line()
            _write(page, [*_heading(file), *lines])


def _write(page: Page, lines: Sequence[DiffLine]) -> None:
    texts = [(line, f"{line.mark}{line.text}".expandtabs(4)) for line in lines]
    if page.terminal:
        rows = [[Cell(text, _STYLES[line.mark])] for line, text in texts]
        page.table(Table((Column("", fold=True),), rows))
        return
    for _, text in texts:
        page.line(text)


def _heading(file: RecordFile) -> Iterator[DiffLine]:
    old, new = file.previous_path or file.relative_path, file.relative_path
    yield DiffLine(Mark.REMOVED, "-- " + ("/dev/null" if file.pre_hash is None else old))
    yield DiffLine(Mark.ADDED, "++ " + ("/dev/null" if file.post_hash is None else new))


def _diff(file: RecordFile, revision: str, contents: KnownContents) -> Iterator[DiffLine]:
    if file.pre_hash == file.post_hash:
        return

    def find(wanted: ContentHash | None, path: WorkspacePath) -> bytes | None:
        return b"" if wanted is None else contents.find(wanted, path, revision)

    old, new = find(file.pre_hash, file.previous or file.path), find(file.post_hash, file.path)
    if old is not None and new is not None:
        found = unified(old, new)
        yield from [_remark(_NO_TEXT)] if found is None else found
    elif new is not None:
        yield from _one_side(file, Mark.ADDED, text_lines(new))
    elif old is not None:
        yield from _one_side(file, Mark.REMOVED, text_lines(old))
    else:
        yield _remark(_NOT_KEPT)


def _one_side(file: RecordFile, side: Mark, lines: Sequence[str] | None) -> Iterator[DiffLine]:
    """Show each range with the lines of the one content that is kept."""
    runs = [run for talk in file.conversations for run in talk.ranges]
    if lines is None or any(run.replaced is None for run in runs):
        yield _remark(_NO_TEXT)
        return
    for run in sorted(runs, key=lambda run: run.start_line):
        first, old, new = run.replaced or (0, 0, 0)
        yield place(first, old, run.start_line, new)
        start, kept, lost = (run.start_line, new, old) if side is Mark.ADDED else (first, old, new)
        if lost:
            what = "stood there before" if side is Mark.ADDED else "came in their place"
            yield _remark(f"{_counted(lost)} {what}: not kept")
        if kept:
            shown = lines[start - 1 : start - 1 + kept]
            yield from (DiffLine(side, line_body(line)) for line in shown)


def _counted(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _remark(text: str) -> DiffLine:
    return DiffLine(Mark.REMARK, f" {text}")
