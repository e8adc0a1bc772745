"""What is accepted from a completion takes nothing from the file that it has already."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.completion.globs import (
    Listed,
    names_proposed,
    segment_at,
    wildcards_proposed,
)
from intent_lsp.formats.intents.completion.place import place_at
from intent_lsp.formats.intents.completion.proposal import Proposal
from intent_lsp.formats.intents.completion.proposals import Offers, proposals
from intent_lsp.formats.intents.intents_file import read_intents
from tests.support.cursor_texts import accepted, labels, marked
from tests.support.intents_dialects import DIALECTS

OFFERS = Offers(new_id=lambda: "INT-900", now="2026-02-16T12:00:00.000Z", tools=("Bash",))
LISTED = Listed(directories=("src", "[x]"), files=("a.py", "it's.md", "login.py"))
A = "active_intents:\n  - id: INT-001\n"
NEW = "new intent INT-900"


def offered(text: str) -> list[Proposal]:
    """Return what is proposed at the mark in a text of the intents file."""
    lines, position = marked(text)
    place = place_at(INTENTS_FILE, lines, position)
    if place is None:
        return []
    segment = segment_at(place)
    found = proposals(place, lines, OFFERS)
    if segment is not None and segment.directory is not None:
        found += names_proposed(place, segment, LISTED)
        found += wildcards_proposed(place, segment, LISTED.files)
    return found


NOTHING = [
    "active_intents:\n  - id: A\n|\n    name: x\n    owned_scope: [src/**]",
    "active_intents:\n|\n- id: A",
    "active_intents:\n  |\n- id: A",
    "active_intents:\n    |\n  - id: A",
    "active_intents:\n|\n  - id: A",
    "intents:\n|\n  A:\n    name: x",
    f"{A}    owned_scope:\n    |\n      - src/**",
    f"{A}    owned_scope:\n    |\n    - src/**",
    f"{A}    owned_scope:\n    - a\n    |\n    - src/**",
    f"{A}    owned_scope: |\n      - docs/**",
    f"{A}    owned_scope: |\n    - docs/**",
    f"{A}    owned_scope: |\n      # said\n\n      - docs/**",
    f"{A}    status: |\n      PLANNED",
    f"{A}    owned_scope:\n        |\n      - src/**",
    f"{A}    owned_scope:\n      |\n        - src/**",
    f"{A}    owned_scope:\n      - |\n        src/**",
    f"{A}    owned_scope:\n      - s|\n        rc",
    " |\nactive_intents:\n",
    "  |\nactive_intents: []\n",
    "  |\n- id: A\n",
    " |\n{}\n",
    "A:\n  name: x\n  owned_scope: [src/**]\nB:\n  owned_scope: [docs/**]\n|",
    "|\nA: {owned_scope: [docs/**]}\n",
    "A: &a\n  owned_scope: [docs/**]\n|\nB: *a\n",
    "A|:\n  owned_scope: [docs/**]\n",
    '{"A": {"owned_scope": []}, |}',
    '{|, "A": {"owned_scope": []}}',
    "active_intent:\n  owned_scope: [docs/**]\n|",
    "active_intents:\n  A:\n    name: x\n|",
    "- id: A\n  owned_scope: [src/**]\n|",
    "- id: A\n  owned_scope: [src/**]\nact|",
    "- id: A\n|\n- id: B\n",
    '{"a": {}}\n|',
    '{"a": {}}\nact|',
    "[]\n  |",
    "|\n[]",
    f"{A}  - i|d: B",
    f"{A}  - |id: B",
    "active|_intents: []",
    '[|{"id": "A"}]',
    '[{"id": "A", "owned_scope": |["src/**"]}]',
    '[{"id": "A", "status":| "PLANNED"}]',
    '[{|\n"id": "A"}]',
    '[{"id": "A",\n|\n"name": "x"}]',
    "[{id: A, owned_scope: [s|\nb]}]",
    "[{id: A, owned_scope: ['s|\nb']}]",
    f"{A}    status: &s|",
    f"{A}    status: &|s PLANNED",
    f"{A}    status: |&s PLANNED",
    f"{A}    owned_scope: &s| [src/**]",
    f"{A}    owned_scope: [&s s|]",
    f"{A}    owned_scope: [&s|]",
    f"{A}    owned_scope:\n      &s |",
    f"{A}  - !!m|ap",
    f"{A}  - &b |",
    f"{A}    name: 'a\n    |\n      b'",
    f"{A}    name: 'a\n    |\n    b: c'",
    f"{A}    name: 'a\n    b|'\n    status: PLANNED",
    f"{A}    name: 'a\n    b'|\n",
    f"{A}    name: >\n      a\n\n    |\n\n      b\n",
    f"{A}    owned_scope: [\n    src/**\n    ]|\n",
    f"{A}    owned_scope: [\n    src/**\n    |]\n",
    f"{A}    owned_scope: [\n  |\n]\n",
    "active_intents:\n  - {\n|\n'id': A}\n",
    f"{A}    owned_scope: s|rc/x",
    f"{A}    owned_scope: |src/x",
    f"{A}    owned_scope:\n      - |src/x",
    f"{A}    status: |# c",
    f"{A}    created_at: |2026-01-01",
    "active_intents: [i|d]",
    '[{"id": "A", st|atus}]',
]


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_offered_where_the_lines_around_leave_no_room(text: str) -> None:
    assert labels(offered(text)) == []


EDITS = [
    (f"{A}    status: &s |", "PLANNED", f"{A}    status: &s PLANNED|"),
    (f"{A}    status: !!str PL|", "PLANNED", f"{A}    status: !!str PLANNED|"),
    (f"{A}    status: &s !!str |", "PLANNED", f"{A}    status: &s !!str PLANNED|"),
    (f"{A}    owned_scope: &s |", "a.py", f'{A}    owned_scope: &s ["a.py"]|'),
    (f"{A}    owned_scope: &s [|]", "a.py", f'{A}    owned_scope: &s ["a.py"|]'),
    (f"{A}    owned_scope: &s [\n      |]", "a.py", f'{A}    owned_scope: &s [\n      "a.py"|]'),
    (f"{A}    owned_scope:\n      - &g s|", "src/", f"{A}    owned_scope:\n      - &g src/|"),
    (f"{A}    own|\n      - a", "owned_scope", f"{A}    owned_scope:|\n      - a"),
    (f"{A}    own|\n    - a", "owned_scope", f"{A}    owned_scope:|\n    - a"),
    (f"{A}    sc|\n      paths: []", "name", f"{A}    name:|\n      paths: []"),
    (f"{A}    |: x", "name", f"{A}    name|: x"),
    (f"{A}    |:\n      - a", "owned_scope", f"{A}    owned_scope|:\n      - a"),
    (f"{A}    |:", "name", f"{A}    name|:"),
    (f"{A}  - |: x", "id", f"{A}  - id|: x"),
    (
        f"{A}    owned_scope: [\n    src/**,\n    |\n    ]\n    name: x\n",
        "a.py",
        f'{A}    owned_scope: [\n    src/**,\n    "a.py"|\n    ]\n    name: x\n',
    ),
    (
        f"{A}    owned_scope: [\n    src/**,\n    s|\n    ]\n    name: x\n",
        "src/",
        f"{A}    owned_scope: [\n    src/**,\n    src/|\n    ]\n    name: x\n",
    ),
    (
        f"{A}    owned_scope: [src/**,\n    |\n    name: x\n",
        "status",
        f"{A}    owned_scope: [src/**,\n    status: |PLANNED\n    name: x\n",
    ),
    (f"{A}    owned_scope:\n      - !s|", "src/", f'{A}    owned_scope:\n      - "!src/|"'),
]


def test_no_quote_is_closed_before_the_rest_of_a_word() -> None:
    text = f"{A}    owned_scope:\n      - src/|login.py"
    assert labels(offered(text)) == ["src/", "a.py", "login.py"]
    assert "**" in labels(offered(text.replace("login.py", "")))


@pytest.mark.parametrize(("text", "label", "after"), EDITS)
def test_what_stands_beside_the_word_is_kept(text: str, label: str, after: str) -> None:
    chosen = {each.label: each for each in offered(text)}
    assert accepted(text, chosen[label]) == after


@pytest.mark.parametrize(
    "text",
    [
        "active_intent: X\n|",
        "|\nversion: 1\n",
        '{"active_intent": "X", |}',
        '{|, "active_intent": "X"}',
        "---\n|",
        "# said\n|\n# more",
    ],
)
def test_the_key_of_the_list_is_offered_beside_keys_with_single_values(text: str) -> None:
    assert labels(offered(text)) == ["active_intents"]


@pytest.mark.parametrize(
    "text",
    [
        "active_intents:\n  |\n  - id: A\n",
        "active_intents:\n- id: A\n|\n- id: B\n",
        "active_intents:\n  - id: A\n  |\n  - id: B\n",
        "active_intents:\n|\nother: x\n",
    ],
)
def test_a_new_intent_is_offered_in_the_column_of_the_others(text: str) -> None:
    assert labels(offered(text)) == [NEW]
    (new,) = offered(text)
    made = read_intents(accepted(text, new).replace("|", ""))
    assert made.parsed
    assert len(made.intents.by_id) == text.count("id:") + 1


def ids(text: str) -> int:
    """Return how many intents a text has, or -1 if it cannot be parsed."""
    read = read_intents(text)
    return len(read.intents) if read.parsed else -1


@given(
    base=st.sampled_from(DIALECTS),
    at=st.integers(0, 400),
    blank=st.none() | st.integers(0, 12),
    snippets=st.booleans(),
    replace=st.booleans(),
)
def test_accepting_a_proposal_removes_no_intent_and_never_makes_the_file_unparsable(
    *, base: str, at: int, blank: int | None, snippets: bool, replace: bool
) -> None:
    """Ask in any column of any line, and on a blank line of any width between two lines."""
    at %= len(base) + 1
    if blank is not None:
        at = base.rfind("\n", 0, at) + 1
        base = f"{base[:at]}{' ' * blank}\n{base[at:]}"
        at += blank
    text, before = f"{base[:at]}|{base[at:]}", ids(base)
    assume(before >= 0)
    for proposal in offered(text):
        made = accepted(text, proposal, snippets=snippets, replace=replace).replace("|", "")
        assert ids(made) >= before, (proposal.label, made)
