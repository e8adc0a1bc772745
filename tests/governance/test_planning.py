"""Changes of the plan that a person has agreed to: created, completed, granted (protocol 2)."""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.approvals import Grant
from intent_lsp.core.codes import GateCode, RequestCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent, IntentId, Intents, Status, next_id
from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import GRANT_TOOL, MutationClass, Record, ScopeValidation
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Planner, Wish
from intent_lsp.governance.root.intents_writer import UNSAVED, IntentsWriter
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.locks.root_lock import RootLock
from tests.governance.clocks_and_races import Clock, overtake_writes
from tests.governance.editor import INTENTS
from tests.governance.test_calls import Agent
from tests.support import hostile_text, repository
from tests.support.repository import Repository

GUIDE = "docs/guide.md"
STAMP = "2030-01-01T12:00:00.000Z"
PERSON = "a-person"


class PlanningAgent:
    """A governance whose plan is changed at noon, for an agent's session."""

    def __init__(self, root: Repository) -> None:
        self.agent = Agent(root, "builder")
        self.governance: Governance = self.agent.governance
        self.file: Path = root.root / INTENTS_FILE
        self.clock = Clock()
        stores = self.clock.of(self.governance.stores)
        self.writer = IntentsWriter(stores, RootLock(root.root.parent / "intents.lock", 0.05))
        self.planning = Planner(
            stores=stores,
            sessions=self.governance.sessions,
            writer=self.writer,
        )

    def close(self) -> None:
        self.writer.close()
        self.governance.close(None)

    @property
    def session(self) -> Session:
        return self.governance.sessions.of_agent("builder")

    def create(self, *, unsaved_file: bool = False, **plan: object) -> Intent | CheckoutRefusal:
        given = {"id": "", "name": "New", "owned_scope": ("new/**",), **plan}
        return self.planning.create(Intent(**given), unsaved_file=unsaved_file)  # type: ignore[arg-type]

    def complete(
        self, intent_id: str | None = None, *, unsaved_file: bool = False
    ) -> Intent | CheckoutRefusal:
        return self.planning.complete(self.session, intent_id, unsaved_file=unsaved_file)

    def grant(self, *patterns: str, **more: object) -> Granted | CheckoutRefusal:
        unsaved = bool(more.pop("unsaved_file", False))
        given = {"intent_id": "INT-001", "patterns": patterns, **more}
        wish = Wish(**given)  # type: ignore[arg-type]
        return self.planning.grant(wish, self.session, by=PERSON, unsaved_file=unsaved)

    def grants(self) -> list[Record]:
        query = Query(grants=True)
        return list(self.governance.stores.ledger.index.query(query, limit=100).records)


@pytest.fixture
def planner(governed: Repository) -> Iterator[PlanningAgent]:
    opened = PlanningAgent(governed)
    yield opened
    opened.close()


def refusal(answer: object) -> CheckoutRefusal:
    assert isinstance(answer, CheckoutRefusal), answer
    return answer


def intent(answer: object) -> Intent:
    assert isinstance(answer, Intent), answer
    return answer


def granted(answer: object) -> Granted:
    assert isinstance(answer, Granted), answer
    return answer


def test_an_intent_is_created_at_the_end_of_the_file(planner: PlanningAgent) -> None:
    made = intent(
        planner.create(
            owned_scope=("new/**", "*.toml"),
            constraints=("Be quick",),
            acceptance_criteria=("It works",),
        )
    )
    assert made == Intent(
        id=IntentId("INT-005"),
        name="New",
        status=Status.PLANNED,
        owned_scope=("new/**", "*.toml"),
        constraints=("Be quick",),
        acceptance_criteria=("It works",),
        specification=made.specification,
        created_at=STAMP,
    )
    assert planner.file.read_text().startswith(INTENTS)
    assert planner.governance.rules.current().active("INT-005") == made
    assert intent(planner.create(status=Status.IN_PROGRESS)).status is Status.IN_PROGRESS
    assert planner.governance.rules.current().active("INT-006") is not None
    assert planner.grants() == []


def test_an_id_of_its_own_is_taken_unless_it_is_in_use(planner: PlanningAgent) -> None:
    assert intent(planner.create(id="AUTH-7")).id == "AUTH-7"
    before = planner.file.read_bytes()
    for taken in ("AUTH-7", "INT-001", "INT-OLD"):
        refused = refusal(planner.create(id=taken))
        assert refused.code is RequestCode.INTENTS_FILE_UNWRITTEN
        assert refused.message == (
            f"{taken} was not created in {INTENTS_FILE}: the file already has an intent {taken}."
        )
        assert refused.data == {"reason": f"the file already has an intent {taken}"}
    assert planner.file.read_bytes() == before


@pytest.mark.parametrize(
    ("names", "following"),
    [
        ((), "INT-001"),
        ((("INT-001",),), "INT-002"),
        ((("INT-009",), ("INT-002",)), "INT-010"),
        ((("A", "INT-041"), ("INT-003", "X")), "INT-042"),
        ((("INT-999",),), "INT-1000"),
        ((("int-7",), ("INT-7x",), ("INT-",), ("INT--1",), ("INT-٣",)), "INT-001"),
        ((("INT-0000000001",),), "INT-001"),
    ],
)
def test_the_next_id_follows_all_that_were_ever_given(
    names: tuple[tuple[str, ...], ...], following: str
) -> None:
    intents = Intents(tuple(Intent(id=IntentId(own), aliases=old) for own, *old in names))  # type: ignore[arg-type]
    assert next_id(intents) == following


@given(st.sets(st.integers(0, 99_999), max_size=8))
def test_the_next_id_was_never_given(numbers: set[int]) -> None:
    names = [f"INT-{number:03}" for number in numbers]
    known = Intents(tuple(Intent(id=IntentId(name)) for name in names))
    assert next_id(known) not in names
    aliased = Intents((Intent(id=IntentId("A"), aliases=tuple(names)),))
    assert next_id(aliased) == next_id(known)


def test_whoever_took_the_id_meanwhile_keeps_it(
    planner: PlanningAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = INTENTS + "  - {id: INT-005, name: Theirs}\n"
    overtake_writes(monkeypatch, planner.file, theirs.encode())
    assert intent(planner.create()).id == "INT-006"
    assert planner.file.read_text().startswith(theirs)


def test_intents_of_another_file_are_taken_over_by_one_edit(planner: PlanningAgent) -> None:
    others = [
        Intent(id=IntentId(name), name=name, owned_scope=("x/**",))
        for name in ("NEW-1", "INT-001", "NEW-2")
    ]
    assert planner.planning.take_over(others, unsaved_file=False) == {
        "INT-001": "the file already has an intent INT-001"
    }
    known = planner.governance.rules.current().file.intents
    assert [each.id for each in known][4:] == ["NEW-1", "NEW-2"]
    assert planner.file.read_text().startswith(INTENTS)
    refused = refusal(planner.planning.take_over(others, unsaved_file=True))
    assert refused.data == {"reason": UNSAVED}
    planner.file.write_text("active_intents: [\n")
    off = refusal(planner.planning.take_over(others, unsaved_file=False))
    assert off.code is RequestCode.NOT_GOVERNED


def test_an_intent_is_completed_where_it_stands(planner: PlanningAgent) -> None:
    done = intent(planner.complete())
    assert (done.id, done.status, done.updated_at) == ("INT-001", Status.COMPLETED, STAMP)
    assert planner.file.read_text() == INTENTS.replace("IN_PROGRESS", "COMPLETED", 1).replace(
        "2026-01-01T00:00:00Z", STAMP, 1
    )
    assert planner.governance.sessions.active_intent("builder") is None
    assert planner.agent.refused("src/auth/login.py").code is GateCode.CHECKOUT_REQUIRED
    again = refusal(planner.complete("INT-001"))
    assert again.code is RequestCode.INTENT_CLOSED
    assert again.data == {"intent_id": "INT-001", "status": "COMPLETED"}


def test_completing_another_intent_leaves_the_sessions_own(planner: PlanningAgent) -> None:
    assert intent(planner.complete("INT-OLD")).id == "INT-004"
    assert planner.governance.sessions.active_intent("builder") == "INT-001"
    planner.agent.select("INT-002")
    assert intent(planner.complete("INT-002")).status is Status.COMPLETED
    assert planner.governance.sessions.active_intent("builder") is None


def test_the_intent_of_an_earlier_name_is_left_with_it(planner: PlanningAgent) -> None:
    planner.governance.sessions.choose("builder", "INT-OLD")
    assert intent(planner.complete()).id == "INT-004"
    assert planner.governance.sessions.active_intent("builder") is None


@pytest.mark.parametrize(
    ("intent_id", "code"),
    [
        ("INT-099", RequestCode.INTENT_NOT_FOUND),
        ("", RequestCode.INTENT_NOT_FOUND),
        ("\ud800\n", RequestCode.INTENT_NOT_FOUND),
        ("INT-003", RequestCode.INTENT_CLOSED),
        ("INT-002", RequestCode.INTENT_IGNORED),
    ],
)
def test_what_cannot_be_worked_for_is_neither_completed_nor_granted(
    planner: PlanningAgent, governed: Repository, intent_id: str, code: RequestCode
) -> None:
    governed.write(".intentignore", "INT-002\n")
    planner.governance.sessions.choose("builder", None)
    for answer in (
        planner.complete(intent_id),
        planner.grant("docs/**", intent_id=intent_id),
        planner.grant("docs/**", intent_id=intent_id, ttl=timedelta(hours=1)),
        planner.planning.refusal(intent_id),
    ):
        assert refusal(answer).code is code
    assert planner.file.read_text() == INTENTS
    assert planner.grants() == []
    refused = refusal(planner.complete())
    assert refused.code is RequestCode.INTENT_NOT_FOUND
    assert refused.message.startswith("The session has selected no intent, so name one. Available:")
    assert planner.planning.refusal("INT-001") is None


def test_without_governance_nothing_is_planned(
    planner: PlanningAgent, governed: Repository
) -> None:
    governed.write(INTENTS_FILE, "active_intents: [\n")
    for answer in (
        planner.create(),
        planner.complete("INT-001"),
        planner.grant("docs/**"),
        planner.planning.refusal("INT-001"),
    ):
        refused = refusal(answer)
        assert refused.code is RequestCode.NOT_GOVERNED
        assert refused.message.startswith(f"{INTENTS_FILE}:")
        assert refused.data == {"reason": refused.message}


Change = Callable[..., Intent | CheckoutRefusal | Granted]
CHANGES: dict[str, tuple[Change, str]] = {
    "create": (lambda p, **how: p.create(**how), "New was not created"),
    "complete": (lambda p, **how: p.complete(**how), "INT-001 was not set to COMPLETED"),
    "grant": (
        lambda p, **how: p.grant("docs/**", **how),
        "The scope of INT-001 was not expanded",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("how", ["unsaved", "read-only", "locked", "a link that leaves"])
def test_a_file_that_cannot_be_written_is_said_and_nothing_happens(
    planner: PlanningAgent, governed: Repository, name: str, how: str
) -> None:
    change, said = CHANGES[name]
    lock = RootLock(governed.root.parent / "intents.lock")
    outside = governed.root.parent / "outside.yaml"
    if how == "read-only":
        planner.file.chmod(0o444)
    if how == "a link that leaves":
        planner.file.rename(outside)
        planner.file.symlink_to(outside)
    if how == "locked":
        with lock.held():
            refused = refusal(change(planner))
    else:
        refused = refusal(change(planner, unsaved_file=how == "unsaved"))
    assert refused.code is RequestCode.INTENTS_FILE_UNWRITTEN
    assert refused.message.startswith(f"{said} in {INTENTS_FILE}: ")
    assert (refused.data["reason"] == UNSAVED) == (how == "unsaved")
    assert planner.file.read_text() == INTENTS
    assert planner.grants() == []
    assert planner.governance.sessions.active_intent("builder") == "INT-001"


def test_scope_for_good_stands_in_the_file_and_in_the_ledger(planner: PlanningAgent) -> None:
    done = granted(planner.grant("docs/**", "src/auth/**", reason="to tell of it"))
    assert done.expires_at is None
    assert done.intent.owned_scope == ("src/auth/**", "docs/**")
    assert planner.file.read_text() == INTENTS.replace(
        'owned_scope: ["src/auth/**"]', 'owned_scope: ["src/auth/**", "docs/**"]'
    ).replace("2026-01-01T00:00:00Z", STAMP, 1)
    (record,) = planner.grants()
    assert record.grant == Grant(
        patterns=("docs/**", "src/auth/**"),
        reason="to tell of it",
        granted_by=PERSON,
        expires_at=None,
    )
    assert (record.tool_name, record.session_id, record.agent_id) == (GRANT_TOOL, "builder", None)
    assert (record.intent_id, record.intent_hash) == ("INT-001", intent_hash(done.intent))
    assert record.mutation_class is MutationClass.CONFIGURATION
    assert record.scope_validation is ScopeValidation.EXEMPT
    assert (record.files, record.success) == ((), True)
    planner.agent.select("INT-001")
    assert planner.agent.writes(GUIDE, "new\n").scope_validation is ScopeValidation.PASS
    assert planner.governance.stores.ledger.verify().ok


def test_scope_for_a_time_stands_in_the_ledger_alone(planner: PlanningAgent) -> None:
    done = granted(
        planner.grant("docs/**", ttl=timedelta(hours=1), reason="token=hunter2secret please")
    )
    assert done.expires_at == "2030-01-01T13:00:00.000Z"
    assert done.intent.owned_scope == ("src/auth/**",)
    assert planner.file.read_text() == INTENTS
    (record,) = planner.grants()
    assert record.grant is not None
    assert record.grant.expires_at == done.expires_at
    assert record.grant.reason is not None
    assert "hunter2" not in record.grant.reason
    assert planner.agent.writes(GUIDE, "new\n").scope_validation is ScopeValidation.PASS


def test_the_record_of_a_subagents_grant_names_it(planner: PlanningAgent) -> None:
    session = replace(planner.session, agent_id="sub")
    wish = Wish(intent_id="INT-OLD", patterns=("docs/**",))
    done = planner.planning.grant(wish, session, by=PERSON, unsaved_file=False)
    assert granted(done).intent.id == "INT-004"
    (record,) = planner.grants()
    assert (record.intent_id, record.agent_id) == ("INT-004", "sub")


def test_what_the_file_says_already_is_recorded_all_the_same(planner: PlanningAgent) -> None:
    assert granted(planner.grant("src/auth/**")).intent.owned_scope == ("src/auth/**",)
    assert planner.file.read_text() == INTENTS
    assert len(planner.grants()) == 1


def test_what_cannot_be_recorded_is_not_granted_for_a_time(
    planner: PlanningAgent, governed: Repository
) -> None:
    (governed.root / LEDGER_FILE).mkdir()
    with pytest.raises(IntentLspError):
        planner.grant("docs/**", ttl=timedelta(hours=1))
    assert planner.file.read_text() == INTENTS
    # What the file says is so already: its record waits.
    assert granted(planner.grant("docs/**")).intent.owned_scope[-1] == "docs/**"
    assert len(list((governed.root / LOCAL_ROOM / "queue").glob("*"))) == 1
    (governed.root / LEDGER_FILE).rmdir()
    planner.governance.stores.ledger.drain()
    (record,) = planner.grants()
    assert record.grant is not None
    assert record.grant.patterns == ("docs/**",)


def test_whoever_takes_the_intent_away_meanwhile_is_heard(
    planner: PlanningAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtake_writes(monkeypatch, planner.file, b"active_intents: []\n")
    refused = refusal(planner.grant("docs/**"))
    assert refused.data == {"reason": "the file has no intent INT-001"}
    assert planner.grants() == []


def test_an_intent_that_goes_before_its_grant_is_recorded_is_granted_nothing(
    planner: PlanningAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(descriptor: int) -> None:
        real(descriptor)
        if b"more/**" in planner.file.read_bytes():
            planner.file.write_text("active_intents: []\n")

    monkeypatch.setattr(os, "fsync", fsync)
    assert refusal(planner.grant("more/**")).code is RequestCode.INTENT_NOT_FOUND
    assert planner.grants() == []


def test_patterns_are_asked_for_one_by_one(planner: PlanningAgent) -> None:
    ungrantable = planner.planning.ungrantable
    assert ungrantable(()) is None
    assert ungrantable(("docs/**", "src/*.py")) is None
    assert ungrantable(("docs/**", "**", "!x")) == (
        1,
        "The glob matches every file of the work tree.",
    )
    # A whole scope has exclusions, too; they are no wish of their own.
    assert ungrantable(("docs/**", "!docs/x")) == (
        1,
        "The glob begins with `!`, so it only excludes files.",
    )
    assert ungrantable(("docs/**", "!docs/x"), of_new_intent=True) is None
    assert ungrantable(("!docs/x", ".git/**"), of_new_intent=True) == (
        1,
        "The glob matches control files, which no intent can own.",
    )


HALVES = ("\ud800", "a\udcffb")


@pytest.mark.parametrize("half", HALVES)
def test_half_a_character_is_refused_and_nothing_breaks(planner: PlanningAgent, half: str) -> None:
    before = planner.file.read_bytes()
    for answer in (
        planner.create(name=half),
        planner.create(id=half),
        planner.create(owned_scope=(half,)),
        planner.create(constraints=(half,)),
        planner.grant(half),
        planner.grant(half, ttl=timedelta(hours=1)),
    ):
        assert refusal(answer).code is RequestCode.INTENTS_FILE_UNWRITTEN
    assert planner.file.read_bytes() == before
    done = granted(planner.grant("docs/**", reason=half, ttl=timedelta(hours=1)))
    (record,) = planner.grants()
    assert record.grant is not None
    assert record.grant.reason == half.encode("utf-8", "replace").decode()
    assert done.expires_at is not None


def test_a_hostile_plan_is_one_intent_more_or_none(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = repository.create(tmp_path_factory.mktemp("plan"))
    root.write(INTENTS_FILE, INTENTS)
    planner = PlanningAgent(root)

    @given(hostile_text.texts(3), st.lists(hostile_text.texts(2), max_size=2).map(tuple))
    def law(name: str, texts: tuple[str, ...]) -> None:
        planner.file.write_text(INTENTS)
        made = planner.create(name=name, owned_scope=texts, constraints=texts)
        if isinstance(made, CheckoutRefusal):
            assert planner.file.read_text() == INTENTS
            return
        assert (made.name, made.owned_scope) == (name, texts)
        known = planner.governance.rules.current().file.intents
        assert len(known) == INTENTS.count("id:") + 1
        assert planner.file.read_text().startswith(INTENTS)

    law()
    planner.close()
