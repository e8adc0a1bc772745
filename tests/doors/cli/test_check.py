"""The command `check`: its options, its formats, and changes of every kind."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Said, Shell
from tests.support.check_stories import FILES, INTENTS, LINES, begin
from tests.support.recorded_edits import By, RecordedRepository
from tests.support.repository import Repository
from tests.support.sarif_schema import sarif_errors

INTENTS_FILE = ".orchestration/active_intents.yaml"
AGENT = By("AI", "INT-001")
PERSON = By("HUMAN", "INT-001")


@pytest.fixture
def world(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> RecordedRepository:
    """Return a governed repository with one commit, tagged `base`, and stand in it."""
    made = RecordedRepository(repository)
    begin(made)
    repository.git("tag", "base")
    monkeypatch.chdir(repository.root)
    return made


def codes(said: Said) -> list[str]:
    assert said.status in {0, 1}, said
    return [f"{each['level']} {each['code']} {each['path']}" for each in said.json["findings"]]


def check(shell: Shell, *words: str) -> list[str]:
    return codes(shell("check", "--format", "json", *words))


def test_a_tree_without_a_change_passes(world: RecordedRepository, shell: Shell) -> None:
    said = shell("check")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "work tree: no intent; nothing to judge",
        "passed: nothing found; ledger of 0 records",
    ]
    assert shell("check", "--staged").status == 0
    assert shell("check", "--base", "HEAD").out == "passed: nothing found; ledger of 0 records\n"
    assert world.repository.git("status", "--porcelain") == ""


def test_text_tells_what_a_person_has_to_know(world: RecordedRepository, shell: Shell) -> None:
    world.append("src/auth/login.py", "more\n", AGENT)
    world.append("src/billing/invoice.py", "more\n", AGENT)
    commit = world.commit("Log in")
    said = shell("check", "--base", "base")
    assert said.status == 1
    assert said.out.splitlines() == [
        (
            f"commit {commit[:12]} Log in: INT-001 named by its records;"
            " 2 files, 2 of 2 hunks recorded"
        ),
        (
            "  error SCOPE_VIOLATION src/billing/invoice.py:11: Scope Violation: INT-001 is not"
            " authorized to edit src/billing/invoice.py. Request scope expansion. Owned by INT-002."
        ),
        "failed: 1 error; ledger of 2 records",
    ]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--staged", "--base", "base"), "--staged checks the index"),
        (("--head", "HEAD"), "give it with --base REV"),
        (("--base", "base", "--message", "x"), "leave out --message with --base"),
        (("--message", "missing"), "there is no file missing"),
        (("--base", "origin/main"), "git fetch origin BRANCH"),
        (("--base", "0" * 40), "a new branch has no earlier commit"),
        (("--base", "base", "--head", "nowhere"), "there is no commit nowhere"),
        (("--format", "xml"), "invalid choice"),
        (("--summary", INTENTS_FILE), "is a control file"),
        (("--summary", "nowhere/x.md"), "is not a directory"),
        (("--bsae", "x"), "did you mean --base?"),
        (("src/auth/login.py",), "unknown option or argument"),
    ],
)
def test_wrong_usage_says_what_to_do(
    world: RecordedRepository, shell: Shell, words: tuple[str, ...], problem: str
) -> None:
    assert world.root
    assert problem in shell("check", *words).problem


def test_without_a_governed_root_or_git_it_says_so(
    tmp_path: Path, shell: Shell, root: Path
) -> None:
    assert "run `git init`" in shell("check", "-C", str(root)).problem
    (tmp_path / "bare").mkdir()
    assert "is not governed" in shell("check", "-C", str(tmp_path / "bare")).problem


def test_a_repository_that_cannot_be_opened_says_so(
    world: RecordedRepository, shell: Shell
) -> None:
    (world.root / ".git" / "config").write_text("[core\n")
    problem = shell("check").problem
    assert f"the git repository at {world.root} cannot be opened" in problem
    assert "safe.directory" in problem


def test_without_the_git_program_the_work_tree_cannot_be_compared(
    world: RecordedRepository, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.append("src/auth/login.py", "more\n", AGENT)
    world.commit("Log in")
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "git cannot read the status of the work tree" in shell("check").problem
    assert check(shell, "--base", "base") == []


def test_an_empty_repository_is_checked_against_nothing(
    repository: Repository, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    for path, text in FILES.items():
        repository.write(path, text)
    outside = "error SCOPE_VIOLATION README.md"
    unrecorded = "warning UNRECORDED_CHANGE src/auth/login.py"
    found = check(shell, "--intent", "INT-001")
    assert outside in found
    assert unrecorded in found
    assert check(shell, "--staged", "--intent", "INT-001") == []
    repository.git("add", "--all")
    assert set(check(shell, "--staged", "--intent", "INT-001")) == set(found)
    assert "there is no commit HEAD" in shell("check", "--base", "HEAD").problem


def test_odd_names_are_told_in_every_format(world: RecordedRepository, shell: Shell) -> None:
    names = ["with blank.py", "ümläut.py", "new\nline.py", os.fsdecode(b"b\xff.py"), '"quoted".py']
    for name in names:
        world.write(f"docs/{name}", "x\n")
    world.commit("Odd")
    words = ("--base", "base", "--intent", "INT-001")
    said = shell("check", *words, "--format", "json")
    paths = {each["path"] for each in said.json["findings"]}
    assert paths == {f"docs/{name}" for name in names}
    sarif = shell("check", *words, "--format", "sarif")
    assert sarif_errors(sarif.json) == []
    assert "docs/b%FF.py" in sarif.out
    for form in ("text", "github", "markdown"):
        told = shell("check", *words, "--format", form)
        assert told.status == 1
        assert "docs/new\nline.py" not in told.out
    assert len(shell("check", *words, "--format", "github").out.splitlines()) == 2 * len(names) + 1


def test_binary_files_are_judged_whole(world: RecordedRepository, shell: Shell) -> None:
    world.write("src/auth/logo.png", b"\x89PNG\0\1", AGENT)
    world.write("src/billing/logo.png", b"\x89PNG\0\2", AGENT)
    world.write("src/auth/other.png", b"\x89PNG\0\3")
    world.commit("Pictures")
    assert check(shell, "--base", "base") == [
        "error SCOPE_VIOLATION src/billing/logo.png",
        "warning UNRECORDED_CHANGE src/auth/other.png",
    ]


def test_a_link_a_mode_and_a_submodule_are_changes(world: RecordedRepository, shell: Shell) -> None:
    (world.root / "link").symlink_to("/etc/passwd")
    (world.root / "src/billing/invoice.py").chmod(0o755)
    assert check(shell, "--intent", "INT-001") == [
        "error SCOPE_VIOLATION src/billing/invoice.py",
        "error SCOPE_VIOLATION link",
        "warning UNRECORDED_CHANGE link",
    ]
    head = world.repository.git("rev-parse", "HEAD").strip()
    world.commit("More")
    world.repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},vendor/sub")
    assert "error SCOPE_VIOLATION vendor/sub" in check(shell, "--staged", "--intent", "INT-001")


def test_line_ends_that_git_converts_are_those_of_the_records(
    world: RecordedRepository, shell: Shell
) -> None:
    world.write(".gitattributes", "*.txt text eol=crlf\n")
    world.commit("Attributes")
    world.repository.git("tag", "--force", "base")
    world.write("src/auth/notes.txt", "one\r\ntwo\r\n", AGENT)
    world.commit("Notes")
    assert check(shell, "--base", "base") == []


def test_a_root_below_the_top_level_is_checked_alone(
    repository: Repository, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in FILES.items():
        repository.write(f"part/{path}", text)
    repository.commit("begin")
    repository.write("outside.py", "x\n")
    repository.write("part/src/billing/invoice.py", LINES + "more\n")
    repository.commit("work")
    monkeypatch.chdir(repository.root / "part")
    said = shell("check", "--base", "HEAD~1", "--intent", "INT-001", "--format", "github")
    assert "file=part/src/billing/invoice.py,line=11" in said.out
    assert "outside.py" not in said.out


def test_a_nested_root_is_left_out_and_named(world: RecordedRepository, shell: Shell) -> None:
    world.write(f"nested/{INTENTS_FILE}", INTENTS)
    world.write("nested/a.py", "x\n")
    world.commit("Nested")
    said = shell("check", "--base", "base")
    assert said.status == 0
    assert "left out: 2 files in governed roots below this one; check each root with -C" in said.err


def test_an_uncommitted_intents_file_governs_and_is_named(
    repository: Repository, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root)
    repository.write(".gitignore", ".orchestration/\n")
    repository.commit("begin")
    repository.write(INTENTS_FILE, INTENTS)
    repository.write("src/billing/a.py", "x\n")
    repository.commit("Bill")
    said = shell("check", "--base", "HEAD~1", "--intent", "INT-001")
    assert "error SCOPE_VIOLATION src/billing/a.py:1" in said.out
    assert "the intents file is not committed" in said.err


def test_another_head_is_judged_with_the_ledger_that_is_here(
    world: RecordedRepository, shell: Shell
) -> None:
    world.repository.git("checkout", "--quiet", "-b", "topic/INT-002")
    world.append("src/billing/invoice.py", "more\n")
    world.commit("Bill")
    world.repository.git("checkout", "--quiet", "main")
    said = shell("check", "--base", "main", "--head", "topic/INT-002")
    assert "INT-002 named by the branch" in said.out
    assert "the ledger is that of the work tree" in said.err


def test_files_in_conflict_are_no_index_to_check(world: RecordedRepository, shell: Shell) -> None:
    world.repository.git("checkout", "--quiet", "-b", "topic")
    world.append("src/auth/login.py", "a\n")
    world.commit()
    world.repository.git("checkout", "--quiet", "main")
    world.append("src/auth/login.py", "b\n")
    world.commit()
    merge = ["git", "merge", "--quiet", "topic"]
    subprocess.run(merge, cwd=world.root, check=False, capture_output=True)
    assert "the index has 1 file in conflict" in shell("check", "--staged").problem


def test_a_shallow_clone_is_refused(
    world: RecordedRepository, shell: Shell, tmp_path: Path
) -> None:
    for number in range(3):
        world.append("src/auth/login.py", f"{number}\n", AGENT)
        world.commit()
    url = f"file://{world.root}"
    clone = ["git", "clone", "--quiet", "--depth", "1", url, str(tmp_path / "shallow")]
    subprocess.run(clone, check=True, capture_output=True)
    commit = world.repository.git("rev-parse", "base").strip()
    problem = shell("check", "-C", str(tmp_path / "shallow"), "--base", commit).problem
    assert "this clone is shallow: fetch the history with `git fetch --unshallow`" in problem


def test_a_partial_clone_without_the_files_is_refused(
    world: RecordedRepository, shell: Shell, tmp_path: Path
) -> None:
    world.repository.git("config", "uploadpack.allowFilter", "true")
    for number in range(3):
        world.append("src/auth/login.py", f"{number}\n", AGENT)
        world.commit()
    url = f"file://{world.root}"
    clone = ["git", "clone", "--quiet", "--filter=blob:none", url, str(tmp_path / "partial")]
    subprocess.run(clone, check=True, capture_output=True)
    commit = world.repository.git("rev-parse", "base").strip()
    problem = shell("check", "-C", str(tmp_path / "partial"), "--base", commit).problem
    assert "git cannot read" in problem
    assert "in a partial clone run `git fetch --refetch --no-filter`" in problem


def test_an_ignored_intent_serves_nothing(world: RecordedRepository, shell: Shell) -> None:
    world.write(".intentignore", "INT-001\n", By("HUMAN", None))
    world.commit("Ignore")
    world.append("src/auth/login.py", "more\n", PERSON)
    world.commit("Log in")
    assert check(shell, "--base", "HEAD~1") == ["error INTENT_IGNORED src/auth/login.py"]


def test_the_message_of_a_commit_that_is_being_made_names_its_intent(
    world: RecordedRepository, shell: Shell
) -> None:
    world.append("src/billing/invoice.py", "more\n")
    world.repository.git("add", "--all")
    message = world.root / ".git" / "COMMIT_EDITMSG"
    message.write_text("Bill\n\nIntent: INT-002\n# Intent: INT-001\n")
    words = ("--staged", "--message", ".git/COMMIT_EDITMSG")
    assert check(shell, *words) == ["warning UNRECORDED_CHANGE src/billing/invoice.py"]
    message.write_text("Bill\n\n# Please enter the commit message\n")
    assert check(shell, *words)[0].startswith("error NO_ACTIVE_INTENT")


def test_a_further_agent_can_be_named(world: RecordedRepository, shell: Shell) -> None:
    world.write(".claude/settings.json", "{}\n")
    world.commit("Hooks\n\nIntent: INT-001", author="Robot <robot@example.org>")
    assert check(shell, "--base", "base") == []
    assert check(shell, "--base", "base", "--agent-author", "robot@example.org") == [
        "error PATH_DENIED .claude/settings.json"
    ]


def test_agents_may_not_change_what_the_policy_denies(
    world: RecordedRepository, shell: Shell
) -> None:
    policy = "sidecar:\n  deny_mutations:\n    - path_glob: src/auth/token.py\n"
    world.write(".orchestration/constraints.sidecar.yaml", policy, By("HUMAN", None))
    world.append("src/auth/token.py", "agent's\n", AGENT)
    world.commit("Both")
    assert check(shell, "--base", "base") == ["error PATH_DENIED src/auth/token.py"]
    world.append("src/auth/token.py", "person's\n", PERSON)
    world.commit("Person\n\nIntent: INT-001")
    assert check(shell, "--base", "HEAD~1") == []


def test_the_summary_is_markdown_and_is_replaced(
    world: RecordedRepository, shell: Shell, tmp_path: Path
) -> None:
    world.append("src/billing/invoice.py", "more\n", AGENT)
    summary = tmp_path / "summary.md"
    assert shell("check", "--summary", str(summary)).status == 1
    assert summary.read_text().startswith("## Intents: failed\n")
    assert shell("check", "--intent", "INT-002", "--summary", str(summary)).status == 0
    assert summary.read_text().startswith("## Intents: passed\n")
    printed = shell("check", "--intent", "INT-002", "--format", "markdown").out
    assert printed == summary.read_text()
    summary.write_text("what another step wrote\n")
    shell("check", "--intent", "INT-002", "--summary", str(summary))
    assert summary.read_text() == f"what another step wrote\n{printed}"
    assert shell("check", "--summary", str(tmp_path)).status == 2


def test_lines_are_those_of_the_head(world: RecordedRepository, shell: Shell) -> None:
    world.append("src/billing/invoice.py", "more\n", AGENT)
    world.commit("Bill")
    text = (world.root / "src/billing/invoice.py").read_text()
    world.write("src/billing/invoice.py", "first\n" + text, By("HUMAN", "INT-002"))
    world.commit("Later")
    (found,) = shell("check", "--base", "base", "--format", "json").json["findings"]
    assert (found["startLine"], found["headStartLine"]) == (11, 12)
    world.write("src/billing/invoice.py", None, By("HUMAN", "INT-002"))
    world.commit("Gone")
    (found,) = shell("check", "--base", "base", "--format", "json").json["findings"]
    assert (found["startLine"], found["headStartLine"]) == (11, None)


def test_a_fingerprint_survives_a_rebase(world: RecordedRepository, shell: Shell) -> None:
    world.append("src/billing/invoice.py", "more\n", AGENT)
    world.commit("Bill")
    before = shell("check", "--base", "base", "--format", "json").json["findings"]
    world.repository.git("commit", "--quiet", "--amend", "--message", "Bill otherwise")
    after = shell("check", "--base", "base", "--format", "json").json["findings"]
    assert before[0]["commit"] != after[0]["commit"]
    assert [each["fingerprint"] for each in before] == [each["fingerprint"] for each in after]


def test_a_ledger_in_segments_is_read_like_another(world: RecordedRepository, shell: Shell) -> None:
    world.append("src/auth/login.py", "more\n", AGENT)
    world.commit("Log in")
    ledger = world.root / ".orchestration" / "agent_trace.jsonl"
    segment = world.root / ".orchestration" / "trace" / "s1.jsonl"
    segment.parent.mkdir()
    ledger.rename(segment)
    world.commit("Segments")
    assert json.loads(shell("check", "--base", "base", "--format", "json").out)["records"] == 1
