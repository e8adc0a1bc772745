"""Recent history of intents: queued, stored, and in the intents file if the policy asks for it.

Specified in requirements sections 3 and 9.

Invariant: a change of the file by somebody else that was not read is not overwritten.
Invariant: if an event cannot be stored, everything else goes on.
Invariant: queued events are written in order. One that fails is logged and dropped.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import hash_if_there
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.redaction import neutral
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.edit import set_history
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.intents_writer import IntentsEdit, IntentsWriter
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.state.notes import EVENTS_KEPT, Noted
from intent_lsp.store.state.sessions_db import SessionDb

_log: Final = logging.getLogger(__name__)

EVERY: Final = timedelta(minutes=1)
"""The minimum time between two writes of the file."""

QUIET: Final = timedelta(seconds=5)
"""How long the file must have been unchanged by others."""

_LONGEST: Final = 300
"""The most characters of an event, more than the longest tool name needs."""

_WRITTEN: Final = "history written"

DeferredEvent = Callable[[], None]


class DeferredQueue:
    """Queue that holds back audit events until `write` is called.

    If it is not `patient`, each event is written at once.
    """

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._events: deque[DeferredEvent] = deque()
        self._writing = threading.RLock()

    def add(self, event: DeferredEvent) -> None:
        """Append an event: a function that writes it. Unless `patient`, call `write` now."""
        self._events.append(event)
        if not self._patient:
            self.write()

    def write(self) -> None:
        """Write all queued events. If another thread is doing so, wait until it has finished.

        An event that fails is logged and dropped.
        """
        with self._writing:
            while self._events:
                try:
                    self._events.popleft()()
                except Exception:  # noqa: BLE001 - nobody waits for it who could be told
                    _log.exception("an audit event cannot be written")


class History(Struct, frozen=True, kw_only=True):
    """The recent history of one root's intents: events such as an agent's calls."""

    stores: Stores
    writer: IntentsWriter
    unreported: DeferredQueue

    def note(self, intent_id: str | None, event: str) -> None:
        """Store an event of an intent, such as `POST_HOOK write_to_file OK`.

        Do nothing if `intent_id` is None, or without a session database. A failure is logged.
        """
        state = self.stores.state
        if intent_id is not None and state is not None:
            with step(f"the history of {intent_id}"):
                # The tool's name comes from outside and agents will read it: neutralize it.
                state.notes.add_event(intent_id, neutral(event, _LONGEST))

    def note_later(self, intent_id: str | None, event: str) -> None:
        """Queue an event of an intent; it is stored when the deferred audit events are written."""
        self.unreported.add(partial(self.note, intent_id, event))

    def of(self, intent: Intent) -> tuple[str, ...]:
        """Return at most EVENTS_KEPT events of an intent.

        Events that are not yet in the intents file come first, the newest of them at the front.
        Then come those of the file, in its order.
        """
        self.unreported.write()
        state, events = self.stores.state, tuple[Noted, ...]()
        if state is not None:
            with step(f"the history of {intent.id}"):
                names = self.stores.rules.current().file.intents.names(intent)
                events = state.notes.events(*names)
        return _told(events, intent)

    def is_due(self) -> bool:
        """Return whether there are events to be written into the intents file.

        Return False if the policy does not want them there, while governance is off, without a
        session database, or if they cannot be read, which is logged.
        """
        self.unreported.write()
        state = self.stores.state
        rules = self.stores.rules.current()
        if state is None or not rules.policy.history_in_yaml or not rules.governed:
            return False
        due = tuple[Intent, ...]()
        with step("the history"):
            due = _unwritten(state, rules)
        return bool(due)

    def write(self, *, unsaved_file: bool, at_the_end: bool = False) -> bool:
        """Write the stored events into the intents file unless somebody else is changing it.

        Return False if nothing is written because nothing is due, an editor has unsaved text of the
        file (`unsaved_file`), the last write was less than EVERY ago, or others changed the file
        less than QUIET ago, or if this cannot be found out; else True, even if a write failed. A
        failure is logged. `at_the_end`: the server stops, so EVERY does not apply.
        """
        state, now = self.stores.state, self.stores.clock()
        if state is None or unsaved_file or not self.is_due():
            return False
        last = timestamp(now if at_the_end else now - EVERY)
        quiet = False
        with step("the history"):
            quiet = not self._touched(state, now) and state.notes.take_moment(
                _WRITTEN, timestamp(now), last_at_most=last
            )
            rules = self.stores.rules.current()
            for intent in _unwritten(state, rules) if quiet else ():
                self._write(state, intent, rules.file.intents.names(intent))
        return quiet

    def _write(self, state: SessionDb, intent: Intent, names: Sequence[str]) -> None:
        events: list[Noted] = []

        def edit(text: str) -> IntentsEdit:
            # Merge the events in each attempt, since somebody else may have changed the file.
            reader = IntentsReader()
            known = reader.read(text).intents.get(intent.id) or intent
            events[:] = state.notes.events(*names)
            return set_history(text, intent.id, _told(events, known), reader)

        def note() -> None:
            state.notes.written(events, *names)

        refused = self.writer.change(edit, unsaved_file=False, then=note)
        if refused is not None:
            _log.warning("the history of %s stays as it was: %s", intent.id, refused)

    def _touched(self, state: SessionDb, now: datetime) -> bool:
        """Return whether anybody but intent-lsp changed the intents file less than QUIET ago."""
        path = self.stores.root / INTENTS_FILE
        stamp = files.stamp(path)
        age = 0.0 if stamp is None else now.timestamp() - stamp.mtime_ns / 1e9
        recent = 0 <= age < QUIET.total_seconds()
        if not recent or stamp is None or stamp.size > MAX_BYTES:
            return recent
        return hash_if_there(files.read_bytes(path)) != state.own_write(INTENTS_FILE)


def _told(events: Sequence[Noted], intent: Intent) -> tuple[str, ...]:
    fresh = (noted.event for noted in events if not noted.in_file)
    return (*fresh, *intent.recent_history)[:EVENTS_KEPT]


def _unwritten(state: SessionDb, rules: Rules) -> tuple[Intent, ...]:
    """Return the intents with events that are not yet in the intents file, each intent once."""
    found = map(rules.active, state.notes.unwritten())
    return tuple(dict.fromkeys(intent for intent in found if intent is not None))
