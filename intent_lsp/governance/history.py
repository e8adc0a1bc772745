"""The recent history of intents: noted at once, in the intents file when the team asks (section 3).

Invariant: the file is written in quiet moments alone, and never over somebody else's change.
Invariant: a note that cannot be kept stops nothing.
"""

from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.content import hash_if_there
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.yaml_edit import set_history
from intent_lsp.governance.intents_writer import IntentsWriter
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.steps import step
from intent_lsp.governance.stores import Stores
from intent_lsp.store import files
from intent_lsp.store.notes import EVENTS_KEPT, Noted

EVERY: Final = timedelta(minutes=1)
"""How often the file is written at most."""

QUIET: Final = timedelta(seconds=5)
"""How long nobody else may have changed the file."""

_WRITTEN: Final = "history written"


class History:
    """The history of one root's intents."""

    def __init__(self, *, stores: Stores, rules: RulesCache, writer: IntentsWriter) -> None:
        self._stores = stores
        self._rules = rules
        self._writer = writer

    def note(self, intent_id: str | None, event: str) -> None:
        """Note an event of an intent, such as `POST_HOOK write_to_file OK`."""
        state = self._stores.state
        if intent_id is not None and state is not None:
            with step(f"the history of {intent_id}"):
                state.notes.add_event(intent_id, event)

    def of(self, intent: Intent) -> tuple[str, ...]:
        """Give the newest events of an intent, newest first: what the file tells comes last."""
        fresh = (noted.event for noted in self._noted(intent.id) if not noted.in_file)
        return (*fresh, *intent.recent_history)[:EVENTS_KEPT]

    def is_due(self) -> bool:
        """Whether there is something to write that the team wants in the file."""
        state = self._stores.state
        rules = self._rules.current()
        if state is None or not rules.policy.history_in_yaml or not rules.governed:
            return False
        return bool(state.notes.unwritten())

    def write(self, *, unsaved_file: bool, at_the_end: bool = False) -> bool:
        """Write the events into the file if the moment is quiet; whether it was.

        `at_the_end`: the server stops, so that the last write may have been less than a minute ago.
        """
        state, now = self._stores.state, self._stores.clock()
        if state is None or unsaved_file or not self.is_due() or self._touched(now):
            return False
        last = state.notes.moment(_WRITTEN)
        if not at_the_end and last is not None and last > timestamp(now - EVERY):
            return False
        state.notes.put_moment(_WRITTEN, timestamp(now))
        rules = self._rules.current()
        for intent_id in state.notes.unwritten():
            intent = rules.active(intent_id)
            if intent is not None:
                self._write(intent)
        return True

    def _write(self, intent: Intent) -> None:
        events, told = self._noted(intent.id), self.of(intent)
        refused = self._writer.change(
            lambda text: set_history(text, intent.id, told), unsaved_file=False
        )
        state = self._stores.state
        if refused is None and state is not None:
            with step(f"the history of {intent.id}"):
                state.notes.written(intent.id, events)

    def _noted(self, intent_id: str) -> tuple[Noted, ...]:
        state = self._stores.state
        if state is not None:
            with step(f"the history of {intent_id}"):
                return state.notes.events(intent_id)
        return ()

    def _touched(self, now: datetime) -> bool:
        """Whether somebody else has changed the file just now."""
        path, state = self._stores.root / INTENTS_FILE, self._stores.state
        stamp = files.stamp(path)
        if stamp is None:
            return True
        age = now.timestamp() - stamp.mtime_ns / 1e9
        if not 0 <= age < QUIET.total_seconds() or state is None:
            return False
        return hash_if_there(files.read_bytes(path)) != state.own_write(INTENTS_FILE)
