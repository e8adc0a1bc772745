"""`intent-lsp intents import` of the plans of other tools."""

import sys
from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.intents_file import read_intents
from tests.doors.cli.conftest import Shell, Terminal, file_of
from tests.support import plan_samples as samples
from tests.support.governed_repository import INTENTS
from tests.support.repository import Repository

FEATURE = "specs/004-borrow-book"


@pytest.fixture
def feature(project: Repository) -> Repository:
    """Return a governed repository with a feature of spec-kit."""
    for name, text in samples.FEATURE.items():
        project.write(f"{FEATURE}/{name}", text)
    return project


def test_a_plan_is_shown_and_not_written_where_nobody_can_be_asked(
    shell: Shell, feature: Repository
) -> None:
    said = shell("intents", "import")
    assert said.status == 2
    lines = said.out.splitlines()
    assert lines[:2] == [f"--- {INTENTS_FILE}", f"+++ {INTENTS_FILE}"]
    assert lines[2].startswith("@@ ")
    assert "+  - id: INT-003" in lines
    assert f'+    specification_id: "{FEATURE}"' in lines
    assert "new: 1, already here: 0" in lines
    assert f"  INT-003 Borrow a book (IN_PROGRESS), {FEATURE}/spec.md:1" in lines
    assert "nothing was written" in said.err
    assert "--yes" in said.err
    assert file_of(feature) == INTENTS


def test_a_plan_is_written_with_yes_and_once(shell: Shell, feature: Repository) -> None:
    said = shell("intents", "import", "--yes")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines()[-1] == f"intents added to {INTENTS_FILE}: 1"
    text = file_of(feature)
    assert text.startswith(INTENTS)
    assert read_intents(text).findings == ()
    again = shell("intents", "import", "--yes")
    assert again.status == 0
    assert again.out.splitlines() == [
        "new: 0, already here: 1",
        f"  INT-003 is here already, for {FEATURE}",
    ]
    assert file_of(feature) == text


def test_a_file_beside_plans_of_a_kind_is_none_of_them(shell: Shell, feature: Repository) -> None:
    for name in ("notes.md", "specs/notes.md"):
        feature.write(name, "- [ ] Think\n")
        said = shell("intents", "import", name, "--from", "spec-kit", "--yes")
        assert said.problem.startswith(f"intent-lsp: no plan is in {name}; looked for plans of ")
        assert file_of(feature) == INTENTS
    found = shell("intents", "import", f"{FEATURE}/tasks.md", "--from", "spec-kit", "--dry-run")
    assert "new: 1, already here: 0" in found.out


def test_a_task_list_beside_a_document_named_as_in_a_plan_is_a_task_list(
    shell: Shell, project: Repository, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for place in (project.root, elsewhere):
        (place / "requirements.md").write_text("# Requirements\n")
        (place / "tasks.md").write_text("- [ ] Think\n- [ ] Rest\n")
        said = shell("intents", "import", str(place / "tasks.md"), "--dry-run")
        assert "new: 2, already here: 0" in said.out


def test_what_differs_from_the_plan_is_listed(shell: Shell, feature: Repository) -> None:
    shell("intents", "import", "--yes")
    feature.write(f"{FEATURE}/tasks.md", samples.TASKS.replace("- [ ]", "- [x]"))
    said = shell("intents", "import")
    assert said.status == 0
    assert said.out.splitlines() == [
        "new: 0, already here: 1, 1 of them different from the plan",
        f"  INT-003 is here already, for {FEATURE}, and differs:",
        "    status here: IN_PROGRESS",
        "    status in the plan: COMPLETED",
    ]


def test_what_owns_nothing_is_named(shell: Shell, project: Repository) -> None:
    project.write("todo.md", "- [ ] Think\n- [x] Rest\n- [ ] All of `**/*.py`, and `src/`\n")
    said = shell("intents", "import", "todo.md", "--dry-run")
    assert said.out.splitlines()[-6:] == [
        "new: 3, already here: 0",
        "  INT-003 Think (PLANNED), todo.md:1",
        "    owns nothing yet, as no path for it was found in the plan",
        "  INT-004 Rest (COMPLETED), todo.md:2",
        "  INT-005 All of `**/*.py`, and `src/` (PLANNED), todo.md:3",
        "    not taken into its scope: **/*.py",
    ]


def test_what_owns_no_code_is_named(shell: Shell, project: Repository) -> None:
    project.write("specs/001-think/tasks.md", "- [ ] T001 Think\n")
    project.write("specs/002-write/tasks.md", "- [ ] T001 Create src/new.py\n")
    said = shell("intents", "import", "--dry-run")
    assert said.out.splitlines()[-5:] == [
        "new: 2, already here: 0",
        "  INT-003 Think (PLANNED), specs/001-think/tasks.md:1",
        "    owns only specs/001-think/tasks.md yet, as no path of the code was found in the plan",
        "  INT-004 Write (PLANNED), specs/002-write/tasks.md:1",
        "    not taken into its scope: src/new.py",
    ]


def test_a_dry_run_shows_the_edit_and_writes_nothing(shell: Shell, feature: Repository) -> None:
    said = shell("intents", "import", FEATURE, "--dry-run", "--yes")
    assert (said.status, said.err) == (0, "")
    assert "+  - id: INT-003" in said.out
    assert file_of(feature) == INTENTS


@pytest.mark.parametrize("typed", ["y\n", "yes\n", "n\n", "\n", ""])
def test_a_person_at_a_terminal_is_asked(
    shell: Shell, feature: Repository, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    out = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stdout", out)
    said = shell("intents", "import", f"{FEATURE}/tasks.md")
    assert f"Add 1 intent to {INTENTS_FILE}? [y/N] " in out.getvalue()
    agreed = typed.startswith("y")
    assert said.status == (0 if agreed else 2)
    assert ("INT-003" in file_of(feature)) is agreed
    assert ("nothing was written" in said.err) is not agreed


def test_a_plan_is_told_as_json(shell: Shell, feature: Repository) -> None:
    feature.write("a.csv", "Key,Title,State\nA-1,Lend,open\nA-1,Read,open\n")
    said = shell("intents", "import", "a.csv", "--json")
    assert said.status == 2
    told = said.json
    assert (told["written"], told["added"], told["skipped"]) == (False, ["INT-003"], [])
    assert told["intents"][0]["document"] == "a.csv:2"
    assert told["problems"] == [
        {
            "document": "a.csv",
            "line": 3,
            "problem": "A-1 is in line 2 already, so this row is left out",
            "cure": "give each row an id of its own",
        }
    ]
    assert "+  - id: INT-003" in told["diff"]
    written = shell("intents", "import", "a.csv", "--json", "--yes")
    assert (written.status, written.json["written"]) == (0, True)
    feature.write("a.csv", "Key,Title,State\nA-1,Lend,done\n")
    again = shell("intents", "import", "a.csv", "--json").json
    assert again["skipped"] == [{"id": "INT-003", "reason": "A-1 is here already"}]
    assert again["changed"] == [
        {
            "id": "INT-003",
            "differences": [{"key": "status", "here": "PLANNED", "there": "COMPLETED"}],
        }
    ]


def test_what_is_closed_may_be_left_out(shell: Shell, project: Repository) -> None:
    project.write("issues.csv", samples.GITHUB_ISSUES)
    assert shell("intents", "import", "issues.csv", "--open", "--json").json["added"] == ["INT-003"]
    assert len(shell("intents", "import", "issues.csv", "--json").json["added"]) == 3


def test_a_problem_is_no_reason_to_refuse_a_plan_in_which_all_is_closed(
    shell: Shell, project: Repository
) -> None:
    project.write("a.csv", "Key,Title,State\nA-1,Lend,Done\nA-1,Lend,Done\n")
    said = shell("intents", "import", "a.csv", "--open")
    assert said.status == 0
    assert said.out.splitlines() == ["new: 0, already here: 0"]
    assert "a.csv:3: A-1 is in line 2 already" in said.err


def test_an_agent_may_see_a_plan_and_not_import_it(
    shell: Shell, feature: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    refused = shell("intents", "import", "--yes").problem
    assert "`intent-lsp intents import` is for people, and CLAUDECODE shows" in refused
    feature.write("other.yaml", "- id: NEW\n")
    assert "is for people" in shell("intents", "import", "other.yaml").problem
    assert shell("intents", "import", "--dry-run").status == 0
    assert file_of(feature) == INTENTS


def test_an_intents_file_is_shown_by_a_dry_run_only(shell: Shell, project: Repository) -> None:
    project.write("other.yaml", "- id: NEW\n  name: Theirs\n- id: INT-001\n")
    said = shell("intents", "import", "other.yaml", "--dry-run")
    assert said.out.splitlines() == [
        f"intents that would be added to {INTENTS_FILE}: 1, skipped: 1",
        "  NEW new: Theirs",
        "  INT-001 skipped: an intent has or had this id already",
    ]
    assert file_of(project) == INTENTS


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "no plan is in the root; looked for specs/NNN-*/, openspec/changes/*/"),
        (("src",), "no plan is in src; looked for specs/NNN-*/"),
        (("--from", "kiro"), "no plan is in the root; looked for plans of kiro"),
        (("--from", "csv"), "--from csv needs a file; give it as FILE"),
        (("src", "--from", "csv"), "src is not a file; give the file; --from csv reads one"),
        (("src", "--from", "intents"), "src is not a file; give the file"),
        (("nowhere.md",), "nowhere.md is not there"),
        (("empty.md",), "empty.md: no task is in it; write each task as an item"),
        (("bad.csv",), "bad.csv:2: the row that begins here cannot be read: unexpected end"),
        (("notes.txt", "--from", "csv"), "notes.txt:1: no column has the title"),
        (("bytes.csv",), "bytes.csv: it is not UTF-8 text; save it as UTF-8"),
        (("--from", "jira"), "invalid choice: 'jira'"),
    ],
)
def test_what_is_no_plan_is_one_line_with_a_cure(
    shell: Shell, project: Repository, words: tuple[str, ...], told: str
) -> None:
    project.write("src/main.py", "")
    project.write("empty.md", "# Nothing to do\n")
    project.write("bad.csv", 'Key,Title\nA-1,"open\n')
    project.write("notes.txt", "some words\n")
    project.write("bytes.csv", b"\xff\x00")
    assert told in shell("intents", "import", *words).problem
    assert file_of(project) == INTENTS


@pytest.mark.usefixtures("project")
def test_a_plan_outside_of_the_root_is_read_where_a_person_names_it(
    shell: Shell, tmp_path: Path
) -> None:
    outside = tmp_path / "elsewhere" / "plan.md"
    outside.parent.mkdir()
    outside.write_text("- [ ] Lend, in `src/auth/login.py`\n")
    said = shell("intents", "import", str(outside), "--yes", "--json")
    assert said.status == 0
    (intent,) = said.json["intents"]
    assert intent["specification"] == "plan.md#lend-in-src-auth-login-py"
    assert intent["document"] == "plan.md:1"


@pytest.mark.usefixtures("feature")
def test_paths_are_relative_to_the_directory_that_is_given(shell: Shell) -> None:
    told = shell("intents", "import", "-C", "specs", "004-borrow-book", "--json").json
    assert told["intents"][0]["specification"] == FEATURE


def test_problems_beyond_twenty_are_counted(shell: Shell, project: Repository) -> None:
    rows = "".join(f"A-{number},Do {number},Odd\n" for number in range(30))
    project.write("a.csv", "Key,Title,State\n" + rows)
    said = shell("intents", "import", "a.csv", "--dry-run")
    assert said.status == 0
    lines = said.err.splitlines()
    assert lines[0] == (
        "intent-lsp: a.csv:2: the state 'Odd' is not known, so the intent is PLANNED;"
        " set its status in the intents file"
    )
    assert lines[20:] == ["intent-lsp: 10 more problems; --json lists all"]
