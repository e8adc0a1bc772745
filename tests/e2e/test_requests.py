"""The requests of `intent/*`, each by method and by command (protocol section 2)."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.wire.names import RequestName
from tests.support.editor import PATIENCE, Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"

LOGIN_INTENT = {
    "id": "INT-001",
    "name": "Login",
    "status": "IN_PROGRESS",
    "ownedScope": ["src/auth/**"],
    "constraints": ["No external providers"],
    "acceptanceCriteria": ["Tests pass"],
    "relatedFiles": [],
    "recentHistory": [],
    "specification": "INT-001",
    "flags": [],
}


async def both(editor: Editor, name: str, params: Any = None) -> Any:
    """Ask by request and by command, which must say the same."""
    by_request = await editor.ask(f"intent/{name}", params)
    arguments = () if params is None else (params,)
    by_command = await editor.command(f"intent.{name}", *arguments)
    assert by_request == by_command
    return by_request


async def refused(asking: Any) -> dict[str, Any]:
    with pytest.raises(Exception, match=r"\w") as raised:
        await asking
    assert getattr(raised.value, "code", None) == -32803
    data = getattr(raised.value, "data", None)
    return data if isinstance(data, dict) else data._asdict()  # type: ignore[union-attr,no-any-return] # pygls's tuple


async def save(editor: Editor, name: str, texts: Sequence[str]) -> None:
    """Save texts one after the other, each once the one before it is recorded."""
    editor.open(name)
    for text in texts:
        done = len(await editor.traced(0))
        editor.type(name, text)
        await editor.save(name)
        await editor.traced(done + 1)
    editor.close(name)


async def test_each_request_says_what_it_promises(repository: Repository) -> None:
    govern(repository)
    repository.write(".intentignore", "INT-002\n")
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        assert editor.server_capabilities is not None
        assert editor.server_capabilities.experimental == {"intent": {"version": "1"}}
        listed = await both(editor, "list")
        assert (listed["enabled"], listed["activeIntentId"]) == (True, None)
        assert [i["id"] for i in listed["intents"]] == ["INT-001", "INT-002"]
        assert [i["flags"] for i in listed["intents"]] == [[], ["INTENT_IGNORED"]]

        selected = await both(editor, "select", {"intent_id": "INT-001"})
        assert selected["intent"] == LOGIN_INTENT
        assert selected["context"]["intent"] == LOGIN_INTENT
        assert (await editor.command("intent.select", "INT-001"))["intent"] == LOGIN_INTENT
        status = await both(editor, "status", {})
        assert status == {
            "root": str(repository.root),
            "enabled": True,
            "fileState": "ok",
            "sessionId": "mine",
            "activeIntentId": "INT-001",
            "stage": "execution_authorized",
            "turn": 1,
            "enforcement": "warn",
            "records": 0,
            "heads": [],
            "failures": 0,
            "version": status["version"],
            "blindHosts": [],
            "hosts": [],
        }
        owned = await both(editor, "owners", {"file_path": LOGIN})
        assert owned["owners"] == [
            {"intentId": "INT-001", "pattern": "src/auth/**", "status": "IN_PROGRESS"}
        ]
        assert (owned["path"], owned["uri"]) == (LOGIN, editor.uri(LOGIN))
        assert await both(editor, "owners", {"uri": editor.uri(LOGIN)}) == owned
        # `path` is never percent-decoded, `uri` once.
        assert (await both(editor, "owners", {"path": "src%2Fauth/x"}))["owners"] == []
        encoded = editor.uri(LOGIN).replace("src/auth", "src%2Fauth")
        assert (await both(editor, "owners", {"uri": encoded}))["path"] == LOGIN

        await save(editor, LOGIN, [LINES + "1\n", LINES + "2\n"])
        await editor.traced(2)
        traced = await both(editor, "trace", {"path": LOGIN, "limit": 1})
        assert traced["records"] == [editor.records()[1]]
        rest = await both(editor, "trace", {"path": LOGIN, "limit": 5, "cursor": traced["cursor"]})
        assert rest["records"] == [editor.records()[0]]
        assert "cursor" not in rest
        assert len((await both(editor, "trace", {"intentId": "INT-001"}))["records"]) == 2
        assert (await both(editor, "trace", {"ofSession": "another"}))["records"] == []
        assert len((await both(editor, "trace", {"ofSession": "mine"}))["records"]) == 2
        # Who asks is no filter.
        assert len((await both(editor, "trace", {"sessionId": "another"}))["records"]) == 2
        assert (await both(editor, "trace", {"since": "2999-01-01T00:00:00Z"}))["records"] == []
        since = editor.records()[1]["timestamp"]
        assert len((await both(editor, "trace", {"since": since}))["records"]) >= 1
        assert traced["flags"] == {}
        verified = await both(editor, "verify")
        assert (verified["ok"], verified["records"], verified["problems"]) == (True, 2, [])
        assert verified["heads"] == [editor.records()[1]["integrity"]["record_hash"]]
        assert await both(editor, "drafts") == {"drafts": []}


async def test_what_became_of_an_intent_is_told(repository: Repository) -> None:
    govern(repository)
    repository.write(".intentignore", "INT-002\n")
    async with editing(repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        await save(editor, LOGIN, [LINES + "1\n"])
        await editor.traced(1)
        text = (repository.root / INTENTS_FILE).read_text()
        repository.write(INTENTS_FILE, text.replace("Tests pass", "All tests pass"))
        traced = await both(editor, "trace", {})
        assert set(map(tuple, traced["flags"].values())) == {("INTENT_CHANGED",)}
        repository.write(INTENTS_FILE, text.replace("INT-001", "INT-009"))
        traced = await both(editor, "trace", {})
        assert set(map(tuple, traced["flags"].values())) == {("INTENT_ARCHIVED",)}
        repository.write(INTENTS_FILE, text + "  - id: [\n")
        assert (await both(editor, "trace", {}))["flags"] == {}
        repository.write(INTENTS_FILE, text)

        assert await both(editor, "clear") == {"activeIntentId": None}
        assert (await both(editor, "status"))["stage"] == "checkout_required"
        # Refused with a code, and with what leads on.
        found = await refused(editor.ask("intent/select", {"intentId": "INT-002"}))
        assert found["code"] == "INTENT_IGNORED"
        assert found["matched_patterns"] == ["INT-002"]
        found = await refused(editor.command("intent.select", {"intentId": "NOPE"}))
        assert found["code"] == "INTENT_NOT_FOUND"
        repository.write(INTENTS_FILE, text.replace("IN_PROGRESS", "ABANDONED"))
        found = await refused(editor.ask("intent/select", {"intentId": "INT-001"}))
        assert found == {"code": "INTENT_CLOSED", "intent_id": "INT-001", "status": "ABANDONED"}


async def test_an_agents_session_is_its_own(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        theirs = {"sessionId": "an-agent"}
        answer = await editor.ask("intent/select", {**theirs, "intentId": "INT-002"})
        assert answer["intent"]["id"] == "INT-002"
        mine, agents = await editor.ask("intent/status"), await editor.ask("intent/status", theirs)
        assert (mine["activeIntentId"], agents["activeIntentId"]) == ("INT-001", "INT-002")
        assert (mine["sessionId"], agents["sessionId"]) == ("mine", "an-agent")
        assert (await editor.ask("intent/list", theirs))["activeIntentId"] == "INT-002"
        await editor.ask("intent/clear", theirs)
        assert (await editor.ask("intent/status"))["activeIntentId"] == "INT-001"
        # Named by its own id, the person's session is the person's.
        await editor.ask("intent/select", {"sessionId": "mine", "intentId": "INT-002"})
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        assert not await editor.settled(INVOICE)
        for bad in ({"sessionId": ""}, {"sessionId": "x" * 257}, {"sessionId": 7}):
            with pytest.raises(Exception, match=r"params\.sessionId") as raised:
                await editor.ask("intent/status", bad)
            assert getattr(raised.value, "code", None) == -32602


async def test_the_context_holds_its_budget(repository: Repository) -> None:
    govern(repository)
    hostile = "<b>&'\\u0001 ]]>"
    related = [*(f"src/auth/{n}.py" for n in range(3)), "src/billing/theirs.py"]
    for name in related:
        repository.write(name, LINES)
    criteria = "".join(f'      - "criterion {n} {"y" * 90}"\n' for n in range(130))
    history = "".join(f'      - "event {n} {"z" * 200}"\n' for n in range(20))
    repository.write(
        INTENTS_FILE,
        INTENTS.replace('name: "Login"', f'name: "{hostile}"').replace(
            '    acceptance_criteria: ["Tests pass"]\n',
            f"    acceptance_criteria:\n{criteria}    recent_history:\n{history}"
            f"    related_files: {json.dumps([*related, 'src/auth/no'])}\n",
        ),
    )
    repository.commit()
    async with editing(repository.root) as editor:
        small = await editor.ask("intent/select", {"intentId": "INT-001"})
        assert small["context"]["truncated"] != []
        await save(editor, LOGIN, [LINES + f"{n}\n" for n in range(25)])
        await editor.traced(25)
        answer = await editor.ask("intent/select", {"intentId": "INT-001"})
        text, context = answer["text"], answer["context"]
        assert len(text.encode()) <= 16_384
        assert "<name>&lt;b&gt;&amp;" in text
        assert "\x01" not in text
        dropped = [said.split(":")[0] for said in context["truncated"]]
        assert dropped[:2] == ["recent_records", "related_files"]
        assert all(f"{name}:" in text for name in dropped)
        assert "<glob>src/auth/**</glob>" in text
        assert context["intent"]["ownedScope"] == ["src/auth/**"]
        assert context["recentRecords"] == []
        # Nothing of another intent, nothing that is not in scope.
        other = await editor.ask("intent/select", {"intentId": "INT-002"})
        assert "INT-001" not in other["text"]
        assert other["context"]["truncated"] == []
        assert len((await editor.ask("intent/trace", {"limit": 1000}))["records"]) == 25
        seen: list[str] = []
        page: dict[str, Any] = {"cursor": None}
        while "cursor" in page:
            page = await editor.ask("intent/trace", {"limit": 10, "cursor": page["cursor"]})
            seen += [record["id"] for record in page["records"]]
        assert seen == [record["id"] for record in reversed(editor.records())]


async def test_a_cancelled_request_leaves_nothing_half_done(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")

        async def agreed() -> bool:
            status = await editor.ask("intent/status")
            code = "NO_ACTIVE_INTENT" if status["activeIntentId"] is None else "SCOPE_VIOLATION"
            return [problem.code for problem in await editor.settled(INVOICE)] == [code]

        # Whatever had begun is finished: intents file, session and problems agree.
        for _ in range(5):
            asking = asyncio.ensure_future(
                editor.client.protocol.send_request_async(
                    "intent/select", {"intentId": "INT-001"}, msg_id="select"
                )
            )
            await asyncio.sleep(0)
            editor.client.cancel_request(_cancel("select"))
            await asyncio.wait({asking})
            asking.exception()
            async with asyncio.timeout(PATIENCE):
                while not await agreed():
                    pass
        await editor.ask("intent/select", {"intentId": "INT-001"})
        text = (repository.root / INTENTS_FILE).read_text()
        assert text == INTENTS.replace("PLANNED", "IN_PROGRESS")
        await editor.ask("intent/clear")
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        # A person's choice that comes after the request was cancelled chooses nothing.
        asking = asyncio.ensure_future(
            editor.client.protocol.send_request_async(
                "workspace/executeCommand",
                lsp.ExecuteCommandParams("intent.select"),
                msg_id="choose",
            )
        )
        await editor.until(lambda: editor.asked, "it is offered")
        editor.client.cancel_request(_cancel("choose"))
        with pytest.raises(Exception, match="cancelled") as raised:
            await asking
        assert getattr(raised.value, "code", None) == -32800
        await editor.choose("INT-002: Billing")
        assert (await editor.ask("intent/status"))["activeIntentId"] is None
        await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        # Cancelled or not, what is asked next is answered.
        assert (await editor.ask("intent/verify"))["ok"]


def _cancel(identity: str) -> lsp.CancelParams:
    return lsp.CancelParams(id=identity)


async def test_a_dormant_workspace_answers_everything_and_writes_nothing(
    repository: Repository,
) -> None:
    repository.write("a.py", LINES)
    repository.commit()
    before = tree(repository.root)
    async with editing(repository.root) as editor:
        editor.open("a.py")
        editor.type("a.py", LINES + "more\n")
        await editor.save("a.py")
        assert await both(editor, "list") == {
            "enabled": False,
            "activeIntentId": None,
            "intents": [],
        }
        status = await both(editor, "status")
        assert (status["root"], status["enabled"], status["fileState"]) == (None, False, "missing")
        assert (await both(editor, "owners", {"path": "a.py"}))["owners"] == []
        for name, params in (
            ("select", {"intentId": "INT-001"}),
            ("clear", None),
            ("trace", None),
            ("verify", None),
            ("drafts", None),
        ):
            assert (await refused(editor.ask(f"intent/{name}", params)))["code"] == "NOT_GOVERNED"
            found = await refused(editor.command(f"intent.{name}", *([params] if params else [])))
            assert found["code"] == "NOT_GOVERNED"
        assert not await editor.actions("a.py")
        assert not await editor.settled("a.py")
        assert tree(repository.root) == before
        assert (editor.shown, editor.messages, editor.asked) == ({}, [], [])

        # Governed from one moment to the next, with the files that are open.
        made = await editor.command("intent.init")
        assert INTENTS_FILE in made["created"]
        assert (await both(editor, "init")) == {"created": []}
        assert (await editor.ask("intent/status"))["enabled"]
        editor.type("a.py", LINES + "more\nand more\n")
        await editor.problems("a.py", "NO_ACTIVE_INTENT")
        await editor.save("a.py")
        await editor.traced(1)
        (record,) = editor.records()
        assert record["scope_validation"] == "FAIL"
        repository.commit()
        await editor.problems("a.py")


async def test_a_server_that_is_switched_off_says_so_of_every_root(repository: Repository) -> None:
    govern(repository)
    declared = capabilities(workspace__configuration=True)
    async with editing(repository.root, client_capabilities=declared) as editor:
        editor.open(LOGIN)
        assert (await editor.ask("intent/status"))["enabled"]
        editor.settings = {"enabled": False}
        editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
        await editor.settled(LOGIN)
        status = await both(editor, "status")
        assert status["root"] is None
        assert status["reason"].startswith("governance is switched off")
        with pytest.raises(Exception, match="governance is switched off"):
            await editor.ask("intent/trace")


async def test_a_server_that_is_switched_off_makes_no_root_inside_another(
    repository: Repository,
) -> None:
    govern(repository)
    inner = repository.root / "src"
    async with editing(repository.root, folders=[inner], options={"enabled": False}) as editor:
        made = await editor.ask("intent/init")
        assert INTENTS_FILE not in made["created"]
        assert not (inner / ".orchestration").exists()


def tree(root: Path) -> list[str]:
    return sorted(str(path) for path in root.rglob("*"))


async def test_governance_that_comes_by_hand(repository: Repository) -> None:
    repository.write("a.py", LINES)
    repository.commit()
    async with editing(repository.root) as editor:
        editor.open("a.py")
        assert not await editor.settled("a.py")
        # Written in the editor itself.
        editor.open(INTENTS_FILE, "")
        editor.type(INTENTS_FILE, INTENTS)
        await editor.save(INTENTS_FILE)
        editor.type("a.py", "top\n" + LINES)
        await editor.problems("a.py", "NO_ACTIVE_INTENT")
        editor.type(INTENTS_FILE, INTENTS.replace("PLANNED", "RUNNING"))
        nothing = ["SCOPE_MATCHES_NOTHING"] * 2
        await editor.problems(INTENTS_FILE, "UNKNOWN_STATUS", *nothing)


async def test_governance_that_comes_by_another_hand(repository: Repository) -> None:
    repository.write("a.py", LINES)
    repository.commit()
    declared = capabilities(workspace__didChangeWatchedFiles={"dynamicRegistration": True})
    async with editing(repository.root, client_capabilities=declared) as editor:
        await editor.until(lambda: editor.registered, "it asks to be told")
        assert editor.registered == ["workspace/didChangeWatchedFiles"]
        editor.open("a.py")
        assert not await editor.settled("a.py")
        repository.write(INTENTS_FILE, INTENTS)
        change = lsp.FileEvent(editor.uri(INTENTS_FILE), lsp.FileChangeType.Created)
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([change]))
        editor.type("a.py", "top\n" + LINES)
        await editor.problems("a.py", "NO_ACTIVE_INTENT")


async def test_a_client_that_cannot_ask_is_told_the_ids(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root, client_capabilities=capabilities(window={})) as editor:
        # A person who closes the message has chosen nothing.
        await editor.choose("")
        assert await editor.command("intent.select") is None
        editor.mistaken = True
        with pytest.raises(Exception, match="INT-001, INT-002") as raised:
            await editor.command("intent.select")
        assert getattr(raised.value, "code", None) == -32602


async def test_an_agent_without_a_session_of_its_own_keeps_the_model_it_names(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        named = {"intentId": "INT-001", "modelIdentifier": "maker/model-1"}
        await editor.ask("intent/select", named)
        given = await editor.ask("intent/validateEdit", {"toolName": "Write", "path": LOGIN})
        assert given["allowed"]
        repository.write(LOGIN, "by an agent\n")
        await editor.ask("intent/recordEdit", {"ticket": given["ticket"], "success": True})
        (record,) = editor.records()
        (talk,) = record["files"][0]["conversations"]
        assert talk["contributor"] == {"entity_type": "AI", "model_identifier": "maker/model-1"}
        [host] = (await editor.ask("intent/status"))["hosts"]
        assert (host["host"], host["registered"]) == ("lsp", False)
        assert host["lastHeard"] is not None


async def test_the_only_root_that_is_known_is_meant_where_none_is_named(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    assert repository.root == tmp_path / "repository"
    async with editing(tmp_path, folders=[]) as editor:
        assert (await editor.ask("intent/status"))["root"] is None
        editor.open(f"repository/{LOGIN}")
        editor.type(f"repository/{LOGIN}", "top\n" + LINES)
        await editor.problems(f"repository/{LOGIN}", "NO_ACTIVE_INTENT")
        assert (await editor.ask("intent/status"))["root"] == str(repository.root)
        await editor.ask("intent/select", {"intentId": "INT-001"})


async def test_every_request_is_answered_by_a_handler_of_its_own(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        for name in RequestName:
            with pytest.raises(Exception, match="expected") as raised:
                await editor.ask(f"intent/{name}", [name])
            assert getattr(raised.value, "code", None) == -32602, name
