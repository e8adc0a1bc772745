"""The shapes of the control files: which keys and values they have where, and texts about them.

Invariant: the shape at a path is what the file's reader expects there, in each of the forms of
requirements sections 3.2 and 5.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct, field
from msgspec.structs import fields

from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.formats.intents.completion.proposal import TextName
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.root import ROOT_KEYS
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS, ROOT_TEXTS
from intent_lsp.formats.key_texts.key_text import KeyText
from intent_lsp.formats.key_texts.policy_keys import (
    DENY_RULE_TEXTS,
    LESSONS_TEXTS,
    POLICY_TEXTS,
    PRIVACY_TEXTS,
    SIDECAR_TEXTS,
)
from intent_lsp.formats.yaml.cursor_place import NamedKey, Step
from intent_lsp.formats.yaml.keys import MappingKeys


class ValueKind(Enum):
    """What a single value is, and so what may be proposed for it."""

    TEXT = "text"
    NEW_ID = "new id"
    WORD = "word"
    GLOB = "glob"
    FILE = "file"
    TOOL = "tool"
    SPECIFICATION = "specification"
    DATE = "date"


class LeafShape(Struct, frozen=True, kw_only=True):
    """A single value.

    For the kind WORD, `words` maps each word that it may be to a sentence about it or "". `table`
    and `key` name the key that has these words, or are "" for words without sentences.
    """

    kind: ValueKind
    words: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    key: str = ""


class ListShape(Struct, frozen=True):
    """A list, and the shape of its items."""

    item: "Shape"


class TableShape(Struct, frozen=True, kw_only=True):
    """A mapping: `texts` about its keys in their order, and the `shapes` of their values.

    `name` is unique among all tables. `known` says which other names a key has. `other` is the
    shape of values whose key is not known, or None. `first` are the keys that a new mapping of this
    shape begins with.
    """

    name: str
    texts: Mapping[str, KeyText]
    shapes: Mapping[str, "Shape"]
    known: MappingKeys
    other: "Shape | None" = None
    first: tuple[str, ...] = ()


Shape = LeafShape | ListShape | TableShape


def _table(
    name: str,
    texts: Mapping[str, KeyText],
    shapes: Mapping[str, Shape],
    known: MappingKeys | None = None,
    first: tuple[str, ...] = (),
) -> TableShape:
    """Return a table with the keys of `texts`.

    The value of a key that `shapes` lacks is one of the words in the key's text, or any text if
    there are no words. `known` and `first` are as in `TableShape`, and are by default all keys.
    """
    words = {
        key: LeafShape(kind=ValueKind.WORD, words=text.words, table=name, key=key)
        if text.words
        else LeafShape(kind=ValueKind.TEXT)
        for key, text in texts.items()
    }
    keys = known or MappingKeys(known=tuple(texts))
    return TableShape(
        name=name, texts=texts, shapes={**words, **shapes}, known=keys, first=first or tuple(texts)
    )


_TEXTS: Final = ListShape(LeafShape(kind=ValueKind.TEXT))
_GLOBS: Final = ListShape(LeafShape(kind=ValueKind.GLOB))
_TOOLS: Final = ListShape(LeafShape(kind=ValueKind.TOOL))
_FLAG: Final = LeafShape(kind=ValueKind.WORD, words={"true": "", "false": ""})

ENTRY: Final = _table(
    "intent",
    ENTRY_TEXTS,
    {
        "id": LeafShape(kind=ValueKind.NEW_ID),
        "owned_scope": _GLOBS,
        **dict.fromkeys(
            ("constraints", "acceptance_criteria", "recent_history", "aliases"), _TEXTS
        ),
        "related_files": ListShape(LeafShape(kind=ValueKind.FILE)),
        "specification_id": LeafShape(kind=ValueKind.SPECIFICATION),
        **dict.fromkeys(("created_at", "updated_at"), LeafShape(kind=ValueKind.DATE)),
    },
    ENTRY_KEYS,
    # Those that `intent/create` always writes.
    ("id", "name", "status", "owned_scope", "created_at"),
)
"""The shape of one intent."""

_SCOPE: Final = TableShape(
    name="scope", texts={}, shapes={"paths": _GLOBS}, known=MappingKeys(known=("paths",))
)
_ENTRIES: Final = ListShape(ENTRY)
_BY_ID: Final = TableShape(
    name="ids", texts={}, shapes={}, known=MappingKeys(known=()), other=ENTRY
)
INTENTS_ROOT: Final = _table("intents", ROOT_TEXTS, {"active_intents": _ENTRIES}, ROOT_KEYS)
"""The shape of the intents file's root, if it is a mapping with the list of intents."""

_DENY_RULE: Final = _table("rule", DENY_RULE_TEXTS, {"path_glob": LeafShape(kind=ValueKind.GLOB)})
_LESSONS: Final = _table(
    "lessons", LESSONS_TEXTS, dict.fromkeys(LESSONS_TEXTS, LeafShape(kind=ValueKind.FILE))
)
_PRIVACY: Final = _table("privacy", PRIVACY_TEXTS, {})
_CHANNELS: Final = LeafShape(
    kind=ValueKind.WORD, words=POLICY_TEXTS["hitl_by"].words, table="policy", key="hitl_by"
)
SIDECAR: Final = _table(
    "policy",
    POLICY_TEXTS,
    {
        **{field.name: _FLAG for field in fields(TeamPolicy) if field.type is bool},
        **dict.fromkeys(("blocked_tools", "mutating_tools", "read_only_tools"), _TOOLS),
        **dict.fromkeys(("spec_iteration_globs", "generated"), _GLOBS),
        "architectural_constraints": _TEXTS,
        "deny_mutations": ListShape(_DENY_RULE),
        "hitl_by": ListShape(_CHANNELS),
        "lessons": _LESSONS,
        "privacy": _PRIVACY,
    },
)
"""The shape of the policy below its root key."""

_POLICY: Final = _table("sidecar", SIDECAR_TEXTS, {"sidecar": SIDECAR})
TABLES: Final[Mapping[str, TableShape]] = {
    table.name: table
    for table in (INTENTS_ROOT, ENTRY, _POLICY, SIDECAR, _DENY_RULE, _LESSONS, _PRIVACY)
}
"""The tables that have texts, by name."""


def shape_at(
    file: WorkspacePath, path: Sequence[Step], root_keys: Sequence[NamedKey] = ()
) -> Shape | None:
    """Return the shape of what stands at a path of a control file, or None if it has none.

    `root_keys` are the keys at the root, as far as they are known. They matter for the policy,
    whose root key may be left out, and for intents by id, whose ids are the keys of the root.
    """
    if file == POLICY_FILE:
        return _below(_policy_root(path, root_keys), path)
    return _below(_intents_root(path, root_keys), path) if file == INTENTS_FILE else None


def text_about(name: TextName) -> KeyText | None:
    """Return the text about a key, or about one of its words, or None if there is none.

    The text about a word has the word as its title.
    """
    table = TABLES.get(name.table)
    text = None if table is None else table.texts.get(name.key)
    if text is None or not name.word:
        return text
    about = text.words.get(name.word)
    return None if about is None else KeyText(name.word, about)


def _intents_root(path: Sequence[Step], root_keys: Sequence[NamedKey]) -> Shape:
    """Return the shape of the intents file's root: a list, a mapping with a list, or one by id.

    The first step of `path` shows which; if `path` is empty, the keys at the root do. A root with
    the key of the list takes no id, and one with ids must not get that key.
    """
    if path and path[0] is None:
        return _ENTRIES
    names = [path[0] or ""] if path else [key.name for key in root_keys if not key.scalar]
    known = [name for name in names if ROOT_KEYS.meaning(name) is not None]
    return INTENTS_ROOT if known or not names else _BY_ID


def _policy_root(path: Sequence[Step], root_keys: Sequence[NamedKey]) -> Shape:
    """Return the shape of the policy file's root: with the key `sidecar` or with the policy's keys.

    The first step of `path` shows which; if `path` is empty, the keys at the root do.
    """
    names = [path[0] or ""] if path else [key.name for key in root_keys]
    known = [name for name in names if SIDECAR.known.meaning(name) is not None]
    return SIDECAR if known and "sidecar" not in names else _POLICY


def _below(shape: Shape | None, path: Sequence[Step]) -> Shape | None:
    for step in path:
        if isinstance(shape, ListShape) and step is None:
            shape = shape.item
        elif isinstance(shape, TableShape) and step is not None:
            shape = _value(shape, step)
        elif shape is _ENTRIES and step is not None:
            shape = ENTRY
        elif shape is _GLOBS and step is not None:
            shape = _value(_SCOPE, step)
        else:
            return None
    return shape


def _value(table: TableShape, name: str) -> Shape | None:
    meant = table.known.meaning(name)
    return table.other if meant is None else table.shapes[meant]
