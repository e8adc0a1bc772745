"""The cases of `tests/cases/check`, asked of the command `check`."""

import json
from collections.abc import Sequence

import pytest

from intent_lsp.__main__ import main
from tests.support.check_stories import (
    CheckStory,
    act,
    begin,
    changes_in,
    found_in,
    stories,
)
from tests.support.recorded_edits import RecordedRepository
from tests.support.repository import Repository

Lines = Sequence[tuple[str, ...]]


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)
def test_a_check_finds_what_the_case_says(
    story: CheckStory, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    state = begin(RecordedRepository(repository))
    lines = list(story.lines)
    while lines:
        words = lines.pop(0)
        if act(state, words):
            continue
        assert words[0] == "check", words
        *arguments, _, outcome = words[1:]
        status, out = _checked(repository, state.arguments(arguments), capsys)
        if outcome == "error":
            assert (status, out) == (2, "")
            continue
        report = json.loads(out)
        changes, findings = _expected(lines)
        assert found_in(report) == sorted(findings)
        assert changes == [] or changes_in(report) == changes
        assert status == {"passed": 0, "failed": 1}[outcome]
        assert report["ok"] is (outcome == "passed")


def _checked(
    repository: Repository, arguments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    status = main(["check", "-C", str(repository.root), "--format", "json", *arguments])
    return status, capsys.readouterr().out


def _expected(lines: list[tuple[str, ...]]) -> tuple[list[str], list[str]]:
    """Take the lines `change …` and `finds …` from the head of a case."""
    changes, findings = [], []
    while lines and lines[0][0] in {"change", "finds"}:
        kind, *words = lines.pop(0)
        if words != ["nothing"]:
            (changes if kind == "change" else findings).append(" ".join(words))
    return changes, findings
