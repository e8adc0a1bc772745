"""The command `trace show`: one record, and the lines that it changed.

Show one record: author, time, intent, verdict, each file with its lines and hashes, and
the record's place in the chain. Then show what the record changed, line by line, if the
contents are still stored: in the file on disk, in HEAD, in the commit of that time, or
in .orchestration/.local/. The first digits of the id, as `trace list` shows them, are
enough if only one record's id begins with them.

Invariant: shown contents have the hashes in the record. Missing contents are reported.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.approvals import Approval, ApprovalChannel
from intent_lsp.core.content import ContentHash, line_body
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Conversation, Range, Record, RecordFile
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.list_records import STYLES, added_and_removed
from intent_lsp.doors.cli.ledger.search import indexed
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, LabelledCell, TextTable, facts_table
from intent_lsp.doors.cli.terminal.times import local_with_offset
from intent_lsp.formats.diff import DiffLine, DiffMark, place, text_lines, unified
from intent_lsp.formats.ledger.jsonl import encode
from intent_lsp.formats.markdown.provenance import doubts
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.governance.ledger.reader import LedgerReader

_NAMED: Final = 5
_FLAGS: Final = {
    "INTENT_CHANGED": "the intent's text has changed since this record",
    "INTENT_ARCHIVED": "the intent is no longer in the intents file",
}
_STYLES: Final = {
    DiffMark.PLACE: "cyan",
    DiffMark.KEPT: "",
    DiffMark.REMOVED: "red",
    DiffMark.ADDED: "green",
    DiffMark.REMARK: "dim",
}
_NO_TEXT: Final = "not compared, because the file is not text or too large"
_NOT_KEPT: Final = "not shown, because the contents before and after the edit were not kept"


def answer(call: Call) -> None:
    """Print the record whose id begins with the given digits, and the lines that it changed."""
    root = call.root()
    with indexed(root, call.page) as trace:
        record = _the_one(trace, call.options.id)
        flags = trace.flags(record)
    if call.options.json:
        call.page.raw(encode(record))
        return
    facts = [*_deed(record, flags), *_consent(record)]
    for file in record.files:
        facts += _file(file)
    facts += _chain(record)
    call.page.table(facts_table(facts))
    if not call.options.no_diff:
        write_diffs(call.page, record, ContentLookup(root))


def _the_one(trace: LedgerReader, digits: str) -> Record:
    index = trace.ledger.index
    found = index.starting_with(digits, limit=_NAMED + 1) if digits else ()
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


def _deed(record: Record, flags: Sequence[str]) -> Iterator[LabelledCell]:
    yield "record", Cell(record.id, "cyan")
    yield "when", Cell(f"{local_with_offset(record.timestamp)} ({record.timestamp})")
    agent = "" if record.agent_id is None else f", subagent {record.agent_id}"
    yield "session", Cell(record.session_id + agent)
    yield "tool", Cell(record.tool_name)
    yield "intent", Cell(record.intent_id or "none was selected")
    for flag in flags:
        yield "", Cell(f"{flag}: {_FLAGS[flag]}", "yellow")
    if record.intent_hash is not None:
        yield "", Cell(f"the intent's text had the hash {record.intent_hash}")
    yield "verdict", Cell(record.scope_validation.value, STYLES[record.scope_validation])
    guessed = " (inferred)" if record.inferred else ""
    yield "change", Cell(f"{record.mutation_class.value}{guessed}")
    yield "revision", Cell(record.vcs.revision_id)


def _consent(record: Record) -> Iterator[LabelledCell]:
    """Yield the labelled cells that only some records have.

    They are failure, concurrent change, doubts about the record, approval and grant.
    """
    if not record.success:
        yield "failed", Cell(record.error or "no reason was given", "bold red")
    if record.concurrent_modification:
        yield "concurrent", Cell("somebody else changed a file between reading and writing")
    yield from (("", Cell(said, "yellow")) for said in doubts(record))
    if record.approval is not None:
        asked = record.approval
        yield "approved", Cell(f"{asked.choice.value}, {_approver(asked)}")
    if record.grant is not None:
        grant = record.grant
        until = grant.expires_at or "taken back"
        by = f"by {grant.granted_by}{_through(grant.channel)}"
        patterns = ", ".join(grant.patterns)
        yield "granted", Cell(f"{patterns} until {until}, {by}")
        yield "", Cell(grant.reason or "no reason was given")


def _approver(approval: Approval) -> str:
    by = "by a person in session" if approval.channel is ApprovalChannel.EDITOR else "in session"
    return f"{by} {approval.session_id}{_through(approval.channel)}"


def _through(channel: ApprovalChannel) -> str:
    """Return "" if a person's own editor answered, else a clause: the agent's client answered."""
    return "" if channel is ApprovalChannel.EDITOR else ", through the agent's client"


def _file(file: RecordFile) -> Iterator[LabelledCell]:
    lines = added_and_removed((file,))
    yield "file", Cell(f"{file.relative_path} {lines}".rstrip(), "bold")
    if file.previous_path is not None:
        yield "", Cell(f"was {file.previous_path}")
    yield "", Cell(f"before {_hash(file.pre_hash)}")
    yield "", Cell(f"after  {_hash(file.post_hash)}")
    if file.ast_fingerprint is not None:
        outline = file.ast_fingerprint
        yield "", Cell(f"hash of the file's {outline.language} definitions: {outline.summary_hash}")
    for talk in file.conversations:
        yield from _conversation(talk)


def _conversation(talk: Conversation) -> Iterator[LabelledCell]:
    who = talk.contributor
    yield "  by", Cell(f"{who.entity_type.value} {who.model_identifier}, {talk.url}")
    for related in talk.related:
        yield "  for", Cell(f"{related.type} {related.value}")
    for run in talk.ranges:
        yield "  lines", Cell(f"{_run(run)} {run.content_hash}")


def _run(run: Range) -> str:
    if run.fallback:
        return "the whole file, not compared line by line"
    if not run.start_line:
        return "the file has no lines after the edit"
    here = _lines(run.start_line, run.end_line)
    if run.replaced is None:
        return here
    first, old, new = run.replaced
    if not new:
        return f"{old} removed, from line {first} on (now next to line {run.start_line})"
    if not old:
        return f"{here} new"
    return f"{here} (before the edit: {_lines(first, first + old - 1)})"


def _lines(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _hash(found: ContentHash | None) -> str:
    return "no such file" if found is None else found


def _chain(record: Record) -> Iterator[LabelledCell]:
    place = record.integrity
    yield "hash", Cell(place.record_hash)
    yield "follows", Cell(place.prev_record_hash or "nothing: it is the first record")
    for head in place.merges:
        yield "ties", Cell(head)


def write_diffs(page: Output, record: Record, contents: ContentLookup) -> None:
    """Print what a record changed, file by file, with texts that `contents` finds.

    Files whose content did not change are skipped.
    """
    for file in record.files:
        lines = list(_diff(file, record.vcs.revision_id, contents))
        if lines:
            page.line()
            _write(page, [*_heading(file), *lines])


def _write(page: Output, lines: Sequence[DiffLine]) -> None:
    texts = [(line, f"{line.mark}{line.text}".expandtabs(4)) for line in lines]
    if page.terminal:
        rows = [[Cell(text, _STYLES[line.mark])] for line, text in texts]
        page.table(TextTable((Column("", fold=True),), rows))
        return
    for _, text in texts:
        page.line(text)


def _heading(file: RecordFile) -> Iterator[DiffLine]:
    old, new = file.previous_path or file.relative_path, file.relative_path
    yield DiffLine(DiffMark.REMOVED, "-- " + ("/dev/null" if file.pre_hash is None else old))
    yield DiffLine(DiffMark.ADDED, "++ " + ("/dev/null" if file.post_hash is None else new))


def _diff(file: RecordFile, revision: str, contents: ContentLookup) -> Iterator[DiffLine]:
    if file.pre_hash == file.post_hash:
        return

    def find(wanted: ContentHash | None, path: WorkspacePath) -> bytes | None:
        return b"" if wanted is None else contents.find(wanted, path, revision)

    old, new = find(file.pre_hash, file.previous or file.path), find(file.post_hash, file.path)
    if old is not None and new is not None:
        found = unified(old, new)
        yield from [_remark(_NO_TEXT)] if found is None else found
    elif new is not None:
        yield from _one_side(file, DiffMark.ADDED, text_lines(new))
    elif old is not None:
        yield from _one_side(file, DiffMark.REMOVED, text_lines(old))
    else:
        yield _remark(_NOT_KEPT)


def _one_side(file: RecordFile, side: DiffMark, lines: Sequence[str] | None) -> Iterator[DiffLine]:
    """Yield the changed ranges of a file if only its content before or after the edit is stored.

    `side` is ADDED if that is the content after the edit, REMOVED if it is the one before. `lines`
    are its lines, or None if it is not text; yield only a remark then, or if lines were not
    compared. A remark also takes the place of the lines that are not stored.
    """
    runs = [run for talk in file.conversations for run in talk.ranges]
    if lines is None or any(run.replaced is None for run in runs):
        yield _remark(_NO_TEXT)
        return
    for run in sorted(runs, key=lambda run: run.start_line):
        first, old, new = run.replaced or (0, 0, 0)
        yield place(first, old, run.start_line, new)
        start, kept, lost = (
            (run.start_line, new, old) if side is DiffMark.ADDED else (first, old, new)
        )
        if lost:
            lines_ = counted(lost, "line")
            yield _remark(
                f"{lines_} that stood here before: the text was not kept"
                if side is DiffMark.ADDED
                else f"{lines_} that came in their place: the text was not kept"
            )
        if kept:
            shown = lines[start - 1 : start - 1 + kept]
            yield from (DiffLine(side, line_body(line)) for line in shown)


def _remark(text: str) -> DiffLine:
    return DiffLine(DiffMark.REMARK, f" {text}")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id, or the first digits of it")
    parser.add_argument(
        "--no-diff", action="store_true", help="leave the changed lines themselves out"
    )


COMMAND: Final = Command(
    examples=(
        "intent-lsp trace show b3c1f0de",
        "intent-lsp trace show b3c1f0de --no-diff",
        "intent-lsp trace show b3c1f0de --json",
    ),
    json="write the record as it stands in the ledger",
    arguments=_arguments,
    answer=answer,
)
