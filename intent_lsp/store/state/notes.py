"""Notes in a root's state: events of intents, what is known of agents, and counters.

Specified in requirements sections 3 and 9.

Invariant: each method is one transaction. Any number of threads and processes may call them.
Invariant: only the newest events of an intent are kept.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.records import AGENT, Contributor
from intent_lsp.core.text import unpack
from intent_lsp.store.state.database import Database, packed

EVENTS_KEPT: Final = 20
"""The most events kept for one intent."""


class Noted(Struct, frozen=True, kw_only=True):
    """An event in the history of an intent. `seq` is the event's number, which grows with time.

    `in_file` is whether the event is already listed in the intents file.
    """

    event: str
    in_file: bool
    seq: int


class AgentInfo(Struct, frozen=True):
    """What is known of an agent: its model, and the URL of its conversation.

    Both are reported at checkout, and the model also by its host's hooks. A value that was not
    reported is None.
    """

    model: str | None = None
    url: str | None = None

    @property
    def contributor(self) -> Contributor:
        """The agent as the author of an edit."""
        return AGENT if self.model is None else replace(AGENT, model_identifier=self.model)


class Notes:
    """The notes of one root: events of intents, what is known of agents, and counters.

    Every method may raise StateUnavailableError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_event(self, intent_id: str, event: str) -> None:
        """Add an event, a text, to the history of an intent.

        Delete all but the newest `EVENTS_KEPT` events of that intent id.
        """
        row = packed(intent_id, event)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO event (intent_id, event, in_file) VALUES (?,?,0)", row)
            connection.execute(
                "DELETE FROM event WHERE intent_id = ?1 AND seq <= (SELECT seq FROM event"
                " WHERE intent_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
                (row[0], EVENTS_KEPT),
            )

        self._database.write(work)

    def events(self, *intent_ids: str) -> tuple[Noted, ...]:
        """Return the events in the history of one intent, newest first.

        `intent_ids` are all ids that the intent has had.
        """
        query = (
            f"SELECT event, in_file, seq FROM event WHERE {_among(intent_ids)} ORDER BY seq DESC"  # noqa: S608 - marks
        )
        rows = self._database.rows(query, *intent_ids)
        return tuple(Noted(event=unpack(row[0]), in_file=bool(row[1]), seq=row[2]) for row in rows)

    def unwritten(self) -> tuple[str, ...]:
        """Return the ids of the intents with events that are not yet listed in the intents file."""
        query = "SELECT DISTINCT intent_id FROM event WHERE in_file = 0 ORDER BY intent_id"
        return tuple(unpack(row[0]) for row in self._database.rows(query))

    def written(self, events: Sequence[Noted], *intent_ids: str) -> None:
        """Record that `events` of an intent are now listed in the intents file.

        `events` come from the method `events`, newest first. The intent's older events then count
        as listed, too. `intent_ids` are all ids that the intent has had. Without `events`, nothing
        changes.
        """
        # Compare numbers: events added meanwhile have higher ones and stay unwritten.
        newest = events[0].seq if events else 0
        query = f"UPDATE event SET in_file = 1 WHERE seq <= ? AND {_among(intent_ids)}"  # noqa: S608 - marks
        self._database.do(query, newest, *intent_ids)

    def count_lesson(self, session_id: str, *, at_most: int) -> bool:
        """Count one more lesson shown to a session, and return True.

        Return False, and do not count it, if the session has been shown `at_most` lessons already.
        """
        query = (
            "INSERT INTO lesson VALUES (?1, 1)"
            " ON CONFLICT (session_id) DO UPDATE SET told = told + 1 WHERE told < ?2"
        )
        return self._database.do(query, session_id, at_most) > 0

    def put_voice(self, session_id: str, agent_id: str, voice: AgentInfo) -> None:
        """Store an agent's reported model and URL (`voice`). One that is None keeps its old value.

        `agent_id` is the id of a subagent, or "" for the session's own agent.
        """
        query = (
            "INSERT INTO voice VALUES (?,?,?,?) ON CONFLICT (session_id, agent_id) DO UPDATE"
            " SET model = coalesce(excluded.model, model), url = coalesce(excluded.url, url)"
        )
        self._database.do(query, session_id, agent_id, voice.model, voice.url)

    def voice(self, session_id: str, agent_id: str) -> AgentInfo:
        """Return what was reported last of an agent.

        `agent_id` is the id of a subagent, or "" for the session's own agent. A value that was not
        reported of a subagent is that of the session's own agent. A value that is unknown is None.
        """
        query = (
            "SELECT model, url FROM voice WHERE session_id = ? AND agent_id IN (?, x'')"
            " ORDER BY agent_id DESC"
        )
        rows = self._database.rows(query, session_id, agent_id)
        models = [unpack(model) for model, _ in rows if model is not None]
        urls = [unpack(url) for _, url in rows if url is not None]
        return AgentInfo(next(iter(models), None), next(iter(urls), None))

    def take_moment(self, name: str, at: str, *, last_at_most: str) -> bool:
        """Record that the periodic task `name` is done at the time `at`, and return True.

        Return False, and record nothing, if the task was last done after `last_at_most`. A recorded
        time later than `at` is ignored, since a clock may have been set back.
        """
        query = (
            "INSERT INTO moment VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET at = excluded.at"
            " WHERE at <= ?3 OR at > ?2"
        )
        return self._database.do(query, name, at, last_at_most) > 0


def _among(intent_ids: Sequence[str]) -> str:
    return f"intent_id IN ({','.join('?' * len(intent_ids))})"
