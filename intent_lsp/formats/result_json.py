"""Results as JSON, the same for every door: decisions, blame, verification (protocol section 2).

Invariant: the `details` of a refusal are passed on unchanged, in snake_case.
Invariant: a run of blame has every key. A value that is not known is null.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from intent_lsp.core.blame.attribution import BlameRun
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.request import Allowed, Denied, SaveDecision
from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.records import MutationClass, ScopeValidation


class FileRuns(Struct, frozen=True, kw_only=True):
    """The runs of blame (lines in a row with one attribution) in one file.

    `line_count` is the number of lines of the whole file.
    """

    path: str
    uri: str
    line_count: int
    runs: Sequence[BlameRun]


def decision_json(  # noqa: PLR0913 - each is a field of it
    decision: SaveDecision | None,
    *,
    verdict: ScopeValidation,
    intent_id: str | None,
    files: Sequence[Mapping[str, object]],
    mutation_class: MutationClass | None = None,
    ticket: str | None = None,
) -> dict[str, Any]:
    """Return the gate's decision on an edit as the protocol's `Decision` object.

    `decision` is None if the gate was not asked; the edit is then allowed. A denial also has a
    reason and an error. `files` are the protocol's objects for the edit's files.
    """
    told: dict[str, Any] = {
        "allowed": not isinstance(decision, Denied),
        "scopeValidation": verdict.value,
        "intentId": intent_id,
        "mutationClass": None if mutation_class is None else mutation_class.value,
        "files": list(files),
        "ticket": ticket,
        "warnings": list(decision.warnings) if isinstance(decision, Allowed) else [],
    }
    return told | _refusal(decision) if isinstance(decision, Denied) else told


def explained_json(
    rows: Sequence[ExplainedRow], decision: Mapping[str, object]
) -> dict[str, object]:
    """Return the result of `intent/explain` and of `intent-lsp explain --json`.

    `rows` are the checks of the gate with their outcome, `decision` is a `Decision` object.
    """
    told = [
        {
            "row": row.number,
            "code": None if row.code is None else row.code.value,
            "label": row.label,
            "fact": row.fact,
            "outcome": row.outcome.value,
        }
        for row in rows
    ]
    return {"rows": told, "decision": dict(decision)}


def blame_json(path: str, uri: str, runs: Iterable[BlameRun]) -> dict[str, Any]:
    """Return the result of `intent/blame` and of `intent-lsp trace blame --json` for one file."""
    return {"path": path, "uri": uri, "lines": [_run(run) for run in runs]}


def lines_json(intent_id: str, files: Sequence[FileRuns], *, truncated: bool) -> dict[str, Any]:
    """Return the result of `intent/lines` and of `trace lines --json`: an intent's lines, by file.

    `truncated`: a limit may have left out files with lines of the intent.
    """
    return {
        "intentId": intent_id,
        "files": [
            {**blame_json(file.path, file.uri, file.runs), "lineCount": file.line_count}
            for file in files
        ],
        "total": sum(run.count for file in files for run in file.runs),
        "truncated": truncated,
    }


def verification_json(found: Verification) -> dict[str, object]:
    """Return the result of `intent/verify` and of `intent-lsp trace verify --json`."""
    return {
        "ok": found.ok,
        "records": found.records,
        "segments": found.segments,
        "heads": [head.hash for head in found.heads],
        "problems": [
            {
                "code": problem.code.value,
                "severity": problem.severity.name.lower(),
                "file": problem.file,
                "line": problem.line,
                "message": problem.message,
            }
            for problem in found.problems
        ],
        "anchors": [
            {
                "kind": anchor.kind.value,
                "name": anchor.name,
                "hash": anchor.hash,
                "records": anchor.records,
            }
            for anchor in found.anchors
        ],
        "proved": found.proved,
        "conditional": found.conditional,
    }


def _refusal(denied: Denied) -> dict[str, object]:
    return {
        "reason": denied.message,
        "error": {
            "type": "HOOK_PRE_TOOL_DENIED",
            "code": denied.code.value,
            "message": denied.message,
            "details": dict(denied.details),
        },
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
