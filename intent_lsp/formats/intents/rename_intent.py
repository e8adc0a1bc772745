"""Renaming of an intent: the edits of the intents file and `.intentignore` for another id.

Invariant: the old id becomes an alias, so that what is recorded under it stays with the intent.
Invariant: an edit of the intents file is returned only if the edited text parses to the old intents
with that change. An edit of `.intentignore` does not change which other intents are excluded.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import line_body, split_lines
from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import IGNORE_FILE
from intent_lsp.formats.intents.edit import (
    BY_HAND,
    EditRefused,
    FileEdit,
    apply_changes,
    list_extended,
    unread,
)
from intent_lsp.formats.intents.entry import ENTRY_KEYS, MAX_ID, is_id
from intent_lsp.formats.intents.entry_text import entry_of
from intent_lsp.formats.intents.ignore_file import IgnoredIntents, read_ignored
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.intents.structure.mentions import MentionKind, mentions_of
from intent_lsp.formats.yaml.list_edit import text_spelled
from intent_lsp.formats.yaml.nodes import Scalar, YamlNode

_MARK = "\ufeff"
_BEFORE_ALIASES = frozenset(ENTRY_KEYS.known[: ENTRY_KEYS.known.index("aliases")])

# Spaces can be matched in one way only, so that no line takes long.
_LITERAL = re.compile(r"!?/?(?P<name>(?: *(?:[^ \\*?\[]|\\.))+) *")
_ESCAPED = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"[\\*?\[]|^[#!]| $")


class IgnoreEdit(Struct, frozen=True, kw_only=True):
    """The edit of `.intentignore` for a renamed intent.

    `changes` is empty if no line names the old id, or if changing such lines would affect another
    intent. `excluded`: the file excludes the old id before the edit. `warning` is a message if the
    old id is excluded before the edit and the new id is not excluded after it, or the other way
    round; else None.
    """

    changes: FileEdit
    excluded: bool
    warning: str | None


def rename_intent(
    structure: IntentsStructure, intent_id: str, new_id: str
) -> FileEdit | EditRefused:
    """Return the edit that gives an intent the id `new_id`, or a refusal.

    `intent_id` is the intent's id or one of its aliases. White space around `new_id` does not
    count. The id keeps its quotes, and gets quotes if YAML would read the new one as something
    else. The old id is also changed in further keys of the entry, such as `intent_id`, and in
    pointers, such as `active_intent`, unless it is block text or a YAML alias there. The old id
    becomes an alias of the intent: in the place of the new id if that was an alias, else at the
    end. Nothing else changes.
    """
    if structure.text.startswith(_MARK):
        unmarked = read_structure(structure.text[1:])
        edit = None if unmarked is None else rename_intent(unmarked, intent_id, new_id)
        if edit is None or isinstance(edit, EditRefused):
            return edit or unparsed(structure.text)
        return tuple(map(_behind_mark, edit))
    intent, new_id = structure.intents.get(intent_id), new_id.strip()
    if intent is None:
        return EditRefused(f"the file has no intent {intent_id}")
    refused = _unusable(intent, new_id) or _taken(structure, intent, new_id)
    changes = refused or _changes(structure, intent, new_id)
    if isinstance(changes, EditRefused):
        return changes
    ordered = tuple(sorted(changes, key=lambda change: change.span))
    return _verified(structure, ordered, intent, new_id)


def unparsed(text: str) -> EditRefused:
    """Return the refusal to edit a text that is not read as an intents file. It says why."""
    file = read_intents(text)
    if not file.findings:
        return EditRefused("the file cannot be parsed; fix that first")
    return unread(file)


def rename_ignored(text: str, intents: Intents, old_id: str, new_id: str) -> IgnoreEdit:
    """Return the edit of the ignore file `text` for an intent that gets another id.

    `intents` are those of the intents file before. Lines that are exactly the old id, perhaps after
    `!` or `/`, get the new one. Patterns with wildcards stay, and so do all lines if changing them
    would exclude another intent or take it back in.
    """
    before = read_ignored(text)
    spans = (span for span, _ in ids_ignored(text, (old_id,)))
    changes = tuple(TextChange(span, excluding_line(new_id)) for span in spans)
    after = read_ignored(apply_changes(text, changes)) if changes else before
    others = (intent.id for intent in intents if intent.id != old_id)
    if changes and any(_excludes(before, each) != _excludes(after, each) for each in others):
        changes, after = (), before
    return IgnoreEdit(
        changes=changes,
        excluded=_excludes(before, old_id),
        warning=_warning(old_id, new_id, before, after),
    )


def excluding_line(intent_id: str) -> str:
    """Return the line of an ignore file, without line end, that names an id and nothing else."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), intent_id)


def ids_ignored(text: str, names: Iterable[str]) -> Iterator[tuple[Span, str]]:
    """Yield the span and the id of each line of the ignore file `text` that is one of `names`.

    `names` are ids. The span is without `!`, a leading `/` and spaces at the end.
    """
    known = frozenset(names)
    for number, line in enumerate(split_lines(text)):
        found = _LITERAL.fullmatch(line_body(line))
        if found is None or line.startswith("#"):
            continue
        name = _ESCAPED.sub(r"\1", found["name"])
        if name in known:
            start, end = Position(number, found.start("name")), Position(number, found.end("name"))
            yield Span(start, end), name


def _unusable(intent: Intent, new_id: str) -> EditRefused | None:
    """Return the refusal of a new id that is no valid id or equals the present id, else None."""
    if new_id == intent.id:
        return EditRefused("this is its id already; give another one")
    if is_id(new_id):
        return None
    problem = "this one has a line end or another character that cannot stand there"
    if not new_id:
        problem = "this one is empty"
    elif len(new_id) > MAX_ID:
        problem = f"this one has {len(new_id):,} characters"
    return EditRefused(f"an id has 1 to {MAX_ID} characters on one line, and {problem}")


def _taken(structure: IntentsStructure, intent: Intent, new_id: str) -> EditRefused | None:
    """Return a refusal if another intent has the new id or the old one, else None.

    An alias counts as an id.
    """
    other = structure.intents.get(new_id)
    if other is not None and other is not intent:
        if other.id == new_id:
            return EditRefused(f"{new_id} is the id of another intent; choose another id")
        return EditRefused(f"{new_id} is an alias of {other.id}; choose another id")
    entries = [entry.intent for entry in structure.entries if entry.intent is not None]
    if sum(each.id == intent.id for each in entries) > 1:
        return EditRefused(
            f"several intents have the id {intent.id}; give the others another id by hand first"
        )
    # As an alias of both, the old id would lead to whichever stands first.
    for each in entries:
        if each is not intent and intent.id in each.aliases:
            return EditRefused(
                f"{intent.id} is also an alias of the intent {each.id};"
                f" take it out of the `aliases` of {each.id} first"
            )
    return None


def _changes(
    structure: IntentsStructure, intent: Intent, new_id: str
) -> list[TextChange] | EditRefused:
    entry = entry_of(structure.text, read_intents(structure.text), intent.id)
    if entry is None:
        return EditRefused(f"the intent is a YAML alias, so {BY_HAND}")
    reading, parts = entry.reading, [*_respelled(structure, intent, new_id)]
    found: list[TextChange] = []
    for node, value in parts:
        if not _editable(node):
            return EditRefused(f"an id is a YAML alias or a block of text, so {BY_HAND}")
        style = node.style if isinstance(node, Scalar) else ""
        found.append(reading.change(node.start, node.end, text_spelled(style, value)))
    if intent.id in _renamed(intent, new_id).aliases[: len(intent.aliases)]:
        return found
    fields = sorted(entry.fields.items(), key=lambda each: each[1].key.start, reverse=True)
    after = [name for name, _ in fields if name in _BEFORE_ALIASES]
    listed = list_extended(entry, "aliases", [intent.id], after)
    return listed if isinstance(listed, EditRefused) else [*found, *listed]


def _respelled(
    structure: IntentsStructure, intent: Intent, new_id: str
) -> Iterator[tuple[YamlNode, str]]:
    """Yield the nodes whose whole value changes, each with its new value.

    A pointer such as `active_intent`, or a repeated id, keeps the old id if it cannot be edited.
    """
    for mention in mentions_of(structure, intent):
        match mention.kind:
            case MentionKind.DECLARATION:
                yield mention.node, new_id
            case MentionKind.ALIAS:
                if mention.text == new_id:
                    yield mention.node, intent.id
            case MentionKind.SAME_ID | MentionKind.POINTER:
                if mention.text == intent.id and _editable(mention.node):
                    yield mention.node, new_id


def _editable(node: YamlNode) -> bool:
    return isinstance(node, Scalar) and not node.block


def _renamed(intent: Intent, new_id: str) -> Intent:
    """Return an intent with the id `new_id`, which is no alias any more; the old id becomes one."""
    aliases = tuple(intent.id if name == new_id else name for name in intent.aliases)
    if intent.id not in aliases:
        aliases = (*aliases, intent.id)
    return replace(intent, id=IntentId(new_id), aliases=aliases)


def _verified(
    structure: IntentsStructure, changes: FileEdit, intent: Intent, new_id: str
) -> FileEdit | EditRefused:
    """Return `changes` if they rename the intent and change no other; else return a refusal."""
    after = read_structure(apply_changes(structure.text, changes))
    before = structure.intents.items
    wanted = tuple(_renamed(each, new_id) if each is intent else each for each in before)
    if after is not None and after.intents.items == wanted:
        return changes
    return EditRefused(
        f"no edit of the file changes the id and nothing else; change it by hand, and add"
        f" {intent.id} to its `aliases`"
    )


def _behind_mark(change: TextChange) -> TextChange:
    """Return a change of a text without byte order mark as one of the text with it."""
    return TextChange(Span(_shifted(change.span.start), _shifted(change.span.end)), change.new_text)


def _shifted(place: Position) -> Position:
    return place if place.line else Position(0, place.character + 1)


def _excludes(ignored: IgnoredIntents, intent_id: str) -> bool:
    return bool(ignored.matching(intent_id))


def _warning(old_id: str, new_id: str, before: IgnoredIntents, after: IgnoredIntents) -> str | None:
    gone, now = before.matching(old_id), after.matching(new_id)
    if gone and not now:
        return (
            f"{IGNORE_FILE} excluded {old_id} by `{gone[-1]}`, and does not exclude {new_id}:"
            f" add a line for {new_id} if nobody is to select it"
        )
    if now and not gone:
        return f"{new_id} is excluded by `{now[-1]}` in {IGNORE_FILE}, so it cannot be selected"
    return None
