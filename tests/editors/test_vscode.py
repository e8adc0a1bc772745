"""Journeys through a real VS Code with our extension, and what the ledger says of them.

Invariant: all are gone in one window, once for all tests, whichever process runs them.
"""

import fcntl
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.clock import new_id, now
from intent_lsp.store.ledger.ledger import Ledger
from tests.support import repository as repositories
from tests.support import vscode_journeys
from tests.support.code_server import NEWEST, USUAL, Edition
from tests.support.governed_repository import LINES, govern

pytestmark = pytest.mark.editor

INVOICE = "src/billing/invoice.py"
LOGIN = "src/auth/login.py"
OUT_OF_SCOPE = "invoice.py is outside the scope of INT-001 (Login)."
WRITES = f"""
import pathlib
invoice = pathlib.Path("{INVOICE}")
invoice.write_text(invoice.read_text().replace("line 7", "line seven"))
"""
SAVES = 20

Told = Callable[[str], Any]
RecordsOf = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(
    scope="module",
    params=[USUAL, pytest.param(NEWEST, marks=pytest.mark.slow)],
    ids=lambda edition: edition.version,
)
def edition(request: pytest.FixtureRequest) -> Edition:
    """Give the VS Code that is gone through."""
    given: Edition = request.param
    return given


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory, edition: Edition, repetition: int) -> Path:
    """Give the directory of one run of all journeys, the same in every process."""
    base = tmp_path_factory.getbasetemp()
    # pytest-xdist gives each of its processes a directory below the one of all.
    shared = base.parent if base.name.startswith("popen-") else base
    return shared / f"vscode-{edition.version}-{repetition}"


@pytest.fixture(scope="module")
def saw(directory: Path, edition: Edition) -> Told:
    """Go all journeys, or wait until another process has; give what each saw."""
    told = directory / "told.json"
    directory.mkdir(exist_ok=True)
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            repository = govern(repositories.create(directory / "repository"))
            agent = [sys.executable, "-c", WRITES]
            seen = vscode_journeys.journeys(
                repository.root, directory, edition=edition, agent=agent
            )
            told.write_text(json.dumps(seen))
    return lambda journey: vscode_journeys.saw(json.loads(told.read_text()), journey)


@pytest.fixture(scope="module")
def records_of(saw: Told, directory: Path) -> RecordsOf:
    """Read the ledger as all journeys have left it; it verifies. Give a file's records."""
    saw("restart")
    root = directory / "repository"
    verified = Ledger(root, now, new_id).verify()
    assert verified.ok, verified.problems
    found = [json.loads(line) for line in (root / LEDGER_FILE).read_text().splitlines()]
    return lambda path: [each for each in found if each["files"][0]["relative_path"] == path]


def test_the_status_bar_says_that_no_intent_is_selected_yet(saw: Told) -> None:
    """It takes long because it waits for the one window that all tests here look at.

    The first time on a machine, VS Code is installed before that.
    """
    assert saw("attach") == {"status": "No intent"}


def test_an_intent_is_selected_by_a_click_on_the_status_bar(saw: Told) -> None:
    told = saw("select")

    first, second, *_ = told["offered"]
    assert "INT-001 Login, PLANNED, src/auth/**" in first
    assert "INT-002 Billing, IN_PROGRESS, src/billing/**" in second
    assert told["status"] == "INT-001 Login"


def test_an_edit_in_scope_is_saved_without_a_word(saw: Told) -> None:
    assert saw("in scope") == {
        "disk": LINES.replace("line 3\n", "line three\n"),
        "problems": "No Problems",
        "toasts": [],
    }


def test_an_edit_out_of_scope_is_a_problem_that_points_at_the_scope(saw: Told) -> None:
    told = saw("out of scope")

    file, problem, scope = told["problems"]
    assert file.startswith("invoice.py")
    assert problem.splitlines() == [
        OUT_OF_SCOPE,
        "intent-lsp",
        "SCOPE_VIOLATION",
        "[Ln 3, Col 1]",
    ]
    assert scope.splitlines() == [
        "active_intents.yaml",
        "[Ln 5, Col 18]",
        ":",
        "The files that INT-001 owns are listed here",
    ]
    assert told["disk"] == LINES


def test_the_quick_fix_selects_the_owner(saw: Told) -> None:
    told = saw("quick fix")

    assert told["titles"][0] == "Select intent INT-002 (owns this file)"
    assert {"Revert these lines", "Revert the file", "Show why"} <= set(told["titles"])
    assert told["status"] == "INT-002 Billing"


def test_a_click_on_a_record_shows_the_change_that_it_is(saw: Told) -> None:
    told = saw("change")

    assert told["tab"].startswith("invoice.py (Billing · you · ")
    assert " · in scope)" in told["tab"]
    assert told["added"].replace("\xa0", " ") == "line three"


def test_a_save_appears_in_the_ledger_view_which_verifies(saw: Told, records_of: RecordsOf) -> None:
    told = saw("save")

    newest, oldest = told["rows"]
    assert (INVOICE in newest, LOGIN in oldest) == (True, True)
    assert told["badge"].endswith("verified · 2 records")
    assert told["toasts"] == []
    record = records_of(INVOICE)[0]
    assert (record["intent_id"], record["scope_validation"]) == ("INT-002", "PASS")
    assert record["files"][0]["post_hash"] == hash_content(told["disk"].encode())


def test_what_an_agent_writes_behind_the_editor_is_shown_without_a_keystroke(
    saw: Told, records_of: RecordsOf
) -> None:
    told = saw("agent")

    _, problem, _ = told["problems"]
    assert problem.startswith(OUT_OF_SCOPE)
    assert problem.endswith("[Ln 7, Col 1]")
    assert told["unsaved"] == 0
    written = records_of(INVOICE)[1]
    assert (written["intent_id"], written["scope_validation"]) == ("INT-001", "FAIL")


def test_twenty_saves_in_a_row_are_twenty_records_and_no_toast(
    saw: Told, records_of: RecordsOf
) -> None:
    told = saw("twenty saves")

    assert told["toasts"] == []
    _, *made = records_of(LOGIN)
    assert len(made) == SAVES
    verdicts = {(each["scope_validation"], each["tool_name"]) for each in made}
    assert verdicts == {("PASS", "editor/save")}
    assert made[-1]["files"][0]["post_hash"] == hash_content(told["disk"].encode())


def test_block_refuses_a_save_and_gives_the_text_back(saw: Told, records_of: RecordsOf) -> None:
    told = saw("block")

    refused = told["refused"]
    assert f"Save refused. {OUT_OF_SCOPE}" in refused["asked"]
    assert "Select INT-002" in refused["asked"]
    assert refused["unchanged"] is True
    assert told["restored"]["unchanged"] is True
    assert "line five\n" in told["disk"]
    _, _, record = records_of(INVOICE)
    assert (record["intent_id"], record["scope_validation"]) == ("INT-002", "PASS")
    assert record["files"][0]["post_hash"] == hash_content(told["disk"].encode())


def test_commands_are_those_of_the_palette_and_of_the_server(saw: Told) -> None:
    told = saw("commands")

    assert {"INT-001: Login", "INT-002: Billing"} <= set(told["asked"].splitlines())
    assert told["page"].startswith("May invoice.py be edited?")


def test_a_server_that_is_started_anew_goes_on_with_the_intent(saw: Told) -> None:
    _, problem, _ = saw("restart")["problems"]

    assert problem.startswith(OUT_OF_SCOPE)
