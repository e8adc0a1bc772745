"""A record in words: labelled facts about the edit, its files and its place in the chain.

Invariant: what the record holds is given as it is; whoever shows a fact escapes it.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Final

from msgspec import Struct

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Conversation, Range, Record, RecordFile
from intent_lsp.core.report.aggregates import count_of_files
from intent_lsp.core.text import escape_unseen
from intent_lsp.formats.diff import DiffLine
from intent_lsp.formats.markdown.provenance import CONCURRENT, doubts

_FLAGS: Final = {
    "INTENT_CHANGED": "the intent's text has changed since this record",
    "INTENT_ARCHIVED": "the intent is no longer in the intents file",
}


class FactTone(Enum):
    """The kind of a `RecordFact`, for doors that display some kinds in another way."""

    PLAIN = auto()
    ID = auto()
    VERDICT = auto()
    FILE = auto()
    DOUBT = auto()
    FAILURE = auto()


class RecordFact(Struct, frozen=True):
    """One fact of a record. An empty label continues the fact before."""

    label: str
    text: str
    tone: FactTone = FactTone.PLAIN


def record_facts(record: Record, flags: Sequence[str], when: str) -> Iterator[RecordFact]:
    """Yield the facts of a record: the edit, failure and doubts, approval, each file, the chain.

    `flags` may be `INTENT_CHANGED` and `INTENT_ARCHIVED`, and `when` is the record's time as people
    are to read it.
    """
    yield from _deed(record, flags, when)
    yield from _consent(record)
    for file in record.files:
        yield from _file(file)
    yield from _chain(record)


def record_text(facts: Iterable[RecordFact], diffs: Iterable[Sequence[DiffLine]]) -> str:
    """Return facts of a record, and then `diffs`, one for each file, as lines of plain text.

    Each fact is one line, with its label in front. Characters that cannot be seen are escaped in
    facts, and nowhere else.
    """
    told = list(facts)
    width = max((len(each.label) for each in told), default=0)
    lines = [f"{each.label:{width}}  {_on_a_line(each.text)}".rstrip() for each in told]
    for diff in diffs:
        lines += ["", *(f"{line.mark}{line.text}" for line in diff)]
    return "".join(f"{line}\n" for line in lines)


def added_and_removed(files: Sequence[RecordFile]) -> str:
    """Return how many lines an edit added to and removed from `files`, such as `+3 -1`.

    Return `whole file` if one of them was not compared line by line, or "" if no range is recorded.
    """
    if not any(talk.ranges for file in files for talk in file.conversations):
        return ""
    lines = count_of_files(files)
    return "whole file" if lines.whole else f"+{lines.added} -{lines.removed}"


def _on_a_line(text: str) -> str:
    return escape_unseen(text.replace("\n", "\\n"))


def _deed(record: Record, flags: Sequence[str], when: str) -> Iterator[RecordFact]:
    yield RecordFact("record", record.id, FactTone.ID)
    yield RecordFact("when", when)
    agent = "" if record.agent_id is None else f", subagent {record.agent_id}"
    yield RecordFact("session", record.session_id + agent)
    yield RecordFact("tool", record.tool_name)
    yield RecordFact("intent", record.intent_id or "none")
    for flag in flags:
        yield RecordFact("", f"{flag}: {_FLAGS[flag]}", FactTone.DOUBT)
    if record.intent_hash is not None:
        yield RecordFact("", f"the intent's text had the hash {record.intent_hash}")
    yield RecordFact("verdict", record.scope_validation.value, FactTone.VERDICT)
    guessed = " (inferred)" if record.inferred else ""
    yield RecordFact("change", f"{record.mutation_class.value}{guessed}")
    yield RecordFact("revision", record.vcs.revision_id)


def _consent(record: Record) -> Iterator[RecordFact]:
    """Yield the facts about a failure, a concurrent change and doubts, an approval and a grant.

    Of these, a record has any or none.
    """
    if not record.success:
        yield RecordFact("failed", record.error or "no reason was given", FactTone.FAILURE)
    if record.concurrent_modification:
        yield RecordFact("concurrent", CONCURRENT)
    yield from (RecordFact("", said, FactTone.DOUBT) for said in doubts(record))
    if record.approval is not None:
        asked = record.approval
        by = "by a person in" if asked.channel is ApprovalChannel.EDITOR else "in"
        approver = f"{by} session {asked.session_id}{_through(asked.channel)}"
        yield RecordFact("approved", f"{asked.choice.value}, {approver}")
    if record.grant is not None:
        grant = record.grant
        until = grant.expires_at or "taken back"
        by = f"by {grant.granted_by}{_through(grant.channel)}"
        patterns = ", ".join(grant.patterns)
        yield RecordFact("granted", f"{patterns} until {until}, {by}")
        yield RecordFact("", grant.reason or "no reason was given")


def _through(channel: ApprovalChannel) -> str:
    """Return `, through the agent's client` for an answer that came so, or "" for an editor's."""
    return "" if channel is ApprovalChannel.EDITOR else ", through the agent's client"


def _file(file: RecordFile) -> Iterator[RecordFact]:
    lines = added_and_removed((file,))
    yield RecordFact("file", f"{file.relative_path} {lines}".rstrip(), FactTone.FILE)
    if file.previous_path is not None:
        yield RecordFact("", f"was {file.previous_path}")
    yield RecordFact("", f"before {_hash(file.pre_hash)}")
    yield RecordFact("", f"after  {_hash(file.post_hash)}")
    if file.ast_fingerprint is not None:
        outline = file.ast_fingerprint
        yield RecordFact(
            "", f"hash of the file's {outline.language} definitions: {outline.summary_hash}"
        )
    for talk in file.conversations:
        yield from _conversation(talk)


def _conversation(talk: Conversation) -> Iterator[RecordFact]:
    who = talk.contributor
    yield RecordFact("  by", f"{who.entity_type.value} {who.model_identifier}, {talk.url}")
    for related in talk.related:
        yield RecordFact("  for", f"{related.type} {related.value}")
    for run in talk.ranges:
        yield RecordFact("  lines", f"{_run(run)} {run.content_hash}")


def _run(run: Range) -> str:
    if run.fallback:
        return "the whole file, not compared line by line"
    if not run.start_line:
        return "the edit left the file without lines"
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
    return "no file, or not known" if found is None else found


def _chain(record: Record) -> Iterator[RecordFact]:
    place = record.integrity
    yield RecordFact("hash", place.record_hash)
    yield RecordFact("follows", place.prev_record_hash or "nothing: it is the first record")
    for head in place.merges:
        yield RecordFact("ties", head)
