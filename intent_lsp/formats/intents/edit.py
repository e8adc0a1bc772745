"""The smallest edits that the server makes to an intent in the intents file.

Invariant: every character outside the changed values stays as it was (requirements section 3).
Invariant: an edit of an intent is returned only if the edited text parses to the old intents with
that change. The changes of `list_extended` alone are not verified.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, Intents, Status
from intent_lsp.core.text import camel_case, spliced, whole
from intent_lsp.formats.intents.entry_text import EntryText, entry_of, pair_put
from intent_lsp.formats.intents.intents_file import IntentsFile, IntentsReader
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.insert import value_put
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of, snake_case
from intent_lsp.formats.yaml.list_edit import (
    flow_list,
    list_indent,
    list_lines,
    values_appended,
    values_renewed,
)
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, spelled_like

FileEdit: TypeAlias = tuple[TextChange, ...]
"""Changes that do not overlap, in order of position."""

_SCOPE_KEYS = MappingKeys(known=("paths",))
_NO_EDIT = "intent-lsp found no edit that makes only this change; change the file by hand"

BY_HAND: Final = "intent-lsp cannot edit it; change the file by hand"
"""The end of a refusal to edit what YAML allows and the edits here do not reach."""


class EditRefused(Struct, frozen=True):
    """A refusal to edit the intents file. `reason` is a clause for a message that says why.

    `full`: the edited file would exceed a limit of what is read.
    """

    reason: str
    full: bool = False


def set_status(
    text: str, intent_id: str, status: Status, updated_at: str
) -> FileEdit | EditRefused:
    """Return the edit that sets an intent's status, or a refusal.

    `text` is the text of the intents file, without a byte order mark; `intent_id` is no alias. The
    edit is empty if the intent already has the status, where a missing or unknown one counts as
    PLANNED. Else it also sets the intent's key `updated_at`, if there is one, to `updated_at`. A
    missing status is added after the name, else after the id, else at the top of the entry.
    """
    return _edited(text, intent_id, lambda known: replace(known, status=status), updated_at)


def add_globs(
    text: str, intent_id: str, patterns: Sequence[str], updated_at: str
) -> FileEdit | EditRefused:
    """Return the edit that appends to an intent's scope the patterns that it lacks, or a refusal.

    `text` is the text of the intents file, without a byte order mark; `intent_id` is no alias. The
    edit is empty if the scope has all patterns. Else it also sets the intent's key `updated_at`, if
    there is one, to `updated_at`. A missing scope is added after the status, else the name, else
    the id, else at the top of the entry.
    """

    def extended(known: Intent) -> Intent:
        missing = (each for each in dict.fromkeys(patterns) if each not in known.owned_scope)
        return replace(known, owned_scope=(*known.owned_scope, *missing))

    return _edited(text, intent_id, extended, updated_at)


def set_history(
    text: str, intent_id: str, events: Sequence[str], reader: IntentsReader | None = None
) -> FileEdit | EditRefused:
    """Return the edit that makes `events` the `recent_history` of an intent, or a refusal.

    `text` is the text of the intents file, without a byte order mark; a `reader` that has just read
    it saves one reading. `intent_id` is no alias. `events` are newest first. New ones are inserted
    at the top, and old ones that are not in `events` are removed. `updated_at` stays. The edit is
    empty if nothing changes. A missing history is added at the end of the intent's entry.
    """
    history = tuple(events)
    return _edited(
        text, intent_id, lambda known: replace(known, recent_history=history), reader=reader
    )


def list_extended(
    entry: EntryText, name: str, values: Sequence[str], after: Sequence[str]
) -> FileEdit | EditRefused:
    """Return the changes that append `values` to the list with the key `name`, or a refusal.

    A missing list is added after the value of the first of the keys `after` that the entry has,
    else at the top of the entry. The caller must verify the changes.
    """
    found = entry.fields.get(name)
    if found is not None:
        return _extended(entry, found, values)
    return pair_put(entry, _value_of(entry, *after), _new_list(entry, name, values))


def apply_changes(text: str, changes: Sequence[TextChange]) -> str:
    """Return the text with all changes applied.

    The changes must not overlap, and must be in order of position.
    """
    offset = TextPositions(text).offset
    return spliced(
        text, ((offset(it.span.start), offset(it.span.end), it.new_text) for it in changes)
    )


def verified(
    text: str, changes: FileEdit, wanted: Intents, reader: IntentsReader
) -> FileEdit | EditRefused:
    """Return `changes` if they turn `text` into one with the intents `wanted`, else a refusal."""
    after = reader.read(apply_changes(text, changes))
    if after.parsed and after.intents == wanted:
        return changes
    full = any(each.code is FileCode.YAML_LIMIT for each in after.findings)
    return EditRefused(after.findings[0].message if full else _NO_EDIT, full=full)


def unread(file: IntentsFile) -> EditRefused:
    """Return the refusal to edit a file that cannot be parsed. It says where and why."""
    first = file.findings[0]
    line = first.span.start.line + 1
    return EditRefused(f"the file cannot be parsed (line {line}: {first.message}); fix that first")


def unwritable(values: Iterable[str]) -> EditRefused | None:
    """Return a refusal if a value has a lone surrogate, which no file can hold, else None."""
    if any(whole(value) != value for value in values):
        return EditRefused(
            "a value has half of a character (a lone surrogate), which is not valid text"
        )
    return None


def _edited(
    text: str,
    intent_id: str,
    changed: Callable[[Intent], Intent],
    updated_at: str | None = None,
    reader: IntentsReader | None = None,
) -> FileEdit | EditRefused:
    """Return the verified edit that makes an intent what `changed` returns for it, or a refusal.

    `changed` may change one of status, scope and history; if it changes nothing, the edit is empty.
    Any other edit also sets the intent's key `updated_at`, if the intent has that key and the
    argument `updated_at` is not None.
    """
    reader = reader or IntentsReader()
    before = reader.read(text)
    known = _known(before, intent_id)
    if isinstance(known, EditRefused):
        return known
    wanted = changed(known)
    if wanted == known:
        return ()
    refused = unwritable((*wanted.owned_scope, *wanted.recent_history))
    entry = None if refused else entry_of(text, before, wanted.id)
    if entry is None:
        return refused or EditRefused(f"the intent is a YAML alias, so {BY_HAND}")
    changes = _changed(entry, known, wanted)
    if isinstance(changes, EditRefused):
        return changes
    stamp = None if updated_at is None else entry.fields.get("updated_at")
    stamps = _value_changed(entry, stamp, updated_at or "") if stamp else ()
    if isinstance(stamps, EditRefused):
        return stamps
    if stamp:
        wanted = replace(wanted, updated_at=updated_at)
    ordered = sorted((*changes, *stamps), key=lambda it: it.span)
    after = tuple(wanted if each.id == wanted.id else each for each in before.intents)
    return verified(text, tuple(ordered), Intents(after), reader)


def _known(file: IntentsFile, intent_id: str) -> Intent | EditRefused:
    """Return the intent with the given id, or a refusal if the file is invalid or lacks it."""
    if not file.parsed:
        return unread(file)
    found = (intent for intent in file.intents if intent.id == intent_id)
    return next(found, EditRefused(f"the file has no intent {intent_id}"))


def _changed(entry: EntryText, known: Intent, wanted: Intent) -> FileEdit | EditRefused:
    """Return the changes to `entry` that turn its intent from `known` into `wanted`, or a refusal.

    The two differ in exactly one of the status, the scope (longer in `wanted`) and the history.
    """
    if wanted.status is not known.status:
        return _status_set(entry, wanted.status)
    if wanted.owned_scope != known.owned_scope:
        return _scope_added(entry, wanted.owned_scope[len(known.owned_scope) :])
    return _history_set(entry, wanted.recent_history)


def _status_set(entry: EntryText, status: Status) -> FileEdit | EditRefused:
    found = entry.fields.get("status")
    if found is not None:
        return _value_changed(entry, found, status.value)
    quote = entry.quote
    pair = f"{spelled_like(quote, 'status')}: {spelled_like(quote, status.value)}"
    return pair_put(entry, _value_of(entry, "name", "id"), [pair])


def _scope_added(entry: EntryText, patterns: Sequence[str]) -> FileEdit | EditRefused:
    found = entry.fields.get("owned_scope")
    if found and isinstance(found.value, MappingNode) and not found.value.anchored:
        inner = fields_of(entry.reading, found.value, _SCOPE_KEYS).get("paths")
        return _extended(entry, inner or found, patterns)
    return list_extended(entry, "owned_scope", patterns, ("status", "name", "id"))


def _extended(entry: EntryText, found: Field, values: Sequence[str]) -> FileEdit | EditRefused:
    listed = _list_of(found)
    if isinstance(listed, SequenceNode):
        return values_appended(entry.reading, listed, values, entry.line_end)
    if isinstance(listed, EditRefused):
        return listed
    return (value_put(entry.reading, listed, flow_list(entry.quote or '"', values)),)


def _history_set(entry: EntryText, events: Sequence[str]) -> FileEdit | EditRefused:
    found = entry.fields.get("recent_history")
    if found is None:
        after = entry.table.pairs[-1][1] if entry.table.pairs else None
        return pair_put(entry, after, _new_list(entry, "recent_history", events))
    listed = _list_of(found)
    if isinstance(listed, SequenceNode) and listed.items:
        return values_renewed(entry.reading, found.key, listed, events, entry.line_end)
    return _extended(entry, found, events)


def _value_of(entry: EntryText, *names: str) -> YamlNode | None:
    """Return the value of the first of the keys `names` that the entry has, or None without any."""
    return next((entry.fields[name].value for name in names if name in entry.fields), None)


def _value_changed(entry: EntryText, found: Field, text: str) -> FileEdit | EditRefused:
    """Return the change that replaces the value of the key `found` by `text`.

    Return a refusal if the value has an anchor, is block text or is no single value.
    """
    node = found.value
    if not isinstance(node, Scalar):
        return EditRefused(
            f"`{found.key.value}` is a YAML alias, a list or a mapping, so {BY_HAND}"
        )
    if node.anchored or node.block:
        return EditRefused(
            f"`{found.key.value}` has a YAML anchor or is a block of text, so {BY_HAND}"
        )
    return (value_put(entry.reading, node, spelled_like(node.style, text)),)


def _list_of(found: Field) -> SequenceNode | Scalar | EditRefused:
    """Return the value of a key if it is a list or null, else a refusal.

    A value that has an anchor or is an alias is refused too.
    """
    node = found.value.content
    if found.value.shared:
        return EditRefused(
            f"`{found.key.value}` has a YAML anchor or is a YAML alias, so {BY_HAND}"
        )
    if isinstance(node, SequenceNode) or (isinstance(node, Scalar) and node.null):
        return node
    return EditRefused(f"`{found.key.value}` is not a list; make it one")


def _new_list(entry: EntryText, name: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a new key `name` with a list, in the style of the entry's other keys."""
    quote = entry.table.quote
    camel = any(snake_case(it.key.value) != it.key.value for it in entry.fields.values())
    key = spelled_like(quote, camel_case(name) if camel else name)
    return list_lines(key, values, quote or '"', list_indent(entry.reading, entry.table))
