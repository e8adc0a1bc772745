"""Encodes what governance answers about a call or a save: decision, outcome and violations.

Specified in protocol section 2.

Invariant: a call that awaits a person's approval is sent as denied.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from intent_lsp.core.gate.request import Allowed, Ask
from intent_lsp.core.paths import file_uri
from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.result_json import decision_json
from intent_lsp.governance.calls.admission import CallDecision, Outcome
from intent_lsp.governance.calls.calls import Applied
from intent_lsp.governance.calls.violations import CallViolation
from intent_lsp.governance.judging.save_judge import Judgement


def call_json(admission: CallDecision, root: Path) -> dict[str, Any]:
    """Return the protocol's `Decision` object for a judged call."""
    decision = admission.decision
    return decision_json(
        decision.why if isinstance(decision, Ask) else decision,
        verdict=admission.verdict,
        intent_id=admission.intent_id,
        files=[_file(root, file.path) | {"preHash": file.pre_hash} for file in admission.files],
        mutation_class=admission.mutation_class,
        ticket=None if admission.ticket is None else admission.ticket.id,
    )


def judgement_json(judgement: Judgement, uri: str) -> dict[str, object]:
    """Return the protocol's `Decision` object for a judged save of the file at `uri`."""
    verdict, intent = judgement.verdict, judgement.intent
    return decision_json(
        judgement.decision,
        verdict=ScopeValidation.EXEMPT if verdict is None else verdict,
        intent_id=None if intent is None else intent.id,
        files=[{"path": judgement.path, "uri": uri, "preHash": None}],
    )


def not_governed_json() -> dict[str, Any]:
    """Return the `Decision` on a call outside every governed root: allowed, with verdict EXEMPT."""
    allowed, exempt = Allowed(ScopeValidation.EXEMPT), ScopeValidation.EXEMPT
    return decision_json(allowed, verdict=exempt, intent_id=None, files=())


def applied_json(applied: Applied, root: Path) -> dict[str, Any]:
    """Return the result of `intent/applyEdit`: a `Decision` with `applied` and `recordId` added.

    If an allowed edit was not applied, a warning says why.
    """
    outcome = applied.outcome
    decision = call_json(applied.admission, root)
    if applied.problem is not None:
        decision["warnings"] = [
            *decision["warnings"],
            f"The edit was not applied: {applied.problem}.",
        ]
    return decision | {
        "applied": decision["allowed"] and applied.problem is None,
        "recordId": None if outcome is None else outcome.recorded.record_id,
    }


def outcome_json(
    outcome: Outcome, violations: Sequence[CallViolation], root: Path
) -> dict[str, Any]:
    """Return the result of `intent/recordEdit`: the record's id, the files, and the violations."""
    return {
        "recordId": outcome.recorded.record_id,
        "files": [
            _file(root, path) | {"preHash": old, "postHash": new}
            for path, old, new in outcome.recorded.files
        ],
        "violations": violations_json(violations, root),
    }


def violations_json(violations: Sequence[CallViolation], root: Path) -> list[dict[str, Any]]:
    """Return the violations of a call as JSON objects with path, URI, code and message."""
    return [
        _file(root, each.path) | {"code": each.code, "message": each.message} for each in violations
    ]


def _file(root: Path, path: str) -> dict[str, Any]:
    return {"path": path, "uri": file_uri(str(root / path))}
