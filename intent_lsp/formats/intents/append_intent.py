"""Adds one new intent at the end of the intents file, in the YAML form that the file uses.

Invariant: existing text stays as it was, comments included. Only an empty list or mapping, or a
null, is removed where the list of intents belongs.
Invariant: `add_intent` returns an edit only if the edited text parses to the old intents and the
new one.
"""

import re
from collections.abc import Callable, Sequence

from msgspec import Struct

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.formats.intents.edit import (
    BY_HAND,
    EditRefused,
    FileEdit,
    unread,
    unwritable,
    verified,
)
from intent_lsp.formats.intents.entry_text import (
    EntryForm,
    entry_block,
    entry_inline,
    entry_lines,
    intent_meant,
)
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.intents.root import ROOT_KEY, ROOT_KEYS
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.globs.unquoted_globs import INTENT_GLOBS, compose_with_globs
from intent_lsp.formats.yaml.insert import (
    first_in_flow,
    line_after,
    lines_at,
    pair_in_flow,
    parts_after,
    value_put,
)
from intent_lsp.formats.yaml.keys import Field, fields_of
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.list_edit import item_lead, list_indent, text_spelled
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, spelled_like

_STEP = 2
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*[\r\n]")
_COMMENT_LINE = re.compile(r"( *)#[^\r\n]*(?:\r\n|\n|\r)")


def add_intent(
    text: str, intent: Intent, reader: IntentsReader | None = None
) -> FileEdit | EditRefused:
    """Return the edit that adds an intent at the end of the list in the intents file, or a refusal.

    `text` is the text of the file, without a byte order mark. A file without a list or a mapping of
    intents gets a list below `active_intents` (requirements section 3); a mapping from id to intent
    gets a pair. A `reader` that has just read `text` saves one reading of it.
    """
    reading = reader or IntentsReader()
    before = reading.read(text)
    if not before.parsed:
        return unread(before)
    if before.intents.get(intent.id) is not None:
        return already_in(intent.id)
    changes = adding_to(text)(intent)
    if isinstance(changes, EditRefused):
        return changes
    return verified(text, changes, Intents((*before.intents, intent_meant(intent))), reading)


def already_in(intent_id: IntentId) -> EditRefused:
    """Return the refusal to add an intent whose id the file has."""
    return EditRefused(f"the file already has an intent {intent_id}")


def adding_to(text: str) -> Callable[[Intent], FileEdit | EditRefused]:
    """Return a function that returns the changes that add a given intent to `text`, or a refusal.

    `text`, the text of the intents file, must be valid YAML; it is parsed only once. The caller
    must verify the changes.
    """
    composed = compose_with_globs(text, INTENT_GLOBS)
    root = None if isinstance(composed, YamlProblem) else composed.root
    reading, line_end = YamlDocument(text), line_end_of(text)

    def add(intent: Intent) -> FileEdit | EditRefused:
        lists = (intent.owned_scope, intent.constraints, intent.acceptance_criteria)
        texts = (intent.id, intent.name, intent.specification, intent.created_at or "")
        return unwritable((*texts, *(it for each in lists for it in each))) or _added(
            _Adding(reading, intent, line_end), root
        )

    return add


def _added(adding: "_Adding", root: YamlNode | None) -> FileEdit | EditRefused:
    """Return the changes that add the intent of `adding` to its file, or a refusal.

    `root` is the YAML root of the file, or None if the file has no value.
    """
    if root is None or (isinstance(root, Scalar) and root.null and root.start == root.end):
        return adding.to_nothing()
    if isinstance(root, SequenceNode):
        return adding.to_list(root)
    if not isinstance(root, MappingNode):
        return EditRefused(
            "the YAML of the file is neither a mapping nor a list;"
            f" put `{ROOT_KEY}: []` in its place"
        )
    found = fields_of(adding.reading, root, ROOT_KEYS).get(ROOT_KEY)
    if found is not None:
        return adding.below(root, found)
    if any(isinstance(value.content, MappingNode) for _, value in root.pairs):
        return adding.to_table(root)
    return adding.to_other(root)


class _Adding(Struct, frozen=True):
    """Adds one intent to the text of an intents file. `line_end` ends each added line."""

    reading: YamlDocument
    intent: Intent
    line_end: str

    def to_nothing(self) -> FileEdit:
        """Return the change that adds the intent to a text without any YAML value."""
        return (self._lines(len(self.reading.text), _keyed(self.intent, 0)),)

    def to_other(self, root: MappingNode) -> FileEdit:
        """Return the changes that add a list with the intent to `root`, which has no intents."""
        if root.flow:
            quote = root.quote
            inline = entry_inline(self.intent, EntryForm(quote=quote))
            return self._flow_pair(root, f"{spelled_like(quote, ROOT_KEY)}: [{inline}]")
        column = self._column(root.pairs[0][0])
        at = self._after(root.pairs[-1][1], column)
        return (self._lines(at, _keyed(self.intent, column)),)

    def below(self, root: MappingNode, found: Field) -> FileEdit | EditRefused:
        """Return the changes that add the intent to the value of the key `found`, or a refusal.

        `found` is the key `active_intents` of the mapping `root`.
        """
        value = found.value.content
        if found.value.shared:
            return EditRefused(
                f"`{found.key.value}` has a YAML anchor or is a YAML alias, so {BY_HAND}"
            )
        if isinstance(value, Scalar) and not value.null:
            return EditRefused(f"`{found.key.value}` is not a list; make it one")
        if isinstance(value, Scalar) and root.flow:
            inline = entry_inline(self.intent, EntryForm(quote=root.quote))
            return (value_put(self.reading, value, f"[{inline}]"),)
        if isinstance(value, Scalar) or (not root.flow and self._is_empty(value)):
            return self._instead(found)
        quote = root.quote
        return (
            self.to_list(value, quote) if isinstance(value, SequenceNode) else self.to_table(value)
        )

    def to_list(self, listing: SequenceNode, quote: str = "") -> FileEdit | EditRefused:
        """Return the changes that add the intent to a list of intents, or a refusal.

        `quote` is the quote around the keys of the mapping that holds the list, or "".
        """
        if listing.anchored:
            return EditRefused(f"the list of intents has a YAML anchor, so {BY_HAND}")
        form = self._form(listing.items, quote)
        inline = entry_inline(self.intent, form)
        if not listing.items:
            return (first_in_flow(self.reading, listing, inline),)
        if listing.flow:
            parts = [(item.start, item.end) for item in listing.items]
            return parts_after(self.reading, parts, len(parts) - 1, [inline], self.line_end)
        lead = item_lead(self.reading, listing, listing.items[-1])
        first, *others = [inline] if form.inline else entry_block(self.intent, form)
        lines = [lead + first, *(" " * len(lead) + line for line in others)]
        return (self._block(listing.items, lines, self._column(listing)),)

    def to_table(self, table: MappingNode) -> FileEdit | EditRefused:
        """Return the changes that add the intent to a mapping from id to intent, or a refusal."""
        if table.anchored:
            return EditRefused(f"the mapping of intents has a YAML anchor, so {BY_HAND}")
        if any(isinstance(key, Scalar) and key.value == self.intent.id for key, _ in table.pairs):
            return EditRefused(
                f"the file already has the key {self.intent.id}, without an intent below it;"
                " remove it, or choose another id"
            )
        values = [value for _, value in table.pairs]
        form = self._form(values, table.quote)
        key = text_spelled(table.quote, self.intent.id)
        inline = f"{key}: {{{', '.join(entry_lines(self.intent, form)[1:])}}}"
        if table.flow:
            return self._flow_pair(table, inline)
        column = self._column(table.pairs[0][0])
        step = " " * self._step(values, column)
        pairs = entry_block(self.intent, form)[1:]
        lines = [inline] if form.inline else [f"{key}:", *(step + pair for pair in pairs)]
        return (self._block(values, [" " * column + line for line in lines], column),)

    def _instead(self, found: Field) -> FileEdit:
        """Return the changes that replace a key's empty value by a block list with the intent."""
        text, value = self.reading.text, found.value
        start = len(text[: value.start].rstrip(" \t"))
        column = self._column(found.key)
        added = self._lines(self._after(value, column), _keyed(self.intent, column)[1:])
        if value.start == value.end:
            return (added,)
        return (self.reading.change(start, value.end, ""), added)

    def _is_empty(self, node: SequenceNode | MappingNode) -> bool:
        """Return whether a collection is `[]` or `{}`, with nothing but white space inside."""
        return node.flow and not self.reading.text[node.start + 1 : node.end - 1].strip()

    def _form(self, entries: Sequence[YamlNode], quote: str) -> EntryForm:
        """Return the form for a new entry: that of the last entry that is a mapping.

        If no entry is a mapping, return a block form whose keys have the given quote.
        """
        tables = [entry for entry in entries if isinstance(entry, MappingNode)]
        if not tables:
            return EntryForm(quote=quote)
        last = tables[-1]
        lists = None if last.flow else list_indent(self.reading, last)
        return EntryForm(inline=last.flow, quote=last.quote, lists=lists)

    def _step(self, entries: Sequence[YamlNode], column: int) -> int:
        """Return by how many columns a new entry's pairs are indented below its key at `column`.

        Return the number of the last of `entries` that is in block form, or 2 if there is none.
        """
        tables = [each for each in entries if isinstance(each, MappingNode) and not each.flow]
        step = self._column(tables[-1]) - column if tables else 0
        return step if step > 0 else _STEP

    def _block(self, parts: Sequence[YamlNode], lines: Sequence[str], column: int) -> TextChange:
        """Return the change that inserts lines after the last item of a block collection.

        `parts` are the collection's items. A blank line precedes the new lines if a blank line
        separates the last two items. Comments indented deeper than `column` belong to the last
        item.
        """
        between = self.reading.text[parts[-2].end : parts[-1].start] if parts[1:] else ""
        blank = [""] if _BLANK_LINE.search(between) else []
        return self._lines(self._after(parts[-1], column), [*blank, *lines])

    def _flow_pair(self, table: MappingNode, pair: str) -> FileEdit:
        """Return the changes that add `pair` at the end of a flow mapping.

        `pair` is a key with its value, as YAML source.
        """
        last = table.pairs[-1][1] if table.pairs else None
        return pair_in_flow(self.reading, table, last, pair, self.line_end)

    def _after(self, node: YamlNode, column: int) -> int:
        """Return the offset of the first line below a node and below the node's own comments.

        These are the comment lines directly below the node that are indented more than `column`.
        """
        at = line_after(self.reading, node)
        while found := _COMMENT_LINE.match(self.reading.text, at):
            if len(found.group(1)) <= column:
                break
            at = found.end()
        return at

    def _lines(self, at: int, lines: Sequence[str]) -> TextChange:
        return lines_at(self.reading, at, lines, self.line_end)

    def _column(self, node: YamlNode) -> int:
        return self.reading.places.position(node.start).character


def _keyed(intent: Intent, column: int) -> list[str]:
    """Return the lines of the key `active_intents` and of a list with one intent below it.

    `column` is the column of the key.
    """
    first, *others = entry_block(intent, EntryForm())
    lines = [f"{ROOT_KEY}:", f"  - {first}", *(f"    {line}" for line in others)]
    return [" " * column + line for line in lines]
