"""The lab of agent hosts: its scripted model, its pinned packages, and what was recorded in it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from tests.support.agent_lab import last_run
from tests.support.agent_lab.installation import PACKAGES
from tests.support.agent_lab.known_hosts import FREE, wanted_hosts
from tests.support.agent_lab.last_run import HostOutcome
from tests.support.agent_lab.mcp_server import answer
from tests.support.agent_lab.model import SUBTASK, ModelRequest, ScriptedModel
from tests.support.agent_lab.placeholders import Placeholders
from tests.support.agent_lab.recordings import DATA
from tests.support.agent_lab.scenarios import SCENARIOS
from tests.support.agent_lab.wire import WIRES, Call, Chat, Json, Wire

LOCKS = sorted(PACKAGES.glob("*/package-lock.json"))
RECORDINGS = sorted(DATA.glob("*/*.json"))
KEYS = ["host", "version", "recorded", "event", "number", "env", "payload"]
WRITTEN = frozenset({"claude", "copilot"})
"""Hosts that are no free software: their payloads were written, not recorded."""
READ, EDIT = Call("read", {"path": "a"}), Call("edit", {"path": "a"})


def chat(*results: str, prompt: str = "TASK", tools: Sequence[str] = ("read",)) -> Json:
    """Return a request of a host that speaks Chat Completions."""
    said = [{"role": "user", "content": prompt}]
    said += [{"role": "tool", "content": result} for result in results]
    return {"messages": said, "tools": [{"function": {"name": name}} for name in tools]}


def asked(model: ScriptedModel, body: Json) -> Sequence[Call]:
    """Return the calls that the model answers a request with."""
    model.prompt = "TASK"
    return model.answer(Chat(), "/v1/chat/completions", body).calls


def test_each_request_is_answered_with_the_next_turn() -> None:
    model = ScriptedModel([[READ], [EDIT, EDIT]])
    assert asked(model, chat()) == [READ]
    assert asked(model, chat("text")) == [EDIT, EDIT]
    assert asked(model, chat("text", "done", "done")) == ()


def test_a_request_that_is_sent_again_is_answered_as_before() -> None:
    turns: list[ModelRequest] = []

    def turn(request: ModelRequest) -> Sequence[Call]:
        turns.append(request)
        return [READ]

    model = ScriptedModel([turn])
    assert asked(model, chat()) == asked(model, chat()) == [READ]
    assert len(turns) == 1


def test_a_turn_reads_what_the_call_before_it_said() -> None:
    model = ScriptedModel([[READ], lambda request: [Call("said", {"text": request.results[-1]})]])
    asked(model, chat())
    assert asked(model, chat("no: out of scope")) == [Call("said", {"text": "no: out of scope"})]
    assert model.seen_after(1) == "no: out of scope"


def test_a_resumed_session_begins_the_script_anew() -> None:
    model = ScriptedModel([[READ], [EDIT]])
    assert asked(model, chat("of", "the", "last run")) == [READ]
    assert asked(model, chat("of", "the", "last run", "text")) == [EDIT]


def test_a_subagent_has_a_script_of_its_own() -> None:
    model = ScriptedModel([[READ]], [[EDIT]])
    assert asked(model, chat(prompt=SUBTASK)) == [EDIT]
    assert asked(model, chat()) == [READ]


@pytest.mark.parametrize("body", [chat(tools=()), chat(prompt="Name this conversation.")])
def test_what_a_host_asks_for_itself_gets_plain_text(body: Json) -> None:
    assert asked(ScriptedModel([[READ]]), body) == ()


def test_a_mistake_in_a_script_is_kept_for_the_test() -> None:
    model = ScriptedModel([lambda request: [Call(request.tool("echo"), {})]])
    assert asked(model, chat()) == ()
    assert "no tool ends in echo: read" in model.errors[0]


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: type(wire).__name__)
def test_each_format_writes_the_calls_and_the_last_word(wire: Wire) -> None:
    made = json.dumps([event for _, event in wire.answer([READ], 0)])
    assert "read" in made
    assert "Done." not in made
    assert "Done." in json.dumps([event for _, event in wire.answer([], 1)])


@pytest.mark.parametrize(
    "body",
    [
        {"input": [{"type": "function_call_output", "output": "no"}]},
        {"messages": [{"role": "tool", "content": [{"type": "text", "text": "no"}]}]},
        {"messages": [{"content": [{"type": "tool_result", "content": "no"}]}]},
        {"contents": [{"parts": [{"functionResponse": {"response": {"text": "no"}}}]}]},
    ],
)
def test_each_format_reads_the_results_of_tools(body: Json) -> None:
    assert ["no"] in [wire.results(body) for wire in WIRES]


def test_placeholders_are_the_same_for_the_same_text() -> None:
    one, two = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "ab")
    placeholders = Placeholders({"/tmp/run/repo": "/repo"})  # noqa: S108 - no file is made
    first = placeholders.apply({"id": one, "other": two, "cwd": "/tmp/run/repo/src"})  # noqa: S108
    assert first == {"id": "uuid-1", "other": "uuid-2", "cwd": "/repo/src"}
    assert placeholders.apply([two, "2026-11-25T20:00:01.5Z"]) == ["uuid-2", "2026-01-01T00:00:00Z"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_a_package_is_pinned_by_its_hash_and_no_registry_is_named(lock: Path) -> None:
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
    assert not re.search(r'"resolved"|registry\.', lock.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_recording_says_what_it_is_and_names_no_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    recording = json.loads(text)
    assert list(recording) == KEYS
    assert recording["host"] == path.parent.name
    assert recording["recorded"] == (path.parent.name not in WRITTEN)
    assert re.search(r"(?<![\w.])/(?:work|root/\.|tmp/agent-lab|var)\b", text) is None


@pytest.mark.parametrize("host", FREE)
def test_each_scenario_of_a_free_host_is_recorded(host: str) -> None:
    found = {path.name.partition(".")[0] for path in (DATA / host).glob("*.json")}
    wanted = {scenario.name for scenario in SCENARIOS}
    assert wanted - found <= {"resume", "clear", "subagent"}
    assert all(json.loads(path.read_text())["version"] == FREE[host].version
               for path in (DATA / host).glob("*.json"))  # fmt: skip


def test_hosts_with_other_terms_run_only_where_they_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("INTENT_LSP_TEST_HOSTS", raising=False)
    assert set(wanted_hosts()) == set(FREE)
    monkeypatch.setenv("INTENT_LSP_TEST_HOSTS", "claude")
    assert set(wanted_hosts()) - set(FREE) == {"claude"}


def test_the_table_keeps_the_rows_of_hosts_that_did_not_run() -> None:
    head = "| host | version | last run |\n| --- | --- | --- |\n"
    page = f"# Hosts\n\n{head}| kimi | old |\n| qwen | old |\n\nMore.\n"
    outcome = HostOutcome(passed=9, skipped=1, seconds=4.4)
    written = last_run.write(page, {"qwen": outcome}, FREE)
    assert "| kimi | old |\n| qwen | " in written
    assert "| 9 passed, 1 not possible | 4 | yes |\n\nMore.\n" in written


def test_the_tiny_mcp_server_answers_with_what_it_is_given() -> None:
    called = answer("tools/call", {"name": "echo", "arguments": {"text": "hello"}})
    assert called == {"content": [{"type": "text", "text": "echo: hello"}]}


def report(
    journey: str, host: str, outcome: Literal["passed", "skipped", "failed"]
) -> pytest.TestReport:
    """Return the report of one journey of a host."""
    where = f"tests/agents/test_journeys.py::{journey}[{host}]"
    return pytest.TestReport(where, ("", 0, ""), {}, outcome, None, "call", duration=2.0)


def test_a_row_is_for_a_host_that_was_taken_through_every_journey_without_a_failure() -> None:
    first, *rest = sorted(last_run.journeys())
    assert "test_a_host_whose_hooks_do_nothing_is_named" in rest
    reports = [report(name, host, "passed") for host in ("codex", "qwen") for name in rest]
    reports += [report(first, "codex", "skipped"), report(first, "qwen", "failed")]
    done = [each for each in reports if not each.failed]
    failed = [each for each in reports if each.failed]
    found = last_run.outcomes(done, failed, ["codex", "qwen", "kimi"])
    assert found == {"codex": HostOutcome(passed=len(rest), skipped=1, seconds=2.0)}
    assert last_run.outcomes(done[1:], failed, ["codex"]) == {}
