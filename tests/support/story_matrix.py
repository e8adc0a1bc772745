"""Which rows of the gate and which codes the cases ask for at which door, from what they assert.

A case counts once in each line and door, if a step that the door takes asserts the line's code.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from intent_lsp.core.codes import GateCode, RequestCode, ShownCode
from tests.support.gate_table import gate_table
from tests.support.person_stories import shown
from tests.support.stories import At, Story, asked

_WISHES = frozenset({"wants", "runs", "patches"})
_ROW = "row {}"


class Of(StrEnum):
    """What has a code."""

    CALL = "call"
    SAVE = "save"
    DIAGNOSTIC = "diagnostic"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the matrix. `code` is the code of a refusal, or the row that exempts."""

    of: Of
    code: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A line at a door."""

    line: Line
    at: At


@dataclass(frozen=True, slots=True)
class Asked:
    """Stories of one kind, and the words of the steps that each door passes over."""

    stories: tuple[Story, ...]
    lines: Callable[[tuple[str, ...]], Iterator[Line]]
    passed_over: Mapping[At, frozenset[str]]

    def without(self, story: Story) -> "Asked":
        """Give the same without a story."""
        left = tuple(each for each in self.stories if each is not story)
        return Asked(left, self.lines, self.passed_over)


Matrix = Mapping[Cell, int]


def all_lines() -> tuple[Line, ...]:
    """Give every line: the gate's rows by the specification's table, then the other codes."""
    lines: list[Line] = []
    for number, row in gate_table().items():
        code = row.code.strip("`") if row.code.isascii() else _ROW.format(number)
        lines.append(Line(Of.CALL, code))
        if row.applies.startswith("all") or "saves" in row.applies:
            lines.append(Line(Of.SAVE, code))
    lines.append(Line(Of.CALL, GateCode.GOVERNANCE_UNAVAILABLE.value))
    lines += [Line(Of.DIAGNOSTIC, code.value) for code in ShownCode]
    lines += [Line(Of.REQUEST, code.value) for code in RequestCode]
    return tuple(lines)


def matrix(kinds: Iterable[Asked]) -> Matrix:
    """Count the cases of each cell."""
    counted: Counter[Cell] = Counter()
    for kind in kinds:
        for story in kind.stories:
            counted.update(_cells(story, kind))
    return counted


def lines_of_person(words: tuple[str, ...]) -> Iterator[Line]:
    """Give the lines that a step of a person's story asserts."""
    match words:
        case ("shows", *codes):
            for code in shown(codes):
                yield _seen(code)
        case ("a", "save", "would", "be", _, "by", "row", number):
            yield Line(Of.SAVE, _ROW.format(number))
        case ("a", "save", "would", "be", code):
            yield _seen(code)
        case ("select", _, "->", code):
            yield Line(Of.REQUEST, code)
        case _:
            pass


def lines_of_agent(words: tuple[str, ...]) -> Iterator[Line]:
    """Give the line that a step of an agents' story asserts."""
    if "->" not in words or words[0] == "link":
        return
    outcome, *row = words[words.index("->") + 1 :]
    of = Of.REQUEST if _WISHES.isdisjoint(words) else Of.CALL
    yield Line(of, _ROW.format(row[-1]) if row else outcome)


def table(lines: Iterable[Line], counted: Matrix, impossible: Mapping[Cell, str]) -> str:
    """Write the matrix as text: `-` where nothing can occur, `NONE` where a case is missing."""
    numbers = {row.code.strip("`"): number for number, row in gate_table().items()}
    rows = [f"{'':<57}" + "".join(f"{door:>18}" for door in At)]
    for line in lines:
        of_gate = line.of in (Of.CALL, Of.SAVE)
        number = numbers.get(line.code, "") if of_gate else ""
        counts = [_count(Cell(line, door), counted, impossible) for door in At]
        name = f"{line.of:<12}{number:>3}  {line.code:<40}"
        rows.append(name + "".join(f"{count:>18}" for count in counts))
    return "\n".join(rows)


def _count(cell: Cell, counted: Matrix, impossible: Mapping[Cell, str]) -> str:
    return "-" if cell in impossible else str(counted.get(cell, 0) or "NONE")


def _cells(story: Story, kind: Asked) -> set[Cell]:
    return {
        Cell(line, door)
        for door in At
        if door not in story.not_at
        for step in asked(story, kind.passed_over[door])
        for line in kind.lines(step.words)
    }


def _seen(code: str) -> Line:
    return Line(Of.DIAGNOSTIC if code in list(ShownCode) else Of.SAVE, code)
