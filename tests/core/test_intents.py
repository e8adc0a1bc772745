"""Intents: which are closed, and how they are found."""

import pytest

from intent_lsp.core.intents import Intent, IntentId, Intents, Status


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
    for found in (intents.get, intents.by_id().get):
        assert found("INT-1") == found("INT-0") == intents.items[0]
        assert found("INT-3") == intents.items[1]
        assert found("INT-4") is None


def test_an_id_in_use_is_nobodys_earlier_id() -> None:
    intents = Intents((_intent("INT-2", "INT-1"), _intent("INT-1"), _intent("INT-3", "INT-1")))
    assert intents.get("INT-1") == intents.by_id()["INT-1"] == intents.items[1]


def test_an_earlier_id_of_two_is_the_firsts() -> None:
    intents = Intents((_intent("INT-2", "INT-1"), _intent("INT-3", "INT-1")))
    assert intents.get("INT-1") == intents.by_id()["INT-1"] == intents.items[0]


def test_intents_are_counted_and_walked_in_file_order() -> None:
    intents = Intents((_intent("B"), _intent("A")))
    assert len(intents) == 2
    assert [intent.id for intent in intents] == ["B", "A"]
