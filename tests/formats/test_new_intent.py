"""A new intent at the end of the file."""

import pytest
from msgspec.structs import replace

from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.formats.intents.append_intent import add_intent
from intent_lsp.formats.intents.edit import EditRefused, apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.store.packaged_files import template

TEMPLATE = template("active_intents.yaml")
NEW = Intent(
    id=IntentId("INT-2"),
    name="Two: of us",
    status=Status.PLANNED,
    owned_scope=("src/**", "*.md"),
    constraints=(),
    acceptance_criteria=("It runs\n",),
    created_at="2027-01-01T00:00:00Z",
)
LINES = (
    "id: INT-2",
    'name: "Two: of us"',
    "status: PLANNED",
    'owned_scope: ["src/**", "*.md"]',
    'acceptance_criteria: ["It runs"]',
    'created_at: "2027-01-01T00:00:00Z"',
)
INLINE = "{" + ", ".join(LINES) + "}"
BY_ID = "{" + ", ".join(LINES[1:]) + "}"
JSON = (
    '{"id": "INT-2", "name": "Two: of us", "status": "PLANNED", '
    '"owned_scope": ["src/**", "*.md"], "acceptance_criteria": ["It runs"], '
    '"created_at": "2027-01-01T00:00:00Z"}'
)


def item(indent: int = 2, dash: str = "- ", end: str = "\n") -> str:
    pad = " " * indent
    first, *others = LINES
    return "".join(
        [f"{pad}{dash}{first}{end}", *(f"{pad}{' ' * len(dash)}{line}{end}" for line in others)]
    )


def pairs(indent: int) -> str:
    return "".join(f"{' ' * indent}{line}\n" for line in LINES[1:])


EDITS = [
    ("", "active_intents:\n" + item()),
    ("# only\n", "# only\nactive_intents:\n" + item()),
    ("# only", ("# only\nactive_intents:\n" + item())[:-1]),
    ("#\ttab\r\n", "#\ttab\r\nactive_intents:\r\n" + item(end="\r\n")),
    ("---\n", "---\nactive_intents:\n" + item()),
    ("version: 1 # c\n# d\n", "version: 1 # c\nactive_intents:\n" + item() + "# d\n"),
    ("{}\n", f"{{active_intents: [{INLINE}]}}\n"),
    ("{version: 1}", f"{{version: 1, active_intents: [{INLINE}]}}"),
    ('{"version": 1}', f'{{"version": 1, "active_intents": [{JSON}]}}'),
    ("active_intents:\n", "active_intents:\n" + item()),
    ("active_intents:", ("active_intents:\n" + item())[:-1]),
    ("intents: ~ # c\nx: 1\n", "intents: # c\n" + item() + "x: 1\n"),
    ("intents: [] # c\n# d", "intents: # c\n" + item() + "# d"),
    ("intents: [\n]\n", "intents:\n" + item()),
    ("activeIntents: {}\n", "activeIntents:\n" + item()),
    ("intents: [ # c\n]\n", f"intents: [{INLINE} # c\n]\n"),
    ("intents: { # c\n}\n", f"intents: {{INT-2: {BY_ID} # c\n}}\n"),
    (TEMPLATE, TEMPLATE.removesuffix(" []\n") + "\n" + item()),
    (
        "active_intents:\n  # - id: X\n  #   name: Y\n\nx: 1\n",
        "active_intents:\n  # - id: X\n  #   name: Y\n" + item() + "\nx: 1\n",
    ),
    ("{intents: }", f"{{intents: [{INLINE}]}}"),
    ('{"intents": null}', f'{{"intents": [{JSON}]}}'),
    ('{"intents": []}', f'{{"intents": [{JSON}]}}'),
    ("[]", f"[{INLINE}]"),
    ("[{id: A}]", f"[{{id: A}}, {INLINE}]"),
    ('[\n  {\n    "id": "A"\n  }\n]\n', f'[\n  {{\n    "id": "A"\n  }},\n  {JSON}\n]\n'),
    ("- id: A\n", "- id: A\n" + item(0)),
    ("- id: A", ("- id: A\n" + item(0))[:-1]),
    ("- {id: A} # c\n", f"- {{id: A}} # c\n- {INLINE}\n"),
    (
        "active_intents:\r\n  -   id: A\r\n      # mine\r\n  # next\r\nactive_intent: A\r\n",
        "active_intents:\r\n  -   id: A\r\n      # mine\r\n"
        + item(dash="-   ", end="\r\n")
        + "  # next\r\nactive_intent: A\r\n",
    ),
    (
        "active_intents:\n- id: A\n\n- id: B\n  scope: [*.py]\n\n# end\n",
        "active_intents:\n- id: A\n\n- id: B\n  scope: [*.py]\n\n" + item(0) + "\n# end\n",
    ),
    ("- id: A\n  z: |+\n    x\n\n...\n", "- id: A\n  z: |+\n    x\n\n" + item(0) + "...\n"),
    ("- id: B\n  x: &a 1\n- id: A\n  y: *a\n", "- id: B\n  x: &a 1\n- id: A\n  y: *a\n" + item(0)),
    (
        "x: &e\n  id: A\nactive_intents:\n  - *e\n",
        "x: &e\n  id: A\nactive_intents:\n  - *e\n" + item(),
    ),
    (
        "- id: A\n  scope:\n    - *.py\n",
        "- id: A\n  scope:\n    - *.py\n"
        + item(0)
        .replace(' ["src/**", "*.md"]', '\n    - "src/**"\n    - "*.md"')
        .replace(' ["It runs"]', '\n    - "It runs"'),
    ),
    (
        "A:\n    x: 1\n    # c\n# d\nactive_intent: A\n",
        "A:\n    x: 1\n    # c\n# d\nactive_intent: A\nINT-2:\n" + pairs(4),
    ),
    (
        "intents:\n  A:\n    x: 1\n\n  B: {}\nx: &e {y: 1}\n",
        "intents:\n  A:\n    x: 1\n\n  B: {}\n\n  INT-2: " + BY_ID + "\nx: &e {y: 1}\n",
    ),
    ("intents:\n  A: 1\n", "intents:\n  A: 1\n  INT-2:\n" + pairs(4)),
    ("{A: {x: 1}}", f"{{A: {{x: 1}}, INT-2: {BY_ID}}}"),
]


@pytest.mark.parametrize(("before", "after"), EDITS)
def test_an_intent_is_added_in_the_form_of_the_file(before: str, after: str) -> None:
    changes = add_intent(before, NEW)
    assert not isinstance(changes, EditRefused), changes
    assert apply_changes(before, changes) == after
    refused = add_intent(after, NEW)
    assert isinstance(refused, EditRefused)
    assert "already" in refused.reason


REFUSED = [
    ("a: [", "cannot be parsed"),
    ("- id: INT-2\n", "the file already has an intent INT-2"),
    ("- id: A\n  aliases: [INT-2]\n", "the file already has an intent INT-2"),
    ("INT-2: 5\nA: {x: 1}\n", "the file already has the key INT-2"),
    ("words", "neither a mapping nor a list"),
    ("~", "neither a mapping nor a list"),
    ("active_intents: words\n", "is not a list"),
    ("active_intents: &x []\n", "anchor"),
    ("x: &x [{id: A}]\nactive_intents: *x\n", "alias"),
    ("&x\n- id: A\n", "the list of intents has a YAML anchor"),
    ("&x\nA:\n  y: 1\n", "the mapping of intents has a YAML anchor"),
    ("---\n...\n", "found no edit"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_a_file_that_cannot_be_added_to_safely_is_left_alone(text: str, reason: str) -> None:
    refused = add_intent(text, NEW)
    assert isinstance(refused, EditRefused), refused
    assert reason in refused.reason


FORMS = ["", "- id: A\n", "[{'id': A}]", '[{"id": "A"}]', "A:\n  x: 1\n", "{A: {x: 1}}"]
TEXTS = [
    "a: b #c",
    'say "it\'s"',
    "back\\slash",
    "*a",
    "no",
    "1.5",
    "Ünïcode 😀",
    "- a",
    "]},",
    "x, scope: [*a]",
    "active_intents",
    "<<",
    "?",
    "---",
    " a ",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [*TEXTS, "two\nlines\r", "\x00\x1b\x85\u2028\ufeff", ""])
def test_any_text_reads_back_as_it_is(form: str, text: str) -> None:
    told = replace(NEW, name=text, owned_scope=(text,), constraints=(text,), created_at=text)
    changes = add_intent(form, told)
    assert not isinstance(changes, EditRefused), changes
    read = read_intents(apply_changes(form, changes)).intents.items[-1]
    assert (read.name, read.owned_scope, read.created_at) == (text, (text,), text)
    assert read.constraints == (text.strip(),)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [it for it in TEXTS if it != "active_intents"])
def test_any_line_can_be_an_id(form: str, text: str) -> None:
    changes = add_intent(form, replace(NEW, id=text))
    assert not isinstance(changes, EditRefused), changes
    assert read_intents(apply_changes(form, changes)).intents.items[-1].id == text


@pytest.mark.parametrize("id_", ["", " ", "a\nb", "\x00", "x" * 257, "active_intents"])
def test_what_cannot_be_an_id_is_refused(id_: str) -> None:
    assert add_intent("A:\n  x: 1\n", replace(NEW, id=id_)) == EditRefused(
        "intent-lsp found no edit that makes only this change; change the file by hand"
    )


@pytest.mark.parametrize(
    "told", [replace(NEW, id="\ud800"), replace(NEW, constraints=("a", "\udfff"))]
)
def test_half_a_character_is_refused(told: Intent) -> None:
    refused = add_intent("", told)
    assert isinstance(refused, EditRefused)
    assert "surrogate" in refused.reason


def test_a_file_does_not_grow_over_its_limit() -> None:
    text = "#" * (MAX_BYTES - 20) + "\n"
    assert read_intents(text).parsed
    assert isinstance(add_intent(text, NEW), EditRefused)


@pytest.mark.parametrize(
    ("before", "indent"), [("", 4), ("- id: A\n", 2), ("A:\n  name: One\n", 2), ("intents: []", 4)]
)
def test_lists_that_are_long_to_read_have_a_line_for_each_value(before: str, indent: int) -> None:
    scope = tuple(f"src/some/directory/file_{number}.py" for number in range(5))
    wanted = replace(NEW, owned_scope=scope)
    edit = add_intent(before, wanted)
    assert not isinstance(edit, EditRefused)
    after = apply_changes(before, edit)
    lists = "owned_scope:", *(f'  - "{path}"' for path in scope), "acceptance_criteria:"
    assert "".join(f"{' ' * indent}{line}\n" for line in lists) in after
    assert read_intents(after).intents.items[-1].owned_scope == scope


def test_lists_stay_on_one_line_between_braces() -> None:
    wanted = replace(NEW, owned_scope=tuple(f"src/some/file_{number}.py" for number in range(9)))
    for before in ("[{id: A}]", "{A: {name: One}}", "A: {name: One}\n"):
        edit = add_intent(before, wanted)
        assert not isinstance(edit, EditRefused)
        assert apply_changes(before, edit).count("\n") == before.count("\n") * 2
