"""`intent-lsp intents fix`: the intents file on disk, brought into its normal form."""

import json

import pytest

from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE
from tests.doors.cli.conftest import Shell
from tests.support.governed_repository import INTENTS
from tests.support.repository import Repository

OTHER = "# ours é\r\n- id: INT-001\r\n  scope: [*.py] # all\r\n  owned_by: x\r\n"
NORMAL = '# ours é\r\nactive_intents:\r\n- id: INT-001\r\n  owned_scope: ["*.py"] # all\r\n'
NORMAL += "  owned_by: x\r\n"
DIFF = f"""\
--- {INTENTS_FILE}
+++ {INTENTS_FILE}
@@ -1,4 +1,5 @@
 # ours é
+active_intents:
 - id: INT-001
-  scope: [*.py] # all
+  owned_scope: ["*.py"] # all
   owned_by: x
"""


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_file_is_fixed_byte_for_byte(shell: Shell, project: Repository, mark: bytes) -> None:
    path = project.root / INTENTS_FILE
    path.write_bytes(mark + OTHER.encode())
    said = shell("intents", "fix")
    assert (said.status, said.err) == (0, "")
    assert said.out == f"{DIFF}3 fixes made in {INTENTS_FILE}\n"
    assert path.read_bytes() == mark + NORMAL.encode()
    assert not (project.root / LEDGER_FILE).exists()
    assert shell("intents", "fix").out == f"no safe fix was found for {INTENTS_FILE}\n"
    assert path.read_bytes() == mark + NORMAL.encode()


def test_check_writes_nothing_and_says_by_its_status_what_it_found(
    shell: Shell, project: Repository
) -> None:
    path = project.root / INTENTS_FILE
    path.write_bytes(OTHER.encode())
    said = shell("intents", "fix", "--check")
    assert (said.status, said.err) == (1, "")
    assert said.out == f"{DIFF}3 fixes to make in {INTENTS_FILE}\n"
    told = json.loads(shell("intents", "fix", "--check", "--json").out)
    assert told == {"fixes": 3, "written": False, "diff": DIFF}
    assert path.read_bytes() == OTHER.encode()
    assert json.loads(shell("intents", "fix", "--json").out)["written"] is True
    path.write_text(INTENTS)
    said = shell("intents", "fix", "--check", "--json")
    assert said.status == 0
    assert json.loads(said.out) == {"fixes": 0, "written": False, "diff": ""}


@pytest.mark.parametrize("data", [b"intents: [", b"\xff\xfe\x00\xd8", None])
def test_a_file_that_cannot_be_read_is_no_clean_one(
    shell: Shell, project: Repository, data: bytes | None
) -> None:
    path = project.root / INTENTS_FILE
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    for words in (("--check",), ()):
        said = shell("intents", "fix", *words)
        assert (said.status, said.out) == (2, "")
        assert said.err.startswith("intent-lsp: ")
    assert data is None or path.read_bytes() == data


def test_an_agent_may_ask_and_not_fix(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project.root / INTENTS_FILE
    path.write_text(OTHER, newline="")
    monkeypatch.setenv("CLAUDECODE", "1")
    refused = shell("intents", "fix")
    assert refused.status == 2
    assert "`intent-lsp intents fix` is for people, and CLAUDECODE shows" in refused.err
    assert path.read_bytes() == OTHER.encode()
    assert shell("intents", "fix", "--check").status == 1
