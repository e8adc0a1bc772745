"""The smallest edit that makes a history run from its newest event."""

import pytest

from intent_lsp.formats.intents.edit import EditRefused, apply_changes, set_history

BLOCK = "- id: A\n  recent_history: # h\n  - c x # 1\n  # two\n  - 'b' # 2\n  - a # 3\n  z: 1\n"
TAIL = "- id: A\r\n  recentHistory:\r\n    - b\r\n    - a"
FLOW = '- id: A\n  recent_history: ["c", "b", "a"] # h\n'
LINES = '[{"id": "A", "recent_history": [\n  "c",\n  "b", # 2\n  "a" # 3\n]}]\n'

EDITS = [
    (
        BLOCK,
        ["d", "c x", "b"],
        "- id: A\n  recent_history: # h\n  - d\n  - c x # 1\n  # two\n  - 'b' # 2\n  z: 1\n",
    ),
    (
        BLOCK,
        ["d", "e: f"],
        '- id: A\n  recent_history: # h\n  - d\n  - "e: f"\n  # two\n  z: 1\n',
    ),
    (BLOCK, ["c x"], "- id: A\n  recent_history: # h\n  - c x # 1\n  # two\n  z: 1\n"),
    (BLOCK, [], "- id: A\n  recent_history: [] # h\n  # two\n  z: 1\n"),
    (TAIL, ["c", "b"], "- id: A\r\n  recentHistory:\r\n    - c\r\n    - b\r\n"),
    (TAIL, ["c"], "- id: A\r\n  recentHistory:\r\n    - c"),
    (TAIL, ["c", "b", "a"], "- id: A\r\n  recentHistory:\r\n    - c\r\n    - b\r\n    - a"),
    (FLOW, ["d", "c", "b"], '- id: A\n  recent_history: ["d", "c", "b"] # h\n'),
    (FLOW, ["d", "e"], '- id: A\n  recent_history: ["d", "e"] # h\n'),
    (FLOW, ["c"], '- id: A\n  recent_history: ["c"] # h\n'),
    (FLOW, [], "- id: A\n  recent_history: [] # h\n"),
    (
        LINES,
        ["d", "c", "b", "a"],
        '[{"id": "A", "recent_history": [\n  "d",\n  "c",\n  "b", # 2\n  "a" # 3\n]}]\n',
    ),
    (
        LINES,
        ["d", "e", "c"],
        '[{"id": "A", "recent_history": [\n  "d",\n  "e",\n  "c" # 2\n   # 3\n]}]\n',
    ),
    (
        LINES,
        ["d", "e"],
        '[{"id": "A", "recent_history": [\n  "d",\n  "e" # 2\n   # 3\n]}]\n',
    ),
    (
        "- id: A\n  recent_history: [ b,\n  ]\n",
        ["c", "b"],
        "- id: A\n  recent_history: [ c, b,\n  ]\n",
    ),
    ("- id: A\n  recent_history: []\n", ["b"], '- id: A\n  recent_history: ["b"]\n'),
    ("- id: A\n  recent_history:\n", ["b"], '- id: A\n  recent_history: ["b"]\n'),
    (
        "- id: A\n  updated_at: '1'\n  z: |+\n    x\n\n- id: B\n",
        ["b", "a"],
        '- id: A\n  updated_at: \'1\'\n  z: |+\n    x\n\n  recent_history: ["b", "a"]\n- id: B\n',
    ),
    (
        "- id: A\n  scope:\n    - x",
        ["b", "a"],
        '- id: A\n  scope:\n    - x\n  recent_history:\n    - "b"\n    - "a"',
    ),
    ("- {id: A, x: 1}\n", ["b"], '- {id: A, x: 1, recent_history: ["b"]}\n'),
    ("A: {}\n", ["b"], 'A: {recent_history: ["b"]}\n'),
    ("A:\n  ownedScope: [x]\n", ["b"], 'A:\n  ownedScope: [x]\n  recentHistory: ["b"]\n'),
    (
        "- id: A\n  recent_history:\n  -\n    b\n  - |\n    a\n    a\n  - x: 1\n  z: 1\n",
        ["c", "b"],
        '- id: A\n  recent_history:\n  - "c"\n  -\n    b\n  z: 1\n',
    ),
    (
        "- id: A\n  recent_history:\n  - b\n  -\n    a\n  -\n  z: 1\n",
        ["b"],
        "- id: A\n  recent_history:\n  - b\n  z: 1\n",
    ),
    (
        "- id: A\n  recent_history:\n  -\n  - b\n",
        ["b"],
        "- id: A\n  recent_history:\n  -\n  - b\n",
    ),
    ("- id: A\n  recent_history: [~, b]\n", ["~", "b"], "- id: A\n  recent_history: [~, b]\n"),
    ("- id: A\n  recent_history: x\n", [], "- id: A\n  recent_history: x\n"),
    ("- id: A\n", [], "- id: A\n"),
    ("- id: A\n  ? recent_history\n  : - a\n", [], "- id: A\n  ? recent_history\n"),
    (
        "- x: &b 1\n  id: A\n  recent_history: [ &y c, &z d ]\n  y: *b\n",
        ["e", "c"],
        "- x: &b 1\n  id: A\n  recent_history: [ e, &y c ]\n  y: *b\n",
    ),
]


@pytest.mark.parametrize(("before", "events", "after"), EDITS)
def test_new_events_come_on_top_old_ones_drop_out_and_the_rest_stays(
    before: str, events: list[str], after: str
) -> None:
    changes = set_history(before, "A", events)
    assert not isinstance(changes, EditRefused), changes
    assert apply_changes(before, changes) == after
    assert set_history(after, "A", events) == ()


HOSTILE = [
    "POST_HOOK write OK",
    "say 'a' \"b\"",
    "a: b # c",
    "two\nlines",
    "\x00\x85\u2028",
    "*x",
    "",
]


@pytest.mark.parametrize("form", ["[]", "[a]", "\n  - 'a'", "\n  - a", "~", '[\n "a" # c\n  ]'])
def test_any_event_reads_back_as_it_is(form: str) -> None:
    before = f"- id: A\n  recent_history: {form}\n  updated_at: '1'\n"
    for events in (HOSTILE, ["new", *HOSTILE[:-1]], HOSTILE[3:], []):
        changes = set_history(before, "A", events)
        assert not isinstance(changes, EditRefused), changes
        before = apply_changes(before, changes)
        assert set_history(before, "A", events) == ()
        assert "updated_at: '1'" in before


REFUSED = [
    ("- id: B\n", "the file has no intent A"),
    ("a: [", "cannot be parsed"),
    ("- id: A\n  recent_history: a\n", "`recent_history` is not a list"),
    ("- id: A\n  recent_history: {a: b}\n", "`recent_history` is not a list"),
    ("- id: A\n  recent_history: &x [a]\n", "anchor"),
    ("- id: B\n  x: &s [a]\n- id: A\n  recent_history: *s\n", "alias"),
    ("- id: A\n  recent_history: [a, &x b]\n  z: *x\n", "found no edit"),
    ("- id: A\n  ? recent_history\n  : - a\n", "found no edit"),
    ("x: &e {id: A}\nactive_intents: [*e]\n", "the intent is a YAML alias"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_a_history_that_cannot_be_edited_safely_is_left_alone(text: str, reason: str) -> None:
    refused = set_history(text, "A", ["z"])
    assert isinstance(refused, EditRefused), refused
    assert reason in refused.reason


def test_half_a_character_is_refused() -> None:
    refused = set_history("- id: A\n", "A", ["\udc80"])
    assert isinstance(refused, EditRefused)
    assert "surrogate" in refused.reason
