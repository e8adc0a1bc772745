"""Encodes as JSON the intents of a root, and a selection of one (protocol section 2)."""

from typing import Any

from intent_lsp.formats.intents.intent_json import context_json, intent_json
from intent_lsp.governance.plan.checkout import Selection
from intent_lsp.governance.root.rules import Rules


def intents_json(rules: Rules) -> list[dict[str, Any]]:
    """Return the intents of the intents file, in its order, as in the result of `intent/list`."""
    return [intent_json(intent, rules.flags_of(intent)) for intent in rules.file.intents]


def selection_json(selection: Selection) -> dict[str, Any]:
    """Return the result of `intent/select` and of `intent-lsp intents select --json`."""
    return {
        "intent": intent_json(selection.intent),
        "context": context_json(selection.context),
        "text": selection.text,
        "warnings": list(selection.warnings),
    }
