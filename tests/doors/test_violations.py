"""Violations: what is shown, how severe, what a record decides (requirements section 8)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.findings import Severity
from intent_lsp.core.gate.violations import MarkedRun
from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Integrity,
    MutationClass,
    Range,
    Record,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.governance.violations.file_violations import file_violations, runs_of_record
from intent_lsp.governance.violations.violation import Violation
from tests.governance.editor import INTENTS, Editor

HUNK = Hunk(old_start=0, old_count=1, new_start=0, new_count=1)
RUNS = (MarkedRun(0, 2, HUNK), MarkedRun(5, 5))


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    (tmp_path / ".orchestration").mkdir()
    (tmp_path / ".orchestration/active_intents.yaml").write_text(INTENTS)
    (tmp_path / "a.py").write_text("x\n")
    opened = Editor.open(tmp_path)
    yield opened
    opened.close()


def _record(*ranges: tuple[int, int]) -> Record:
    runs = tuple(Range(start_line=a, end_line=b, content_hash=EMPTY_HASH) for a, b in ranges)
    talk = Conversation(url="s", contributor=Contributor(EntityType.HUMAN, "human"), ranges=runs)
    file = RecordFile(
        relative_path="a.py", pre_hash=None, post_hash=EMPTY_HASH, conversations=(talk,)
    )
    return Record(
        session_id="s",
        tool_name="editor/save",
        mutation_class=MutationClass.INTENT_EVOLUTION,
        scope_validation=ScopeValidation.FAIL,
        files=(file,),
        id="r",
        timestamp="2026-02-16T12:00:00.000Z",
        integrity=Integrity(prev_record_hash=None, record_hash=EMPTY_HASH),
    )


def test_each_run_is_a_problem_with_the_refusals_words(editor: Editor) -> None:
    editor.select("INT-001")
    shown = file_violations(editor.root, editor.look("a.py"), RUNS)
    assert [(problem.first_line, problem.last_line, problem.hunk) for problem in shown] == [
        (0, 2, HUNK),
        (5, 5, None),
    ]
    assert {(problem.code, problem.message, problem.intent_id) for problem in shown} == {
        (
            "SCOPE_VIOLATION",
            "a.py is outside the scope of INT-001 (Auth).",
            "INT-001",
        )
    }


def test_nothing_is_shown_without_a_run_or_a_refusal(editor: Editor) -> None:
    assert file_violations(editor.root, editor.look("a.py"), ()) == ()
    (editor.root / "lib").mkdir()
    (editor.root / "lib/a.py").write_text("x\n")
    editor.select("INT-004")
    assert file_violations(editor.root, editor.look("lib/a.py"), RUNS) == ()


def test_an_intent_without_a_scope_is_pointed_at_by_its_id(editor: Editor) -> None:
    text = 'active_intents:\n- id: "LONE"\n'
    (editor.root / ".orchestration/active_intents.yaml").write_text(text)
    editor.select("LONE")
    (problem,) = file_violations(editor.root, editor.look("a.py"), RUNS[:1])
    (place,) = problem.elsewhere
    assert place.span.start.line == 1
    assert place.message == "The files that LONE owns are listed here"


def test_an_intent_that_has_no_place_is_not_pointed_at(editor: Editor) -> None:
    editor.select("INT-001")
    look = editor.look("a.py")
    rules = replace(look.judgement.rules, file=replace(look.judgement.rules.file, places={}))
    look = replace(look, judgement=replace(look.judgement, rules=rules))
    assert file_violations(editor.root, look, RUNS[:1])[0].elsewhere == ()


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        (GateCode.SCOPE_VIOLATION, Severity.ERROR),
        (GateCode.INTENT_IGNORED, Severity.ERROR),
        (GateCode.INTENT_CLOSED, Severity.ERROR),
        (GateCode.STALE_FILE, Severity.ERROR),
        (GateCode.NO_ACTIVE_INTENT, Severity.WARNING),
        (ShownCode.CONTROL_PLANE_EDIT, Severity.WARNING),
        (ShownCode.MORE_VIOLATIONS, Severity.INFORMATION),
    ],
)
def test_a_problem_is_as_loud_as_its_code(code: str, severity: Severity) -> None:
    problem = Violation(code=code, message="", first_line=0, last_line=0, path="a")
    assert problem.severity is severity


@pytest.mark.parametrize(
    ("ranges", "lines", "runs"),
    [
        ([(1, 1)], 3, [(0, 0)]),
        ([(1, 2), (3, 3)], 3, [(0, 1), (2, 2)]),
        # An empty file is told as the range 0-0.
        ([(0, 0)], 0, [(0, 0)]),
        # The text has become shorter since.
        ([(5, 9)], 2, [(1, 1)]),
        ([], 3, []),
    ],
)
def test_a_records_ranges_are_runs_of_lines(
    ranges: list[tuple[int, int]], lines: int, runs: list[tuple[int, int]]
) -> None:
    record = _record(*ranges)
    (file,) = record.files
    record = replace(record, files=(replace(file, relative_path="b.py"), file))
    found = runs_of_record(record, WorkspacePath("a.py"), lines)
    assert [(run.first_line, run.last_line) for run in found] == runs


def test_a_file_takes_no_more_room_than_is_left_and_says_how_many_are_not_shown(
    editor: Editor,
) -> None:
    look = editor.look("a.py")
    runs = [MarkedRun(line, line) for line in range(0, 300, 2)]
    for room, shown in ((1_000, 100), (3, 3), (0, 0)):
        found = file_violations(editor.governance.root, look, runs, room)
        assert [p.code for p in found] == [GateCode.NO_ACTIVE_INTENT] * shown + [
            ShownCode.MORE_VIOLATIONS
        ]
        assert found[-1].message.startswith(f"{150 - shown} more ")
        assert found[-1].first_line == 2 * shown
