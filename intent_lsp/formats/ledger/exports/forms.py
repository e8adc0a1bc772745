"""The table of export formats (ledger section 7).

Invariant: each record is exported on its own, so that memory does not grow with the export.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.exports.agent_trace import agent_trace
from intent_lsp.formats.ledger.exports.csv_form import csv_heading, csv_rows
from intent_lsp.formats.ledger.exports.flat import flat_records
from intent_lsp.formats.ledger.jsonl import encode


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
