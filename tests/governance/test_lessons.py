"""Lessons of calls that went wrong, where a team wants them, in a file of its own.

Specified in requirements section 9.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.agents.lessons import Lesson, lesson_text
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode, LessonCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.markdown.lessons import LESSONS, lessons_in
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.views.audit_log import A_SESSION, Lessons
from tests.governance.clocks_and_races import overtake_writes
from tests.governance.test_calls import Agent
from tests.support.repository import Repository

LOGIN, GUIDE = "src/auth/login.py", "docs/guide.md"
POLICY = ".orchestration/constraints.sidecar.yaml"
PEOPLES = "# For agents\r\nBe kind.\n\n<!-- intent-lsp lessons -->\nWe keep these.\n"


def lesson(number: int = 0) -> Lesson:
    return Lesson(at="2026-01-01T00:00:00Z", code=GateCode.STALE_FILE, tool=f"tool-{number}")


@pytest.fixture
def agent(governed: Repository) -> Iterator[Agent]:
    opened = Agent(governed, "builder")
    yield opened
    opened.governance.close(None)


@pytest.fixture
def learn(agent: Agent) -> Callable[..., bool]:
    lessons = Lessons(agent.governance.stores)

    def one(name: str = "AGENT.md", number: int = 0, session: str = "s") -> bool:
        return lessons.learn(name, session, lesson(number))

    return one


def lesson_texts(path: Path) -> list[str]:
    """Give the texts of a file's lessons, without their moments."""
    lines = lessons_in(path.read_bytes().decode("utf-8-sig"))
    return [line.split(": ", 1)[1] for line in lines]


def both(root: Repository) -> tuple[Path, Path]:
    return root.write("AGENT.md", LESSONS), root.write("CLAUDE.md", LESSONS)


def learns_from(agent: Agent, command: str) -> bool:
    """Say that a verification failed; return whether there is a new lesson."""
    return agent.governance.commands.end_verification("builder", "", command, success=False)[0]


def fail(agent: Agent, error: str = "no space left", **more: Any) -> None:
    agent.governance.calls.record(agent.ticket(LOGIN, **more), error=error)


def test_what_went_wrong_is_told_where_the_team_wants_it(
    agent: Agent, governed: Repository
) -> None:
    violations, verification = both(governed)
    agent.refused(GUIDE)
    fail(agent)
    assert learns_from(agent, "pytest -q tests")
    (governed.root / ".orchestration/stranger").touch()
    agent.refused(LOGIN)
    scope, failure, drift = lesson_texts(violations)
    assert scope == (
        'SCOPE_VIOLATION: "Write" changed or wanted to change "docs/guide.md", which the active'
        " intent does not own. Select an intent that owns the file, or ask for more scope, before"
        " editing it."
    )
    assert failure == (
        f'MUTATION_FAILED: "Write" failed at "{LOGIN}". It said: "no space left". '
        "Read the file again before the next attempt."
    )
    assert drift == (
        'CONTRACT_DRIFT: "Write" was refused, because .orchestration/ holds an entry that does '
        'not belong there: ".orchestration/stranger". Do not change .orchestration/, and ask a '
        "person to put that entry right."
    )
    (verified,) = lesson_texts(verification)
    assert verified == (
        'VERIFICATION_FAILED: "verification" running "pytest" failed. '
        "Fix what the check found before you call the work done."
    )


def test_a_command_is_told_by_its_first_word_and_never_by_its_output(
    agent: Agent, governed: Repository
) -> None:
    violations, _ = both(governed)
    agent.refused(tool="Bash", command=f"cat {LOGIN} > {GUIDE} --token=hunter2secret")
    ticket = agent.ticket(tool="Bash", command=f"rm {LOGIN}")
    agent.governance.calls.record(
        ticket, error="rm: cannot remove\n\npassword=hunter2secret " + "x" * 500
    )
    text = violations.read_text()
    assert '"Bash" running "cat" changed or wanted to change "docs/guide.md"' in text
    assert f'"Bash" running "rm" failed at "{LOGIN}". It said: "rm: cannot remove ' in text
    assert "hunter2" not in text
    assert "x" * 121 not in text
    assert len(text.splitlines()) == len(LESSONS.splitlines()) + 2


def test_what_a_command_was_found_to_have_changed_against_the_rules_is_a_lesson(
    agent: Agent, governed: Repository
) -> None:
    violations, _ = both(governed)
    ticket = agent.ticket(tool="Bash", command='rm "$F"')
    (governed.root / GUIDE).unlink()
    agent.governance.calls.record(ticket)
    (text,) = lesson_texts(violations)
    assert text.startswith(
        f'SCOPE_VIOLATION: "Bash" running "rm" changed or wanted to change "{GUIDE}"'
    )


def test_what_is_no_lesson_is_not_told(agent: Agent, governed: Repository) -> None:
    files = both(governed)
    nobody = Agent(governed, "nobody", None)
    nobody.refused(LOGIN)
    nobody.governance.close(None)
    agent.refused("../x")
    agent.refused(".git/config")
    agent.asks(GUIDE, tool="Read")
    agent.writes(LOGIN, "new\n")
    agent.governance.calls.record(agent.ticket(LOGIN))
    assert [path.read_text() for path in files] == [LESSONS, LESSONS]


def test_the_first_lesson_makes_its_file(agent: Agent, governed: Repository) -> None:
    agent.governance.calls.record(agent.ticket(LOGIN))
    assert not (governed.root / "AGENT.md").exists()
    agent.refused(GUIDE)
    fail(agent)
    assert len(lesson_texts(governed.root / "AGENT.md")) == 2
    assert not (governed.root / "CLAUDE.md").exists()
    assert learns_from(agent, "pytest")
    assert len(lesson_texts(governed.root / "CLAUDE.md")) == 1


def test_agents_md_is_taught_where_the_usual_file_is_not_there(
    governed: Repository, learn: Callable[..., bool]
) -> None:
    agents = governed.write("AGENTS.md", "# For agents\n")
    assert learn()
    assert learn("CLAUDE.md", 1)
    assert len(lesson_texts(agents)) == 2
    assert not (governed.root / "AGENT.md").exists()
    own = governed.write("CLAUDE.md", "")
    assert learn("CLAUDE.md", 2)
    assert len(lesson_texts(own)) == 1


def test_a_file_that_the_team_has_named_comes_before_agents_md(
    governed: Repository, learn: Callable[..., bool]
) -> None:
    governed.write("AGENTS.md", "# For agents\n")
    assert learn("docs/brain/lessons.md")
    assert len(lesson_texts(governed.root / "docs/brain/lessons.md")) == 1
    assert (governed.root / "AGENTS.md").read_text() == "# For agents\n"


def test_the_same_lesson_stands_once(agent: Agent, governed: Repository) -> None:
    violations, _ = both(governed)
    for _ in range(3):
        agent.refused(GUIDE)
    other = Agent(governed, "architect")
    other.refused(GUIDE)
    other.governance.close(None)
    assert len(lesson_texts(violations)) == 1
    assert learns_from(agent, "pytest")
    assert not learns_from(agent, "pytest -x")


def test_a_session_gives_ten_lessons_and_no_more(
    governed: Repository, learn: Callable[..., bool]
) -> None:
    violations, _ = both(governed)
    # What stands there already costs nothing.
    for _ in range(15):
        learn()
    assert A_SESSION == 10
    assert [learn(number=number) for number in range(1, 12)] == [True] * 9 + [False] * 2
    assert not learn("CLAUDE.md", 99)
    assert learn(number=99, session="another")
    assert len(lesson_texts(violations)) == 11
    restarted = Governance(governed.root)
    assert not Lessons(restarted.stores).learn("AGENT.md", "s", lesson(100))
    restarted.close(None)


def test_the_teams_own_files_are_taught(agent: Agent, governed: Repository) -> None:
    files = both(governed)
    violations = governed.write("docs/brain/lessons.md", "ours\n")
    verification = governed.write("notes.txt", "")
    governed.write(
        POLICY,
        "sidecar:\n  lessons: {violations: ./docs//brain/lessons.md, verification: notes.txt}\n",
    )
    agent.refused(GUIDE)
    assert learns_from(agent, "npm test")
    assert lesson_texts(violations)[0].startswith("SCOPE_VIOLATION: ")
    assert lesson_texts(verification)[0].startswith("VERIFICATION_FAILED: ")
    assert violations.read_text().startswith("ours\n\n<!-- intent-lsp lessons -->\n")
    assert [path.read_text() for path in files] == [LESSONS, LESSONS]


@pytest.mark.parametrize(
    "name",
    ["", ".", "/", "../AGENT.md", "docs/../../AGENT.md", "/tmp/AGENT.md", "a\0b", "x" * 5000],  # noqa: S108
)
def test_a_name_that_leaves_the_root_teaches_nobody(
    governed: Repository, learn: Callable[..., bool], name: str
) -> None:
    outside = governed.root.parent / "AGENT.md"
    outside.write_text(LESSONS)
    assert not learn(name)
    assert outside.read_text() == LESSONS


@pytest.mark.parametrize("name", ["AGENT.md", "docs/out/AGENT.md"])
def test_a_link_is_followed_inside_of_the_root_alone(
    governed: Repository,
    learn: Callable[..., bool],
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    outside = governed.root.parent / "AGENT.md"
    outside.write_text(LESSONS)
    (governed.root / "docs/out").symlink_to(governed.root.parent)
    (governed.root / "AGENT.md").symlink_to(outside)
    assert not learn(name)
    assert outside.read_text() == LESSONS
    assert f"a lesson for {name} failed: " in caplog.text
    assert "leads outside its root" in caplog.text
    (governed.root / "AGENT.md").unlink()
    inside = governed.write("docs/AGENTS.md", LESSONS)
    (governed.root / "AGENT.md").symlink_to(inside)
    assert learn()
    assert len(lesson_texts(inside)) == 1
    assert (governed.root / "AGENT.md").is_symlink()


@pytest.mark.parametrize("data", [b"\xff\xfe\xff", b"caf\xe9\n", b"\x89PNG\r\n\x1a\n\0\xff"])
def test_what_is_no_text_stays(
    governed: Repository, learn: Callable[..., bool], data: bytes
) -> None:
    path = governed.write("AGENT.md", data)
    assert not learn()
    assert path.read_bytes() == data


def test_a_directory_and_a_read_only_file_stay(
    governed: Repository, learn: Callable[..., bool], caplog: pytest.LogCaptureFixture
) -> None:
    (governed.root / "docs/AGENT.md").mkdir()
    assert not learn("docs/AGENT.md")
    assert "is not a regular file" in caplog.text
    path = governed.write("AGENT.md", LESSONS)
    path.chmod(0o444)
    assert not learn()
    assert "Permission denied" in caplog.text
    assert path.read_text() == LESSONS


@pytest.mark.parametrize(
    "before",
    [
        PEOPLES.encode(),
        b"\xef\xbb\xbf" + LESSONS.replace("\n", "\r\n").encode() + b"\r\nours \t\r\n",
        "ours\n".encode("utf-16"),
        b"",
    ],
)
def test_what_people_wrote_stays_byte_for_byte(
    governed: Repository, learn: Callable[..., bool], before: bytes
) -> None:
    path = governed.write("AGENT.md", before)
    path.chmod(0o640)
    assert learn()
    data = path.read_bytes()
    encoding = "utf-16" if before.startswith(b"\xff\xfe") else "utf-8"
    after = data.decode(encoding).replace("\ufeff", "")
    line = lessons_in(after)[-1]
    assert line.endswith(lesson_text(lesson()))
    head, _, tail = after.partition(line)
    rest = head + tail.lstrip("\r\n")
    assert rest.startswith(before.decode(encoding).replace("\ufeff", "")[:40])
    assert data.startswith(before[:40])
    assert path.stat().st_mode & 0o777 == 0o640
    if b"/intent-lsp" not in before:
        assert data.startswith(before)


def test_our_own_write_is_known_as_ours(
    agent: Agent, governed: Repository, learn: Callable[..., bool]
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    assert learn()
    state = agent.governance.stores.state
    assert state is not None
    assert state.own_write(WorkspacePath("AGENT.md")) == hash_content(path.read_bytes())


def test_a_lesson_is_put_to_what_somebody_else_wrote_meanwhile(
    governed: Repository, learn: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    theirs = [f"{number}\n{LESSONS}".encode() for number in range(3)]
    overtake_writes(monkeypatch, path, *theirs[:2])
    assert learn()
    assert path.read_bytes().startswith(theirs[1][:-40])
    assert len(lesson_texts(path)) == 1
    # However often it was tried, it was one lesson.
    assert sum(learn(number=number) for number in range(1, 20)) == A_SESSION - 1


def test_a_file_that_somebody_keeps_changing_is_left_to_them(
    governed: Repository, learn: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    theirs = [f"{number}\n{LESSONS}".encode() for number in range(5)]
    overtake_writes(monkeypatch, path, *theirs)
    assert not learn()
    assert path.read_bytes() == theirs[2]


def test_a_lesson_that_somebody_else_was_quicker_to_tell_is_told_once(
    governed: Repository, learn: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    assert learn()
    theirs = path.read_bytes()
    path.write_text(LESSONS)
    overtake_writes(monkeypatch, path, theirs)
    assert not learn()
    assert path.read_bytes() == theirs


def test_lessons_of_two_desks_are_all_kept(agent: Agent, governed: Repository) -> None:
    path = governed.write("AGENT.md", LESSONS)
    other = Governance(governed.root)
    open_roots = (Lessons(agent.governance.stores), Lessons(other.stores))

    def learn(number: int) -> bool:
        return open_roots[number % 2].learn("AGENT.md", f"s{number}", lesson(number))

    with ThreadPoolExecutor(2) as pool:
        learnt = sum(pool.map(learn, range(8)))
    other.close(None)
    assert len(lesson_texts(path)) == learnt
    assert learnt >= 1


def test_without_a_memory_nobody_is_taught(governed: Repository) -> None:
    path = governed.write("AGENT.md", LESSONS)
    (governed.root / ".orchestration/.local").write_text("no room")
    governance = Governance(governed.root)
    assert not Lessons(governance.stores).learn("AGENT.md", "s", lesson())
    governance.close(None)
    assert path.read_text() == LESSONS


def test_a_memory_that_is_lost_stops_nothing(
    agent: Agent, governed: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    assert agent.governance.stores.state is not None
    database = agent.governance.stores.state.path
    agent.governance.stores.state.close()
    for each in database.parent.glob(f"{database.name}*"):
        each.unlink()
    database.mkdir()
    assert not Lessons(agent.governance.stores).learn("AGENT.md", "s", lesson())
    database.rmdir()
    assert "a lesson for AGENT.md failed: " in caplog.text
    assert path.read_text() == LESSONS


@pytest.mark.parametrize("code", [GateCode.SCOPE_VIOLATION, GateCode.CONTRACT_DRIFT])
def test_an_asked_for_answer_given_again_teaches_once(
    agent: Agent, governed: Repository, code: GateCode
) -> None:
    path = governed.write("AGENT.md", LESSONS)
    if code is GateCode.CONTRACT_DRIFT:
        (governed.root / ".orchestration/stranger").touch()
    call = ToolCall(tool_name="Write", paths=(GUIDE,), tool_use_id="use-1")
    for _ in range(2):
        agent.governance.calls.admit("builder", "", call)
    assert [text.split(":")[0] for text in lesson_texts(path)] == [code]
    assert LessonCode.MUTATION_FAILED not in path.read_text()
