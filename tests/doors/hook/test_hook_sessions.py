"""Sessions of agent hosts: how they get their intent, take turns, and stay apart."""

import json
from collections.abc import Callable

import pytest

from intent_lsp.core.agents.hook_answer import SILENCE, HookAnswer
from intent_lsp.doors.cli.command import OtherDoors
from intent_lsp.doors.cli.main import run
from intent_lsp.doors.hook.hook import run_hook
from intent_lsp.governance.governance import Governance
from tests.governance.editor import Editor
from tests.support.hook_agent import POLICY, Agent, handle_in, reason, records
from tests.support.repository import Repository

Agents = Callable[..., Agent]
Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(root: Repository, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Return a function that runs a command of ours in the repository, as in an agent's shell."""

    def typed(*words: str) -> tuple[int, str, str]:
        line = (*words, "-C", str(root.root))
        status = run(
            line,
            product_line="",
            doors=OtherDoors(serve=no_server, serve_mcp=no_server, hook=run_hook),
        )
        out, err = capsys.readouterr()
        return status, out, err

    return typed


def no_server(*_: object) -> int:
    return 2


def may(agent: Agent, path: str, use: str = "probe") -> bool:
    return agent.before("Write", use, file_path=path, content=use).status == 0


def test_a_session_is_told_at_its_beginning_how_to_select(agent: Agent, shell: Shell) -> None:
    answer = agent.send("SessionStart", source="startup")
    assert "each change of a file is judged" in answer.stdout
    status, out, _ = shell("intents", "select", "INT-001", "--session", handle_in(answer))
    assert status == 0
    assert '<intent_context id="INT-001"' in out
    assert may(agent, "notes.txt")


def test_a_handle_stands_for_its_session_in_every_command(agent: Agent, shell: Shell) -> None:
    handle = handle_in(agent.send("SessionStart", source="startup"))
    assert agent.select("INT-001") == SILENCE
    _, listed, _ = shell("intents", "list", "--session", handle, "--json")
    assert json.loads(listed)["activeIntentId"] == "INT-001"
    assert shell("explain", "notes.txt", "--tool", "Write", "--session", handle)[0] == 0
    assert shell("intents", "complete", "--session", handle)[0] == 0
    assert not may(agent, "notes.txt")
    _, _, refusal = shell("intents", "complete", "INT-002", "--session", "h-0123456789abcdef")
    assert "there is no session h-0123456789abcdef; use the handle" in refusal


def test_a_selection_in_the_shell_counts_for_the_session_whose_hook_saw_it(
    agent: Agent, agents: Agents, shell: Shell
) -> None:
    other = agents(session="session-2")
    assert agent.select("INT-001") == SILENCE
    status, out, _ = shell("intents", "select", "INT-001")
    assert status == 0
    assert '<intent_context id="INT-001"' in out
    assert may(agent, "notes.txt")
    assert not may(other, "notes.txt")


@pytest.mark.parametrize(
    "command",
    [
        "intent-lsp intents select INT-001; rm -rf docs",
        "intent-lsp intents select INT-001 && ls",
        "echo intent-lsp intents select INT-001",
        "intent-lsp intents select $(cat id)",
        "intent-lsp intents list",
        "intent-lsp intents select",
        "intent-lsp intents select 'INT-001",
        "intent-lsp intents select INT-001 INT-002",
        "intent-lsp intents select INT-001 --session h-0123456789abcdef",
    ],
)
def test_only_the_plain_command_selects_by_the_hook(agent: Agent, command: str) -> None:
    agent.before("Bash", command=command)
    assert not may(agent, "notes.txt")


@pytest.mark.parametrize(
    "command",
    [
        "intent-lsp intents select INT-001",
        "  /usr/bin/intent-lsp intents select INT-001 --json",
        "python3 -m intent_lsp intents select 'INT-001' -C .",
    ],
)
def test_the_plain_command_may_be_spelled_in_several_ways(agent: Agent, command: str) -> None:
    agent.before("Bash", command=command)
    assert may(agent, "notes.txt")


def test_our_own_mcp_server_is_known_by_its_registered_command(
    agent: Agent, root: Repository
) -> None:
    server = '{"mcpServers": {"gate": {"command": "/opt/bin/intent-lsp", "args": ["mcp"]}}}'
    assert "checkout required" in reason(agent.before("mcp__gate__write_to_file", path="a.txt"))
    root.write(".mcp.json", server)
    assert agent.before("mcp__gate__write_to_file", "b", path="a.txt") == SILENCE
    assert agent.before("mcp__gate__select_active_intent", "c", intent_id="INT-001") == SILENCE
    assert may(agent, "notes.txt")
    assert "Scope" in reason(agent.before("mcp__intent-lsp__write_to_file", "d", path="docs/x"))


def test_an_agent_cannot_name_somebody_elses_session(agents: Agents, shell: Shell) -> None:
    victim, thief = agents(session="victim"), agents(session="thief")
    for each in (victim, thief):
        each.send("SessionStart", source="startup")
    for command in ("select", "complete"):
        status, _, err = shell("intents", command, "INT-001", "--session", "victim")
        assert status == 2
        assert "is the id of an agent's session, and only a person may give it" in err
    status, _, err = shell("intents", "select", "INT-001", "--session", "h-0000000000000000")
    assert (status, "there is no session h-0000000000000000" in err) == (2, True)
    assert not may(victim, "notes.txt")


def test_only_a_persons_prompt_begins_a_turn(agents: Agents) -> None:
    # The model of this host does not get the answer to a prompt, so it has to select again.
    agent = agents(host="kimi")
    agent.send("UserPromptSubmit", prompt=[{"type": "text", "text": "Do it."}])
    agent.select("INT-001")
    agent.send("UserPromptSubmit", prompt=" \n")
    assert may(agent, "notes.txt", "1")
    agent.send("UserPromptSubmit", prompt="Go on.")
    assert "checkout required" in reason(
        agent.before("Write", "2", file_path="notes.txt", content="x")
    )


def test_where_the_model_gets_the_text_an_intent_is_checked_out_again(agent: Agent) -> None:
    agent.select("INT-001")
    answer = agent.send("UserPromptSubmit", prompt="Go on.")
    assert '<intent_context id=\\"INT-001\\"' in answer.stdout
    assert may(agent, "notes.txt")


def test_a_closed_intent_is_not_checked_out_again(agent: Agent, root: Repository) -> None:
    agent.select("INT-001")
    file = root.root / ".orchestration/active_intents.yaml"
    file.write_text(file.read_text().replace("IN_PROGRESS", "COMPLETED", 1))
    answer = agent.send("UserPromptSubmit", prompt="Go on.")
    assert "Intent INT-001 is COMPLETED." in answer.stdout
    assert not may(agent, "notes.txt")


def test_a_resumed_session_keeps_its_intent_and_a_cleared_one_does_not(agent: Agent) -> None:
    agent.select("INT-001")
    agent.send("SessionEnd", reason="exit")
    assert agent.send("SessionStart", source="resume") == SILENCE
    assert may(agent, "notes.txt", "1")
    assert "select your intent" in agent.send("SessionStart", source="clear").stdout
    assert not may(agent, "notes.txt", "2")


def test_a_subagent_shares_the_intent_until_it_selects_one(agent: Agent) -> None:
    agent.select("INT-001")
    agent.fields["agent_id"] = "sub"
    agent.send("UserPromptSubmit", prompt="the parent's words")
    assert may(agent, "notes.txt", "1")
    agent.select("INT-002")
    assert may(agent, "docs/guide.md", "2")
    del agent.fields["agent_id"]
    assert not may(agent, "docs/guide.md", "3")
    assert may(agent, "old.txt", "4")


def test_a_subagent_with_a_session_of_its_own_belongs_to_its_parent(agents: Agents) -> None:
    def ask(session: str, path: str, **more: str) -> HookAnswer:
        agent = agents(host="copilot", session=session)
        agent.fields = {"sessionId": session, "hookName": "preToolUse", **more}
        return agent.send("preToolUse", toolName="create", toolArgs={"path": path, "file_text": ""})

    agents(host="copilot", session="p").select("INT-001")
    assert ask("c", "notes.txt", parentAgentId="p") == SILENCE
    assert ask("g", "old.txt", parentAgentId="c") == SILENCE
    # Known by now, also in an event that does not name the parent.
    assert ask("g", "new.txt") == SILENCE
    assert ask("stranger", "notes.txt").status == 2
    # Another session cannot take it over by claiming to be its parent.
    assert ask("g", "late.txt", parentAgentId="stranger") == SILENCE


def test_a_person_selects_beforehand_by_the_environment(agents: Agents) -> None:
    agent = agents(environment={"INTENT_LSP_INTENT": "INT-002"})
    answer = agent.send("SessionStart", source="startup")
    assert '<intent_context id=\\"INT-002\\"' in answer.stdout
    assert may(agent, "docs/guide.md")
    wrong = agents(session="s2", environment={"INTENT_LSP_INTENT": "INT-9"})
    answer = wrong.send("SessionStart", source="startup")
    assert "Intent INT-9 is not in" in answer.stdout
    assert "select your intent" in answer.stdout


def test_what_was_selected_beforehand_holds_in_every_turn(agents: Agents) -> None:
    # The model of this host does not get the answer to a prompt.
    agent = agents(host="kimi", environment={"INTENT_LSP_INTENT": "INT-001"})
    agent.send("SessionStart", source="startup")
    for number in range(2):
        agent.send("UserPromptSubmit", prompt=[{"type": "text", "text": "Go on."}])
        assert may(agent, "notes.txt", str(number))


def test_a_rename_changes_nothing_for_a_session(agents: Agents, shell: Shell) -> None:
    # The environment and the shell may go on to name the earlier id.
    agent = agents(host="kimi", environment={"INTENT_LSP_INTENT": "INT-001"})
    agent.send("SessionStart", source="startup")
    assert shell("intents", "rename", "INT-001", "NOTES")[0] == 0
    for number in range(2):
        agent.send("UserPromptSubmit", prompt=[{"type": "text", "text": "Go on."}])
        assert may(agent, "notes.txt", str(number))
    other = agents(session="session-2")
    assert other.select("INT-001") == SILENCE
    status, out, _ = shell("intents", "select", "INT-001")
    assert (status, '<intent_context id="NOTES"' in out) == (0, True)
    # The other file is claimed by the first session.
    assert may(other, "other.txt")


def test_a_session_begins_with_the_editors_intent_where_the_team_says_so(
    agents: Agents, root: Repository
) -> None:
    editor = Editor.open(root.root, None)
    try:
        editor.select("INT-002")
        assert not may(agents(session="before"), "docs/guide.md")
        root.write(POLICY, "sidecar:\n  agents_inherit: editor\n")
        agent = agents(session="after")
        answer = agent.send("SessionStart", source="startup")
        assert "Your session begins with INT-002 (Docs)" in answer.stdout
        assert may(agent, "docs/guide.md")
        with Governance(root.root) as governance:
            intent = governance.rules.current().active("INT-002")
            assert intent is not None
            assert "INTENT_INHERITED after" in governance.history.of(intent)
    finally:
        editor.close()


def test_two_sessions_at_once_each_work_for_their_own_intent(
    agents: Agents, root: Repository
) -> None:
    first, second = agents(session="s1"), agents(session="s2", host="qwen")
    first.select("INT-001")
    second.select("INT-002")
    for number in range(3):
        assert first.edit("notes.txt", f"{number}\n", f"a{number}").status == 0
        assert second.edit("docs/guide.md", f"{number}\n", f"b{number}").status == 0
        assert first.edit("docs/guide.md", "no\n", f"c{number}").status == 2
    found = {(r.session_id, r.intent_id, r.files[0].relative_path) for r in records(root)}
    assert found == {("s1", "INT-001", "notes.txt"), ("s2", "INT-002", "docs/guide.md")}


def test_without_an_open_intent_the_agent_is_told_to_ask(agent: Agent, root: Repository) -> None:
    root.write(".orchestration/active_intents.yaml", "active_intents: []\n")
    assert "it has no open intent" in agent.send("SessionStart", source="startup").stdout
    said = reason(agent.before("Write", file_path="notes.txt", content="x"))
    assert "There is no open intent: ask the person to write one." in said


def test_each_event_says_that_its_host_is_heard_here(agent: Agent, root: Repository) -> None:
    agent.send("SessionStart", source="startup")
    agent.before("Edit", file_path=str(root.root / "docs/guide.md"), old_string="a", new_string="b")
    with Governance(root.root) as governance:
        [heard] = governance.heard()
    assert (heard.host, heard.event, heard.ended) == ("claude", "SessionStart", False)
    agent.send("SessionEnd", reason="exit")
    with Governance(root.root) as governance:
        [heard] = governance.heard()
    assert (heard.host, heard.event, heard.ended) == ("claude", "SessionEnd", True)


def test_a_host_that_says_its_version_is_heard_with_it(
    agents: Callable[..., Agent], root: Repository
) -> None:
    fields = {"conversation_id": "c-1", "cursor_version": "3.1.0"}
    agents(host="cursor", fields=fields).send("beforeSubmitPrompt", prompt="hello")
    with Governance(root.root) as governance:
        [heard] = governance.heard()
    assert (heard.host, heard.version) == ("cursor", "3.1.0")
