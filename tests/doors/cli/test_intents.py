"""`intent-lsp intents list`, `show`, `owners` and `coverage`."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.core.approvals import Grant
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, LEDGER_FILE
from intent_lsp.core.records import GRANT_TOOL, Event, MutationClass, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.doors.cli.intents.show import NEWEST
from tests.doors.cli.conftest import Shell
from tests.support.governed_repository import INTENTS
from tests.support.ledgers import edit, ledger_at
from tests.support.repository import Repository

PAST = """\
active_intents:
  - id: INT-001
    name: "Sign\\eal\\u202e"
    status: blocked
    aliases: [OLD-1]
    owned_scope: ["src/auth/**"]
    constraints: ["No external providers", "Fast"]
    acceptance_criteria: ["Tests pass"]
    related_files: ["src/auth/login.py", "src/auth/gone.py", "README.md", "/etc/passwd"]
    recent_history: ["POST_HOOK Edit OK"]
    specification_id: REQ-7
    created_at: "2026-01-01"
    updated_at: "2026-02-01"
  - id: INT-002
"""


def granted(pattern: str, *, hours: int, reason: str | None) -> Event:
    expires = timestamp(datetime.now(UTC) + timedelta(hours=hours))
    grant = Grant(patterns=(pattern,), reason=reason, granted_by="s9", expires_at=expires)
    return edit(
        intent_id="INT-001",
        tool_name=GRANT_TOOL,
        mutation_class=MutationClass.CONFIGURATION,
        scope_validation=ScopeValidation.EXEMPT,
        inferred=False,
        files=(),
        grant=grant,
    )


def test_intents_are_listed_in_the_order_of_their_file(shell: Shell, project: Repository) -> None:
    said = shell("intents", "list")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "Id       Status       Records  Marks  Name     Owns",
        "INT-001  PLANNED      0               Login    src/auth/**",
        "INT-002  IN_PROGRESS  0               Billing  src/billing/**",
    ]
    assert not (project.root / LEDGER_FILE).exists()


def test_records_are_counted_under_earlier_ids_too(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, PAST)
    ledger = ledger_at(project.root)
    for intent_id in ("INT-001", "OLD-1", "GONE", None, *["INT-002"] * 600):
        ledger.append(edit(intent_id=intent_id))
    ledger.close()
    told = shell("intents", "list", "--json").json
    assert [intent["records"] for intent in told["intents"]] == [2, 600]


def test_what_is_selected_and_what_is_ignored_is_marked(shell: Shell, project: Repository) -> None:
    shell("intents", "select", "INT-001", "--session", "s1")
    project.write(IGNORE_FILE, "INT-002\n")
    said = shell("intents", "list", "--session", "s1")
    marks = [line.split()[3] for line in said.out.splitlines()]
    assert marks == ["Marks", "active", "INTENT_IGNORED"]
    told = shell("intents", "list", "--session", "s1", "--agent", "a", "--json").json
    assert (told["enabled"], told["activeIntentId"]) == (True, "INT-001")
    assert [intent["flags"] for intent in told["intents"]] == [[], ["INTENT_IGNORED"]]


def test_the_environment_names_a_session(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTENT_LSP_SESSION", "s1")
    assert "no session s1 is known here" in shell("intents", "list").err
    shell("intents", "select", "INT-002")
    assert shell("intents", "list", "--json").json["activeIntentId"] == "INT-002"
    # The option is nearer to whoever types.
    told = shell("intents", "list", "--json", "--session", "s2")
    assert told.json["activeIntentId"] is None
    assert "session s2" in told.err
    monkeypatch.setenv("INTENT_LSP_SESSION", "")
    assert shell("intents", "list").err == ""
    monkeypatch.setenv("INTENT_LSP_SESSION", os.fsdecode(b"\xff"))
    assert "INTENT_LSP_SESSION: " in shell("intents", "list").problem
    assert project.root.is_dir()


@pytest.mark.parametrize(
    ("statuses", "found"),
    [
        (["PLANNED"], ["INT-001"]),
        (["active"], ["INT-002"]),
        (["planned", "in_progress"], ["INT-001", "INT-002"]),
        (["DONE"], []),
    ],
)
def test_a_status_narrows_however_it_is_spelled(
    shell: Shell, project: Repository, statuses: list[str], found: list[str]
) -> None:
    words = [word for status in statuses for word in ("--status", status)]
    told = shell("intents", "list", "--json", *words).json
    assert [intent["id"] for intent in told["intents"]] == found
    assert project.root.is_dir()


def test_an_empty_list_says_how_to_fill_it(shell: Shell, project: Repository) -> None:
    said = shell("intents", "list", "--status", "BLOCKED")
    assert (said.status, said.out) == (0, "")
    assert "no intent has that status" in said.err
    project.write(INTENTS_FILE, "active_intents: []\n")
    assert "`intent-lsp intents add` adds one" in shell("intents", "list").err


def test_an_intent_is_shown_in_words(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, PAST)
    project.write(IGNORE_FILE, "INT-00*\n")
    ledger = ledger_at(project.root)
    for number in range(NEWEST + 3):
        ledger.append(edit(f"src/auth/{number}.py", intent_id="OLD-1"))
    ledger.append(granted("docs/**", hours=1, reason="the guide"))
    ledger.append(granted("lib/**", hours=2, reason=None))
    ledger.append(granted("expired/**", hours=-1, reason="over"))
    ledger.close()
    said = shell("intents", "show", "OLD-1")
    assert (said.status, said.err) == (0, "")
    for told in (
        "intent         INT-001\n",
        "name           Sign\\x1bal\\u202e\n",
        "status         BLOCKED\n",
        "INTENT_IGNORED: a line of .intentignore",
        "earlier ids    OLD-1\n",
        "specification  REQ-7\n",
        "created        2026-01-01\n",
        "updated        2026-02-01\n",
        "owns           src/auth/**\n",
        "granted        docs/** until 20",
        "by s9: the guide\n",
        "by s9: no reason was given\n",
        "constraints    No external providers\n               Fast\n",
        "criteria       Tests pass\n",
        "related        src/auth/login.py (sha256:",
        "src/auth/gone.py (no such file)\n",
        "README.md (not in its scope)\n",
        "/etc/passwd (not in its scope)\n",
        "history        POST_HOOK Edit OK\n",
        "src/auth/12.py",
    ):
        assert told in said.out, told
    assert "expired/**" not in said.out
    assert said.out.count("editor/save") == NEWEST - 3


def test_an_intent_of_which_little_is_said_is_shown_too(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, PAST)
    assert shell("intents", "show", "INT-002").out.splitlines() == [
        "intent   INT-002",
        "name     none",
        "status   PLANNED",
        "owns     no file",
        "records  none",
    ]


def test_an_intent_is_shown_as_json(shell: Shell, project: Repository) -> None:
    project.write(INTENTS_FILE, PAST)
    ledger = ledger_at(project.root)
    record = ledger.append(granted("docs/**", hours=1, reason="the guide"))
    ledger.close()
    told = shell("intents", "show", "INT-001", "--json").json
    assert told["intent"]["acceptanceCriteria"] == ["Tests pass"]
    assert told["aliases"] == ["OLD-1"]
    (grant,) = told["grants"]
    assert (grant["patterns"], grant["reason"]) == (["docs/**"], "the guide")
    assert grant["grantedBy"] == "s9"
    assert [each["id"] for each in told["records"]] == [record.id]
    related = [(file["path"], file["inScope"]) for file in told["relatedFiles"]]
    assert related[0] == ("src/auth/login.py", True)
    assert [scope for _, scope in related] == [True, True, False, False]


def test_an_id_that_is_not_there_names_those_that_are(shell: Shell, project: Repository) -> None:
    problem = shell("intents", "show", "INT-009").problem
    assert "INT-009 is not in" in problem
    assert "Available: INT-001, INT-002; `intent-lsp intents list` shows all intents" in problem
    assert project.root.is_dir()


def test_owners_are_told_whatever_their_status(shell: Shell, project: Repository) -> None:
    project.write(
        INTENTS_FILE,
        INTENTS + "  - {id: OLD, status: DONE, owned_scope: ['**/login.py']}\n",
    )
    project.write(IGNORE_FILE, "OLD\n")
    said = shell("intents", "owners", "src/auth/login.py", "no/such.txt")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "Path               Intent              Status     By the glob",
        "src/auth/login.py  INT-001             PLANNED    src/auth/**",
        "src/auth/login.py  OLD INTENT_IGNORED  COMPLETED  **/login.py",
        "no/such.txt        -                   -          no intent owns it",
    ]
    lines = shell("intents", "owners", "--json", "src/auth/login.py", "README.md").out.splitlines()
    first, second = map(json.loads, lines)
    assert first == {
        "path": "src/auth/login.py",
        "uri": (project.root / "src/auth/login.py").as_uri(),
        "owners": [
            {"intentId": "INT-001", "pattern": "src/auth/**", "status": "PLANNED"},
            {"intentId": "OLD", "pattern": "**/login.py", "status": "COMPLETED"},
        ],
    }
    assert second["owners"] == []


def test_paths_are_seen_from_where_one_stands(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.root / "src" / "auth")
    for words in (["login.py"], ["-C", "..", "auth/login.py"], [str(Path("login.py").absolute())]):
        assert "src/auth/login.py  INT-001" in shell("intents", "owners", *words).out


def test_each_path_is_asked_of_the_root_that_governs_it(shell: Shell, project: Repository) -> None:
    project.write(f"part/{INTENTS_FILE}", "- {id: PART, owned_scope: ['*.py']}\n")
    said = shell("intents", "owners", "part/a.py", "src/auth/login.py")
    assert [line.split()[:2] for line in said.out.splitlines()[1:]] == [
        ["a.py", "PART"],
        ["src/auth/login.py", "INT-001"],
    ]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("src", "src is a directory; give a file in it"),
        ("../elsewhere.py", "is not below"),
        ("x\0y", "is not below"),
        (".", "is not below"),
    ],
)
def test_a_path_that_nobody_can_own_is_refused(
    shell: Shell, project: Repository, path: str, told: str
) -> None:
    # Nothing is answered when a part of the question cannot be.
    assert told in shell("intents", "owners", "README.md", path).problem
    assert project.root.is_dir()


def test_coverage_counts_each_file_once(shell: Shell, project: Repository) -> None:
    project.write(
        INTENTS_FILE,
        INTENTS
        + "  - {id: INT-003, owned_scope: ['src/auth/*', 'src/**']}\n"
        + "  - {id: INT-004, status: ARCHIVED, owned_scope: ['**']}\n"
        + "  - {id: INT-005, owned_scope: ['**']}\n",
    )
    project.write(IGNORE_FILE, "INT-005\n")
    project.write("src/new.py", "untracked")
    project.write("build/made.o", "ignored by git")
    counts = [
        "files                          5",
        "owned by one open intent       1",
        "owned by several open intents  2",
        "owned by no open intent        2",
    ]
    said = shell("intents", "coverage")
    assert (said.status, said.err, said.out.splitlines()) == (0, "", counts)
    assert shell("intents", "coverage", "--list").out.splitlines() == [
        *counts,
        "",
        "File                    Owners",
        ".gitignore              none",
        "README.md               none",
        "src/auth/login.py       INT-001, INT-003",
        "src/billing/invoice.py  INT-002, INT-003",
    ]
    assert shell("intents", "coverage", "--json").json == {
        "files": 5,
        "ownedByOne": 1,
        "ownedBySeveral": [
            {"path": "src/auth/login.py", "intentIds": ["INT-001", "INT-003"]},
            {"path": "src/billing/invoice.py", "intentIds": ["INT-002", "INT-003"]},
        ],
        "ownedByNone": [".gitignore", "README.md"],
    }


def test_coverage_without_anything_to_name_is_the_counts_alone(
    shell: Shell, project: Repository
) -> None:
    project.write(INTENTS_FILE, "- {id: A, owned_scope: ['**']}\n")
    assert len(shell("intents", "coverage", "--list").out.splitlines()) == 4


def test_coverage_needs_git_to_say_which_files_count(shell: Shell, root: Path) -> None:
    assert "no git repository" in shell("intents", "coverage").problem
    assert root.is_dir()


COMMANDS = [
    ("list",),
    ("show", "INT-001"),
    ("owners", "README.md"),
    ("coverage",),
    ("add", "x", "--scope", "x"),
    ("select", "INT-001", "--session", "s"),
    ("complete", "INT-001", "--session", "s"),
    ("import", "README.md"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_where_nothing_governs_each_command_says_how_to_begin(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (tmp_path / "README.md").touch()
    monkeypatch.chdir(tmp_path)
    assert "run `intent-lsp init`" in shell("intents", *words).problem
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_where_the_file_is_broken_or_gone_each_command_says_so(
    shell: Shell, project: Repository, words: tuple[str, ...]
) -> None:
    project.write("README.md", "[]")
    project.write(INTENTS_FILE, "active_intents: [\n")
    problem = shell("intents", *words).problem
    assert f"governance is off: {INTENTS_FILE}:" in problem
    assert "fix the intents file" in problem
    ledger = ledger_at(project.root)
    ledger.append(edit())
    ledger.close()
    (project.root / INTENTS_FILE).unlink()
    problem = shell("intents", *words).problem
    assert f"{INTENTS_FILE} is missing" in problem
    assert "restore the intents file, or run `intent-lsp init`" in problem
