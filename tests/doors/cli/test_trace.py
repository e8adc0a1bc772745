"""`intent-lsp trace list`, `show` and `verify`."""

import json
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.approvals import Approval, ApprovalChoice, Grant
from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import CONTROL_ROOM, INTENTS_FILE, LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import (
    AstFingerprint,
    MutationClass,
    Range,
    Record,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.store.ledger.ledger import Ledger
from tests.doors.cli.conftest import Shell, Terminal
from tests.support.ledgers import (
    HASH,
    chained,
    edit,
    ledger_at,
    lines_of,
    new_id,
    put_lines,
)
from tests.support.repository import Repository

PLAIN = edit().files[0]
TALK = PLAIN.conversations[0]


def changed(*ranges: Range, **told: object) -> RecordFile:
    file = replace(PLAIN, conversations=(replace(TALK, ranges=ranges),))
    return replace(file, **told)  # type: ignore[arg-type]  # a test's shorthand


def run_of(start: int, end: int, replaced: tuple[int, int, int] | None = None) -> Range:
    return Range(start_line=start, end_line=end, content_hash=HASH, replaced=replaced)


@pytest.fixture
def records(root: Path) -> list[Record]:
    """Give three records, oldest first."""
    ledger = ledger_at(root)
    events = [
        edit("src/a.py"),
        edit("src/b.py", intent_id="OLD-1", scope_validation=ScopeValidation.FAIL),
        edit("docs/ü.md", intent_id="INT-009", session_id="s2"),
    ]
    made = [ledger.append(event) for event in events]
    ledger.close()
    return made


def ids(out: str) -> list[str]:
    return [json.loads(line)["id"] for line in out.splitlines()]


def test_records_are_listed_newest_first_in_aligned_columns(
    shell: Shell, records: list[Record]
) -> None:
    said = shell("trace", "list")
    assert (said.status, said.err) == (0, "")
    a, b, c = (record.id[:8] for record in records)
    assert said.out.splitlines() == [
        "When                 Intent                   Verdict  File       Lines  Tool         Id",
        "2026-11-21 20:27:35  INT-009 INTENT_ARCHIVED  PASS     docs/ü.md  +1 -0  editor/save  "
        + c,
        "2026-11-21 20:27:34  OLD-1                    FAIL     src/b.py   +1 -0  editor/save  "
        + b,
        "2026-11-21 20:27:33  INT-001                  PASS     src/a.py   +1 -0  editor/save  "
        + a,
    ]


def test_json_is_the_ledgers_own_lines(shell: Shell, root: Path, records: list[Record]) -> None:
    said = shell("trace", "list", "--json")
    assert said.out.encode().splitlines(keepends=True) == lines_of(root)[::-1]
    assert len(records) == 3


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("--intent INT-001", [1, 0]),
        ("--intent OLD-1", [1, 0]),
        ("--intent INT-009", [2]),
        ("--intent NONE", []),
        ("--session s2", [2]),
        ("--path src/b.py", [1]),
        ("--path ./docs/../src/b.py", [1]),
        ("--since 2026-11-21T20:27:34Z", [2, 1]),
        ("--since 2026-11-21T21:27:35.123+01:00", [2]),
        ("--since 2026-11-21", [2, 1, 0]),
        ("--since 2026-11-22", []),
        ("--limit 2", [2, 1]),
        ("--limit 0", [2, 1, 0]),
        ("--limit 7", [2, 1, 0]),
    ],
)
def test_each_option_narrows(
    shell: Shell, records: list[Record], words: str, found: list[int]
) -> None:
    said = shell("trace", "list", "--json", *words.split())
    assert ids(said.out) == [records[place].id for place in found]


def test_all_records_are_read_page_by_page(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    made = [ledger.append(edit()).id for _ in range(501)]
    ledger.close()
    assert ids(shell("trace", "list", "--json", "--limit", "0").out) == made[::-1]
    assert ids(shell("trace", "list", "--json", "--limit", "501").out) == made[::-1]


def test_a_time_ago_is_counted_from_now(shell: Shell, root: Path) -> None:
    now = datetime.now(UTC)
    moments = iter([now - timedelta(hours=5), now - timedelta(minutes=5)])
    ledger = Ledger(root, lambda: next(moments), new_id)
    old, young = (ledger.append(edit()).id for _ in range(2))
    ledger.close()
    for ago, found in [("2h", [young]), ("1w", [young, old]), ("3d", [young, old]), ("9s", [])]:
        assert ids(shell("trace", "list", "--json", "--since", ago).out) == found


@pytest.mark.parametrize("when", ["", "yesterday", "2x", "99999999999999d", "0001-01-01T00:00Z9"])
def test_what_is_no_moment_is_refused(shell: Shell, root: Path, when: str) -> None:
    assert root.is_dir()
    assert "is not a date or time; say 2h, 3d" in shell("trace", "list", f"--since={when}").problem


def test_the_root_is_found_from_below_and_paths_are_named_from_where_one_stands(
    shell: Shell, root: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    assert ids(shell("trace", "list", "--json", "--path", "b.py").out) == [records[1].id]
    monkeypatch.chdir(root.parent)
    for option in ("-C", "--root"):
        words = ("trace", "list", "--json", option, "repo/src", "--path", "b.py")
        assert ids(shell(*words).out) == [records[1].id]
    assert "is not below" in shell("trace", "list", "-C", "repo", "--path", "../x").problem


@pytest.mark.parametrize("command", ["list", "verify", "show 1"])
def test_without_governance_there_is_a_cure(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = shell("trace", *command.split()).problem
    assert f"{tmp_path} is not governed" in problem
    assert "run `intent-lsp init`" in problem
    assert list(tmp_path.iterdir()) == []


def test_asking_writes_nothing_but_the_index(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    shutil.rmtree(root / LOCAL_ROOM)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    for words in ("list", f"show {records[0].id}", "verify"):
        assert shell("trace", *words.split()).status == 0
    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    new = {path.relative_to(root / LOCAL_ROOM).name for path in after.keys() - before.keys()}
    assert before.items() <= after.items()
    # A verification remembers what it saw the ledger end with.
    assert {name.partition(".")[0] for name in new} == {"index", "known_heads"}


@pytest.mark.parametrize("command", ["list", "stats"])
def test_what_a_question_makes_for_itself_is_ignored_by_git(
    shell: Shell, project: Repository, command: str
) -> None:
    put_lines(project.root, chained(["one", "two"]))
    shutil.rmtree(project.root / LOCAL_ROOM, ignore_errors=True)
    (project.root / CONTROL_ROOM / ".gitignore").unlink(missing_ok=True)
    assert shell("trace", command).status == 0
    assert (project.root / LOCAL_ROOM).is_dir()
    project.git("add", "--all")
    assert LOCAL_ROOM not in project.git("ls-files")


def test_without_records_nothing_is_written_at_all(shell: Shell, root: Path) -> None:
    said = shell("trace", "list")
    assert (said.status, said.out) == (0, "")
    assert said.err == "intent-lsp: nothing to show: the ledger has no record yet\n"
    assert shell("trace", "verify").status == 0
    assert [path.name for path in root.rglob("*")] == [".orchestration", "active_intents.yaml"]


def test_flags_follow_the_intents_file(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    record = ledger.append(edit(intent_hash=hash_content(b"other")))
    ledger.append(edit(intent_id=None))
    ledger.close()
    assert "INT-001 INTENT_CHANGED " in shell("trace", "list").out
    shown = shell("trace", "show", record.id).out
    assert "INTENT_CHANGED: the intent's text has changed since" in shown
    (root / INTENTS_FILE).write_text("active_intents: []\n")
    assert "INT-001 INTENT_ARCHIVED " in shell("trace", "list").out
    # A file that cannot be read says nothing of any intent, nor does one that is gone.
    (root / INTENTS_FILE).write_text("active_intents: [\n")
    assert "INTENT_" not in shell("trace", "list").out
    (root / INTENTS_FILE).unlink()
    assert "INTENT_" not in shell("trace", "list").out


def test_the_file_and_its_lines_are_summed_up(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    for files in (
        (changed(run_of(1, 3, (1, 1, 3)), run_of(9, 9, (9, 4, 0))),),
        (changed(run_of(2, 4)), changed(run_of(1, 1, (1, 1, 1)), relative_path="src/z.py")),
        (changed(Range(start_line=1, end_line=9, content_hash=HASH, fallback=True)),),
        (changed(run_of(0, 0)),),
        (changed(previous_path="src/old.py", relative_path="src/new.py"),),
        (),
    ):
        ledger.append(edit(files=files))
    ledger.append(edit(success=False, error="disk full", files=(changed(),)))
    ledger.close()
    rows = [
        line[30:].split("editor")[0].split() for line in shell("trace", "list").out.splitlines()
    ]
    assert rows[1:] == [
        ["PASS", "(failed)", "src/a.py"],
        ["PASS", "-"],
        ["PASS", "src/old.py", "->", "src/new.py"],
        ["PASS", "src/a.py", "+0", "-0"],
        ["PASS", "src/a.py", "whole", "file"],
        ["PASS", "src/a.py", "(+1)", "+4", "-1"],
        ["PASS", "src/a.py", "+3", "-5"],
    ]


def test_a_hostile_name_is_spelled_out(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit("a\x1b]0;x\x07\u202eb.py", tool_name="x\ny"))
    ledger.close()
    out = shell("trace", "list").out
    assert "a\\x1b]0;x\\x07\\u202eb.py" in out
    assert "x\\ny" in out
    assert out.count("\n") == 2


def test_one_record_is_shown_in_words(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    first = ledger.append(edit())
    record = ledger.append(
        edit(
            intent_hash=HASH,
            agent_id="sub",
            concurrent_modification=True,
            approval=Approval(choice=ApprovalChoice.ONCE, session_id="s9"),
            files=(
                changed(
                    run_of(2, 4, (2, 1, 3)),
                    run_of(6, 6, (7, 0, 1)),
                    run_of(8, 8, (9, 2, 0)),
                    run_of(9, 9),
                    previous_path="src/old.py",
                    ast_fingerprint=AstFingerprint(
                        parser="tree-sitter", language="python", summary_hash=HASH
                    ),
                ),
                changed(run_of(0, 0), relative_path="src/empty.py", pre_hash=HASH),
                changed(
                    Range(start_line=1, end_line=2, content_hash=HASH, fallback=True),
                    relative_path="src/big.bin",
                ),
            ),
        )
    )
    ledger.close()
    out = shell("trace", "show", record.id).out
    for told in (
        f"record      {record.id}\n",
        "2026-11-21 20:27:34 +0000 (2026-11-21T20:27:34.123Z)\n",
        "s1, subagent sub\n",
        f"the intent's text had the hash {HASH}\n",
        "INTENT_EVOLUTION (inferred)\n",
        "somebody else changed one of",
        "once, by a person in session s9\n",
        "src/a.py +5 -3\n",
        "was src/old.py\n",
        "before no file, or not known\n",
        f"hash of the file's python definitions: {HASH}\n",
        "HUMAN human, s1\n",
        "specification INT-001\n",
        f"2-4 (before the edit: 2) {HASH}\n",
        f"6 new {HASH}\n",
        "2 removed, from line 9 on (now next to line 8) ",
        f"9 {HASH}\n",
        "the edit left the file without lines ",
        "the whole file, not compared line by line ",
        f"follows     {first.integrity.record_hash}\n",
    ):
        assert told in out
    assert "nothing: it is the first" in shell("trace", "show", first.id).out
    assert json.loads(shell("trace", "show", record.id, "--json").out)["id"] == record.id


def test_what_is_rarely_there_is_shown_too(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    grant = Grant(patterns=("a/**", "b"), reason=None, granted_by="s1", expires_at=None)
    granted = ledger.append(
        edit(
            grant=grant,
            files=(),
            mutation_class=MutationClass.CONFIGURATION,
            scope_validation=ScopeValidation.EXEMPT,
        )
    )
    failed = ledger.append(edit(success=False, inferred=False, intent_id=None, files=()))
    ledger.close()
    out = shell("trace", "show", granted.id).out
    assert "a/**, b until taken back, by s1\n" in out
    assert "no reason was given" in out
    out = shell("trace", "show", failed.id).out
    assert "intent    none\n" in out
    assert "failed    no reason was given" in out
    assert "change    INTENT_EVOLUTION\n" in out


def test_the_heads_that_a_record_ties_are_shown(shell: Shell, root: Path) -> None:
    ledger = ledger_at(root)
    ledger.append(edit())
    base = lines_of(root)
    ledger.append(edit())
    ours = lines_of(root)
    put_lines(root, base)
    ledger.append(edit())
    put_lines(root, [*ours, lines_of(root)[-1]])
    tied = ledger.append(edit())
    ledger.close()
    assert f"ties      {tied.integrity.merges[0]}\n" in shell("trace", "show", tied.id).out


def test_the_first_digits_of_an_id_are_enough_while_they_mean_one(shell: Shell, root: Path) -> None:
    given = iter(f"aaaa{n:04x}-0000-4000-8000-{n:012x}" for n in range(7))
    ledger = Ledger(root, lambda: datetime.now(UTC), lambda: next(given))
    made = [ledger.append(edit()).id for _ in range(7)]
    ledger.close()
    for digits in (made[3], "aaaa0003", "AAAA0003-0000", "aaaa000300004000800000"):
        assert shell("trace", "show", digits, "--json").json["id"] == made[3]
    problem = shell("trace", "show", "aaaa").problem
    assert "more than one id begins with aaaa" in problem
    assert f"{made[0]}, {made[1]}" in problem
    assert "give more digits" in problem
    assert f"{made[4]}, …; " in problem
    for digits in ("bbbb", "", "not hex", "aaaa0003-0000-4000-8000-00000000000f"):
        assert "no record's id begins with" in shell("trace", "show", digits).problem


def test_a_sound_ledger_verifies(shell: Shell, root: Path, records: list[Record]) -> None:
    said = shell("trace", "verify")
    assert said.status == 0
    head = records[-1].integrity.record_hash
    assert said.out.splitlines() == [
        f"{LEDGER_FILE}: 3 records",
        "verdict            Intact: all hashes and links match.",
        "proven             nothing: there is no commit, checkpoint or other hash to compare with",
        "not proven         someone with write access could have rewritten all 3 records",
        "not provable here  that every edit was recorded, and that clocks were right",
        f"head               {head} {LEDGER_FILE}:3",
    ]
    told = shell("trace", "verify", "--json").json
    assert told["ok"] is True
    assert told["heads"] == [head]
    assert (told["records"], told["segments"], told["problems"]) == (3, 1, [])
    assert root.is_dir()


def test_a_changed_record_is_named_by_its_line(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    one, two, three = lines_of(root)
    put_lines(root, [one, two.replace(b"src/b.py", b"src/c.py"), three])
    said = shell("trace", "verify")
    assert said.status == 1
    assert f"BAD_HASH      {LEDGER_FILE}:2" in said.out
    assert "verdict            Broken" in said.out
    told = shell("trace", "verify", "--json")
    assert told.status == 1
    assert told.json["problems"][0] == {
        "code": "BAD_HASH",
        "severity": "error",
        "file": LEDGER_FILE,
        "line": 2,
        "message": "the record was changed after it was written",
    }
    assert len(records) == 3


def test_a_torn_tail_is_an_error_only_when_asked(
    shell: Shell, root: Path, records: list[Record]
) -> None:
    put_lines(root, [*lines_of(root), b'{"id":'])
    said = shell("trace", "verify")
    assert (said.status, said.err) == (0, "")
    assert "warning   TORN_TAIL" in said.out
    assert f"{LEDGER_FILE}: 3 records\n" in said.out
    strict = shell("trace", "verify", "--strict", "--json")
    assert strict.status == 1
    assert strict.json["ok"] is False
    assert strict.json["problems"][0]["severity"] == "error"
    assert len(records) == 3


def test_a_ledger_that_cannot_be_read_is_one_line(shell: Shell, root: Path) -> None:
    (root / LEDGER_FILE).mkdir()
    assert LEDGER_FILE in shell("trace", "list").problem
    said = shell("trace", "verify")
    assert said.status == 1
    assert "UNREADABLE_FILE" in said.out
    assert LEDGER_FILE in said.out


def test_a_person_is_told_that_there_may_be_more(
    shell: Shell, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert (
        "2 records shown, the newest that match; --limit 0"
        in shell("trace", "list", "--limit", "2").err
    )
    assert shell("trace", "list").err == ""
    assert len(records) == 3
