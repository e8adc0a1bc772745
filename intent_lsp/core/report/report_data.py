"""The data of a report on the ledger, counted in one pass over the records.

Invariant: memory grows with the pairs of intent and file, the sessions, contributors and hours. Of
the records themselves only the newest are kept, up to a fixed number.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.core.report.aggregates import By, Groups, Tally, count_of_files
from intent_lsp.core.report.timeline import Hour

NEWEST_KEPT: Final = 1_000
VIOLATIONS_KEPT: Final = 500

Pair = tuple[str | None, str]
"""An intent's id (None without one), and a file's path as the ledger spells it."""

_HOUR: Final = len("2026-11-21T20")
_DAY: Final = len("2026-11-21")


def _groups() -> Mapping[By, Groups]:
    return {by: Groups(by) for by in (By.INTENT, By.PATH, By.SESSION, By.CONTRIBUTOR)}


class ReportSurvey(Struct):
    """The counts for a report. Records are counted newest first; times and days are UTC.

    `pairs` counts edits by intent and file, `violating` those of them recorded with FAIL. `newest`
    are the first NEWEST_KEPT records counted, `violations` the first VIOLATIONS_KEPT with FAIL.
    """

    total: Tally = field(default_factory=Tally)
    groups: Mapping[By, Groups] = field(default_factory=_groups)
    hours: Counter[tuple[Hour, ScopeValidation]] = field(default_factory=Counter)
    pairs: Counter[Pair] = field(default_factory=Counter)
    violating: Counter[Pair] = field(default_factory=Counter)
    newest: list[Record] = field(default_factory=list)
    violations: list[Record] = field(default_factory=list)

    def count(self, record: Record) -> None:
        """Count the record of one edit. It must be older than all records counted before."""
        violation = record.scope_validation is ScopeValidation.FAIL
        lines, day = count_of_files(record.files), record.timestamp[:_DAY]
        self.total.count(record, lines, day)
        for groups in self.groups.values():
            groups.count(record, lines, day)
        self.hours[record.timestamp[:_HOUR], record.scope_validation] += 1
        for path in {file.relative_path for file in record.files}:
            self.pairs[record.intent_id, path] += 1
            self.violating[record.intent_id, path] += violation
        if len(self.newest) < NEWEST_KEPT:
            self.newest.append(record)
        if violation and len(self.violations) < VIOLATIONS_KEPT:
            self.violations.append(record)


class ReportData(Struct, frozen=True, kw_only=True):
    """The contents of a report.

    `made_at` is an RFC 3339 time. `filters` are as the user typed them. `names` maps each intent's
    id to its name in the present intents file. `verification` is that of the whole ledger, not only
    of the records that `filters` select.
    """

    project: str
    product: str
    made_at: str
    filters: tuple[str, ...]
    names: Mapping[str, str]
    verification: Verification
    survey: ReportSurvey
