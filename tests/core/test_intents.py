"""Intents: which are closed, and how they are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.intents import Intent, IntentId, Intents, Status

IDS = st.sampled_from(["INT-1", "INT-2", "INT-3", "INT-4"])


def _intent(intent_id: str, *aliases: str) -> Intent:
    return Intent(id=IntentId(intent_id), aliases=aliases)


@pytest.mark.parametrize(
    ("status", "closed"),
    [
        (Status.PLANNED, False),
        (Status.IN_PROGRESS, False),
        (Status.BLOCKED, False),
        (Status.COMPLETED, True),
        (Status.ABANDONED, True),
        (Status.ARCHIVED, True),
    ],
)
def test_work_ends_with_some_statuses(status: Status, *, closed: bool) -> None:
    assert status.closed is closed


def test_an_intent_is_found_by_its_earlier_id() -> None:
    intents = Intents((_intent("INT-2", "INT-1", "INT-0"), _intent("INT-3")))
    for found in (intents.get, intents.by_id.get):
        assert found("INT-1") == found("INT-0") == intents.items[0]
        assert found("INT-3") == intents.items[1]
        assert found("INT-4") is None


def test_an_id_in_use_is_nobodys_earlier_id() -> None:
    intents = Intents((_intent("INT-2", "INT-1"), _intent("INT-1"), _intent("INT-3", "INT-1")))
    assert intents.get("INT-1") == intents.by_id["INT-1"] == intents.items[1]


def test_an_earlier_id_of_two_is_the_firsts() -> None:
    intents = Intents((_intent("INT-2", "INT-1"), _intent("INT-3", "INT-1")))
    assert intents.get("INT-1") == intents.by_id["INT-1"] == intents.items[0]


def test_intents_are_counted_and_walked_in_file_order() -> None:
    intents = Intents((_intent("B"), _intent("A")))
    assert len(intents) == 2
    assert [intent.id for intent in intents] == ["B", "A"]


@given(st.lists(st.tuples(IDS, st.lists(IDS, max_size=3)), unique_by=lambda each: each[0]), IDS)
def test_an_id_comes_before_an_earlier_id_and_file_order_decides_between_those(
    written: list[tuple[str, list[str]]], wanted: str
) -> None:
    intents = Intents(tuple(_intent(name, *aliases) for name, aliases in written))
    by_name = (intent for intent in intents if intent.id == wanted)
    by_alias = (intent for intent in intents if wanted in intent.aliases)
    assert intents.get(wanted) == next(by_name, next(by_alias, None))


def test_what_is_found_quickly_is_no_part_of_the_value() -> None:
    one, same = Intents((_intent("A"),)), Intents((_intent("A"),))
    assert one == same
    assert hash(one) == hash(same)
    assert repr(one) == f"Intents(items=({one.items[0]!r},))"
    grown = replace(one, items=(*one.items, _intent("B", "A0")))
    assert grown != one
    assert grown.get("A0") == grown.get("B") == grown.items[1]
    assert one.get("B") is None
