"""The table of export formats (ledger section 7).

Invariant: each record is exported on its own, so that memory does not grow with the export.
Invariant: a record of several files gives several flat records with the same id. One without files
gives one whose `file` is null.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from intent_lsp.core.records import Record, RecordFile
from intent_lsp.formats.ledger.exports.agent_trace import agent_trace
from intent_lsp.formats.ledger.exports.csv_form import csv_heading, csv_rows
from intent_lsp.formats.ledger.jsonl import encode


def flat_records(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the flat records of a record. The keys `assumed` and `error` may be absent."""
    for file in record.files or (None,):
        told: dict[str, Any] = {
            "id": record.id,
            "timestamp": record.timestamp,
            "intent_id": record.intent_id,
            "session_id": record.session_id,
            "tool_name": record.tool_name,
            "mutation_class": record.mutation_class.value,
            "file": None if file is None else _file(file),
            "scope_validation": record.scope_validation.value,
            "success": record.success,
        }
        if record.is_assumed:
            told["assumed"] = True
        if record.error is not None:
            told["error"] = record.error
        yield told


@dataclass(frozen=True, slots=True)
class Export:
    """An export format: a function from a record to its lines with line ends, and a heading."""

    lines: Callable[[Record], Iterable[bytes]]
    heading: bytes = b""


def _json_line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"


EXPORTS: Final[Mapping[str, Export]] = {
    "agent-trace": Export(lambda record: [_json_line(agent_trace(record))]),
    "flat": Export(lambda record: map(_json_line, flat_records(record))),
    "csv": Export(csv_rows, csv_heading()),
    "json": Export(lambda record: [encode(record)]),
}
"""The export formats by name. All but `csv` are JSON Lines."""


def _file(file: RecordFile) -> dict[str, Any]:
    return {
        "relative_path": file.relative_path,
        "pre_hash": file.pre_hash,
        "post_hash": file.post_hash,
    }
