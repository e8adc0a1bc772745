"""The smallest edit that sets a status."""

import pytest

from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.core.intents import Status
from intent_lsp.formats.intents.edit import EditRefused, apply_changes, set_status

NOW = "2027-01-01T00:00:00Z"

EDITS = [
    ("- id: A\n  status: PLANNED # c\n", "- id: A\n  status: COMPLETED # c\n"),
    ("- id: A\n  status: 'draft'\n", "- id: A\n  status: 'COMPLETED'\n"),
    ('- {id: A, "status": "active"}\n', '- {id: A, "status": "COMPLETED"}\n'),
    ("- id: A\n  status:\n  x: 1\n", "- id: A\n  status: COMPLETED\n  x: 1\n"),
    ("- id: A\n  status: # todo\n", "- id: A\n  status: COMPLETED # todo\n"),
    ("- {id: A, status: , x: 1}\n", "- {id: A, status: COMPLETED, x: 1}\n"),
    ("- id: A\n  status: !!str PLANNED\n", "- id: A\n  status: !!str COMPLETED\n"),
    ("- id: A\n  name: N # c\n  x: 1\n", "- id: A\n  name: N # c\n  status: COMPLETED\n  x: 1\n"),
    ("- id: A\n  x: 1\n", "- id: A\n  status: COMPLETED\n  x: 1\n"),
    ("- id: A", "- id: A\n  status: COMPLETED"),
    ("-   id: A\r\n    x: 1\r\n", "-   id: A\r\n    status: COMPLETED\r\n    x: 1\r\n"),
    ("- x: 1\r\n  id: A", "- x: 1\r\n  id: A\r\n  status: COMPLETED"),
    (
        "- name: |\n    long\n\n    name\n  id: A\n",
        "- name: |\n    long\n\n    name\n  status: COMPLETED\n  id: A\n",
    ),
    ("- id: A\n  name:\n  x: 1\n", "- id: A\n  name:\n  status: COMPLETED\n  x: 1\n"),
    ("- id: A\n  name: two\n    lines\n", "- id: A\n  name: two\n    lines\n  status: COMPLETED\n"),
    ("- id: B\r\n- id: A", "- id: B\r\n- id: A\r\n  status: COMPLETED"),
    ("[{id: A, x: 1}]", "[{id: A, status: COMPLETED, x: 1}]"),
    ('[{"name": "N", "id": "A"}]', '[{"name": "N", "status": "COMPLETED", "id": "A"}]'),
    ("A:\n  x: 1\n", "A:\n  status: COMPLETED\n  x: 1\n"),
    ("A: {x: 1}\n", "A: {status: COMPLETED, x: 1}\n"),
    (
        "- id: B\n  x: &a 1\n- id: A\n  y: *a\n",
        "- id: B\n  x: &a 1\n- id: A\n  status: COMPLETED\n  y: *a\n",
    ),
    (
        "- id: A\n  updatedAt: 2026-01-01\n  status: x\n",
        f"- id: A\n  updatedAt: {NOW}\n  status: COMPLETED\n",
    ),
    (
        "- id: A\n  status: x\n  updated_at: '2026'\n- id: B\n  updated_at: '2026'\n",
        f"- id: A\n  status: COMPLETED\n  updated_at: '{NOW}'\n- id: B\n  updated_at: '2026'\n",
    ),
    (
        "- id: A\n  status: x\n  updated_at:\n",
        f"- id: A\n  status: COMPLETED\n  updated_at: {NOW}\n",
    ),
    (
        "- id: B\n  owned_scope: [*]\n- id: A\n  scope:\n      - *.py\n",
        "- id: B\n  owned_scope: [*]\n- id: A\n  status: COMPLETED\n  scope:\n      - *.py\n",
    ),
    (
        "- id: A\n  status: DONE\n  updated_at: '1'\n",
        "- id: A\n  status: DONE\n  updated_at: '1'\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), EDITS)
def test_every_byte_but_the_value_stays(before: str, after: str) -> None:
    changes = set_status(before, "A", Status.COMPLETED, NOW)
    assert not isinstance(changes, EditRefused), changes
    assert apply_changes(before, changes) == after


REFUSED = [
    ("- id: B\n", "the file has no intent A"),
    ("a: [", "cannot be parsed"),
    ("- id: B\n  x: &s PLANNED\n- id: A\n  status: *s\n", "alias"),
    ("- id: A\n  status: [x]\n", "is a YAML alias, a list or a mapping"),
    ("- id: A\n  status: &s PLANNED\n", "anchor"),
    ("- id: A\n  status: |\n    PLANNED\n", "block of text"),
    ("- id: A\n  updated_at: {x: 1}\n", "`updated_at`"),
    ("- id: A\n  status: PLANNED\n  updated_at: >\n    x\n", "`updated_at`"),
    ("x: &e {id: A}\nactive_intents: [*e]\n", "the intent is a YAML alias"),
    ("- ? id\n  : A\n", "found no edit"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_cannot_be_edited_safely_is_refused(text: str, reason: str) -> None:
    refused = set_status(text, "A", Status.COMPLETED, NOW)
    assert isinstance(refused, EditRefused), refused
    assert reason in refused.reason


def test_changes_past_the_end_are_drawn_to_it() -> None:
    span = Span(Position(5, 0), Position(9, 9))
    assert apply_changes("a\n", (TextChange(span, "b"),)) == "a\nb"


def test_an_entry_in_the_middle_of_a_file_is_changed_at_its_place() -> None:
    text = "active_intents:\n" + "".join(f"- id: I{n}\n  status: PLANNED\n" for n in range(300))
    changes = set_status(text, "I150", Status.ARCHIVED, NOW)
    assert not isinstance(changes, EditRefused)
    assert [change.span.start.line for change in changes] == [302]
