"""`intent-lsp explain`."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, LEDGER_FILE, WorkspacePath
from intent_lsp.doors.cli.decision_text import of_save
from intent_lsp.governance.governance import Governance
from tests.doors.cli.conftest import Said, Shell
from tests.support.governed_repository import set_policy
from tests.support.ledgers import edit, ledger_at
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"


def outcomes(said: Said) -> dict[int, str]:
    return {row["row"]: row["outcome"] for row in said.json["rows"]}


def facts(said: Said) -> dict[int, str]:
    return {row["row"]: row["fact"] for row in said.json["rows"]}


def control_files(project: Repository) -> dict[str, bytes]:
    room = project.root / ".orchestration"
    return {path.name: path.read_bytes() for path in room.iterdir() if path.is_file()}


def test_the_decision_is_shown_and_the_row_that_fails(shell: Shell, project: Repository) -> None:
    said = shell("explain", LOGIN, "--intent", "INT-002")
    assert (said.status, said.err) == (1, "")
    lines = said.out.splitlines()
    becomes = "the file would be saved, shown as a problem, and recorded as FAIL"
    assert lines[:6] == [
        "decision    REFUSED: SCOPE_VIOLATION",
        "why         login.py is outside the scope of INT-002 (Billing).",
        "way out     `intent-lsp explain --code SCOPE_VIOLATION` explains it",
        "would pass  under INT-001",
        f"its save    {becomes} (enforcement: warn)",
        "",
    ]
    (row,) = lines[6:]
    assert row.startswith("12  In the intent's scope ✗  The intent INT-002 does not own")
    assert "src/auth/login.py (INT-001 owns it by" in row
    every = shell("explain", LOGIN, "--intent", "INT-002", "--all").out.splitlines()
    assert every[:6] == lines[:6]
    assert [int(line.split()[0]) for line in every[6:]] == list(range(1, 17))
    assert "7   Inside the workspace ✓" in every[12]
    assert "3   The intent was checked out in this turn ·" in every[8]
    assert row.split("  ", 2)[1:2] == every[17].split("  ", 2)[1:2]
    assert project.root.is_dir()


def test_an_edit_that_may_happen_ends_with_0(shell: Shell, project: Repository) -> None:
    said = shell("explain", LOGIN, "--intent", "INT-001")
    assert (said.status, said.err) == (0, "")
    assert said.out == "decision  allowed under INT-001 (PASS)\n"
    project.write(INTENTS_FILE, "- {id: A, status: BLOCKED, owned_scope: ['src/**']}\n")
    assert (
        "warning   Intent A is BLOCKED, but may still be worked on.\n"
        in shell("explain", LOGIN, "--intent", "A").out
    )


@pytest.mark.parametrize(
    ("enforcement", "told"),
    [
        (
            "observe",
            (
                "the file would be saved without a warning, and recorded as FAIL"
                " (enforcement: observe)"
            ),
        ),
        ("block", "the save would be refused, and its text kept as a draft"),
    ],
)
def test_what_becomes_of_a_refused_save_is_the_teams_to_say(
    shell: Shell, project: Repository, enforcement: str, told: str
) -> None:
    set_policy(project, f"enforcement: {enforcement}")
    assert told in shell("explain", "README.md", "--intent", "INT-001").out


def test_without_a_session_nobody_has_selected_anything(shell: Shell, project: Repository) -> None:
    said = shell("explain", LOGIN, "--json")
    assert said.status == 1
    assert said.json["decision"]["error"]["code"] == "NO_ACTIVE_INTENT"
    assert facts(said)[8] == "No intent is active; these can be selected: INT-001, INT-002."
    assert project.root.is_dir()


def test_a_session_is_judged_by_what_it_has_selected(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    for words in (["--session", "s1"], ["--session", "s1", "--tool", "Edit"]):
        said = shell("explain", LOGIN, "--json", *words)
        assert (said.status, said.err) == (0, "")
        assert said.json["decision"]["scopeValidation"] == "PASS"
        assert said.json["decision"]["intentId"] == "INT-001"
        (file,) = said.json["decision"]["files"]
        assert file["uri"] == (project.root / LOGIN).as_uri()
    monkeypatch.setenv("INTENT_LSP_SESSION", "s1")
    assert shell("explain", LOGIN).status == 0
    stranger = shell("explain", LOGIN, "--session", "s2")
    assert stranger.status == 1
    assert stranger.err == "intent-lsp: no session s2 is known here, so no intent is selected\n"


def test_a_supposed_intent_is_selected_nowhere(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    before = control_files(project)
    assert shell("explain", LOGIN, "--session", "s1", "--intent", "INT-002").status == 1
    assert shell("explain", LOGIN, "--session", "s1").status == 0
    assert control_files(project) == before


def test_nothing_is_kept_of_the_question(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    before = control_files(project)
    for words in (["README.md"], ["README.md", "--tool", "Edit"], [LOGIN, "--tool", "Edit"]):
        shell("explain", *words, "--session", "s1")
    # No claim stands in another's way, no record and no entry was written.
    assert shell("explain", LOGIN, "--tool", "Edit", "--session", "s2").status == 1
    assert control_files(project) == before
    assert not (project.root / LEDGER_FILE).exists()


def test_a_tool_makes_it_an_agents_call(shell: Shell, project: Repository) -> None:
    said = shell("explain", LOGIN, "--tool", "Edit", "--session", "s1", "--json")
    assert said.status == 1
    assert said.json["decision"]["error"]["code"] == "CHECKOUT_REQUIRED"
    assert outcomes(said)[3] == "fail"
    assert said.json["decision"]["ticket"] is None
    words = shell("explain", LOGIN, "--tool", "Edit", "--session", "s1").out
    assert "decision  REFUSED: CHECKOUT_REQUIRED\n" in words
    assert project.root.is_dir()


def test_a_subagent_asks_for_itself(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    shell("intents", "select", "INT-002", "--session", "s1", "--agent", "sub")
    call = ("explain", LOGIN, "--tool", "Edit", "--session", "s1")
    assert shell(*call).status == 0
    assert shell(*call, "--agent", "sub").status == 1
    assert project.root.is_dir()


def test_a_call_cites_the_intent_that_is_named(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    said = shell("explain", LOGIN, "--tool", "Edit", "--session", "s1", "--intent", "INT-002")
    assert said.status == 1
    assert "but the call cites INT-002" in said.out
    assert project.root.is_dir()


def test_a_command_is_explained_by_what_it_names(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    asked = ("--session", "s1", "--json")
    writes = shell("explain", "--command", "cat x > README.md", *asked)
    assert writes.status == 1
    assert writes.json["decision"]["error"]["details"]["paths"] == ["README.md"]
    reads = shell("explain", "--command", "ls -l", *asked)
    assert reads.status == 0
    assert reads.json["decision"]["scopeValidation"] == "EXEMPT"
    assert "This call of Bash changes no file" in facts(reads)[2]
    looks = shell("explain", "--command", "ls *.py", *asked)
    assert (looks.status, looks.json["decision"]["scopeValidation"]) == (0, "EXEMPT")
    assert "is found afterwards" in facts(looks)[2]
    assert (outcomes(looks)[3], outcomes(looks)[8], outcomes(looks)[16]) == ("skipped",) * 3
    assert (
        "This check is skipped, since by its text the command changes no governed file"
        in facts(looks)[16]
    )
    named = shell("explain", "--tool", "execute_command", "--command", "rm src/auth/x", *asked)
    assert named.status == 0
    assert "execute_command" in facts(named)[2]
    assert project.root.is_dir()


def test_a_persons_approval_is_not_supposed(shell: Shell, project: Repository) -> None:
    set_policy(project, "hitl: always")
    shell("intents", "select", "INT-001", "--session", "s1")
    said = shell("explain", LOGIN, "--tool", "Edit", "--session", "s1", "--json")
    assert said.status == 1
    assert outcomes(said)[16] == "fail"
    assert said.json["decision"]["error"]["code"] == "HITL_REJECTED"


def test_a_path_outside_is_a_calls_to_name_and_no_saves(shell: Shell, project: Repository) -> None:
    said = shell("explain", "../x", "--tool", "Edit", "--json")
    assert outcomes(said)[7] == "fail"
    assert "is not below" in shell("explain", "../x").problem
    assert project.root.is_dir()


@pytest.mark.parametrize(
    ("path", "decision"),
    [
        (INTENTS_FILE, "allowed: a save of this file is not checked, and recorded as EXEMPT"),
        (IGNORE_FILE, "allowed: a save of this file is not checked, and recorded as EXEMPT"),
        (LEDGER_FILE, "allowed: it would be shown as a problem, and recorded as FAIL"),
        ("build/made.o", "allowed: ignored by git or git's own, neither checked nor recorded"),
        (".git/config", "allowed: ignored by git or git's own, neither checked nor recorded"),
    ],
)
def test_files_that_nobody_judges_say_so(
    shell: Shell, project: Repository, path: str, decision: str
) -> None:
    said = shell("explain", path)
    assert (said.status, said.err) == (0, "")
    assert f"decision  {decision}\n" in said.out
    told = shell("explain", path, "--json").json["decision"]
    assert told["allowed"] is True
    assert told["scopeValidation"] == ("FAIL" if path == LEDGER_FILE else "EXEMPT")
    assert project.root.is_dir()


def test_a_judgement_without_a_decision_lets_pass(project: Repository) -> None:
    governance = Governance(project.root)
    _, judgement = governance.explain_save_under("INT-001", WorkspacePath(LOGIN))
    governance.close(None)
    told = [cell.text for _, cell in of_save(replace(judgement, decision=None))]
    assert told == ["allowed: no rule is checked"]


@pytest.mark.parametrize("words", [[LOGIN], [LOGIN, "--tool", "Edit"]])
def test_where_governance_is_off_everything_may_happen_and_that_is_said(
    shell: Shell, project: Repository, words: list[str]
) -> None:
    project.write(INTENTS_FILE, "active_intents: [\n")
    said = shell("explain", "--all", *words)
    assert said.status == 0
    assert f"intent-lsp: governance is off, so edits are not checked: {INTENTS_FILE}:" in said.err
    assert "Governance is off, so no edit of this workspace is judged." in said.out
    ledger = ledger_at(project.root)
    ledger.append(edit())
    ledger.close()
    (project.root / INTENTS_FILE).unlink()
    assert f"{INTENTS_FILE} is missing" in shell("explain", *words).err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "a save changes one file, but 0 are given; give one, or describe an agent's call"),
        (["a", "b"], "a save changes one file, but 2 are given"),
        (
            ["a", "--agent", "x"],
            "--agent is for an agent's tool call; describe the call with --tool, --command",
        ),
        (["src"], "src is a directory; give a file in it"),
        (["a", "--tool", ""], "argument --tool: must have 1 to"),
        (["a", "--session", "\udcff"], "argument --session: "),
        (["a", "-C", "nowhere"], "nowhere is not a directory"),
        (["--command", "x", "-C", "/"], "is not governed"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(
    shell: Shell, project: Repository, words: list[str], told: str
) -> None:
    assert told in shell("explain", *words).problem
    assert project.root.is_dir()


def test_where_nothing_governs_it_says_how_to_begin(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["a.py"], ["a.py", "--tool", "Edit"], ["--command", "rm x"]):
        assert "run `intent-lsp init`" in shell("explain", *words).problem
    assert list(tmp_path.iterdir()) == []


def test_a_patch_is_found_from_the_directory_given(
    shell: Shell, project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("p.diff", "*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch\n")
    monkeypatch.chdir(tmp_path)
    root = str(project.root)
    said = shell("explain", "--patch", "p.diff", "-C", root, "--json").json
    assert [each["path"] for each in said["decision"]["files"]] == ["src/a.py"]
    assert "give a file with the patch" in shell("explain", "--patch", "q.diff", "-C", root).problem


def test_the_root_is_the_one_that_governs_the_file(shell: Shell, project: Repository) -> None:
    project.write(f"part/{INTENTS_FILE}", "- {id: PART, owned_scope: ['*.py']}\n")
    assert shell("explain", "part/a.py", "--intent", "PART").status == 0
    # Several paths have one root, the first one's.
    both = shell("explain", "part/a.py", "README.md", "--tool", "rename_file", "--json")
    assert outcomes(both)[7] == "fail"
