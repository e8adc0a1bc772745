"""The hash of what an intent said (ledger section 1)."""

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.formats.intents.intent_json import intent_hash

AUTH = Intent(
    id=IntentId("INT-001"),
    name="Auth",
    owned_scope=("src/auth/**",),
    constraints=("No external providers",),
    acceptance_criteria=("Tests pass",),
)
WORDS = st.lists(st.text(max_size=6), max_size=3).map(tuple)


@given(st.text(max_size=6), WORDS, WORDS, WORDS)
def test_it_is_the_hash_of_the_canonical_form(
    intent_id: str, scope: tuple[str, ...], constraints: tuple[str, ...], criteria: tuple[str, ...]
) -> None:
    said = {
        "id": intent_id,
        "owned_scope": list(scope),
        "constraints": list(constraints),
        "acceptance_criteria": list(criteria),
    }
    intent = Intent(
        id=IntentId(intent_id),
        owned_scope=scope,
        constraints=constraints,
        acceptance_criteria=criteria,
    )
    assert intent_hash(intent) == hash_content(rfc8785.dumps(said))


@pytest.mark.parametrize(
    "changed",
    [
        replace(AUTH, id=IntentId("INT-002")),
        replace(AUTH, owned_scope=("src/**",)),
        replace(AUTH, constraints=()),
        replace(AUTH, acceptance_criteria=("Tests pass", "Docs")),
    ],
)
def test_it_follows_what_the_intent_says(changed: Intent) -> None:
    assert intent_hash(changed) != intent_hash(AUTH)


@pytest.mark.parametrize(
    "changed",
    [
        replace(AUTH, name="Other"),
        replace(AUTH, status=Status.BLOCKED),
        replace(AUTH, recent_history=("x",), updated_at="2026", related_files=("a",)),
    ],
)
def test_it_does_not_follow_how_the_work_goes(changed: Intent) -> None:
    assert intent_hash(changed) == intent_hash(AUTH)
