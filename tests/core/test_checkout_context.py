"""The checkout context within its budget (requirements section 11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.checkout_context import (
    BUDGET,
    IntentContext,
    RelatedFile,
    within_budget,
)
from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Integrity, MutationClass, Record, RecordFile, ScopeValidation
from intent_lsp.formats.intents.context_xml import context_text

SMALL = Intent(id=IntentId("INT-1"), name="One", owned_scope=("src/**",))


def record(number: int, path: str = "src/a.py") -> Record:
    """Give the record of one save."""
    return Record(
        session_id="s",
        tool_name="editor/save",
        mutation_class=MutationClass.INTENT_EVOLUTION,
        scope_validation=ScopeValidation.PASS,
        files=(RecordFile(relative_path=path, pre_hash=None, post_hash=EMPTY_HASH),),
        id=f"id-{number}",
        timestamp="2026-02-16T12:00:00.000Z",
        integrity=Integrity(prev_record_hash=None, record_hash=EMPTY_HASH),
    )


def _whole(size: int, *, each: int = 20) -> IntentContext:
    """Give a context of which every value has `size` characters."""
    filler = "x" * size
    return IntentContext(
        intent=replace(
            SMALL,
            acceptance_criteria=tuple(f"A{n}{filler}" for n in range(each)),
            constraints=tuple(f"C{n}{filler}" for n in range(each)),
            recent_history=tuple(f"H{n}{filler}" for n in range(each)),
        ),
        architectural_constraints=tuple(f"T{n}{filler}" for n in range(each)),
        related_files=tuple(
            RelatedFile(WorkspacePath(f"F{n}{filler}"), None, "") for n in range(each)
        ),
        recent_records=tuple(record(n, f"R{n}{filler}") for n in range(each)),
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _kept(context: IntentContext) -> tuple[int, ...]:
    return (
        len(context.recent_records),
        len(context.related_files),
        len(context.intent.recent_history),
        len(context.intent.acceptance_criteria),
        len(context.intent.constraints),
        len(context.architectural_constraints),
    )


def test_what_fits_is_told_whole() -> None:
    whole = _whole(1, each=3)
    context, text = within_budget(whole, context_text)
    assert context == whole
    assert text == context_text(whole)
    assert "<truncated></truncated>" in text


@pytest.mark.parametrize("size", [100, 200, 400, 1000, 5000])
def test_kinds_are_dropped_in_order_and_each_from_its_end(size: int) -> None:
    whole = _whole(size)
    context, text = within_budget(whole, context_text)
    assert _size(text) <= BUDGET
    kept = _kept(context)
    first_kept = next((place for place, count in enumerate(kept) if count), len(kept))
    # Before the first kind of which something is left all is dropped, after it nothing is.
    assert not any(kept[:first_kept])
    assert all(count == 20 for count in kept[first_kept + 1 :])
    for count, have, had in zip(
        kept,
        (context.recent_records, context.related_files, context.intent.recent_history),
        (whole.recent_records, whole.related_files, whole.intent.recent_history),
        strict=False,
    ):
        assert have == had[:count]
    criteria = whole.intent.acceptance_criteria[: kept[3]]
    assert context.intent.acceptance_criteria == criteria


def test_what_was_dropped_is_said() -> None:
    context, text = within_budget(_whole(200), context_text)
    assert context.truncated == (
        "recent_records: 20 of 20 left out to save space",
        "related_files: 20 of 20 left out to save space",
        f"recent_history: {20 - len(context.intent.recent_history)} of 20 left out to save space",
    )
    assert f"<truncated>{'; '.join(context.truncated)}</truncated>" in text


def test_the_oldest_records_go_first() -> None:
    whole = IntentContext(
        intent=SMALL, recent_records=tuple(record(n, f"{n}" + "x" * 1000) for n in range(20))
    )
    context, text = within_budget(whole, context_text)
    assert context.recent_records == whole.recent_records[: len(context.recent_records)]
    assert 10 < len(context.recent_records) < 20
    one_more = replace(
        context, recent_records=whole.recent_records[: len(context.recent_records) + 1]
    )
    assert _size(text) <= BUDGET < _size(context_text(one_more))


def test_a_very_long_scope_is_cut_last_with_a_count() -> None:
    scope = tuple(f"src/{n}/**" for n in range(1000))
    intent = replace(_whole(500).intent, owned_scope=scope)
    context, text = within_budget(replace(_whole(500), intent=intent), context_text)
    assert _kept(context) == (0, 0, 0, 0, 0, 0)
    kept = context.intent.owned_scope
    assert 100 < len(kept) < 1000
    assert kept == scope[: len(kept)]
    assert context.intent.name == intent.name
    assert context.truncated[6:] == (
        f"owned_scope: {1000 - len(kept)} of 1000 left out to save space",
    )
    assert _size(text) <= BUDGET
    assert f"{context.truncated[6]}</truncated>" in text


def test_a_name_is_cut_where_it_alone_is_too_long() -> None:
    intent = replace(SMALL, name="n" * 2 * BUDGET, owned_scope=("src/**",))
    context, text = within_budget(IntentContext(intent=intent), context_text)
    assert context.intent.id == intent.id
    assert context.intent.name == "n" * len(context.intent.name)
    assert BUDGET - 300 < _size(text) <= BUDGET


VALUES = st.text(
    st.one_of(st.sampled_from('<>&"é\U0001f600\ud800\n\r'), st.characters()), max_size=6
)


@given(
    base=st.lists(VALUES, min_size=4, max_size=4),
    copies=st.integers(0, 60),
    width=st.integers(1, 2000),
)
def test_a_context_fits_whatever_its_intent_says(base: list[str], copies: int, width: int) -> None:
    """Long where processors are shared: an example has megabytes of text before it is cut."""
    one, two, three, four = (value * width for value in base)
    whole = IntentContext(
        intent=replace(
            SMALL,
            name=one,
            owned_scope=(two,) * copies,
            constraints=(one,) * copies,
            acceptance_criteria=(two,) * copies,
            recent_history=(one,) * copies,
        ),
        architectural_constraints=(three,) * 3,
        related_files=(RelatedFile(WorkspacePath(four), EMPTY_HASH, ""),) * copies,
        recent_records=tuple(record(n, two) for n in range(min(copies, 20))),
    )
    context, text = within_budget(whole, context_text)
    assert text == context_text(context)
    assert _size(text) <= BUDGET
    assert bool(context.truncated) == (context != whole)
