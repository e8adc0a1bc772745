"""Calls of agents, as their hosts' hooks report them: judged before and recorded afterwards."""

from collections.abc import Callable

import pytest

from intent_lsp.core.agents.hook_answer import SILENCE
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import EntityType, ScopeValidation
from intent_lsp.governance.calls.call_judging import FILES_AT_MOST
from intent_lsp.governance.contents.contents import Contents
from tests.support.hook_agent import POLICY, TEXT, Agent, handle_in, reason, records
from tests.support.repository import Repository

CHANGED = "alpha\nBETA\ngamma\n"
EDIT = {"old_string": "beta", "new_string": "BETA"}
Agents = Callable[..., Agent]


def selected(agent: Agent, intent_id: str = "INT-001") -> Agent:
    assert agent.select(intent_id) == SILENCE
    return agent


def edit_input(root: Repository, path: str = "notes.txt") -> dict[str, str]:
    return {"file_path": str(root.root / path), **EDIT}


def test_an_edit_without_an_intent_is_refused_with_the_command_that_selects_one(
    agent: Agent, root: Repository
) -> None:
    answer = agent.before("Edit", **edit_input(root))
    assert "intent checkout required" in reason(answer)
    command = f"`intent-lsp intents select ID --session {handle_in(answer)}`"
    assert f"Run {command}, where ID is one of:\\n- INT-001: Notes\\n- INT-002: Docs" in (
        answer.stdout
    )
    assert records(root) == []


def test_an_edit_in_scope_is_silent_and_recorded_with_its_lines_and_model(
    agent: Agent, root: Repository
) -> None:
    agent.send("SessionStart", source="startup", model="opus")
    selected(agent)
    assert agent.before("Edit", **edit_input(root)) == SILENCE
    root.write("notes.txt", CHANGED)
    assert agent.after("Edit", **edit_input(root)) == SILENCE
    [record] = records(root)
    assert (record.intent_id, record.tool_name) == ("INT-001", "Edit")
    assert record.scope_validation is ScopeValidation.PASS
    [talk] = record.files[0].conversations
    assert (talk.contributor.entity_type, talk.contributor.model_identifier) == (
        EntityType.AI,
        "opus",
    )
    assert [(r.start_line, r.end_line) for r in talk.ranges] == [(2, 2)]


def test_an_edit_out_of_scope_is_refused_with_the_owner(agent: Agent, root: Repository) -> None:
    answer = selected(agent).before("Edit", **edit_input(root, "docs/guide.md"))
    said = reason(answer)
    assert said.startswith("Scope Violation: INT-001 is not authorized to edit docs/guide.md.")
    assert "INT-002 owns the file" in said
    assert f"intents select INT-002 --session {handle_in(answer)}" in said


def test_a_person_who_changed_the_text_first_is_named_beside_the_agent(
    agent: Agent, root: Repository
) -> None:
    selected(agent).before("Edit", **edit_input(root))
    root.write("notes.txt", CHANGED)
    agent.after("Edit", response={"userModified": True}, **edit_input(root))
    contributor = records(root)[0].files[0].conversations[0].contributor
    assert contributor.entity_type is EntityType.MIXED


def test_a_file_that_changed_since_the_agent_read_it_is_stale(
    agent: Agent, root: Repository
) -> None:
    selected(agent).before("Read", "read-1", file_path=str(root.root / "notes.txt"))
    root.write("notes.txt", "theirs\n")
    assert "Stale File: notes.txt" in reason(agent.before("Edit", **edit_input(root)))
    agent.before("Read", "read-2", file_path=str(root.root / "notes.txt"))
    assert agent.before("Edit", "call-2", **edit_input(root)) == SILENCE


def test_the_lines_that_a_tool_showed_count_as_read_if_they_are_still_there(
    agent: Agent, root: Repository
) -> None:
    path = str(root.root / "notes.txt")
    selected(agent).before("Read", "read-1", file_path=path)
    root.write("notes.txt", "new\nalpha\nbeta\n")
    gone = {"filePath": path, "content": "alpha\nbeta\ngamma\n", "startLine": 1}
    agent.after("Read", "read-1", response={"file": gone}, file_path=path)
    assert "Stale File" in reason(agent.before("Edit", **edit_input(root)))
    shown = {"filePath": path, "content": "beta\n", "startLine": 3}
    agent.after("Read", "read-2", response={"file": shown}, file_path=path)
    assert agent.before("Edit", "call-2", **edit_input(root)) == SILENCE


def test_a_file_that_the_prompt_mentions_counts_as_read(agent: Agent, root: Repository) -> None:
    root.write(POLICY, "sidecar:\n  require_read: true\n")
    agent.send("UserPromptSubmit", prompt="Change beta.")
    selected(agent)
    assert "Unread File" in reason(agent.before("Edit", **edit_input(root)))
    agent.send("UserPromptSubmit", prompt="In @notes.txt, please.")
    assert agent.before("Edit", "call-2", **edit_input(root)) == SILENCE


def test_a_mentioned_file_that_cannot_be_read_does_not_hide_the_others(
    agent: Agent, root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root.write(POLICY, "sidecar:\n  require_read: true\n")
    root.write("secret.txt", "closed\n")
    whole = Contents.hash_of

    def closed(contents: Contents, path: WorkspacePath) -> ContentHash | None:
        if path == "secret.txt":
            raise PermissionError(path)
        return whole(contents, path)

    monkeypatch.setattr(Contents, "hash_of", closed)
    agent.send("UserPromptSubmit", prompt="As in @secret.txt, change @notes.txt.")
    selected(agent)
    assert agent.before("Edit", **edit_input(root)) == SILENCE
    path = str(root.root / "secret.txt")
    assert agent.before("Read", "read-1", file_path=path) == SILENCE


def test_a_command_out_of_scope_is_recorded_and_told_to_the_model(
    agent: Agent, root: Repository
) -> None:
    selected(agent)
    command = {"command": "python3 make.py"}
    assert agent.before("Bash", **command) == SILENCE
    root.write("docs/guide.md", "# Changed\n")
    answer = agent.after("Bash", **command)
    assert "docs/guide.md changed while `python3` ran" in answer.stdout
    assert "additionalContext" in answer.stdout
    assert [record.scope_validation for record in records(root)] == [ScopeValidation.FAIL]


def test_a_command_that_plainly_writes_out_of_scope_is_refused(agent: Agent) -> None:
    said = reason(selected(agent).before("Bash", command="echo x > docs/guide.md"))
    assert "Scope Violation" in said


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("bash", True),
        ("/bin/sh -i", True),
        ("python3", True),
        ("bash -lc ls", False),
        ("python3 --version", False),
        ("/usr/bin/python3 -V", False),
        ("python3 -v", True),
        ("node -v", False),
        ("node -h", False),
        ("python3 -VV", False),
        ("bash --help", False),
        ("ls", False),
    ],
)
def test_a_shell_that_is_typed_into_unseen_is_refused(
    agents: Agents, command: str, *, refused: bool
) -> None:
    answer = agents(host="codex").before("Bash", command=command)
    assert ("opens a shell, and intent-lsp would not see" in answer.stderr) is refused
    assert "opens a shell" not in agents(host="claude").before("Bash", command=command).stderr


def test_paths_of_a_call_begin_at_its_working_directory(agent: Agent, root: Repository) -> None:
    agent.fields["cwd"] = str(root.root / "docs")
    selected(agent, "INT-002")
    assert agent.before("Write", file_path="guide.md", content="x") == SILENCE
    assert "docs/../notes.txt" not in reason(
        agent.before("Write", "call-2", file_path="../notes.txt", content="x")
    )
    assert agent.before("Bash", "call-3", command="echo x > guide.md") == SILENCE
    assert "notes.txt" in reason(agent.before("Bash", "call-4", command="echo x > ../notes.txt"))
    patch = "*** Begin Patch\n*** Update File: guide.md\n*** End Patch"
    assert agent.before("apply_patch", "call-5", command=patch) == SILENCE


def test_an_edit_that_names_no_file_is_refused(agent: Agent) -> None:
    said = reason(selected(agent).before("Edit", old_string="a", new_string="b"))
    assert "refuses it: Edit changes a file, but the call names none" in said


def test_a_call_that_is_reported_twice_is_one_call(agent: Agent, root: Repository) -> None:
    selected(agent)
    for _ in range(2):
        assert agent.before("Edit", **edit_input(root)) == SILENCE
    root.write("notes.txt", CHANGED)
    for _ in range(2):
        agent.after("Edit", **edit_input(root))
    assert len(records(root)) == 1


def test_calls_without_ids_are_matched_by_their_tool_and_input(
    agents: Agents, root: Repository
) -> None:
    agent = selected(agents(host="gemini"))
    for text in ("one\n", "two\n"):
        call = {
            "tool_name": "write_file",
            "tool_input": {"file_path": str(root.root / "notes.txt"), "content": text},
        }
        for _ in range(2):
            assert agent.send("BeforeTool", **call) == SILENCE
        root.write("notes.txt", text)
        for _ in range(2):
            agent.send("AfterTool", **call, tool_response={})
    assert [len(record.files) for record in records(root)] == [1, 1]


def test_a_failed_call_is_recorded_as_failed(agent: Agent, root: Repository) -> None:
    selected(agent).before("Edit", **edit_input(root))
    agent.send(
        "PostToolUseFailure",
        tool_name="Edit",
        tool_input=edit_input(root),
        tool_use_id="call-1",
        error="no such text",
    )
    [record] = records(root)
    assert (record.success, record.error) == (False, "no such text")


def test_calls_that_are_all_asked_before_the_first_is_made_are_judged_as_such(
    agent: Agent, root: Repository
) -> None:
    selected(agent)
    assert agent.before("Edit", "a", **edit_input(root)) == SILENCE
    second = {"file_path": str(root.root / "notes.txt"), "old_string": "x", "new_string": "y"}
    assert agent.before("Edit", "b", **second) == SILENCE
    root.write("notes.txt", CHANGED)
    agent.after("Edit", "a", **edit_input(root))
    root.write("notes.txt", CHANGED + "more\n")
    agent.after("Edit", "b", **second)
    assert [record.scope_validation for record in records(root)] == [ScopeValidation.PASS] * 2
    assert [record.concurrent_modification for record in records(root)] == [False, False]


@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_a_call_whose_end_is_not_reported_is_recorded_from_the_disk(
    agent: Agent, root: Repository, event: str
) -> None:
    selected(agent).before("Edit", **edit_input(root))
    agent.before("Edit", "never-made", **edit_input(root, "old.txt"))
    agent.before("Bash", "run", command="python3 make.py")
    root.write("notes.txt", CHANGED)
    root.write("made.txt", "made\n")
    agent.send(event)
    found = [(r.tool_name, r.files[0].relative_path) for r in records(root)]
    assert sorted(found) == [("Bash", "made.txt"), ("Edit", "notes.txt")]
    agent.after("Edit", **edit_input(root))
    agent.after("Bash", "run", command="python3 make.py")
    assert len(records(root)) == 2


def test_a_prompt_settles_what_the_turn_before_left_open(agent: Agent, root: Repository) -> None:
    selected(agent).before("Edit", **edit_input(root))
    root.write("notes.txt", CHANGED)
    agent.send("UserPromptSubmit", prompt="Go on.")
    assert [record.tool_name for record in records(root)] == ["Edit"]


@pytest.mark.parametrize(
    ("mode", "told"), [("warn", "INT-001 is not authorized to edit docs/guide.md"), ("observe", "")]
)
def test_a_team_that_only_wants_warnings_lets_a_call_pass_and_records_it(
    agent: Agent, root: Repository, mode: str, told: str
) -> None:
    root.write(POLICY, f"sidecar:\n  agents: {mode}\n")
    answer = selected(agent).before("Edit", **edit_input(root, "docs/guide.md"))
    assert (answer.status, answer.stderr) == (0, "")
    assert (told in answer.stdout) if told else (answer == SILENCE)
    assert "allow" not in answer.stdout
    root.write("docs/guide.md", "# Changed\n")
    agent.after("Edit", **edit_input(root, "docs/guide.md"))
    assert [record.scope_validation for record in records(root)] == [ScopeValidation.FAIL]


@pytest.mark.parametrize("host", ["gemini", "qwen"])
def test_a_model_that_gets_no_note_before_a_call_is_warned_after_it(
    agents: Agents, root: Repository, host: str
) -> None:
    root.write(POLICY, "sidecar:\n  agents: warn\n")
    agent = selected(agents(host=host))
    call = {"file_path": str(root.root / "docs/guide.md"), "content": "# Changed\n"}
    assert agent.before("write_file", **call) == SILENCE
    root.write("docs/guide.md", "# Changed\n")
    answer = agent.after("write_file", response={}, **call)
    assert "INT-001 is not authorized to edit docs/guide.md" in answer.stdout
    assert agent.after("write_file", response={}, **call) == SILENCE


@pytest.mark.parametrize("mode", ["block", "warn", "observe"])
def test_the_control_plane_is_refused_in_every_mode(
    agent: Agent, root: Repository, mode: str
) -> None:
    root.write(POLICY, f"sidecar:\n  agents: {mode}\n")
    path = ".orchestration/active_intents.yaml"
    said = reason(agent.before("Edit", "unselected", **edit_input(root, path)))
    assert ("denies mutation" in said) == (mode != "block"), "no intent is selected yet"
    assert "denies mutation" in reason(selected(agent).before("Edit", **edit_input(root, path)))


def test_without_an_intent_a_warned_agent_is_recorded_as_such(
    agent: Agent, root: Repository
) -> None:
    root.write(POLICY, "sidecar:\n  agents: warn\n")
    assert agent.edit("notes.txt", CHANGED).status == 0
    [record] = records(root)
    assert (record.intent_id, record.scope_validation) == (None, ScopeValidation.FAIL)


def test_every_free_host_is_refused_and_recorded_by_what_it_really_sends(
    agents: Agents, root: Repository
) -> None:
    from tests.support.hook_payloads import scenario  # noqa: PLC0415

    for host in ("codex", "gemini", "qwen", "kimi", "opencode"):
        agent = agents(host=host)
        events = [it for it in scenario(host, "edit") if it.event != "PostToolBatch"]
        before = next(it for it in events if "efore" in it.event or it.event == "PreToolUse")
        asked = agent.send_raw(before.at(root.root))
        assert "intent-lsp intents select" in reason(asked), host
    assert (root.root / "notes.txt").read_text() == TEXT


def test_a_call_that_names_too_many_files_is_refused(agent: Agent) -> None:
    names = " ".join(f"f{at}" for at in range(FILES_AT_MOST + 1))
    said = reason(selected(agent).before("Bash", command=f"rm {names}"))
    assert "the call names too many files" in said
