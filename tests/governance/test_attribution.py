"""Scripts of edits by all kinds of hands, and what blame says of each line afterwards.

`python -m benchmarks.attribution` prints the figures, with those of `git blame` beside them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent_lsp.core.blame.attribution import Confidence
from tests.support.edited_tree import KINDS, Answer, Verdict, run_script

STEPS = 14
SCRIPTS = 20
"""Of each kind in the slow lane; one of each, and four more of everything, in the gate."""

FEW = [*((kind, 0) for kind in KINDS), *(("everything", seed) for seed in range(1, 5))]


def answers(tmp_path: Path, kind: str, seed: int) -> Iterator[Answer]:
    tree = run_script(tmp_path / f"{seed}", kind, seed, STEPS)
    try:
        by_blame, by_lines = tree.lines_of_intent()
        assert by_blame == by_lines, tree.log
        yield from tree.answers()
    finally:
        tree.close()


def count(found: list[Answer], *verdicts: Verdict) -> int:
    return sum(answer.verdict in verdicts for answer in found)


def holds(found: list[Answer]) -> None:
    """The aims of the whole, on lines with a letter or digit."""
    shown = Counter((answer.confidence.value, answer.verdict.value) for answer in found)
    exact = [answer for answer in found if answer.confidence is Confidence.EXACT]
    moved = [answer for answer in found if answer.confidence is Confidence.MOVED]
    assert count(exact, Verdict.WRONG) <= min(0.003 * len(found), 0.01 * len(exact)), shown
    assert count(moved, Verdict.WRONG) <= 0.05 * len(moved), shown
    assert count(found, Verdict.RIGHT, Verdict.TWIN) >= 0.985 * len(found), shown


@pytest.mark.parametrize(("kind", "seed"), FEW)
def test_who_wrote_a_line_is_told_rightly(tmp_path: Path, kind: str, seed: int) -> None:
    holds([*answers(tmp_path, kind, seed)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_who_wrote_a_line_is_told_rightly_in_every_kind_of_script(
    tmp_path: Path, kind: str
) -> None:
    """Takes long: twenty scripts, each in a repository of its own."""
    holds([answer for seed in range(SCRIPTS) for answer in answers(tmp_path, kind, seed)])
