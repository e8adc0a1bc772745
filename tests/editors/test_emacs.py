"""A real Emacs with client-configs/emacs: what it shows, and what the ledger records."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.clock import new_id, now
from intent_lsp.store.ledger.ledger import Ledger
from tests.support.emacs import ROOT, Emacs, emacs
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository

pytestmark = pytest.mark.editor

INVOICE = "src/billing/invoice.py"
PRICE = "src/billing/preis.txt"
OUT_OF_SCOPE = "{} is outside the scope of INT-001 (Login)."


@pytest.fixture
def eglot(tmp_path: Path) -> Emacs:
    # The files that the stories open have modes of their own.
    return emacs(tmp_path / "home", "eglot", "markdown-mode")


def records(repository: Repository) -> list[dict[str, Any]]:
    """Read the ledger, which verifies."""
    found = [json.loads(line) for line in (repository.root / LEDGER_FILE).read_text().splitlines()]
    verified = Ledger(repository.root, now, new_id).verify()
    assert verified.ok, verified.problems
    return found


def violation(path: str, marked: str) -> dict[str, str]:
    """Give a problem as Flymake shows it."""
    said = f"intent-lsp [SCOPE_VIOLATION]: {OUT_OF_SCOPE.format(Path(path).name)}"
    return {"marked": marked, "message": said, "type": "eglot-error"}


def test_the_main_job_from_opening_to_a_verified_record(
    repository: Repository, eglot: Emacs
) -> None:
    govern(repository)

    saw = eglot.run_script("main_job", repository)

    assert saw["attached"] == {"mode": "python-mode", "eglot": True}
    assert saw["violation"] == [violation(INVOICE, "line three")]
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
    assert saw["reverted"] == LINES
    wanted = LINES.replace("line 3\n", "line three\n")
    assert saw["saved"]["disk"] == wanted
    assert [asked["titles"] for asked in saw["chosen"]] == [["INT-001: Login", "INT-002: Billing"]]
    # One server, and so one active intent, for files of every mode.
    assert saw["beside"] == {"same": True, "mode": "markdown-mode"}
    assert saw["unowned"]["shown"] == [violation("README.md", "More.")]
    root = repository.root
    assert saw["status"] == f"intent-lsp: INT-001 · saves: warn · records: 2 · {root}"

    first, second = records(repository)
    assert (first["id"], second["id"]) == (saw["saved"]["record"], saw["unowned"]["record"])
    assert first["files"][0]["post_hash"] == hash_content(wanted.encode())
    told = [(each["intent_id"], each["scope_validation"]) for each in (first, second)]
    assert told == [("INT-002", "PASS"), ("INT-001", "FAIL")]


def test_block_keeps_the_disk_as_it_was_and_loses_nothing_typed(
    repository: Repository, eglot: Emacs
) -> None:
    govern(repository, "enforcement: block")

    saw = eglot.run_script("block", repository)

    assert saw["refused"] == {"disk": LINES, "text": LINES, "modified": False}
    (asked,) = saw["asked"]
    assert f"Save refused. {OUT_OF_SCOPE.format(Path(INVOICE).name)}" in asked["prompt"]
    assert asked["titles"] == ["Restore and expand scope", "Select INT-002", "Keep draft"]
    assert asked["saving"] is False
    assert saw["restored"]["disk"] == LINES
    wanted = LINES.replace("line 3\n", "line three\n")
    assert saw["saved"]["disk"] == wanted
    *_, grant, save = records(repository)
    assert grant["grant"]["patterns"] == [INVOICE]
    assert (save["id"], save["scope_validation"]) == (saw["saved"]["record"], "PASS")
    assert save["files"][0]["post_hash"] == hash_content(wanted.encode())


def test_letters_of_every_width_are_where_emacs_has_them(
    repository: Repository, eglot: Emacs
) -> None:
    before = "Preis: 5 €\nfür 🙂 alle\n"
    repository.write(PRICE, before)
    govern(repository)

    saw = eglot.run_script("letters", repository)

    assert saw["marked"] == [violation(PRICE, "für 🙂 viele")]
    assert saw["reverted"] == before
    assert saw["typed"] == [violation(PRICE, "Preis: 5 🙂€ und 🙂")]
    assert saw["within a letter"] == "Preis: 5 🙂€ und "
    after = before.replace("5 €", "5 🙂€ und 🙂")
    assert saw["saved"]["disk"] == after
    (record,) = records(repository)
    assert record["files"][0]["post_hash"] == hash_content(after.encode())


def test_lsp_mode_has_the_server_beside_the_languages_own(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    lsp_mode = emacs(tmp_path / "home", "lsp-mode")
    tiny = [sys.executable, "-m", "tests.support.tiny_server"]

    saw = lsp_mode.run_script("beside", repository, tiny=["env", f"PYTHONPATH={ROOT}", *tiny])

    assert saw["servers"] == ["intent-lsp", "tiny"]
    said = {"code": "SCOPE_VIOLATION", "message": OUT_OF_SCOPE.format(Path(INVOICE).name)}
    assert saw["violation"] == [said]
    wanted = LINES.replace("line 3\n", "line three\n")
    assert saw["saved"]["disk"] == wanted
    (record,) = records(repository)
    assert (record["id"], record["intent_id"]) == (saw["saved"]["record"], "INT-002")
    assert record["scope_validation"] == "PASS"
    assert record["files"][0]["post_hash"] == hash_content(wanted.encode())
