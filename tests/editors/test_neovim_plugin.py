"""The plug-in in a real Neovim: its commands, pages, errors, health check and help."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from tests.support import repository as repositories
from tests.support.governed_repository import LINES, govern
from tests.support.neovim import CONFIG, ROOT, Neovim, neovim
from tests.support.repository import Repository

pytestmark = pytest.mark.editor

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
TINY = {"tiny": [sys.executable, "-m", "tests.support.tiny_server"], "tiny_home": str(ROOT)}


@pytest.fixture
def nvim(tmp_path: Path) -> Neovim:
    return neovim(tmp_path / "state")


def records(repository: Repository) -> list[dict[str, Any]]:
    """Read the ledger."""
    return [json.loads(line) for line in (repository.root / LEDGER_FILE).read_text().splitlines()]


def test_from_choosing_an_intent_to_reading_the_ledger(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)
    root = str(repository.root)

    saw = nvim.run_script("journey", repository)
    first, second = records(repository)

    assert saw["offered"][0]["titles"] == [
        "  INT-001  Login  (PLANNED)  src/auth/**",
        "  INT-002  Billing  (IN_PROGRESS)  src/billing/**",
    ]
    assert saw["in scope"] == []
    (shown,) = saw["out of scope"]
    assert shown["message"].endswith(" is outside the scope of INT-001 (Login).")
    assert saw["related"]["uri"].endswith(".orchestration/active_intents.yaml")
    assert "INT-001" in saw["related"]["message"]
    assert saw["saved"]["scopeValidation"] == "PASS"

    def row(record: dict[str, Any]) -> str:
        time = record["timestamp"][:16].replace("T", " ")
        path = record["files"][0]["relative_path"]
        return f"{time}  {record['intent_id']}  PASS  editor/save  {path}"

    assert saw["trace"] == [row(second), row(first)]
    told = "\n".join(saw["record"])
    for fact in (
        second["id"],
        second["session_id"],
        second["files"][0]["pre_hash"],
        second["files"][0]["post_hash"],
        second["integrity"]["prev_record_hash"],
        second["integrity"]["record_hash"],
        "INTENT_EVOLUTION (inferred)",
        "lines 5-6  by HUMAN human  (lines: 2, before: 2)",
    ):
        assert fact in told
    assert saw["visited"] == [f"{root}/{INVOICE}", 5]
    assert saw["of this file"] == [row(second)]
    assert saw["of an intent"] == [row(first)]
    assert saw["from a page"] == [
        (
            "intent-lsp: the ledger is intact; records: 2; proven: nothing: there is"
            " no commit, checkpoint or other hash to compare with"
        )
    ]
    assert saw["quickfix"] == [[f"{root}/{INVOICE}", 5, 6], [f"{root}/{LOGIN}", 3, 3]]
    assert saw["nothing"] == ["intent-lsp: there are no records of NOPE"]
    assert saw["first page"] == [row(second), "older records …"]
    assert saw["both pages"] == [row(second), row(first)]


def test_blame_and_report_are_shown_when_asked_for(repository: Repository, nvim: Neovim) -> None:
    govern(repository)
    root = repository.root

    saw = nvim.run_script("asked", repository)
    record = records(repository)[0]

    words = f"INT-002, you, {record['timestamp'][:10]}, editor/save"
    unknown = "no record of the ledger explains this line"
    assert saw["blamed line"] == [[5, words, "IntentLspBlame"]]
    assert saw["blamed file"] == [
        [0, unknown, "IntentLspBlame"],
        [4, words, "IntentLspBlame"],
        [6, unknown, "IntentLspBlame"],
    ]
    assert saw["followed"] == [[4, words, "IntentLspBlame"]]
    assert [saw[step] for step in ("hidden", "changed", "unknown", "not followed")] == [[]] * 4

    page = saw["opened"]["path"]
    assert saw["opened"]["page"] == "<!doctype html>"
    assert saw["report shown"] == [f"intent-lsp: the report was written to {page}"]
    assert saw["report written"] == [f"intent-lsp: the report was written to {root}/report.html"]
    assert (root / "report.html").read_text().startswith("<!doctype html>")
    (refused,) = saw["report refused"]
    assert refused.startswith("intent-lsp: no report: ")
    assert saw["readme"] == "# A project\n"
    assert saw["report forced"] == [f"intent-lsp: the report was written to {root}/README.md"]
    assert saw["replaced"] == "<!doctype html>"


def test_twenty_saves_leave_twenty_records_and_nobody_is_told(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)

    saw = nvim.run_script("saves", repository)

    assert len(records(repository)) == 20
    assert saw["told"] == {"messages": "", "asked": 0}


def test_a_draft_comes_back_into_a_file_that_is_not_open(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository, "enforcement: block")

    saw = nvim.run_script("drafts", repository)

    assert saw["none"] == saw["none here"] == saw["used up"] == ["intent-lsp: there are no drafts"]
    assert saw["refused"] == {"disk": LINES, "lines": LINES.splitlines()}
    (offered,) = saw["offered"]
    assert offered["prompt"] == "Which draft do you want back?"
    (title,) = offered["titles"]
    assert title.endswith(f"  {INVOICE}  SCOPE_VIOLATION  INT-001")
    assert saw["restored"] == f"intent-lsp: restored the draft of {INVOICE}; it is not saved yet"
    wanted = LINES.replace("line 3\n", "line three\n").splitlines()
    assert saw["shown"] == {"lines": wanted, "modified": True, "disk": LINES}


def only(said: dict[str, list[str]]) -> str:
    """Give the one line that every command said."""
    lines = {tuple(lines) for lines in said.values()}
    assert len(lines) == 1, said
    ((line,),) = lines
    return line


def test_what_goes_wrong_is_one_line(repository: Repository, nvim: Neovim, tmp_path: Path) -> None:
    govern(repository)
    plain = repositories.create(tmp_path / "plain").write("notes.txt", "mine\n").parent

    saw = nvim.run_script("errors", repository, bare=True, plain=str(plain))

    unset = "intent-lsp: the server is not enabled; call require('intent_lsp').setup()"
    assert only(saw["before setup"]) == unset
    assert len(saw["blame before setup"]) == 1
    assert saw["no table"][:1] == [
        'intent-lsp: setup: expected a table of options, got "intent-lsp"'
    ]
    wanted = {
        "1": "there is no such option; there are: before_init, blame_format,",
        "cmd": "expected a list of strings or a function, got {}",
        "filetypes": "there is no such option; there are: before_init, blame_format,",
        "on_attach": 'expected a function or a list of functions, got "x"',
        "trace_limit": "expected a whole number from 1 to 1000, got 0",
    }
    for said, (option, wrong) in zip(saw["options"], wanted.items(), strict=False):
        assert said.startswith(f"intent-lsp: setup: {option}: {wrong}")
    absent = "/no/such/program was not found or is not executable"
    missing = f"intent-lsp: {absent}; see :checkhealth intent_lsp"
    assert saw["no program, once"] == [missing]
    assert only(saw["no program"]) == missing
    assert saw["no program to report"][0].startswith("intent-lsp: /no/such/program cannot be run")
    health = "\n".join(saw["health"])
    assert absent in health
    assert "no server is running" in health

    assert only(saw["not governed"]).startswith("intent-lsp: not governed")
    assert only(saw["no file"]) == "intent-lsp: this buffer is not a file"
    assert saw["nothing completed"] == []
    (unknown,) = saw["unknown"]
    assert "Available: INT-001, INT-002" in unknown
    for lines in saw["broken intents"].values():
        (line,) = lines
        assert "active_intents.yaml" in line
    (tampered,) = saw["tampered"]
    assert tampered.startswith(
        "intent-lsp: the ledger is NOT intact; records: 1; problems, listed in"
    )
    (name, line, kind, text), *_ = saw["problems"]
    assert (name, line, kind) == (str(repository.root / LEDGER_FILE), 1, "E")
    assert text.startswith("BAD_HASH: ")
    assert saw["list is open"] == "quickfix"


def test_pages_show_odd_records_and_open_nothing_outside_the_root(
    repository: Repository, nvim: Neovim
) -> None:
    govern(repository)
    root = str(repository.root)

    saw = nvim.run_script("pages", repository, bare=True)

    time = "2026-11-21 20:27  -  FAIL  -"
    assert saw["rows"] == [f"{time}  a b  and 1 more  REVERTED  x y", f"{time}  -"]
    assert saw["fixed"] == {"modifiable": False, "modified": False}
    assert saw["gone"]["last"] == "  lines 0-0  by AI  (lines: 0, before: 3)"
    assert saw["gone"]["opened"]["said"] == f"intent-lsp: {root}/gone.txt no longer exists"
    for stays in ("gone", "outside", "absolute"):
        assert saw[stays]["opened"]["place"] == "intent-lsp://odd"
    assert saw["outside"]["opened"]["said"] == saw["absolute"]["opened"]["said"] == ""
    for opens in ("encoded", "renamed"):
        assert saw[opens]["opened"]["place"] == f"{root}/README.md"
    first, second = saw["entries"]
    assert (first["filename"], first["lnum"]) == (f"{root}/README.md", 1)
    assert "filename" not in second
    assert saw["closed"]["windows"] == 1
    assert saw["closed"]["name"] != "intent-lsp://odd"


def test_the_plugin_loads_late_finds_open_buffers_and_has_help_and_health(
    repository: Repository, nvim: Neovim, tmp_path: Path
) -> None:
    govern(repository)
    # Tags are made in a copy: they belong to whoever installs the plug-in.
    shutil.copytree(CONFIG / "doc", tmp_path / "help" / "doc")

    saw = nvim.run_script("plugin", repository, bare=True, help=str(tmp_path / "help"), **TINY)

    words = ["Blame", "Clear", "Drafts", "Init", "Report", "Select", "Status", "Trace", "Verify"]
    assert saw["at start"] == {"loaded": [], "commands": [f"Intent{word}" for word in words]}
    before, after = "\n".join(saw["health before"]), "\n".join(saw["health"])
    assert "the server is not enabled" in before
    assert (
        f"governed by {repository.root}, no other language server is attached,"
        " but the server of intent-lsp is not attached; the lines above may say why" in before
    )
    assert "(intent governance language server)" in after
    assert f"governed by {repository.root}, beside tiny (utf-8)" in after
    assert "files are watched by the server (watch: auto)" in after
    assert "no intent, saves: warn" in after
    assert saw["set up again"] == {"clients": 1}
    assert saw["changed"] == "INT-001"
    assert saw["own words"] == ["for INT-001"]
    assert saw["no words"].startswith("intent-lsp: blame_format: ")
    assert saw["help"]["missing"] == []


def test_a_plugin_manager_may_find_us_late(repository: Repository, nvim: Neovim) -> None:
    govern(repository)

    saw = nvim.run_script("late", repository, bare=True, late=True)

    # 2: a command of exactly this name.
    assert (saw["before"], saw["after"]) == ({"command": 0}, {"command": 2})
    assert saw["told"] == ""
