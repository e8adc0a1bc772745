"""`intent-lsp trace blame`."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.content import content_of, hash_if_there
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Contributor, EntityType, Record, RecordFile
from intent_lsp.formats.diff import file_ranges
from intent_lsp.store.state.blob_cache import BlobCache
from tests.doors.cli.conftest import Shell, Terminal
from tests.support.ledgers import edit, ledger_at

PATH = "src/a.py"
PLAIN = edit().files[0]
A, B, C, D = (f"the line that is called {name}\n" for name in "ABCD")
AGENT = Contributor(EntityType.AI, "acme/model-1")


def changed(before: str | None, after: str, who: Contributor | None = None) -> RecordFile:
    old, new = None if before is None else before.encode(), after.encode()
    talk = replace(PLAIN.conversations[0], ranges=file_ranges(content_of(old), content_of(new)))
    if who is not None:
        talk = replace(talk, contributor=who)
    return replace(
        PLAIN, pre_hash=hash_if_there(old), post_hash=hash_if_there(new), conversations=(talk,)
    )


@pytest.fixture
def records(root: Path) -> list[Record]:
    """Give two records of a file: a person wrote it, an agent put a line in, nobody another."""
    ledger = ledger_at(root)
    events = [
        edit(files=(changed(None, A + C),)),
        edit(files=(changed(A + C, A + "\t" + B + C, AGENT),), intent_id=None),
    ]
    made = [ledger.append(event) for event in events]
    ledger.close()
    BlobCache(root).put((A + "\t" + B + C).encode())
    (root / "src").mkdir()
    (root / PATH).write_text(A + "\t" + B + "  " + C + D)
    return made


def test_each_line_is_told_with_its_record(shell: Shell, records: list[Record]) -> None:
    one, two = (record.id[:8] for record in records)
    said = shell("trace", "blame", PATH)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        f"{one}  INT-001  a person      2026-11-21 20:27:33    1  the line that is called A",
        f"{two}  -        acme/model-1  2026-11-21 20:27:34    2      the line that is called B",
        f"{one}  INT-001  a person      2026-11-21 20:27:33  = 3    the line that is called C",
        "--------  -        -             -                    ? 4  the line that is called D",
    ]


def test_a_program_gets_runs(shell: Shell, root: Path, records: list[Record]) -> None:
    told = shell("trace", "blame", PATH, "--json").json
    assert (told["path"], told["uri"]) == (PATH, (root / PATH).as_uri())
    assert told["lines"][1] == {
        "startLine": 2,
        "endLine": 2,
        "recordId": records[1].id,
        "intentId": None,
        "entityType": "AI",
        "modelIdentifier": "acme/model-1",
        "author": None,
        "isYou": False,
        "timestamp": records[1].timestamp,
        "toolName": "editor/save",
        "mutationClass": "INTENT_EVOLUTION",
        "scopeValidation": "PASS",
        "confidence": "exact",
    }
    last = told["lines"][-1]
    assert (last.pop("startLine"), last.pop("endLine")) == (4, 4)
    assert last.pop("confidence") == "unattributed"
    assert set(last.values()) == {None}


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ("2,3", [2, 3]),
        ("3", [3, 4]),
        ("3,", [3, 4]),
        (",2", [1, 2]),
        ("2,+2", [2, 3]),
        ("4,99", [4]),
        ("1,1", [1]),
    ],
)
def test_some_lines_are_told(shell: Shell, wanted: str, numbers: list[int]) -> None:
    runs = shell("trace", "blame", PATH, "-L", wanted, "--json").json["lines"]
    told = [line for run in runs for line in range(run["startLine"], run["endLine"] + 1)]
    assert told == numbers
    assert len(shell("trace", "blame", PATH, "-L", wanted).out.splitlines()) == len(numbers)


@pytest.mark.usefixtures("records")
@pytest.mark.parametrize(
    "wanted", ["", ",", "x", "0", "0,1", "3,2", "2,+0", "5+3", "1,2,3", "1234567890", "-1"]
)
def test_what_are_no_lines_is_said(shell: Shell, wanted: str) -> None:
    assert "-L" in shell("trace", "blame", PATH, f"-L{wanted}" if wanted else "-L").problem


@pytest.mark.usefixtures("records")
def test_lines_that_are_not_there_are_said(shell: Shell, root: Path) -> None:
    assert f"{PATH} has only 4 lines" in shell("trace", "blame", PATH, "-L", "5").problem
    (root / PATH).write_text(A)
    assert f"{PATH} has only 1 line" in shell("trace", "blame", PATH, "-L", "2").problem
    (root / PATH).write_text("")
    assert shell("trace", "blame", PATH).out == ""


def test_what_is_no_file_of_the_root_is_said(
    shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no file src/none.py" in shell("trace", "blame", "src/none.py").problem
    assert "is not below" in shell("trace", "blame", str(root.parent / "x")).problem
    (root / "src").mkdir()
    assert "is a directory" in shell("trace", "blame", "src").problem
    monkeypatch.chdir(root.parent)
    assert "is not governed" in shell("trace", "blame", "x").problem
    (root / PATH).write_text(A)
    # The root of the file is asked, wherever one stands.
    assert shell("trace", "blame", f"{root.name}/{PATH}").out.endswith("? 1  " + A)


def test_a_ledger_that_cannot_be_read_is_said(shell: Shell, root: Path) -> None:
    (root / "a").write_text(A)
    (root / LEDGER_FILE).mkdir()
    said = shell("trace", "blame", "a")
    assert (said.status, said.out) == (2, "")
    assert LEDGER_FILE in said.err


def test_what_is_no_text_is_one_row(shell: Shell, root: Path) -> None:
    (root / "a").write_bytes(b"\xff\xff\n\x00")
    (row,) = shell("trace", "blame", "a").out.splitlines()
    assert row.endswith("? 1-2  (not text, or too large to be shown line by line)")


def test_a_record_without_a_conversation_names_nobody(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit(files=(replace(changed(None, A), conversations=()),)))
    ledger.close()
    (root / "src").mkdir()
    (root / PATH).write_text(A)
    assert shell("trace", "blame", PATH).out.split()[1:3] == ["INT-001", "unknown"]


@pytest.mark.usefixtures("records")
def test_a_terminal_gets_colours(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shell("trace", "blame", PATH)
    assert "\x1b[36m" in terminal.getvalue()
    assert "the line that is called D" in terminal.getvalue()
