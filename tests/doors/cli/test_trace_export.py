"""`intent-lsp trace export`: every record once, oldest first, in the form that was asked for."""

import csv
import io
import json
from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Record
from tests.doors.cli.conftest import Shell
from tests.support.agent_trace_schema import schema_errors
from tests.support.ledgers import edit, ledger_at, lines_of


@pytest.fixture
def records(root: Path) -> list[Record]:
    """Give three records, oldest first, a second apart."""
    ledger = ledger_at(root)
    events = [
        edit("src/a.py"),
        edit("=src/b.py", intent_id="OLD-1"),
        edit("docs/ü.md", session_id="s2"),
    ]
    made = [ledger.append(event) for event in events]
    ledger.close()
    return made


def test_json_is_the_ledger_line_by_line(shell: Shell, root: Path, records: list[Record]) -> None:
    said = shell("trace", "export", "--format", "json")
    assert (said.status, said.err) == (0, "")
    assert said.out.encode().splitlines(keepends=True) == lines_of(root)
    assert len(records) == 3


def test_agent_traces_are_valid(shell: Shell, records: list[Record]) -> None:
    said = shell("trace", "export", "--format", "agent-trace")
    told = [json.loads(line) for line in said.out.splitlines()]
    assert [each["id"] for each in told] == [record.id for record in records]
    assert [schema_errors(each) for each in told] == [[], [], []]


def test_a_spreadsheet_has_a_row_for_each_file(shell: Shell, records: list[Record]) -> None:
    said = shell("trace", "export", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["id"] for row in found] == [record.id for record in records]
    assert [row["path"] for row in found] == ["src/a.py", "'=src/b.py", "docs/ü.md"]


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (("--intent", "INT-001"), [0, 1, 2]),
        (("--session", "s2"), [2]),
        (("--path", "src/a.py"), [0]),
        (("--since", "2026-11-21T20:27:34Z"), [1, 2]),
        (("--since", "2026-11-21T20:27:34Z", "--until", "2026-11-21T20:27:35Z"), [1]),
    ],
    ids=range(5),
)
def test_filters_narrow_an_export(
    shell: Shell, records: list[Record], filters: tuple[str, ...], kept: list[int]
) -> None:
    said = shell("trace", "export", "--format", "flat", *filters)
    ids = [json.loads(line)["id"] for line in said.out.splitlines()]
    assert ids == [records[number].id for number in kept]


def test_an_export_is_written_to_a_new_file(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    said = shell("trace", "export", "--format", "json", "--output", "out.jsonl")
    assert (said.status, said.out, said.err) == (0, "out.jsonl: 3 records\n", "")
    assert (root / "out.jsonl").read_bytes() == (root / LEDGER_FILE).read_bytes()
    one = ("--session", "s2", "--output", "one.csv")
    assert shell("trace", "export", "--format", "csv", *one).out == "one.csv: 1 record\n"
    assert (root / "one.csv").read_bytes().count(b"\r\n") == 2
    assert len(records) == 3


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("out.jsonl", "exists"),
        (LEDGER_FILE, "nothing is exported into .orchestration"),
        (".orchestration/new.jsonl", "nothing is exported into .orchestration"),
        ("gone/out.jsonl", "No such file"),
        ("out.jsonl/x", "Not a directory"),
        ("a\0b", "null"),
        ("x" * 300, "too long"),
        (".", "exists"),
    ],
    ids=range(8),
)
def test_what_exists_or_is_ours_is_not_written_over(
    shell: Shell, root: Path, name: str, why: str
) -> None:
    (root / "out.jsonl").write_bytes(b"mine")
    before = (root / LEDGER_FILE).read_bytes()
    assert why in shell("trace", "export", "--format", "json", "--output", name).problem
    assert (root / "out.jsonl").read_bytes() == b"mine"
    assert (root / LEDGER_FILE).read_bytes() == before


def test_no_record_is_said_to_be_none(shell: Shell, root: Path) -> None:
    said = shell("trace", "export", "--format", "json", "--output", "out.jsonl")
    assert (said.status, said.out) == (0, "")
    assert said.err == "intent-lsp: nothing was exported: the ledger has no record yet\n"
    assert (root / "out.jsonl").read_bytes() == b""


def test_a_form_has_to_be_named(shell: Shell, root: Path) -> None:
    assert root.is_dir()
    assert "--format" in shell("trace", "export").problem
    assert "xml" in shell("trace", "export", "--format", "xml").problem
