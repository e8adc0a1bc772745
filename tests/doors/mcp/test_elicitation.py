"""Questions through the client: when it is asked, and what its answers stand for."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client

from intent_lsp.core.approvals import Approval, ApprovalChannel, ApprovalChoice
from intent_lsp.core.content import hash_content
from intent_lsp.core.records import Record
from intent_lsp.doors.mcp import elicitation
from intent_lsp.doors.mcp.elicitation import OpenQuestions
from intent_lsp.governance.calls.approvals import APPROVE, APPROVE_ONCE, EXPAND, REJECT
from intent_lsp.governance.governance import Governance
from intent_lsp.store.ledger.index.queries import Query
from tests.support.governed_repository import govern, set_policy
from tests.support.mcp_clients import LINES, Agent, Person, in_process
from tests.support.repository import Repository

LOGIN, README = "src/auth/login.py", "README.md"
BOTH = "hitl_by: [editor, elicitation]"
OUT_OF_SCOPE = f"{BOTH}\n  hitl: out_of_scope"

each_line = pytest.mark.parametrize("mode", LINES)


def records(root: Path) -> tuple[Record, ...]:
    with Governance(root) as governance:
        return governance.tracing.page(Query(), limit=10).records


async def wishes(agent: Agent, **more: Any) -> Any:
    asked = {"patterns": ["docs/**"], "reason": "the guide"} | more
    return await agent.get("request_scope_expansion", **asked)


@each_line
@pytest.mark.parametrize(
    ("policy", "can_ask", "feedback"),
    [
        ("hitl: never", True, "the team's policy counts no answer from it (`hitl_by`)"),
        ("hitl_by: [editor]", True, "the team's policy counts no answer from it (`hitl_by`)"),
        (BOTH, False, "it declares no elicitation"),
    ],
)
async def test_a_client_is_not_asked_where_its_answer_would_not_count(
    repository: Repository, mode: str, policy: str, feedback: str, *, can_ask: bool
) -> None:
    root, person = govern(repository, policy).root, Person()
    async with in_process(root, mode, person=person if can_ask else None) as agent:
        await agent.select()
        answer = await wishes(agent)
        assert not answer["approved"]
        assert feedback in answer["feedback"]
        assert "expand the intent's scope in their editor" in answer["feedback"]
    assert (person.asked, records(root)) == ([], ())


@each_line
@pytest.mark.parametrize(
    ("answer", "feedback"),
    [
        (REJECT, "a person rejected it"),
        (types.ElicitResult(action="decline"), "a person rejected it"),
        (types.ElicitResult(action="cancel"), "the question was closed without an answer"),
        (types.ElicitResult(action="accept"), "the question was closed without an answer"),
        ("Yes, of course", "the question was closed without an answer"),
        (APPROVE_ONCE, "the question was closed without an answer"),
    ],
)
async def test_what_is_no_approval_grants_nothing(
    repository: Repository, mode: str, answer: Any, feedback: str
) -> None:
    root, person = govern(repository, BOTH).root, Person([answer])
    async with in_process(root, mode, person=person) as agent:
        await agent.select()
        assert await wishes(agent) == {"approved": False, "feedback": feedback}
        assert person.offered == [[APPROVE, REJECT]]
    assert records(root) == ()


async def test_a_client_that_cannot_ask_after_all_is_nobody(repository: Repository) -> None:
    error = types.ErrorData(code=types.INVALID_REQUEST, message="no window")
    root, person = govern(repository, BOTH).root, Person([error])
    async with in_process(root, "legacy", person=person) as agent:
        await agent.select()
        answer = await wishes(agent)
    assert answer == {"approved": False, "feedback": "the client could not ask: no window"}


@each_line
async def test_scope_is_granted_for_a_time_and_its_record_says_who_answered(
    repository: Repository, mode: str
) -> None:
    root, person = govern(repository, BOTH).root, Person([APPROVE])
    async with in_process(root, mode, person=person) as agent:
        await agent.select()
        answer = await wishes(agent, ttl_seconds=3600)
        assert answer["approved"]
        assert answer["expiresAt"]
        assert answer["intent"]["ownedScope"] == ["src/auth/**"]
        assert (await agent.writes("docs/guide.md", "x\n"))["applied"]
        assert "for 1:00:00 (the guide)" in person.asked[0]
    record = records(root)[-1]
    assert record.grant is not None
    assert record.grant.granted_by == record.session_id
    assert record.grant.channel is ApprovalChannel.ELICITATION


@each_line
async def test_one_write_is_approved_once(repository: Repository, mode: str) -> None:
    root, person = govern(repository, OUT_OF_SCOPE).root, Person([APPROVE_ONCE, REJECT])
    async with in_process(root, mode, person=person) as agent:
        await agent.select()
        assert (await agent.writes(README, "approved\n"))["applied"]
        refused = await agent.cannot_write(README, "again\n")
        assert refused.code == "HITL_REJECTED"
        assert refused.details["feedback"] == "a person rejected it"
        assert person.offered == [[APPROVE_ONCE, EXPAND, REJECT]] * 2
    assert (root / README).read_text() == "approved\n"
    (record,) = records(root)
    assert record.approval == Approval(
        choice=ApprovalChoice.ONCE,
        session_id=record.session_id,
        channel=ApprovalChannel.ELICITATION,
    )


@each_line
async def test_a_check_is_approved_and_the_scope_expanded(
    repository: Repository, mode: str
) -> None:
    root, person = govern(repository, OUT_OF_SCOPE).root, Person([EXPAND])
    async with in_process(root, mode, person=person) as agent:
        await agent.select()
        decision = await agent.get("check_edit", tool_name="Edit", path=README)
        assert decision["allowed"]
        (root / README).write_text("new\n")
        await agent.get("record_edit", ticket=decision["ticket"], success=True)
        assert (await agent.writes(README, "newer\n"))["applied"]
    later, record, grant = records(root)
    assert (later.approval, later.scope_validation.value) == (None, "PASS")
    assert record.approval is not None
    assert record.approval.choice is ApprovalChoice.EXPANDED
    assert grant.grant is not None
    assert grant.grant.patterns == ("README.md",)


@each_line
async def test_an_answer_that_takes_too_long_is_none(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    root = govern(repository, f"{BOTH}\n  hitl_timeout_seconds: 1").root
    person = Person([APPROVE])
    if mode == "legacy":
        waiting = anyio.Event()

        async def never(*_: object) -> types.ElicitResult:
            await waiting.wait()
            raise AssertionError

        monkeypatch.setattr(person, "elicit", never)
    else:
        late = datetime.now(UTC) + timedelta(seconds=5)
        real = OpenQuestions.put

        def put(self: OpenQuestions, *asked: Any) -> str:
            name = real(self, *asked)
            self.clock = lambda: late
            return name

        monkeypatch.setattr(OpenQuestions, "put", put)
    async with in_process(root, mode, person=person) as agent:
        await agent.select()
        answer = await wishes(agent)
    assert answer == {"approved": False, "feedback": "nobody answered within 1 s"}


async def asked_by_hand(client: Client, tool: str, arguments: Any, **answer: Any) -> Any:
    return await client.session.call_tool(tool, arguments, allow_input_required=True, **answer)


async def test_an_answer_counts_for_its_own_call_and_once(repository: Repository) -> None:
    root, person = govern(repository, OUT_OF_SCOPE).root, Person()
    async with in_process(root, person=person) as agent:
        await agent.select()
        shim = {"session": agent.session, "path": README, "intent_id": "INT-001"}
        shim |= {"mutation_class": "BUG_FIX", "content": "shown\n"}
        client, write = agent.client, "write_to_file"
        asked = await asked_by_hand(client, write, shim)
        assert isinstance(asked, types.InputRequiredResult)
        yes = types.ElicitResult(action="accept", content={"answer": APPROVE_ONCE})
        word = {"input_responses": {"approval": yes}, "request_state": asked.request_state}
        # Another text in the same file asks in the same words, and needs its own answer.
        other = await asked_by_hand(client, write, shim | {"content": "hidden\n"}, **word)
        assert isinstance(other, types.InputRequiredResult)
        # The question was used up by that; an answer to nothing asks again.
        again = await asked_by_hand(client, write, shim, **word)
        assert isinstance(again, types.InputRequiredResult)
        word["request_state"] = again.request_state
        done = await asked_by_hand(client, write, shim, **word)
        assert done.structured_content["applied"]
        assert isinstance(
            await asked_by_hand(client, write, shim, **word), types.InputRequiredResult
        )
        made_up = {"input_responses": {"approval": yes}, "request_state": "made up"}
        assert isinstance(
            await asked_by_hand(client, write, shim, **made_up), types.InputRequiredResult
        )
    assert (root / README).read_text() == "shown\n"


async def test_a_policy_that_changes_while_the_client_is_asked_decides(
    repository: Repository,
) -> None:
    root = govern(repository, OUT_OF_SCOPE).root

    class Changing(Person):
        async def elicit(self, context: Any, params: Any) -> Any:
            set_policy(repository, "hitl: out_of_scope")
            return await super().elicit(context, params)

    async with in_process(root, "legacy", person=Changing([APPROVE_ONCE])) as agent:
        await agent.select()
        refused = await agent.cannot_write(README)
    assert refused.code == "HITL_REJECTED"
    assert "hitl_by: [editor, elicitation]" in refused.details["feedback"]
    assert (root / README).read_text() == "# A project\n"


def test_the_oldest_questions_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elicitation, "_AT_MOST", 2)
    names = iter("abc")
    questions = OpenQuestions(lambda: datetime.now(UTC), lambda: next(names))
    call = hash_content(b"")
    for text in "123":
        questions.put(text, call, 1)
    assert questions.take("a", "1", call) is None
    assert questions.take("b", "other", call) is None
    assert questions.take("b", "2", call) is None
    found = questions.take("c", "3", call)
    assert found is not None
    assert found.text == "3"


async def test_a_call_that_is_cancelled_while_the_client_is_asked_leaves_a_refusal(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, person, asked = govern(repository, OUT_OF_SCOPE).root, Person(), anyio.Event()

    async def never(*_: object) -> types.ElicitResult:
        asked.set()
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(person, "elicit", never)
    async with in_process(root, "legacy", person=person) as agent:
        await agent.select()
        async with anyio.create_task_group() as group:
            group.start_soon(agent.cannot_write, README)
            await asked.wait()
            group.cancel_scope.cancel()
    audit = (root / ".orchestration/governance_ledger.md").read_text()
    assert "status=DENIED | tool=write_to_file" in audit
    assert (root / README).read_text() == "# A project\n"
