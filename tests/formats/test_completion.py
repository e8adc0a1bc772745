"""What is proposed for keys, words, ids, tools and items of the control files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.formats.intents.completion.place import place_at
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.completion.proposals import Offers, proposals
from intent_lsp.formats.intents.completion.shapes import ENTRY, SIDECAR, TABLES, text_about
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.key_texts.intents_keys import STATUS_TEXTS
from tests.support.cursor_texts import accepted, labels, marked

NOW = "2026-02-16T12:00:00.000Z"
OFFERS = Offers(new_id=lambda: "INT-007", now=NOW, tools=("Bash", "read*", "Write"))
A = "active_intents:\n  - id: INT-001\n"
SCHEMA = "# yaml-language-server: $schema=https://example.org/intents.json\n"
ENTRY_REST = [
    "name",
    "status",
    "owned_scope",
    "constraints",
    "acceptance_criteria",
    "related_files",
    "recent_history",
    "aliases",
    "specification_id",
    "created_at",
    "updated_at",
]
NEW = "new intent INT-007"
STATUSES = [str(status) for status in STATUS_TEXTS]


def offered(text: str, file: WorkspacePath = INTENTS_FILE) -> list[Proposal]:
    """Return what is proposed at the mark in a text."""
    lines, position = marked(text)
    place = place_at(file, lines, position)
    return [] if place is None else proposals(place, lines, OFFERS)


def completed(text: str, label: str, file: WorkspacePath = INTENTS_FILE, **how: bool) -> str:
    """Return a marked text after the proposal with this label was accepted."""
    chosen = {proposal.label: proposal for proposal in offered(text, file)}
    return accepted(text, chosen[label], **how)


LABELS = {
    "|": ["active_intents"],
    "act|": ["active_intents"],
    "active_intents: []\n|": [],
    "intents: []\n|": [],
    "active_intent: INT-001\n|": ["active_intents"],
    f"{A}    |": ENTRY_REST,
    f"{A}    sta|": ENTRY_REST,
    f"{A}    |\n    status: PLANNED\n": [key for key in ENTRY_REST if key != "status"],
    f"{A}    title: x\n    ownedScope: []\n    req_id: R\n    |": [
        key for key in ENTRY_REST if key not in ("name", "owned_scope", "specification_id")
    ],
    f"{A}    status|: PLANNED": ENTRY_REST,
    "active_intents:\n  - |": [NEW, "id", *ENTRY_REST],
    "active_intents:\n  - |\n    name: x": ["id", *ENTRY_REST[1:]],
    "- |": [NEW, "id", *ENTRY_REST],
    "- id: A\n  |": ENTRY_REST,
    "active_intents:\n  |": [NEW],
    "active_intents:\n|": [NEW],
    f"{A}|": [NEW],
    f"{A}  |": [NEW],
    "active_intents: [|]": [NEW],
    "active_intents: [{|}]": ["id", *ENTRY_REST],
    "active_intents: {INT-001: {|}}": ENTRY_REST,
    "active_intents:\n  INT-001:\n    |": ENTRY_REST,
    "INT-001:\n  |": ENTRY_REST,
    '{"active_intents": [{"id": "A", |}]}': ENTRY_REST,
    f"{A}    status: |": STATUSES,
    f"{A}    status: PL|": STATUSES,
    f'{A}    status: "|"': STATUSES,
    f"{A}    status:|": STATUSES,
    "active_intents: [{status: |}]": STATUSES,
    f"{A}    status: PLANNED |": STATUSES,
    f"{A}    status: 'PLANNED' |": [],
    f"{A}    status: PLANNED # |": [],
    f"{A}  - id: |": ["INT-007"],
    f"{A}  - id: INT|": ["INT-007"],
    f"{A}  - id: 'INT|'": ["INT-007"],
    f"{A}    name: |": [],
    f"{A}    constraints: [|]": [],
    f"{A}    aliases: [|]": [],
    f"{A}    created_at: |": [NOW],
    f'{A}    updated_at: "|"': [NOW],
    f"{A}    specification_id: |": [],
    f"{A}    specification_id: REQ-2\n    requirement_id: 'REQ-9'\n  - id: B\n    spec_id: |": [
        "REQ-2",
        "REQ-9",
    ],
    f"# specification_id: REQ-1\n{A}    req_id: |": [],
    '{"a": [{"id": "A", "specificationId": "R-1"},\n{"id": "B", "reqId": "|"}]}': [],
    '{"intents": [{"id": "A", "specificationId": "R-1"},\n{"id": "B", "reqId": "|"}]}': ["R-1"],
    f"{SCHEMA}{A}    |": [],
    f"{SCHEMA}{A}    status: |": [],
    f"{SCHEMA}{A}  - |": [NEW],
    f"{SCHEMA}{A}  - id: |": ["INT-007"],
    "other:\n  - |": [],
    f"{A}    other: |": [],
    f"{A}    status: [|]": [],
    f"{A}    id: [|]": [],
}


@pytest.mark.parametrize(("text", "found"), LABELS.items())
def test_the_intents_file_is_completed(text: str, found: list[str]) -> None:
    assert labels(offered(text)) == found


SIDECAR_KEYS = list(SIDECAR.texts)
POLICY_LABELS = {
    "|": ["sidecar"],
    "sidecar:\n  |": SIDECAR_KEYS,
    "sidecar:\n  version: 1\n|": [],
    "version: 1\n|": [key for key in SIDECAR_KEYS if key != "version"],
    "sidecar:\n  failOpen: true\n  |": [key for key in SIDECAR_KEYS if key != "fail_open"],
    "sidecar: {|}": SIDECAR_KEYS,
    "sidecar:\n  enforcement: |": ["observe", "warn", "block"],
    "enforcement: |": ["observe", "warn", "block"],
    "sidecar: {agents: |}": ["observe", "warn", "block"],
    "sidecar:\n  agents_inherit: |": ["none", "editor"],
    "sidecar:\n  hitl: |": ["never", "out_of_scope", "always"],
    "sidecar:\n  hitl_by: [|]": ["editor", "elicitation"],
    "sidecar:\n  hitl_by:\n    - |": ["editor", "elicitation"],
    "sidecar:\n  contract: |": ["ignore", "warn", "deny"],
    "sidecar:\n  ledger: |": ["single", "segments"],
    "sidecar:\n  record_saves: |": ["runs", "each"],
    "sidecar:\n  fail_open: |": ["true", "false"],
    "sidecar:\n  requireRead: |": ["true", "false"],
    "sidecar:\n  version: |": [],
    "sidecar:\n  blocked_tools: [|]": ["Bash", "read*", "Write"],
    "sidecar:\n  mutating_tools:\n    - W|": ["Bash", "read*", "Write"],
    'sidecar:\n  read_only_tools: ["|"]': ["Bash", "read*", "Write"],
    "sidecar:\n  deny_mutations:\n    - |": ["new rule", "path_glob", "reason"],
    "sidecar:\n  deny_mutations:\n    |": ["new rule"],
    "sidecar:\n  deny_mutations:\n  |": [
        "new rule",
        *(key for key in SIDECAR_KEYS if key != "deny_mutations"),
    ],
    "sidecar:\n  deny_mutations:\n    - path_glob: x\n      |": ["reason"],
    "sidecar:\n  privacy:\n    |": ["authors", "session_ids", "urls"],
    "sidecar:\n  privacy: {authors: none, |}": ["session_ids", "urls"],
    "sidecar:\n  privacy: {urls: |}": ["keep", "drop"],
    "sidecar:\n  lessons:\n    |": ["violations", "verification"],
    f"{SCHEMA}sidecar:\n  |": [],
    f"{SCHEMA}sidecar:\n  ledger: |": [],
    f"{SCHEMA}sidecar:\n  blocked_tools: [|]": ["Bash", "read*", "Write"],
}


@pytest.mark.parametrize(("text", "found"), POLICY_LABELS.items())
def test_the_policy_is_completed(text: str, found: list[str]) -> None:
    assert labels(offered(text, POLICY_FILE)) == found


SKELETON = f'name: \n    status: PLANNED\n    owned_scope: [""]\n    created_at: "{NOW}"'

EDITS = [
    (f"{A}    na|", "name", f"{A}    name: |"),
    (f"{A}    |", "status", f"{A}    status: |PLANNED"),
    (f"{A}    na|: x", "name", f"{A}    name|: x"),
    (f"{A}    own|", "owned_scope", f'{A}    owned_scope: ["|"]'),
    (
        f'{A}    constraints:\n      - "x"\n    own|',
        "owned_scope",
        f'{A}    constraints:\n      - "x"\n    owned_scope:\n      - "|"',
    ),
    (
        f'{A}    constraints:\n    - "x"\n    own|',
        "owned_scope",
        f'{A}    constraints:\n    - "x"\n    owned_scope:\n    - "|"',
    ),
    (f"{A}    |", "created_at", f'{A}    created_at: "|{NOW}"'),
    ("active_intents:\n  - |", "id", "active_intents:\n  - id: |INT-007"),
    ("|", "active_intents", f"active_intents:\n  - id: |INT-007\n    {SKELETON}"),
    (f"{A}    st|atus", "status", f"{A}    status: |PLANNEDatus"),
    (f"{A}    status: PL|", "PLANNED", f"{A}    status: PLANNED|"),
    (f"{A}    status: PL|", "ARCHIVED", f"{A}    status: ARCHIVED|"),
    (f"{A}    status:|", "BLOCKED", f"{A}    status: BLOCKED|"),
    (f"{A}    status: '|'", "BLOCKED", f"{A}    status: 'BLOCKED|'"),
    (f'{A}    status: "BL|', "BLOCKED", f'{A}    status: "BLOCKED"|'),
    ("active_intents: [{id: A, |}]", "name", "active_intents: [{id: A, name: |}]"),
    ("active_intents: [{id: A, st|}]", "status", "active_intents: [{id: A, status: |PLANNED}]"),
    ("active_intents: [{id: A, |}]", "aliases", 'active_intents: [{id: A, aliases: ["|"]}]'),
    ('[{"id": "A", |}]', "name", '[{"id": "A", "name": "|"}]'),
    ('[{"id": "A", "na|"}]', "name", '[{"id": "A", "name|"}]'),
    ('[{"id": "A", "na|\n]', "name", '[{"id": "A", "name": "|"\n]'),
    ('[{"id": "A", "status": |}]', "PLANNED", '[{"id": "A", "status": "PLANNED"|}]'),
    ('[{"id": "A", "status":|}]', "PLANNED", '[{"id": "A", "status": "PLANNED"|}]'),
    (f"{A}  - id: |", "INT-007", f"{A}  - id: INT-007|"),
    (f"{A}  - id: INT-0|", "INT-007", f"{A}  - id: INT-007|"),
    (f"{A}    created_at: |", NOW, f'{A}    created_at: "{NOW}"|'),
]
POLICY_EDITS = [
    ("|", "sidecar", "sidecar:\n  |"),
    ("sidecar:\n  |", "enforcement", "sidecar:\n  enforcement: |observe"),
    ("sidecar:\n  |", "lessons", "sidecar:\n  lessons:\n    |"),
    ("sidecar: {|}", "lessons", "sidecar: {lessons: {|}}"),
    (
        "sidecar:\n  |",
        "deny_mutations",
        'sidecar:\n  deny_mutations:\n    - path_glob: "|"\n      reason: ',
    ),
    ("sidecar:\n  hitl_by: |", "editor", "sidecar:\n  hitl_by: [editor]|"),
    ("sidecar:\n  hitl_by:\n    |", "editor", "sidecar:\n  hitl_by:\n    - editor|"),
    ("sidecar:\n  blocked_tools: |", "Bash", 'sidecar:\n  blocked_tools: ["Bash"]|'),
    ("sidecar:\n  blocked_tools:\n    |", "Bash", 'sidecar:\n  blocked_tools:\n    - "Bash"|'),
    ("sidecar:\n  blocked_tools: [B|]", "Bash", "sidecar:\n  blocked_tools: [Bash|]"),
    ("sidecar:\n  blocked_tools: [re|]", "read*", 'sidecar:\n  blocked_tools: ["read*"|]'),
    ("sidecar:\n  blocked_tools: ['re|']", "read*", "sidecar:\n  blocked_tools: ['read*|']"),
    (
        "sidecar:\n  deny_mutations:\n    - |",
        "new rule",
        'sidecar:\n  deny_mutations:\n    - path_glob: "|"\n      reason: ',
    ),
]


@pytest.mark.parametrize(("text", "label", "after"), EDITS)
def test_a_proposal_is_written_where_it_belongs(text: str, label: str, after: str) -> None:
    assert completed(text, label) == after


@pytest.mark.parametrize(("text", "label", "after"), POLICY_EDITS)
def test_a_proposal_of_the_policy_is_written_where_it_belongs(
    text: str, label: str, after: str
) -> None:
    assert completed(text, label, POLICY_FILE) == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"{A}  - |", f"{A}  - id: |INT-007\n    {SKELETON}"),
        (f"{A}|", f"{A}  - id: |INT-007\n    {SKELETON}"),
        ("\ufeff- |", "\ufeff- id: |INT-007\n  " + SKELETON.replace("\n    ", "\n  ")),
        (f"{A}  |", f"{A}  - id: |INT-007\n    {SKELETON}"),
        ("active_intents:\n|", f"active_intents:\n  - id: |INT-007\n    {SKELETON}"),
        (
            "active_intents:\n- id: A\n- |",
            f"active_intents:\n- id: A\n- id: |INT-007\n{SKELETON}".replace(
                "\n    ", "\n  "
            ).replace("INT-007\nname", "INT-007\n  name"),
        ),
        (
            "active_intents: [|]",
            "active_intents: [{id: |INT-007, " + SKELETON.replace("\n    ", ", ") + "}]",
        ),
    ],
)
def test_a_new_intent_is_proposed_with_the_next_free_id(text: str, after: str) -> None:
    made = completed(text, NEW)
    assert made == after
    read = read_intents(made.replace("|", "").removeprefix("\ufeff"))
    assert read.parsed
    assert "INT-007" in read.intents.by_id


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f"{A}    |", "owned_scope", f"{A}    owned_scope: |"),
        (f"{A}    |", "name", f"{A}    name: |"),
        (f"{A}  - |", NEW, f"{A}  - id: INT-007|"),
        (f"{A}|", NEW, f"{A}  - id: INT-007|"),
        (f"{A}    st|: PLANNED", "status", f"{A}    status|: PLANNED"),
        (f"{A}    status: B|", "BLOCKED", f"{A}    status: BLOCKED|"),
    ],
)
def test_an_editor_without_snippets_gets_one_line(text: str, label: str, after: str) -> None:
    assert completed(text, label, snippets=False) == after


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        (f"{A}    st|ate: x", "status", f"{A}    status|: x"),
        (f"{A}    status: PL|AN # said", "BLOCKED", f"{A}    status: BLOCKED| # said"),
        (f"{A}    status: 'PL|AN'", "BLOCKED", f"{A}    status: 'BLOCKED|'"),
        ("[{id: A, st|ate: x}]", "status", "[{id: A, status|: x}]"),
        ("[{id: A, status: PL|AN, name: x}]", "BLOCKED", "[{id: A, status: BLOCKED|, name: x}]"),
    ],
)
def test_the_rest_of_the_word_is_replaced_on_demand(text: str, label: str, after: str) -> None:
    assert completed(text, label, replace=True) == after


def test_every_key_that_the_reader_knows_is_proposed_in_the_order_of_the_normal_form() -> None:
    assert list(ENTRY.texts)[:3] == ["id", "name", "status"]
    assert set(ENTRY.texts) == set(ENTRY_KEYS.known)
    for key in SIDECAR.texts:
        assert not read_policy(f"sidecar:\n  {key}: null\n").findings


def test_every_proposal_for_a_key_or_a_word_has_a_text_about_it() -> None:
    cases = [(text, INTENTS_FILE) for text in LABELS] + [(t, POLICY_FILE) for t in POLICY_LABELS]
    named = [proposal for text, file in cases for proposal in offered(text, file)]
    for proposal in named:
        if proposal.kind.value == "key":
            assert proposal.about is not None, proposal
        if proposal.about is not None:
            text = text_about(proposal.about)
            assert text is not None
            assert text.description
    assert {proposal.about.table for proposal in named if proposal.about} == set(TABLES)


@pytest.mark.parametrize("text", LABELS)
def test_a_value_that_is_accepted_gives_the_file_no_new_finding(text: str) -> None:
    before = {found.code for found in read_intents(text.replace("|", "")).findings}
    for proposal in offered(text):
        if proposal.kind.value in ("word", "name", "date"):
            made = accepted(text, proposal).replace("|", "")
            assert {found.code for found in read_intents(made).findings} <= before, made


@given(
    text=st.lists(
        st.sampled_from(
            [
                "active_intents:",
                "  - id: A",
                "    ",
                "- ",
                "status: ",
                "[",
                "{",
                '"',
                "\n",
                "}",
                "]",
            ]
        ),
        max_size=20,
    ).map("".join),
    line=st.integers(0, 8),
    character=st.integers(0, 30),
    file=st.sampled_from([INTENTS_FILE, POLICY_FILE]),
)
def test_no_text_raises_and_each_edit_holds_the_cursor(
    text: str, line: int, character: int, file: WorkspacePath
) -> None:
    lines = split_lines(text)
    place = place_at(file, lines, Position(line, character))
    for proposal in [] if place is None else proposals(place, lines, OFFERS):
        written = proposal.written
        assert 0 <= written.start <= character
        assert "\n" not in written.text
        assert proposal.label
