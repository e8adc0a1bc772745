"""Collects the first ledger problem of each code, in file and line order (ledger section 2).

Invariant: each code is reported once, with the number of further lines that have it.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import LedgerProblem

_SEVERITY: Final[Mapping[LedgerCode, Severity]] = {
    LedgerCode.TORN_TAIL: Severity.WARNING,
    LedgerCode.UNTIED_HEADS: Severity.INFORMATION,
    LedgerCode.CLOCK_BACKWARDS: Severity.INFORMATION,
    LedgerCode.OLDER_RECORDS: Severity.INFORMATION,
    LedgerCode.HEAD_ELSEWHERE: Severity.INFORMATION,
}


class LedgerPlace(NamedTuple):
    """A line of a ledger: the index of its file in reading order, and the line from 1."""

    file: int
    line: int


@dataclass(slots=True)
class FirstProblems:
    """The problems found so far. `files` are the names of the files, in reading order."""

    files: list[str] = field(default_factory=list)
    firsts: dict[LedgerCode, tuple[LedgerPlace, str]] = field(default_factory=dict)
    counts: Counter[LedgerCode] = field(default_factory=Counter)

    def note(self, code: LedgerCode, place: LedgerPlace, message: str) -> None:
        """Note a problem. Problems may come in any order."""
        self.counts[code] += 1
        known = self.firsts.get(code)
        if known is None or place < known[0]:
            self.firsts[code] = place, message

    def first(self) -> list[LedgerProblem]:
        """Return the first problem of each code, in order of place."""
        return [
            problem(code, self.files[place.file], place.line, message + self._others(code))
            for code, (place, message) in sorted(self.firsts.items(), key=lambda item: item[1][0])
        ]

    def _others(self, code: LedgerCode) -> str:
        others = self.counts[code] - 1
        return f" (and {others:,} more)" if others else ""


def problem(code: LedgerCode, file: str, line: int, message: str) -> LedgerProblem:
    """Return a problem with the severity of its code."""
    severity = _SEVERITY.get(code, Severity.ERROR)
    return LedgerProblem(code=code, severity=severity, file=file, line=line, message=message)
