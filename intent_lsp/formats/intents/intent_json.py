"""An intent, and what its checkout tells, as JSON: the same at every door (protocol section 2).

Invariant: keys are camelCase; a record stands in it verbatim, so that its hash can be recomputed.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from intent_lsp.core.agents.checkout_context import IntentContext
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.intents import Intent
from intent_lsp.formats.ledger.jsonl import to_wire


def intent_json(intent: Intent, flags: Sequence[str] = ()) -> dict[str, Any]:
    """Spell an `Intent`; dates that the file has not are left out."""
    told: dict[str, Any] = {
        "id": intent.id,
        "name": intent.name,
        "status": intent.status.value,
        "ownedScope": list(intent.owned_scope),
        "constraints": list(intent.constraints),
        "acceptanceCriteria": list(intent.acceptance_criteria),
        "relatedFiles": list(intent.related_files),
        "recentHistory": list(intent.recent_history),
        "specification": intent.specification or intent.id,
        "flags": list(flags),
    }
    dates = {"createdAt": intent.created_at, "updatedAt": intent.updated_at}
    return told | {name: value for name, value in dates.items() if value is not None}


def context_json(context: IntentContext) -> dict[str, Any]:
    """Spell an `IntentContext`."""
    return {
        "intent": intent_json(context.intent),
        "architecturalConstraints": list(context.architectural_constraints),
        "relatedFiles": [
            {"path": file.path, "lastHash": file.last_hash, "lastModified": file.last_modified}
            for file in context.related_files
        ],
        "recentRecords": [to_wire(record) for record in context.recent_records],
        "truncated": list(context.truncated),
    }


def intent_hash(intent: Intent) -> ContentHash:
    """Hash the RFC 8785 form of `{id, owned_scope, constraints, acceptance_criteria}`."""
    said = {
        "id": intent.id,
        "owned_scope": intent.owned_scope,
        "constraints": intent.constraints,
        "acceptance_criteria": intent.acceptance_criteria,
    }
    return hash_content(msgspec.json.encode(said, order="sorted"))
