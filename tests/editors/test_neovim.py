"""Stories told by a real Neovim with client-configs/neovim, and what the ledger says of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger import Ledger
from tests.support.governed import LINES, govern
from tests.support.neovim import Neovim, neovim
from tests.support.repository import Repository

pytestmark = pytest.mark.editor

INVOICE = "src/billing/invoice.py"


@pytest.fixture
def nvim(tmp_path: Path) -> Neovim:
    return neovim(tmp_path / "state")


def test_the_main_job_in_neovim(repository: Repository, nvim: Neovim) -> None:
    govern(repository)
    saw = nvim.tell("main_job", repository)
    print(json.dumps(saw, indent=1))


def test_block_in_neovim(repository: Repository, nvim: Neovim) -> None:
    govern(repository, "enforcement: block")
    saw = nvim.tell("block", repository)
    print(json.dumps(saw, indent=1))
