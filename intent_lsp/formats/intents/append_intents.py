"""Adds several new intents at the end of the intents file, in one edit.

Invariant: an intent that cannot be added is left out, with the reason. The others are still added.
Invariant: existing text stays as it was, as in `append_intent` (requirements section 3).
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.formats.intents.append_intent import add_intent, adding_to
from intent_lsp.formats.intents.edit import EditRefused, FileEdit, apply_changes, verified
from intent_lsp.formats.intents.entry_text import intent_meant
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.text_positions import TextPositions


class Added(Struct, frozen=True):
    """The edit that adds several intents (`changes`), and why it leaves some of them out.

    `refused` maps the id of each intent that is not added to the reason.
    """

    changes: FileEdit
    refused: Mapping[str, str] = field(default_factory=dict)


def add_intents(text: str, intents: Sequence[Intent], now: str) -> Added:
    """Return the edit that adds intents at the end of the list in the intents file, in order.

    `text` is the text of the file, without a byte order mark. An intent without a creation date
    gets `now`.
    """
    wanted = [replace(each, created_at=each.created_at or now) for each in intents]
    after, refused = _one_by_one(text, wanted[:1])
    # Add the first one alone: once it is there, the others can all be inserted at one place.
    together = _together(after, wanted[1:])
    after, others = _one_by_one(after, wanted[1:]) if together is None else together
    return Added(_difference(text, after), refused | others)


def _one_by_one(text: str, wanted: Sequence[Intent]) -> tuple[str, dict[str, str]]:
    """Add the intents to the text one after another.

    Return the new text, and the reason of each refusal by the id of the intent.
    """
    reader, refused = IntentsReader(), dict[str, str]()
    for intent in wanted:
        changes = add_intent(text, intent, reader)
        if isinstance(changes, EditRefused):
            refused.setdefault(intent.id, changes.reason)
        else:
            text = apply_changes(text, changes)
    return text, refused


def _together(text: str, wanted: Sequence[Intent]) -> tuple[str, dict[str, str]] | None:
    """Add all intents to the text at one place, and verify the result once.

    Return the new text and no refusals, as an empty dict. Return None if an intent is refused, or
    if the intents cannot all be inserted at one place.
    """
    reader = IntentsReader()
    before = reader.read(text)
    taken = set(before.intents.by_id())
    add = adding_to(text)
    insertions: list[TextChange] = []
    for intent in wanted:
        changes = add(intent)
        if isinstance(changes, EditRefused) or len(changes) != 1 or intent.id in taken:
            return None
        insertions += changes
        taken.add(intent.id)
    spans = {change.span for change in insertions}
    if len(spans) != 1 or any(span.start != span.end for span in spans):
        return None
    added = TextChange(insertions[0].span, "".join(change.new_text for change in insertions))
    meant = Intents((*before.intents, *map(intent_meant, wanted)))
    changed = verified(text, (added,), meant, reader)
    return None if isinstance(changed, EditRefused) else (apply_changes(text, changed), {})


def _difference(text: str, after: str) -> FileEdit:
    """Return the one change that turns `text` into `after`; empty if the two are equal.

    The change leaves out what both texts have in common at the start and at the end.
    """
    if text == after:
        return ()
    start = common_head(text, after)
    end = common_tail(text, after, start)
    span = TextPositions(text).span(start, len(text) - end)
    return (TextChange(span, after[start : len(after) - end]),)
