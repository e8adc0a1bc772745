"""The first day in a real VS Code: from a bare folder to a commit that leaves a clean tree."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.clock import new_id, now
from intent_lsp.store.ledger.ledger import Ledger
from tests.support import repository as repositories
from tests.support import vscode_journeys
from tests.support.governed_repository import LINES

pytestmark = pytest.mark.editor

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
CREATE = "Create an intent for this file and select it"
CLICKS_AT_MOST = 5
TYPED = 55
"""Pauses in typing, each of which is saved by itself."""

Told = Callable[[str], Any]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with two files that nobody governs."""
    repository = repositories.create(tmp_path_factory.mktemp("first-day") / "webshop")
    for name in (LOGIN, INVOICE):
        repository.write(name, LINES)
    repository.commit()
    repository.git("config", "user.name", "Ada")
    repository.git("config", "user.email", "ada@example.org")
    return repository.root


@pytest.fixture(scope="module")
def saw(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Go all journeys of the day; give what each saw."""
    room = tmp_path_factory.mktemp("room")
    told = vscode_journeys.journeys(root, room, script="first_day.mjs", typed=TYPED)
    return lambda journey: vscode_journeys.saw(told, journey)


def test_in_a_bare_folder_nothing_is_shown_and_no_server_runs(saw: Told) -> None:
    """It takes long because it waits for all the journeys of the day."""
    told = saw("bare folder")
    assert [each for each in told["statuses"] if "ntent" in each] == []
    assert (told["toasts"], told["started"]) == ([], False)


def test_a_folder_is_set_up_beside_the_file_that_is_open(saw: Told) -> None:
    told = saw("set up")
    assert "the quick fix on a marked line creates an intent" in told["said"]
    assert told["tab"].startswith("login.py")


def test_the_first_quick_fix_creates_the_intent_and_stays_in_the_file(saw: Told) -> None:
    told = saw("first intent")
    assert told["titles"][0] == CREATE
    assert not any(title.startswith("Select") for title in told["titles"])
    assert told["status"] == "INT-001 Login by token"
    assert told["tab"].startswith("login.py")
    assert "Login by token" in told["intents"]


def test_the_first_clean_save_is_five_clicks_away_from_a_bare_folder(saw: Told) -> None:
    told = saw("first save")
    assert told["clicks"] <= CLICKS_AT_MOST
    assert told["problems"] == "No Problems"
    assert all("this folder is set up" in each for each in told["toasts"])


def test_an_edit_out_of_scope_is_shown_explained_and_let_in_by_a_quick_fix(saw: Told) -> None:
    told = saw("out of scope")
    assert "invoice.py is outside the scope of INT-001 (Login by token)." in "".join(
        told["problems"]
    )
    assert told["why"].startswith("May invoice.py be edited?")


def test_a_run_of_automatic_saves_is_one_record_when_it_rests(saw: Told, root: Path) -> None:
    told = saw("auto save")
    # Where the machine stops for three seconds, a run has rested.
    assert told["after"] >= 1
    assert told["during"] <= told["after"] < TYPED / 4
    assert not any("params" in each for each in told["toasts"])
    records = [json.loads(line) for line in (root / LEDGER_FILE).read_text().splitlines()]
    # What governs, VS Code's own settings with it, is exempt for people.
    assert {each["scope_validation"] for each in records} == {"PASS", "EXEMPT"}
    assert Ledger(root, now, new_id).verify().ok


def test_a_record_begins_with_its_time_and_names_intent_and_person(saw: Told) -> None:
    told = saw("record and blame")
    newest = told["rows"][0]
    assert newest[0].isdigit()
    assert "login.py" in newest
    assert "Login by token · in scope · you" in newest
    assert "verified · " in told["badge"]
    assert "Login by token, you, " in told["blame"]


def test_a_commit_leaves_a_clean_tree_and_names_its_author(saw: Told) -> None:
    told = saw("commit")
    assert (told["clean"], told["after"]) == ("", "")
    assert "Login by token, Ada, " in told["author"]


def test_what_auto_save_means_where_saves_are_refused_is_said_with_a_way_out(saw: Told) -> None:
    told = saw("block and auto save")
    assert "but only manual saves can be refused" in told["said"]
    assert json.loads(told["settings"]) == {"files.autoSave": "off"}
