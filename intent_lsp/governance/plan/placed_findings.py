"""Places of findings on scopes and dates in the text of the intents file, and their fixes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, RelatedSpan, Severity, Span, TextChange
from intent_lsp.core.intents import Status
from intent_lsp.core.scope.findings import ScopeFinding
from intent_lsp.core.written_dates import date_range
from intent_lsp.formats.intents.entry import IntentPlaces
from intent_lsp.formats.intents.glob_edits import glob_change
from intent_lsp.formats.intents.intents_file import IntentsFile

_ANCHORED: Final = re.compile(r"(?:^|\s)&\S+\s+(?:!\S*\s+)?$")
_AHEAD: Final = timedelta(days=1)
"""How far in the future a date may be without a finding. The clocks of two machines differ less."""


def placed(
    found: Iterable[ScopeFinding], read: IntentsFile, lines: Sequence[str]
) -> Iterator[Finding]:
    """Yield findings on intents of `read` at their places, with fixes for the text `lines`.

    Those on intents that the file does not have are left out. Without `lines` there are no fixes.
    """
    # Looking up an intent's places is slow: do it once per intent, not once per glob.
    place = lru_cache(maxsize=None)(read.places.get)
    for finding in found:
        places = place(finding.intent_id)
        other = None if finding.other is None else place(finding.other)
        if places is not None:
            yield _placed(finding, places, other, lines)


def future_dates(read: IntentsFile, now: datetime) -> Iterator[Finding]:
    """Yield a finding on each date of an intent that is more than a day after `now`."""
    limit = now + _AHEAD
    for intent in read.intents:
        places = read.places[intent.id]
        dates = {
            "created_at": (intent.created_at, places.created_at),
            "updated_at": (intent.updated_at, places.updated_at),
        }
        for name, (text, span) in dates.items():
            written = None if text is None else date_range(text)
            if written is not None and span is not None and written.first > limit:
                yield Finding(
                    code=FileCode.BAD_DATE,
                    severity=Severity.WARNING,
                    message=f"`{name}` is in the future",
                    span=span,
                )


def _placed(
    finding: ScopeFinding, places: IntentPlaces, other: IntentPlaces | None, lines: Sequence[str]
) -> Finding:
    span = _span(finding, places)
    fix = _fix(finding, places, span, lines) if lines else None
    related = () if other is None else (_related(finding, other),)
    return Finding(
        code=finding.code,
        severity=finding.severity,
        message=finding.message,
        span=span,
        fixes=() if fix is None else (fix,),
        related=related,
    )


def _related(finding: ScopeFinding, other: IntentPlaces) -> RelatedSpan:
    return RelatedSpan(span=_scope(other), message=f"the scope of {finding.other}")


def _fix(
    finding: ScopeFinding, places: IntentPlaces, span: Span, lines: Sequence[str]
) -> Fix | None:
    """Return the fix of a finding, or None if there is none."""
    if finding.code is FileCode.CLOSED_SCOPE_EDITED:
        return None if places.status is None else _reopened(places.status, lines)
    if finding.replacement is None or finding.pattern_index is None:
        return None
    change = glob_change(lines, span, finding.replacement)
    if change is None:
        return None
    named = ", ".join(f"`{glob}`" for glob in finding.replacement)
    return Fix(f"Change to {named}" if named else "Remove this glob", (change,))


def _reopened(status: Span, lines: Sequence[str]) -> Fix | None:
    """Return the fix that reopens an intent, or None if its status has an anchor or several lines.

    A status with an anchor may be that of other intents, too.
    """
    start, end = status.start, status.end
    line = lines[start.line] if start.line < len(lines) else ""
    if start.line != end.line or _ANCHORED.search(line[: start.character]):
        return None
    quote = line[start.character : start.character + 1]
    spelled = f"{quote}{Status.IN_PROGRESS}{quote}" if quote in ("'", '"') else Status.IN_PROGRESS
    return Fix(f"Reopen it: change to `{Status.IN_PROGRESS}`", (TextChange(status, str(spelled)),))


def _span(finding: ScopeFinding, places: IntentPlaces) -> Span:
    if finding.code is FileCode.CLOSED_SCOPE_EDITED:
        return places.status or places.id
    index = finding.pattern_index
    if index is not None and index < len(places.globs):
        return places.globs[index]
    return _scope(places)


def _scope(places: IntentPlaces) -> Span:
    return places.owned_scope or places.id
