"""Checkout: a session selects the intent that it works for, and gets the intent's context.

Invariant: the intents file gets the smallest edit or none. The selection is valid even if the file
cannot be written (requirements section 3).
"""

from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.agents.checkout_context import (
    RECENT_RECORDS,
    IntentContext,
    RelatedFile,
    within_budget,
)
from intent_lsp.core.agents.tools import SELECT_TOOL
from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import hash_if_there
from intent_lsp.core.gate.words import available_ids, available_json, listed, warnings_of
from intent_lsp.core.intents import Intent, Status
from intent_lsp.core.paths import INTENTS_FILE, parse_relative
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.context_xml import context_text
from intent_lsp.formats.intents.edit import set_status
from intent_lsp.formats.intents.intent_json import context_json, intent_json
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.intents_writer import IntentsWriter
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import Session, Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.history import History
from intent_lsp.store.fs import files
from intent_lsp.store.state.notes import AgentInfo

SILENT: Final = AgentInfo()


class Selection(Struct, frozen=True, kw_only=True):
    """The result of selecting an intent: the intent afterwards, its context, and warnings.

    `text` is the context as the agent reads it.
    """

    intent: Intent
    context: IntentContext
    text: str
    warnings: tuple[str, ...]


class CheckoutRefusal(Struct, frozen=True, kw_only=True):
    """A refused request about intents: code, message and data of the error response."""

    code: RequestCode
    message: str
    data: dict[str, object] = field(default_factory=dict)


class Checkout(Struct, frozen=True, kw_only=True):
    """Selects and deselects intents for the sessions of one root."""

    stores: Stores
    sessions: Sessions
    contents: Contents
    writer: IntentsWriter
    history: History

    def select(
        self, session: Session, intent_id: str, *, unsaved_file: bool, voice: AgentInfo = SILENT
    ) -> Selection | CheckoutRefusal:
        """Make an intent the session's active one. Return the selection, or why it is refused.

        An editor's session that selects another intent begins a new baseline; what an agent's
        session selects is noted in the intent's history. A PLANNED intent becomes IN_PROGRESS in
        the intents file; if that cannot be written, for example because an editor has unsaved
        changes of it (`unsaved_file`), a warning says so. `voice` is what an agent says of itself,
        such as its model; it is stored.
        """
        rules = self.stores.rules.current()
        intent = selectable(rules, intent_id)
        if isinstance(intent, CheckoutRefusal):
            return intent
        row = self.sessions.row(session.id, session.agent_id)
        self.sessions.choose(session.id, intent.id, session.agent_id)
        self._hear(session, voice)
        if row is not None and row.kind == "agent":
            self.history.note(intent.id, f"INTENT_CONTEXT_INJECTED {SELECT_TOOL}")
        elif row is None or rules.active(row.active_intent) != intent:
            self.contents.begin_baseline(session.id)
        warnings = warnings_of(intent)
        if intent.status is Status.PLANNED:
            warnings += self._start(intent, unsaved_file=unsaved_file)
        return self._selection(self.stores.rules.current().active(intent.id) or intent, warnings)

    def context(self, intent_id: str) -> Selection | CheckoutRefusal:
        """Return what `select` returns about an intent, closed or not, without selecting it.

        Return a refusal for an unknown intent, or if governance is off.
        """
        rules = self.stores.rules.current()
        intent = rules.active(intent_id)
        if intent is None or not rules.governed:
            return unknown(rules, intent_id)
        return self._selection(intent, warnings_of(intent))

    def clear(self, session: Session) -> None:
        """Unset the session's active intent."""
        self.sessions.choose(session.id, None, session.agent_id)

    def _hear(self, session: Session, voice: AgentInfo) -> None:
        """Store what an agent says of itself (nothing for SILENT). A failure is logged."""
        if self.stores.state is not None and voice != SILENT:
            with step("the agent's description of itself"):
                self.stores.state.notes.put_voice(session.id, session.agent_id, voice)

    def _selection(self, intent: Intent, warnings: tuple[str, ...]) -> Selection:
        rules, past = self.stores.rules.current(), self.stores.past
        whole = IntentContext(
            intent=replace(intent, recent_history=self.history.of(intent)),
            architectural_constraints=rules.policy.architectural_constraints,
            related_files=self._related(intent),
            recent_records=past.of_intent(rules.file.intents, intent, limit=RECENT_RECORDS),
        )
        context, text = within_budget(whole, context_text)
        return Selection(intent=intent, context=context, text=text, warnings=warnings)

    def _start(self, intent: Intent, *, unsaved_file: bool) -> tuple[str, ...]:
        """Set the intent's status to IN_PROGRESS in the intents file. Return a warning on failure.

        Return () on success. `unsaved_file`: an editor has unsaved changes of the file, so nothing
        is written and a warning is returned.
        """
        said = f"the status of {intent.id} stays PLANNED in {INTENTS_FILE}: "
        now = timestamp(self.stores.clock())
        refused = self.writer.change(
            lambda text: set_status(text, intent.id, Status.IN_PROGRESS, now),
            unsaved_file=unsaved_file,
        )
        return () if refused is None else (said + refused,)

    def _related(self, intent: Intent) -> tuple[RelatedFile, ...]:
        scope = self.stores.rules.current().scope_of(intent)
        found: list[RelatedFile] = []
        for name in intent.related_files:
            path = parse_relative(name)
            if path is None or not scope.covers(path):
                continue
            stamp = files.stamp(self.stores.root / path)
            if stamp is None:
                continue
            modified = datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
            hash_ = hash_if_there(self.contents.disk_if_readable(path))
            found.append(RelatedFile(path, hash_, timestamp(modified)))
        return tuple(found)


def selectable(rules: Rules, intent_id: str) -> Intent | CheckoutRefusal:
    """Return the intent with the id or alias `intent_id`, or why it cannot be selected.

    It cannot while governance is off, or if it is unknown, closed or matched by `.intentignore`.
    """
    intent = rules.active(intent_id)
    if intent is None or not rules.governed:
        return unknown(rules, intent_id)
    if intent.status.closed:
        return CheckoutRefusal(
            code=RequestCode.INTENT_CLOSED,
            message=f"Intent {intent.id} is {intent.status}.",
            data={"intent_id": intent.id, "status": intent.status.value},
        )
    patterns = rules.ignored.get(intent.id)
    if patterns:
        return CheckoutRefusal(
            code=RequestCode.INTENT_IGNORED,
            message=f"Intent {intent.id} is excluded by .intentignore.",
            data={"intent_id": intent.id, "matched_patterns": list(patterns)},
        )
    return intent


def unknown(rules: Rules, intent_id: str) -> CheckoutRefusal:
    """Return the refusal of an unknown intent id, or of "", which stands for no selected intent.

    If the root is not governed, return the refusal for that.
    """
    if not rules.governed:
        return not_governed(rules)
    intents = rules.file.intents
    said = f"Intent {intent_id} is not in {INTENTS_FILE}."
    if not intent_id:
        said = "The session has selected no intent, so name one."
    ignored = rules.ignored
    return CheckoutRefusal(
        code=RequestCode.INTENT_NOT_FOUND,
        message=f"{said} Available: {listed(available_ids(intents, ignored))}.",
        data={"intent_id": intent_id, "available_intents": available_json(intents, ignored)},
    )


def not_governed(rules: Rules) -> CheckoutRefusal:
    """Return the refusal of a request made while governance is off."""
    reason = rules.reason or "governance is off"
    return CheckoutRefusal(code=RequestCode.NOT_GOVERNED, message=reason, data={"reason": reason})


def intents_json(rules: Rules) -> list[dict[str, Any]]:
    """Return the intents of the intents file, in its order, as in the result of `intent/list`."""
    return [intent_json(intent, rules.flags_of(intent)) for intent in rules.file.intents]


def selection_json(selection: Selection) -> dict[str, Any]:
    """Return the result of `intent/select` and of `intent-lsp intents select --json`."""
    return {
        "intent": intent_json(selection.intent),
        "context": context_json(selection.context),
        "text": selection.text,
        "warnings": list(selection.warnings),
    }
