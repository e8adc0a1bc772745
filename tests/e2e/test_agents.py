"""Agents on a connection: checked out, judged, recorded, through a real client.

Specified in requirements section 6.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import INTENTS_FILE
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INVOICE = "src/billing/invoice.py"
WRITE = {"toolName": "write_to_file", "path": LOGIN}


async def ask(editor: Editor, name: str, session: str = "builder", **params: Any) -> Any:
    return await editor.ask(f"intent/{name}", {"sessionId": session, **params})


async def failing(editor: Editor, name: str, **params: Any) -> Any:
    with pytest.raises(JsonRpcException) as raised:
        await ask(editor, name, **params)
    return raised.value


async def test_an_agents_edit_from_refusal_to_record(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        denied = await ask(editor, "validateEdit", **WRITE)
        assert (denied["allowed"], denied["ticket"]) == (False, None)
        assert denied["error"]["type"] == "HOOK_PRE_TOOL_DENIED"
        assert denied["error"]["code"] == "CHECKOUT_REQUIRED"
        assert denied["reason"] == denied["error"]["message"]

        def refusals() -> list[Any]:
            return [told for method, told in editor.notified if method == "intent/didDeny"]

        (told,) = await editor.until(refusals, "the refusal is told")
        assert (told["toolName"], told["reason"]) == ("write_to_file", denied["reason"])
        await ask(editor, "select", intentId="INT-001")
        read = await ask(editor, "recordRead", path=LOGIN)
        assert read["hash"] == hash_content(LINES.encode())
        outside = await ask(editor, "validateEdit", toolName="Edit", path=INVOICE)
        assert outside["error"]["code"] == "SCOPE_VIOLATION"
        assert outside["error"]["details"]["owning_intents"] == {INVOICE: ["INT-002"]}
        allowed = await ask(
            editor, "validateEdit", **WRITE, mutation_class="BUG_FIX", original_hash=read["hash"]
        )
        assert (allowed["allowed"], allowed["scopeValidation"]) == (True, "PASS")
        assert (allowed["intentId"], allowed["mutationClass"]) == ("INT-001", "BUG_FIX")
        (file,) = allowed["files"]
        assert (file["path"], file["preHash"]) == (LOGIN, read["hash"])
        assert file["uri"] == editor.uri(LOGIN)
        repository.write(LOGIN, "new\n" + LINES)
        done = await ask(editor, "recordEdit", ticket=allowed["ticket"], success=True)
        assert done["files"][0]["postHash"] == hash_content(("new\n" + LINES).encode())
        (trace,) = await editor.traced(1)
        assert trace["recordId"] == done["recordId"]
        assert await ask(editor, "recordEdit", ticket=allowed["ticket"], success=True) == done
        (record,) = editor.records()
        assert (record["session_id"], record["mutation_class"]) == ("builder", "BUG_FIX")
        assert (await editor.ask("intent/verify"))["ok"]
        # The person's own window has none of it.
        assert (await editor.ask("intent/status"))["activeIntentId"] is None


async def test_an_agent_is_told_what_its_command_has_broken_and_the_way_back(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        command = {"toolName": "Bash", "command": "pytest -q"}
        # Nobody needs an intent in order to test.
        allowed = await ask(editor, "validateEdit", **command)
        assert (allowed["allowed"], allowed["scopeValidation"]) == (True, "EXEMPT")
        repository.write(INVOICE, "by the tests\n")
        done = await ask(editor, "recordEdit", ticket=allowed["ticket"], success=True)
        (violation,) = done["violations"]
        assert (violation["path"], violation["uri"]) == (INVOICE, editor.uri(INVOICE))
        assert violation["code"] == "NO_ACTIVE_INTENT"
        assert f"`git restore -- {INVOICE}`" in violation["message"]
        assert await ask(editor, "recordEdit", ticket=allowed["ticket"], success=True) == done
        # The way back needs no intent, and is compared.
        back = {"toolName": "Bash", "command": f"git restore -- {INVOICE}"}
        allowed = await ask(editor, "validateEdit", **back)
        repository.git("restore", "--", INVOICE)
        done = await ask(editor, "recordEdit", ticket=allowed["ticket"], success=True)
        assert done["violations"] == []
        # What a verification changes is told by whoever tells how it came out.
        await ask(editor, "validateEdit", **command)
        repository.write(INVOICE, "by the tests\n")
        told = await ask(editor, "recordVerification", command="pytest -q", success=True)
        assert [each["path"] for each in told["violations"]] == [INVOICE]


async def test_sessions_and_turns_survive_the_server(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        ticket = (await ask(editor, "validateEdit", **WRITE))["ticket"]
    async with editing(repository.root) as editor:
        status = await ask(editor, "status")
        assert (status["activeIntentId"], status["turn"]) == ("INT-001", 1)
        busy = await ask(editor, "validateEdit", session="architect", **WRITE)
        assert busy["error"]["code"] == "CHECKOUT_REQUIRED"
        await ask(editor, "select", session="architect", intentId="INT-001")
        busy = await ask(editor, "validateEdit", session="architect", **WRITE)
        assert busy["error"]["details"]["files"][0]["claimed_by"] == "builder"
        repository.write(LOGIN, "new\n")
        assert (await ask(editor, "recordEdit", ticket=ticket, success=True))["recordId"]
        turn = await ask(editor, "beginTurn")
        assert turn == {"turn": 2, "stage": "checkout_required"}
        again = await ask(editor, "validateEdit", **WRITE)
        assert again["error"]["code"] == "CHECKOUT_REQUIRED"
        assert not again["error"]["message"].startswith("You must cite")


async def test_where_nobody_governs_everything_may_happen(repository: Repository) -> None:
    async with editing(repository.root) as editor:
        told = await ask(editor, "validateEdit", toolName="Bash", command="rm -rf /")
        assert (told["allowed"], told["scopeValidation"], told["ticket"]) == (True, "EXEMPT", None)
        error = await failing(editor, "recordEdit", ticket="t", success=True)
        assert (error.code, error.data["code"]) == (-32803, "TICKET_UNKNOWN")
        assert (await failing(editor, "beginTurn")).data["code"] == "NOT_GOVERNED"
    assert not (repository.root / INTENTS_FILE).exists()


UNREADABLE: Sequence[tuple[str, Mapping[str, Any], str]] = (
    ("validateEdit", {}, "toolName"),
    ("validateEdit", {"toolName": ""}, "params.toolName"),
    ("validateEdit", {"toolName": "x" * 257}, "params.toolName"),
    ("validateEdit", {**WRITE, "mutationClass": "MAGIC"}, "params.mutationClass"),
    ("validateEdit", {**WRITE, "readHash": "md5"}, "params.readHash"),
    ("validateEdit", {**WRITE, "paths": ["b"], "readHash": None}, "readHashes"),
    ("validateEdit", {**WRITE, "readHashes": {"a": "x"}}, "params.readHashes.a"),
    ("validateEdit", {"toolName": "Edit", "uri": "untitled:x"}, "params.uri"),
    ("validateEdit", {**WRITE, "paths": "a"}, "params.paths"),
    ("recordEdit", {"success": True}, "ticket"),
    ("recordEdit", {"ticket": "t"}, "success"),
    ("recordRead", {}, "params.path"),
    ("recordRead", {"path": "../x"}, "params.path"),
    ("recordRead", {"path": LOGIN, "hash": "x"}, "params.hash"),
)


async def test_what_cannot_be_read_names_the_field(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        for name, params, said in UNREADABLE:
            error = await failing(editor, name, **params)
            assert (error.code, said in str(error)) == (-32602, True), (params, str(error))
