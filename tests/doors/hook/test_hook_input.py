"""Whatever a host sends, or does not send, it gets an answer that it understands."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.agents.hook_answer import SILENCE, HookAnswer
from intent_lsp.doors.hook.hook import _is_ready, _read_input
from intent_lsp.doors.hook.judging_here import _in_time, decide_here
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.governance.hooks.hook_answers import HookAnswering, HookCall
from intent_lsp.governance.hooks.hook_events import HookEvents
from intent_lsp.store.stopwatch import stopwatch
from tests.support.hook_agent import POLICY, Agent, reason
from tests.support.repository import Repository

Agents = Callable[..., Agent]

WRONG = {
    "nothing": b"",
    "white space": b" \n",
    "cut off": b'{"hook_event_name": "PreToolUse", ',
    "a list": b"[]",
    "no event": b"{}",
    "a wrong event": b'{"hook_event_name": 7}',
    "deep": b'{"a":' * 50_000,
    "not UTF-8": b"\xff\xfe\x00",
}


def event(**fields: object) -> bytes:
    common = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_use_id": "c"}
    return json.dumps(common | fields).encode()


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("data", WRONG.values(), ids=WRONG)
def test_what_cannot_be_read_is_refused_in_the_hosts_own_form(
    agents: Agents, host: str, data: bytes
) -> None:
    answer = agents(host=host).send_raw(data)
    assert answer.status == 2
    assert answer.stderr.startswith("intent-lsp cannot judge this call and refuses it: ")
    assert "Traceback" not in answer.stderr
    assert json.loads(answer.stdout)


def test_an_event_that_asks_for_nothing_is_never_refused(agent: Agent) -> None:
    for name in ("SessionStart", "PostToolUse", "Stop"):
        answer = agent.send_raw(b"{", name)
        assert (answer.status, answer.stdout) == (0, "")
        assert "is not JSON" in answer.stderr


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tool_name": None}, "tool_name in the hook's payload: is missing"),
        ({"tool_name": "Edit", "tool_input": "x"}, "tool_input in the hook's payload: is not JSON"),
        (
            {"tool_name": "Edit", "session_id": None},
            "the host gives no id of its session; check which host runs this hook",
        ),
        ({"tool_name": "Edit", "session_id": "x" * 300}, "is not a text of 1 to 256 characters"),
        ({"tool_name": "Edit", "session_id": "\ud800"}, "is not a text of 1 to 256 characters"),
        ({"tool_name": "Edit", "tool_input": {"path": "\ud800"}}, "half of a character"),
        ({"tool_name": "Edit", "cwd": "sub"}, "is not an absolute path"),
        ({"tool_name": "Edit", "tool_input": {}}, "Edit changes a file, but the call names none"),
    ],
)
def test_a_call_that_cannot_be_judged_is_refused_with_the_place(
    agent: Agent, fields: dict[str, object], said: str
) -> None:
    assert said in reason(agent.send_raw(event(**fields)))


def test_unknown_fields_and_events_are_passed_over(agent: Agent) -> None:
    assert agent.send("PreCompact", trigger="auto") == SILENCE
    agent.select("INT-001")
    agent.fields = {"new_field": {"deep": [1]}, "permission_mode": 3}
    assert agent.before("Write", file_path="notes.txt", content="x", more=[1]) == SILENCE


def test_ten_megabytes_are_judged(agent: Agent) -> None:
    agent.select("INT-001")
    assert agent.before("Write", file_path="notes.txt", content="x\n" * 5_000_000) == SILENCE


def test_where_no_intents_file_governs_nothing_is_said_or_written(
    repository: Repository, tmp_path: Path
) -> None:
    for data in (event(tool_name="Edit", tool_input={}), b"", b"{"):
        for cwd in (repository.root, tmp_path / "home"):
            call = HookCall.of(HOSTS["claude"], None, {}, str(cwd))
            assert HookAnswering(call, decide_here).answer(data) == SILENCE
    assert sorted(p.name for p in repository.root.iterdir()) == [".git"]
    assert list((tmp_path / "home").iterdir()) == []


def test_our_own_failure_is_silent_unless_the_team_says_otherwise(
    agent: Agent, root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(HookEvents, "answer", broken)
    assert agent.before("Write", file_path="notes.txt") == SILENCE
    root.write(POLICY, "sidecar:\n  fail_open: false\n")
    assert reason(agent.before("Write", file_path="notes.txt")).startswith(
        "Governance Unavailable: the disk is on fire."
    )
    assert agent.send("SessionStart") == SILENCE


def test_a_judgement_that_takes_too_long_is_a_failure_of_ours(root: Repository) -> None:
    host = HOSTS["claude"]
    call = HookCall.of(host, "PreToolUse", {}, str(root.root))
    never = threading.Event()

    class Slow(HookAnswering):
        def answer(self, data: bytes) -> HookAnswer:
            never.wait()
            return super().answer(data)

    answering = Slow(call, decide_here, root=root.root)
    assert _in_time(answering, b"", 0.0, stopwatch()) == SILENCE
    root.write(POLICY, "sidecar:\n  fail_open: false\n")
    assert "the call was not judged within 0 s" in reason(
        _in_time(answering, b"", 0.0, stopwatch())
    )
    # What the hook has waited for its event and for a server counts.
    late = _in_time(answering, b"", 3600.0, lambda: 3600.5)
    assert "the call was not judged within 3600 s" in reason(late)
    never.set()


def test_copilot_with_claudes_file_reads_a_refusal_with_status_0(
    root: Repository,
) -> None:
    done = ran(
        "claude",
        event(tool_name="Write", cwd=str(root.root), tool_input={"path": "a"}),
        root,
        COPILOT_CLI="1",
    )
    assert done.returncode == 0
    assert '"permissionDecision": "deny"' in done.stdout


def ran(
    host: str, data: bytes, root: Repository, *words: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "intent_lsp", "hook", host, *words],
        cwd=root.root,
        input=data.decode("utf-8", "surrogateescape"),
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_a_real_process_refuses_with_json_a_reason_and_status_2(root: Repository) -> None:
    data = event(tool_name="Write", cwd=str(root.root), tool_input={"path": "docs/x"})
    done = ran("claude", data, root)
    assert done.returncode == 2
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert done.stderr.startswith("You must cite a valid active Intent ID.")


def test_a_real_process_gets_the_event_name_from_the_command_line(root: Repository) -> None:
    data = json.dumps({"conversationId": "c", "toolCall": {"name": "edit", "args": {"path": "a"}}})
    done = ran("antigravity", data.encode(), root, "--event", "PreToolUse")
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (2, "deny")
    done = ran("antigravity", data.encode(), root, "--event", "Stop")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_unknown_host_is_named_with_those_that_are_known(root: Repository) -> None:
    done = ran("nobody", b"{}", root)
    assert done.returncode == 1
    assert done.stderr.startswith("intent-lsp: nobody is not an agent host; use one of: claude")


def test_standard_input_that_never_ends_is_answered_after_the_event(root: Repository) -> None:
    data = event(tool_name="Write", cwd=str(root.root), tool_input={"path": "docs/x"})
    with subprocess.Popen(
        [sys.executable, "-m", "intent_lsp", "hook", "claude"],
        cwd=root.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(data)
        process.stdin.flush()
        assert b"deny" in process.stdout.read()
        assert process.wait() == 2


def test_a_line_end_that_comes_by_itself_does_not_hide_the_end_of_the_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    looks: list[float] = []

    def second_write_comes(descriptor: int, seconds: float) -> bool:
        looks.append(seconds)
        if seconds == 0.0 and looks.count(0.0) == 1:
            os.write(writing, b"\n")
        return _is_ready(descriptor, seconds)

    monkeypatch.setattr("intent_lsp.doors.hook.hook._is_ready", second_write_comes)
    os.write(writing, b'{"a": 1}')
    assert _read_input(reading, 5.0) == b'{"a": 1}\n'
    for each in (reading, writing):
        os.close(each)


@pytest.mark.parametrize("named", ["absolute", "relative", "not at all"])
def test_a_call_is_refused_though_the_hooks_directory_was_deleted(
    root: Repository, named: str
) -> None:
    gone = root.root / "gone"
    gone.mkdir()
    cwd = {"absolute": {"cwd": str(root.root)}, "relative": {"cwd": "gone"}}.get(named, {})
    data = event(tool_name="Write", tool_input={"path": str(root.root / "docs/x")}, **cwd)
    hook = (sys.executable, "-m", "intent_lsp", "hook", "claude")
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *hook],
        cwd=gone,
        input=data,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"deny" in done.stdout


def test_a_host_that_no_longer_listens_ends_the_hook_quietly(root: Repository) -> None:
    data = event(tool_name="Write", cwd=str(root.root), tool_input={"path": "docs/x"})
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "intent_lsp", "hook", "claude"],
        cwd=root.root,
        input=data,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
