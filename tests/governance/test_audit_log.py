"""What files for people and agents say about calls, whatever text came in (ledger section 6)."""

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.request import ASKABLE, Allowed, Ask, Denied
from intent_lsp.core.paths import GOVERNANCE_LEDGER, INTENTS_FILE
from intent_lsp.formats.markdown.lessons import LESSONS, lessons_in
from intent_lsp.governance.governance import Governance
from intent_lsp.store.state.notes import AgentInfo
from tests.governance.editor import INTENTS, Editor
from tests.governance.test_calls import Agent
from tests.support import hostile_text, repository
from tests.support.repository import Repository

LOGIN, GUIDE = "src/auth/login.py", "docs/guide.md"
POLICY = ".orchestration/constraints.sidecar.yaml"


@pytest.fixture
def agent(governed: Repository) -> Iterator[Agent]:
    opened = Agent(governed, "builder")
    yield opened
    opened.governance.close(None)


def text_of(root: Path) -> str:
    path = root / GOVERNANCE_LEDGER
    return path.read_bytes().decode() if path.exists() else ""


def entries(root: Repository | Path) -> list[dict[str, str]]:
    """Give the values of each entry as they are spelled, without its moment."""
    lines = text_of(root.root if isinstance(root, Repository) else root).split("\n")
    assert lines.pop() == ""
    found = []
    for number in range(0, len(lines), 3):
        at, *pairs = lines[number].removeprefix("- ").split(" | ")
        assert at.endswith("Z")
        pairs += [line.removeprefix("  ") for line in lines[number + 1 : number + 3]]
        found.append(dict(pair.split("=", 1) for pair in pairs))
    return found


def logged_calls(root: Repository) -> list[tuple[str, str, str]]:
    return [(each["status"], each["tool"], each["touched_paths"]) for each in entries(root)]


def test_each_governed_call_is_told_with_its_end(agent: Agent, governed: Repository) -> None:
    agent.refused(GUIDE)
    agent.writes(LOGIN, "new\n")
    agent.governance.calls.record(agent.ticket(LOGIN, "src/auth/x.py", tool="Edit"), error="no")
    agent.governance.calls.record(agent.ticket(tool="Bash", command=f"rm {LOGIN}"))
    assert logged_calls(governed) == [
        ("DENIED", "Write", f"`{GUIDE}`"),
        ("OK", "Write", f"`{LOGIN}`"),
        ("FAILED", "Edit", f"`{LOGIN}`, `src/auth/x.py`"),
        ("OK", "Bash", f"`{LOGIN}`"),
    ]


def test_an_entry_says_who_called_for_what_and_where_it_stood(
    agent: Agent, governed: Repository
) -> None:
    governed.write(POLICY, 'sidecar:\n  architectural_constraints: ["No x | y", "Only `z`"]\n')
    session = agent.governance.sessions.open_agent("builder")
    agent.governance.checkout.select(
        session, "INT-001", unsaved_file=False, voice=AgentInfo("a-model", "https://x")
    )
    head = governed.git("rev-parse", "HEAD").strip()
    agent.refused(GUIDE)
    nobody = Agent(governed, "nobody", None)
    nobody.refused(LOGIN)
    nobody.governance.close(None)
    known, unknown = entries(governed)
    assert known == {
        "status": "DENIED",
        "tool": "Write",
        "intent": "INT-001",
        "task": "builder",
        "model": "a-model",
        "rev": head,
        "touched_paths": f"`{GUIDE}`",
        "sidecar_constraints": r'"No x \x7c y" | "Only \x60z\x60"',
    }
    assert unknown["intent"] == "none"
    assert unknown["task"] == "nobody"
    assert unknown["model"] == "unknown"


def test_without_a_commit_the_revision_is_unknown(tmp_path: Path) -> None:
    root = repository.create(tmp_path / "new")
    root.write(INTENTS_FILE, INTENTS)
    agent = Agent(root, "builder")
    agent.refused(GUIDE)
    agent.governance.close(None)
    (entry,) = entries(root)
    assert entry["rev"] == "UNKNOWN"
    assert entry["sidecar_constraints"] == "(none)"


def test_of_what_the_gate_is_not_asked_about_nothing_is_told(
    agent: Agent, governed: Repository
) -> None:
    both = (governed.write("AGENT.md", LESSONS), governed.write("CLAUDE.md", LESSONS))
    for call in (
        {"paths": (GUIDE,), "tool": "Read"},
        {"tool": "Bash", "command": "cat docs/guide.md | sort"},
        {"tool": "Bash", "command": "git status"},
        {"tool": "TodoWrite"},
    ):
        paths = call.pop("paths", ())
        agent.asks(*paths, **call)
    governed.write(INTENTS_FILE, "active_intents: [\n")
    agent.asks(GUIDE)
    agent.governance.calls.apply(
        "builder", "", ToolCall(tool_name="apply", paths=(GUIDE,)), (FileChange(path=GUIDE),)
    )
    assert text_of(governed.root) == ""
    assert [path.read_text() for path in both] == [LESSONS, LESSONS]


def test_a_blocked_tool_is_told_of_even_when_it_only_reads(
    agent: Agent, governed: Repository
) -> None:
    governed.write(POLICY, 'sidecar:\n  blocked_tools: ["Read"]\n')
    assert agent.refused(GUIDE, tool="Read").code is GateCode.TOOL_BLOCKED
    assert [each["tool"] for each in entries(governed)] == ["Read"]


def test_one_call_is_told_of_once_however_often_it_is_asked(
    agent: Agent, governed: Repository
) -> None:
    for _ in range(2):
        agent.refused(GUIDE, tool_use_id="use-1")
        ticket = agent.ticket(LOGIN, tool_use_id="use-2")
    for _ in range(2):
        agent.governance.calls.record(ticket, error="no")
    assert [status for status, _, _ in logged_calls(governed)] == ["DENIED", "FAILED"]
    assert agent.governance.calls.record("no such ticket") is None


def test_what_a_person_is_asked_is_told_when_they_have_answered(
    agent: Agent, governed: Repository
) -> None:
    governed.write(POLICY, "sidecar:\n  hitl: always\n")
    call = ToolCall(tool_name="Write", paths=(LOGIN,))
    asked = agent.governance.calls.admit("builder", "", call, ASKABLE)
    assert isinstance(asked.decision, Ask)
    assert entries(governed) == []
    assert isinstance(agent.governance.calls.admit("builder", "", call).decision, Denied)
    assert [status for status, _, _ in logged_calls(governed)] == ["DENIED"]


def test_a_change_that_is_made_for_an_agent_is_told_of_once(
    agent: Agent, governed: Repository
) -> None:
    def impossible(_: str) -> str:
        raise ValueError("it does not fit")

    for rewrite, path in ((str.upper, LOGIN), (impossible, LOGIN), (str.upper, GUIDE)):
        call = ToolCall(tool_name="apply", paths=(path,))
        agent.governance.calls.apply("builder", "", call, (FileChange(path=path, rewrite=rewrite),))
    assert logged_calls(governed) == [
        ("OK", "apply", f"`{LOGIN}`"),
        ("FAILED", "apply", f"`{LOGIN}`"),
        ("DENIED", "apply", f"`{GUIDE}`"),
    ]


def test_a_save_that_is_turned_back_is_told_of_and_teaches_nobody(
    editor: Editor, governed: Repository
) -> None:
    brain = governed.write("AGENT.md", LESSONS)
    editor.policy("  enforcement: block\n")
    editor.select("INT-001")
    editor.save(GUIDE, "turned back\n")
    assert entries(governed)[0] | {"rev": ""} == {
        "status": "DENIED",
        "tool": "editor/save",
        "intent": "INT-001",
        "task": editor.session.id,
        "model": "human",
        "rev": "",
        "touched_paths": f"`{GUIDE}`",
        "sidecar_constraints": "(none)",
    }
    assert brain.read_text() == LESSONS
    editor.save(LOGIN, "fine\n")
    editor.policy("  enforcement: warn\n")
    editor.save(GUIDE, "warned of\n")
    assert len(entries(governed)) == 1
    intent = editor.governance.rules.current().active("INT-001")
    assert intent is not None
    assert editor.governance.history.of(intent)[0] == "POST_HOOK editor/save OK"


def test_session_ids_are_hashed_where_the_team_wants_that(
    agent: Agent, governed: Repository
) -> None:
    governed.write(POLICY, "sidecar:\n  privacy: {session_ids: hashed}\n")
    agent.refused(GUIDE)
    assert "builder" not in text_of(governed.root)
    assert entries(governed)[0]["task"] == hash_content(b"builder")


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_what_stands_in_the_file_stays_and_a_torn_line_ends(
    agent: Agent, governed: Repository, end: str
) -> None:
    before = f"# By hand\r\n- torn | sta{end}".encode()
    path = governed.write(GOVERNANCE_LEDGER, before)
    agent.refused(GUIDE)
    agent.refused(LOGIN, tool="Blocked", read_hashes={LOGIN: None})
    added = path.read_bytes().removeprefix(before)
    assert added.startswith(b"- 2" if end else b"\n- 2")
    assert added.count(b"\n") == (6 if end else 7)


@pytest.mark.parametrize("what", ["link", "directory", "pipe", "loop"])
@pytest.mark.parametrize("contract", ["ignore", "deny"])
def test_what_is_no_file_of_ours_is_refused_and_the_call_goes_on(
    agent: Agent,
    governed: Repository,
    caplog: pytest.LogCaptureFixture,
    what: str,
    contract: str,
) -> None:
    governed.write(POLICY, f"sidecar:\n  contract: {contract}\n")
    path, outside = governed.root / GOVERNANCE_LEDGER, governed.root.parent / "outside.md"
    outside.write_text("theirs\n")
    if what == "link":
        path.symlink_to(outside)
    elif what == "directory":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    decision = agent.asks(LOGIN).decision
    if contract == "deny":
        assert isinstance(decision, Denied)
        assert decision.code is GateCode.CONTRACT_DRIFT
    else:
        assert isinstance(decision, Allowed)
        agent.governance.sessions.begin_turn("builder")
        agent.select("INT-001")
        assert agent.writes(LOGIN, "new\n").success
    assert "the governance ledger failed: " in caplog.text
    assert "is not a regular file" in caplog.text
    assert outside.read_text() == "theirs\n"


def test_lessons_and_history_go_on_without_the_ledger_of_people(
    agent: Agent, governed: Repository
) -> None:
    governed.write(POLICY, "sidecar:\n  contract: ignore\n")
    brain = governed.write("AGENT.md", LESSONS)
    (governed.root / GOVERNANCE_LEDGER).mkdir()
    agent.refused(GUIDE)
    agent.governance.calls.record(agent.ticket(LOGIN), error="no")
    assert len(lessons_in(brain.read_text())) == 2
    intent = agent.governance.rules.current().active("INT-001")
    assert intent is not None
    assert agent.governance.history.of(intent)[0] == "POST_HOOK Write FAILED"


AN_ENTRY = {
    *("bullet_list_open", "list_item_open", "paragraph_open"),
    *("paragraph_close", "list_item_close", "bullet_list_close"),
}
WORDS = {"text", "softbreak", "code_inline"}
# The marks around the lessons are comments, and there is the heading of the section.
A_PAGE = {*AN_ENTRY, *WORDS, "html_block", "heading_open", "heading_close"}
_number = count()


class Hostile:
    """A governance of its own for the law, whose files are new for each example."""

    def __init__(self, root: Repository) -> None:
        self.root = root
        root.write(INTENTS_FILE, INTENTS)
        self.governance = Governance(root.root)

    def begin(self) -> None:
        self.root.write(LOGIN, "one\n")
        self.root.write(GOVERNANCE_LEDGER, "")
        for name in ("AGENT.md", "CLAUDE.md"):
            self.root.write(name, LESSONS)

    def text(self, name: str) -> str:
        return (self.root.root / name).read_bytes().decode()


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    opened = Hostile(repository.create(tmp_path_factory.mktemp("hostile") / "root"))
    yield opened
    opened.governance.close(None)


def spoken(most: int) -> st.SearchStrategy[str]:
    """Give words as a door lets them in: not empty, 256 characters at most, no half ones."""
    words = hostile_text.texts(most).map(lambda text: text.encode("utf-8", "replace").decode())
    return words.filter(lambda text: 0 < len(text) <= 250)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a hostile agent says of one call."""

    tool: str
    session: str
    model: str
    error: str
    paths: tuple[str, ...]
    command: str


said_words = st.builds(
    Said,
    tool=spoken(4),
    session=spoken(3),
    model=spoken(3),
    error=hostile_text.texts(),
    # Folded, `postgres://user:…` is a directory called `postgres:`, and no address.
    paths=st.lists(hostile_text.texts(3).filter(lambda path: "//" not in path), max_size=2).map(
        tuple
    ),
    # One word of the shell, so that it is read as the program.
    command=hostile_text.texts().map(shlex.quote),
)


# Each example is a conversation of its own, on disk.
@settings(max_examples=30)
@given(said_words)
def test_nothing_hostile_is_alive_where_it_is_told(arena: Hostile, said: Said) -> None:
    arena.begin()
    calls, name = arena.governance.calls, f"{said.session} {next(_number)}"
    agent = arena.governance.sessions.open_agent(name)
    voice = AgentInfo(said.model)
    arena.governance.checkout.select(agent, "INT-001", unsaved_file=False, voice=voice)
    calls.admit(name, "", ToolCall(tool_name=said.tool, paths=(GUIDE, *said.paths)))
    calls.admit(name, "", ToolCall(tool_name="Bash", command=f"{said.command} > {GUIDE}"))
    admission = calls.admit(name, "", ToolCall(tool_name=said.tool, paths=(LOGIN,)))
    assert admission.ticket is not None
    outcome = calls.record(admission.ticket.id, error=said.error)
    arena.governance.commands.end_verification(name, "", said.command, success=False)
    arena.governance.sessions.begin_turn(name)

    assert outcome is not None
    assert outcome.record is not None
    assert outcome.record.error is not None
    assert len(outcome.record.error) <= 120
    assert "\n" not in outcome.record.error
    assert not hostile_text.unseen_in(outcome.record.error)
    assert hostile_text.BODY not in outcome.record.error.lower()

    ledger = arena.text(GOVERNANCE_LEDGER)
    assert ledger.count("\n") in (6, 9)
    assert not hostile_text.unseen_in(ledger.replace("\n", ""))
    assert not set("<>@&") & set(ledger)
    assert not set("[]") & set(ledger.replace("[redacted]", ""))
    assert "://" not in ledger
    assert hostile_text.BODY not in ledger.lower()
    assert set(hostile_text.tokens(ledger)) <= AN_ENTRY | WORDS

    for page in ("AGENT.md", "CLAUDE.md"):
        text = arena.text(page)
        line_by_line = lessons_in(text)
        assert len(text.splitlines()) == len(LESSONS.splitlines()) + len(line_by_line)
        assert set(hostile_text.tokens(text)) <= A_PAGE
        for line in line_by_line:
            assert not set("`<>@*|") & set(line)
            assert not hostile_text.unseen_in(line)
            assert "://" not in line
            assert hostile_text.BODY not in line.lower()
    assert len(lessons_in(arena.text("AGENT.md"))) >= 1
    assert len(lessons_in(arena.text("CLAUDE.md"))) == 1
