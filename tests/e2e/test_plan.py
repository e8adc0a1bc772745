"""The plan on the wire: intents made and completed, scope granted, the gate explained (protocol 2).

Agents' own sessions are here too: what they say of themselves, and their subagents.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.support.editor import PATIENCE, Editor, capabilities, editing
from tests.support.governed_repository import INTENTS, LINES, govern, set_policy
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN = "src/auth/login.py"
INVOICE = "src/billing/invoice.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"
GOVERNANCE_LEDGER = ".orchestration/governance_ledger.md"
WRITE = "write_to_file"
STAR = "\N{ASTERISK OPERATOR}"
"""A `*` in words that a person reads, where it could be Markdown."""
FAILED = -32803
INVALID = -32602
DECIDED = ["Approve", "Reject"]
REJECTED = {"approved": False, "feedback": "a person rejected it"}


async def ask(editor: Editor, request: str, session: str | None = None, /, **params: Any) -> Any:
    named = {} if session is None else {"sessionId": session}
    return await editor.ask(f"intent/{request}", {**named, **params})


async def failing(
    editor: Editor, request: str, session: str | None = None, /, **params: Any
) -> Any:
    """Ask what cannot be answered, by request and by command; give the error of both."""
    named = {} if session is None else {"sessionId": session}
    with pytest.raises(JsonRpcException) as by_request:
        await editor.ask(f"intent/{request}", {**named, **params})
    with pytest.raises(JsonRpcException) as by_command:
        await editor.command(f"intent.{request}", {**named, **params})
    one, other = by_request.value, by_command.value
    assert (one.code, one.message, one.data) == (other.code, other.message, other.data)
    return one


async def both(editor: Editor, request: str, session: str | None = None, /, **params: Any) -> Any:
    """Ask by request and by command, which must say the same."""
    told = await ask(editor, request, session, **params)
    named = {} if session is None else {"sessionId": session}
    assert await editor.command(f"intent.{request}", {**named, **params}) == told
    return told


def plan(editor: Editor) -> str:
    return (editor.root / INTENTS_FILE).read_text()


def question(editor: Editor) -> str:
    """Give what was asked last, which is a person's to approve or to reject."""
    asked = editor.asked[-1]
    assert [action.title for action in asked.actions or ()] == DECIDED
    return asked.message


def changes(editor: Editor) -> list[Any]:
    return [told for method, told in editor.notified if method == "intent/didChange"]


def contents(room: Path) -> Mapping[str, bytes]:
    """Read every file, but for the memory that a database's readers share.

    Nor what is kept of changed files: whoever watches the work tree does that in its own time.
    """
    files = (path for path in room.rglob("*") if path.is_file())
    return {
        str(path): path.read_bytes()
        for path in files
        if not path.name.endswith("-shm") and path.parent.name != "snapshots"
    }


# -- create -------------------------------------------------------------------------------------

MAIL = ["src/mail/**", "!src/mail/generated/**"]


async def test_a_person_makes_intents_at_once_and_an_agent_has_to_be_let(
    repository: Repository,
) -> None:
    govern(repository)
    # Nothing is shown that was made: nobody has the plan open.
    unshowing = capabilities(window={})
    options = {"sessionId": "mine"}
    async with editing(repository.root, options=options, client_capabilities=unshowing) as editor:
        before = plan(editor)
        made = await ask(editor, "create", name="Mail", ownedScope=MAIL)
        assert set(made) == {"approved", "intent"}
        intent = made["intent"]
        assert (made["approved"], intent["id"], intent["status"]) == (True, "INT-003", "PLANNED")
        assert (intent["name"], intent["ownedScope"]) == ("Mail", MAIL)
        assert intent["createdAt"]
        # What stood there stays as it was.
        assert plan(editor).startswith(before)
        assert (await ask(editor, "list"))["intents"][2] == intent
        assert (await ask(editor, "select", intentId="INT-003"))["intent"]["id"] == "INT-003"

        told = {
            "name": "Post",
            "owned_scope": ["src/post/**"],
            "id": "INT-041",
            "status": "BLOCKED",
        }
        made = await editor.command("intent.create", {**told, "acceptance_criteria": ["a"]})
        assert (made["intent"]["id"], made["intent"]["status"]) == ("INT-041", "BLOCKED")
        assert made["intent"]["acceptanceCriteria"] == ["a"]
        made = await ask(editor, "create", "mine", name="Next", ownedScope=["src/n/**"])
        assert made["intent"]["id"] == "INT-042"
        assert editor.asked == []

        # An agent's is a person's to make.
        before = plan(editor)
        wanted: dict[str, Any] = {"name": "Theirs", "ownedScope": ["src/a/**", "src/b/**"]}
        await editor.choose("Reject")
        assert await ask(editor, "create", "builder", **wanted) == REJECTED
        assert question(editor) == (
            "intent-lsp: agent builder asks to create the intent Theirs,"
            f" which owns src/a/{STAR}{STAR}, src/b/{STAR}{STAR}."
        )
        await editor.choose("")
        told = await editor.command("intent.create", {"sessionId": "builder", **wanted})
        assert told == {"approved": False, "feedback": "the question was closed without an answer"}
        assert plan(editor) == before
        await editor.choose("Approve")
        made = await ask(editor, "create", "builder", **wanted)
        assert (made["approved"], made["intent"]["id"]) == (True, "INT-043")
        assert len(editor.asked) == 3

        # What cannot be written is said, and is not written.
        before = plan(editor)
        wanted = {"name": "Mail", "ownedScope": ["src/mail/**"]}
        error = await failing(editor, "create", **wanted, id="INT-041")
        assert (error.code, error.data["code"]) == (FAILED, "INTENTS_FILE_UNWRITTEN")
        assert "the file already has an intent INT-041" in error.message
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, before + "# more\n")
        await editor.settled(INTENTS_FILE)
        error = await failing(editor, "create", **wanted)
        assert error.data == {
            "code": "INTENTS_FILE_UNWRITTEN",
            "reason": "the file is open in an editor with unsaved changes",
        }
        assert plan(editor) == before
        # Whoever cannot be asked is asked once.
        editor.mistaken = True
        told = await both(editor, "create", "builder", **wanted)
        cannot = "nobody can be asked: the editor does not support window/showMessageRequest"
        assert told == {"approved": False, "feedback": cannot}
        assert len(editor.asked) == 4


UNGRANTABLE = (
    "**",
    "**/*",
    "./**",
    "/etc/**",
    "../x",
    "C:/x",
    "*/**",
    "!src/x",
    ".orchestration/**",
    ".Orchestration/agent_trace.jsonl",
    ".git/config",
    ".intentignore",
    ".claude/settings.json",
)

UNREADABLE: Sequence[tuple[str, Mapping[str, Any], str]] = (
    ("create", {"ownedScope": ["a"]}, "name"),
    ("create", {"name": "", "ownedScope": ["a"]}, "params.name"),
    ("create", {"name": "A"}, "ownedScope"),
    ("create", {"name": "A", "ownedScope": []}, "params.ownedScope"),
    ("create", {"name": "A", "ownedScope": "src/**"}, "params.ownedScope"),
    ("create", {"name": "A", "owned_scope": ["a", 7]}, "params.ownedScope[1]"),
    ("create", {"name": "A", "ownedScope": ["a"], "status": "RUNNING"}, "params.status"),
    ("complete", {"intentId": 7}, "params.intentId"),
    ("requestScopeExpansion", {"patterns": []}, "params.patterns"),
    ("requestScopeExpansion", {"patterns": ["src/x.py"]}, "params.intentId"),
    ("requestScopeExpansion", {"patterns": ["x"], "ttlSeconds": 0}, "params.ttlSeconds"),
    ("requestScopeExpansion", {"patterns": ["x"], "ttl_seconds": "1"}, "params.ttlSeconds"),
    ("requestScopeExpansion", {"patterns": ["x"], "ttlSeconds": 1.5}, "params.ttlSeconds"),
    ("recordVerification", {"command": "pytest"}, "success"),
    ("recordVerification", {"success": False}, "command"),
    ("explain", {}, "params.path"),
    ("explain", {"path": "../x"}, "params.path"),
    ("explain", {"toolName": "", "path": LOGIN}, "params.toolName"),
)


async def test_what_grants_nothing_or_everything_is_asked_of_nobody(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        # Whoever is asked all the same is told so at once.
        editor.mistaken = True
        for pattern in UNGRANTABLE:
            wanted: Sequence[tuple[str, str, Mapping[str, Any]]] = (
                ("requestScopeExpansion", "patterns", {"intentId": "INT-001"}),
                ("create", "ownedScope", {"name": "All"}),
            )
            for name, field, more in wanted:
                error = await failing(editor, name, "builder", **more, **{field: [pattern]})
                said = f"params.{field}[0]: "
                assert (error.code, error.message[: len(said)]) == (INVALID, said), pattern
        mixed = ["src/fine.py", "**"]
        error = await failing(editor, "requestScopeExpansion", intentId="INT-001", patterns=mixed)
        assert error.message.startswith("params.patterns[1]: ")
        for name, params, said in UNREADABLE:
            error = await failing(editor, name, **params)
            assert (error.code, said in error.message) == (INVALID, True), (params, error.message)
        assert editor.asked == []
        assert plan(editor) == INTENTS


# -- complete -----------------------------------------------------------------------------------


async def test_what_is_completed_is_closed(repository: Repository) -> None:
    govern(repository)
    repository.write("late.py", LINES)
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        # Nothing to complete, and nothing of that name.
        error = await failing(editor, "complete")
        assert (error.code, error.data["code"]) == (FAILED, "INTENT_NOT_FOUND")
        error = await failing(editor, "complete", intentId="INT-009")
        assert error.data["code"] == "INTENT_NOT_FOUND"
        assert [each["id"] for each in error.data["available_intents"]] == ["INT-001", "INT-002"]

        await ask(editor, "select", intentId="INT-001")
        await ask(editor, "select", "builder", intentId="INT-001")
        await ask(editor, "select", "other", intentId="INT-002")
        editor.open(INTENTS_FILE)
        text = plan(editor)
        editor.type(INTENTS_FILE, text + "# more\n")
        await editor.settled(INTENTS_FILE)
        error = await failing(editor, "complete")
        assert error.data == {
            "code": "INTENTS_FILE_UNWRITTEN",
            "reason": "the file is open in an editor with unsaved changes",
        }
        assert (await ask(editor, "status"))["activeIntentId"] == "INT-001"
        assert plan(editor) == text
        editor.close(INTENTS_FILE)

        told = len(changes(editor))
        done = await ask(editor, "complete")
        assert set(done) == {"intent", "completed"}
        assert (done["intent"]["id"], done["intent"]["status"]) == ("INT-001", "COMPLETED")
        assert plan(editor) == text.replace("IN_PROGRESS", "COMPLETED", 1)
        status = await ask(editor, "status")
        assert (status["activeIntentId"], status["stage"]) == (None, "checkout_required")
        (change,) = await editor.until(lambda: changes(editor)[told:], "it is told")
        assert change["activeIntentId"] is None
        # Whoever else works for it is refused from now on.
        closed = await ask(editor, "validateEdit", "builder", toolName=WRITE, path=LOGIN)
        assert closed["error"]["code"] == "INTENT_CLOSED"
        for name, params in (
            ("select", {"intentId": "INT-001"}),
            ("complete", {"intent_id": "INT-001"}),
            ("requestScopeExpansion", {"intentId": "INT-001", "patterns": ["src/x.py"]}),
        ):
            error = await failing(editor, name, "builder", **params)
            assert error.data == {
                "code": "INTENT_CLOSED",
                "intent_id": "INT-001",
                "status": "COMPLETED",
            }

        # An agent's own, by command; it is asked of nobody.
        done = await editor.command("intent.complete", {"sessionId": "other"})
        assert done["intent"]["id"] == "INT-002"
        status = await ask(editor, "status", "other")
        assert (status["activeIntentId"], status["stage"]) == (None, "checkout_required")
        assert editor.asked == []


# -- scope --------------------------------------------------------------------------------------


async def test_scope_is_a_persons_to_grant(repository: Repository) -> None:
    govern(repository)
    repository.write(".intentignore", "INT-002\n")
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        await ask(editor, "select", "builder", intentId="INT-001")
        before = plan(editor)
        wanted = {"patterns": ["src/billing/**", "docs/*.md"], "reason": "invoices `log` in"}
        await editor.choose("Reject")
        assert await ask(editor, "requestScopeExpansion", "builder", **wanted) == REJECTED
        assert question(editor) == (
            "intent-lsp: agent builder asks to expand the scope of INT-001 with"
            f" src/billing/{STAR}{STAR}, docs/{STAR}.md (invoices 'log' in)."
        )
        assert (plan(editor), editor.records()) == (before, [])
        refused = await ask(editor, "validateEdit", "builder", toolName=WRITE, path=INVOICE)
        assert refused["error"]["code"] == "SCOPE_VIOLATION"

        await editor.choose("Approve")
        told = await ask(editor, "requestScopeExpansion", "builder", **wanted)
        assert set(told) == {"approved", "intent"}
        assert told["intent"]["ownedScope"] == ["src/auth/**", "src/billing/**", "docs/*.md"]
        assert plan(editor) == before.replace(
            '["src/auth/**"]', '["src/auth/**", "src/billing/**", "docs/*.md"]'
        )
        (record,) = editor.records()
        assert (record["tool_name"], record["session_id"]) == ("intent/grant", "builder")
        assert record["grant"] == {
            "patterns": wanted["patterns"],
            "reason": wanted["reason"],
            "granted_by": "mine",
            "expires_at": None,
        }
        allowed = await ask(editor, "validateEdit", "builder", toolName=WRITE, path=INVOICE)
        assert (allowed["allowed"], allowed["scopeValidation"]) == (True, "PASS")

        # A person is asked too, unless they have clicked; a token that nobody gave is no click.
        await editor.choose("Approve")
        told = await editor.command(
            "intent.requestScopeExpansion",
            {"intent_id": "INT-001", "patterns": ["x.py"], "grant_token": "forged"},
        )
        assert told["approved"]
        assert question(editor).startswith("intent-lsp: you ask to expand the scope of INT-001")
        assert len(editor.asked) == 3

        error = await failing(
            editor, "requestScopeExpansion", intentId="INT-009", patterns=["src/x.py"]
        )
        assert (error.code, error.data["code"]) == (FAILED, "INTENT_NOT_FOUND")
        error = await failing(
            editor, "requestScopeExpansion", intentId="INT-002", patterns=["src/x.py"]
        )
        assert (error.code, error.data["code"]) == (FAILED, "INTENT_IGNORED")
        editor.open(INTENTS_FILE)
        editor.type(INTENTS_FILE, plan(editor) + "# more\n")
        await editor.settled(INTENTS_FILE)
        records = editor.records()
        for _ in range(2):
            await editor.choose("Approve")
        error = await failing(
            editor, "requestScopeExpansion", intentId="INT-001", patterns=["src/x.py"]
        )
        assert error.data["code"] == "INTENTS_FILE_UNWRITTEN"
        assert editor.records() == records
        assert (await ask(editor, "verify"))["ok"]


async def test_scope_for_a_time_ends_by_itself(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await ask(editor, "select", intentId="INT-001")
        await ask(editor, "select", "builder", intentId="INT-001")
        before = plan(editor)
        await editor.choose("Approve")
        told = await ask(
            editor, "requestScopeExpansion", "builder", patterns=["docs/**"], ttlSeconds=3600
        )
        assert question(editor).endswith(f"with docs/{STAR}{STAR} for 1:00:00.")
        # Live at once, and not in the file.
        edit = {"toolName": WRITE, "path": "docs/new.md"}
        assert (await ask(editor, "validateEdit", "builder", **edit))["scopeValidation"] == "PASS"
        assert told["expiresAt"] > editor.records()[-1]["timestamp"]
        assert editor.records()[-1]["grant"]["expires_at"] == told["expiresAt"]
        assert told["intent"]["ownedScope"] == ["src/auth/**"]
        assert plan(editor) == before

        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        seen = _watch(editor, INVOICE)
        await editor.choose("Approve")
        wanted = {"intentId": "INT-001", "patterns": ["src/billing/**"], "ttlSeconds": 1}
        await editor.command("intent.requestScopeExpansion", wanted)
        # Shown again, without anybody doing anything.
        ended = [[], ["SCOPE_VIOLATION"]]
        await editor.until(lambda: seen[-2:] == ended, "it was in scope, and is not any more")

        async def refused() -> bool:
            told = await ask(editor, "validateEdit", "builder", toolName="Edit", path=INVOICE)
            return not told["allowed"] and told["error"]["code"] == "SCOPE_VIOLATION"

        async with asyncio.timeout(PATIENCE):
            while not await refused():
                pass
        assert (await ask(editor, "validateEdit", "builder", **edit))["allowed"]
        assert plan(editor) == before


def _watch(editor: Editor, name: str) -> list[list[Any]]:
    """Note the codes that a file shows from now on, whenever they change."""
    features = editor.client.protocol.fm.features
    heard = features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]
    seen: list[list[Any]] = []

    async def published(params: lsp.PublishDiagnosticsParams) -> None:
        codes = [found.code for found in params.diagnostics]
        if params.uri == editor.uri(name) and seen[-1:] != [codes]:
            seen.append(codes)
        await heard(params)

    features[lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published
    return seen


# -- explain ------------------------------------------------------------------------------------


def outcomes(told: Any) -> str:
    """Give the outcomes of rows 1 to 16 by their first letters."""
    assert [row["row"] for row in told["rows"]] == list(range(1, 17))
    for row in told["rows"]:
        assert set(row) == {"row", "code", "label", "fact", "outcome"}
        assert (row["code"] is None) == (row["row"] < 3)
        assert row["fact"]
    return "".join(row["outcome"][0] for row in told["rows"])


async def test_every_row_of_the_gate_is_explained_and_nothing_is_kept_of_it(
    repository: Repository,
) -> None:
    govern(repository, "hitl: out_of_scope")
    async with editing(repository.root, options={"sessionId": "mine"}) as editor:
        await ask(editor, "select", intentId="INT-001")
        await ask(editor, "select", "builder", intentId="INT-001")
        await ask(editor, "recordRead", "builder", path=LOGIN)
        before = contents(repository.root / ".orchestration")

        # A path alone: the person's save.
        told = await both(editor, "explain", path=LOGIN)
        assert outcomes(told) == "ppssss" + "ppppppp" + "sss"
        assert (told["decision"]["allowed"], told["decision"]["ticket"]) == (True, None)
        assert told["decision"]["files"][0]["uri"] == editor.uri(LOGIN)
        told = await both(editor, "explain", uri=editor.uri(INVOICE))
        assert outcomes(told) == "ppssss" + "pppppfp" + "sss"
        assert told["decision"]["error"]["code"] == "SCOPE_VIOLATION"

        # Another's path alone: that it writes it.
        told = await both(editor, "explain", "builder", path=INVOICE)
        assert outcomes(told) == "p" * 11 + "f" + "ppp" + "f"
        assert "write_to_file" in told["rows"][1]["fact"]

        # A call: an agent's.
        call = {"toolName": WRITE, "path": LOGIN, "toolUseId": "use", "mutation_class": "BUG_FIX"}
        told = await both(editor, "explain", "builder", **call)
        assert outcomes(told) == "p" * 16
        decision = told["decision"]
        assert (decision["allowed"], decision["ticket"]) == (True, None)
        assert (decision["intentId"], decision["mutationClass"]) == ("INT-001", "BUG_FIX")
        assert decision["files"][0]["preHash"].startswith("sha256:")
        told = await both(editor, "explain", "builder", toolName=WRITE, paths=[LOGIN, INVOICE])
        assert outcomes(told) == "p" * 11 + "f" + "ppp" + "f"
        assert "INT-002 owns it by" in told["rows"][11]["fact"]
        assert told["decision"]["error"]["code"] == "HITL_REJECTED"
        told = await both(editor, "explain", "stranger", toolName="Bash", command="rm -rf .git")
        assert outcomes(told)[:8] == "ppfppfpf"
        assert told["decision"]["error"]["code"] == "CHECKOUT_REQUIRED"
        told = await both(editor, "explain", "builder", toolName="Read", path=INVOICE)
        assert outcomes(told) == "pssspsssssssssss"
        assert told["decision"]["scopeValidation"] == "EXEMPT"

        assert (editor.asked, editor.records()) == ([], [])
        assert contents(repository.root / ".orchestration") == before
        assert [each for each in editor.notified if each[0] == "intent/didDeny"] == []
        # What was explained was not called: the same id can still be.
        assert (await ask(editor, "validateEdit", "builder", **call))["ticket"]


# -- what failed --------------------------------------------------------------------------------


async def test_a_verification_that_failed_is_a_lesson(
    repository: Repository,
) -> None:
    govern(repository)
    lessons = repository.root / "CLAUDE.md"
    failed = {"command": "FOO=1 pytest -x 'tests/`auth`'", "success": False}
    async with editing(repository.root) as editor:
        output = "E   assert SECRET_OUTPUT == 1"
        assert not lessons.exists()
        lessons.write_text("# Ours\n")
        # What succeeded teaches nothing.
        told = await both(editor, "recordVerification", "builder", command="pytest", success=True)
        assert told == {"lessonRecorded": False, "violations": []}
        assert lessons.read_text() == "# Ours\n"
        told = await ask(editor, "recordVerification", "builder", **failed, output=output)
        assert told == {"lessonRecorded": True, "violations": []}
        text = lessons.read_text()
        assert text.startswith("# Ours\n")
        assert "<!-- intent-lsp lessons -->" in text
        (line,) = [line for line in text.splitlines() if line.startswith("- ")]
        assert "VERIFICATION_FAILED" in line
        assert "pytest" in line
        assert not {"SECRET_OUTPUT", "tests/", "`"} & {
            word for word in ("SECRET_OUTPUT", "tests/", "`") if word in text
        }
        # The same once more is no new lesson; another program's is one.
        told = await both(editor, "recordVerification", "other", **failed)
        assert (told, lessons.read_text()) == ({"lessonRecorded": False, "violations": []}, text)
        told = await editor.command(
            "intent.recordVerification", {"command": "ruff check", "success": False}
        )
        assert told == {"lessonRecorded": True, "violations": []}


# -- agents -------------------------------------------------------------------------------------


async def test_what_an_agent_says_of_itself_stands_in_its_records(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        url = "https://agents.example/c/7"
        said = {"modelIdentifier": "maker/model-1", "conversationUrl": url}
        await ask(editor, "select", "builder", intentId="INT-001", **said)
        said = {"model_identifier": "maker/model-2", "conversation_url": f"{url}8"}
        await editor.command(
            "intent.select", {"session_id": "other", "intent_id": "INT-002", **said}
        )
        await ask(editor, "select", "silent", intentId="INT-001")
        edits = (
            ("builder", LOGIN, "maker/model-1", url),
            ("other", INVOICE, "maker/model-2", f"{url}8"),
            ("silent", "src/auth/new.py", "unknown", "silent"),
        )
        for session, path, model, where in edits:
            await ask(editor, "recordRead", session, path=path)
            call = {"tool_name": WRITE, "file_path": path, "mutation_class": "BUG_FIX"}
            call["tool_use_id"] = "1"
            ticket = (await both(editor, "validateEdit", session, **call))["ticket"]
            repository.write(path, f"{session}\n")
            done = await both(editor, "recordEdit", session, ticket=ticket, success=True)
            record = editor.records()[-1]
            assert record["id"] == done["recordId"]
            (conversation,) = record["files"][0]["conversations"]
            contributor = {"entity_type": "AI", "model_identifier": model}
            assert (conversation["url"], conversation["contributor"]) == (where, contributor)
            ledger = (repository.root / GOVERNANCE_LEDGER).read_text().splitlines()
            assert f"task={session} | model={model} |" in ledger[-3]
        assert len(editor.records()) == len(edits)


async def test_a_subagent_has_an_intent_reads_and_claims_of_its_own(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        sub = {"agentId": "tester"}
        await ask(editor, "select", "builder", intentId="INT-001")
        # Until it selects, it works for its session's.
        assert (await ask(editor, "status", "builder", **sub))["activeIntentId"] == "INT-001"
        told = await ask(editor, "explain", "builder", toolName=WRITE, path=LOGIN, **sub)
        assert told["decision"]["allowed"]
        await ask(editor, "select", "builder", intentId="INT-002", agent_id="tester")
        assert (await ask(editor, "status", "builder"))["activeIntentId"] == "INT-001"
        assert (await ask(editor, "status", "builder", **sub))["activeIntentId"] == "INT-002"
        told = await ask(editor, "validateEdit", "builder", toolName=WRITE, path=LOGIN, **sub)
        assert told["error"]["code"] == "SCOPE_VIOLATION"

        # What its session has read, it has not.
        for who in ({}, sub):
            await ask(editor, "recordRead", "builder", path=INVOICE, **who)
        repository.write(INVOICE, "theirs\n")
        await ask(editor, "recordRead", "builder", path=INVOICE)
        stale = await ask(editor, "validateEdit", "builder", toolName=WRITE, path=INVOICE, **sub)
        assert stale["error"]["code"] == "STALE_FILE"
        await ask(editor, "recordRead", "builder", path=INVOICE, **sub)
        call = {"toolName": WRITE, "path": INVOICE, "toolUseId": "1"}
        mine = await both(editor, "validateEdit", "builder", **call, **sub)
        assert (mine["intentId"], mine["scopeValidation"]) == ("INT-002", "PASS")
        # What it claims, its session may not write.
        await ask(editor, "select", "builder", intentId="INT-002")
        busy = await ask(editor, "validateEdit", "builder", **call)
        (file,) = busy["error"]["details"]["files"]
        assert (busy["error"]["code"], file["claimed_by"]) == ("STALE_FILE", "builder")
        repository.write(INVOICE, "tested\n")
        await ask(editor, "recordEdit", "builder", ticket=mine["ticket"], success=True, **sub)
        record = editor.records()[-1]
        assert (record["session_id"], record["agent_id"]) == ("builder", "tester")
        assert record["intent_id"] == "INT-002"

        # Its turn is its own, too.
        told = await ask(editor, "beginTurn", "builder", **sub)
        assert told == {"turn": 2, "stage": "checkout_required"}
        status = await editor.command("intent.status", {"sessionId": "builder"})
        assert (status["turn"], status["stage"]) == (1, "execution_authorized")
        told = await editor.command("intent.beginTurn", {"sessionId": "builder", **sub})
        assert told["turn"] == 3
        closed = await ask(editor, "complete", "builder", **sub)
        assert closed["intent"]["id"] == "INT-002"
        assert (await ask(editor, "status", "builder", **sub))["activeIntentId"] is None


async def test_a_page_that_was_not_loaded_again_is_no_unsaved_text(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INTENTS_FILE)
        assert (await editor.ask("intent/select", {"intentId": "INT-001"}))["warnings"] == []
        # The editor still shows what it has read; nobody has typed into it.
        assert "status: PLANNED" in editor.buffers[INTENTS_FILE].text
        done = await editor.ask("intent/complete", {"intentId": "INT-001"})
        assert done["intent"]["status"] == "COMPLETED"


async def test_what_an_agent_says_of_its_completion_completes_the_intent_or_is_a_lesson(
    repository: Repository,
) -> None:
    govern(repository)
    repository.write("AGENT.md", "# Notes\n")
    repository.commit()
    async with editing(repository.root) as editor:
        await ask(editor, "select", "builder", intentId="INT-001")

        async def attempt(**told: object) -> Any:
            given = {"toolName": "attempt_completion", **told}
            return await ask(editor, "complete", "builder", attempt=given)

        for new in (True, False):
            failed = await attempt(success=False, error="the tests fail <b>")
            assert (failed["completed"], failed["lessonRecorded"]) == (False, new)
            assert failed["intent"]["status"] == "IN_PROGRESS"
        (line,) = [
            line
            for line in (repository.root / "AGENT.md").read_text().splitlines()
            if "COMPLETION_FAILED" in line
        ]
        assert '"attempt_completion" tried to complete the work and failed' in line
        assert "the tests fail" in line
        assert "<b>" not in line
        set_policy(repository, "complete_on_attempt: false\n")
        told = await attempt()
        assert (told["completed"], told["intent"]["status"]) == (False, "IN_PROGRESS")
        status = await ask(editor, "status", "builder")
        assert status["activeIntentId"] == "INT-001"
        set_policy(repository, "complete_on_attempt: true\n")
        told = await attempt()
        assert (told["completed"], told["intent"]["status"]) == (True, "COMPLETED")
        status = await ask(editor, "status", "builder")
        assert (status["activeIntentId"], status["stage"]) == (None, "checkout_required")
        # Nothing is active any more, and what is closed is completed by nobody.
        with pytest.raises(Exception, match="INT-001 is COMPLETED"):
            await ask(
                editor,
                "complete",
                "builder",
                intentId="INT-001",
                attempt={"toolName": "attempt_completion"},
            )
        written = (repository.root / GOVERNANCE_LEDGER).read_text()
        assert written.count("tool=attempt_completion") == 5
        assert written.count("status=FAILED | tool=attempt_completion") == 3
