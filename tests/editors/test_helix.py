"""A real Helix with client-configs/helix: what it shows, and what the ledger records."""

import json
from pathlib import Path

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.clock import new_id, now
from intent_lsp.store.ledger.ledger import Ledger
from tests.support.governed_repository import govern
from tests.support.helix import helix
from tests.support.repository import Repository

pytestmark = [pytest.mark.editor, pytest.mark.slow]

PRICE = "src/billing/preis.sql"
BEFORE = "-- Preis: 5 €\n-- für 🙂 alle\n"
OUT_OF_SCOPE = "is outside the scope of INT-001 (Login)."


def test_the_main_job_in_an_editor_that_is_never_asked_before_a_save(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write(PRICE, BEFORE)
    govern(repository, "enforcement: block")
    with helix(repository, tmp_path / "helix", PRICE) as editor:
        editor.sees("-- Preis")
        # Before the last two letters of a line whose letters take one, two and four units.
        editor.type("gjglhi")
        editor.type("🙂 ü ")
        editor.press("Escape")
        editor.sees("cite a valid active Intent ID")

        # No question can be put: the command says so, and the actions are what chooses.
        editor.type(":lsp-workspace-command intent.select")
        editor.press("Enter")
        editor.sees("this editor cannot show a list")
        editor.press("Space", "a")
        shown = editor.sees("Select intent INT-001: Login")
        assert "Select intent INT-002 (owns this file)" in shown
        editor.press("C-n", "Enter")
        editor.sees(OUT_OF_SCOPE)
        wanted = "-- für 🙂 al🙂 ü le"
        assert wanted in editor.screen()

        # Never asked before a save, so it cannot be turned back: it is said and recorded.
        editor.type(":write")
        editor.press("Enter")
        editor.sees(OUT_OF_SCOPE)
        editor.press("Space", "a")
        editor.sees("Revert the file")
        editor.press("Escape")
        # A key that comes with the one before is read as the two held together: Alt and a colon.
        editor.until(lambda screen: "Revert the file" not in screen, "a menu that is closed")
        editor.type(":quit")
        editor.press("Enter")
        editor.ends()
    (line,) = (repository.root / LEDGER_FILE).read_text().splitlines()
    record = json.loads(line)
    assert Ledger(repository.root, now, new_id).verify().ok
    assert (record["intent_id"], record["scope_validation"]) == ("INT-001", "FAIL")
    saved = BEFORE.replace("-- für 🙂 alle", wanted)
    assert record["files"][0]["post_hash"] == hash_content(saved.encode())
    (conversation,) = record["files"][0]["conversations"]
    assert conversation["ranges"][0]["start_line"] == 2
