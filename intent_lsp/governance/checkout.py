"""Checkout: a session selects the intent it works for, and is told what that intent says.

Invariant: the intents file is changed by the smallest edit or not at all; the selection holds
either way (requirements section 3).
"""

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import decode, hash_content, hash_if_there
from intent_lsp.core.context import RECENT_RECORDS, IntentContext, RelatedFile, within_budget
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent, Intents, Status
from intent_lsp.core.naming import available, listed, open_ids, warnings_of
from intent_lsp.core.paths import INTENTS_FILE, parse_relative
from intent_lsp.core.records import Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.context_xml import context_text
from intent_lsp.formats.yaml_edit import EditRefused, apply_changes, set_status
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.rules import Rules, RulesCache
from intent_lsp.governance.sessions import Session, Sessions
from intent_lsp.governance.stores import Stores
from intent_lsp.store import files
from intent_lsp.store.index import Query

_log: Final = logging.getLogger(__name__)

_READ_ONLY: Final = "could not be written: {error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What selecting gave: the intent as it now stands, its context, what went otherwise."""

    intent: Intent
    context: IntentContext
    text: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A request that could not be judged; `data` is what the error carries beside its code."""

    code: RequestCode
    message: str
    data: dict[str, object] = field(default_factory=dict)


class Checkout:
    """Selects and clears intents for the sessions of one root."""

    def __init__(
        self, *, stores: Stores, rules: RulesCache, sessions: Sessions, contents: Contents
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._sessions = sessions
        self._contents = contents

    def select(
        self, session: Session, intent_id: str, *, unsaved_file: bool
    ) -> Selection | Refusal:
        """Make an intent the session's own; `unsaved_file`: an editor holds unsaved intents."""
        rules = self._rules.current()
        intent = rules.active(intent_id)
        refusal = _refusal(rules, intent_id, intent)
        if intent is None or refusal is not None:
            return refusal or _unknown(rules.file.intents, intent_id)
        different = rules.active(self._sessions.active_intent(session.id)) != intent
        self._sessions.choose(session.id, intent.id)
        if different:
            self._contents.begin_baseline(session.id)
        warnings = warnings_of(intent)
        if intent.status is Status.PLANNED:
            warnings += self._start(intent, unsaved_file=unsaved_file)
        return self._selection(self._rules.current().active(intent.id) or intent, warnings)

    def clear(self, session: Session) -> None:
        """Leave the session without an intent."""
        self._sessions.choose(session.id, None)

    def _selection(self, intent: Intent, warnings: tuple[str, ...]) -> Selection:
        whole = IntentContext(
            intent=intent,
            architectural_constraints=self._rules.current().policy.architectural_constraints,
            related_files=self._related(intent),
            recent_history=intent.recent_history,
            recent_records=self._recent(intent),
        )
        context, text = within_budget(whole, context_text)
        return Selection(intent=intent, context=context, text=text, warnings=warnings)

    def _recent(self, intent: Intent) -> tuple[Record, ...]:
        query = Query(intent_ids=(intent.id, *intent.aliases))
        return self._stores.ledger.index.query(query, limit=RECENT_RECORDS).records

    def _start(self, intent: Intent, *, unsaved_file: bool) -> tuple[str, ...]:
        """Set `IN_PROGRESS` where it stands; give what a person should know if that cannot be."""
        said = f"status of {intent.id} stays PLANNED in {INTENTS_FILE}: "
        if unsaved_file:
            return (said + "the file is open with unsaved text",)
        path = self._stores.root / INTENTS_FILE
        try:
            data = files.read_bytes(path)
            text = None if data is None else decode(data)
            if data is None or text is None:
                return (said + "it cannot be read",)
            now = timestamp(self._stores.clock())
            changes = set_status(text.text, intent.id, Status.IN_PROGRESS, now)
            if isinstance(changes, EditRefused):
                return (said + changes.reason,)
            if not changes:  # Someone else was quicker.
                return ()
            written = text.encode(apply_changes(text.text, changes))
            # Noted first: whoever sees the new bytes must know them as ours.
            if self._stores.state is not None:
                self._stores.state.note_own_write(INTENTS_FILE, hash_content(written))
            files.replace_file(path, written, root=self._stores.root, expected=data)
        except (OSError, IntentLspError) as error:
            return (said + _READ_ONLY.format(error=error),)
        return ()

    def _related(self, intent: Intent) -> tuple[RelatedFile, ...]:
        scope = self._rules.current().scope_of(intent)
        found: list[RelatedFile] = []
        for name in intent.related_files:
            path = parse_relative(name)
            if path is None or not scope.covers(path):
                continue
            stamp = files.stamp(self._stores.root / path)
            if stamp is None:
                continue
            modified = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
            hash_ = hash_if_there(self._contents.disk_if_readable(path))
            found.append(RelatedFile(path, hash_, timestamp(modified)))
        return tuple(found)


def _refusal(rules: Rules, intent_id: str, intent: Intent | None) -> Refusal | None:
    if not rules.governed:
        reason = rules.reason or "governance is off"
        return Refusal(code=RequestCode.NOT_GOVERNED, message=reason, data={"reason": reason})
    if intent is None:
        return _unknown(rules.file.intents, intent_id)
    if intent.status.closed:
        return Refusal(
            code=RequestCode.INTENT_CLOSED,
            message=f"Intent {intent.id} is {intent.status}.",
            data={"intent_id": intent.id, "status": intent.status.value},
        )
    patterns = rules.ignored.get(intent.id)
    if patterns:
        return Refusal(
            code=RequestCode.INTENT_IGNORED,
            message=f"Intent {intent.id} is excluded by .intentignore.",
            data={"intent_id": intent.id, "matched_patterns": list(patterns)},
        )
    return None


def _unknown(intents: Intents, intent_id: str) -> Refusal:
    names = listed(open_ids(intents))
    return Refusal(
        code=RequestCode.INTENT_NOT_FOUND,
        message=f"Intent {intent_id} is not in {INTENTS_FILE}. Available: {names}.",
        data={"intent_id": intent_id, "available_intents": available(intents)},
    )
