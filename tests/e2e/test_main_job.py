"""The main job, by a real client and a real server: attach, select, see, save, trace."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import hash_content
from tests.support.editor import Editor, capabilities, editing, plain
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
NO_INTENT = "No intent is selected."


async def select(editor: Editor, intent_id: str) -> dict[str, object]:
    answer = await editor.ask("intent/select", {"intentId": intent_id})
    assert isinstance(answer, dict)
    return answer


async def test_the_main_job_from_opening_to_a_verified_record(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        answer = await select(editor, "INT-001")
        assert answer["warnings"] == []
        editor.open(INVOICE)
        assert await editor.settled(INVOICE) == []

        editor.type(INVOICE, LINES.replace("line 3\n", "line three\n"))
        (shown,) = await editor.problems(INVOICE, "SCOPE_VIOLATION")
        assert shown.message == "invoice.py is outside the scope of INT-001 (Login)."
        assert shown.source == "intent-lsp"
        assert shown.range == lsp.Range(lsp.Position(2, 0), lsp.Position(2, 10))

        await select(editor, "INT-002")
        await editor.problems(INVOICE)

        data = await editor.save(INVOICE)
        (told,) = await editor.traced(1)
        (record,) = editor.records()
        assert told["recordId"] == record["id"]
        assert told["paths"] == [INVOICE]
        assert (record["intent_id"], record["scope_validation"]) == ("INT-002", "PASS")
        assert record["tool_name"] == "editor/save"
        (file,) = record["files"]
        assert file["relative_path"] == INVOICE
        assert file["pre_hash"] == hash_content(LINES.encode())
        assert file["post_hash"] == hash_content(data)
        (run,) = file["conversations"][0]["ranges"]
        assert (run["start_line"], run["end_line"], run["replaced"]) == (3, 3, [3, 1, 1])

        verified = await editor.ask("intent/verify")
        assert verified["ok"]
        assert verified["records"] == 1


async def test_selecting_sets_planned_to_in_progress_by_the_smallest_edit(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        answer = await select(editor, "INT-001")
        intents = repository.root / ".orchestration/active_intents.yaml"
        assert intents.read_text() == INTENTS.replace("PLANNED", "IN_PROGRESS")
        assert answer["intent"]["status"] == "IN_PROGRESS"  # type: ignore[index] # plain JSON
        assert '<intent_context id="INT-001" status="IN_PROGRESS">' in str(answer["text"])
        await editor.problems(".orchestration/active_intents.yaml")
        assert editor.records() == []


async def test_no_active_intent_is_a_warning(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(INVOICE)
        editor.type(INVOICE, "x\n" + LINES)
        (shown,) = await editor.problems(INVOICE, "NO_ACTIVE_INTENT")
        assert shown.message == NO_INTENT
        assert shown.severity == lsp.DiagnosticSeverity.Warning


async def test_each_run_of_changed_lines_has_one_diagnostic(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        text = LINES.replace("line 2\n", "2\n").replace("line 5\nline 6\n", "")
        text = text.replace("line 9", "🙂 9")
        editor.type(INVOICE, text)
        shown = await editor.problems(INVOICE, *["SCOPE_VIOLATION"] * 3)
        lines = [(d.range.start.line, d.range.end.line, d.range.end.character) for d in shown]
        # A pure deletion marks the line above it; the emoji counts as two UTF-16 units.
        assert lines == [(1, 1, 1), (3, 3, 6), (6, 6, 4)]
        place = shown[0].related_information
        assert place is not None
        assert place[0].location.uri.endswith("/.orchestration/active_intents.yaml")
        assert place[0].location.range.start.line == 4
        assert shown[0].data == {
            "v": 1,
            "code": "SCOPE_VIOLATION",
            "path": INVOICE,
            "intentId": "INT-001",
            "owners": ["INT-002"],
            "firstLine": 1,
            "lastLine": 1,
            "docVersion": 2,
        }


async def test_a_violation_goes_when_its_cause_goes(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        # Typed back.
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)
        # Committed from outside.
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.save(INVOICE)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        repository.commit("all of it")
        await editor.problems(INVOICE)
        # The scope edited in the intents file and saved.
        editor.type(INVOICE, LINES + "more\nand more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        intents = ".orchestration/active_intents.yaml"
        buffer = editor.open(intents)
        editor.type(intents, buffer.text.replace('"src/auth/**"', '"src/auth/**", "src/billing/*"'))
        await editor.save(intents)
        await editor.problems(INVOICE)


async def test_code_actions_lead_out_of_a_violation(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES.replace("line 2\n", "2\n").replace("line 8\n", "8\n"))
        await editor.problems(INVOICE, "SCOPE_VIOLATION", "SCOPE_VIOLATION")
        actions = await editor.actions(INVOICE, line=1)
        assert list(actions) == [
            "Select intent INT-002 (owns this file)",
            f"Expand the scope of INT-001 with {INVOICE}",
            "Expand the scope of INT-001 with src/billing/**",
            f"Expand the scope of INT-001 with {INVOICE} for one hour",
            "Create an intent for this file and select it",
            "Revert these lines",
            "Revert the file",
            "Show why",
        ]
        await editor.run(actions["Show why"])
        said = "INT-001 owns: src/auth/**"
        await editor.until(lambda: any(said in told for told in editor.messages), "why")
        await editor.run(actions["Revert these lines"])
        assert editor.buffers[INVOICE].text == LINES.replace("line 8\n", "8\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        # The text has moved on: the edit that was offered before is for another version.
        stale = actions["Revert the file"].edit
        assert stale is not None
        assert not editor._apply_workspace_edit(stale)  # noqa: SLF001 - as an editor checks
        await editor.run((await editor.actions(INVOICE, line=7))["Revert the file"])
        assert editor.buffers[INVOICE].text == LINES
        await editor.problems(INVOICE)
        editor.type(INVOICE, "2\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.run((await editor.actions(INVOICE))["Select intent INT-002 (owns this file)"])
        await editor.problems(INVOICE)


async def test_a_client_without_versioned_edits_gets_commands_that_check(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(workspace__workspaceEdit={})
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, "2\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        before = (await editor.actions(INVOICE))["Revert these lines"]
        editor.type(INVOICE, "2\n3\n" + LINES)
        answer = await editor.run(before)
        assert not answer["applied"]
        answer = await editor.run((await editor.actions(INVOICE))["Revert these lines"])
        assert answer["applied"]
        assert editor.buffers[INVOICE].text == LINES


async def test_block_turns_a_save_back_and_keeps_a_draft(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        wanted = LINES.replace("line 3\n", "line three\n")
        editor.type(INVOICE, wanted)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.save(INVOICE)
        assert (repository.root / INVOICE).read_text() == LINES
        assert editor.buffers[INVOICE].text == LINES
        await editor.until(lambda: editor.asked, "a message says so")
        titles = [action.title for action in editor.asked[0].actions or []]
        assert titles == ["Restore and expand scope", "Select INT-002", "Keep draft"]
        assert editor.asked[0].message.startswith(
            "Save refused. invoice.py is outside the scope of INT-001"
        )
        (draft,) = (await editor.ask("intent/drafts"))["drafts"]
        assert (draft["path"], draft["code"]) == (INVOICE, "SCOPE_VIOLATION")
        assert editor.records() == []
        _, denied = next(n for n in editor.notified if n[0] == "intent/didDeny")
        assert denied["toolName"] == "editor/save"
        assert denied["error"]["details"]["owning_intents"] == {INVOICE: ["INT-002"]}

        # The person takes the way out: the owner is selected, the text comes back, the save goes.
        await editor.choose("Select INT-002")
        await editor.until(lambda: editor.buffers[INVOICE].text == wanted, "the text comes back")
        await editor.save(INVOICE)
        await editor.traced(1)
        assert (repository.root / INVOICE).read_text() == wanted
        assert editor.records()[0]["scope_validation"] == "PASS"


async def test_a_refused_text_comes_back_with_the_scope_that_it_needs(
    repository: Repository,
) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        wanted = LINES.replace("line 3\n", "line three\n")
        editor.type(INVOICE, wanted)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.save(INVOICE)
        await editor.until(lambda: editor.asked, "a message says so")
        await editor.choose("Restore and expand scope")
        await editor.until(lambda: editor.buffers[INVOICE].text == wanted, "the text comes back")
        await editor.problems(INVOICE)
        await editor.save(INVOICE)
        await editor.traced(1)
        grant, saved = editor.records()
        assert grant["tool_name"] == "intent/grant"
        assert grant["grant"]["patterns"] == [INVOICE]
        assert saved["scope_validation"] == "PASS"
        intents = (repository.root / ".orchestration/active_intents.yaml").read_text()
        assert f'owned_scope: ["src/auth/**", "{INVOICE}"]' in intents
        ledger = (repository.root / ".orchestration/governance_ledger.md").read_text()
        assert ledger.count("status=DENIED | tool=editor/save | intent=INT-001") == 1
        assert (await editor.ask("intent/drafts"))["drafts"] == []


async def test_a_click_expands_the_scope_or_makes_an_intent(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        actions = await editor.actions(INVOICE, line=10)
        expanding = [title for title in actions if title.startswith("Expand the scope of INT-001")]
        assert [title.removeprefix("Expand the scope of INT-001 with ") for title in expanding] == [
            INVOICE,
            "src/billing/**",
            f"{INVOICE} for one hour",
        ]
        granted = await editor.run(
            actions[f"Expand the scope of INT-001 with {INVOICE} for one hour"]
        )
        assert granted["approved"]
        assert granted["expiresAt"]
        # Nobody was asked: the click was the word. It is gone with its cause.
        assert editor.asked == []
        await editor.problems(INVOICE)
        (grant,) = editor.records()
        assert grant["grant"]["expires_at"] == granted["expiresAt"]
        assert granted["intent"]["ownedScope"] == ["src/auth/**"]

        editor.open("README.md")
        editor.type("README.md", "# Another\n")
        await editor.problems("README.md", "SCOPE_VIOLATION")
        made = await editor.run(
            (await editor.actions("README.md"))["Create an intent for this file and select it"]
        )
        assert made["approved"]
        assert (made["intent"]["id"], made["intent"]["ownedScope"]) == ("INT-003", ["README.md"])
        assert (await editor.ask("intent/status"))["activeIntentId"] == "INT-003"
        await editor.problems("README.md")


async def test_a_click_counts_once_and_for_what_it_was_made(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        action = (await editor.actions(INVOICE, line=10))[
            "Expand the scope of INT-001 with src/billing/**"
        ]
        (argument,) = (action.command or lsp.Command("", "")).arguments or []
        # Whoever has seen it cannot have another scope for it: a person is asked.
        asking = asyncio.ensure_future(
            editor.ask("intent/requestScopeExpansion", {**plain(argument), "patterns": ["src/**"]})
        )
        await editor.until(lambda: editor.asked, "a person is asked")
        await editor.choose("Reject")
        assert await asking == {"approved": False, "feedback": "a person rejected it"}
        # Used up by the attempt.
        again = asyncio.ensure_future(editor.run(action))
        await editor.until(lambda: len(editor.asked) == 2, "a person is asked again")
        await editor.choose("Reject")
        assert not (await again)["approved"]
        assert editor.records() == []


async def test_block_leaves_auto_saves_alone_and_offers_to_put_back(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.save(INVOICE, reason=lsp.TextDocumentSaveReason.AfterDelay)
        await editor.traced(1)
        assert (repository.root / INVOICE).read_text() == LINES + "more\n"
        assert editor.records()[0]["scope_validation"] == "FAIL"
        await editor.until(lambda: editor.asked, "putting back is offered")
        assert editor.asked[0].message.endswith(
            "invoice.py is outside the scope of INT-001 (Login). The file was saved anyway"
            " (auto-save) and recorded as a violation."
        )
        await editor.choose("Undo save")
        await editor.until(lambda: editor.buffers[INVOICE].text == LINES, "it is put back")
        assert len((await editor.ask("intent/drafts"))["drafts"]) == 1
        await editor.save(INVOICE)
        await editor.traced(2)
        assert editor.records()[1]["scope_validation"] == "EXEMPT"
        await editor.problems(INVOICE)


async def test_observe_records_and_shows_nothing(repository: Repository) -> None:
    govern(repository, "enforcement: observe")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        await editor.save(INVOICE)
        await editor.traced(1)
        assert editor.records()[0]["scope_validation"] == "FAIL"
        assert await editor.settled(INVOICE) == []


async def test_a_save_that_changes_nothing_leaves_no_record(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.open(LOGIN)
        await editor.save(LOGIN)
        await editor.save(LOGIN, ask=False)
        await editor.settled(LOGIN)
        assert editor.records() == []


async def test_files_that_are_nobodys_business(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        for name in (".git/COMMIT_EDITMSG", "build/out.txt"):
            editor.open(name, "")
            editor.type(name, "anything\n")
            await editor.save(name)
            assert (repository.root / name).read_text() == "anything\n"
            assert await editor.settled(name) == []
        assert editor.records() == []


async def test_a_stale_file_is_shown_and_not_turned_back(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    async with editing(repository.root) as editor:
        await select(editor, "INT-002")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "mine\n")
        await editor.settled(INVOICE)
        repository.write(INVOICE, LINES + "theirs\n")
        (shown,) = await editor.problems(INVOICE, "STALE_FILE")
        assert shown.range.start.line == shown.range.end.line == 0
        await editor.save(INVOICE)
        await editor.traced(1)
        (record,) = editor.records()
        assert (repository.root / INVOICE).read_text() == LINES + "mine\n"
        assert record["scope_validation"] == "FAIL"
        assert record["concurrent_modification"] is True
        assert record["files"][0]["pre_hash"] == hash_content((LINES + "theirs\n").encode())


async def test_the_root_is_found_from_below(repository: Repository) -> None:
    govern(repository)
    below = repository.root / "src"
    async with editing(below) as editor:
        status = await editor.ask("intent/status")
        assert status["root"] == str(repository.root)
        editor.open("billing/invoice.py")
        editor.type("billing/invoice.py", "x\n" + LINES)
        await editor.problems("billing/invoice.py", "NO_ACTIVE_INTENT")


async def test_a_restart_goes_on_with_its_intent(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await select(editor, "INT-002")
        editor.open(LOGIN)
        editor.type(LOGIN, LINES + "more\n")
        await editor.problems(LOGIN, "SCOPE_VIOLATION")
        await editor.save(LOGIN)
        await editor.traced(1)
    async with editing(repository.root) as editor:
        await editor.until(
            lambda: "intent-lsp: INT-002 is still the selected intent" in editor.messages,
            "it is said",
        )
        assert (await editor.ask("intent/status"))["activeIntentId"] == "INT-002"
        # What was refused still stands, though it was there before this session.
        editor.open(LOGIN)
        await editor.problems(LOGIN, "SCOPE_VIOLATION")


async def test_opening_shows_nothing_though_the_work_tree_is_dirty(repository: Repository) -> None:
    govern(repository)
    repository.write(INVOICE, LINES + "from yesterday\n")
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        assert await editor.settled(INVOICE) == []
        editor.type(INVOICE, "today\n" + LINES + "from yesterday\n")
        (shown,) = await editor.problems(INVOICE, "SCOPE_VIOLATION")
        assert shown.range.start.line == 0


async def test_without_git_the_first_sight_is_what_counts(tmp_path: Path) -> None:
    govern_without_git(tmp_path)
    async with editing(tmp_path) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, LINES + "more\n")
        (shown,) = await editor.problems(INVOICE, "SCOPE_VIOLATION")
        assert shown.range.start.line == 10
        editor.type(INVOICE, LINES)
        await editor.problems(INVOICE)


async def test_a_dormant_workspace_stays_as_it_was(repository: Repository) -> None:
    repository.write("a.py", LINES)
    repository.commit()
    before = sorted(map(str, repository.root.rglob("*")))
    async with editing(repository.root) as editor:
        editor.open("a.py")
        editor.type("a.py", "changed\n")
        await editor.save("a.py")
        status = await editor.ask("intent/status")
        assert (status["root"], status["enabled"]) == (None, False)
        assert await editor.ask("intent/list") == {
            "enabled": False,
            "activeIntentId": None,
            "intents": [],
        }
        assert await editor.settled("a.py") == []
        assert editor.shown == {}
    after = sorted(map(str, repository.root.rglob("*")))
    # git itself refreshes nothing: not one path is new.
    assert after == before


async def test_a_broken_intents_file_switches_governance_off_loudly(
    repository: Repository,
) -> None:
    govern(repository)
    intents = ".orchestration/active_intents.yaml"
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(INVOICE)
        editor.type(INVOICE, "x\n" + LINES)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        good = (repository.root / intents).read_text()
        editor.open(intents)
        # Typed, not saved: shown live, governing nothing.
        editor.type(intents, good + "  - id: [\n")
        await editor.problems(intents, "YAML_SYNTAX")
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        await editor.save(intents)
        await editor.problems(INVOICE)
        assert not (await editor.ask("intent/status"))["enabled"]
        await editor.until(lambda: any("OFF" in told for told in editor.messages), "it is said")
        editor.type(intents, good)
        await editor.problems(intents)
        await editor.save(intents)
        await editor.problems(INVOICE, "SCOPE_VIOLATION")


async def test_select_without_argument_offers_the_open_intents(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        await editor.choose("INT-002: Billing")
        answer = await editor.command("intent.select")
        assert answer["intent"]["id"] == "INT-002"
        titles = [action.title for action in editor.asked[0].actions or []]
        assert titles == ["INT-001: Login", "INT-002: Billing"]


async def test_a_client_that_pulls_is_never_pushed_to(repository: Repository) -> None:
    govern(repository)
    declared = capabilities(
        textDocument__diagnostic={}, workspace__diagnostics={"refreshSupport": True}
    )
    async with editing(repository.root, client_capabilities=declared) as editor:
        await select(editor, "INT-001")
        buffer = editor.open(INVOICE)
        editor.type(INVOICE, "x\n" + LINES)
        pulled = await editor.client.text_document_diagnostic_async(
            lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(buffer.uri))
        )
        assert isinstance(pulled, lsp.RelatedFullDocumentDiagnosticReport)
        assert [d.code for d in pulled.items] == ["SCOPE_VIOLATION"]
        again = await editor.client.text_document_diagnostic_async(
            lsp.DocumentDiagnosticParams(
                lsp.TextDocumentIdentifier(buffer.uri), previous_result_id=pulled.result_id
            )
        )
        assert isinstance(again, lsp.RelatedUnchangedDocumentDiagnosticReport)
        before = editor.refreshed
        await select(editor, "INT-002")
        await editor.until(lambda: editor.refreshed > before, "the client is told to pull")
        assert editor.shown == {}


async def test_people_may_always_mend_what_governs_them(repository: Repository) -> None:
    govern(repository, "enforcement: block")
    policy = ".orchestration/constraints.sidecar.yaml"
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(policy)
        editor.type(policy, "sidecar:\n  enforcement: warn\n")
        await editor.save(policy)
        await editor.traced(1)
        assert editor.records()[0]["scope_validation"] == "EXEMPT"
        assert (await editor.ask("intent/status"))["enforcement"] == "warn"


async def test_a_new_file_out_of_scope(repository: Repository) -> None:
    govern(repository)
    name = "app/[slug]/página nueva.tsx"
    async with editing(repository.root) as editor:
        await select(editor, "INT-001")
        editor.open(name, "")
        editor.type(name, "export {}\r\nno end")
        (shown,) = await editor.problems(name, "SCOPE_VIOLATION")
        assert (shown.range.start.line, shown.range.end.line) == (0, 1)
        await editor.save(name)
        await editor.traced(1)
        (record,) = editor.records()
        assert record["mutation_class"] == "FILE_CREATION"
        assert record["files"][0]["relative_path"] == name
        assert record["files"][0]["pre_hash"] is None


async def test_params_that_do_not_fit_name_their_field(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        for method, params, said in (
            ("intent/select", {"intentId": 7}, "params.intentId"),
            ("intent/select", {}, "intentId"),
            ("intent/owners", {}, "params.path"),
            ("intent/owners", {"path": "../x"}, "params.path"),
            ("intent/trace", {"limit": 0}, "params.limit"),
            ("intent/trace", {"cursor": "x"}, "params.cursor"),
            ("intent/trace", {"cursor": "9" * 5000}, "params.cursor"),
        ):
            with pytest.raises(Exception, match=re.escape(said)) as raised:
                await editor.ask(method, params)
            assert getattr(raised.value, "code", None) == -32602
        with pytest.raises(Exception, match="NOPE") as raised:
            await editor.ask("intent/select", {"intent_id": "NOPE"})
        assert getattr(raised.value, "code", None) == -32803


async def test_owners_of_any_path(repository: Repository) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        answer = await editor.ask("intent/owners", {"path": "src/auth/x/y.py"})
        assert answer["owners"] == [
            {"intentId": "INT-001", "pattern": "src/auth/**", "status": "PLANNED"}
        ]
        assert (await editor.ask("intent/owners", {"path": "nothing"}))["owners"] == []
        same = await editor.command("intent.owners", {"path": "src/auth/x/y.py"})
        assert json.dumps(same) == json.dumps(answer)


def govern_without_git(root: Path) -> None:
    for name, text in {".orchestration/active_intents.yaml": INTENTS, INVOICE: LINES}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
