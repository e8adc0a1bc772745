"""Encodes a selection as JSON: the intent, its context, and warnings (protocol section 2)."""

from typing import Any

from intent_lsp.formats.intents.intent_json import context_json, intent_json
from intent_lsp.governance.plan.checkout import Selection


def selection_json(selection: Selection) -> dict[str, Any]:
    """Return the result of `intent/select` and of `intent-lsp intents select --json`."""
    return {
        "intent": intent_json(selection.intent),
        "context": context_json(selection.context),
        "text": selection.text,
        "warnings": list(selection.warnings),
    }
