"""Encodes the gate's decisions and explanations as JSON for every door (protocol section 2).

Invariant: the `details` of a refusal are passed on unchanged, in snake_case.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.request import Allowed, Denied, SaveDecision
from intent_lsp.core.records import MutationClass, ScopeValidation


def decision_json(  # noqa: PLR0913 - each is a field of it
    decision: SaveDecision | None,
    *,
    verdict: ScopeValidation,
    intent_id: str | None,
    files: Sequence[Mapping[str, object]],
    mutation_class: MutationClass | None = None,
    ticket: str | None = None,
) -> dict[str, Any]:
    """Return the protocol's `Decision` object.

    `decision` is None if the gate was not asked. The edit is then allowed.
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
    """Return the result of `intent/explain` and of `intent-lsp explain --json`."""
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
