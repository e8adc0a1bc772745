"""Charts of a report: edits over time, and a heat table of files by intents.

Invariant: there are at most `BARS` bars, and each has a text that says what it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.report.aggregates import By, ReportSurvey, Tally
from intent_lsp.core.report.timeline import Hour, Timeline, TimelinePart, timeline

BARS: Final = 72
"""The most bars of the chart."""

_FILES_SHOWN: Final = 40
_INTENTS_SHOWN: Final = 8
# Sizes in the units of the SVG that the template draws.
_RIGHT: Final = 1000
_LEFT: Final = 44
_BASE: Final = 150
_HIGHEST: Final = 144
_LOWEST: Final = 1.5
_WIDEST: Final = 48
_GAP: Final = 2
_DAY: Final = 24
_ORDER: Final = (ScopeValidation.FAIL, ScopeValidation.EXEMPT, ScopeValidation.PASS)


class Heat(Struct, frozen=True, kw_only=True):
    """The contents of the heat table: the most edited files, and the intents with the most edits.

    An intent that is None stands for edits without an intent. `all_files` and `all_intents` also
    count files and intents beyond the table's size. `top` is the greatest number of edits in one
    cell, which are those of one file by one intent.
    """

    files: Sequence[tuple[str, Tally]]
    intents: Sequence[str | None]
    all_files: int
    all_intents: int
    top: int


class ChartPiece(Struct, frozen=True):
    """The part of a bar for the edits with one verdict. `y` is the coordinate of its upper end.

    Coordinates and heights are texts in the units of the SVG.
    """

    verdict: ScopeValidation
    y: str
    height: str


class ChartBar(Struct, frozen=True):
    """A bar of the chart: the edits of one period, stacked by verdict. `x` is its left coordinate.

    `title` is the text with the period and the counts.
    """

    title: str
    x: str
    pieces: Sequence[ChartPiece]


class Chart(Struct, frozen=True, kw_only=True):
    """The edits over time as bars. Each stands for the time `period`, such as `2 hours`.

    A period without edits has no bar. `top` is the greatest number of edits in one bar. `first` and
    `last` are the labels of the first and the last period; `last` is "" if there is only one. `end`
    is the coordinate where the last period ends, and `width` is the width of a bar.
    """

    period: str
    top: int
    first: str
    last: str
    end: int
    width: str
    bars: Sequence[ChartBar]


def heat_of(survey: ReportSurvey) -> Heat:
    """Return the contents of the heat table: the files and the intents with the most edits.

    These are at most 40 files and 8 intents.
    """
    files = [(name, tally) for name, tally in survey.groups[By.PATH].largest() if name is not None]
    intents = [name for name, _ in survey.groups[By.INTENT].largest()]
    shown, columns = files[:_FILES_SHOWN], intents[:_INTENTS_SHOWN]
    return Heat(
        files=shown,
        intents=columns,
        all_files=len(files),
        all_intents=len(intents),
        top=max((survey.pairs[name, file] for name in columns for file, _ in shown), default=0),
    )


def timeline_chart(hours: Mapping[tuple[Hour, ScopeValidation], int]) -> Chart | None:
    """Return the edits over time as a chart, or None if there are no edits.

    `hours` is the number of edits for each hour and verdict.
    """
    line = timeline(hours, BARS)
    if not line.parts:
        return None
    top = max(part.edits for part in line.parts)
    step = min((_RIGHT - _LEFT) / len(line.parts), _WIDEST)
    return Chart(
        period=_period(line.hours),
        top=top,
        first=_label(line, 0),
        last=_label(line, -1) if len(line.parts) > 1 else "",
        end=_LEFT + int(step * len(line.parts)),
        width=f"{step - _GAP:.1f}",
        bars=[
            ChartBar(_title(part), f"{_LEFT + step * place:.1f}", tuple(_stack(part, top)))
            for place, part in enumerate(line.parts)
            if part.edits
        ],
    )


def _period(hours: int) -> str:
    """Return a number of hours as text, such as `2 hours`, `1 day` or `4 weeks`."""
    units = (("week", 7 * _DAY), ("day", _DAY), ("hour", 1))
    unit, length = next(each for each in units if hours % each[1] == 0)
    return f"1 {unit}" if hours == length else f"{hours // length} {unit}s"


def _label(line: Timeline, place: int) -> str:
    start = line.parts[place].start
    return start if line.hours < _DAY else start.partition(" ")[0]


def _title(part: TimelinePart) -> str:
    counts = (
        f"{part.counts[each]} {each.value}" for each in reversed(_ORDER) if part.counts.get(each)
    )
    return f"{part.start}: {', '.join(counts)}"


def _stack(part: TimelinePart, top: int) -> Iterator[ChartPiece]:
    """Yield a part of a bar for each verdict that has edits, from the bottom up, FAIL first.

    `top` is the greatest number of edits in any bar, which sets the scale. Each part is high enough
    to be seen.
    """
    y = float(_BASE)
    for verdict in _ORDER:
        count = part.counts.get(verdict, 0)
        if count:
            height = max(_HIGHEST * count / top, _LOWEST)
            y -= height
            yield ChartPiece(verdict, f"{max(y, 0):.1f}", f"{height:.1f}")
