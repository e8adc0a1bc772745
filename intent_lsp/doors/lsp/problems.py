"""Problems: what is shown on a text, still without the protocol's types (requirements section 8).

Invariant: one problem for each run of changed lines, in order of position, the caps held.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.findings import Severity, Span
from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.question import Denied
from intent_lsp.core.ranges import Hunk
from intent_lsp.core.records import Record
from intent_lsp.core.violations import SHOWN_A_FILE, MarkedRun
from intent_lsp.governance.looks import Look

SEVERITIES: Final[Mapping[str, Severity]] = {
    GateCode.NO_ACTIVE_INTENT: Severity.WARNING,
    ShownCode.CONTROL_PLANE_EDIT: Severity.WARNING,
    ShownCode.MORE_VIOLATIONS: Severity.INFORMATION,
}
"""How loud each code is; what is not listed is an Error."""

_SERVER_ONLY = "{path} is written by intent-lsp alone; this edit will be recorded as FAIL."


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A place in another file that a problem speaks of; `span` in code points."""

    path: Path
    span: Span
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing to show on whole lines, `first_line` to `last_line` from 0, both inclusive.

    `hunk` is the change against HEAD behind it, where there is one.
    """

    code: str
    message: str
    first_line: int
    last_line: int
    path: str
    intent_id: str | None = None
    owners: tuple[IntentId, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    hunk: Hunk | None = field(default=None)

    @property
    def severity(self) -> Severity:
        """How loud it is where no setting says otherwise."""
        return SEVERITIES.get(self.code, Severity.ERROR)


def problems(
    root: Path, look: Look, runs: Sequence[MarkedRun], room: int = SHOWN_A_FILE
) -> tuple[Problem, ...]:
    """Give the problems of one file from its look and the runs that are to be marked.

    At most `room` of them, where other files of the root have taken the rest, and never more than
    a file may have; then one more says how many are not shown.
    """
    room = min(room, SHOWN_A_FILE)
    denied = look.judgement.denied
    if not look.shown or not runs:
        return ()
    if look.stale:
        runs = (MarkedRun(0, 0),)
    code = ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value
    path = look.judgement.path
    message = _SERVER_ONLY.format(path=path) if denied is None else denied.message
    elsewhere = _scope_places(root, look, denied)
    intent = look.judgement.intent
    shown = tuple(
        Problem(
            code=code,
            message=message,
            first_line=run.first_line,
            last_line=run.last_line,
            path=path,
            intent_id=None if intent is None else intent.id,
            owners=look.judgement.owners,
            elsewhere=elsewhere,
            hunk=run.hunk,
        )
        for run in runs[:room]
    )
    return shown + _rest(runs, path, room)


def runs_of_record(record: Record, line_count: int) -> tuple[MarkedRun, ...]:
    """Give the runs that a standing refusal covers, where HEAD cannot tell."""
    found: list[MarkedRun] = []
    last = max(line_count - 1, 0)
    for file in record.files:
        for conversation in file.conversations:
            for run in conversation.ranges:
                first = max(run.start_line - 1, 0)
                found.append(MarkedRun(min(first, last), min(max(run.end_line - 1, 0), last)))
    return tuple(found)


def _rest(runs: Sequence[MarkedRun], path: str, room: int) -> tuple[Problem, ...]:
    more = len(runs) - room
    if more <= 0:
        return ()
    return (
        Problem(
            code=ShownCode.MORE_VIOLATIONS.value,
            message=f"{more} more violations in this file are not shown.",
            first_line=runs[room].first_line,
            last_line=runs[room].last_line,
            path=path,
        ),
    )


def _scope_places(root: Path, look: Look, denied: Denied | None) -> tuple[Elsewhere, ...]:
    intent = look.judgement.intent
    if intent is None or denied is None:
        return ()
    places = look.judgement.rules.file.places.get(intent.id)
    if places is None:
        return ()
    span = places.owned_scope or places.id
    return (
        Elsewhere(path=root / INTENTS_FILE, span=span, message=f"The owned scope of {intent.id}"),
    )
