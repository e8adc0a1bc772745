"""A hook asks the server of its root, and judges by itself where there is none."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import pytest

from intent_lsp.core.agents.hook_answer import INTENT_VARIABLE, PROBE_VARIABLE, HookAnswer
from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.gate.request import NO_ANSWER, ApprovalAnswer
from intent_lsp.doors.hook.hook import HANDED_ON, SERVER_SECONDS
from intent_lsp.doors.lsp.runtime import hook_listener
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.formats.hook_wire import (
    VERSION,
    HookRequest,
    encode_reply,
    encode_waiting,
    read_reply,
    read_request,
)
from intent_lsp.formats.hosts.table import HOSTS
from intent_lsp.formats.person_wire import PersonQuestion, read_answer
from intent_lsp.governance.calls.approvals import ApprovalQuestion, ApprovalTime
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store import hook_socket
from intent_lsp.store.hook_socket import (
    NoReplyError,
    ask_server,
    connect,
    is_private,
    listening_place,
    read_line,
    socket_places,
)
from intent_lsp.store.stopwatch import stopwatch
from tests.support.hook_agent import POLICY, records
from tests.support.repository import Repository

WRITE = {"tool_name": "Write", "tool_use_id": "c", "session_id": "s"}


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the runtime directory of this test, with a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        monkeypatch.setenv("XDG_RUNTIME_DIR", place)
        yield Path(place)


@pytest.fixture
def server(root: Repository) -> Iterator[Governance]:
    """Yield the governance of a server that answers the hooks of the repository."""
    governance = Governance(root.root, patient=True)
    listener = HookListener(governance)
    listener.begin()
    yield governance
    listener.end()
    governance.close(None)


def request(root: Repository, path: str = "docs/x", host: str = "claude") -> HookRequest:
    told = WRITE | {"hook_event_name": "PreToolUse", "tool_input": {"file_path": path}}
    return HookRequest(host, None, {}, str(root.root), json.dumps(told).encode())


def modules_of_a_hook(root: Repository, asked: HookRequest) -> tuple[int, str, list[str]]:
    """Run a hook's process. Return its status, its output, and the modules that it loaded."""
    watched = (
        "import sys, atexit; from intent_lsp.__main__ import main;"
        " atexit.register(lambda: print(*sorted(sys.modules), file=open('../loaded', 'w')));"
        f" sys.exit(main(['hook', {asked.host!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", watched],
        cwd=root.root,
        input=asked.payload,
        capture_output=True,
        check=False,
    )
    loaded = (root.root.parent / "loaded").read_text().split()
    return done.returncode, done.stdout.decode(), loaded


@pytest.mark.usefixtures("server")
def test_a_hook_is_answered_by_the_server_with_little_loaded(root: Repository) -> None:
    status, out, loaded = modules_of_a_hook(root, request(root))
    assert (status, json.loads(out)["hookSpecificOutput"]["permissionDecision"]) == (2, "deny")
    ours = [name for name in loaded if name.startswith("intent_lsp")]
    assert len(ours) <= 30
    heavy = {"pygit2", "yaml", "msgspec", "sqlite3", "tree_sitter", "pygls", "argparse", "asyncio"}
    assert (heavy | {"typing", "contextlib"}).isdisjoint(loaded)


def test_an_edit_that_may_happen_is_judged_without_a_server_and_without_git(
    root: Repository,
) -> None:
    with Governance(root.root) as governance:
        session = governance.sessions.open_agent(WRITE["session_id"])
        governance.checkout.select(session, "INT-001", unsaved_file=False)
    status, out, loaded = modules_of_a_hook(root, request(root, "new.txt"))
    assert (status, out) == (0, "")
    heavy = {"pygit2", "pathspec", "rich", "watchfiles", "pygls", "lsprotocol", "pydantic", "mcp"}
    assert heavy & set(loaded) == set()
    editing = ("authoring", "completion", "fix_all", "rename_intent", "scope_checks", "work_checks")
    assert [name for name in loaded if any(part in name for part in editing)] == []


def test_where_nothing_is_governed_no_governance_is_loaded(repository: Repository) -> None:
    status, out, loaded = modules_of_a_hook(repository, request(repository))
    assert (status, out) == (0, "")
    assert [name for name in loaded if name.startswith("intent_lsp.store.state")] == []
    assert {"intent_lsp.governance.governance", "yaml", "sqlite3"}.isdisjoint(loaded)


def test_the_answer_is_the_same_without_a_server(root: Repository, runtime: Path) -> None:
    alone = modules_of_a_hook(root, request(root))[:2]
    assert list(runtime.iterdir()) == []
    governance = Governance(root.root)
    listener = HookListener(governance)
    listener.begin()
    try:
        assert modules_of_a_hook(root, request(root))[:2] == alone
    finally:
        listener.end()
        governance.close(None)
    assert modules_of_a_hook(root, request(root))[:2] == alone


SELECT = WRITE | {
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "intent-lsp intents select INT-001"},
}


def select(root: Repository) -> HookRequest:
    """Have the server select an intent for the session. Return what was sent."""
    selecting = HookRequest("claude", None, {}, str(root.root), json.dumps(SELECT).encode())
    assert ask_server(root.root, selecting, SERVER_SECONDS) == HookAnswer("", "", 0)
    return selecting


@pytest.mark.usefixtures("server")
def test_many_hooks_at_once_are_all_answered_and_recorded(root: Repository) -> None:
    selecting = select(root)
    done = json.dumps(SELECT | {"hook_event_name": "PostToolUse"}).encode()
    ask_server(root.root, selecting._replace(payload=done), SERVER_SECONDS)
    answers: list[HookAnswer | None] = []

    def edit(number: int) -> None:
        told = WRITE | {
            "tool_use_id": f"call-{number}",
            "tool_input": {"file_path": f"{number}.txt", "content": "x\n"},
        }
        for event in ("PreToolUse", "PostToolUse"):
            payload = json.dumps(told | {"hook_event_name": event}).encode()
            asked = HookRequest("claude", None, {}, str(root.root), payload)
            answers.append(ask_server(root.root, asked, 30.0))
            root.write(f"{number}.txt", "x\n")

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [HookAnswer("", "", 0)] * 16
    assert len(records(root)) == 8


@pytest.mark.usefixtures("server")
def test_only_this_user_can_reach_the_socket(root: Repository) -> None:
    place = Path(socket_places(root.root)[0])
    assert oct(place.stat().st_mode & 0o777) == "0o600"
    assert is_private(place.parent)
    place.parent.chmod(0o755)
    assert ask_server(root.root, request(root), SERVER_SECONDS) is None
    place.parent.chmod(0o700)


def test_the_first_server_of_a_root_answers_and_another_takes_over(
    root: Repository, server: Governance
) -> None:
    second = HookListener(server)
    second.begin()
    second.end()
    assert ask_server(root.root, request(root), SERVER_SECONDS) is not None


def test_a_socket_that_a_killed_server_left_is_replaced(root: Repository) -> None:
    place = Path(socket_places(root.root)[0])
    place.parent.mkdir(mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    left.bind(os.fspath(place))
    left.close()
    assert ask_server(root.root, request(root), SERVER_SECONDS) is None
    with Governance(root.root) as governance:
        listener = HookListener(governance)
        listener.begin()
        assert ask_server(root.root, request(root), SERVER_SECONDS) is not None
        listener.end()
    assert not place.exists()


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"{}\n", b"[1]\n", b'{"version": 2}\n', b'{"version": 1}\n', b"\xff\n"]
)
@pytest.mark.usefixtures("server")
def test_what_is_no_request_of_this_version_is_not_answered(root: Repository, line: bytes) -> None:
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(socket_places(root.root)[0])
        asked.sendall(line)
        asked.shutdown(socket.SHUT_WR)
        assert json.loads(asked.recv(4096)) == {"version": VERSION, "answered": False}


@pytest.mark.usefixtures("server")
def test_an_event_of_another_root_is_judged_by_the_hook(root: Repository) -> None:
    inner = root.root / "docs"
    (inner / ".orchestration").mkdir()
    (inner / ".orchestration/active_intents.yaml").write_text("active_intents: []\n")
    assert ask_server(root.root, request(root, "docs/x"), SERVER_SECONDS) is None
    assert ask_server(root.root, request(root, host="nobody"), SERVER_SECONDS) is None
    assert ask_server(inner, request(root), SERVER_SECONDS) is None


def test_every_variable_that_changes_an_answer_is_handed_on() -> None:
    silencing = {host.silent_under for host in HOSTS.values() if host.silent_under is not None}
    assert silencing | {INTENT_VARIABLE, PROBE_VARIABLE} == set(HANDED_ON)


def test_requests_and_replies_are_read_as_they_were_written() -> None:
    asked = HookRequest("qwen", "X", {"A": "b"}, "/w", b"\x00\xff")
    assert read_request(asked.encode()) == asked
    for reply in (HookAnswer("o", "e", 2), None):
        assert read_reply(encode_reply(reply)) == reply
    assert read_reply(b'{"version": 1, "answered": true, "stdout": 3}') is None
    assert HookRequest("x", None, {}, "/w", b'{"cwd": "/a"}').place() == "/a"
    assert HookRequest("x", None, {}, "/w", b"[").place() == "/w"


def test_a_hook_waits_as_long_as_the_server_says(
    root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that asks a person says so in a line before its reply."""
    ours, theirs = socket.socketpair()
    # When the first line has come, the time that a server has by itself is over.
    passed = chain([0.0], repeat(2 * SERVER_SECONDS))

    def serve() -> None:
        theirs.recv(1 << 16)
        theirs.sendall(encode_waiting(30.0))
        theirs.sendall(encode_reply(HookAnswer("", "", 0)))

    monkeypatch.setattr(hook_socket, "connect", lambda *_: ours)
    monkeypatch.setattr(hook_socket, "stopwatch", lambda: partial(next, passed))
    with ours, theirs:
        thread = threading.Thread(target=serve)
        thread.start()
        assert ask_server(root.root, request(root), SERVER_SECONDS) == HookAnswer("", "", 0)
        thread.join()


def test_a_server_is_found_by_a_program_without_the_variable(
    root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host may start its servers with an environment of its own choice."""
    named = os.environ["XDG_RUNTIME_DIR"]
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    governance = Governance(root.root)
    listener = HookListener(governance)
    listener.begin()
    try:
        assert ask_server(root.root, request(root), SERVER_SECONDS) is not None
        monkeypatch.setenv("XDG_RUNTIME_DIR", named)
        assert ask_server(root.root, request(root), SERVER_SECONDS) is not None
        assert listening_place(root.root) is not None
    finally:
        listener.end()
        governance.close(None)
    assert listening_place(root.root) is None


class _Person:
    """A person at an editor, whose answer is what a function returns."""

    def __init__(self, answer: Callable[[Callable[[], bool]], ApprovalAnswer]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(
        self, question: ApprovalQuestion, time: ApprovalTime, is_wanted: Callable[[], bool]
    ) -> ApprovalAnswer:
        assert time.seconds > 0
        self.asked.append(question.text)
        return self.answer(is_wanted)

    def grant(self, wish: Wish, session: Session) -> Granted | CheckoutRefusal:
        raise AssertionError(f"{session} is granted {wish}")


APPROVED = ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id="the-editor")


@pytest.fixture
def person(root: Repository) -> Iterator[_Person]:
    """Yield a person who approves everything, at an editor that has the repository open."""
    governance = Governance(root.root, patient=True)
    listener = HookListener(governance)
    listener.person = person = _Person(lambda _: APPROVED)
    listener.begin()
    yield person
    listener.end()
    governance.close(None)


def put(root: Path, about: Path) -> ApprovalAnswer:
    """Put a question about a root to the server of another one, as the MCP server does."""
    connection = connect(root, SERVER_SECONDS)
    assert connection is not None
    question = PersonQuestion(os.path.realpath(about), "May I?", ("Yes", "No"), 5.0)
    with connection:
        connection.sendall(question.encode())
        return read_answer(read_line(connection, 5.0, stopwatch()))


def test_a_question_is_put_to_the_person_of_its_own_root_alone(
    root: Repository, person: _Person, tmp_path: Path
) -> None:
    assert put(root.root, root.root) == APPROVED
    assert put(root.root, tmp_path) == NO_ANSWER
    assert person.asked == ["May I?"]


def test_an_answer_is_wanted_as_long_as_the_hook_waits(root: Repository, person: _Person) -> None:
    root.write(POLICY, "sidecar:\n  hitl: out_of_scope\n")
    root.commit("policy")
    select(root)
    connection = connect(root.root, SERVER_SECONDS)
    assert connection is not None
    seen: list[bool] = []
    answered = threading.Event()

    def answer(is_wanted: Callable[[], bool]) -> ApprovalAnswer:
        seen.append(is_wanted())
        connection.close()
        seen.append(is_wanted())
        answered.set()
        return APPROVED

    person.answer = answer
    connection.sendall(request(root, "docs/guide.md").encode())
    assert answered.wait(30)
    assert seen == [True, False]


def test_a_hook_that_waited_for_a_person_in_vain_refuses(root: Repository) -> None:
    """There is no time left to judge, whatever `fail_open` says."""
    place = Path(socket_places(root.root)[0])
    place.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.fspath(place))
        listening.listen()

        def serve() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(1 << 16)
                    connection.sendall(encode_waiting(0.5))

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(NoReplyError):
            ask_server(root.root, request(root), SERVER_SECONDS)
        status, out, _ = modules_of_a_hook(root, request(root))
        thread.join()
    assert (status, json.loads(out)["hookSpecificOutput"]["permissionDecision"]) == (2, "deny")
    reason = json.loads(out)["hookSpecificOutput"]["permissionDecisionReason"]
    assert reason.endswith("sent no answer here; make the call again")


def test_a_server_takes_over_when_the_one_before_it_ends(
    root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook_listener, "TAKEN_OVER_WITHIN", 0.01)
    governances = [Governance(root.root), Governance(root.root)]
    first, second = (HookListener(governance) for governance in governances)
    first.begin()
    second.begin()
    waits = f"wait for {socket_places(root.root)[0]}"
    [waiting] = [each for each in threading.enumerate() if each.name == waits]
    assert ask_server(root.root, request(root), SERVER_SECONDS) is not None
    first.end()
    waiting.join(30)
    assert ask_server(root.root, request(root), SERVER_SECONDS) is not None
    second.end()
    assert listening_place(root.root) is None
    for governance in governances:
        governance.close(None)
