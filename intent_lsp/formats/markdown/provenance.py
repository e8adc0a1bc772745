"""Descriptions of where lines come from, for hovers, lenses and inlay hints (protocol section 4).

Invariant: whatever a value holds, it never acts as markup and never adds a line.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import quote

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.blame.attribution import BlameRun, Confidence
from intent_lsp.core.intents import Intent
from intent_lsp.core.records import EntityType, Record, ScopeValidation
from intent_lsp.core.text import on_one_line
from intent_lsp.formats.markdown.editor_text import escaped

LONGEST: Final = 200
"""The most characters of a foreign text that are shown."""

CONCURRENT: Final = "somebody else changed one of the edit's files meanwhile"
_NO_INTENT: Final = "no intent"
_DAY: Final = slice(0, 10)
_MINUTE: Final = slice(11, 16)
_HOW: Final = {
    Confidence.NORMALIZED: "later only the text's white space was changed",
    Confidence.MOVED: "the text was moved here later",
}


def hover_markdown(run: BlameRun, intent: Intent | None, link: str | None = None) -> str:
    """Return the intent, author and record of a run of blamed lines as Markdown for a hover.

    Return "" if the run has no record. `intent` is the record's intent, or None if the record has
    none or the intents file does not contain it. `link` is the URI that shows the record, such as
    that of `command_link`, or None if the client can show none.
    """
    if run.record is None:
        return ""
    title, *rest = [escaped(part) for part in _intent(run.record, intent)]
    head = " — ".join([f"**{title}**", *rest])
    *edit, record = map(escaped, _edit(run, run.record))
    if link is not None:
        record = f"[{record}]({link})"
    return f"{head}\n\n{' · '.join([*edit, record])}"


def command_link(command: str, record_id: str) -> str:
    """Return the URI that runs the client's command `command` with a record's id."""
    return f"command:{command}?{quote(json.dumps([record_id]))}"


def hover_plain(run: BlameRun, intent: Intent | None) -> str:
    """Return the intent, author and record of a run of blamed lines as plain text for a hover.

    Return "" if the run has no record. `intent` is the record's intent, or None if the record has
    none or the intents file does not contain it.
    """
    if run.record is None:
        return ""
    return f"{' — '.join(_intent(run.record, intent))}\n{' · '.join(_edit(run, run.record))}"


def hint_words(run: BlameRun, intent: Intent | None) -> str:
    """Return the intent, author and date of a run of blamed lines, as text for the end of a line.

    Return "" if the run has no record. `intent` is the record's intent, or None if the record has
    none or the intents file does not contain it.
    """
    if run.record is None:
        return ""
    named = _intent_id(run.record) if intent is None else intent.name or intent.id
    return ", ".join(map(_shown, (named, who(run), run.record.timestamp[_DAY])))


def newest_of(runs: Iterable[BlameRun]) -> BlameRun | None:
    """Return the run of blamed lines whose record is the newest, or None if no run has a record."""
    return max((run for run in runs if run.record is not None), key=_time, default=None)


def lens_words(runs: Iterable[BlameRun], intent: Intent | None) -> str:
    """Return a code lens's text: intent, author and date of a definition's newest lines.

    `runs` are the blamed lines of the definition, and `intent` is the intent of the newest run. If
    several intents changed the lines, the number of all of them follows, such as `, 3 intents`. All
    edits without an intent together count as one. Return "" if no run has a record.
    """
    known = [run for run in runs if run.record is not None]
    newest = newest_of(known)
    if newest is None:
        return ""
    intents = {_intent_id(run.record) for run in known if run.record is not None}
    others = "" if len(intents) == 1 else f", {len(intents)} intents"
    return f"{hint_words(newest, intent)}{others}"


def who(run: BlameRun) -> str:
    """Return who made the lines of a run: `Ann`, a model, `MODEL and Ann` for both, or `unknown`.

    A person is called by name, `you` or `a person`; a model that is not known, `an agent`.
    """
    contributor = run.contributor
    if contributor is None or contributor.entity_type is EntityType.UNKNOWN:
        return "unknown"
    person = run.author or ("you" if run.is_you else "a person")
    if contributor.entity_type is EntityType.HUMAN:
        return person
    model = contributor.model_identifier
    mixed = f" and {person}" if contributor.entity_type is EntityType.MIXED else ""
    return ("an agent" if model == "unknown" else model) + mixed


def reasons(record: Record) -> Iterator[str]:
    """Yield further facts about a record, as clauses, and then its `doubts`.

    The facts are: no intent was selected, an approval, the reason of a grant, the error of a
    failure, a concurrent change, and a refused call that was made all the same. Texts that others
    wrote are put on one line, without control characters.
    """
    if record.scope_validation is ScopeValidation.FAIL and record.intent_id is None:
        yield "no intent was selected"
    if record.approval is not None:
        by_client = record.approval.channel is ApprovalChannel.ELICITATION
        yield "the agent's client approved the edit" if by_client else "a person approved the edit"
    if record.grant is not None and record.grant.reason:
        yield _shown(record.grant.reason)
    if record.error is not None:
        yield f"the call failed: {_shown(record.error)}"
    if record.concurrent_modification:
        yield CONCURRENT
    if record.refused_call_hash is not None:
        yield "an agent's call was refused, but its change was made"
    yield from doubts(record)


def doubts(record: Record) -> Iterator[str]:
    """Yield each reason why a record is less reliable than others, as a clause."""
    if record.is_assumed:
        yield _unreported(record)
    if not record.compared:
        yield "the work tree could not be compared: the command may have changed more files"
    if record.reconstructed:
        yield "the state in .orchestration/.local/ was deleted while the command ran"


def _time(run: BlameRun) -> str:
    return "" if run.record is None else run.record.timestamp


def _intent(record: Record, intent: Intent | None) -> Sequence[str]:
    if record.intent_id is None:
        return (_NO_INTENT,)
    if intent is None:
        return _shown(record.intent_id), "not found in the intents file"
    told = (record.intent_id, intent.name, intent.status.value)
    return [_shown(part) for part in told if part]


def _edit(run: BlameRun, record: Record) -> Sequence[str]:
    kind = record.mutation_class.value + (" (inferred)" if record.inferred else "")
    time = f"{record.timestamp[_DAY]} {record.timestamp[_MINUTE]} UTC"
    told = [who(run), time, record.tool_name, kind, record.scope_validation.value]
    if record.scope_validation is ScopeValidation.FAIL:
        told[-1] += ": a rule did not allow the edit"
    assumed = run.confidence is Confidence.ASSUMED
    how = _unreported(record) if assumed else _HOW.get(run.confidence, run.confidence.value)
    return [_shown(part) for part in (*told, how, f"record {record.id[:8]}")]


def _unreported(record: Record) -> str:
    said = "no editor or agent reported the edit"
    return said if record.intent_id is None else f"{said}; the intent is the one that was active"


def _intent_id(record: Record) -> str:
    return record.intent_id or _NO_INTENT


def _shown(text: str) -> str:
    return on_one_line(text, LONGEST)
