"""A record in words, as plain text (the facts are tested with `trace show`)."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import split_lines
from intent_lsp.formats.diff import DiffLine, DiffMark
from intent_lsp.formats.ledger.record_words import FactTone, RecordFact, record_text

FACTS = (
    RecordFact("record", "b3c1f0de", FactTone.ID),
    RecordFact("", "INTENT_CHANGED: the intent's text has changed since this record"),
    RecordFact("failed", "no\nnetwork\x1b[31m", FactTone.FAILURE),
)
DIFF = (
    DiffLine(DiffMark.REMOVED, "-- a.py"),
    DiffLine(DiffMark.ADDED, "++ a.py"),
    DiffLine(DiffMark.ADDED, "\tnew"),
)


def test_facts_are_aligned_and_diffs_follow_each_after_an_empty_line() -> None:
    assert record_text(FACTS, [DIFF, DIFF[:2]]) == (
        "record  b3c1f0de\n"
        "        INTENT_CHANGED: the intent's text has changed since this record\n"
        r"failed  no\nnetwork\x1b[31m" + "\n"
        "\n--- a.py\n+++ a.py\n+\tnew\n"
        "\n--- a.py\n+++ a.py\n"
    )


def test_a_record_without_facts_is_an_empty_text() -> None:
    assert record_text((), ()) == ""


TEXTS = st.text(max_size=20)


@given(st.lists(st.builds(RecordFact, st.sampled_from(["", "file"]), TEXTS), max_size=5))
def test_each_fact_is_one_line(facts: Sequence[RecordFact]) -> None:
    assert len(split_lines(record_text(facts, ()))) == len(facts)
