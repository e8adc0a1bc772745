"""Names in a sentence: which intents own a path and are open."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.gate.words import open_owners
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import Ownership

PATH = WorkspacePath("src/a.py")
NAMES = [IntentId(f"INT-{number}") for number in range(6)]


@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(Status)),
    st.lists(st.sampled_from(NAMES)),
)
def test_the_open_owners_are_those_that_no_closed_intent_names(
    statuses: dict[IntentId, Status], owning: Sequence[IntentId]
) -> None:
    intents = Intents(tuple(Intent(id=name, status=status) for name, status in statuses.items()))
    told = tuple(Ownership(name, "src/**") for name in owning)
    closed = {intent.id for intent in intents if intent.status.closed}
    wanted = [name for name in dict.fromkeys(owning) if name not in closed]
    assert open_owners(intents, lambda _path: told, PATH) == tuple(wanted)
