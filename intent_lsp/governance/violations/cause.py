"""The place in the intents file that a refusal of an edit comes from (protocol section 4.3).

Invariant: the span fits the text that it is returned with, whatever the file on disk holds.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import lines_if_text
from intent_lsp.core.findings import Span
from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.formats.intents.intents_file import IntentsFile, read_intents
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.store.fs import files


class RefusalCause(Struct, frozen=True, kw_only=True):
    """A place in the intents file at `path`: `span`, in code points, in its text `lines`."""

    path: Path
    lines: Sequence[str]
    span: Span


def cause_of(
    root: Path, judgement: Judgement, opened: Sequence[str] | None = None
) -> RefusalCause | None:
    """Return the place in the intents file that the refusal in a judgement comes from.

    `opened` are the lines of that file in the editor, or None if the file is not open; it is then
    read from disk. Return None if the edit is not refused, if its refusal comes from no place
    there, or if the file cannot be read or does not parse.
    """
    path = root / INTENTS_FILE
    lines = list(opened) if opened is not None else _on_disk(path)
    span = _span_in(read_intents("".join(lines)), judgement)
    return None if span is None else RefusalCause(path=path, lines=lines, span=span)


def _span_in(shown: IntentsFile, judgement: Judgement) -> Span | None:
    """Return the span in the intents file `shown` that the refusal in a judgement comes from.

    For an edit out of scope, return the exclusion that matches the file, else `owned_scope`. For a
    closed intent, return its status; for an ignored intent, its id. If no usable intent is
    selected, return the glob of the first open owner that matches the file, else the owner's
    `owned_scope`. If the intent has no such part, return its id.

    Return None if there is no refusal or another one, or if `shown` lacks the intent.
    """
    denied, intent = judgement.denied, judgement.intent
    if denied is None or denied.code in (GateCode.NO_ACTIVE_INTENT, GateCode.INTENT_NOT_FOUND):
        return None if denied is None else _of_owner(shown, judgement)
    places = None if intent is None else shown.places.get(intent.id)
    if intent is None or places is None:
        return None
    match denied.code:
        case GateCode.SCOPE_VIOLATION:
            exclusion = judgement.rules.scope_of(intent).exclusion(judgement.path)
            return _glob(shown, intent.id, exclusion) or places.owned_scope or places.id
        case GateCode.INTENT_CLOSED:
            return places.status or places.id
        case GateCode.INTENT_IGNORED:
            return places.id
        case _:
            return None


def _of_owner(shown: IntentsFile, judgement: Judgement) -> Span | None:
    """Return the span of the glob of the judged file's first open owner, or None without an owner.

    If `shown` lacks that glob, return the owner's `owned_scope`, or else its id.
    """
    owning = {each.intent_id: each.pattern for each in judgement.rules.owners(judgement.path)}
    for owner in judgement.owners:
        places = shown.places.get(owner)
        if places is not None:
            return _glob(shown, owner, owning.get(owner)) or places.owned_scope or places.id
    return None


def _glob(shown: IntentsFile, intent_id: IntentId, pattern: str | None) -> Span | None:
    """Return the span of a glob, as written, in the scope of an intent.

    Return None if the glob is None or not there any more.
    """
    intent, places = shown.intents.get(intent_id), shown.places[intent_id]
    if intent is None or pattern is None or pattern not in intent.owned_scope:
        return None
    return places.globs[intent.owned_scope.index(pattern)]


def _on_disk(path: Path) -> list[str]:
    """Return the lines of a file, without a byte order mark; none if it cannot be read."""
    try:
        return lines_if_text(files.read_bytes(path, MAX_BYTES))
    except OSError:
        return []
