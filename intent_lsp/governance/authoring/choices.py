"""Choices that a person has about an intent of the intents file: to select it, to complete it.

Invariant: what is offered is not refused, unless something changes in between.
"""

from msgspec import Struct

from intent_lsp.formats.intents.structure.entries import StructuredEntry
from intent_lsp.formats.yaml.nodes import Alias
from intent_lsp.governance.plan.checkout import CheckoutRefusal, selectable
from intent_lsp.governance.root.rules import Rules

_WRITTEN = ("status", "updated_at")


class IntentChoices(Struct, frozen=True, kw_only=True):
    """What can be done with one intent now: all are False if there is nothing.

    `selected`: it is the session's active one, and so not `selectable`.
    """

    selected: bool = False
    selectable: bool = False
    completable: bool = False


def choices_of(
    rules: Rules, active: str | None, entry: StructuredEntry, *, unsaved: bool
) -> IntentChoices:
    """Return the choices about the intent of one entry of an intents file, saved or not.

    Its status and its id count as they are on disk, in `rules`: there is no choice about an id that
    no saved intent has, or whose intent is closed or ignored there, and none while governance is
    off.
    `active` is the id of the session's active intent, or None. `unsaved`: the file has unsaved
    text, so the intent cannot be completed.
    """
    intent_id = "" if entry.intent is None else entry.intent.id
    intent = selectable(rules, intent_id)
    if isinstance(intent, CheckoutRefusal) or intent.id != intent_id:
        return IntentChoices()
    selected = rules.present_id(active) == intent.id
    return IntentChoices(
        selected=selected,
        selectable=not selected,
        completable=not unsaved and _is_writable(entry),
    )


def _is_writable(entry: StructuredEntry) -> bool:
    """Return whether a status can be set in an entry.

    It cannot if the entry has no known key, or if its status or `updated_at` is an alias of YAML.
    """
    return bool(entry.fields) and not any(
        field.name in _WRITTEN and isinstance(field.value, Alias) for field in entry.fields
    )
