"""The server's own edits of the intents file, as against rules (requirements section 3)."""

import pytest

from intent_lsp.governance.judging.restoring_edits import only_bookkeeping
from tests.governance.editor import INTENTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("status: PLANNED", "status: IN_PROGRESS"),
        ("2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"),
        ("    name: Docs\n", "    name: Docs\n    recent_history: [PRE_HOOK Write]\n"),
        ("# What we are at.\n", ""),
        ("", ""),
    ],
)
def test_what_we_write_of_ourselves_is_bookkeeping(old: str, new: str) -> None:
    after = INTENTS.replace(old, new) if old else INTENTS
    assert only_bookkeeping(INTENTS.encode(), after.encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"docs/**"', '"**"'),
        ("INT-002", "INT-005"),
        ("name: Docs", "name: Other"),
        ("British spelling", "none"),
        ("aliases: [INT-OLD]", "aliases: []"),
        ("  - id: INT-002", "  - {id: INT-9}\n  - id: INT-002"),
        ("active_intents:", "active_intents: ["),
    ],
)
def test_other_rules_are_none(old: str, new: str) -> None:
    after = INTENTS.replace(old, new)
    assert after != INTENTS
    assert not only_bookkeeping(INTENTS.encode(), after.encode())
    assert not only_bookkeeping(after.encode(), INTENTS.encode())


def test_what_cannot_be_read_is_a_change() -> None:
    assert not only_bookkeeping(b"\xff\xfe\xff", b"\xff\xfe\xff")
    assert not only_bookkeeping(b"active_intents: [", b"active_intents: [")
