"""Runs of lines of a hunk, followed into a later version; fingerprints that stay."""

from intent_lsp.core.check.report import Fingerprints, LineRun, later_run, run_of_hunk
from intent_lsp.core.line_diff import Hunk


def hunk(old: int, old_count: int, new: int, new_count: int) -> Hunk:
    return Hunk(old_start=old, old_count=old_count, new_start=new, new_count=new_count)


def test_a_hunk_is_its_new_lines_or_the_line_above_a_deletion() -> None:
    assert run_of_hunk(hunk(4, 1, 4, 2)) == LineRun(5, 6)
    assert run_of_hunk(hunk(4, 2, 4, 0)) == LineRun(4, 4)
    assert run_of_hunk(hunk(0, 2, 0, 0)) == LineRun(1, 1)


def test_a_run_moves_with_the_lines_above_it() -> None:
    assert later_run(LineRun(5, 6), []) == LineRun(5, 6)
    assert later_run(LineRun(5, 6), [hunk(0, 0, 0, 3)]) == LineRun(8, 9)
    assert later_run(LineRun(5, 6), [hunk(0, 2, 0, 0)]) == LineRun(3, 4)
    assert later_run(LineRun(5, 6), [hunk(8, 1, 8, 4)]) == LineRun(5, 6)


def test_a_run_shrinks_to_the_lines_that_are_left() -> None:
    assert later_run(LineRun(5, 7), [hunk(4, 1, 4, 1)]) == LineRun(6, 7)
    assert later_run(LineRun(5, 7), [hunk(5, 1, 5, 2)]) == LineRun(5, 8)
    assert later_run(LineRun(5, 7), [hunk(0, 10, 0, 10)]) is None


def test_a_fingerprint_stays_and_equal_findings_differ() -> None:
    first, second = Fingerprints(), Fingerprints()
    one = first.of("SCOPE_VIOLATION", "a.py", ["x\n"])
    assert len(one) == 32
    assert second.of("SCOPE_VIOLATION", "a.py", ["x\n"]) == one
    others = [
        first.of("SCOPE_VIOLATION", "a.py", ["x\n"]),
        first.of("SCOPE_VIOLATION", "b.py", ["x\n"]),
        first.of("PATH_DENIED", "a.py", ["x\n"]),
        first.of("SCOPE_VIOLATION", "a.py", ["x\n", ""]),
        first.of("SCOPE_VIOLATION", "b\udcff.py", ["x\n"]),
        first.of("SCOPE_VIOLATION", None, []),
    ]
    assert len({one, *others}) == len(others) + 1
    assert second.of("SCOPE_VIOLATION", "a.py", ["x\n"]) == others[0]
