"""The filters of `trace list`, which narrow `trace stats` and `trace report` too."""

import re
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.records import (
    Contributor,
    EntityType,
    Event,
    Record,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.store.ledger.ledger import Ledger
from tests.doors.cli.conftest import Shell, Terminal
from tests.doors.cli.test_trace import ids
from tests.support.ledgers import edit, ledger_at, new_id

PLAIN = edit().files[0]


def by(author: Contributor, path: str = "src/a.py", **told: object) -> RecordFile:
    talk = replace(PLAIN.conversations[0], contributor=author)
    file = replace(PLAIN, relative_path=path, conversations=(talk,))
    return replace(file, **told)  # type: ignore[arg-type]  # a test's shorthand


CLAUDE = Contributor(EntityType.AI, "anthropic/claude-opus-4-5")
MIXED = Contributor(EntityType.MIXED, "anthropic/claude-opus-4-5")
HUMAN = Contributor(EntityType.HUMAN, "human")
EVENTS: tuple[Event, ...] = (
    edit("src/a.py"),
    edit("src/b.py", intent_id="OLD-1", scope_validation=ScopeValidation.FAIL),
    edit("docs/ü.md", intent_id="INT-009", session_id="s2"),
    edit(tool_name="write_to_file", files=(by(CLAUDE, "src/app/[slug]/page.tsx"),)),
    edit(tool_name="write_to_file", files=(by(CLAUDE, "lib/x.py"), by(HUMAN, "src/a.py"))),
    edit(files=(by(MIXED, "lib/y.py", previous_path="src/y.py"),)),
    edit(files=(), success=False, scope_validation=ScopeValidation.EXEMPT),
)


@pytest.fixture
def made(root: Path) -> list[str]:
    """Give the ids of seven records, oldest first, a second apart."""
    (root / "src" / "app").mkdir(parents=True)
    ledger = ledger_at(root)
    records = [ledger.append(event) for event in EVENTS]
    ledger.close()
    return [record.id for record in records]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", [6, 5, 4, 3, 2, 1, 0]),
        ("--intent INT-009", [2]),
        ("--intent INT-009 --intent OLD-1", [6, 5, 4, 3, 2, 1, 0]),
        ("--session s2", [2]),
        ("--path src/a.py", [4, 0]),
        ("--path src", [5, 4, 3, 1, 0]),
        ("--path src/", [5, 4, 3, 1, 0]),
        ("--path lib/", [5, 4]),
        ("--path lib", []),
        ("--path .", [5, 4, 3, 2, 1, 0]),
        ("--path src/*.py", [5, 4, 1, 0]),
        ("--path **/*.tsx", [3]),
        ("--path {lib,docs}/**", [5, 4, 2]),
        ("--path src/app/[slug]/page.tsx", [3]),
        ("--path src/app/[xyz]/page.tsx", []),
        ("--contributor AI", [4, 3]),
        ("--contributor human", [4, 2, 1, 0]),
        ("--contributor mixed", [5]),
        ("--contributor UNKNOWN", []),
        ("--contributor anthropic/claude-opus-4-5", [5, 4, 3]),
        ("--contributor Claude-Opus-4-5", [5, 4, 3]),
        ("--contributor claude", []),
        ("--tool write_to_file", [4, 3]),
        ("--tool editor", [6, 5, 2, 1, 0]),
        ("--tool editor/", [6, 5, 2, 1, 0]),
        ("--tool editor/save", [6, 5, 2, 1, 0]),
        ("--tool edit", []),
        ("--verdict FAIL", [1]),
        ("--verdict exempt", [6]),
        ("--failed", [6]),
        ("--since 2026-11-21T20:27:37Z", [6, 5, 4]),
        ("--until 2026-11-21T20:27:35.123Z", [1, 0]),
        ("--since 2026-11-21T20:27:35Z --until 2026-11-21T20:27:37Z", [3, 2]),
        ("--until 2026-11-21", []),
        ("--path src --contributor HUMAN --verdict PASS --limit 1", [4]),
        ("--limit 2", [6, 5]),
        ("--limit 2 --reverse", [5, 6]),
        ("--reverse", [0, 1, 2, 3, 4, 5, 6]),
        ("--reverse --tool editor --limit 3", [2, 5, 6]),
        ("--reverse --failed --verdict PASS", []),
    ],
)
def test_filters_narrow_together(
    shell: Shell, made: list[str], words: str, found: list[int]
) -> None:
    said = shell("trace", "list", "--json", *words.split())
    assert ids(said.out) == [made[place] for place in found]
    assert bool(said.err) == (not found)


def test_globs_begin_where_one_stands(
    shell: Shell, root: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "src")
    assert ids(shell("trace", "list", "--json", "--path", "?.py").out) == [
        made[place] for place in (5, 4, 1, 0)
    ]
    assert ids(shell("trace", "list", "--json", "--path", "../lib/*").out) == [made[5], made[4]]
    assert ids(shell("trace", "list", "--json", "--path", "..").out) == made[-2::-1]
    odd = root / "src" / "app" / "[slug]"
    odd.mkdir()
    monkeypatch.chdir(odd)
    assert ids(shell("trace", "list", "--json", "--path", "*.tsx").out) == [made[3]]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--verdict GOOD", "invalid choice: 'GOOD'"),
        ("--until whenever", "--until: whenever is not a date or time; say 2h, 3d"),
        ("--path ../elsewhere/*.py", "is not below"),
        (f"--path {'{a,b}' * 200}", "--path: the pattern is longer than"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(
    shell: Shell, root: Path, words: str, problem: str
) -> None:
    assert root.is_dir()
    assert problem in shell("trace", "list", *words.split()).problem


def test_a_path_that_is_no_path_is_refused(shell: Shell, root: Path) -> None:
    assert root.is_dir()
    assert "is not below" in shell("trace", "list", "--path", "a\0b").problem


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--intent INT-404", "no record matches --intent INT-404"),
        (
            "--session s2 --path src/a.py",
            "no record matches --session s2 together with --path src/a.py",
        ),
        (
            "--failed --verdict PASS",
            "no record matches --failed together with --verdict PASS",
        ),
        (
            "--tool nothing --failed",
            "no record matches --tool nothing together with --failed",
        ),
        ("--contributor UNKNOWN", "no record matches --contributor UNKNOWN"),
        ("--since 2030-01-01", "no record matches --since 2030-01-01"),
    ],
)
def test_where_nothing_is_left_the_filter_is_named_that_left_nothing(
    shell: Shell, made: list[str], words: str, why: str
) -> None:
    assert made
    for command in ("list", "stats"):
        said = shell("trace", command, *words.split())
        assert (said.status, said.out) == (0, "")
        assert said.err == f"intent-lsp: nothing to show: {why}\n"


def test_an_empty_ledger_needs_no_filter_to_leave_nothing(shell: Shell, root: Path) -> None:
    assert root.is_dir()
    for command in ("list", "stats"):
        said = shell("trace", command, "--intent", "INT-001")
        assert said.err == "intent-lsp: nothing to show: the ledger has no record yet\n"


def test_many_pages_are_read_in_either_direction(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    made = [ledger.append(edit()).id for _ in range(1_003)]
    ledger.close()
    for limit in (0, 499, 500, 501, 1000, 1003, 5000):
        newest = made[::-1][: limit or None]
        for narrowing in ((), ("--tool", "editor")):
            words = ("trace", "list", "--json", "--limit", str(limit), *narrowing)
            assert ids(shell(*words).out) == newest
            assert ids(shell(*words, "--reverse").out) == newest[::-1]
    lines = shell("trace", "list", "--limit", "0").out.splitlines()
    assert len(lines) == 1_004
    assert [line for line in lines if "Verdict" in line] == lines[:1]


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Tokyo"])
def zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """Live in a time zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


@pytest.mark.parametrize("year", [1, 9999])
def test_a_clock_at_an_end_of_the_calendar_stops_nothing(
    shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch, year: int, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    moment = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, 12, tzinfo=UTC)
    moments = [datetime(2026, 11, 21, tzinfo=UTC), moment]
    clock = iter([moment.replace(hour=0 if year == 1 else 23) for moment in moments])
    ledger = Ledger(root, lambda: next(clock), new_id)
    records = [ledger.append(edit()) for _ in moments]
    ledger.close()
    assert shell("trace", "list").out.count("editor/save") == 2
    assert shell("trace", "list", "--reverse", "--json").out.count("\n") == 2
    assert shell("trace", "stats").status == shell("trace", "stats", "--by", "day").status == 0
    assert shell("trace", "report", "--html", "-").status == 0
    assert shell("trace", "show", records[1].id).status == 0
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert shell("trace", "list").status == 0


def test_on_a_terminal_records_stand_below_their_days(
    shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    ledger = ledger_at(root)
    records: list[Record] = [ledger.append(edit()) for _ in range(2)]
    ledger.close()
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    shell("trace", "list")
    text = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    rows = [line.split() for line in text.splitlines()]
    assert rows[1] == ["Sat", "2026-11-21"]
    assert [row[0] for row in rows[2:]] == ["20:27:34", "20:27:33"]
    assert [row[-1] for row in rows[2:]] == [record.id[:8] for record in records[::-1]]
