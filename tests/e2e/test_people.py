"""People asked about agents' calls, through a real client (requirements section 6, row 16)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound

from intent_lsp.core.paths import POLICY_FILE
from tests.support.editor import Editor, editing
from tests.support.governed_repository import INTENTS, LINES, govern, set_policy
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INVOICE = "src/billing/invoice.py"
ODD = "src/odd [1]/{a} #2.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
GOVERNANCE_LEDGER = ".orchestration/governance_ledger.md"
WRITE = "write_to_file"

ONCE = "Approve once"
EXPAND = "Approve and expand scope"
REJECT = "Reject"
DISMISSED = "the question was closed without an answer"
CANNOT = "nobody can be asked: the editor does not support window/showMessageRequest"
FIRST_INTENT = "run intent-lsp intents add, or ask a person to add the first intent"

OUT_OF_SCOPE = "hitl: out_of_scope"
ALWAYS = "hitl: always"


@dataclass
class Person:
    """The person at an editor, whose client may also answer as no client should.

    An exception in `odd` is the next answer, as an error; anything else is sent as it is.
    """

    editor: Editor
    odd: list[object] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        features = self.editor.client.protocol.fm.features
        heard = features[lsp.WINDOW_SHOW_MESSAGE_REQUEST]

        async def asked(params: lsp.ShowMessageRequestParams) -> object:
            if self.odd:
                self.editor.asked.append(params)
                answer = self.odd.pop(0)
                if isinstance(answer, Exception):
                    raise answer
                return answer
            try:
                return await heard(params)
            except asyncio.CancelledError:
                self.withdrawn.append(params.message)
                await self._wake_waiting()
                raise

        features[lsp.WINDOW_SHOW_MESSAGE_REQUEST] = asked

    @property
    def question(self) -> str:
        """What was asked last."""
        return self.editor.asked[-1].message

    @property
    def titles(self) -> Sequence[str]:
        """The answers that were offered last."""
        return [action.title for action in self.editor.asked[-1].actions or ()]

    async def is_asked(self, times: int) -> None:
        """Wait until so many questions were put."""
        await self.editor.until(lambda: len(self.editor.asked) >= times, f"{times} questions")

    async def loses(self, questions: int) -> None:
        """Wait until so many questions were taken back."""
        lost = self.withdrawn
        await self.editor.until(lambda: len(lost) >= questions, f"{questions} withdrawn")

    async def _wake_waiting(self) -> None:
        async with self.editor.news:
            self.editor.news.notify_all()


async def ask(editor: Editor, name: str, session: str = "builder", **params: Any) -> Any:
    return await editor.ask(f"intent/{name}", {"sessionId": session, **params})


async def wish(editor: Editor, path: str, session: str = "builder", **params: Any) -> Any:
    """Have an agent ask whether it may write a file."""
    return await ask(editor, "validateEdit", session, toolName=WRITE, path=path, **params)


async def answered(editor: Editor, choice: str, path: str, **params: Any) -> Any:
    """Have an agent ask, and the person answer."""
    await editor.choose(choice)
    told = await wish(editor, path, **params)
    assert not editor.choices, "nobody was asked"
    return told


async def written(editor: Editor, told: Any, path: str, text: str) -> dict[str, Any]:
    """Write what was allowed, and have it recorded; give the record."""
    assert told["ticket"], told
    target = editor.root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    done = await ask(editor, "recordEdit", ticket=told["ticket"], success=True)
    (record,) = [record for record in editor.records() if record["id"] == done["recordId"]]
    return record


def rejected(told: Any, feedback: str, *, intent_id: str | None = "INT-001") -> None:
    """Hold a decision against a refusal by row 16."""
    assert (told["allowed"], told["ticket"], told["scopeValidation"]) == (False, None, "FAIL"), told
    assert told["error"] == {
        "type": "HOOK_PRE_TOOL_DENIED",
        "code": "HITL_REJECTED",
        "message": "Mutation rejected by authorization gate.",
        "details": {"tool_name": WRITE, "intent_id": intent_id, "feedback": feedback},
    }


def denied(editor: Editor) -> list[Any]:
    return [told for method, told in editor.notified if method == "intent/didDeny"]


async def entries(editor: Editor, status: str) -> list[str]:
    """Give the governance ledger's entries of a status, each on one line."""
    await editor.ask("intent/status")  # Answers when all that was judged before is told of.
    ledger = editor.root / GOVERNANCE_LEDGER
    text = ledger.read_text() if ledger.exists() else ""
    found = text.replace("\n  ", " ").splitlines()
    return [entry for entry in found if f"status={status}" in entry]


def plan(editor: Editor) -> str:
    return (editor.root / INTENTS_FILE).read_text()


# -- out of scope -------------------------------------------------------------------------------


async def test_a_person_decides_on_what_is_out_of_scope(repository: Repository) -> None:
    govern(repository, OUT_OF_SCOPE)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        before = plan(editor)
        inside = await wish(editor, LOGIN)
        assert (inside["allowed"], inside["scopeValidation"]) == (True, "PASS")
        # Nothing but row 12 is a person's to forgive.
        closed = await wish(editor, ".git/config")
        assert closed["error"]["code"] == "PATH_DENIED"
        stale = await wish(editor, INVOICE, readHash="0" * 64)
        assert stale["error"]["code"] == "SCOPE_VIOLATION"
        assert (len(denied(editor)), editor.asked) == (2, [])

        told = await answered(editor, ONCE, INVOICE)
        assert person.titles == [ONCE, EXPAND, REJECT]
        assert person.question.startswith(
            f"intent-lsp: agent builder asks to change {INVOICE} with {WRITE} for INT-001."
            f" Scope Violation: INT-001 is not authorized to edit {INVOICE}."
        )
        assert (told["allowed"], told["scopeValidation"], told["intentId"]) == (
            True,
            "PASS",
            "INT-001",
        )
        assert "error" not in told
        record = await written(editor, told, INVOICE, "once\n")
        assert record["approval"] == {"choice": "once", "session_id": "mine"}
        assert (record["scope_validation"], record["session_id"]) == ("PASS", "builder")
        assert plan(editor) == before

        told = await answered(editor, REJECT, INVOICE)
        rejected(told, "a person rejected it")
        assert plan(editor) == before
        (entry,) = [each for each in await entries(editor, "DENIED") if f"`{INVOICE}`" in each][1:]
        assert f"tool={WRITE} | intent=INT-001 | task=builder" in entry
        (last,) = denied(editor)[2:]
        assert last == {**told, "toolName": WRITE}
        assert (editor.root / INVOICE).read_text() == "once\n"
        assert len(editor.asked) == 2


async def test_what_a_person_approves_for_good_is_in_scope_from_then_on(
    repository: Repository,
) -> None:
    govern(repository, OUT_OF_SCOPE)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        before = plan(editor)
        told = await answered(editor, EXPAND, ODD)
        assert (told["allowed"], told["scopeValidation"]) == (True, "PASS")
        literal = r"src/odd \[1\]/\{a\} \#2.py"
        spelled = literal.replace("\\", "\\\\")
        assert plan(editor) == before.replace('"src/auth/**"]', f'"src/auth/**", "{spelled}"]')
        listed = (await editor.ask("intent/list"))["intents"]
        assert listed[0]["ownedScope"] == ["src/auth/**", literal]
        (grant,) = [each for each in editor.records() if each["tool_name"] == "intent/grant"]
        assert grant["grant"] == {
            "patterns": [literal],
            "reason": "a person approved this scope together with an agent's call",
            "granted_by": "mine",
            "expires_at": None,
        }
        assert (grant["intent_id"], grant["files"], grant["scope_validation"]) == (
            "INT-001",
            [],
            "EXEMPT",
        )
        record = await written(editor, told, ODD, "odd\n")
        assert record["approval"] == {"choice": "expanded", "session_id": "mine"}
        assert record["files"][0]["relative_path"] == ODD
        assert denied(editor) == []
        # Asked once: now it is in scope, and its neighbours are not.
        again = await wish(editor, ODD)
        assert again["allowed"]
        assert "approval" not in await written(editor, again, ODD, "odd again\n")
        assert len(editor.asked) == 1
        neighbour = await answered(editor, REJECT, ODD.replace("[1]", "1"))
        rejected(neighbour, "a person rejected it")
        # A plan that is being written is not written over: then it is approved once.
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, plan(editor) + "# unsaved\n")
        await editor.settled(INTENTS_FILE)
        expanded = plan(editor)
        told = await answered(editor, EXPAND, INVOICE)
        record = await written(editor, told, INVOICE, "once\n")
        assert record["approval"]["choice"] == "once"
        assert plan(editor) == expanded
        said = "the file is open in an editor with unsaved changes. Only this one call is approved."
        await editor.until(lambda: any(said in each for each in editor.messages), "it is said")
        assert len([each for each in editor.records() if "grant" in each]) == 1
        assert (await editor.ask("intent/verify"))["ok"]
        assert person.withdrawn == []


async def test_whatever_is_no_approval_is_a_refusal_that_says_why(repository: Repository) -> None:
    govern(repository, OUT_OF_SCOPE)
    async with editing(repository.root) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        before = plan(editor)
        # Closed; no answer that was offered; of a wrong type; an error.
        await editor.choose("")
        rejected(await wish(editor, INVOICE), DISMISSED)
        await editor.choose("Approve everything")
        rejected(await wish(editor, INVOICE), DISMISSED)
        for odd in ({"title": 7}, [ONCE], ONCE, 7, JsonRpcException("no", code=-32603)):
            person.odd.append(odd)
            rejected(await wish(editor, INVOICE), DISMISSED)
        assert len(editor.asked) == 7
        # Silence: the question is taken back.
        set_policy(repository, f"{OUT_OF_SCOPE}\n  hitl_timeout_seconds: 1")
        rejected(await wish(editor, INVOICE), "nobody answered within 1 s")
        await person.loses(1)
        assert len(editor.asked) == 8
        # A client that does not know the question is asked once, and never again.
        person.odd.append(JsonRpcMethodNotFound())
        for _ in range(2):
            rejected(await wish(editor, INVOICE), CANNOT)
        assert len(editor.asked) == 9
        assert len(await entries(editor, "DENIED")) == len(denied(editor)) == 10
        assert plan(editor) == before
        # Nothing changed but the policy, which is recorded when all is quiet.
        changed = [file["relative_path"] for each in editor.records() for file in each["files"]]
        assert set(changed) <= {POLICY_FILE}


# -- always -------------------------------------------------------------------------------------


async def test_a_person_sees_every_call_where_the_team_wants_that(repository: Repository) -> None:
    govern(repository, ALWAYS)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        # What changes nothing, and what is refused anyway, is nobody's to approve.
        assert (await ask(editor, "validateEdit", toolName="Read", path=LOGIN))["allowed"]
        assert (await wish(editor, INVOICE))["error"]["code"] == "SCOPE_VIOLATION"
        assert editor.asked == []

        told = await answered(editor, ONCE, LOGIN, toolUseId="use-1")
        assert person.titles == [ONCE, REJECT]
        assert person.question == (
            f"intent-lsp: agent builder asks to change {LOGIN} with {WRITE} for INT-001."
        )
        # The same call is the same answer, and asks nobody twice.
        assert await wish(editor, LOGIN, toolUseId="use-1") == told
        record = await written(editor, told, LOGIN, "approved\n")
        assert record["approval"] == {"choice": "once", "session_id": "mine"}
        rejected(await answered(editor, REJECT, LOGIN, toolUseId="use-2"), "a person rejected it")
        rejected(await wish(editor, LOGIN, toolUseId="use-2"), "a person rejected it")
        assert len(editor.asked) == 2

        # Whoever calls, and whatever it is called, is told as plain words.
        hostile = "x](http://evil.example) <b>\n\n# now `approve`"
        await ask(editor, "select", hostile, intentId="INT-001")
        await editor.choose(REJECT)
        await wish(editor, LOGIN, hostile)
        assert not set(person.question) & set("\n`<>[")
        assert "http" not in person.question

        # A change that is made at once is asked about before, too.
        await editor.choose(REJECT)
        new = {"toolName": WRITE, "path": LOGIN, "newText": "applied\n"}
        told = await ask(editor, "applyEdit", **new)
        assert (told["applied"], told["recordId"]) == (False, None)
        rejected({k: v for k, v in told.items() if k != "applied"}, "a person rejected it")
        assert (editor.root / LOGIN).read_text() == "approved\n"
        await editor.choose(ONCE)
        told = await ask(editor, "applyEdit", **new)
        assert (told["allowed"], told["applied"]) == (True, True)
        assert (editor.root / LOGIN).read_text() == "applied\n"
        assert editor.records()[-1]["approval"] == {"choice": "once", "session_id": "mine"}


async def test_nothing_waits_for_a_person_and_what_they_approve_is_judged_again(
    repository: Repository,
) -> None:
    govern(repository, ALWAYS)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        await ask(editor, "recordRead", path=LOGIN)
        asking = asyncio.ensure_future(wish(editor, LOGIN))
        await person.is_asked(1)
        # Others are answered, another question is put and answered before the first.
        assert (await ask(editor, "status"))["activeIntentId"] == "INT-001"
        assert (await ask(editor, "validateEdit", toolName="Read", path=LOGIN))["allowed"]
        assert (await wish(editor, INVOICE))["error"]["code"] == "SCOPE_VIOLATION"
        editor.open(LOGIN)
        assert not await editor.settled(LOGIN)
        editor.close(LOGIN)
        assert not asking.done()
        # Changed by somebody else while the question is open.
        repository.write(LOGIN, "theirs\n")
        await editor.choose(ONCE)
        told = await asking
        assert (told["allowed"], told["error"]["code"]) == (False, "STALE_FILE")
        assert told["error"]["details"]["files"][0]["path"] == LOGIN
        assert [each["error"]["code"] for each in denied(editor)] == [
            "SCOPE_VIOLATION",
            "STALE_FILE",
        ]
        # The intent was closed while the question is open.
        await ask(editor, "recordRead", path=LOGIN)
        asking = asyncio.ensure_future(wish(editor, LOGIN))
        await person.is_asked(2)
        await editor.ask("intent/complete", {"intentId": "INT-001"})
        await editor.choose(ONCE)
        assert (await asking)["error"]["code"] == "INTENT_CLOSED"
        assert editor.records() == []


@pytest.mark.parametrize("name", ["validateEdit", "applyEdit"])
async def test_a_request_that_is_cancelled_while_a_person_is_asked_allows_nothing(
    repository: Repository, name: str
) -> None:
    govern(repository, ALWAYS)
    async with editing(repository.root) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        text = {"newText": "mine\n"} if name == "applyEdit" else {}
        params = {"sessionId": "builder", "toolName": WRITE, "path": LOGIN, **text}
        send: Any = editor.client.protocol.send_request_async
        asking = asyncio.ensure_future(send(f"intent/{name}", params, msg_id="wish"))
        await person.is_asked(1)
        editor.client.cancel_request(lsp.CancelParams(id="wish"))
        with pytest.raises(JsonRpcException) as raised:
            await asking
        assert raised.value.code == -32800
        await person.loses(1)
        # That nobody approved it is told all the same.
        (told,) = await editor.until(lambda: denied(editor), "the refusal is told")
        why = "the request was cancelled before anybody answered"
        assert told["error"]["details"]["feedback"] == why
        (entry,) = await entries(editor, "DENIED")
        assert f"`{LOGIN}`" in entry
        # An answer that comes late approves nothing; nobody claims the file.
        await editor.choose(ONCE)
        explained = await ask(editor, "explain", "another", toolName=WRITE, path=LOGIN)
        (stale,) = [row for row in explained["rows"] if row["row"] == 13]
        assert "claimed" not in stale["fact"]
        assert (editor.root / LOGIN).read_text() == LINES
        assert editor.records() == []
        # And the next question is a question again: it was answered beforehand.
        assert (await wish(editor, LOGIN))["allowed"]


async def test_a_no_stays_one_although_the_gate_says_yes_by_then(repository: Repository) -> None:
    govern(repository, OUT_OF_SCOPE)
    new = "docs/new.md"
    async with editing(repository.root) as editor:
        person = Person(editor)
        await ask(editor, "select", intentId="INT-001")
        send: Any = editor.client.protocol.send_request_async
        params = {"sessionId": "builder", "toolName": WRITE, "path": new, "newText": "mine\n"}
        cancelled = asyncio.ensure_future(send("intent/applyEdit", params, msg_id="wish"))
        await person.is_asked(1)
        rejecting = asyncio.ensure_future(ask(editor, "applyEdit", toolName=WRITE, **_text(new)))
        await person.is_asked(2)
        # Granted by another hand, while both are asked about.
        repository.write(INTENTS_FILE, plan(editor).replace('"src/auth/**"', '"docs/**"'))
        assert (await wish(editor, "docs/other.md"))["allowed"]
        editor.client.cancel_request(lsp.CancelParams(id="wish"))
        with pytest.raises(JsonRpcException):
            await cancelled
        await editor.until(lambda: denied(editor), "the refusal is told")
        await person.loses(1)
        await editor.choose(REJECT)
        told = await rejecting
        assert not told["applied"]
        assert told["error"]["details"]["feedback"] == "a person rejected it"
        assert len(await entries(editor, "DENIED")) == 2
        assert not (repository.root / new).exists()


def _text(path: str) -> dict[str, str]:
    return {"path": path, "newText": "mine\n"}


# -- the first intent ---------------------------------------------------------------------------


async def test_the_first_intent_is_written_on_a_persons_word(repository: Repository) -> None:
    govern(repository)
    repository.write(INTENTS_FILE, "active_intents: []\n")
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        person = Person(editor)
        # No other file, and no other besides.
        for paths in ([LOGIN], [INTENTS_FILE, LOGIN]):
            told = await ask(editor, "validateEdit", toolName=WRITE, paths=paths)
            assert told["error"]["code"] == "CHECKOUT_REQUIRED"
        assert editor.asked == []
        told = await answered(editor, REJECT, INTENTS_FILE)
        rejected(told, "a person rejected it", intent_id=None)
        assert person.titles == [ONCE, REJECT]
        assert (
            person.question
            == f"intent-lsp: agent builder asks to change {INTENTS_FILE} with {WRITE}."
        )
        told = await answered(editor, ONCE, INTENTS_FILE)
        assert (told["allowed"], told["intentId"], told["scopeValidation"]) == (True, None, "PASS")
        record = await written(editor, told, INTENTS_FILE, INTENTS)
        assert record["approval"] == {"choice": "once", "session_id": "mine"}
        assert (record["intent_id"], record["files"][0]["relative_path"]) == (None, INTENTS_FILE)
        # From then on it is the control plane.
        await ask(editor, "select", intentId="INT-001")
        assert (await wish(editor, INTENTS_FILE))["error"]["code"] == "PATH_DENIED"
        assert len(editor.asked) == 2


async def test_without_a_person_an_agent_is_told_what_to_do_instead(repository: Repository) -> None:
    govern(repository)
    repository.write(INTENTS_FILE, "active_intents: []\n")
    async with editing(repository.root) as editor:
        editor.mistaken = True
        for _ in range(2):
            rejected(await wish(editor, INTENTS_FILE), FIRST_INTENT, intent_id=None)
        assert len(editor.asked) == 1
        told = await ask(editor, "applyEdit", toolName=WRITE, path=INTENTS_FILE, newText=INTENTS)
        assert (told["applied"], told["error"]["details"]["feedback"]) == (False, FIRST_INTENT)
        assert plan(editor) == "active_intents: []\n"


# -- people's own saves -------------------------------------------------------------------------


@pytest.mark.parametrize("entity", ["HUMAN", "AI"])
async def test_nobody_is_asked_while_a_save_waits(repository: Repository, entity: str) -> None:
    govern(repository, f"{ALWAYS}\n  enforcement: warn")
    contributor = {"entityType": entity, "modelIdentifier": "m"}
    async with editing(repository.root, options={"contributor": contributor}) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        for count, name in enumerate((LOGIN, INVOICE), 1):
            editor.open(name)
            editor.type(name, LINES + "more\n")
            await editor.save(name)
            await editor.traced(count)
        assert editor.asked == []
        set_policy(repository, f"{OUT_OF_SCOPE}\n  enforcement: block")
        editor.type(INVOICE, LINES + "more and more\n")
        # Turned back at once, although whoever is told of it never answers.
        await editor.save(INVOICE)
        assert editor.buffers[INVOICE].text == LINES + "more\n"
        assert ONCE not in [each.title for asked in editor.asked for each in asked.actions or ()]
