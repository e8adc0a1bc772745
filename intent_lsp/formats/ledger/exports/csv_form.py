"""Exports records as CSV, one row for each file (ledger section 7).

Invariant: no cell is a formula. A cell that a spreadsheet would evaluate is marked as text.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.records import Record, RecordFile

HEADINGS: Final[Sequence[str]] = (
    "timestamp",
    "id",
    "intent_id",
    "session_id",
    "agent_id",
    "tool_name",
    "mutation_class",
    "scope_validation",
    "success",
    "error",
    "revision",
    "path",
    "previous_path",
    "pre_hash",
    "post_hash",
    "contributor",
    "model",
    "lines_added",
    "lines_removed",
    "assumed",
)

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_heading() -> bytes:
    """Return the heading row (RFC 4180: UTF-8, commas, CRLF)."""
    return _row(HEADINGS)


def csv_rows(record: Record) -> Iterator[bytes]:
    """Yield a row for each file of a record. A record without files has one row."""
    for file in record.files or (None,):
        about = _file(file) if file is not None else [""] * 8
        yield _row([*_deed(record), *about, "true" if record.is_assumed else "false"])


def _deed(record: Record) -> list[str]:
    return [
        record.timestamp,
        record.id,
        record.intent_id or "",
        record.session_id,
        record.agent_id or "",
        record.tool_name,
        record.mutation_class.value,
        record.scope_validation.value,
        "true" if record.success else "false",
        record.error or "",
        record.vcs.revision_id,
    ]


def _file(file: RecordFile) -> list[str]:
    people = dict.fromkeys(talk.contributor for talk in file.conversations)
    runs = [run.replaced for talk in file.conversations for run in talk.ranges]
    compared = bool(runs) and None not in runs
    return [
        file.relative_path,
        file.previous_path or "",
        file.pre_hash or "",
        file.post_hash or "",
        " ".join(person.entity_type.value for person in people),
        " ".join(person.model_identifier for person in people),
        str(sum(run[2] for run in runs if run is not None)) if compared else "",
        str(sum(run[1] for run in runs if run is not None)) if compared else "",
    ]


def _row(cells: Sequence[str]) -> bytes:
    found = _Row()
    csv.writer(found).writerow([_harmless(cell) for cell in cells])
    return found.text.encode()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


class _Row:
    """The file object that `csv.writer` writes to."""

    text = ""

    def write(self, text: str) -> None:
        self.text += text
