"""A real Neovim with client-configs/neovim: what it shows, and what the ledger records."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.clock import new_id, now
from intent_lsp.store.ledger.ledger import Ledger
from tests.support import repository as repositories
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.neovim import ROOT, Neovim, neovim
from tests.support.repository import Repository

pytestmark = pytest.mark.editor

INVOICE = "src/billing/invoice.py"
OUT_OF_SCOPE = "{} is outside the scope of INT-001 (Login)."


@pytest.fixture
def nvim(tmp_path: Path) -> Neovim:
    return neovim(tmp_path / "state")


def records(repository: Repository) -> list[dict[str, Any]]:
    """Read the ledger, which verifies."""
    found = [json.loads(line) for line in (repository.root / LEDGER_FILE).read_text().splitlines()]
    verified = Ledger(repository.root, now, new_id).verify()
    assert verified.ok, verified.problems
    assert verified.records == len(found)
    return found


def violation(path: str, *span: int) -> dict[str, object]:
    """Give a problem as Neovim shows it: `span` is line and byte, from and to."""
    return {
        "code": "SCOPE_VIOLATION",
        "message": OUT_OF_SCOPE.format(Path(path).name),
        "severity": "ERROR",
        "span": list(span),
    }


def test_the_main_job_from_opening_to_a_verified_record(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)
    root = str(repository.root)

    saw = nvim.run_script("main_job", repository)

    assert saw["attached"] == {
        "clients": 1,
        "encoding": "utf-8",
        "filetype": "python",
        "root": root,
    }
    assert saw["selected"] == "intent-lsp: INT-001 Login (IN_PROGRESS)"
    assert saw["violation"] == [violation(INVOICE, 2, 0, 2, 10)]
    assert saw["underline"] == [[2, 0, 10, "DiagnosticUnderlineError"]]
    assert saw["actions"] == [
        "Select intent INT-002 (owns this file)",
        "Expand the scope of INT-001 with src/billing/invoice.py",
        "Expand the scope of INT-001 with src/billing/**",
        "Expand the scope of INT-001 with src/billing/invoice.py for one hour",
        "Create an intent for this file and select it",
        "Revert these lines",
        "Revert the file",
        "Show why",
    ]
    assert saw["reverted"] == LINES.splitlines()
    assert saw["why"].startswith("INT-001 owns: src/auth/**.")
    assert saw["where"] == [5, len("    owned_scope: ")]
    assert saw["completion"] == ["INT-001", "INT-002"]
    (offered,) = saw["offered"]
    assert offered["prompt"] == "Which intent are you working on?"
    assert offered["titles"] == [
        "* INT-001  Login  (IN_PROGRESS)  src/auth/**",
        "  INT-002  Billing  (IN_PROGRESS)  src/billing/**",
    ]
    assert saw["status"] == f"intent-lsp: INT-002 · saves: warn · records: 1 · {root}"
    assert saw["committed"] == {"line": "line one", "modified": False}
    (unselected,) = saw["no intent"]
    assert (unselected["code"], unselected["severity"]) == ("NO_ACTIVE_INTENT", "WARN")
    assert [asked["titles"] for asked in saw["asked"]] == [["INT-001: Login", "INT-002: Billing"]]

    first, second = records(repository)
    assert saw["traced"] == {
        "recordId": first["id"],
        "paths": [INVOICE],
        "intentId": "INT-002",
        "scopeValidation": "PASS",
    }
    assert first["tool_name"] == "editor/save"
    saved = LINES.replace("line 3\n", "line three\n").encode()
    assert first["files"][0]["pre_hash"] == hash_content(LINES.encode())
    assert first["files"][0]["post_hash"] == hash_content(saved)
    assert (second["intent_id"], second["scope_validation"]) == ("INT-001", "FAIL")


def test_block_keeps_the_disk_as_it_was_and_loses_nothing_typed(
    repository: Repository, nvim: Neovim
) -> None:
    repository.write("src/billing/other.py", LINES)
    govern(repository, "enforcement: block")

    saw = nvim.run_script("block", repository)

    assert saw["written"] == {"disk": LINES, "lines": LINES.splitlines(), "modified": False}
    # Asked once the save is over: inside it, a modal question would let the time for turning
    # back run out, and Neovim would write what was refused.
    assert saw["asked"]["while_writing"] is False
    assert saw["asked"]["prompt"].startswith(
        f"Save refused. {OUT_OF_SCOPE.format(Path(INVOICE).name)}"
    )
    assert saw["asked"]["titles"] == [
        "Restore and expand scope",
        "Select INT-002",
        "Keep draft",
    ]
    assert saw["denied"] == "SCOPE_VIOLATION"
    (draft,) = saw["drafts"]
    assert (draft["path"], draft["code"]) == (INVOICE, "SCOPE_VIOLATION")
    assert saw["restored"] == {"disk": LINES, "drafts": 0}

    assert saw["way out"]["disk"] == LINES
    assert saw["way out"]["asked"]["while_writing"] is False
    wanted = LINES.replace("line 3\n", "line three\n")
    assert saw["saved"]["disk"] == wanted
    assert saw["saved"]["drafts"] == 0

    # Judged under the new name, which INT-001 owns and INT-002 does not.
    assert saw["saved as"]["disk"] == ""
    titles = [
        "Restore and expand scope",
        "Select INT-001",
        "Delete the empty file",
        "Keep draft",
    ]
    assert saw["saved as"]["asked"]["titles"] == titles
    assert [draft["path"] for draft in saw["saved as"]["drafts"]] == ["src/auth/copy.py"]

    record = records(repository)[0]
    assert record["id"] == saw["saved"]["record"]["recordId"]
    assert (record["intent_id"], record["scope_validation"]) == ("INT-002", "PASS")
    assert record["files"][0]["post_hash"] == hash_content(wanted.encode())


def test_files_of_every_kind_are_governed_and_others_are_left_alone(
    repository: Repository, nvim: Neovim, tmp_path: Path
) -> None:
    repository.write("QUEUE", "theirs\n")
    repository.write("src/billing/preis.txt", "Preis: 5 €\nfür 🙂 alle\n")
    govern(repository)
    other = govern(repositories.create(tmp_path / "other"))
    plain = repositories.create(tmp_path / "plain").write("notes.txt", "mine\n").parent
    tiny = [sys.executable, "-m", "tests.support.tiny_server"]

    saw = nvim.run_script(
        "files",
        repository,
        other=str(other.root),
        plain=str(plain),
        tiny=tiny,
        tiny_home=str(ROOT),
    )

    assert saw["dormant"] == {"clients": 0, "statusline": ""}
    assert saw["without a file type"] == {"filetype": "", "first_client": True}
    assert saw["queue"] == [violation("QUEUE", 0, 0, 0, 4)]
    # The end is counted in bytes, as Neovim counts columns.
    end = len("für 🙂 viele".encode())
    assert saw["letters"]["problems"] == [violation("src/billing/preis.txt", 1, 0, 1, end)]
    assert saw["letters"]["underlined"] == [[1, 0, end, "DiagnosticUnderlineError"]]
    assert saw["letters reverted"] == ["Preis: 5 €", "für 🙂 alle"]

    edited = "line 🙂\nline ü\nline more\n" + LINES.split("line 2\n")[1]
    assert saw["beside"] == {"servers": 2, "ours": 1, "sees": edited}
    assert saw["beside, saved"]["disk"] == edited

    assert saw["gone"] == 0
    assert saw["roots"] == {
        "first": str(repository.root),
        "second": str(other.root),
        "reused": True,
    }
    assert "selected from nowhere" in saw

    told = [
        (
            record["files"][0]["relative_path"],
            record["mutation_class"],
            record["scope_validation"],
        )
        for record in records(repository)
    ]
    assert told[:3] == [
        ("app/[slug]/página nueva.tsx", "FILE_CREATION", "FAIL"),
        ("src/auth/login.py", "INTENT_EVOLUTION", "PASS"),
        ("src/auth/second.py", "FILE_CREATION", "PASS"),
    ]
    fresh = {(path, verdict) for path, _, verdict in told[3:]}
    assert fresh == {("src/auth/fresh.py", "PASS")}, [
        (
            record["scope_validation"],
            record["mutation_class"],
            record["intent_id"],
            record.get("concurrent_modification"),
            record["files"][0]["pre_hash"],
            record["files"][0]["post_hash"],
        )
        for record in records(repository)[3:]
    ]
    assert not (plain / ".orchestration").exists()


def test_a_server_comes_with_the_intents_and_goes_on_after_its_end(
    repository: Repository, nvim: Neovim, tmp_path: Path
) -> None:
    others = {name: repositories.create(tmp_path / name) for name in ("second", "third", "fourth")}
    for each in (repository, *others.values()):
        each.write("src/auth/login.py", LINES)
        each.write("README.md", LINES)
        each.commit()
    roots = {name: str(other.root) for name, other in others.items()}

    saw = nvim.run_script("life", repository, intents=INTENTS, **roots)

    assert saw["dormant"]["clients"] == 0
    assert (
        saw["created"]
        == "intent-lsp: set up; a quick fix on a marked line creates the first intent"
    )
    assert "nothing to select" in saw
    assert "Available: INT-001, INT-002" in saw["refused"]
    assert saw["disabled"] == ""
    for ended in ("restarted", "killed"):
        assert saw[ended]["told"].endswith("intent-lsp: INT-002 is still the selected intent")
    assert saw["restarted"]["again"] is True
    assert saw["killed"]["source"] == 1
    assert (saw["not yet"], saw["nor there"]) == (0, 0)
    health = "\n".join(saw["health"])
    assert "(intent governance language server)" in health
    for root in (str(repository.root), roots["second"], roots["third"]):
        assert f"{root}: " in health
    assert saw["no program"] == {"times": 1, "clients": 0}


WRITES = """
import pathlib
invoice = pathlib.Path("src/billing/invoice.py")
invoice.write_text(invoice.read_text().replace("line 3", "line three"))
"""


def test_where_lines_come_from_and_what_others_write(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("origins", repository, agent=[sys.executable, "-c", WRITES])

    record = records(repository)[0]
    assert record["id"] == saw["record"]["recordId"]
    title, *rest = [line for line in saw["hover"] if line]
    assert "INT-001" in title.replace("\\", "")
    assert record["id"][:8] in rest[-1]
    ((line, words),) = saw["lenses"]
    assert line == len(LINES.splitlines())
    assert words.startswith("Login, you, ")
    # Nobody has touched a key since the other process wrote.
    assert saw["written"] == 0
    assert saw["shown"] == [violation(INVOICE, 2, 0, 2, 10)]


def test_the_first_day_from_a_bare_folder_to_a_clean_tree(
    repository: Repository, nvim: Neovim
) -> None:
    for name in ("src/auth/login.py", INVOICE):
        repository.write(name, LINES)
    repository.commit()

    saw = nvim.run_script("first_day", repository, saves=20)

    assert saw["bare folder"] == {"clients": 0, "statusline": ""}
    assert saw["first intent"]["titles"][0] == "Create an intent for this file and select it"
    assert not any(title.startswith("Select") for title in saw["first intent"]["titles"])
    assert saw["first intent"]["buffer"].endswith("src/auth/login.py")
    first = saw["first save"]
    # A command, a code action asked for and chosen, a save.
    assert (first["acts"], first["problems"]) == (4, [])
    assert "params" not in first["messages"]
    (problem,) = saw["out of scope"]
    assert (
        problem["message"]
        == "invoice.py is outside the scope of INT-001 (Changes to src/auth/login.py)."
    )
    # Neovim gives no reason for a save: each is a record of its own.
    assert saw["saves"] == 2 + 20
    made = records(repository)
    assert {each["scope_validation"] for each in made} == {"PASS", "EXEMPT"}
    # The scope that was granted is a record, too.
    assert len(made) == 3 + 20
    assert any("login.py" in line for line in saw["records"])
    assert "you" in saw["blame"]
    assert saw["clean"] == ""


def test_the_intents_file_is_completed(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("completion", repository)

    made = saw["written"]
    assert made[:4] == [
        "  - id: INT-003",
        "    name: ",
        "    status: ",
        '    owned_scope: [""]',
    ]
    assert made[4].startswith('    created_at: "20')
    assert made[5:] == ['    constraints: [""]', '    related_files: ["é", "src/"']
    assert saw["documented"] == ["acceptance_criteria", "markdown"]


def test_lenses_of_the_intents_file_select_and_list(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("lenses", repository)

    each = ["Select", "Complete", "1 file", "no record"]
    assert saw["shown"] == [f"{line} {title}" for line in (1, 7) for title in each]
    assert saw["selected"][:2] == ["1 Selected", "1 Complete"]
    title, name, line = saw["files"]
    assert (title, line) == ("intent-lsp: 1 file", 1)
    assert name.endswith("src/auth/login.py")
    (row,) = saw["records"]
    assert "INT-001  PASS  editor/save  src/auth/login.py" in row


def test_an_intent_is_renamed(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("rename", repository)

    assert not saw["in a source file"]
    assert saw["renamed"][1:8] == [
        "  - id: AUTH   # the first",
        '    name: "Login"',
        "    status: IN_PROGRESS",
        '    owned_scope: ["src/auth/**"]',
        '    constraints: ["No external providers"]',
        '    acceptance_criteria: ["Tests pass"]',
        '    aliases: ["INT-001"]',
    ]
    assert "INT-002 is the id of another intent; choose another id." in saw["refused"]
    # Nobody has selected it again.
    assert saw["status"] == "AUTH"


def test_the_intents_file_has_tokens_and_is_formatted_once_that_is_on(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)

    saw = nvim.run_script("colours", repository)

    assert saw["tokens"] == {
        "id": ["event declaration"],
        "status": ["enumMember modification"],
        "name": ["string"],
        "wildcard": ["regexp"],
        "comment": [],
    }
    assert saw["formatted"] == [
        "active_intents:",
        "  - id: INT-001 # the first",
        '    name: "Lögin"',
        "",
        "    status: PLANNED",
        '    owned_scope: ["src/auth/**"]',
    ]
    assert saw["elsewhere"] is False


def test_the_intents_file_is_explained_and_put_right(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("written", repository)

    assert saw["glob"] == ["**`src/auth/**` matches 1 file**", "", "- `src/auth/login.py`"]
    assert saw["status"][0] == "**PLANNED**"
    assert saw["put right"] == [
        "  - id: INT-001   # the first",
        '    name: "Login"',
        "    status: PLANNED",
        '    owned_scope: [src/auth/*, "*.py"]',
    ]


def test_a_file_that_changed_on_disk_is_compared_and_taken(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)
    theirs = [*LINES.splitlines(), "theirs \u00fc"]
    saw = nvim.run_script("comparison", repository, theirs=theirs)
    assert [problem["code"] for problem in saw["stale"]] == ["STALE_FILE"]
    assert saw["actions"] == [
        "Compare with the version on disk",
        "Take the version on disk",
        "Show why",
    ]
    assert saw["compared"] == [
        ["theirs \u00fc", 11, False, "python"],
        ["mine \U0001f642", 11, True, "python"],
    ]
    assert saw["current"] == INVOICE
    assert saw["closed"] == []
    assert saw["taken"] == theirs
