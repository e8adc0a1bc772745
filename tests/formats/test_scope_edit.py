"""The smallest edit that widens a scope."""

import pytest

from intent_lsp.core.intents import Status
from intent_lsp.formats.intents.edit import EditRefused, add_globs, apply_changes, set_status
from intent_lsp.formats.intents.intents_file import read_intents

NOW = "2027-01-01T00:00:00Z"

# What stands below `- id: A`, and what stands there when `b/**` and `*.md` are in the scope.
BODIES = [
    ("  owned_scope: ['a'] # c", "  owned_scope: ['a', 'b/**', '*.md'] # c"),
    ("  owned_scope: [a,c]", '  owned_scope: [a,c,b/**,"*.md"]'),
    ("  owned_scope: [a, ]", '  owned_scope: [a, b/**, "*.md", ]'),
    ("  owned_scope: [*.py, {x,y}/**]", '  owned_scope: [*.py, {x,y}/**, b/**, "*.md"]'),
    ('  ownedScope: ["b/**"]', '  ownedScope: ["b/**", "*.md"]'),
    ("  owned_scope: []", '  owned_scope: ["b/**", "*.md"]'),
    ("  owned_scope: [  ] # c", '  owned_scope: ["b/**", "*.md"] # c'),
    ("  owned_scope: [# c\n  ]", '  owned_scope: ["b/**", "*.md" # c\n  ]'),
    ("  owned_scope: [\n  ]", '  owned_scope: ["b/**", "*.md"\n  ]'),
    ("  owned_scope:", '  owned_scope: ["b/**", "*.md"]'),
    ("  scope:\t# c", '  scope: ["b/**", "*.md"]\t# c'),
    ("  scope: ~ # c", '  scope: ["b/**", "*.md"] # c'),
    ("  owned_scope:\n    # none", '  owned_scope: ["b/**", "*.md"]\n    # none'),
    ("  scope: {paths: ['a']}", "  scope: {paths: ['a', 'b/**', '*.md']}"),
    ("  scope: {paths: }", '  scope: {paths: ["b/**", "*.md"]}'),
    (
        "  scope:\n    paths:\n    - 'a' # c\n    # d\n  z: 1",
        "  scope:\n    paths:\n    - 'a' # c\n    - 'b/**'\n    - '*.md'\n    # d\n  z: 1",
    ),
    (
        "  owned_scope:\n  - *.py # c\n  # d\n  z: 1",
        '  owned_scope:\n  - *.py # c\n  - b/**\n  - "*.md"\n  # d\n  z: 1',
    ),
    (
        '  owned_scope:\n      -   "a"\t# tab\there\n  z: 1',
        '  owned_scope:\n      -   "a"\t# tab\there\n      -   "b/**"\n      -   "*.md"\n  z: 1',
    ),
    (
        "  owned_scope:\n    - a\n    -\n",
        '  owned_scope:\n    - a\n    -\n    - b/**\n    - "*.md"\n',
    ),
    (
        "  owned_scope:\n    - a\n    -\n      c\n",
        '  owned_scope:\n    - a\n    -\n      c\n    - b/**\n    - "*.md"\n',
    ),
    (
        "  owned_scope:\n    - |-\n      a\n  z: 1",
        '  owned_scope:\n    - |-\n      a\n    - "b/**"\n    - "*.md"\n  z: 1',
    ),
    (
        "  owned_scope: [\n    'a', # x\n    'c' # y\n    # z\n  ]",
        "  owned_scope: [\n    'a', # x\n    'c', # y\n    'b/**',\n    '*.md'\n    # z\n  ]",
    ),
    (
        "  owned_scope: [\n    'a', # x\n  ]",
        "  owned_scope: [\n    'a', # x\n    'b/**',\n    '*.md',\n  ]",
    ),
    (
        "  owned_scope: ['a',\n       'c']",
        "  owned_scope: ['a',\n       'c',\n       'b/**',\n       '*.md']",
    ),
    ("  owned_scope: [\n    'a', 'c'\n  ]", "  owned_scope: [\n    'a', 'c', 'b/**', '*.md'\n  ]"),
    (
        "  owned_scope: [ 'a'\n    , 'c'\n  ]",
        "  owned_scope: [ 'a'\n    , 'c', 'b/**', '*.md'\n  ]",
    ),
    (
        "  owned_scope: [\n    'a' , 'c',\n    'd' , ]",
        "  owned_scope: [\n    'a' , 'c',\n    'd', 'b/**', '*.md' , ]",
    ),
    (
        "  name: N # c\n  status: DONE # d\n  z: 1",
        '  name: N # c\n  status: DONE # d\n  owned_scope: ["b/**", "*.md"]\n  z: 1',
    ),
    ("  z: 1", '  owned_scope: ["b/**", "*.md"]\n  z: 1'),
    ("  createdAt: '1'", '  ownedScope: ["b/**", "*.md"]\n  createdAt: \'1\''),
    (
        "  constraints:\n    - no",
        '  owned_scope:\n    - "b/**"\n    - "*.md"\n  constraints:\n    - no',
    ),
    (
        "  constraints:\n  - no\n  status: DONE",
        '  constraints:\n  - no\n  status: DONE\n  owned_scope:\n  - "b/**"\n  - "*.md"',
    ),
]

WHOLE = [
    ("- id: A", '- id: A\n  owned_scope: ["b/**", "*.md"]'),
    ("- id: A\n  scope:\n  - a", '- id: A\n  scope:\n  - a\n  - b/**\n  - "*.md"'),
    ("- {id: A, x: 1}\n", '- {id: A, owned_scope: ["b/**", "*.md"], x: 1}\n'),
    ("- {'id': A}\n", "- {'id': A, 'owned_scope': ['b/**', '*.md']}\n"),
    ("A: {}\n", 'A: {owned_scope: ["b/**", "*.md"]}\n'),
    ("A: {x: 1}\n", 'A: {owned_scope: ["b/**", "*.md"], x: 1}\n'),
    ("A:\n  x: 1\n", 'A:\n  owned_scope: ["b/**", "*.md"]\n  x: 1\n'),
    (
        '[\n  {\n    "id": "A",\n    "x": 1\n  }\n]\n',
        '[\n  {\n    "id": "A",\n    "owned_scope": ["b/**", "*.md"],\n    "x": 1\n  }\n]\n',
    ),
    (
        '[\n  {\n    "x": 1,\n    "id": "A" # c\n  }\n]\n',
        '[\n  {\n    "x": 1,\n    "id": "A", # c\n    "owned_scope": ["b/**", "*.md"]\n  }\n]\n',
    ),
    (
        "- id: A\r\n  scope:\r\n    - a # c\r\n- id: C\r\n",
        '- id: A\r\n  scope:\r\n    - a # c\r\n    - b/**\r\n    - "*.md"\r\n- id: C\r\n',
    ),
    (
        "- id: B\n  x: &a 1\n- id: A\n  y: *a\n  scope: [c]\n",
        '- id: B\n  x: &a 1\n- id: A\n  y: *a\n  scope: [c, b/**, "*.md"]\n',
    ),
    (
        "- id: A\n  updated_at: '1'\n  scope: [c]\n",
        f"- id: A\n  updated_at: '{NOW}'\n  scope: [c, b/**, \"*.md\"]\n",
    ),
    (
        "- id: A\n  scope: [*.md, 'b/**']\n  updated_at: '1'\n",
        "- id: A\n  scope: [*.md, 'b/**']\n  updated_at: '1'\n",
    ),
]


@pytest.mark.parametrize(
    ("before", "after"),
    [*((f"- id: A\n{b}\n", f"- id: A\n{a}\n") for b, a in BODIES), *WHOLE],
)
def test_globs_are_added_at_the_end_and_every_byte_beside_them_stays(
    before: str, after: str
) -> None:
    changes = add_globs(before, "A", ["b/**", "*.md", "b/**"], NOW)
    assert not isinstance(changes, EditRefused), changes
    assert apply_changes(before, changes) == after
    assert read_intents(after).intents.items


HOSTILE = [
    "say 'a' \"b\"",
    "back\\slash",
    "# none",
    "a #b",
    "a: b",
    "*",
    "&a",
    "!a",
    "",
    " ",
    "no",
    "1.5",
    ".5",
    "~",
    "- a",
    "two\nlines\r",
    "\x00\x1b\x7f\x85\xa0\u2028\u2029\ufeff\uffff",
    "😀",
    "]",
    ", scope: [*x",
]


@pytest.mark.parametrize("style", ["a", "'a'", '"a"', "*.py"])
@pytest.mark.parametrize("form", ["[{}]", "\n  - {}"])
def test_any_pattern_reads_back_as_it_is(style: str, form: str) -> None:
    before = f"- id: A\n  owned_scope: {form.format(style)}\n"
    changes = add_globs(before, "A", HOSTILE, NOW)
    assert not isinstance(changes, EditRefused), changes
    after = apply_changes(before, changes)
    assert read_intents(after).intents.items[0].owned_scope[1:] == tuple(HOSTILE)
    assert add_globs(after, "A", HOSTILE, NOW) == ()


REFUSED = [
    ("- id: B\n", "the file has no intent A"),
    ("a: [", "cannot be parsed"),
    ("- id: A\n  owned_scope: a\n", "`owned_scope` is not a list"),
    ("- id: A\n  owned_scope: *.py\n", "`owned_scope` is not a list"),
    ("- id: A\n  scope: {x: 1}\n", "`scope` is not a list"),
    ("- id: A\n  scope: {paths: a}\n", "`paths` is not a list"),
    ("- id: A\n  scope: &x [a]\n", "anchor"),
    ("- id: A\n  scope: &x {paths: [a]}\n", "anchor"),
    ("- id: A\n  scope: {paths: &x [a]}\n", "anchor"),
    ("- id: A\n  scope: &x\n", "anchor"),
    ("- id: B\n  x: &s [a]\n- id: A\n  scope: *s\n", "alias"),
    ("- id: B\n  x: &s {paths: [a]}\n- id: A\n  scope: *s\n", "alias"),
    ("x: &e {id: A}\nactive_intents: [*e]\n", "the intent is a YAML alias"),
    ("- id: A\n  scope: [a]\n  updated_at: [x]\n", "`updated_at`"),
    ("- ? id\n  : A\n", "found no edit"),
    ("- id: A\n  scope: [a, *y z]\n  x: [&y z]\n", "cannot be parsed"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_a_scope_that_cannot_be_edited_safely_is_left_alone(text: str, reason: str) -> None:
    refused = add_globs(text, "A", ["b"], NOW)
    assert isinstance(refused, EditRefused), refused
    assert reason in refused.reason


def test_half_a_character_is_refused() -> None:
    refused = add_globs("- id: A\n", "A", ["a", "\ud800"], NOW)
    assert isinstance(refused, EditRefused)
    assert "surrogate" in refused.reason


def test_a_pattern_that_would_make_a_link_of_a_glob_is_refused() -> None:
    refused = add_globs("- id: A\n  scope:\n  - *y\n", "A", ["x &y z"], NOW)
    assert refused == EditRefused(
        "intent-lsp found no edit that makes only this change; change the file by hand"
    )


def test_globs_are_added_at_their_place_in_the_middle_of_a_file() -> None:
    text = "active_intents:\n" + "".join(f"- id: I{n}\n  scope: [a]\n" for n in range(300))
    changes = add_globs(text, "I150", ["b"], NOW)
    assert not isinstance(changes, EditRefused)
    assert [change.span.start.line for change in changes] == [302]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("active_intents: {A: {}}\n", "active_intents: {A: {status: DONE}}\n"),
        ('[\n{\n"id": "A"\n}\n]', '[\n{\n"id": "A",\n"status": "DONE"\n}\n]'),
    ],
)
def test_a_status_finds_its_place_in_a_flow_entry_too(before: str, after: str) -> None:
    changes = set_status(before, "A", Status.COMPLETED, NOW)
    assert not isinstance(changes, EditRefused), changes
    assert apply_changes(before, changes) == after.replace("DONE", "COMPLETED")
