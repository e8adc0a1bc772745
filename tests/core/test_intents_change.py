"""Changes of the intents file that the server makes in an agent's name."""

import pytest
from msgspec.structs import replace

from intent_lsp.core.check.authorship import only_by_server
from intent_lsp.core.intents import Intent, IntentId, Intents, Status

LOGIN = Intent(id=IntentId("INT-001"), owned_scope=("src/auth/**",), status=Status.IN_PROGRESS)
BILLING = Intent(id=IntentId("INT-002"), owned_scope=("src/billing/**",))


def changed(*, granted: tuple[str, ...] = (), **fields: object) -> bool:
    after = replace(LOGIN, **fields)
    before = Intents((LOGIN, BILLING))
    return only_by_server(before, Intents((after, BILLING)), lambda _: granted)


def test_nothing_and_bookkeeping_are_the_servers() -> None:
    assert changed()
    assert changed(status=Status.COMPLETED, updated_at="2026", recent_history=("x",))


@pytest.mark.parametrize(
    "fields",
    [
        {"status": Status.ARCHIVED},
        {"status": Status.PLANNED},
        {"owned_scope": ("**",)},
        {"owned_scope": ("src/auth/**", "**")},
        {"owned_scope": ()},
        {"name": "Other"},
        {"aliases": ("INT-9",)},
        {"id": IntentId("INT-9")},
        {"constraints": ("none",)},
    ],
)
def test_any_other_rule_is_a_persons(fields: dict[str, object]) -> None:
    assert not changed(**fields)


def test_scope_is_the_servers_where_it_was_granted() -> None:
    assert changed(owned_scope=("src/auth/**", "docs/*"), granted=("docs/*", "x"))
    assert not changed(owned_scope=("docs/*", "src/auth/**"), granted=("docs/*",))
    assert not changed(owned_scope=("src/auth/**", "y"), granted=("docs/*",))


def test_a_planned_intent_begins_and_a_closed_one_stays_closed() -> None:
    planned, closed = (replace(LOGIN, status=each) for each in (Status.PLANNED, Status.COMPLETED))

    def becomes(old: Intent, new: Intent) -> bool:
        return only_by_server(Intents((old,)), Intents((new,)), lambda _: ())

    assert becomes(planned, LOGIN)
    assert not becomes(closed, LOGIN)
    assert becomes(LOGIN, closed)


def test_an_intent_more_or_less_is_a_persons() -> None:
    one, two = Intents((LOGIN,)), Intents((LOGIN, BILLING))
    assert not only_by_server(one, two, lambda _: ())
    assert not only_by_server(two, one, lambda _: ())
