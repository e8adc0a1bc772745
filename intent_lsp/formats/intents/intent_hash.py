"""The hash of what an intent said: scope, constraints, acceptance criteria (ledger section 1)."""

import msgspec

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.intents import Intent


def intent_hash(intent: Intent) -> ContentHash:
    """Hash the RFC 8785 form of `{id, owned_scope, constraints, acceptance_criteria}`."""
    said = {
        "id": intent.id,
        "owned_scope": intent.owned_scope,
        "constraints": intent.constraints,
        "acceptance_criteria": intent.acceptance_criteria,
    }
    return hash_content(msgspec.json.encode(said, order="sorted"))
