"""Writing the intents file in a real VS Code, with yaml-language-server beside our server."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support import repository as repositories
from tests.support import vscode_journeys
from tests.support.vscode_authoring import authoring, begin

pytestmark = pytest.mark.editor

RENAMED = """\
  - id: PAY-7
    name:   Billing
    status: IN_PROGRESS
    owned_scope:
      - "src/billing/**"
    aliases:
      - "INT-002"
"""

Told = Callable[[str], Any]


@pytest.fixture(scope="module")
def saw(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Go all journeys; give what each saw."""
    room = tmp_path_factory.mktemp("authoring")
    told = authoring(begin(repositories.create(room / "webshop")).root, room)
    return lambda journey: vscode_journeys.saw(told, journey)


def once_each(labels: list[str]) -> bool:
    return len(labels) == len(set(labels))


def test_an_intent_is_selected_by_a_click_on_its_lens(saw: Told) -> None:
    """It takes long because it waits for all the journeys."""
    told = saw("lens")
    first, second = (lens.split() for lens in told["lenses"] if "Select" in lens)
    assert first[0] == second[0] == "Select"
    assert told["status"] == "INT-001 Login"
    (own,) = (lens for lens in told["after"] if "Selected" in lens)
    assert " ".join(own.split()) == "Selected | Complete | 2 files | no record"


def test_a_path_is_completed_segment_by_segment(saw: Told) -> None:
    told = saw("path")
    assert told == {
        "proposed": ["**", "auth/", "billing/"],
        "shown": ['      - "src/billing/*"'],
    }


def test_no_key_and_no_status_is_proposed_twice(saw: Told) -> None:
    """Both servers are asked; where a modeline names the schema, the other one answers."""
    told = saw("keys")
    assert {"aliases", "constraints", "specification_id"} <= set(told["keys"])
    assert once_each(told["keys"])
    assert {"BLOCKED", "IN_PROGRESS", "PLANNED"} <= set(told["words"])
    assert once_each(told["words"])


def test_a_glob_is_explained_by_us_and_a_status_by_the_schema(saw: Told) -> None:
    told = saw("hover")
    assert "src/auth/** matches 2 files\n\nsrc/auth/login.py\nsrc/auth/token.py" in told["glob"]
    assert told["status"].count("Being worked on.") == 1


def test_the_files_of_an_intent_are_shown_by_a_click_on_their_count(saw: Told) -> None:
    # Below a file that is unfolded stands its first line.
    assert [row.split("\n")[0] for row in saw("files")["rows"] if ".py" in row] == [
        "login.pysrc/auth",
        "token.pysrc/auth",
        "invoice.pysrc/billing",
    ]


def test_a_glob_is_put_right_by_its_quick_fix(saw: Told) -> None:
    told = saw("fix")
    assert told["titles"][0] == "Change to `src/billing/**`"
    assert told["text"] == '      - "src/billing/**"'


def test_an_intent_is_renamed(saw: Told) -> None:
    assert RENAMED in saw("rename")["text"]


def test_formatting_asks_nobody_which_server_is_to_do_it(saw: Told) -> None:
    told = saw("format")
    assert told["toasts"] == []
    assert "    name: Billing\n" in told["text"]
