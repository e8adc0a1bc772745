"""Scope granted for a time: by the ledger's records, until its moment, no longer.

Specified in requirements section 9.
"""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.approvals import Grant
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.intents import Intent
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.records import GRANT_TOOL, Event, MutationClass, Record, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import seal
from intent_lsp.governance.plan.planning import Granted, Planner, Wish
from intent_lsp.governance.root.grants import Grants
from intent_lsp.store.ledger.index.queries import Query
from tests.governance.clocks_and_races import Clock
from tests.governance.editor import INTENTS
from tests.governance.test_calls import Agent
from tests.support import repository
from tests.support.repository import Repository

LOGIN, GUIDE, DATABASE = "src/auth/login.py", "docs/guide.md", "src/db.py"
HOUR = timedelta(hours=1)


class Granting:
    """A governance whose grants use a clock that the test sets forward."""

    def __init__(self, root: Repository) -> None:
        self.root = root
        self.clock = Clock()
        self.agent = Agent(root, "builder")
        self.governance = self.agent.governance
        stores = self.clock.of(self.governance.stores)
        self.grants = Grants(stores)
        self.planning = Planner(
            stores=stores,
            sessions=self.governance.sessions,
            writer=self.governance.writer,
        )

    def close(self) -> None:
        self.governance.close(None)

    def intent(self, intent_id: str = "INT-001") -> Intent:
        found = self.governance.rules.current().active(intent_id)
        assert found is not None
        return found

    def grant(
        self, *patterns: str, ttl: timedelta | None = HOUR, intent_id: str = "INT-001"
    ) -> None:
        wish = Wish(intent_id=intent_id, patterns=patterns, ttl=ttl)
        session = self.governance.sessions.of_agent("builder")
        done = self.planning.grant(wish, session, by="person", unsaved_file=False)
        assert isinstance(done, Granted), done

    def covers(self, path: str, intent_id: str = "INT-001") -> bool:
        scope = self.grants.scope_of(self.governance.rules.current(), self.intent(intent_id))
        return scope.covers(WorkspacePath(path))

    def live(self, intent_id: str = "INT-001") -> list[tuple[str, ...]]:
        found = self.grants.live(self.intent(intent_id), self.clock())
        return [each.patterns for each in found]


@pytest.fixture
def granting(governed: Repository) -> Iterator[Granting]:
    opened = Granting(governed)
    yield opened
    opened.close()


def event(grant: Grant, *, tool: str = GRANT_TOOL, intent_id: str | None = "INT-001") -> Event:
    return Event(
        intent_id=intent_id,
        session_id="s",
        tool_name=tool,
        mutation_class=MutationClass.CONFIGURATION,
        scope_validation=ScopeValidation.EXEMPT,
        grant=grant,
    )


def of_patterns(*patterns: str, expires_at: str | None) -> Grant:
    return Grant(patterns=patterns, reason=None, granted_by="p", expires_at=expires_at)


def test_without_a_grant_an_intent_owns_what_the_file_says(granting: Granting) -> None:
    rules = granting.governance.rules.current()
    assert granting.grants.scope_of(rules, granting.intent()) is rules.scope_of(granting.intent())
    assert granting.grants.scope_of(rules, None).patterns == ()
    assert granting.live() == []


def test_a_grant_lasts_until_its_moment(granting: Granting) -> None:
    assert granting.agent.refused(GUIDE).code is GateCode.SCOPE_VIOLATION
    granting.grant("docs/**")
    assert granting.covers(GUIDE)
    assert granting.covers(LOGIN)
    assert not granting.covers(DATABASE)
    granting.clock.forward(minutes=59, seconds=59.999)
    assert granting.covers(GUIDE)
    granting.clock.forward(seconds=0.001)
    assert not granting.covers(GUIDE)
    assert granting.live() == []
    assert granting.covers(LOGIN)


def test_the_gate_lets_pass_what_is_granted_and_records_it(granting: Granting) -> None:
    granting.grant("docs/**")
    record = granting.agent.writes(GUIDE, "new\n")
    assert record.scope_validation is ScopeValidation.PASS
    assert granting.agent.refused(DATABASE).code is GateCode.SCOPE_VIOLATION
    # What can be known only afterwards is judged by the grants of then.
    ticket = granting.agent.ticket(tool="Bash", command='rm "$F"')
    (granting.root.root / GUIDE).write_text("newer\n")
    outcome = granting.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.PASS


def test_scope_for_good_ends_when_it_is_taken_out_of_the_file(granting: Granting) -> None:
    granting.grant("docs/**", ttl=None)
    assert granting.covers(GUIDE)
    assert granting.live() == []
    granting.root.write(INTENTS_FILE, INTENTS)
    assert not granting.covers(GUIDE)


def test_other_intents_own_no_more_than_before(granting: Granting) -> None:
    granting.grant("lib/**", "docs/**")
    assert granting.live("INT-002") == granting.live("INT-004") == []
    assert not granting.covers("lib/x", "INT-002")
    assert not granting.covers(GUIDE, "INT-004")
    assert granting.covers("lib/x")


@pytest.mark.parametrize("order", [(HOUR, 2 * HOUR), (2 * HOUR, HOUR)])
def test_each_grant_ends_by_itself(granting: Granting, order: tuple[timedelta, ...]) -> None:
    for ttl in order:
        granting.grant("docs/**", f"for/{ttl.seconds}/**", ttl=ttl)
    assert granting.live()[0] == ("docs/**", f"for/{order[1].seconds}/**")
    granting.clock.forward(hours=1)
    assert granting.live() == [("docs/**", "for/7200/**")]
    assert granting.covers(GUIDE)
    granting.clock.forward(hours=1)
    assert not granting.covers(GUIDE)


def test_an_intent_keeps_the_grants_of_its_earlier_names(granting: Granting) -> None:
    granting.grant("docs/**")
    granting.grant("lib/**", intent_id="INT-004")
    renamed = INTENTS.replace("- id: INT-001\n", "- id: AUTH-1\n    aliases: [A, INT-001]\n")
    granting.root.write(INTENTS_FILE, renamed)
    assert granting.live("AUTH-1") == [("docs/**",)]
    assert granting.covers(GUIDE, "AUTH-1")
    granting.grant("more/**", intent_id="INT-001")
    assert granting.live("AUTH-1") == [("more/**",), ("docs/**",)]
    assert granting.live("INT-002") == []


@pytest.mark.parametrize("excluding", ["docs/secret/**", "docs/**"])
def test_an_exclusion_of_the_file_still_wins(granting: Granting, excluding: str) -> None:
    text = INTENTS.replace('["src/auth/**"]', f'["src/auth/**", "!{excluding}"]')
    granting.root.write(INTENTS_FILE, text)
    granting.grant("docs/**")
    granting.grant("docs/secret/**")
    assert not granting.covers("docs/secret/key")
    assert granting.covers(GUIDE) is (excluding != "docs/**")


@pytest.mark.parametrize("tool", ["Write", "intent/grants", "Intent/Grant", "mcp__x__intent/grant"])
def test_a_grant_in_the_record_of_another_tool_grants_nothing(
    granting: Granting, tool: str
) -> None:
    grant = of_patterns("docs/**", expires_at=timestamp(granting.clock() + HOUR))
    granting.governance.stores.ledger.append(event(grant, tool=tool))
    assert granting.live() == []
    assert not granting.covers(GUIDE)
    granting.governance.stores.ledger.append(event(grant))
    assert granting.live() == [("docs/**",)]


def test_a_grant_without_an_intent_is_nobodys(granting: Granting) -> None:
    grant = of_patterns("docs/**", expires_at=timestamp(granting.clock() + HOUR))
    granting.governance.stores.ledger.append(event(grant, intent_id=None))
    granting.governance.stores.ledger.append(event(of_patterns("docs/**", expires_at=None)))
    assert granting.live() == []


def forged(granting: Granting, end: ChainEnd, *patterns: str) -> tuple[Record, bytes]:
    """Spell a grant as our own program would, chained where its forger likes."""
    grant = of_patterns(*patterns, expires_at="2099-01-01T00:00:00.000Z")
    now = timestamp(granting.clock())
    new_id = granting.governance.stores.new_id()
    return seal(draft(event(grant), id=new_id, timestamp=now, end=end))


@pytest.mark.parametrize("how", ["its hash", "its form", "its predecessor", "nothing"])
def test_a_grant_written_by_hand_counts_only_where_it_joins_the_chain(
    granting: Granting, how: str
) -> None:
    granting.agent.writes(LOGIN, "new\n")
    last = ContentHash("sha256:" + "0" * 64)
    if how != "its predecessor":
        (last,) = granting.governance.stores.past.heads()  # type: ignore[assignment]
    _, line = forged(granting, ChainEnd(last, (last,)), "docs/**")
    if how == "its hash":
        line = line.replace(b"docs/", b"docz/").replace(b"docz/", b"src/", 1)
    if how == "its form":
        line = line.replace(b'{"id":', b'{ "id":')
    with (granting.root.root / LEDGER_FILE).open("ab") as file:
        file.write(line)
    # A well-sealed line is one of ours as far as anybody can tell who has no anchor.
    assert granting.live() == ([("docs/**",)] if how == "nothing" else [])
    # What is recorded after it does not make it good.
    granting.agent.writes(LOGIN, "newer\n")
    assert granting.live() == ([("docs/**",)] if how == "nothing" else [])


@pytest.mark.parametrize("place", ["in the middle", "at the end"])
def test_a_grant_on_a_branch_counts_once_a_record_has_tied_it(
    granting: Granting, place: str
) -> None:
    first = granting.agent.writes(LOGIN, "1\n").integrity.record_hash
    granting.agent.writes(LOGIN, "2\n")
    ledger = granting.root.root / LEDGER_FILE
    lines = ledger.read_bytes().splitlines(keepends=True)
    _, line = forged(granting, ChainEnd(first, (first,)), "docs/**")
    lines.insert(1 if place == "in the middle" else 2, line)
    ledger.write_bytes(b"".join(lines))
    assert granting.governance.stores.ledger.verify().ok
    assert granting.live() == []
    granting.agent.writes(LOGIN, "3\n")
    assert granting.live() == [("docs/**",)]


def test_an_earlier_id_that_is_anothers_by_now_gives_nothing_of_that_one(
    granting: Granting,
) -> None:
    granting.grant("lib/**", intent_id="INT-002")
    granting.grant("docs/**")
    named = INTENTS.replace("- id: INT-001\n", "- id: INT-001\n    aliases: [INT-002, INT-OLD]\n")
    granting.root.write(INTENTS_FILE, named)
    assert granting.live() == [("docs/**",)]
    assert not granting.covers("lib/x")
    records = granting.governance.tracing.page(Query(intent_ids=("INT-001",)), limit=9).records
    assert [record.intent_id for record in records] == ["INT-001"]


def test_the_control_plane_is_granted_to_nobody(granting: Granting) -> None:
    grant = of_patterns("**", expires_at="2099-01-01T00:00:00.000Z")
    granting.governance.stores.ledger.append(event(grant))
    assert isinstance(granting.agent.asks(DATABASE).decision, Allowed)
    for path in (".git/config", INTENTS_FILE, ".claude/settings.json"):
        assert granting.agent.refused(path).code is GateCode.PATH_DENIED


@pytest.mark.parametrize("lost", ["deleted", "damaged"])
def test_the_grants_are_those_of_the_ledger_whatever_is_cached(
    granting: Granting, lost: str
) -> None:
    granting.grant("docs/**")
    granting.grant("lib/**", ttl=2 * HOUR)
    granting.grant("other/**", intent_id="INT-002")
    granting.agent.writes(LOGIN, "new\n")
    before = granting.live(), granting.live("INT-002")
    granting.governance.stores.ledger.close()
    for each in (granting.root.root / LOCAL_ROOM).glob("index.sqlite3*"):
        each.unlink() if lost == "deleted" else each.write_bytes(b"\0" * 8192)
    again = Granting(granting.root)
    assert (
        (again.live(), again.live("INT-002"))
        == before
        == (
            [("lib/**",), ("docs/**",)],
            [("other/**",)],
        )
    )
    again.close()


def test_a_ledger_that_cannot_be_read_grants_nothing_and_stops_nothing(
    granting: Granting, caplog: pytest.LogCaptureFixture
) -> None:
    granting.grant("docs/**")
    ledger = granting.root.root / LEDGER_FILE
    ledger.unlink()
    ledger.mkdir()
    assert granting.live() == []
    assert not granting.covers(GUIDE)
    assert granting.covers(LOGIN)
    assert "agent_trace.jsonl" in caplog.text


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Granting]:
    root = repository.create(tmp_path_factory.mktemp("grants"))
    root.write(INTENTS_FILE, INTENTS)
    opened = Granting(root)
    yield opened
    opened.close()


some = st.tuples(
    st.sampled_from(["INT-001", "INT-002", "INT-004", "INT-OLD"]),
    st.sampled_from(["docs/**", "lib/*", "a", "b/**"]),
    st.integers(-50, 50) | st.none(),
)


@given(st.lists(some, max_size=4), st.integers(-60, 60))
def test_what_is_live_is_what_has_not_expired(
    shared: Granting, given_grants: list[tuple[str, str, int | None]], minutes: int
) -> None:
    # Each example has hours of its own, so that the ledger can grow on.
    shared.clock.forward(hours=10)
    noon = shared.clock()
    for intent_id, pattern, minute in given_grants:
        at = None if minute is None else timestamp(noon + timedelta(minutes=minute))
        shared.governance.stores.ledger.append(
            event(of_patterns(pattern, expires_at=at), intent_id=intent_id)
        )
    names = {"INT-001": ["INT-001"], "INT-002": ["INT-002"], "INT-004": ["INT-004", "INT-OLD"]}
    now = noon + timedelta(minutes=minutes)
    for intent_id, own in names.items():
        live = shared.grants.live(shared.intent(intent_id), now)
        assert [each.patterns for each in live] == [
            (pattern,)
            for name, pattern, minute in reversed(given_grants)
            if name in own and minute is not None and minute > minutes
        ]
