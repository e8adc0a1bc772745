"""`trace import`: what other tools recorded is taken over once, and nothing is lost unseen."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, POLICY_FILE
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import Record, RelatedEntry
from intent_lsp.store.ledger.index.queries import Query
from tests.doors.cli.conftest import Said, Shell
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines

DIALECTS = Path(__file__).parent.parent.parent / "formats/data/dialects"
NAMES = {"nested_chained": 3, "nested_bare": 2, "nested_then_chained": 3, "flat": 3}

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the file is Linux's")

each_dialect = pytest.mark.parametrize(
    ("name", "count"), [*NAMES.items(), ("agent_trace", 2)], ids=[*NAMES, "agent_trace"]
)


def imported(shell: Shell, name: str, *options: str) -> Said:
    said = shell("trace", "import", str(DIALECTS / f"{name}.jsonl"), *options)
    assert said.status == 0
    return said


def counted(said: Said) -> tuple[int, int, int]:
    return said.json["added"], said.json["known"], said.json["unread"]


def records(root: Path) -> list[Record]:
    """Give all records, oldest first, of a ledger that verifies."""
    ledger = ledger_at(root)
    found = ledger.index.query(Query(), limit=1000).records
    assert ledger.verify().ok
    ledger.close()
    return [*found[::-1]]


def test_what_an_import_makes_for_itself_is_ignored_by_git(shell: Shell, root: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    shutil.rmtree(root / LOCAL_ROOM, ignore_errors=True)
    (root / ".orchestration/.gitignore").unlink(missing_ok=True)
    imported(shell, "flat")
    done = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=root, check=True, capture_output=True, text=True
    )
    assert LEDGER_FILE in done.stdout
    assert "/.local/" not in done.stdout


@each_dialect
def test_each_dialect_is_taken_over_once(shell: Shell, root: Path, name: str, count: int) -> None:
    assert counted(imported(shell, name, "--json")) == (count, 0, 0)
    lines = lines_of(root)
    assert len(records(root)) == len(lines) == count
    assert all(b"rfc8785" in line for line in lines)
    assert counted(imported(shell, name, "--json")) == (0, count, 0)
    assert lines_of(root) == lines


@each_dialect
def test_a_dry_run_writes_nothing(shell: Shell, root: Path, name: str, count: int) -> None:
    said = imported(shell, name, "--json", "--dry-run")
    assert counted(said) == (count, 0, 0)
    assert not (root / LEDGER_FILE).exists()
    assert imported(shell, name, "--json").json == said.json


def test_ids_and_times_are_kept_and_records_say_where_they_are_from(
    shell: Shell, root: Path
) -> None:
    imported(shell, "nested_bare")
    first, second = records(root)
    assert (first.id[-2:], second.id[-2:]) == ("11", "12")
    assert first.timestamp == "2026-02-15T12:00:01.000Z"
    assert second.integrity.prev_record_hash == first.integrity.record_hash
    assert RelatedEntry("imported", "nested") in first.files[0].conversations[0].related


def test_older_times_are_no_error(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit())
    ledger.close()
    imported(shell, "flat")
    ledger = ledger_at(root)
    found = ledger.verify()
    ledger.close()
    assert found.ok
    assert [each.severity for each in found.problems] == [Severity.INFORMATION]


def test_people_are_told_what_was_left_behind(shell: Shell, root: Path) -> None:
    assert root.is_dir()
    said = imported(shell, "agent_trace")
    assert said.err == ""
    assert said.out.startswith(
        ".orchestration/agent_trace.jsonl: 2 added, 0 already here, 0 not records\n"
        "  2 agent-trace\n\nData left out"
    )
    assert "files[].conversations[].ranges[].content_hash (no SHA-256)" in said.out
    again = imported(shell, "agent_trace", "--dry-run")
    assert "0 would be added, 2 already here" in again.out
    assert "Data left out" not in again.out


def test_a_line_that_is_no_record_is_named(shell: Shell, root: Path) -> None:
    good = (DIALECTS / "flat.jsonl").read_text().splitlines()[0]
    (root / "odd.jsonl").write_text(f'{{"a":1}}\n\n{good}\n[1]\nnothing\x1b[2J\n{{"timestamp"')
    said = shell("trace", "import", "odd.jsonl", "--json")
    assert counted(said) == (1, 0, 4)
    assert [each["line"] for each in said.json["unreadLines"]] == [1, 4, 5, 6]
    assert [line.split(": ")[1] for line in said.err.splitlines()] == [
        f"odd.jsonl:{number}" for number in (1, 4, 5, 6)
    ]
    assert "\x1b" not in said.err
    assert len(records(root)) == 1


def test_many_lines_that_are_none_are_all_named_and_some_listed(shell: Shell, root: Path) -> None:
    (root / "odd.jsonl").write_text("x\n" * 150)
    said = shell("trace", "import", "odd.jsonl", "--json")
    assert said.err.count("\n") == 150
    assert len(said.json["unreadLines"]) == 100


def test_names_without_number_are_counted_together(shell: Shell, root: Path) -> None:
    plain = {"timestamp": "2026-02-16T12:00:00Z", "files": []}
    lines = [json.dumps(plain | {f"k{n}-{i}": 1 for i in range(90)}) for n in range(12)]
    (root / "many.jsonl").write_text("\n".join(lines))
    said = shell("trace", "import", "many.jsonl", "--json")
    assert counted(said) == (12, 0, 0)
    assert said.json["leftOut"]["(others)"] == 80


def test_one_id_on_several_lines_is_a_record_each(shell: Shell, root: Path) -> None:
    line = json.loads((DIALECTS / "flat.jsonl").read_text().splitlines()[0])
    paths = [{"relative_path": name, "pre_hash": None, "post_hash": None} for name in "aba"]
    text = "".join(json.dumps(line | {"file": path}) + "\n" for path in paths)
    (root / "several.jsonl").write_text(text)
    assert counted(shell("trace", "import", "several.jsonl", "--json")) == (2, 1, 0)
    assert [record.files[0].path for record in records(root)] == ["a", "b"]
    assert counted(shell("trace", "import", "several.jsonl", "--json")) == (0, 3, 0)


def test_one_id_on_lines_without_files_is_a_record_each(shell: Shell, root: Path) -> None:
    line = json.loads((DIALECTS / "flat.jsonl").read_text().splitlines()[1])
    text = "".join(json.dumps(line | {"error": error}) + "\n" for error in ("no", "never", "no"))
    (root / "several.jsonl").write_text(text)
    assert counted(shell("trace", "import", "several.jsonl", "--json")) == (2, 1, 0)
    assert [record.error for record in records(root)] == ["no", "never"]
    # Nothing on the first of them says that it was imported, so that its id is taken for ours.
    assert counted(shell("trace", "import", "several.jsonl", "--json")) == (0, 3, 0)


@pytest.mark.parametrize("form", ["agent-trace", "flat", "json"])
def test_what_was_exported_here_is_here_already(shell: Shell, root: Path, form: str) -> None:
    ledger = ledger_at(root)
    ledger.append(edit(files=(edit("a").files[0], edit("b").files[0])))
    ledger.append(edit(files=()))
    ledger.close()
    shell("trace", "export", "--format", form, "--output", "out.jsonl")
    said = shell("trace", "import", "out.jsonl", "--json")
    assert (said.json["added"], said.json["unread"]) == (0, 0)
    assert len(lines_of(root)) == 2


def test_an_export_is_taken_over_by_another_root(shell: Shell, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    ledger = ledger_at(other)
    made = [ledger.append(edit(f"src/{name}.py")) for name in "abc"]
    ledger.close()
    (root / "theirs.jsonl").write_bytes((other / LEDGER_FILE).read_bytes())
    said = shell("trace", "import", "theirs.jsonl", "--json")
    assert said.json["leftOut"] == {"integrity": 3}
    found = records(root)
    assert [(each.id, each.timestamp) for each in found] == [
        (each.id, each.timestamp) for each in made
    ]
    assert [each.files[0].conversations[0].ranges for each in found] == [
        each.files[0].conversations[0].ranges for each in made
    ]


def test_an_older_ledger_in_its_place_is_here_already(shell: Shell, root: Path) -> None:
    put_lines(root, (DIALECTS / "nested_bare.jsonl").read_bytes().splitlines(keepends=True))
    assert counted(imported(shell, "nested_bare", "--json")) == (0, 2, 0)


def test_many_records_are_taken_over_in_parts(shell: Shell, root: Path) -> None:
    line = json.loads((DIALECTS / "nested_bare.jsonl").read_text().splitlines()[0])
    lines = [json.dumps(line | {"id": f"n{number}"}) for number in range(1100)]
    (root / "many.jsonl").write_text("\n".join(lines))
    assert counted(shell("trace", "import", "many.jsonl", "--json", "--dry-run")) == (1100, 0, 0)
    assert counted(shell("trace", "import", "many.jsonl", "--json")) == (1100, 0, 0)
    assert len(records(root)) == 1000
    assert len(lines_of(root)) == 1100


def test_records_come_through_standard_input(
    shell: Shell, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (DIALECTS / "flat.jsonl").read_bytes() + b"no\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    said = shell("trace", "import", "-", "--json")
    assert counted(said) == (3, 0, 1)
    assert "standard input:4: " in said.err
    assert len(records(root)) == 3


def test_sessions_are_hashed_where_the_team_wants_that(shell: Shell, root: Path) -> None:
    (root / POLICY_FILE).write_text("privacy:\n  session_ids: hashed\n")
    imported(shell, "nested_bare")
    assert {each.session_id for each in records(root)} == {hashed_session("task-7")}
    assert counted(imported(shell, "nested_bare", "--json")) == (0, 2, 0)


@pytest.mark.parametrize("privacy", ["session_ids: hashed", "urls: drop"])
@pytest.mark.parametrize("strict_first", [False, True])
def test_a_line_is_known_after_the_privacy_has_changed(
    shell: Shell, root: Path, privacy: str, *, strict_first: bool
) -> None:
    policies = ["", f"privacy:\n  {privacy}\n"]
    for number, policy in enumerate(reversed(policies) if strict_first else policies):
        (root / POLICY_FILE).write_text(policy)
        expected = (0, 2, 0) if number else (2, 0, 0)
        assert counted(imported(shell, "agent_trace", "--json")) == expected


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("gone.jsonl", "No such file"),
        (".", "directory"),
        ("a\0", "null"),
        # A file of Linux that opens and cannot be read from its beginning.
        pytest.param("/proc/self/mem", "rror", marks=LINUX),
    ],
)
def test_what_cannot_be_read_is_told(shell: Shell, root: Path, name: str, why: str) -> None:
    assert root.is_dir()
    assert why in shell("trace", "import", name).problem


def test_an_older_ledger_is_listed_and_shown(shell: Shell, root: Path) -> None:
    put_lines(root, (DIALECTS / "nested_chained.jsonl").read_bytes().splitlines(keepends=True))
    listed = shell("trace", "list")
    assert (listed.status, listed.out.count("EXEMPT")) == (0, 3)
    told = [json.loads(line) for line in shell("trace", "list", "--json").out.split("\n")[:-1]]
    assert [each["id"][-1] for each in told] == ["3", "2", "1"]
    assert "canonical" not in told[0]["integrity"]
    for each in told:
        assert each["id"] in shell("trace", "show", each["id"]).out
        assert json.loads(shell("trace", "show", each["id"], "--json").out) == each
    verified = shell("trace", "verify")
    assert verified.status == 0
    assert "OLDER_RECORDS" in verified.out
