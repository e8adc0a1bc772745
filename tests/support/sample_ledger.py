"""A ledger as a team could have it after two weeks, the same in every run."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Event,
    MutationClass,
    Range,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.store.ledger.ledger import Ledger

BEGIN = datetime(2026, 10, 26, 8, 12, 5, 480000, tzinfo=UTC)
INTENTS = """\
active_intents:
  - {id: INT-001, name: Login by token, status: IN_PROGRESS, owned_scope: ["src/auth/**"]}
  - {id: INT-002, name: Invoices as PDF, status: IN_PROGRESS, owned_scope: ["src/billing/**"]}
  - {id: INT-003, name: Faster search, status: COMPLETED, owned_scope: ["src/search/**"]}
"""
_OWNED = {
    "INT-001": ("src/auth/jwt.ts", "src/auth/middleware.ts", "src/auth/session.ts"),
    "INT-002": ("src/billing/invoice.py", "src/billing/pdf.py", "src/billing/größe.py"),
    "INT-003": ("src/search/index.rs", "src/search/rank.rs", "docs/search.md"),
    "INT-007": ("scripts/release.sh", "infra/main.tf"),
}
_AUTHORS = (
    Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
    Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
    Contributor(EntityType.AI, "openai/gpt-5"),
    Contributor(EntityType.HUMAN, "human"),
    Contributor(EntityType.MIXED, "anthropic/claude-opus-4-5"),
)


def sample_ledger(root: Path, edits: int) -> None:
    """Make a governed directory with a ledger of this many edits."""
    file = root / INTENTS_FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(INTENTS, encoding="utf-8")
    dice = random.Random(7)  # noqa: S311 -- sample data, no secret
    moments = _moments(dice)
    ids = (f"{dice.getrandbits(32):08x}-0000-4000-8000-{n:012x}" for n in range(edits))
    ledger = Ledger(root, lambda: next(moments), lambda: next(ids))
    for _ in range(edits):
        ledger.append(_event(dice))
    ledger.close()


def _moments(dice: random.Random) -> Iterator[datetime]:
    """Yield times in working hours: bursts of edits, none in the evening or on a weekend."""
    moment = BEGIN
    while True:
        yield moment
        moment += timedelta(seconds=dice.choice((20, 40, 90, 200, 900, 5400)))
        if moment.hour >= 18:
            moment = moment.replace(hour=8) + timedelta(days=3 if moment.weekday() == 4 else 1)


def _event(dice: random.Random) -> Event:
    intent = dice.choice(("INT-001", "INT-001", "INT-001", "INT-002", "INT-002", "INT-003", None))
    owned = _OWNED[intent or "INT-007"]
    strays = dice.random() < 0.06
    path = "README.md" if strays else dice.choice(owned)
    verdict = ScopeValidation.FAIL if strays else ScopeValidation.PASS
    if intent is None and not strays:
        verdict = ScopeValidation.EXEMPT
    author = dice.choice(_AUTHORS)
    fails = dice.random() < 0.03
    return Event(
        intent_id=intent,
        session_id=f"session-{dice.randrange(9)}",
        tool_name="editor/save" if author.entity_type is EntityType.HUMAN else "write_to_file",
        mutation_class=MutationClass.INTENT_EVOLUTION,
        inferred=author.entity_type is EntityType.HUMAN,
        scope_validation=verdict,
        success=not fails,
        error="the file changed since it was read" if fails else None,
        vcs=Vcs("a3c56b05b2766f6ce3795558307cdc8fdf46391a"),
        files=(_file(dice, path, author, intent, changed=not fails),),
    )


def _file(
    dice: random.Random, path: str, author: Contributor, intent: str | None, *, changed: bool
) -> RecordFile:
    first, added = dice.randrange(1, 200), dice.randrange(1, 40)
    removed = dice.randrange(added + 1)
    run = Range(
        start_line=first,
        end_line=first + added - 1,
        content_hash=hash_content(str(first).encode()),
        replaced=(first, removed, added),
    )
    talk = Conversation(
        url="https://agents.example.org/c/1",
        contributor=author,
        ranges=(run,) if changed else (),
        related=(RelatedEntry("specification", intent),) if intent else (),
    )
    return RecordFile(
        relative_path=path,
        pre_hash=hash_content(f"{path}{first}".encode()),
        post_hash=hash_content(f"{path}{added}".encode()),
        conversations=(talk,),
    )
