"""A project with a committed ledger, checked as a shell, a hook of git and a CI machine do it."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from intent_lsp.doors.cli.main import COMMANDS
from tests.support.recorded_project import recorded_project
from tests.support.sarif_schema import sarif_errors

ROOT = Path(__file__).parent.parent.parent.parent
CI = ROOT / "client-configs" / "ci"
PROGRAM = [sys.executable, "-m", "intent_lsp"]

REPORT = """\
commit 000000000000 Ask for a token: INT-001 named by its records; 2 files, 2 of 2 hunks recorded
commit 000000000000 Count: INT-001 named by its records; 1 file, 1 of 1 hunk recorded
  error SCOPE_VIOLATION src/billing/invoice.py:2: Scope Violation: INT-001 is not authorized to edit src/billing/invoice.py. Request scope expansion. Owned by INT-002.
commit 000000000000 Format: INT-001 named by its trailer; 1 file, 0 of 1 hunk recorded
  warning UNRECORDED_CHANGE src/auth/login.py:25: No record explains this change.
commit 000000000000 Allow everything: INT-001 named by its records; nothing to judge
  error PATH_DENIED .claude/settings.json: PreToolUse denied git/commit: sidecar policy v1 denies mutation for path(s): .claude/settings.json. It counts as an agent's change: a record of this file names an agent.
commit 000000000000 Rename: INT-001 named by its records; 1 file, 1 of 1 hunk recorded
failed: 2 errors, 1 warning; ledger of 7 records
"""  # noqa: E501 - as it is printed

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded_project(tmp_path_factory.mktemp("project") / "repository").root


def check(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, "check", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def commits(root: Path, *words: str) -> list[str]:
    listed = ["git", "rev-list", "--reverse", *words]
    return subprocess.run(
        listed, cwd=root, capture_output=True, text=True, check=True
    ).stdout.split()


def test_the_report_is_the_same_word_for_word(project: Path) -> None:
    done = check(project, "--base", "main")
    told = done.stdout
    for commit in commits(project, "main..work"):
        told = told.replace(commit[:12], "0" * 12)
    assert (told, done.stderr, done.returncode) == (REPORT, "", 1)
    assert len(commits(project, "main..work")) == 5


def test_the_project_is_the_same_in_every_run(project: Path, tmp_path: Path) -> None:
    again = recorded_project(tmp_path / "again").root
    assert commits(again, "work") == commits(project, "work")
    reports = [
        check(root, "--base", "main", "--format", "json").stdout for root in (project, again)
    ]
    assert reports[0] == reports[1]


def test_a_fresh_clone_is_checked_as_the_original(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", f"file://{project}", str(clone)]
    subprocess.run(command, check=True, capture_output=True)
    said = [
        check(root, "--base", base) for root, base in ((clone, "origin/main"), (project, "main"))
    ]
    assert said[0].stdout == said[1].stdout
    status = ["git", "status", "--porcelain"]
    assert subprocess.run(status, cwd=clone, capture_output=True, check=True).stdout == b""


def test_a_shallow_clone_fails_with_the_cure(project: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    command = ["git", "clone", "--quiet", "--depth", "2", f"file://{project}", str(clone)]
    subprocess.run(command, check=True, capture_output=True)
    (base,) = commits(project, "main")
    done = check(clone, "--base", base)
    assert (done.returncode, done.stdout) == (2, "")
    assert "git fetch --unshallow" in done.stderr
    fetch = ["git", "fetch", "--quiet", "--unshallow"]
    subprocess.run(fetch, cwd=clone, check=True, capture_output=True)
    assert check(clone, "--base", base).returncode == 1


def test_a_sarif_log_of_the_project_obeys_the_specification(project: Path) -> None:
    done = check(project, "--base", "main", "--format", "sarif")
    log = json.loads(done.stdout)
    assert sarif_errors(log) == []
    lines = [
        result["locations"][0]["physicalLocation"].get("region")
        for result in log["runs"][0]["results"]
    ]
    # The second file was renamed later in the range, so that its lines are nowhere in the head.
    assert lines == [{"startLine": 2, "endLine": 2}, None, None]


def test_coverage_can_be_required(project: Path) -> None:
    words = ("--base", "main~0", "--head", "work", "--intent", "INT-001", "--format", "json")
    plain, strict = (check(project, *words, *more) for more in ((), ("--require-coverage",)))
    counts = [json.loads(done.stdout)["counts"] for done in (plain, strict)]
    assert [each["error"] for each in counts] == [2, 3]


def _hooks() -> dict[str, Any]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in hooks}


@pytest.mark.parametrize("stage", ["pre-commit", "commit-msg"])
def test_gits_own_hooks_run_the_check(tmp_path: Path, stage: str) -> None:
    """A commit of all files has an index of its own, which git names to the hook."""
    root = recorded_project(tmp_path / "repository").root
    entry = next(each["entry"] for each in _hooks().values() if each["stages"] == [stage])
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    program = entry.replace("intent-lsp", shlex.join(PROGRAM), 1)
    (hooks / stage).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    (hooks / stage).chmod(0o755)
    if stage == "pre-commit":
        # Its arguments are those of the stage, of which git gives none.
        assert "check --staged" in entry
    (root / "src/billing/invoice.py").write_text("total = 2\n")

    def commit(message: str) -> subprocess.CompletedProcess[str]:
        command = ["git", "-c", f"core.hooksPath={hooks}", "commit", "--all", "--message", message]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)

    refused = commit("Bill\n\nIntent: INT-001")
    assert refused.returncode == 1
    assert "src/billing/invoice.py" in refused.stdout + refused.stderr
    subprocess.run(["git", "branch", "--move", "topic/INT-002"], cwd=root, check=True)
    done = commit("Bill\n\nIntent: INT-002")
    assert (done.returncode, "UNRECORDED_CHANGE" in done.stdout + done.stderr) == (0, True)


def test_every_hook_is_a_command_that_exists() -> None:
    for hook in _hooks().values():
        words = shlex.split(hook["entry"])
        assert hook["language"] == "python"
        _read(words if hook.get("pass_filenames") is False else [*words, "file"])


@pytest.mark.parametrize("name", sorted(path.name for path in CI.glob("*.yml")))
def test_every_command_of_a_template_exists(name: str) -> None:
    text = (CI / name).read_text(encoding="utf-8")
    lines = [line for line in _scripts(yaml.safe_load(text)) if "intent-lsp check" in line]
    assert lines
    for line in lines:
        command = line.partition(" > ")[0].replace('${COVERAGE:+"$COVERAGE"}', "")
        _read(shlex.split(command))


def _scripts(value: Any) -> list[str]:
    """Return every text of a YAML document."""
    match value:
        case str():
            return [value]
        case dict():
            return [line for each in value.values() for line in _scripts(each)]
        case list():
            return [line for each in value for line in _scripts(each)]
        case _:
            return []


def _read(words: list[str]) -> None:
    assert words[0] == "intent-lsp"
    entries = [
        each for each in COMMANDS if each.name.split() == words[1 : 1 + len(each.name.split())]
    ]
    (entry,) = entries
    entry.load().read(words[1 + len(entry.name.split()) :])


def test_the_environment_of_a_hook_misleads_nobody(project: Path, tmp_path: Path) -> None:
    """Git sets these for its hooks; they may belong to another repository."""
    elsewhere = {"GIT_DIR": str(tmp_path), "GIT_INDEX_FILE": str(tmp_path / "index")}
    done = subprocess.run(
        [*PROGRAM, "check", "--staged"],
        cwd=project,
        env={**os.environ, **elsewhere},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("index: no intent; nothing to judge\n")
