"""Scopes held against recorded work: closed but still edited, or wider than what was used."""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.content import hash_content, split_lines
from intent_lsp.core.findings import Finding, Severity
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.plan import work_checks
from tests.governance.editor import Editor
from tests.support.ledgers import edit
from tests.support.repository import Repository

INTENTS_FILE = ".orchestration/active_intents.yaml"
NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)


def at(moment: datetime) -> str:
    return timestamp(moment)


def intents(*entries: str) -> str:
    return "active_intents:\n" + "".join(f"  - {entry}\n" for entry in entries)


def closed(name: str, scope: str, when: datetime | None, status: str = "COMPLETED") -> str:
    date = "" if when is None else f', updated_at: "{at(when)}"'
    return f"{{id: {name}, status: {status}, owned_scope: [{scope}]{date}}}"


class Project:
    """A governed project with a text of the intents file, and records that happen now."""

    def __init__(self, repository: Repository, open_editor: Callable[..., Editor]) -> None:
        self.repository = repository
        self._open, self._editor = open_editor, None

    @property
    def editor(self) -> Editor:
        if self._editor is None:
            self._editor = self._open(self.repository.root)
        return self._editor

    def plan(self, text: str) -> None:
        self.repository.write(INTENTS_FILE, text)
        self.repository.commit()

    def record(
        self,
        path: str,
        intent: str | None = "INT-001",
        *,
        fails: bool = False,
        left: str = "x",
        changes: bool = True,
    ) -> None:
        """Record an edit that left a text, or a failed call that changed nothing."""
        verdict = ScopeValidation.FAIL if fails else ScopeValidation.PASS
        event = edit(path, intent_id=intent, scope_validation=verdict, success=changes)
        after = hash_content(left.encode())
        before = event.files[0].pre_hash if changes else after
        files = (replace(event.files[0], pre_hash=before, post_hash=after),)
        self.editor.governance.stores.ledger.append(replace(event, files=files))

    def found(self, text: str | None = None) -> Sequence[Finding]:
        self.editor.work_checks.refresh()
        text = text or (self.repository.root / INTENTS_FILE).read_text()
        every = self.editor.scope_checks.findings(read_intents(text), split_lines(text))
        kinds = (FileCode.CLOSED_SCOPE_EDITED, FileCode.UNUSED_SCOPE, FileCode.BAD_DATE)
        return [finding for finding in every if finding.code in kinds]


@pytest.fixture
def project(repository: Repository, open_editor: Callable[..., Editor]) -> Project:
    for name in ("src/a.py", "src/b.py", "docs/c.md"):
        repository.write(name, "one\n")
    return Project(repository, open_editor)


def test_an_edit_out_of_bounds_after_the_end_is_pointed_out_on_the_status(
    project: Project,
) -> None:
    text = intents(closed("A", "src/**", NOW - HOUR), "{id: B, owned_scope: [docs/**]}")
    project.plan(text)
    os.utime(project.repository.root / "src/a.py", (1, 1))
    assert project.found() == []
    project.record("src/a.py", None, fails=True)
    project.record("src/b.py", "B", fails=True)
    project.record("docs/c.md", "A", fails=True)
    (found,) = project.found()
    assert (found.code, found.severity) == (FileCode.CLOSED_SCOPE_EDITED, Severity.HINT)
    assert found.message == (
        "Files of this intent that no open intent owns were edited after it was closed:"
        " `src/a.py`, `src/b.py`."
    )
    (fix,) = found.fixes
    assert apply_changes(text, fix.changes) == text.replace("COMPLETED", "IN_PROGRESS")
    # What is typed may answer it already.
    reopened = text.replace("COMPLETED", "'ACTIVE'")
    assert project.found(reopened) == []
    quoted = text.replace("COMPLETED", '"DONE"')
    (fix,) = project.found(quoted)[0].fixes
    assert '"IN_PROGRESS"' in apply_changes(quoted, fix.changes)


@pytest.mark.parametrize(
    "status", ["&over DONE", "|\n      DONE", ">- # why\n      DONE", "'\n      COMPLETED'"]
)
def test_only_a_plain_status_can_be_reopened(project: Project, status: str) -> None:
    # The text would not parse any more, or other intents that use the same value would be open.
    project.plan(
        f'active_intents:\n  - id: A\n    status: {status}\n    updated_at: "{at(NOW - HOUR)}"\n'
        "    owned_scope: [src/**]\n"
    )
    project.record("src/a.py", None, fails=True)
    (found,) = project.found()
    assert found.fixes == ()


@pytest.mark.parametrize(
    ("entry", "owner", "verdict_fails"),
    [
        (closed("A", "src/**", NOW - HOUR), "A", False),  # the edit was allowed
        (closed("A", "src/**", NOW + HOUR), None, True),  # it was closed after the edit
        (closed("A", "docs/**", NOW - HOUR), None, True),  # it does not own the file
        (closed("A", "src/**", NOW - HOUR, "BLOCKED"), None, True),  # it is open
        (closed("A", "src/**", None), None, True),  # nobody knows when it was closed
        (closed("A", "src/**", NOW - HOUR) + "\n  - {id: B, owned_scope: [src/a.py]}", None, True),
    ],
    # The entries have the time of the run in them.
    ids=["allowed", "before it was closed", "of others", "open", "without a date", "owned"],
)
def test_other_edits_are_not(
    project: Project, entry: str, owner: str | None, *, verdict_fails: bool
) -> None:
    project.plan(intents(entry))
    project.record("src/a.py", owner, fails=verdict_fails)
    codes = {finding.code for finding in project.found()}
    assert FileCode.CLOSED_SCOPE_EDITED not in codes


def test_without_a_date_an_intent_ends_with_its_newest_record(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", None)))
    project.record("src/b.py", "A")
    assert project.found() == []
    project.record("src/a.py", None, fails=True)
    (found,) = project.found()
    assert "`src/a.py`." in found.message


def test_of_several_closed_intents_the_last_one_is_marked(project: Project) -> None:
    project.plan(
        intents(closed("A", "src/**", NOW - HOUR), closed("B", "'**'", NOW - HOUR / 2, "ARCHIVED"))
    )
    project.record("src/a.py", None, fails=True)
    (found,) = project.found()
    assert found.span.start.line == 2


def test_a_file_that_differs_from_the_commit_counts_if_it_was_changed_afterwards(
    project: Project,
) -> None:
    project.plan(intents(closed("A", "src/**", NOW - HOUR)))
    for name, age in (("a", 2 * HOUR), ("b", HOUR / 2)):
        path = project.repository.write(f"src/{name}.py", "two\n")
        time = (NOW - age).timestamp()
        os.utime(path, (time, time))
    (found,) = project.found()
    assert found.message == (
        "A file of this intent that no open intent owns was edited after it was closed: `src/b.py`."
    )
    project.repository.commit()
    assert project.found() == []


def test_files_that_nobody_edits_for_an_intent_are_left_out(project: Project) -> None:
    project.plan(intents(closed("A", "'**'", NOW - HOUR)))
    for name in ("package/__pycache__/a.pyc", ".vscode/settings.json", ".intentignore"):
        project.repository.write(name, "x\n")
    # The ledger itself grows after the end of an intent.
    project.record(INTENTS_FILE, None, fails=True)
    assert project.found() == []


def test_what_the_server_writes_itself_is_no_edit(project: Project) -> None:
    # Such as lessons.
    project.plan(intents(closed("A", "'**'", NOW - HOUR)))
    project.repository.write("AGENT.md", "## Lessons\n")
    assert project.found()
    state = project.editor.governance.stores.state
    assert state is not None
    state.note_own_write(WorkspacePath("AGENT.md"), hash_content(b"## Lessons\n"))
    assert project.found() == []
    project.repository.write("AGENT.md", "## Lessons\nmine\n")
    assert project.found()


def test_files_of_a_root_below_are_left_to_its_intents(project: Project) -> None:
    project.plan(intents(closed("A", "'**'", NOW - HOUR)))
    project.repository.write("part/src/a.py", "x\n")
    assert project.found()
    project.repository.write(f"part/{INTENTS_FILE}", intents("{id: P, owned_scope: ['**']}"))
    assert project.found() == []


def test_an_intent_is_not_closed_before_its_newest_work(project: Project) -> None:
    # Who closes an intent by hand leaves `updated_at` as it was.
    project.plan(intents(closed("A", "src/**", NOW - 5 * HOUR)))
    path = project.repository.write("src/a.py", "two\n")
    time = (NOW - HOUR).timestamp()
    os.utime(path, (time, time))
    assert project.found()
    project.record("src/b.py", "A")
    assert project.found() == []


def test_an_edit_under_an_intent_that_is_closed_does_not_move_its_end(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", None)))
    project.record("src/b.py", "A")
    project.record("src/a.py", "A", fails=True)
    (found,) = project.found()
    assert "`src/a.py`." in found.message


def test_an_edit_that_was_put_right_or_never_happened_is_none(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", NOW - HOUR)))
    project.record("src/b.py", None, fails=True, changes=False)
    assert project.found() == []
    project.record("src/a.py", None, fails=True)
    assert project.found()
    project.record("src/a.py", None)
    assert project.found() == []


def test_work_of_the_intent_that_git_wrote_again_is_no_edit(project: Project) -> None:
    # As `git stash` and `git stash pop` do with work that is not committed.
    project.plan(intents(closed("A", "src/**", NOW - HOUR)))
    project.repository.write("src/a.py", "two\n")
    assert project.found()
    project.record("src/a.py", "A", left="two\n")
    later = (datetime.now(UTC) + timedelta(minutes=1)).timestamp()
    os.utime(project.repository.root / "src/a.py", (later, later))
    assert project.found() == []
    project.repository.write("src/a.py", "three\n")
    os.utime(project.repository.root / "src/a.py", (later, later))
    assert project.found()


def test_what_happened_weeks_ago_is_over(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", NOW - timedelta(days=40))))
    path = project.repository.write("src/a.py", "two\n")
    time = (NOW - timedelta(days=20)).timestamp()
    os.utime(path, (time, time))
    assert project.found() == []


def test_of_many_files_ten_are_named(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", NOW - HOUR)))
    for number in range(25):
        project.record(f"src/{number:02}.py", None, fails=True)
    (found,) = project.found()
    assert found.message.count("`") == 20
    assert found.message.endswith("`src/09.py` and 15 more.")


def tree(project: Project, files: int = 60) -> None:
    for number in range(files):
        project.repository.write(f"src/{'ab'[number % 2]}{number % 7}/f{number}.py", "x\n")


def test_a_scope_far_wider_than_its_work_is_pointed_out_with_narrower_globs(
    project: Project,
) -> None:
    tree(project)
    text = intents('{id: A, status: IN_PROGRESS, owned_scope: ["src/**"]}')
    project.plan(text)
    for number in range(20):
        assert project.found() == []
        project.record(f"src/{'a0' if number % 2 else 'b1'}/f{number % 6}.py", "A")
    (found,) = project.found()
    assert (found.code, found.severity) == (FileCode.UNUSED_SCOPE, Severity.HINT)
    assert "`src/a0/**`, `src/b1/**`" in found.message
    (fix,) = found.fixes
    fixed = apply_changes(text, fix.changes)
    assert fixed == text.replace('"src/**"', '"src/a0/**", "src/b1/**"')
    # Unsaved text with another scope has no such hint any more.
    assert project.found(fixed) == []
    block = "active_intents:\n  - id: A\n    status: IN_PROGRESS\n    owned_scope:\n"
    block += "      - src/** # all\n"
    (found,) = project.found(block)
    assert apply_changes(block, found.fixes[0].changes).endswith(
        "      - src/a0/**\n      - src/b1/** # all\n"
    )


@pytest.mark.parametrize(
    ("scope", "paths"),
    [
        ("src/**", [f"src/a{n % 7}/f{n}.py" for n in range(20)]),  # everywhere
        ("src/**", ["src/a0/f0.py", "src/a0/f1.py"] * 10),  # few files
        ("src/a*/**", [f"src/a0/f{n % 6}.py" for n in range(20)]),  # no plain directory
        ("src/**", [f"lib/x{n}.py" for n in range(20)]),  # elsewhere
        ("src/a0/**", [f"src/a0/f{n % 6}.py" for n in range(20)]),  # a small glob
        # What is excluded is no part of the scope, however much it is.
        ('src/**", "!src/b*/**', [f"src/a0/f{n % 6}.py" for n in range(20)]),
    ],
)
def test_without_enough_evidence_nothing_is_said(
    project: Project, scope: str, paths: Sequence[str]
) -> None:
    tree(project)
    project.plan(intents(f'{{id: A, status: IN_PROGRESS, owned_scope: ["{scope}"]}}'))
    for path in paths:
        project.record(path, "A")
    assert project.found() == []


def test_directories_that_are_gone_are_no_work_to_come(project: Project) -> None:
    tree(project)
    project.plan(intents('{id: A, status: IN_PROGRESS, owned_scope: ["**"]}'))
    for number in range(20):
        project.record(f"src/old/f{number}.py", "A")
    assert project.found() == []
    for number in range(6):
        project.record(f"src/a0/f{number}.py", "A")
    (found,) = project.found()
    gone = "Files in directories that no longer exist do not count."
    assert found.message.endswith(f" matches `src/a0/**`. {gone}")
    # Where files are left, others may come.
    project.record("docs/deleted.md", "A")
    (found,) = project.found()
    assert found.message.endswith(f" matches `docs/**`, `src/a0/**`. {gone}")


def test_of_work_that_is_not_known_as_a_whole_nothing_is_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(project)
    project.plan(intents('{id: A, status: IN_PROGRESS, owned_scope: ["src/**"]}'))
    for number in range(20):
        project.record(f"src/a0/f{number % 7}.py", "A")
    assert project.found()
    # The files are listed by name, so that those beyond a limit may be anywhere else.
    monkeypatch.setattr(work_checks, "_PATHS_AT_MOST", 6)
    project.record("src/b6/f.py", "A")
    assert project.found() == []


def test_a_date_in_the_future_is_a_warning(project: Project) -> None:
    far, near = NOW + timedelta(days=3), NOW + HOUR
    project.plan(intents(closed("A", "src/**", far), closed("B", "src/**", near)))
    (found,) = project.found()
    assert (found.code, found.severity) == (FileCode.BAD_DATE, Severity.WARNING)
    told = "`updated_at` is in the future: correct it, or the clock of this machine"
    assert found.message == told
    assert found.span.start.line == 1


def test_a_covered_glob_can_be_taken_away(project: Project) -> None:
    text = intents("{id: A, owned_scope: [src/**, src/a.py, docs/**]}")
    project.plan(text)
    every = project.editor.scope_checks.findings(read_intents(text), split_lines(text))
    (found,) = (finding for finding in every if finding.code is FileCode.COVERED_GLOB)
    (fix,) = found.fixes
    assert apply_changes(text, fix.changes) == text.replace("src/a.py, ", "")


def test_refresh_says_whether_something_is_new(project: Project) -> None:
    project.plan(intents(closed("A", "src/**", NOW - HOUR)))
    checks = project.editor.work_checks
    assert not checks.refresh()
    project.record("src/a.py", None, fails=True)
    # Typing asks again and again; the ledger and git are asked every ten seconds at most.
    assert not checks.refresh_if_due()
    assert checks.refresh()
    assert not checks.refresh()
    project.record("src/b.py", None, fails=True)
    project.plan(intents(closed("A", "src/**", NOW - HOUR), "{id: B, owned_scope: [docs/**]}"))
    assert checks.refresh_if_due()
