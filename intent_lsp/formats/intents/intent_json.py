"""JSON encoding of an intent and its checkout context, for every protocol.

Specified in protocol section 2.

Invariant: keys are camelCase. A record is included verbatim, so that its hash can be recomputed.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from intent_lsp.core.agents.checkout_context import IntentContext
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.intents import Intent
from intent_lsp.formats.ledger.jsonl import to_wire


def intent_json(intent: Intent, flags: Sequence[str] = ()) -> dict[str, Any]:
    """Return an intent as a JSON object. A date that the intent lacks is left out.

    If the intent has no specification, the key `specification` holds the intent's id. `flags` are
    the value of the key `flags`.
    """
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
    """Return an intent's checkout context as a JSON object."""
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
    """Return the hash of the RFC 8785 JSON of an intent's id, scope, constraints and criteria."""
    said = {
        "id": intent.id,
        "owned_scope": intent.owned_scope,
        "constraints": intent.constraints,
        "acceptance_criteria": intent.acceptance_criteria,
    }
    return hash_content(msgspec.json.encode(said, order="sorted"))
