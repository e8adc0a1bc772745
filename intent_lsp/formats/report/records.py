"""The newest records in a report, each collapsed to one line.

Invariant: the shown part of a record is bounded, however large it is, and says how much is left
out.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Range, Record, RecordFile
from intent_lsp.core.report.aggregates import contributor_name, count_of_files, count_of_runs
from intent_lsp.formats.markdown.provenance import doubts
from intent_lsp.formats.report.html_text import Html, Inside, joined, tag
from intent_lsp.formats.report.parts import (
    badge,
    coded,
    intent_named,
    lines_changed,
    moment,
    named,
)
from intent_lsp.formats.report.tables import files_named

FILES_SHOWN: Final = 8
RUNS_SHOWN: Final = 12
PATTERNS_SHOWN: Final = 8

ReportFact = tuple[str, Inside]
"""A heading and its content."""


def records_list(records: Sequence[Record]) -> Html:
    """Return the records as a list. A record's index in it is the number in its HTML anchor."""
    return tag(
        "div", joined(_record(record, place) for place, record in enumerate(records)), id="records"
    )


def _record(record: Record, place: int) -> Html:
    """Return one record: a summary line and its details."""
    summary = tag(
        "summary",
        tag("span", moment(record.timestamp), class_="when"),
        tag("span", _verdict(record)),
        tag("span", intent_named(record.intent_id)),
        tag("span", files_named(record)),
        tag("span", _lines(record), class_="number"),
    )
    facts = joined(_fact(*fact) for fact in (*_deed(record), *_consent(record), *_chain(record)))
    files = joined(_file(file) for file in record.files[:FILES_SHOWN])
    return tag(
        "details",
        summary,
        tag("dl", facts, files, _more(len(record.files), FILES_SHOWN, "file")),
        id=f"record-{place}",
    )


def _lines(record: Record) -> str:
    """Return the changed lines of a record, or "" if it has no ranges."""
    ranges = any(talk.ranges for file in record.files for talk in file.conversations)
    return lines_changed(count_of_files(record.files)) if ranges else ""


def _verdict(record: Record) -> Html:
    if record.success:
        return badge(record)
    return tag("span", "failed", class_="failed")


def _deed(record: Record) -> Iterator[ReportFact]:
    """Yield what was done and by whom."""
    yield "record", coded(record.id)
    yield "session", named(record.session_id)
    if record.agent_id is not None:
        yield "agent", named(record.agent_id)
    yield "tool", named(record.tool_name)
    guessed = " (inferred)" if record.inferred else ""
    yield "change", f"{record.mutation_class.value}{guessed}"
    yield "revision", coded(record.vcs.revision_id)
    if record.intent_hash is not None:
        yield "intent's text", coded(record.intent_hash)


def _consent(record: Record) -> Iterator[ReportFact]:
    """Yield the facts that only some records have: failure, doubts, approval, grant."""
    if not record.success:
        yield "failed", named(record.error or "no reason was given")
        yield "verdict", badge(record)
    if record.concurrent_modification:
        yield "concurrent", "somebody else changed a file between reading and writing"
    yield from (("doubt", said) for said in doubts(record))
    if record.approval is not None:
        asked = record.approval
        yield "approved", joined([f"{asked.choice.value}, in session ", named(asked.session_id)])
    if record.grant is not None:
        grant = record.grant
        patterns = joined(joined([coded(one), " "]) for one in grant.patterns[:PATTERNS_SHOWN])
        more = _rest(len(grant.patterns), PATTERNS_SHOWN, "pattern")
        yield "granted", joined([patterns, more])
        yield "granted by", named(grant.granted_by)
        yield "until", named(grant.expires_at or "taken back")
        yield "because", named(grant.reason or "no reason was given")


def _chain(record: Record) -> Iterator[ReportFact]:
    """Yield the record's own hash, the one before it and the heads that it merges."""
    yield "hash", coded(record.integrity.record_hash)
    before = record.integrity.prev_record_hash
    yield "follows", "nothing: it is the first" if before is None else coded(before)
    for head in record.integrity.merges[:PATTERNS_SHOWN]:
        yield "ties", coded(head)


def _file(file: RecordFile) -> Html:
    """Return the details of one file of a record."""
    facts: list[ReportFact] = []
    if file.previous_path is not None:
        facts.append(("was", coded(file.previous_path)))
    facts += [("before", _content(file.pre_hash)), ("after", _content(file.post_hash))]
    for talk in file.conversations[:FILES_SHOWN]:
        who = joined([named(contributor_name(talk.contributor)), ", ", named(talk.url)])
        facts += [("by", who), ("lines", _runs(talk.ranges))]
    return joined([tag("h3", coded(file.relative_path)), *(_fact(*fact) for fact in facts)])


def _runs(runs: Sequence[Range]) -> str:
    """Return the changed ranges as text."""
    if any(run.fallback for run in runs):
        return "all, not compared line by line"
    told = ", ".join(_run(run) for run in runs[:RUNS_SHOWN]) or "none"
    return told + _rest(len(runs), RUNS_SHOWN, "range")


def _run(run: Range) -> str:
    here = f"{run.start_line}–{run.end_line}" if run.start_line else "none left"  # noqa: RUF001 -- a range in print
    return f"{here} ({lines_changed(count_of_runs((run,)))})"


def _content(found: ContentHash | None) -> Inside:
    return tag("span", "no such file", class_="soft") if found is None else coded(found)


def _fact(name: str, told: Inside) -> Html:
    return joined([tag("dt", name), tag("dd", told)])


def _more(count: int, shown: int, what: str) -> Html:
    """Return a heading for the items that are not shown, or nothing."""
    rest = _rest(count, shown, what)
    return tag("h3", rest) if rest else joined([])


def _rest(count: int, shown: int, what: str) -> str:
    """Return "and N more …" for the items that are not shown, or ""."""
    left = count - shown
    return "" if left <= 0 else f" and {left:,} more {what}{'' if left == 1 else 's'}"
