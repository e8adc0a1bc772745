"""Every row of the gate and every code has a case at every door where it can occur."""

import subprocess
import sys

from intent_lsp.core.codes import GateCode, RequestCode, ShownCode
from tests.support.command_line_door import CommandLineAgents, CommandLinePerson
from tests.support.governance_door import GovernanceAgents, GovernancePerson
from tests.support.server_door import ServerAgents, ServerPerson
from tests.support.stories import AGENTS_CASES, At, stories
from tests.support.story_matrix import (
    Asked,
    Cell,
    Line,
    Of,
    all_lines,
    lines_of_agent,
    lines_of_person,
    matrix,
    table,
)

PEOPLE = Asked(
    tuple(stories()),
    lines_of_person,
    {
        At.GOVERNANCE: GovernancePerson.passes_over,
        At.SERVER: ServerPerson.passes_over,
        At.COMMAND_LINE: CommandLinePerson.passes_over,
    },
)
AGENTS = Asked(
    tuple(stories(AGENTS_CASES)),
    lines_of_agent,
    {
        At.GOVERNANCE: GovernanceAgents.passes_over,
        At.SERVER: ServerAgents.passes_over,
        At.COMMAND_LINE: CommandLineAgents.passes_over,
    },
)
LINES = all_lines()
CELLS = [Cell(line, door) for line in LINES for door in At]
COUNTED = matrix((PEOPLE, AGENTS))

IMPOSSIBLE = {
    Cell(Line(Of.SAVE, "PATH_DENIED"), At.COMMAND_LINE): (
        "who sits at an editor is known to its server alone, so a command asks as for a person"
    ),
    Cell(Line(Of.SAVE, "STALE_FILE"), At.COMMAND_LINE): (
        "`explain` judges a save of what the disk holds, and no buffer is behind that"
    ),
    Cell(Line(Of.DIAGNOSTIC, "MORE_VIOLATIONS"), At.COMMAND_LINE): (
        "the command line shows no diagnostics"
    ),
    Cell(Line(Of.REQUEST, "TICKET_UNKNOWN"), At.COMMAND_LINE): "no command records a call",
    Cell(Line(Of.REQUEST, "DRAFT_UNKNOWN"), At.COMMAND_LINE): "no command restores a draft",
    Cell(Line(Of.REQUEST, "STATE_UNAVAILABLE"), At.COMMAND_LINE): (
        "each command begins anew, and does without a state that it cannot open"
    ),
}
"""What cannot occur at a door, and why."""


def empty(*kinds: Asked) -> list[Cell]:
    counted = matrix(kinds)
    return [cell for cell in CELLS if cell not in IMPOSSIBLE and not counted.get(cell)]


def test_every_cell_that_can_occur_has_a_case() -> None:
    print(table(LINES, COUNTED, IMPOSSIBLE))  # noqa: T201 - it is shown with `-s`, or on failure
    assert empty(PEOPLE, AGENTS) == []


def test_what_cannot_occur_at_a_door_is_asserted_by_no_case() -> None:
    assert set(IMPOSSIBLE) <= set(CELLS)
    assert [cell for cell in IMPOSSIBLE if COUNTED.get(cell)] == []


def test_a_case_that_is_taken_away_leaves_empty_what_it_alone_asked() -> None:
    alone = {cell for cell in CELLS if COUNTED.get(cell) == 1}
    missed = {
        cell
        for kind, other in ((PEOPLE, AGENTS), (AGENTS, PEOPLE))
        for story in kind.stories
        for cell in empty(kind.without(story), other)
    }
    assert alone
    assert missed - set(empty(PEOPLE, AGENTS)) == alone


def test_every_code_has_a_line() -> None:
    codes = {line.code for line in LINES}
    assert {*GateCode, *RequestCode, *ShownCode} <= codes


def test_every_line_that_a_case_asserts_is_in_the_matrix() -> None:
    allowed = {Line(of, verdict) for of in Of for verdict in ("PASS", "EXEMPT")}
    assert {cell.line for cell in COUNTED} - allowed <= set(LINES)


def test_every_title_is_a_sentence_of_its_own() -> None:
    titles = [story.title for kind in (PEOPLE, AGENTS) for story in kind.stories]
    assert [title for title in titles if not title.endswith(".")] == []
    assert len(set(titles)) == len(titles)


def test_governance_is_asked_without_any_door() -> None:
    program = (
        "import sys, tests.support.governance_door\n"
        "print(*(name for name in sys.modules if name.startswith('intent_lsp.doors')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
