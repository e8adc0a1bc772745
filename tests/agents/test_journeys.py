"""Journeys of real agent hosts: their own hook runners ask the real command `intent-lsp hook`."""

import asyncio
import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.core.agents.tools import SELECT_TOOL
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.registrations.registration import SERVER_NAME, Purpose
from tests.support.agent_lab import killed_hook
from tests.support.agent_lab.governed_host import AUTH, BILLING, GovernedHost
from tests.support.agent_lab.host import Host
from tests.support.agent_lab.known_hosts import CODE_MODE
from tests.support.agent_lab.model import ModelRequest, ScriptedModel
from tests.support.agent_lab.runs import PATIENCE
from tests.support.agent_lab.wire import Call
from tests.support.editor import Editor, editing
from tests.support.governed_repository import LINES

pytestmark = pytest.mark.agent_hosts

EDITED = LINES.replace("line 3\n", "line three\n")
MODELS = {"codex": "gpt-5.5", "qwen": "mock", "opencode": "mock", "kimi": "mock"}
"""The model that a record names; the other hosts' payloads do not say which it is."""
SILENT = frozenset({"cline"})
"""Hosts that end the run when a call is refused, so that no model reads the reason."""
Govern = Callable[..., GovernedHost]


def is_shown(host: Host, kind: HookKind) -> bool:
    """Whether the host's model gets what we say at an event."""
    return kind in HOSTS[host.name].told_at


def refused(governed: GovernedHost, model: ScriptedModel, turn: int, *words: str) -> None:
    """Expect that the model read these words of a refusal after `turn` turns."""
    if governed.lab.host.name in SILENT:
        assert len([r for r in model.requests if r.tools]) == turn
        return
    seen = model.seen_after(turn)
    for word in words:
        assert word in seen


def only_record(governed: GovernedHost, path: str) -> dict[str, Any]:
    """Return the one record that names a file."""
    (record,) = governed.records_of(path)
    return record


def test_an_agent_is_held_to_its_intent(governed: GovernedHost, host: Host) -> None:
    """The first journey: also part of the gate, for three hosts."""
    tools = governed.tools
    in_scope = [[governed.select("INT-001")], [tools.read(AUTH)]]
    in_scope.append([tools.edit(AUTH, "line 3", "line three")])
    model, _ = governed.run([*in_scope, [tools.edit(BILLING, "line 3", "line three")]])
    record = only_record(governed, AUTH)
    (conversation,) = record["files"][0]["conversations"]
    contributor, (edited,) = conversation["contributor"], conversation["ranges"]
    assert (record["intent_id"], record["scope_validation"]) == ("INT-001", "PASS")
    assert contributor["entity_type"] == "AI"
    assert contributor["model_identifier"] == MODELS.get(host.name, "unknown")
    assert (edited["start_line"], edited["end_line"]) == (3, 3)
    assert governed.text(AUTH) == EDITED
    assert governed.text(BILLING) == LINES
    refused(governed, model, 4, "Scope Violation", BILLING, "INT-002 owns the file")
    governed.command("trace", "verify")


def test_a_command_out_of_scope_is_refused(governed: GovernedHost) -> None:
    tools = governed.tools
    model, _ = governed.run([[governed.select("INT-001")], [tools.run("echo more >> README.md")]])
    assert governed.text("README.md") == "# A project\n"
    refused(governed, model, 2, "Scope Violation", "README.md")


def test_what_a_command_hides_is_recorded_and_shown(governed: GovernedHost, host: Host) -> None:
    governed.repository.write("build.sh", "echo more >> README.md\n")
    governed.repository.commit("a script")
    tools = governed.tools
    script = [[governed.select("INT-001")], [tools.run("sh build.sh")], [tools.read(AUTH)]]
    model, _ = governed.run(script)
    record = only_record(governed, "README.md")
    assert record["scope_validation"] == "FAIL"
    if is_shown(host, HookKind.AFTER_TOOL):
        assert any("README.md" in r.text() and "Scope" in r.text() for r in model.requests)


def test_a_refusal_can_be_followed(governed: GovernedHost, host: Host) -> None:
    """A model that reads: it runs the command that the refusal names, and tries again."""
    if host.name in SILENT:
        pytest.skip("its run ends with the first refusal")
    tools = governed.tools
    edit = [tools.edit(AUTH, "line 3", "line three")]
    governed.run([[tools.read(AUTH)], edit, lambda request: [follow(governed, request)], edit])
    assert only_record(governed, AUTH)["intent_id"] == "INT-001"
    assert governed.text(AUTH) == EDITED


def follow(governed: GovernedHost, request: ModelRequest) -> Call:
    """Return the call of the command that the refusal names."""
    found = re.search(r"intent-lsp intents select ID --session \S+?(?=`)", request.results[-1])
    assert found is not None, request.results[-1]
    return governed.tools.run(found[0].replace("ID", "INT-001"))


def test_an_intent_is_selected_by_a_call_of_our_mcp_server(govern_host: Govern, host: Host) -> None:
    if host.name == "cline":
        pytest.skip("a project cannot register MCP servers with it")
    governed = govern_host(purposes=frozenset(Purpose))
    tools = governed.tools
    select = tools.mcp(SERVER_NAME, SELECT_TOOL, {"intent_id": "INT-001"})

    def again(request: ModelRequest) -> Sequence[Call]:
        # Codex begins before its MCP servers are ready.
        waits = "unsupported call" in request.results[-1]
        return [tools.run("sleep 1"), select] if waits else [tools.read(AUTH)]

    edit = [tools.edit(AUTH, "line 3", "line three")]
    governed.run([[select], *([again] * 10 if host.name == "codex" else []), edit])
    assert only_record(governed, AUTH)["intent_id"] == "INT-001"


async def test_a_model_asks_for_scope_and_a_person_at_an_editor_grants_it(
    govern_host: Govern, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole loop: refused, asked by MCP, granted at the editor, and tried again."""
    if host.name in {*SILENT, "cline"}:
        pytest.skip("its run ends with the first refusal")
    # Codex does not hand the variable on to the servers that it starts.
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    governed = govern_host(purposes=frozenset(Purpose))
    tools = governed.tools
    edit, wishes = tools.edit(BILLING, "line 3", "line three"), list[Call]()

    def ask(request: ModelRequest) -> Sequence[Call]:
        assert "ask the person for more scope" in request.results[-1], request.results[-1]
        (handle, *_) = re.findall(r"h-[0-9a-f]{16}", request.text())
        wish = {"session": handle, "patterns": [BILLING], "reason": "the invoice needs it"}
        wishes.append(tools.mcp(SERVER_NAME, "request_scope_expansion", wish))
        return wishes

    def again(request: ModelRequest) -> Sequence[Call]:
        # Codex begins before its MCP servers are ready.
        waits = "unsupported call" in request.results[-1]
        return [tools.run("sleep 1"), *wishes] if waits else [tools.read(AUTH)]

    patient = [again] * 5 if host.name == "codex" else []
    async with editing(governed.repository.root) as editor:
        await editor.choose("Approve")
        script = [[governed.select("INT-001")], [tools.read(BILLING)], [edit], ask, *patient]
        model, _ = await asyncio.to_thread(governed.run, [*script, [edit]])
        assert editor.asked, model.requests[-1].text()
        [question] = editor.asked
    assert f"expand the scope of INT-001 with {BILLING}" in question.message
    record = only_record(governed, BILLING)
    assert (record["intent_id"], record["scope_validation"]) == ("INT-001", "PASS")
    [grant] = [each for each in governed.records() if "grant" in each]
    assert grant["grant"]["patterns"] == [BILLING]
    assert governed.text(BILLING) == EDITED


def test_a_stale_write_is_refused(govern_host: Govern) -> None:
    governed = govern_host(policy="require_read: true")
    tools = governed.tools
    theirs = LINES.replace("line 9\n", "somebody else's line\n")

    def meanwhile(_: ModelRequest) -> Sequence[Call]:
        governed.repository.write(AUTH, theirs)
        return [tools.edit(AUTH, "line 3", "line three")]

    governed.run([[governed.select("INT-001")], [tools.read(AUTH)], meanwhile])
    assert governed.text(AUTH) == theirs


def test_a_subagent_is_held_to_the_intent_of_its_session(govern_host: Govern, host: Host) -> None:
    # Codex has subagents only in its code mode.
    governed = govern_host(CODE_MODE if host.name == "codex" else host)
    tools = governed.tools
    work = [[tools.read(AUTH)], [tools.edit(AUTH, "line 3", "line three")]]
    main = [[governed.select("INT-001")], *([call] for call in tools.spawn)]
    governed.run(main, [*work, [tools.edit(BILLING, "line 3", "line three")]])
    assert only_record(governed, AUTH)["intent_id"] == "INT-001"
    assert governed.text(AUTH) == EDITED
    assert governed.text(BILLING) == LINES


def test_three_calls_of_one_turn_are_each_judged_and_recorded(governed: GovernedHost) -> None:
    tools = governed.tools
    calls = [
        tools.edit(AUTH, "line 3", "line three"),
        tools.create("src/auth/new.py", "made = 1\n"),
        tools.run("echo more >> src/auth/out.py"),
    ]
    governed.run([[governed.select("INT-001")], [tools.read(AUTH)], calls])
    for path in (AUTH, "src/auth/new.py", "src/auth/out.py"):
        record = only_record(governed, path)
        assert (record["intent_id"], record["scope_validation"]) == ("INT-001", "PASS")
    governed.command("trace", "verify")


def test_an_edit_is_recorded_whose_hook_was_killed_afterwards(
    govern_host: Govern, host: Host, tmp_path: Path
) -> None:
    governed = govern_host(around=[sys.executable, "-I", killed_hook.__file__, str(tmp_path)])
    tools = governed.tools
    edit = [tools.edit(AUTH, "line 3", "line three")]
    # A host that does not wait for its hooks would end before this one has begun.
    pause = [[tools.run("sleep 3")]] if host.late_events else []
    governed.run([[governed.select("INT-001")], [tools.read(AUTH)], edit, *pause])
    assert (tmp_path / killed_hook.MARK).exists()
    assert governed.text(AUTH) == EDITED
    record = only_record(governed, AUTH)
    assert (record["intent_id"], record["scope_validation"]) == ("INT-001", "PASS")
    governed.command("trace", "verify")


def test_a_team_that_only_warns_gets_a_record(govern_host: Govern, host: Host) -> None:
    governed = govern_host(policy="agents: warn")
    tools = governed.tools
    edit = [tools.edit(BILLING, "line 3", "line three")]
    model, _ = governed.run(
        [[governed.select("INT-001")], [tools.read(BILLING)], edit, [tools.read(AUTH)]]
    )
    assert governed.text(BILLING) == EDITED
    assert only_record(governed, BILLING)["scope_validation"] == "FAIL"
    if is_shown(host, HookKind.AFTER_TOOL) or is_shown(host, HookKind.BEFORE_TOOL):
        assert any("Scope Violation" in request.text() for request in model.requests)


def test_a_preselected_intent_needs_no_selecting(govern_host: Govern) -> None:
    governed = govern_host(environment={"INTENT_LSP_INTENT": "INT-001"})
    tools = governed.tools
    governed.run([[tools.read(AUTH)], [tools.edit(AUTH, "line 3", "line three")]])
    assert only_record(governed, AUTH)["intent_id"] == "INT-001"


def test_a_resumed_session_has_its_intent(governed: GovernedHost, host: Host) -> None:
    if not host.resume:
        pytest.skip("it resumes only in a terminal")
    tools = governed.tools
    governed.run([[governed.select("INT-001")]])
    edit = [[tools.read(AUTH)], [tools.edit(AUTH, "line 3", "line three")]]
    model, _ = governed.run(edit, prompt="TASK: go on with the script.", resume=True)
    if is_shown(host, HookKind.PROMPT):
        assert only_record(governed, AUTH)["intent_id"] == "INT-001"
    else:
        # A new turn needs a new checkout, and the prompt's answer cannot carry one.
        refused(governed, model, 2, "intent-lsp intents select")


def test_the_doctor_asks_codex_whether_it_trusts_our_hook(govern_host: Govern, host: Host) -> None:
    if host.name != "codex":
        pytest.skip("only Codex can be asked")
    governed = govern_host()

    def examined() -> dict[str, Any]:
        done = governed.lab.beside(["intent-lsp", "doctor", "--host", "codex", "--json"])
        (found,) = json.loads(done.out)["hosts"]
        return dict(found)

    found = examined()
    assert (found["blocks"], found["trust"]) == (False, "untrusted")
    assert [each["blocks"] for each in found["probes"]] == [True]
    assert found["problems"][0]["cause"].startswith("Codex does not trust the hook (untrusted)")
    assert "/hooks" in found["problems"][0]["cure"]
    governed.trust_hooks_of_codex()
    found = examined()
    assert (found["blocks"], found["trust"], found["problems"]) == (True, "trusted", [])


async def test_a_host_whose_hooks_do_nothing_is_named(
    govern_host: Govern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hooks are registered, but the command on its PATH does nothing; then it is put right."""
    governed = govern_host(around=["true"])
    tools, host = governed.tools, governed.lab.host
    monkeypatch.setenv("HOME", str(governed.lab.place.home))
    named = threading.Event()

    def later(_: ModelRequest) -> Sequence[Call]:
        # The session stays open: the model takes its time for an answer.
        named.wait(PATIENCE)
        return []

    script = [[tools.read(AUTH)], [tools.edit(AUTH, "line 3", "line three")], later]
    async with editing(governed.repository.root) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        run = asyncio.ensure_future(asyncio.to_thread(governed.run, script))
        try:
            [uri] = await editor.until(lambda: blind(editor), "GATE_BLIND is shown")
        finally:
            named.set()
            await run
        [problem] = editor.shown[uri].diagnostics
        assert "did not ask intent-lsp about changes of 1 file since" in problem.message
        status = await editor.ask("intent/status")
        [entry] = [each for each in status["hosts"] if each["host"] == host.name]
        assert entry["unasked"]["files"] == 1
        governed.answer_hooks()
        await asyncio.to_thread(governed.run, [[tools.read(AUTH)]])
        await editor.until(lambda: not blind(editor), "the warning goes")


def blind(editor: Editor) -> list[str]:
    """Return the files that show GATE_BLIND."""
    shown = editor.shown.items()
    return [uri for uri, each in shown if any(d.code == "GATE_BLIND" for d in each.diagnostics)]
