"""Changes of the plan: create and complete intents, and grant scope (protocol section 2).

Invariant: the caller has a person's approval. What is written is the smallest edit, or nothing.
Invariant: every grant has its own record, which is on disk before the answer is given.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import ApprovalChannel, Grant
from intent_lsp.core.codes import RequestCode
from intent_lsp.core.gate.grantable import ungrantable
from intent_lsp.core.intents import Intent, IntentId, Status, next_id
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import GRANT_TOOL, Event, MutationClass, ScopeValidation, Vcs
from intent_lsp.core.redaction import redacted
from intent_lsp.core.scope.pattern import normalize
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.append_intent import add_intent
from intent_lsp.formats.intents.append_intents import add_intents
from intent_lsp.formats.intents.edit import EditRefused, FileEdit, add_globs, set_status, unwritable
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.governance.plan.checkout import CheckoutRefusal, not_governed, selectable, unknown
from intent_lsp.governance.root.intents_writer import IntentsEdit, IntentsWriter
from intent_lsp.governance.root.sessions import Session, Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import is_directory

_CHANGED: Final = "the file has changed since the edit was shown; run the command again"


class Wish(Struct, frozen=True, kw_only=True):
    """A request for more scope of an intent: the globs to add, and the reason.

    `ttl` is how long the grant lasts, or None for permanently.
    """

    intent_id: str
    patterns: tuple[str, ...]
    reason: str | None = None
    ttl: timedelta | None = None


class Granted(Struct, frozen=True):
    """An intent after a grant of scope, and the time when the grant expires (None: never)."""

    intent: Intent
    expires_at: str | None


class Planner(Struct, frozen=True, kw_only=True):
    """Creates and completes intents of one root, and grants them scope."""

    stores: Stores
    sessions: Sessions
    writer: IntentsWriter

    def create(self, wanted: Intent, *, unsaved_file: bool) -> Intent | CheckoutRefusal:
        """Add an intent to the intents file. Return it as read back, or a refusal.

        If its id is "", it gets the next free `INT-NNN`; its creation date is set. `unsaved_file`:
        an editor has unsaved changes of the file, so nothing is written and the intent is refused.
        """
        rules = self.stores.rules.current()
        if not rules.governed:
            return not_governed(rules)
        wanted = replace(wanted, created_at=timestamp(self.stores.clock()))
        made: list[Intent] = []

        def edit(text: str) -> IntentsEdit:
            # Choose the id in each attempt, since another writer may have taken the next free one.
            reader = IntentsReader()
            intent_id = wanted.id or IntentId(next_id(reader.read(text).intents))
            made[:] = [replace(wanted, id=intent_id)]
            return add_intent(text, made[0], reader)

        refused = self.writer.change(edit, unsaved_file=unsaved_file)
        if refused is not None:
            return unwritten(f"{wanted.id or wanted.name} was not created", refused)
        return self._now(made[0].id)

    def take_over(
        self, intents: Sequence[Intent], *, unsaved_file: bool, dry_run: bool = False
    ) -> Mapping[str, str] | CheckoutRefusal:
        """Add intents of another file in one edit. Return a reason for each id that is refused.

        All other intents are added. Return one refusal if nothing can be written, for example
        because an editor has unsaved changes of the intents file (`unsaved_file`). Of each intent
        the id, name, status, globs, constraints, acceptance criteria and `created_at` are written.
        `dry_run`: nothing is written.
        """
        rules = self.stores.rules.current()
        if not rules.governed:
            return not_governed(rules)
        now = timestamp(self.stores.clock())
        refused: dict[str, str] = {}
        bare = [replace(intent, specification="") for intent in intents]

        def edit(text: str) -> IntentsEdit:
            added = add_intents(text, bare, now)
            refused.clear()
            refused.update(added.refused)
            return () if dry_run else added.changes

        problem = self.writer.change(edit, unsaved_file=unsaved_file)
        return refused if problem is None else unwritten("No intent was added", problem)

    def write_shown(self, text: str, changes: FileEdit) -> CheckoutRefusal | None:
        """Write an edit that a person was shown. Return None on success, else a refusal.

        `changes` is the edit of `text`. It is refused if the file's text is not `text` any more.
        """

        def edit(now: str) -> IntentsEdit:
            return changes if now == text else EditRefused(_CHANGED)

        problem = self.writer.change(edit, unsaved_file=False)
        return None if problem is None else unwritten("No intent was added", problem)

    def complete(
        self, session: Session, intent_id: str | None, *, unsaved_file: bool
    ) -> Intent | CheckoutRefusal:
        """Set an intent to COMPLETED in the intents file. Return it as read back, or a refusal.

        `intent_id` None means the session's active intent. If the intent is the active one, the
        session then has no active intent. An intent that cannot be selected is refused.
        `unsaved_file`: an editor has unsaved changes of the intents file, so nothing is written.
        """
        rules = self.stores.rules.current()
        wanted = intent_id or self.sessions.active_intent(session.id, session.agent_id) or ""
        intent = selectable(rules, wanted)
        if isinstance(intent, CheckoutRefusal):
            return intent
        now = timestamp(self.stores.clock())
        refused = self.writer.change(
            lambda text: set_status(text, intent.id, Status.COMPLETED, now),
            unsaved_file=unsaved_file,
        )
        if refused is not None:
            return unwritten(f"{intent.id} was not set to COMPLETED", refused)
        active = rules.active(self.sessions.active_intent(session.id, session.agent_id))
        if active == intent:
            self.sessions.choose(session.id, None, session.agent_id)
        return self._now(intent.id)

    def refusal(self, intent_id: str) -> CheckoutRefusal | None:
        """Return why an intent cannot be selected now, or None if it can be."""
        found = selectable(self.stores.rules.current(), intent_id)
        return found if isinstance(found, CheckoutRefusal) else None

    def ungrantable(
        self, patterns: Sequence[str], *, of_new_intent: bool = False
    ) -> tuple[int, str] | None:
        """Return the index of the first pattern that cannot be granted, and why; None if all can.

        `of_new_intent`: the patterns are a whole scope, so an exclusion is accepted if not all of
        them are exclusions.
        """
        exclusions = {pattern for pattern in patterns if normalize(pattern).exclusion}
        narrowed = of_new_intent and not exclusions.issuperset(patterns)
        for place, pattern in enumerate(patterns):
            if narrowed and pattern in exclusions:
                continue
            why = ungrantable(pattern, partial(is_directory, self.stores.root))
            if why is not None:
                return place, why
        return None

    def grant(
        self,
        wish: Wish,
        session: Session,
        *,
        by: str,
        unsaved_file: bool,
        channel: ApprovalChannel = ApprovalChannel.EDITOR,
    ) -> Granted | CheckoutRefusal:
        """Grant an intent scope, permanently or for a time. Return the grant, or a refusal.

        A permanent grant is written into the intents file, and each grant is recorded. `by` is the
        session of the person who approved, and `channel` is how the approval arrived. The caller
        has checked that the policy accepts this channel, and has checked the globs by
        `ungrantable`. `unsaved_file`: an editor has unsaved changes of the intents file, so a
        permanent grant is refused.

        Raise LedgerUnavailableError if a temporary grant cannot be recorded; it is then not given.
        Raise it too if the record of a permanent grant can be neither appended nor queued; that
        grant stays in the intents file.
        """
        rules = self.stores.rules.current()
        intent = selectable(rules, wish.intent_id)
        if isinstance(intent, CheckoutRefusal):
            return intent
        now = self.stores.clock()
        expires = None if wish.ttl is None else timestamp(now + wish.ttl)
        refused = self._expand(intent, wish, timestamp(now), unsaved=unsaved_file)
        if refused is not None:
            return unwritten(f"The scope of {intent.id} was not expanded", refused)
        granted = self._now(intent.id)
        if isinstance(granted, CheckoutRefusal):
            return granted
        grant = Grant(
            patterns=wish.patterns,
            # A lone surrogate cannot be encoded in a record.
            reason=redacted(wish.reason or "").encode("utf-8", "replace").decode() or None,
            granted_by=by,
            expires_at=expires,
            channel=channel,
        )
        event = veiled(self._event(granted, session, grant), rules.policy)
        if wish.ttl is None:
            # The grant is already in the intents file, so its record may be queued.
            self.stores.ledger.append_or_queue(event)
        else:
            self.stores.ledger.append(event)
        return Granted(granted, expires)

    def _expand(self, intent: Intent, wish: Wish, now: str, *, unsaved: bool) -> str | None:
        """Add permanent patterns to the intents file. Return None on success, else the reason.

        If `wish` is temporary, write nothing and return only what `unwritable` says of its
        patterns. `unsaved`: an editor has unsaved changes of the file, so permanent patterns are
        refused.
        """
        unsayable = unwritable(wish.patterns)
        if unsayable is not None or wish.ttl is not None:
            return None if unsayable is None else unsayable.reason
        return self.writer.change(
            lambda text: add_globs(text, intent.id, wish.patterns, now), unsaved_file=unsaved
        )

    def _event(self, intent: Intent, session: Session, grant: Grant) -> Event:
        return Event(
            intent_id=intent.id,
            intent_hash=intent_hash(intent),
            session_id=session.id,
            agent_id=session.agent_id or None,
            tool_name=GRANT_TOOL,
            mutation_class=MutationClass.CONFIGURATION,
            scope_validation=ScopeValidation.EXEMPT,
            grant=grant,
            vcs=Vcs(revision_id=self.stores.revision()),
        )

    def _now(self, intent_id: str) -> Intent | CheckoutRefusal:
        """Return the intent as it is in the intents file now, or a refusal if it is not there."""
        rules = self.stores.rules.current()
        return rules.active(intent_id) or unknown(rules, intent_id)


def unwritten(undone: str, reason: str) -> CheckoutRefusal:
    """Return the refusal of a change that was not written into the intents file.

    `undone` says what was not done, and `reason` is a clause that says why.
    """
    return CheckoutRefusal(
        code=RequestCode.INTENTS_FILE_UNWRITTEN,
        message=f"{undone} in {INTENTS_FILE}: {reason}.",
        data={"reason": reason},
    )
