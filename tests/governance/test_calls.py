"""Agents' calls: judged, given a ticket, claimed, recorded (requirements section 6)."""

import errno
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.approvals import Approval, ApprovalChannel, ApprovalChoice
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.request import Allowed, ApprovalAnswer, Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.governance import Governance
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.locks.file_lock import try_lock
from intent_lsp.store.packaged_files import command_lists
from intent_lsp.store.state.notes import AgentInfo
from tests.governance.editor import INTENTS
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def root(repository: Repository) -> Repository:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write(LOGIN, TEXT)
    repository.write("docs/guide.md", TEXT)
    repository.commit()
    return repository


class Agent:
    """One agent's conversation, with a governance as of its own process."""

    def __init__(self, root: Repository, name: str, intent: str | None = "INT-001") -> None:
        self.root, self.name = root, name
        self.governance = Governance(root.root)
        if intent is not None:
            self.select(intent)

    def select(self, intent: str) -> None:
        session = self.governance.sessions.open_agent(self.name)
        self.governance.checkout.select(session, intent, unsaved_file=False)

    def asks(self, *paths: str, tool: str = "Write", **more: Any) -> CallDecision:
        return self.governance.calls.admit(
            self.name, "", ToolCall(tool_name=tool, paths=paths, **more)
        )

    def refused(self, *paths: str, **more: Any) -> Denied:
        admission = self.asks(*paths, **more)
        assert isinstance(admission.decision, Denied), admission
        assert admission.ticket is None
        return admission.decision

    def ticket(self, *paths: str, **more: Any) -> str:
        admission = self.asks(*paths, **more)
        assert admission.ticket is not None, admission.decision
        return admission.ticket.id

    def reads(self, path: str) -> None:
        data = (self.root.root / path).read_bytes()
        self.governance.calls.read(self.name, "", WorkspacePath(path), hash_content(data))

    def writes(self, path: str, text: str, **more: Any) -> Any:
        """Ask, write and record, as a well-behaved agent does."""
        ticket = self.ticket(path, **more)
        self.root.write(path, text)
        outcome = self.governance.calls.record(ticket)
        assert outcome is not None
        return outcome.record


@pytest.fixture
def agent(root: Repository) -> Iterator[Callable[..., Agent]]:
    opened: list[Agent] = []

    def open_one(name: str = "builder", intent: str | None = "INT-001") -> Agent:
        opened.append(Agent(root, name, intent))
        return opened[-1]

    yield open_one
    for each in opened:
        each.governance.close(None)


Open = Callable[..., Agent]


def test_an_edit_in_scope_is_recorded_with_its_lines(agent: Open) -> None:
    record = agent().writes(LOGIN, "one\nTWO\nthree\n", mutation_class=MutationClass.BUG_FIX)
    assert (record.intent_id, record.scope_validation) == ("INT-001", ScopeValidation.PASS)
    assert (record.tool_name, record.session_id) == ("Write", "builder")
    assert (record.mutation_class, record.inferred) == (MutationClass.BUG_FIX, False)
    (file,) = record.files
    assert file.pre_hash == hash_content(TEXT.encode())
    assert file.post_hash == hash_content(b"one\nTWO\nthree\n")
    ((line,),) = [conversation.ranges for conversation in file.conversations]
    assert (line.start_line, line.end_line, line.replaced) == (2, 2, (2, 1, 1))
    assert not record.concurrent_modification


def test_who_waits_for_another_is_judged_by_what_governs_afterwards(
    agent: Open, root: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = agent()
    locks: list[int] = []

    def busy_at_first(fd: int) -> bool:
        """Another process holds the lock, and closes the intent meanwhile."""
        locks.append(fd)
        if len(locks) == 1:
            closed = INTENTS.replace("status: IN_PROGRESS", "status: COMPLETED")
            root.write(".orchestration/active_intents.yaml", closed)
            return False
        return try_lock(fd)

    monkeypatch.setattr("intent_lsp.store.locks.root_lock.try_lock", busy_at_first)
    assert builder.refused(LOGIN).code is GateCode.INTENT_CLOSED
    assert len(locks) >= 2


def test_nothing_is_mutated_without_an_intent(agent: Open) -> None:
    nobody = agent("nobody", None)
    denied = nobody.refused(LOGIN)
    assert denied.code is GateCode.CHECKOUT_REQUIRED
    assert denied.message.startswith("You must cite a valid active Intent ID. ")
    reading = nobody.asks(LOGIN, tool="Read")
    assert reading.decision == Allowed(ScopeValidation.EXEMPT)
    assert reading.ticket is None


def test_a_turn_asks_for_a_new_checkout(agent: Open) -> None:
    builder = agent()
    builder.governance.sessions.begin_turn("builder")
    denied = builder.refused(LOGIN)
    assert denied.code is GateCode.CHECKOUT_REQUIRED
    assert denied.message.startswith("PreToolUse denied Write: intent checkout required")
    builder.select("INT-001")
    builder.ticket(LOGIN)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("docs/guide.md", GateCode.SCOPE_VIOLATION),
        ("../other/x", GateCode.OUTSIDE_WORKSPACE),
        ("src/auth/../../../x", GateCode.OUTSIDE_WORKSPACE),
        ("/etc/passwd", GateCode.OUTSIDE_WORKSPACE),
        ("~/x", GateCode.OUTSIDE_WORKSPACE),
        ("a\0b", GateCode.OUTSIDE_WORKSPACE),
        (".orchestration/active_intents.yaml", GateCode.PATH_DENIED),
        (".git/config", GateCode.PATH_DENIED),
        (".claude/settings.local.json", GateCode.PATH_DENIED),
        ("src/auth/out/x", GateCode.OUTSIDE_WORKSPACE),
        ("src/auth/in/x", GateCode.SCOPE_VIOLATION),
        ("src/auth/root/src/auth/x", None),
        ("src/auth/root/docs/x", GateCode.SCOPE_VIOLATION),
        ("src/auth/control/hooks/pre-commit", GateCode.PATH_DENIED),
        ("src/auth/%2e%2e/x", None),
    ],
)
def test_a_path_is_judged_by_where_its_bytes_go(
    agent: Open, root: Repository, path: str, code: GateCode | None
) -> None:
    (root.root / "src/auth/out").symlink_to(root.root.parent)
    (root.root / "src/auth/in").symlink_to(root.root / "docs")
    (root.root / "src/auth/root").symlink_to(root.root)
    (root.root / "src/auth/control").symlink_to(root.root / ".git")
    decision = agent().asks(path).decision
    assert (decision.code if isinstance(decision, Denied) else None) is code


def test_what_changed_since_it_was_read_is_not_overwritten(agent: Open, root: Repository) -> None:
    builder, architect = agent("builder"), agent("architect")
    for each in (builder, architect):
        each.reads(LOGIN)
    assert architect.writes(LOGIN, "theirs\n").scope_validation is ScopeValidation.PASS
    denied = builder.refused(LOGIN)
    assert denied.code is GateCode.STALE_FILE
    (file,) = denied.details["files"]  # type: ignore[misc]
    assert file["current_hash"] == hash_content(b"theirs\n")
    builder.reads(LOGIN)
    builder.writes(LOGIN, "theirs\nours\n")
    # What the call itself says it has read comes first.
    assert builder.refused(LOGIN, read_hashes={LOGIN: hash_content(b"x")}).code is (
        GateCode.STALE_FILE
    )
    assert builder.refused(LOGIN, read_hashes={LOGIN: None}).code is GateCode.STALE_FILE
    (root.root / LOGIN).unlink()
    denied = builder.refused(LOGIN)
    assert denied.details["files"][0]["current_hash"] == "MISSING"  # type: ignore[index]


def test_an_open_ticket_keeps_others_away(agent: Open) -> None:
    builder, architect = agent("builder"), agent("architect")
    ticket = builder.ticket(LOGIN)
    denied = architect.refused(LOGIN)
    assert "is being written by another session" in denied.message
    assert denied.details["files"][0]["claimed_by"] == "builder"  # type: ignore[index]
    builder.ticket(LOGIN, tool="Edit")
    builder.governance.calls.record(ticket)
    builder.governance.sessions.begin_turn("builder")
    architect.ticket(LOGIN)


def test_a_ticket_is_recorded_once(agent: Open, root: Repository) -> None:
    builder = agent()
    ticket = builder.ticket(LOGIN, tool_use_id="call-7")
    assert builder.ticket(LOGIN, tool_use_id="call-7") == ticket
    root.write(LOGIN, "new\n")
    first = builder.governance.calls.record(ticket)
    root.write(LOGIN, "newer\n")
    again = agent("other").governance.calls.record(ticket)
    assert first is not None
    assert again is not None
    assert first.recorded == again.recorded
    assert first.recorded.record_id is not None
    assert again.record is None
    assert builder.governance.calls.record("unknown") is None


def test_a_failed_call_has_a_record_without_lines(agent: Open) -> None:
    builder = agent()
    outcome = builder.governance.calls.record(
        builder.ticket(LOGIN), error="no space\nleft: password=hunter2"
    )
    assert outcome is not None
    assert outcome.record is not None
    assert not outcome.record.success
    assert "hunter2" not in (outcome.record.error or "")
    assert "\n" not in (outcome.record.error or "")
    assert outcome.record.files[0].conversations[0].ranges == ()


def test_a_call_that_changed_nothing_has_no_record(agent: Open) -> None:
    builder = agent()
    outcome = builder.governance.calls.record(builder.ticket(LOGIN))
    assert outcome is not None
    assert outcome.recorded.record_id is None
    assert outcome.recorded.files == (
        (WorkspacePath(LOGIN), hash_content(TEXT.encode()), hash_content(TEXT.encode())),
    )


def test_files_come_and_go(agent: Open, root: Repository) -> None:
    builder = agent()
    created = builder.writes("src/auth/new.py", "x\n")
    assert (created.mutation_class, created.inferred) == (MutationClass.FILE_CREATION, True)
    assert created.files[0].pre_hash is None
    ticket = builder.ticket("src/auth/new.py", "src/auth/moved.py", tool="move_file")
    (root.root / "src/auth/new.py").rename(root.root / "src/auth/moved.py")
    moved = builder.governance.calls.record(ticket)
    assert moved is not None
    assert moved.record is not None
    (file,) = moved.record.files
    assert (file.relative_path, file.previous_path) == ("src/auth/moved.py", "src/auth/new.py")
    assert (file.pre_hash, file.conversations[0].ranges) == (file.post_hash, ())
    ticket = builder.ticket(command="rm src/auth/moved.py", tool="Bash")
    (root.root / "src/auth/moved.py").unlink()
    gone = builder.governance.calls.record(ticket)
    assert gone is not None
    assert gone.record is not None
    assert gone.record.mutation_class is MutationClass.FILE_DELETION
    assert gone.record.files[0].post_hash is None


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("ls src", None),
        ("pytest -q", None),
        ("cat src/auth/login.py > src/auth/copy.py", None),
        ("cat src/auth/login.py > docs/copy.md", GateCode.SCOPE_VIOLATION),
        ("rm -rf .orchestration", GateCode.PATH_DENIED),
        ("echo x > ../x", GateCode.OUTSIDE_WORKSPACE),
        ("rm ~/.bashrc", GateCode.OUTSIDE_WORKSPACE),
        ('rm "$F"', None),
    ],
)
def test_a_command_is_judged_by_what_it_writes(
    agent: Open, command: str, code: GateCode | None
) -> None:
    decision = agent().asks(tool="Bash", command=command).decision
    assert (decision.code if isinstance(decision, Denied) else None) is code


def test_a_patch_is_judged_by_every_file_it_names(agent: Open) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/auth/login.py\n@@\n-one\n+ONE\n"
        "*** Add File: docs/new.md\n+x\n*** End Patch\n"
    )
    denied = agent().refused(tool="apply_patch", patch=patch)
    assert denied.details["paths"] == ["docs/new.md"]


POLICY = """\
sidecar:
  blocked_tools: ["mcp__*__deploy", "Sleep"]
  deny_mutations:
    - {path_glob: "src/auth/frozen/**", reason: "signed off"}
  require_read: true
  spec_iteration_globs: ["src/auth/[0-9][0-9][0-9]-*"]
"""


def test_the_teams_policy_is_held(agent: Open, root: Repository) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", POLICY)
    builder = agent()
    assert builder.refused(LOGIN).code is GateCode.READ_REQUIRED
    builder.reads(LOGIN)
    builder.ticket(LOGIN)
    blocked = builder.refused(tool="mcp__ops__deploy")
    assert blocked.message == "PreToolUse denied mcp__ops__deploy: blocked by sidecar policy v1."
    frozen = builder.refused("src/auth/frozen/x")
    assert frozen.details == {
        "paths": [
            {
                "path": "src/auth/frozen/x",
                "path_glob": "src/auth/frozen/**",
                "reason": "signed off",
            }
        ]
    }
    assert builder.refused("src/auth/001-x").code is GateCode.SPEC_ITERATION
    builder.ticket("src/auth/001-x", mutation_class=MutationClass.INTENT_EVOLUTION)
    builder.governance.sessions.begin_turn("builder")
    builder.select("INT-001")
    assert builder.refused(LOGIN).code is GateCode.READ_REQUIRED


@pytest.mark.parametrize("rule", ["deny", "warn", "ignore"])
def test_a_stranger_in_the_control_room_is_drift(agent: Open, root: Repository, rule: str) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", f"sidecar:\n  contract: {rule}\n")
    root.write(".orchestration/notes.txt", "x")
    admission = agent().asks(LOGIN)
    said = ".orchestration/notes.txt does not belong there"
    if rule == "deny":
        assert isinstance(admission.decision, Denied)
        assert f"({said})" in admission.decision.message
    else:
        warned = (f"{said}.",) if rule == "warn" else ()
        assert admission.decision == Allowed(ScopeValidation.PASS, warned)


@pytest.mark.parametrize("hitl", ["always", "out_of_scope"])
def test_where_nobody_can_be_asked_it_is_refused(agent: Open, root: Repository, hitl: str) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", f"sidecar:\n  hitl: {hitl}\n")
    path = LOGIN if hitl == "always" else "docs/guide.md"
    denied = agent().refused(path)
    assert denied.code is GateCode.HITL_REJECTED
    assert (
        denied.details["feedback"] == "no editor is connected here in which a person could be asked"
    )


@pytest.mark.parametrize("listed", [True, False])
def test_what_a_client_answers_counts_only_where_the_team_says_so(
    agent: Open, root: Repository, *, listed: bool
) -> None:
    by = "[editor, elicitation]" if listed else "[editor]"
    policy = f"sidecar:\n  hitl: out_of_scope\n  hitl_by: {by}\n"
    root.write(".orchestration/constraints.sidecar.yaml", policy)
    builder, call = agent(), ToolCall(tool_name="Write", paths=("docs/guide.md",))
    word = ApprovalAnswer(
        approval=ApprovalChoice.ONCE, session_id="a", channel=ApprovalChannel.ELICITATION
    )
    admission = builder.governance.calls.admit(builder.name, "", call, word)
    if not listed:
        assert isinstance(admission.decision, Denied)
        assert admission.decision.code is GateCode.HITL_REJECTED
        assert "hitl_by: [editor, elicitation]" in str(admission.decision.details["feedback"])
        return
    assert admission.ticket is not None
    root.write("docs/guide.md", "new\n")
    outcome = builder.governance.calls.record(admission.ticket.id)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.approval == Approval(
        choice=ApprovalChoice.ONCE, session_id="a", channel=ApprovalChannel.ELICITATION
    )


@pytest.mark.parametrize("fail_open", [True, False])
@pytest.mark.parametrize("how", ["broken", "raises"])
def test_our_own_failure_refuses_only_where_the_team_says_so(
    agent: Open, root: Repository, how: str, *, fail_open: bool
) -> None:
    policy = f"sidecar:\n  fail_open: {str(fail_open).lower()}\n"
    root.write(".orchestration/constraints.sidecar.yaml", policy)
    builder = agent()
    if how == "broken":
        root.write(".orchestration/active_intents.yaml", "active_intents: [\n")
    else:
        lock = root.root / ".orchestration/.local/gate.lock"
        lock.unlink(missing_ok=True)
        lock.mkdir()
    admission = builder.asks(LOGIN)
    if fail_open:
        assert isinstance(admission.decision, Allowed)
        assert admission.decision.verdict is ScopeValidation.EXEMPT
    else:
        assert isinstance(admission.decision, Denied)
        assert admission.decision.code is GateCode.GOVERNANCE_UNAVAILABLE
        assert admission.decision.message.startswith("Governance Unavailable: ")


def test_a_file_that_cannot_be_hashed_has_no_hash_and_goes_on(
    agent: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Rights do not bind root: the system's own call refuses.
    real = os.open

    def refusing(path: Any, *given: Any, **named: Any) -> int:
        if str(path).endswith("login.py"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *given, **named)

    builder = agent()
    monkeypatch.setattr(os, "open", refusing)
    admission = builder.asks(LOGIN)
    assert admission.decision == Allowed(ScopeValidation.PASS)
    assert [file.pre_hash for file in admission.files] == [None]
    assert admission.ticket is not None
    outcome = builder.governance.calls.record(admission.ticket.id, error="Permission denied")
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.files[0].post_hash is None
    assert caplog.text.count("src/auth/login.py cannot be hashed") == 2


@pytest.mark.parametrize("more", [0, 20])
@pytest.mark.parametrize("theirs", [LOGIN, "src/auth/other.py"])
def test_a_record_that_another_overtook_says_so(
    agent: Open, root: Repository, more: int, theirs: str
) -> None:
    builder, architect = agent("builder"), agent("architect")
    names = [LOGIN, *(f"src/auth/{number}.py" for number in range(more))]
    ticket = builder.ticket(*names)
    builder.governance.sessions.begin_turn("builder")  # Its claim ends; the ticket is good still.
    architect.writes(theirs, "theirs\n")
    for name in names:
        root.write(name, "ours\n")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.concurrent_modification == (theirs == LOGIN)
    assert builder.governance.stores.ledger.verify().ok


def test_without_a_memory_a_call_is_judged_and_not_recorded(root: Repository) -> None:
    (root.root / ".orchestration/.local").write_text("no room")
    governance = Governance(root.root)
    governance.sessions.open_agent("builder")
    governance.sessions.choose("builder", "INT-001")
    admission = governance.calls.admit("builder", "", ToolCall(tool_name="Write", paths=(LOGIN,)))
    assert isinstance(admission.decision, Denied)  # The control room has drifted.
    governance.close(None)


LISTS = command_lists()


def _ways(tool: str) -> list[dict[str, Any]]:
    """Give ways in which a tool can be made to change files that INT-001 owns."""
    if tool in LISTS.command_tools:
        writing = ("rm", "touch", "tee", "truncate -s 0", "sed -i s/a/b/", "chmod +x")
        return [{"command": f"{program} {LOGIN}"} for program in writing]
    patch = f"--- a/{LOGIN}\n+++ b/{LOGIN}\n@@ -1 +1 @@\n-one\n+ONE\n"
    ways: list[dict[str, Any]] = [
        {"paths": (LOGIN,)},
        {"paths": ("src/auth/new.py",)},
        {"paths": (LOGIN, "src/auth/other.py")},
        {"patch": patch},
    ]
    return ways


MUTATIONS = [
    {"tool": tool, **more}
    for tool in (
        *sorted(LISTS.edit_tools | LISTS.command_tools),
        "unknown_tool",
        "mcp__fs__write_file",
    )
    for more in _ways(tool)
]


def test_without_a_valid_intent_every_mutating_attempt_is_refused(agent: Open) -> None:
    assert len(MUTATIONS) >= 100
    nobody, gone, done = agent("nobody", None), agent("gone"), agent("done")
    gone.governance.sessions.choose("gone", "INT-099")
    done.governance.sessions.choose("done", "INT-003")
    codes = {
        each.name: {each.refused(*call.get("paths", ()), **_rest(call)).code for call in MUTATIONS}
        for each in (nobody, gone, done)
    }
    assert codes == {
        "nobody": {GateCode.CHECKOUT_REQUIRED},
        "gone": {GateCode.INTENT_NOT_FOUND},
        "done": {GateCode.INTENT_CLOSED},
    }


def test_no_attempt_in_scope_is_refused(agent: Open) -> None:
    builder = agent()
    for call in MUTATIONS:
        admission = builder.asks(*call.get("paths", ()), **_rest(call))
        assert isinstance(admission.decision, Allowed), (call, admission.decision)
        # What another shell would do is not read: it is compared.
        unread = call["tool"] in LISTS.other_shells
        expected = ScopeValidation.EXEMPT if unread else ScopeValidation.PASS
        assert admission.decision.verdict is expected
        assert admission.ticket is not None


def _rest(call: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name != "paths"}


def test_what_a_command_changed_unseen_is_found_and_judged(root: Repository, agent: Open) -> None:
    root.write("AGENT.md", "# Brain\n")
    root.commit()
    builder = agent()
    asked = builder.asks(tool="Bash", command="python tools/generate.py")
    assert asked.decision.verdict is ScopeValidation.EXEMPT  # type: ignore[union-attr]
    assert asked.ticket is not None
    root.write(LOGIN, "generated\n")
    root.write("docs/guide.md", "generated\n")
    outcome = builder.governance.calls.record(asked.ticket.id)
    assert outcome is not None
    record = outcome.record
    assert record is not None
    # The guide is not the intent's: what happened is a violation, although nobody saw it coming.
    assert record.scope_validation is ScopeValidation.FAIL
    assert [file.path for file in record.files] == ["docs/guide.md"]
    # What it may change is a record of its own.
    (within,) = outcome.beside
    assert within.scope_validation is ScopeValidation.PASS
    assert [file.path for file in within.files] == [LOGIN]
    files = (*record.files, *within.files)
    ranges = [range_ for file in files for range_ in file.conversations[0].ranges]
    assert [each.replaced for each in ranges] == [(1, 3, 1), (1, 3, 1)]
    brain = (root.root / "AGENT.md").read_text()
    assert "SCOPE_VIOLATION" in brain
    assert "docs/guide.md" in brain


def test_a_command_that_stays_in_scope_passes_and_one_without_a_change_has_no_record(
    root: Repository, agent: Open
) -> None:
    builder = agent()
    ticket = builder.ticket(tool="Bash", command="python tools/generate.py")
    root.write(LOGIN, "generated\n")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.PASS
    ticket = builder.ticket(tool="Bash", command="python tools/generate.py")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert (outcome.record, outcome.recorded.files) == (None, ())


def test_a_call_that_its_host_names_twice_gets_the_same_answer(
    root: Repository, agent: Open
) -> None:
    builder = agent()
    first = builder.asks("docs/guide.md", tool_use_id="use-1")
    builder.select("INT-002")
    again = builder.asks("docs/guide.md", tool_use_id="use-1")
    assert isinstance(first.decision, Denied)
    assert again.decision == first.decision
    assert again.again
    ledger = (root.root / ".orchestration/governance_ledger.md").read_text()
    assert ledger.count("status=DENIED") == 1


def test_a_subagent_has_its_sessions_intent_until_it_selects_its_own(agent: Open) -> None:
    builder = agent()
    calls, sessions = builder.governance.calls, builder.governance.sessions
    guide = ToolCall(tool_name="Write", paths=("docs/guide.md",))
    login = ToolCall(tool_name="Write", paths=(LOGIN,))
    assert isinstance(calls.admit("builder", "helper", login).decision, Allowed)
    own = sessions.open_agent("builder", "helper")
    builder.governance.checkout.select(own, "INT-002", unsaved_file=False)
    assert isinstance(calls.admit("builder", "helper", guide).decision, Allowed)
    assert isinstance(calls.admit("builder", "", guide).decision, Denied)
    # Its turns are its own as well.
    sessions.begin_turn("builder", "helper")
    refused = calls.admit("builder", "helper", guide).decision
    assert isinstance(refused, Denied)
    assert refused.code is GateCode.CHECKOUT_REQUIRED
    assert sessions.active_intent("builder") == "INT-001"


def test_records_do_not_tell_what_the_team_keeps_to_itself(root: Repository, agent: Open) -> None:
    root.write(
        ".orchestration/constraints.sidecar.yaml",
        "sidecar:\n  privacy: {session_ids: hashed, urls: drop}\n",
    )
    builder = agent(intent=None)
    session = builder.governance.sessions.open_agent("builder")
    voice = AgentInfo(model="maker/model-1", url="https://example.org/talk/1")
    builder.governance.checkout.select(session, "INT-001", unsaved_file=False, voice=voice)
    record = builder.writes(LOGIN, "new\n")
    assert record.session_id == hashed_session("builder")
    (conversation,) = record.files[0].conversations
    assert conversation.url == record.session_id
    assert conversation.contributor.model_identifier == "maker/model-1"
    for name in ("agent_trace.jsonl", "governance_ledger.md"):
        told = (root.root / ".orchestration" / name).read_text()
        assert "builder" not in told
        assert "example.org" not in told
    # It is found by its own name all the same, and its own next edit overtakes nothing.
    found = builder.governance.tracing.page(Query(session_ids=("builder",)), limit=5)
    assert [each.id for each in found.records] == [record.id]
    assert not builder.writes(LOGIN, "newer\n").concurrent_modification


def test_committing_does_not_hide_what_a_command_changed(root: Repository, agent: Open) -> None:
    builder = agent()
    ticket = builder.ticket(tool="Bash", command="make everything")
    root.write("docs/guide.md", "hidden\n")
    root.commit("nothing to see")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.FAIL
    assert [file.path for file in outcome.record.files] == ["docs/guide.md"]


def test_a_command_that_verifies_is_compared_all_the_same(root: Repository, agent: Open) -> None:
    builder = agent()
    verified = builder.governance.commands.end_verification
    asked = builder.asks(tool="Bash", command="pytest -q")
    assert asked.decision == Allowed(ScopeValidation.EXEMPT)
    root.write(LOGIN, "formatted\n")
    learnt, outcome = verified("builder", "", "pytest -q", success=True)
    assert outcome is not None
    assert outcome.record is not None
    assert (outcome.record.tool_name, learnt) == ("Bash", False)
    assert outcome.record.scope_validation is ScopeValidation.PASS
    # Once: what came after it is not the command's.
    root.write("docs/guide.md", "later\n")
    assert verified("builder", "", "pytest -q", success=True) == (False, None)
    # One that changed nothing has no record, and one that changed what it may not is a violation.
    builder.asks(tool="Bash", command="pytest -q")
    _, outcome = verified("builder", "", "pytest -q", success=True)
    assert outcome is not None
    assert outcome.record is None
    builder.asks(tool="Bash", command="pytest -q")
    root.write("docs/guide.md", "by the tests\n")
    _, outcome = verified("builder", "", "pytest -q", success=True)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.FAIL
    ledger = (root.root / ".orchestration/governance_ledger.md").read_text()
    assert ledger.count("tool=Bash") == 2


def test_a_named_file_without_a_change_does_not_hide_the_record_of_the_others(
    root: Repository, agent: Open
) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", "sidecar:\n  generated: ['gen/**']\n")
    root.commit()
    builder = agent()
    ticket = builder.ticket(tool="Bash", command=f"touch {LOGIN} && python tools/generate.py")
    root.write("gen/table.txt", "generated\n")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert [file.path for file in outcome.record.files] == ["gen/table.txt"]
    assert outcome.recorded.record_id == outcome.record.id
    assert outcome.beside == ()
