"""`intent-lsp trace report`: where the page goes; what is on it is held in tests/formats."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE
from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.report.page import OPENING
from tests.doors.cli.conftest import Shell
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines


@pytest.fixture
def made(root: Path) -> Path:
    """Give a root with three records."""
    ledger = ledger_at(root)
    ledger.append(edit("src/a.py"))
    ledger.append(edit("src/b.py", scope_validation=ScopeValidation.FAIL))
    ledger.append(edit("docs/ü.md", intent_id=None))
    ledger.close()
    return root


def test_a_page_is_written_and_an_earlier_one_replaced(shell: Shell, made: Path) -> None:
    said = shell("trace", "report", "--html", "r.html")
    assert (said.status, said.out, said.err) == (0, "r.html: 3 edits\n", "")
    page = (made / "r.html").read_text()
    assert page.startswith(OPENING)
    assert "Ledger report: <bdi>repo</bdi>" in page
    assert "The ledger is intact" in page
    assert "<bdi>First</bdi>" in page
    assert "docs/ü.md" in page
    said = shell("trace", "report", "--html", "r.html", "--path", "src/a.py")
    assert said.out == "r.html: 1 edit\n"
    page = (made / "r.html").read_text()
    assert '<span class="chip"><bdi>--path src/a.py</bdi></span>' in page
    assert "docs/ü.md" not in page


def test_a_page_can_go_to_standard_output(
    shell: Shell, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    said = shell("trace", "report", "--html", "-")
    assert (said.status, said.err) == (0, "")
    out.flush()
    page = raw.getvalue()
    assert page.startswith(OPENING.encode())
    assert page.endswith(b"</html>\n")
    assert "docs/ü.md".encode() in page
    assert sorted(path.name for path in made.iterdir()) == [".orchestration"]


def test_the_file_is_seen_from_where_one_stands(
    shell: Shell, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.parent)
    assert shell("trace", "report", "-C", "repo", "--html", "r.html").status == 0
    assert (made / "r.html").exists()
    absolute = made.parent / "other.html"
    assert shell("trace", "report", "-C", "repo", "--html", str(absolute)).status == 0
    assert absolute.exists()


def test_nothing_but_a_report_is_replaced_unasked(shell: Shell, made: Path) -> None:
    file = made / "thesis.html"
    file.write_text("<!doctype html>\nyears of work")
    problem = shell("trace", "report", "--html", "thesis.html").problem
    assert "thesis.html exists and is not a report; give another file, or use --force" in problem
    assert file.read_text().endswith("years of work")
    assert shell("trace", "report", "--html", "thesis.html", "--force").status == 0
    assert file.read_text().startswith(OPENING)


@pytest.mark.parametrize("name", [LEDGER_FILE, INTENTS_FILE, ".orchestration/new.html", ".git/x"])
def test_a_control_file_is_never_replaced(shell: Shell, made: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in made.rglob("*.*") if path.is_file()}
    for file in (made / name, Path(name), Path("sub") / ".." / name):
        said = shell("trace", "report", "--force", "--html", str(file))
        assert "is a control file of this project; give another file" in said.problem
    (made / "innocent.html").symlink_to(made / name)
    said = shell("trace", "report", "--force", "--html", "innocent.html")
    assert "is a control file of this project" in said.problem
    assert {path: path.read_bytes() for path in before} == before


def test_what_is_no_file_is_not_written_to(shell: Shell, made: Path) -> None:
    (made / "room").mkdir()
    os.mkfifo(made / "pipe")
    (made / "gone").symlink_to(made / "nowhere")
    for name in ("room", "pipe", "gone"):
        problem = shell("trace", "report", "--force", "--html", name).problem
        assert f"{name} exists and is not a regular file; give another" in problem
    problem = shell("trace", "report", "--html", "no/such/r.html").problem
    assert "no/such is not a directory; create it first" in problem
    (made.parent / "outside.html").write_text(OPENING)
    (made / "link.html").symlink_to(made.parent / "outside.html")
    assert "link" in shell("trace", "report", "--html", "link.html").problem
    assert (made.parent / "outside.html").read_text() == OPENING


def test_a_ledger_that_does_not_verify_has_a_page_that_says_so(shell: Shell, made: Path) -> None:
    one, two, three = lines_of(made)
    put_lines(made, [one, two.replace(b"src/b.py", b"src/c.py"), three])
    said = shell("trace", "report", "--html", "r.html")
    assert said.status == 1
    assert said.err == "intent-lsp: the ledger failed verification; the report shows where\n"
    page = (made / "r.html").read_text()
    assert "The ledger is DAMAGED, cannot be read, or was CHANGED after it was written" in page
    assert f"{LEDGER_FILE}:2" in page


def test_an_empty_ledger_has_a_page_and_a_file_must_be_named(shell: Shell, root: Path) -> None:
    assert shell("trace", "report", "--html", "r.html").out == "r.html: 0 edits\n"
    assert "There was no edit" in (root / "r.html").read_text()
    assert "required: --html" in shell("trace", "report").problem


def test_the_page_counts_what_the_figures_count(shell: Shell, made: Path) -> None:
    assert made.is_dir()
    page = shell("trace", "report", "--html", "-").out
    total = json.loads(shell("trace", "stats", "--json").out)["total"]
    assert f"<b>{total['edits']}</b>edits" in page
    assert f"<b>{total['violations']}</b>violations" in page
