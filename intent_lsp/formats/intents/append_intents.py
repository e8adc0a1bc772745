"""Adds several new intents at the end of the intents file, in one edit.

Invariant: an intent that cannot be added is left out, with the reason, and the others are added.
After an intent that exceeds a limit of the file, all later ones are left out.
Invariant: existing text stays as it was, as in `append_intent` (requirements section 3).
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.formats.intents.append_intent import add_intent, adding_to, already_in
from intent_lsp.formats.intents.edit import EditRefused, FileEdit, apply_changes, verified
from intent_lsp.formats.intents.entry_text import intent_meant
from intent_lsp.formats.intents.intents_file import IntentsFile, IntentsReader
from intent_lsp.formats.text_positions import TextPositions


class Added(Struct, frozen=True):
    """The edit that adds several intents (`changes`), and why it leaves some of them out.

    `refused` maps the id of each intent that is not added to the reason, a clause for a message.
    """

    changes: FileEdit
    refused: Mapping[str, str] = field(default_factory=dict)


def add_intents(text: str, intents: Sequence[Intent], now: str) -> Added:
    """Return the edit that adds intents at the end of the list in the intents file, in order.

    `text` is the text of the file, without a byte order mark. An intent without a creation date
    gets `now`.
    """
    wanted = [replace(each, created_at=each.created_at or now) for each in intents]
    adding = _Several(text)
    # Add the first one alone: once it is there, the others can all be inserted at one place.
    adding.add(wanted[:1])
    adding.add(wanted[1:])
    return Added(_difference(text, adding.text), adding.refused)


class _Several:
    """Adds intents to the text of a file. `refused` maps ids of intents left out to the reasons."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.refused: dict[str, str] = {}
        self._reader = IntentsReader()
        self._full = ""

    def add(self, wanted: Sequence[Intent]) -> None:
        """Add intents in order: all at one place, else each half of them, down to single ones.

        Once one of them exceeds a limit of the file, all later ones are refused: to find the few
        that might still fit, the whole file would have to be read for each.
        """
        if self._full:
            for intent in wanted:
                self.refused.setdefault(intent.id, self._full)
        elif len(wanted) == 1:
            self._alone(wanted[0])
        elif wanted and not self._together(wanted):
            self.add(wanted[: len(wanted) // 2])
            self.add(wanted[len(wanted) // 2 :])

    def _alone(self, intent: Intent) -> None:
        changes = add_intent(self.text, intent, self._reader)
        if isinstance(changes, EditRefused):
            self.refused.setdefault(intent.id, changes.reason)
            self._full = changes.reason if changes.full else ""
        else:
            self.text = apply_changes(self.text, changes)

    def _together(self, wanted: Sequence[Intent]) -> bool:
        """Add intents at one place, and verify the result once. Return whether it succeeded.

        An intent that cannot be added is left out, and `refused` gets the reason. Without success,
        nothing is changed.
        """
        before = self._reader.read(self.text)
        refused: dict[str, str] = {}
        made = self._insertions(wanted, before, refused) if before.parsed else None
        if made is None:
            return False
        if made:
            meant = Intents((*before.intents, *map(intent_meant, made)))
            text = "".join(change.new_text for change in made.values())
            added = TextChange(next(iter(made.values())).span, text)
            if isinstance(verified(self.text, (added,), meant, self._reader), EditRefused):
                return False
            self.text = apply_changes(self.text, (added,))
        self.refused = {**refused, **self.refused}
        return True

    def _insertions(
        self, wanted: Sequence[Intent], before: IntentsFile, refused: dict[str, str]
    ) -> dict[Intent, TextChange] | None:
        """Return the insertions by intent, or None if they cannot all be made at one place.

        An intent that cannot be added is left out, and `refused` gets the reason. `before` is the
        result of reading the present text.
        """
        taken = set(before.intents.by_id)
        add = adding_to(self.text)
        made: dict[Intent, TextChange] = {}
        for intent in wanted:
            changes = already_in(intent.id) if intent.id in taken else add(intent)
            if isinstance(changes, EditRefused):
                refused.setdefault(intent.id, changes.reason)
                continue
            if len(changes) != 1:
                return None
            taken.add(intent.id)
            (made[intent],) = changes
        spans = {change.span for change in made.values()}
        return None if len(spans) > 1 or any(it.start != it.end for it in spans) else made


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
