"""`intent-lsp trace lines`."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Record
from intent_lsp.governance.ledger import intent_lines
from intent_lsp.store.state.blob_cache import BlobCache
from tests.doors.cli.conftest import Shell
from tests.doors.cli.test_trace_blame import AGENT, A, B, C, D, changed
from tests.support.ledgers import edit, ledger_at

OTHER = "docs/b.md"


@pytest.fixture
def records(root: Path) -> list[Record]:
    """Give three records of an intent, under its old id too, in two files; a line is nobody's."""
    ledger = ledger_at(root)
    events = [
        edit(files=(changed(None, A + C),), intent_id="OLD-1"),
        edit(files=(changed(A + C, A + "\t" + B + C, AGENT),)),
        edit(files=(replace(changed(None, D), relative_path=OTHER),)),
        edit(files=(replace(changed(D, D + A), relative_path=OTHER),), intent_id=None),
    ]
    made = [ledger.append(event) for event in events]
    ledger.close()
    for path, text in {"src/a.py": A + "\t" + B + C, OTHER: D + A}.items():
        (root / path).parent.mkdir()
        (root / path).write_text(text)
        BlobCache(root).put(text.encode())
    return made


def test_each_stretch_of_lines_is_told_with_its_record(shell: Shell, records: list[Record]) -> None:
    one, two, three = (record.id[:8] for record in records[:3])
    said = shell("trace", "lines", "INT-001")
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "Where          Lines  Confidence  Record    Who           When",
        f"docs/b.md:1-1  1      exact       {three}  a person      2026-11-21 20:27:35",
        f"src/a.py:1-1   1      exact       {one}  a person      2026-11-21 20:27:33",
        f"src/a.py:2-2   1      exact       {two}  acme/model-1  2026-11-21 20:27:34",
        f"src/a.py:3-3   1      exact       {one}  a person      2026-11-21 20:27:33",
        "",
        "4 of 5 lines in 2 files come from the intent: 4 exact",
    ]
    assert shell("trace", "lines", "OLD-1") == said


def test_lines_are_counted_not_stretches(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit(files=(changed(None, A + B),)))
    ledger.close()
    (root / "src").mkdir()
    (root / "src/a.py").write_text(A + B)
    _, row, _, total = shell("trace", "lines", "INT-001").out.splitlines()
    assert row.split()[:3] == ["src/a.py:1-2", "2", "exact"]
    assert total == "2 of 2 lines in 1 file come from the intent: 2 exact"


def test_what_is_less_than_sure_is_counted_apart(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    assert records
    # The tab is gone and a line has come, which nobody recorded.
    (root / "src/a.py").write_text(A + B + C + D)
    (root / OTHER).write_text("all new\n")
    assert shell("trace", "lines", "INT-001").out.splitlines()[-1] == (
        "3 of 4 lines in 1 file come from the intent: 2 exact, 1 normalized"
    )


def test_a_program_gets_the_runs_of_each_file(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    told = shell("trace", "lines", "OLD-1", "--json").json
    assert list(told) == ["intentId", "files", "total", "truncated"]
    assert (told["intentId"], told["total"], told["truncated"]) == ("INT-001", 4, False)
    docs, source = told["files"]
    assert (docs["path"], docs["uri"]) == (OTHER, (root / OTHER).as_uri())
    assert [each["lineCount"] for each in (docs, source)] == [2, 3]
    # Each is spelled as `trace blame` does.
    blamed = shell("trace", "blame", "src/a.py", "--json").json
    assert source == {**blamed, "lineCount": 3}
    assert [run["recordId"] for run in source["lines"]] == [records[at].id for at in (0, 1, 0)]
    first, _ = shell("trace", "blame", OTHER, "--json").json["lines"]
    assert docs["lines"] == [first]


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("src/a.py", ["src/a.py"]),
        ("src/", ["src/a.py"]),
        ("**/*.md", [OTHER]),
        (".", [OTHER, "src/a.py"]),
        ("none", []),
    ],
)
def test_some_files_are_told(shell: Shell, path: str, found: list[str]) -> None:
    told = shell("trace", "lines", "INT-001", "--path", path, "--json").json
    assert [file["path"] for file in told["files"]] == found


def test_where_there_is_no_line_it_is_said(shell: Shell, root: Path) -> None:
    said = shell("trace", "lines", "OLD-1")
    assert (said.status, said.out) == (0, "")
    assert said.err == ("intent-lsp: no line of the files that were searched comes from INT-001\n")
    said = shell("trace", "lines", "INT-001", "--json")
    assert (said.json["files"], said.json["total"]) == ([], 0)
    assert root.is_dir()


@pytest.mark.usefixtures("records")
def test_what_is_left_out_is_said(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intent_lines, "FILES_AT_MOST", 1)
    said = shell("trace", "lines", "INT-001")
    assert said.out.endswith("1 of 2 lines in 1 file come from the intent: 1 exact\n")
    assert said.err == (
        "intent-lsp: there may be more lines, since the search reached one of its limits;"
        " narrow it with --path, or ask `intent-lsp trace blame` about a file\n"
    )
    assert shell("trace", "lines", "INT-001", "--json").json["truncated"]


@pytest.mark.usefixtures("records")
def test_what_cannot_be_told_is_refused(
    shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = shell("trace", "lines", "INT-404").problem
    assert "Intent INT-404 is not in .orchestration/active_intents.yaml" in problem
    assert "`intent-lsp intents list` shows all intents" in problem
    assert "INTENT" in shell("trace", "lines").problem
    assert "but has 0" in shell("trace", "lines", "").problem
    assert "is not below" in shell("trace", "lines", "INT-001", "--path", "../x").problem
    monkeypatch.chdir(root.parent)
    assert "is not governed" in shell("trace", "lines", "INT-001").problem
    monkeypatch.chdir(root)
    (root / LEDGER_FILE).unlink()
    (root / LEDGER_FILE).mkdir()
    said = shell("trace", "lines", "INT-001")
    assert (said.status, said.out) == (2, "")
    assert LEDGER_FILE in said.err
