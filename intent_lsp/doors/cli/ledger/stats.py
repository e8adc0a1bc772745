"""The command `trace stats`: counts of edits by intent, path, session or other groups."""

from collections.abc import Sequence
from typing import Final

from intent_lsp.core.report.aggregates import By, Groups, LineCount, Tally, count_of_files
from intent_lsp.core.report.timeline import ASCII, BLOCKS, sparkline, spread
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.ledger.search import FILTERS, RecordSearch, count, indexed, search
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.doors.cli.terminal.times import local, local_day
from intent_lsp.store.ledger.archiving_advice import advice, size_of

DEFAULT_ROWS: Final = 20

_DAYS_WIDE: Final = 30

Group = tuple[str | None, Tally]


@command(
    argument(
        "--by",
        "what to count by (default: %(default)s)",
        choices=[by.value for by in By],
        default=By.INTENT.value,
    ),
    *FILTERS,
    argument(
        "--limit N",
        "at most N rows (default: %(default)s); 0: all there are. JSON has them all",
        type=count,
        default=DEFAULT_ROWS,
    ),
    examples=(
        "intent-lsp trace stats",
        "intent-lsp trace stats --by contributor --since 1w",
        "intent-lsp trace stats --by path --path src/ --verdict FAIL",
        "intent-lsp trace stats --by day --json",
    ),
    json="write {by, filters, total, groups} as JSON",
)
def trace_stats(call: Call) -> None:
    """Count the edits in the records that match the filters, and print the counts by group.

    Count the ledger's edits by intent, path, session, contributor, tool, day or verdict.
    Each group has the number of edits, a sparkline of edits per day, the numbers of added
    and removed lines, of violations and of failed edits, and the time of the last
    edit. An edit counts once in each group that it belongs to, and once in the total. Days
    and times are in this machine's time zone.
    """
    options = call.options
    root = call.root()
    total, groups = Tally(), Groups(By(options.by))
    with indexed(root, call.page) as trace:
        asked = search(options, root, trace)
        for record in asked.newest_first(trace):
            lines, day = count_of_files(record.files), local_day(record.timestamp)
            total.count(record, lines, day)
            groups.count(record, lines, day)
        why = "" if total.edits else asked.why_none(trace)
    if why:
        call.page.remark(f"intent-lsp: nothing to show: {why}")
    if options.json:
        call.page.json(_json(total, groups, asked))
    elif total.edits:
        _tell(call, total, groups)
    if said := advice(size_of(root)):
        call.page.remark(f"intent-lsp: {said}")


def _json(total: Tally, groups: Groups, asked: RecordSearch) -> dict[str, object]:
    return {
        "by": groups.by.value,
        "filters": list(asked.said),
        "total": _counts(total),
        "groups": [{"key": name, **_counts(tally)} for name, tally in groups.largest()],
    }


def _counts(tally: Tally) -> dict[str, object]:
    return {
        "edits": tally.edits,
        "added": tally.lines.added,
        "removed": tally.lines.removed,
        "wholeFiles": tally.lines.whole,
        "violations": tally.violations,
        "failed": tally.failed,
        "assumed": tally.assumed,
        "first": tally.first or None,
        "last": tally.last or None,
        "days": dict(sorted(tally.days.items())),
    }


def _tell(call: Call, total: Tally, groups: Groups) -> None:
    page, found, limit = call.page, groups.largest(), call.options.limit
    shown = found if not limit else found[-limit:] if groups.by is By.DAY else found[:limit]
    drawing = _Drawing(total, groups, BLOCKS if page.shows(BLOCKS) else ASCII)
    page.table(TextTable(drawing.columns(), [*map(drawing.row, shown), drawing.total()]))
    if len(shown) < len(found):
        rows, all_rows = len(shown), len(found)
        page.remark(f"{rows} of {all_rows} rows are shown; --limit 0 shows all")
    if drawing.days_each > 1:
        page.remark(f"each bar stands for {drawing.days_each} days")


class _Drawing:
    """Builds the columns and rows of one table of counts.

    The sparklines of all groups have one scale; that of the total has its own. `steps` are the
    characters of a sparkline, lowest first. `days_each` is the number of days for which each bar of
    a sparkline stands, or 0 if the groups are days, which have no sparklines.
    """

    def __init__(self, total: Tally, groups: Groups, steps: str) -> None:
        self._total, self._by, self._steps = total, groups.by, steps
        self._ends = min(total.days), max(total.days)
        each = spread(total.days, *self._ends, _DAYS_WIDE)[1]
        self.days_each = 0 if self._by is By.DAY else each
        tallies = groups.tallies.values()
        self._top = max(count for tally in tallies for count in self._parts(tally))

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table."""
        first, last = self._ends
        days = first if first == last else f"{first} to {last}"
        return (
            Column(self._by.value.capitalize(), fold=True),
            Column("Edits"),
            Column("" if self._by is By.DAY else days, spare=True),
            Column("Lines"),
            Column("Violations"),
            Column("Failed", spare=True),
            Column("Assumed", spare=True),
            Column("Last", spare=True),
        )

    def row(self, group: Group) -> Sequence[Cell]:
        """Return the cells of the row for one group of edits."""
        name, tally = group
        return self._row(Cell(name or "-"), tally, self._line(tally))

    def total(self) -> Sequence[Cell]:
        """Return the cells of the row for all edits."""
        tally = self._total
        own_top = max(self._parts(tally))
        line = "" if self._by is By.DAY else sparkline(self._parts(tally), own_top, self._steps)
        return self._row(Cell("total", "bold"), tally, line)

    def _row(self, name: Cell, tally: Tally, line: str) -> Sequence[Cell]:
        return (
            name,
            Cell(f"{tally.edits:,}"),
            Cell(line, "cyan"),
            Cell(_lines(tally.lines)),
            Cell(f"{tally.violations:,}", "bold red" if tally.violations else ""),
            Cell(f"{tally.failed:,}", "bold red" if tally.failed else ""),
            Cell(f"{tally.assumed:,}", "yellow" if tally.assumed else ""),
            Cell(local(tally.last), "dim"),
        )

    def _line(self, tally: Tally) -> str:
        parts = self._parts(tally)
        if self._by is By.DAY:
            return self._steps[-1] * -(-tally.edits * _DAYS_WIDE // self._top)
        return sparkline(parts, self._top, self._steps)

    def _parts(self, tally: Tally) -> Sequence[int]:
        if self._by is By.DAY:
            return (tally.edits,)
        return spread(tally.days, *self._ends, _DAYS_WIDE)[0]


def _lines(lines: LineCount) -> str:
    told = f"+{lines.added:,} -{lines.removed:,}"
    return told if not lines.whole else f"{told}, {lines.whole:,} whole"
