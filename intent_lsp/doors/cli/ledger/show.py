"""The answer to `trace show`: one record in words, and the lines that it changed."""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Conversation, Range, Record, RecordFile
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.indexed import indexed
from intent_lsp.doors.cli.ledger.diff_lines import write_diffs
from intent_lsp.doors.cli.ledger.list_records import STYLES, added_and_removed
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.doors.cli.terminal.table import Cell, Fact, facts_table
from intent_lsp.doors.cli.terminal.times import local_with_offset
from intent_lsp.formats.ledger.jsonl import encode
from intent_lsp.formats.markdown.provenance import doubts
from intent_lsp.governance.contents.content_lookup import KnownContents
from intent_lsp.governance.ledger.reader import Tracing

_NAMED: Final = 5
_FLAGS: Final = {
    "INTENT_CHANGED": "the intent's text has changed since",
    "INTENT_ARCHIVED": "the intent is no longer in the intents file",
}


def answer(call: Call) -> int:
    """Write the one record whose id begins so."""
    root = root_above(call.options.root)
    with indexed(root, call.page) as trace:
        record = _the_one(trace, call.options.id)
        flags = trace.flags(record)
    if call.options.json:
        call.page.json(encode(record))
        return Exit.FINE
    facts = [*_deed(record, flags), *_consent(record)]
    for file in record.files:
        facts += _file(file)
    facts += _chain(record)
    call.page.table(facts_table(facts))
    if not call.options.no_diff:
        write_diffs(call.page, record, KnownContents(root))
    return Exit.FINE


def _the_one(trace: Tracing, digits: str) -> Record:
    found = trace.starting_with(digits, limit=_NAMED + 1) if digits else ()
    if not found:
        raise WrongUsageError(
            f"no record's id begins with {digits!r}", cure="`intent-lsp trace list` shows the ids"
        )
    if len(found) > 1:
        names = ", ".join(record.id for record in found[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        raise WrongUsageError(
            f"more than one id begins with {digits}: {names}{more}", cure="give more digits"
        )
    return found[0]


def _deed(record: Record, flags: Sequence[str]) -> Iterator[Fact]:
    yield "record", Cell(record.id, "cyan")
    yield "when", Cell(f"{local_with_offset(record.timestamp)} ({record.timestamp})")
    agent = "" if record.agent_id is None else f", agent {record.agent_id}"
    yield "session", Cell(record.session_id + agent)
    yield "tool", Cell(record.tool_name)
    yield "intent", Cell(record.intent_id or "none was active")
    for flag in flags:
        yield "", Cell(f"{flag}: {_FLAGS[flag]}", "yellow")
    if record.intent_hash is not None:
        yield "", Cell(f"it said {record.intent_hash}")
    yield "verdict", Cell(record.scope_validation.value, STYLES[record.scope_validation])
    guessed = " (inferred)" if record.inferred else ""
    yield "change", Cell(f"{record.mutation_class.value}{guessed}")
    yield "revision", Cell(record.vcs.revision_id)


def _consent(record: Record) -> Iterator[Fact]:
    """Say what is only sometimes there."""
    if not record.success:
        yield "failed", Cell(record.error or "no reason was given", "bold red")
    if record.concurrent_modification:
        yield "concurrent", Cell("somebody else changed a file between reading and writing")
    yield from (("", Cell(said, "yellow")) for said in doubts(record))
    if record.approval is not None:
        asked = record.approval
        yield "approved", Cell(f"{asked.choice.value}, by a person in session {asked.session_id}")
    if record.grant is not None:
        grant = record.grant
        until = grant.expires_at or "taken back"
        yield "granted", Cell(f"{', '.join(grant.patterns)} until {until}, by {grant.granted_by}")
        yield "", Cell(grant.reason or "no reason was given")


def _file(file: RecordFile) -> Iterator[Fact]:
    lines = added_and_removed((file,))
    yield "file", Cell(f"{file.relative_path} {lines}".rstrip(), "bold")
    if file.previous_path is not None:
        yield "", Cell(f"was {file.previous_path}")
    yield "", Cell(f"before {_hash(file.pre_hash)}")
    yield "", Cell(f"after  {_hash(file.post_hash)}")
    if file.ast_fingerprint is not None:
        outline = file.ast_fingerprint
        yield "", Cell(f"{outline.language} definitions {outline.summary_hash}")
    for talk in file.conversations:
        yield from _conversation(talk)


def _conversation(talk: Conversation) -> Iterator[Fact]:
    who = talk.contributor
    yield "  by", Cell(f"{who.entity_type.value} {who.model_identifier}, {talk.url}")
    for related in talk.related:
        yield "  for", Cell(f"{related.type} {related.value}")
    for run in talk.ranges:
        yield "  lines", Cell(f"{_run(run)} {run.content_hash}")


def _run(run: Range) -> str:
    if run.fallback:
        return "all, not compared line by line"
    if not run.start_line:
        return "none are left"
    here = _lines(run.start_line, run.end_line)
    if run.replaced is None:
        return here
    first, old, new = run.replaced
    if not new:
        return f"{old} removed, starting at {first}; now next to line {run.start_line}"
    if not old:
        return f"{here} new"
    return f"{here}, replacing {_lines(first, first + old - 1)}"


def _lines(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _hash(found: ContentHash | None) -> str:
    return "no such file" if found is None else found


def _chain(record: Record) -> Iterator[Fact]:
    place = record.integrity
    yield "hash", Cell(place.record_hash)
    yield "follows", Cell(place.prev_record_hash or "nothing: it is the first")
    for head in place.merges:
        yield "ties", Cell(head)
