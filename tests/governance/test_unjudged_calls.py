"""A call that cannot be judged: never let through by what its caller wrote, never in silence."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.commands.reading import TouchedPath
from intent_lsp.core.errors import InvalidCallError, RequestLimitError
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.paths import POLICY_FILE, is_file_name
from intent_lsp.formats import tool_call
from intent_lsp.governance.calls import call_judging
from intent_lsp.governance.judging.call_facts import CallFactsOf, CallFile
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.packaged_files import command_lists
from tests.governance.editor import INTENTS
from tests.governance.test_calls import Agent
from tests.support import repository as repositories
from tests.support.repository import Repository

LOGIN, GUIDE = "src/auth/login.py", "docs/guide.md"

PIECES = st.sampled_from(
    [
        *("src", "auth", "docs", "login.py", "guide.md", "..", ".", "~", "~root", "", "x" * 300),
        *(".git", ".orchestration", "agent_trace.jsonl", "a b", "*", "[a-", "{a,b", "\\", "C:"),
        *("\0", "\n", "\r", "\x1b[2J", "\x7f", "\u202e", "\U0001f642", "e\u0301", "%2e%2e"),
        *("\ud800", "\udfff", "\udce9", "\udcc3\udca9", "\udc80", "con", "file:///a", "-rf"),
    ]
)
NAMES = st.lists(PIECES, min_size=1, max_size=5).map("/".join) | st.text(max_size=12)
PATCHES = st.tuples(
    st.sampled_from(["*** Update File: {}\n", "*** Add File: {}\n", "--- a/{}\n+++ b/{}\n", "{}"]),
    NAMES,
).map(lambda both: both[0].replace("{}", both[1]))
COMMANDS = st.tuples(
    st.sampled_from(["echo x > {}", "rm -- '{}'", "cat {}", "$({}", "cp a {}", "{}"]), NAMES
).map(lambda both: both[0].replace("{}", both[1]))
CALLS = st.builds(
    ToolCall,
    tool_name=st.sampled_from(["Write", "Edit", "apply_patch", "Bash", "move_file", "Read", "new"]),
    paths=st.lists(NAMES, max_size=3).map(tuple),
    command=st.none() | COMMANDS,
    patch=st.none() | PATCHES,
    new_text=st.none() | st.text(max_size=5),
    intent_id=st.none() | st.sampled_from(["INT-001", "INT-002", "nothing", "\ud800"]),
    read_hashes=st.dictionaries(NAMES, st.none(), max_size=2),
    tool_use_id=st.none() | st.text(max_size=3),
)


@pytest.fixture
def agent(governed: Repository) -> Iterator[Agent]:
    governed.write(POLICY_FILE, "sidecar: {fail_open: true}\n")
    agent = Agent(governed, "builder")
    yield agent
    agent.governance.close(None)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """Give one agent for all examples."""
    root = repositories.create(tmp_path_factory.mktemp("lasting") / "repository")
    root.write(".orchestration/active_intents.yaml", INTENTS)
    root.write(LOGIN, "one\n")
    root.commit()
    agent = Agent(root, "builder")
    yield agent
    agent.governance.close(None)


@settings(max_examples=10 * settings.default.max_examples)
@given(call=CALLS)
def test_no_call_is_let_through_unjudged(lasting: Agent, call: ToolCall) -> None:
    governance = lasting.governance
    try:
        admission = governance.calls.admit("builder", "", call)
    except (InvalidCallError, RequestLimitError):
        return
    assert (admission.failed, governance.calls.judging.failures) == (None, 0)
    if isinstance(admission.decision, Allowed):
        reading = tool_call.read_call(call, governance.rules.current().policy, command_lists())
        assert (admission.ticket is not None) == reading.mutating


@given(text=st.text(st.characters(categories=["Cs", "L"]), max_size=4))
def test_a_file_name_is_what_the_system_would_spell(text: str) -> None:
    try:
        same = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == text
    except UnicodeEncodeError:
        same = False
    assert is_file_name(text) is same


@pytest.mark.parametrize("bad", ["src/auth/\ud800", "src/auth/\udcc3\udca9"])
@pytest.mark.parametrize("kind", ["path", "patch", "command", "second"])
def test_a_path_that_is_none_fails_the_whole_call(agent: Agent, bad: str, kind: str) -> None:
    words: dict[str, Any] = {
        "path": {"paths": (bad,)},
        "second": {"paths": (LOGIN, bad)},
        "patch": {"paths": (), "patch": f"*** Begin Patch\n*** Add File: {bad}\n+x\n"},
        "command": {"paths": (), "command": f"echo x > {bad}", "tool": "Bash"},
    }[kind]
    paths = words.pop("paths", ())
    with pytest.raises(InvalidCallError):
        agent.asks(*paths, **words)
    assert agent.governance.status("builder").failures == 0


def test_a_reader_that_fails_lets_nothing_through(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise ValueError("a fault of the reader")

    monkeypatch.setattr(call_judging, "read_call", broken)
    with pytest.raises(InvalidCallError, match="a fault of the reader"):
        agent.asks(LOGIN)


def fail_on(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Have the disk fail where one of these files is looked at."""
    look = CallFactsOf._file  # noqa: SLF001 - the disk, as this class asks it

    def failing(self: CallFactsOf, touched: TouchedPath, others: RootsBelow) -> CallFile:
        if touched.path in names:
            raise OSError("the disk fails")
        return look(self, touched, others)

    monkeypatch.setattr(CallFactsOf, "_file", failing)


def test_a_path_that_cannot_be_judged_does_not_free_the_others(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_on(monkeypatch, LOGIN)
    denied = agent.asks(LOGIN, GUIDE).decision
    assert isinstance(denied, Denied)
    assert (denied.code, denied.paths) == (GateCode.SCOPE_VIOLATION, (GUIDE,))
    allowed = agent.asks(LOGIN)
    assert isinstance(allowed.decision, Allowed)
    assert allowed.failed == "the disk fails"
    assert allowed.decision.warnings == (
        "Judging the call failed, so it is allowed (fail_open is true): the disk fails",
    )
    assert agent.governance.status("builder").failures == 2


def test_who_has_no_intent_is_refused_whatever_fails(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_on(monkeypatch, LOGIN)
    agent.governance.sessions.begin_turn("builder")
    denied = agent.asks(LOGIN).decision
    assert isinstance(denied, Denied)
    assert denied.code is GateCode.CHECKOUT_REQUIRED


def test_what_fails_closed_is_refused(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    agent.root.write(POLICY_FILE, "sidecar: {fail_open: false}\n")
    fail_on(monkeypatch, LOGIN)
    denied = agent.asks(LOGIN, GUIDE).decision
    assert isinstance(denied, Denied)
    assert denied.code is GateCode.GOVERNANCE_UNAVAILABLE
