"""Exports flat records, each of which holds one file at most (ledger section 7).

Invariant: a record of several files gives several flat records with the same id. One without files
gives one whose `file` is null.
"""

from collections.abc import Iterator
from typing import Any

from intent_lsp.core.records import Record, RecordFile


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


def _file(file: RecordFile) -> dict[str, Any]:
    return {
        "relative_path": file.relative_path,
        "pre_hash": file.pre_hash,
        "post_hash": file.post_hash,
    }
