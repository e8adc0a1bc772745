"""Renaming an intent: the smallest edit of the intents file, for a name at a cursor mark `|`."""

import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import split_lines
from intent_lsp.core.intents import IntentId, Intents
from intent_lsp.formats.intents.edit import EditRefused, apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.rename_intent import rename_intent, unparsed
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure
from intent_lsp.formats.intents.structure.mentions import inner_range, mentions_of, named_at
from tests.formats.test_yaml_laws import edited, files
from tests.support.hostile_text import texts as hostile_texts
from tests.support.intents_dialects import DIALECTS
from tests.support.marked_text import cursor_in


def structure_of(text: str) -> IntentsStructure:
    structure = read_structure(text)
    assert structure is not None, text
    return structure


def renamed(marked: str, new_id: str) -> str | EditRefused | None:
    """Return a text after the intent at its mark was renamed; None if no intent is named there."""
    text, offset = cursor_in(marked)
    structure = structure_of(text)
    named = named_at(structure, offset)
    if named is None:
        return None
    changes = rename_intent(structure, named.intent.id, new_id)
    return changes if isinstance(changes, EditRefused) else apply_changes(text, changes)


# A marked text, the new id, and the text afterwards.
EDITS = [
    # The id in block form, with each quoting; the alias is added where the normal form has it.
    ("- id: A|", "NEW", '- id: NEW\n  aliases: ["A"]'),
    ("- id: |A\n", "NEW", '- id: NEW\n  aliases: ["A"]\n'),
    ("- id: INT-|001 # c\n", "NEW", '- id: NEW # c\n  aliases: ["INT-001"]\n'),
    ("- id: 'A|'\n", "NEW", "- id: 'NEW'\n  aliases: [\"A\"]\n"),
    ('- id: "|A"\n', "NEW", '- id: "NEW"\n  aliases: ["A"]\n'),
    ("- id: 'it''|s'\n", "it's 2", "- id: 'it''s 2'\n  aliases: [\"it's\"]\n"),
    # A new id that YAML would read as something else is quoted.
    ("- id: A|\n", "007", '- id: "007"\n  aliases: ["A"]\n'),
    ("- id: A|\n", "no", '- id: "no"\n  aliases: ["A"]\n'),
    ("- id: A|\n", "null", '- id: "null"\n  aliases: ["A"]\n'),
    ("- id: A|\n", "a: b", '- id: "a: b"\n  aliases: ["A"]\n'),
    ("- id: A|\n", "#1", '- id: "#1"\n  aliases: ["A"]\n'),
    ("- id: A|\n", "*x", '- id: "*x"\n  aliases: ["A"]\n'),
    ("- id: A|\n", '"x"', '- id: "\\"x\\""\n  aliases: ["A"]\n'),
    ("- id: A|\n", "2026-01-01", '- id: "2026-01-01"\n  aliases: ["A"]\n'),
    ("- id: 'A|'\n", "aéb", "- id: 'aéb'\n  aliases: [\"A\"]\n"),
    ("- id: 00|1\n", "NEW", '- id: NEW\n  aliases: ["001"]\n'),
    # Not ASCII, before the id and in it.
    ("- name: Lögin 🙂\n  id: Ä🙂|\n", "Ö", '- name: Lögin 🙂\n  id: "Ö"\n  aliases: ["Ä🙂"]\n'),
    ("- id: A|\n", "aş 🙂", '- id: aş 🙂\n  aliases: ["A"]\n'),
    # White space around the new id is nobody's wish.
    ("- id: A|\n", "  NEW\n", '- id: NEW\n  aliases: ["A"]\n'),
    # The list of aliases is there: block, flow, empty, null, on several lines, with comments.
    ("- id: A|\n  aliases: [B]\n", "NEW", "- id: NEW\n  aliases: [B, A]\n"),
    ("- id: A|\n  aliases: ['B']\n", "NEW", "- id: NEW\n  aliases: ['B', 'A']\n"),
    ("- id: 00|1\n  aliases: [B]\n", "NEW", '- id: NEW\n  aliases: [B, "001"]\n'),
    ("- id: A|\n  aliases: []\n", "NEW", '- id: NEW\n  aliases: ["A"]\n'),
    ("- id: A|\n  aliases: [ ] # c\n", "NEW", '- id: NEW\n  aliases: ["A"] # c\n'),
    ("- id: A|\n  aliases:\n", "NEW", '- id: NEW\n  aliases: ["A"]\n'),
    ("- id: A|\n  aliases: ~ # c\n", "NEW", '- id: NEW\n  aliases: ["A"] # c\n'),
    (
        "- id: A|\n  aliases: # c\n    - B # d\n    # e\n  z: 1\n",
        "NEW",
        "- id: NEW\n  aliases: # c\n    - B # d\n    - A\n    # e\n  z: 1\n",
    ),
    (
        '- id: A|\n  aliases: [\n    "B", # c\n  ]\n',
        "NEW",
        '- id: NEW\n  aliases: [\n    "B", # c\n    "A",\n  ]\n',
    ),
    # The list is missing: below the keys that come before it, in the style of the entry.
    (
        "- id: A|\n  status: DONE\n  owned_scope:\n    - a # c\n  created_at: '1'\n",
        "NEW",
        (
            '- id: NEW\n  status: DONE\n  owned_scope:\n    - a # c\n  aliases:\n    - "A"\n'
            "  created_at: '1'\n"
        ),
    ),
    (
        "- status: x\n  id: A|\n  z: 1\n",
        "NEW",
        '- status: x\n  id: NEW\n  aliases: ["A"]\n  z: 1\n',
    ),
    ("- {id: A|, x: 1}\n", "NEW", '- {id: NEW, aliases: ["A"], x: 1}\n'),
    ("- {'id': 'A|'}\n", "NEW", "- {'id': 'NEW', 'aliases': ['A']}\n"),
    (
        '[\n  {\n    "id": "A|",\n    "name": "x"\n  }\n]\n',
        "NEW",
        '[\n  {\n    "id": "NEW",\n    "name": "x",\n    "aliases": ["A"]\n  }\n]\n',
    ),
    # Other forms of the file: by id, another root key, another key of the id.
    ("A|:\n  name: x\n", "NEW", 'NEW:\n  name: x\n  aliases: ["A"]\n'),
    ("|A: {}\n", "NEW", 'NEW: {aliases: ["A"]}\n'),
    ("'A|':\n  name: x\n", "no", "'no':\n  name: x\n  aliases: [\"A\"]\n"),
    ("A|:\n  name: x\n", "no", '"no":\n  name: x\n  aliases: ["A"]\n'),
    (
        "intents:\n  A|: # c\n    name: x\n  B: {name: y}\n",
        "NEW",
        'intents:\n  NEW: # c\n    name: x\n    aliases: ["A"]\n  B: {name: y}\n',
    ),
    ('{"a|": {"name": "x"}}\n', "NEW", '{"NEW": {"name": "x", "aliases": ["a"]}}\n'),
    ("- intent_id: A|\n", "NEW", '- intent_id: NEW\n  aliases: ["A"]\n'),
    ("- intentId: A|\n  x: 1\n", "NEW", '- intentId: NEW\n  aliases: ["A"]\n  x: 1\n'),
    ("- id: A\n  intent_id: A|\n", "NEW", '- id: NEW\n  aliases: ["A"]\n  intent_id: NEW\n'),
    ("- intent_id: B\n  id: A|\n", "NEW", '- intent_id: B\n  id: NEW\n  aliases: ["A"]\n'),
    ("A|:\n  id: A\n", "NEW", 'NEW:\n  id: NEW\n  aliases: ["A"]\n'),
    # Line ends and a byte order mark.
    (
        "- id: A|\r\n  scope:\r\n    - x\r\n- id: B\r\n",
        "NEW",
        '- id: NEW\r\n  scope:\r\n    - x\r\n  aliases:\r\n    - "A"\r\n- id: B\r\n',
    ),
    ("\ufeff- id: A|\n  name: x\n", "NEW", '\ufeff- id: NEW\n  name: x\n  aliases: ["A"]\n'),
    ("\ufeffA|: {}\n", "NEW", '\ufeffNEW: {aliases: ["A"]}\n'),
    # Pointers follow, from wherever the intent is renamed; a pointer to an alias leads on.
    (
        "active_intent: A\nactive_intents:\n  - id: A|\n",
        "NEW",
        'active_intent: NEW\nactive_intents:\n  - id: NEW\n    aliases: ["A"]\n',
    ),
    (
        "active_intents:\n  - id: A\nactiveIntentId: 'A|' # c\nactive_intent_id: B\n",
        "NEW",
        (
            "active_intents:\n  - id: NEW\n    aliases: [\"A\"]\nactiveIntentId: 'NEW' # c\n"
            "active_intent_id: B\n"
        ),
    ),
    (
        "active_intent: OLD|\nintents:\n- id: A\n  aliases: [OLD]\n",
        "NEW",
        "active_intent: OLD\nintents:\n- id: NEW\n  aliases: [OLD, A]\n",
    ),
    (
        "active_intent: NEW\nintents:\n- id: A|\n",
        "NEW",
        'active_intent: NEW\nintents:\n- id: NEW\n  aliases: ["A"]\n',
    ),
    # An alias stands for the intent. The id never is its own alias.
    ("- id: A\n  aliases: [B, C|]\n", "NEW", "- id: NEW\n  aliases: [B, C, A]\n"),
    ("- id: A|\n  aliases: [B, C] # c\n", "B", "- id: B\n  aliases: [A, C] # c\n"),
    ("- id: A\n  aliases: ['B|', C]\n", "B", "- id: B\n  aliases: ['A', C]\n"),
    ("- id: A|\n  aliases: [A]\n", "NEW", "- id: NEW\n  aliases: [A]\n"),
    (
        '- id: A|\n  aliases:\n    - B # c\n    - "C"\n',
        "C",
        '- id: C\n  aliases:\n    - B # c\n    - "A"\n',
    ),
    # What does not name the intent stays: prose, unknown keys, other intents.
    (
        "- id: A|\n  name: A\n  constraints: [A]\n  depends_on: [A]\n  specification_id: A\n",
        "NEW",
        (
            '- id: NEW\n  name: A\n  constraints: [A]\n  aliases: ["A"]\n  depends_on: [A]\n'
            "  specification_id: A\n"
        ),
    ),
    (
        "# A\n- id: B\n  aliases: [A2]\n- id: A|\n",
        "NEW",
        '# A\n- id: B\n  aliases: [A2]\n- id: NEW\n  aliases: ["A"]\n',
    ),
    # Anchors stay where they are.
    (
        "active_intent: A\nintents:\n- id: &i A|\n  x: *i\n",
        "NEW",
        'active_intent: NEW\nintents:\n- id: &i NEW\n  aliases: ["A"]\n  x: *i\n',
    ),
]


@pytest.mark.parametrize(("marked", "new_id", "after"), EDITS)
def test_a_rename_is_the_smallest_edit(marked: str, new_id: str, after: str) -> None:
    assert renamed(marked, new_id) == after


NO_NAMES = [
    "- id: A\n  name: |A\n",
    "- i|d: A\n",
    "- id: A\n  aliases|: [B]\n",
    "- id: A\n  # A|\n",
    "- id: A\n  owned_scope: [A|]\n",
    "- id: A\n  specification_id: A|\n",
    "- id: A\n  depends_on: [A|]\n",
    "active_intent: B|\nintents:\n- id: A\n",
    "active_int|ent: A\nintents:\n- id: A\n",
    "- name: x|\n",
    "- id: A\n- id: B\n  aliases: [A|]\n",
    "- id: A\n  aliases: [&b C]\n  x: *b|\n",
    "|",
]


@pytest.mark.parametrize("marked", NO_NAMES)
def test_nothing_else_names_an_intent(marked: str) -> None:
    assert renamed(marked, "NEW") is None


# A marked text, the new id, and how the reason begins.
REFUSED = [
    ("- id: A|\n", "A", "this is its id already"),
    ("- id: A\n  aliases: [B|]\n", " A ", "this is its id already"),
    ("- id: A|\n", "", "an id has 1 to 256 characters on one line, and this one is empty"),
    ("- id: A|\n", " \t", "an id has 1 to 256 characters on one line, and this one is empty"),
    ("- id: A|\n", "x" * 257, "an id has 1 to 256 characters on one line, and this one has 257"),
    ("- id: A|\n", "a\nb", "an id has 1 to 256 characters on one line, and this one has a line"),
    ("- id: A|\n", "a\ud800", "an id has 1 to 256 characters on one line, and this one has a"),
    ("- id: A|\n- id: B\n", "B", "B is the id of another intent; choose another id"),
    ("- id: A|\n- id: B\n  aliases: [C]\n", "C", "C is an alias of B; choose another id"),
    ("- id: A|\n- id: A\n", "NEW", "several intents have the id A; give the others another id"),
    ("- id: A\n- id: A|\n", "NEW", "several intents have the id A; give the others another id"),
    (
        "- id: B\n  aliases: [A]\n- id: A|\n",
        "NEW",
        "A is also an alias of the intent B; take it out",
    ),
    (
        "- id: A|\n- id: B\n  aliases: [A]\n",
        "NEW",
        "A is also an alias of the intent B; take it out",
    ),
    ("A: &x\n  name: x\nB|: *x\n", "NEW", "the intent is a YAML alias"),
    ("A|: &x\n  name: x\nB: *x\n", "NEW", "no edit of the file changes the id and nothing else"),
    ("x: [&i A]\nintents:\n- id: *i|\n", "NEW", "an id is a YAML alias or a block of text"),
    ("- id: >-\n    A|\n", "NEW", "an id is a YAML alias or a block of text"),
    ("- id: A|\n  aliases: B\n", "NEW", "`aliases` is not a list; make it one"),
    ("- id: A|\n  aliases: &l [B]\n", "NEW", "`aliases` has a YAML anchor or is a YAML alias"),
    ("- id: A|\n  name: &l x\n  aliases: *l\n", "NEW", "`aliases` has a YAML anchor or is a YAML"),
    ("- id: &i A|\n  name: *i\n", "NEW", "no edit of the file changes the id and nothing else"),
    ("A|: {}\n", "intents", "no edit of the file changes the id and nothing else"),
]


@pytest.mark.parametrize(("marked", "new_id", "reason"), REFUSED)
def test_a_rename_that_cannot_be_made_says_why(marked: str, new_id: str, reason: str) -> None:
    found = renamed(marked, new_id)
    assert isinstance(found, EditRefused)
    assert found.reason.startswith(reason)


def test_a_text_that_does_not_parse_says_where() -> None:
    assert unparsed("- id: A\n- id: [\n").reason.startswith("the file cannot be parsed (line 3: ")


def test_an_unknown_intent_is_refused() -> None:
    found = rename_intent(structure_of("- id: A\n"), "B", "NEW")
    assert found == EditRefused("the file has no intent B")


# A marked text, and the mentions of the intent at the mark, in order.
MENTIONS = [
    ("- id: A|\n", ["declaration A"]),
    ("- id: 'A|'\n  intent_id: \"A\"\n", ["declaration A", "same_id A"]),
    (
        "active_intent: 'OLD'\nintents:\n- id: A\n  aliases: [\"OLD|\", O2]\nactiveIntent: A\n",
        ["pointer OLD", "declaration A", "alias OLD", "alias O2", "pointer A"],
    ),
    ("A:\n  id: A|\n", ["declaration A", "same_id A"]),
    ("- id: A\n- id: A|\n", ["declaration A", "same_id A"]),
    ("- id: A|\n- id: B\n  aliases: [A]\n", ["declaration A"]),
    ("active_intent: B|\nintents:\n- id: A\n- id: B\n", ["pointer B", "declaration B"]),
]


@pytest.mark.parametrize(("marked", "mentions"), MENTIONS)
def test_an_intent_is_mentioned_by_its_names(marked: str, mentions: list[str]) -> None:
    text, offset = cursor_in(marked)
    structure = structure_of(text)
    named = named_at(structure, offset)
    assert named is not None
    found = mentions_of(structure, named.intent)
    assert [f"{each.kind} {each.text}" for each in found] == mentions
    for each in found:
        start, end = inner_range(text, each.node)
        assert text[start:end] == each.text


IDS = st.sampled_from(["NEW", "it's", "no", "1.5", "a: b", "# x", "Ünï 😀", "-", "INT-1", "a", "B"])


@given(text=st.one_of(files(), st.sampled_from(DIALECTS)), data=st.data(), new_id=IDS)
@example(text="\ufeff- {id: A}", data=None, new_id="NEW")
def test_a_rename_changes_the_id_and_nothing_else_and_can_be_taken_back(
    text: str, data: st.DataObject | None, new_id: str
) -> None:
    structure = read_structure(text)
    assume(structure is not None and len(structure.intents))
    assert structure is not None
    before = structure.intents
    intent = before.items[0] if data is None else data.draw(st.sampled_from(before.items))
    changes = rename_intent(structure, intent.id, new_id)
    if isinstance(changes, EditRefused):
        event(changes.reason.split(" ")[0])
        return
    after = apply_changes(text, changes)
    aliases = tuple(intent.id if name == new_id else name for name in intent.aliases)
    aliases = aliases if intent.id in aliases else (*aliases, intent.id)
    wanted = replace(intent, id=IntentId(new_id), aliases=aliases)
    expected = Intents(tuple(wanted if each is intent else each for each in before))
    assert read_intents(after).intents == expected
    assert all(expected.get(name) is wanted for name in before.names(intent))
    # Every line stays but those with a change, and each change is on one line or adds lines.
    touched = {change.span.start.line for change in changes}
    assert all(change.span.start.line == change.span.end.line for change in changes)
    kept = [line for number, line in enumerate(split_lines(text)) if number not in touched]
    now = iter(split_lines(after))
    assert all(line in now for line in kept)
    back = rename_intent(structure_of(after), new_id, intent.id)
    assert not isinstance(back, EditRefused), back
    again = read_intents(apply_changes(after, back)).intents
    names = [name for name in aliases if name != intent.id]
    kept_names = tuple(new_id if name == intent.id else name for name in aliases)
    assert again.get(intent.id) == replace(intent, aliases=kept_names)
    assert set(names) <= set(kept_names)
    others = [each for each in again if each.id != intent.id]
    assert others == [each for each in before if each is not intent]
    event("renamed there and back")


@given(data=st.data(), text=st.one_of(files(), hostile_texts()), new_id=st.text(max_size=9))
def test_no_text_no_offset_and_no_id_raises(data: st.DataObject, text: str, new_id: str) -> None:
    text = data.draw(edited(text))
    structure = read_structure(text)
    if structure is None:
        assert unparsed(text).reason
        return
    for offset in range(len(text) + 2):
        named_at(structure, offset)
    for intent in structure.intents:
        mentions = mentions_of(structure, intent)
        assert sum(mention.kind == "declaration" for mention in mentions) == 1
        rename_intent(structure, intent.id, new_id)
