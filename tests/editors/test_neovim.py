"""Stories told by a real Neovim with client-configs/neovim, and what the ledger says of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger import Ledger
from tests.support.governed import LINES, govern, INTENTS
from tests.support.neovim import Neovim, neovim, ROOT
from tests.support.repository import Repository
from tests.support import repository as repositories
import sys

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

def test_files_in_neovim(repository: Repository, nvim: Neovim, tmp_path) -> None:
    repository.write("LICENSE", "theirs\n")
    repository.write("src/billing/preis.txt", "Preis: 5 €\nfür 🙂 alle\n")
    govern(repository)
    other = govern(repositories.create(tmp_path / "other"))
    plain = tmp_path / "plain"
    plain.mkdir()
    saw = nvim.tell("files", repository, other=str(other.root), plain=str(plain), tiny=[sys.executable, "-m", "tests.support.tiny_server"], tiny_home=str(ROOT))
    print(json.dumps(saw, indent=1))

def test_life_in_neovim(repository: Repository, nvim: Neovim, tmp_path) -> None:
    repos = {n: repositories.create(tmp_path / n) for n in ("second", "third", "fourth")}
    for r in (repository, *repos.values()):
       r.write("src/auth/login.py", LINES)
       r.write("README.md", LINES)
       r.commit()
    saw = nvim.tell("life", repository, intents=INTENTS, **{n: str(r.root) for n, r in repos.items()})
    print(json.dumps(saw, indent=1))
