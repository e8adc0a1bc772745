"""Encodes blame as JSON, the same for every door (protocol section 2).

Invariant: every key is present. What is unknown about a run is null.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from intent_lsp.core.blame.runs import BlameRun


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRuns:
    """Some runs of blame of a file, and the file's number of lines."""

    path: str
    uri: str
    line_count: int
    runs: Sequence[BlameRun]


def blame_json(path: str, uri: str, runs: Iterable[BlameRun]) -> dict[str, Any]:
    """Return the result of `intent/blame` and of `intent-lsp trace blame --json`."""
    return {"path": path, "uri": uri, "lines": [_run(run) for run in runs]}


def lines_json(intent_id: str, files: Sequence[FileRuns], *, truncated: bool) -> dict[str, Any]:
    """Return the result of `intent/lines` and of `intent-lsp trace lines --json`."""
    return {
        "intentId": intent_id,
        "files": [
            {**blame_json(file.path, file.uri, file.runs), "lineCount": file.line_count}
            for file in files
        ],
        "total": sum(run.count for file in files for run in file.runs),
        "truncated": truncated,
    }


def _run(run: BlameRun) -> dict[str, Any]:
    record, who = run.record, run.contributor
    return {
        "startLine": run.start_line,
        "endLine": run.end_line,
        "recordId": None if record is None else record.id,
        "intentId": None if record is None else record.intent_id,
        "entityType": None if who is None else who.entity_type.value,
        "modelIdentifier": None if who is None else who.model_identifier,
        "author": run.author,
        "isYou": None if record is None else run.is_you,
        "timestamp": None if record is None else record.timestamp,
        "toolName": None if record is None else record.tool_name,
        "mutationClass": None if record is None else record.mutation_class.value,
        "scopeValidation": None if record is None else record.scope_validation.value,
        "confidence": run.confidence.value,
    }
