"""`intent-lsp trace stats`."""

import io
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.core.records import Range, ScopeValidation
from intent_lsp.store.ledger import archiving_advice
from intent_lsp.store.ledger.ledger import Ledger
from tests.doors.cli.conftest import Shell
from tests.doors.cli.test_trace import changed
from tests.support.ledgers import HASH, edit, ledger_at, new_id

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def days(root: Path) -> list[int]:
    """Make records on some days of November; give the days."""
    found = [1, 1, 1, 2, 4, 4]
    moments = iter(NOON + timedelta(days=day - 1) for day in found)
    ledger = Ledger(root, lambda: next(moments), new_id)
    for number, _ in enumerate(found):
        ledger.append(
            edit(
                f"src/{number % 2}.py",
                intent_id=(None, "INT-001", "INT-001")[number % 3],
                scope_validation=(ScopeValidation.FAIL, ScopeValidation.PASS)[number > 0],
                success=number != 5,
            )
        )
    ledger.close()
    return found


@pytest.mark.parametrize("command", ["stats", "verify", "stats --json", "verify --json"])
def test_a_long_ledger_is_recommended_to_be_archived(
    shell: Shell, days: list[int], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    assert days
    assert "archive" not in shell("trace", *command.split()).err
    monkeypatch.setattr(archiving_advice, "RECOMMENDED_ABOVE", 4_000)
    said = shell("trace", *command.split())
    assert said.status == 0
    assert ".orchestration/agent_trace.jsonl has 0.0 MB; `intent-lsp trace archive" in said.err
    assert "archive`" not in said.out


def test_edits_are_counted_by_intent_with_their_days(shell: Shell, days: list[int]) -> None:
    assert days
    said = shell("trace", "stats")
    assert (said.status, said.err) == (0, "")
    rows = [re.split(r"  +", line) for line in said.out.splitlines()]
    days_told = "2026-11-01 to 2026-11-04"
    assert rows == [
        ["Intent", "Edits", days_told, "Lines", "Violations", "Failed", "Assumed", "Last"],
        ["INT-001", "4", "█··█", "+4 -0", "0", "1", "0", "2026-11-04 12:00:00"],
        ["-", "2", "▄▄··", "+2 -0", "1", "0", "0", "2026-11-02 12:00:00"],
        ["total", "6", "█▃·▆", "+6 -0", "1", "1", "0", "2026-11-04 12:00:00"],
    ]


def test_days_have_bars_in_their_order(shell: Shell, days: list[int]) -> None:
    assert days
    lines = shell("trace", "stats", "--by", "day").out.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [
        ["2026-11-01", "3", "█" * 30],
        ["2026-11-02", "1", "█" * 10],
        ["2026-11-04", "2", "█" * 20],
        ["total", "6", "+6"],
    ]


@pytest.mark.parametrize(
    ("by", "keys"),
    [
        ("path", ["src/0.py", "src/1.py"]),
        ("session", ["s1"]),
        ("contributor", ["HUMAN"]),
        ("tool", ["editor/save"]),
        ("verdict", ["PASS", "FAIL"]),
        ("day", ["2026-11-01", "2026-11-02", "2026-11-04"]),
        ("intent", ["INT-001", None]),
    ],
)
def test_machines_are_told_everything(
    shell: Shell, days: list[int], by: str, keys: list[str | None]
) -> None:
    told = shell("trace", "stats", "--by", by, "--limit", "1", "--json").json
    assert (told["by"], told["filters"]) == (by, [])
    assert [group["key"] for group in told["groups"]] == keys
    assert told["total"] == {
        "edits": 6,
        "added": 6,
        "removed": 0,
        "wholeFiles": 0,
        "violations": 1,
        "failed": 1,
        "assumed": 0,
        "first": "2026-11-01T12:00:00.000Z",
        "last": "2026-11-04T12:00:00.000Z",
        "days": {f"2026-11-0{day}": days.count(day) for day in sorted(set(days))},
    }


def test_filters_narrow_the_figures(shell: Shell, days: list[int]) -> None:
    assert days
    words = ("--path", "src/0.py", "--since", "2026-11-02", "--json")
    told = shell("trace", "stats", *words).json
    assert told["total"]["edits"] == 1
    assert told["filters"] == ["--path src/0.py", "--since 2026-11-02"]


def test_nothing_is_an_answer_for_machines_too(shell: Shell, root: Path) -> None:
    assert root.is_dir()
    said = shell("trace", "stats", "--json")
    assert said.json["groups"] == []
    assert said.json["total"]["first"] is None
    assert "the ledger has no record yet" in said.err


def test_the_largest_groups_are_shown_and_days_the_latest(shell: Shell, days: list[int]) -> None:
    assert days
    said = shell("trace", "stats", "--limit", "1")
    assert [line.split()[0] for line in said.out.splitlines()] == ["Intent", "INT-001", "total"]
    assert said.err == "1 of 2 rows are shown; --limit 0 shows all\n"
    said = shell("trace", "stats", "--by", "day", "--limit", "1")
    assert [line.split()[0] for line in said.out.splitlines()] == ["Day", "2026-11-04", "total"]
    assert len(shell("trace", "stats", "--limit", "0").out.splitlines()) == 4


def test_a_mark_is_several_days_where_there_are_many(shell: Shell, root: Path) -> None:
    moments = iter([NOON, NOON + timedelta(days=89)])
    ledger = Ledger(root, lambda: next(moments), new_id)
    for _ in range(2):
        ledger.append(edit())
    ledger.close()
    said = shell("trace", "stats")
    assert said.err == "each bar stands for 3 days\n"
    assert f"█{'·' * 28}█" in said.out


def test_files_that_were_not_compared_are_counted_apart(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    whole = Range(start_line=1, end_line=9, content_hash=HASH, fallback=True)
    ledger.append(edit(files=(changed(whole),)))
    ledger.close()
    assert "+0 -0, 1 whole" in shell("trace", "stats").out


def test_plain_letters_draw_where_blocks_cannot_be_shown(
    shell: Shell, days: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert days
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    shell("trace", "stats")
    out.flush()
    text = raw.getvalue().decode()
    assert "INT-001  4      @..@" in text
    assert "\\u" not in text
