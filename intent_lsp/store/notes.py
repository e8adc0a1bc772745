"""What a root's state has noted for later: events, voices, lessons told (sections 3 and 9).

Invariant: each method is one transaction; any number of threads and processes may call them.
Invariant: of an intent the newest events are kept, and no more.
"""

import sqlite3
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.text_bytes import pack, unpack
from intent_lsp.store.database import Database

EVENTS_KEPT: Final = 20
"""Events of one intent."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An event of an intent; `in_file`: the intents file tells it, too."""

    event: str
    in_file: bool


@dataclass(frozen=True, slots=True)
class Voice:
    """What an agent said of itself at checkout: its model, and where its conversation is."""

    model: str | None = None
    url: str | None = None


class Notes:
    """The notes of one root. Every method raises StateUnavailableError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_event(self, intent_id: str, event: str) -> None:
        """Note an event of an intent."""
        key = pack(intent_id)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO event (intent_id, event, in_file) VALUES (?,?,0)", (key, pack(event))
            )
            connection.execute(
                "DELETE FROM event WHERE intent_id = ?1 AND seq <= (SELECT seq FROM event"
                " WHERE intent_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
                (key, EVENTS_KEPT),
            )

        self._database.write(work)

    def events(self, intent_id: str) -> tuple[Noted, ...]:
        """Give the events of an intent, newest first."""
        query = "SELECT event, in_file FROM event WHERE intent_id = ? ORDER BY seq DESC"
        key = pack(intent_id)
        rows = self._database.read(lambda connection: connection.execute(query, (key,)).fetchall())
        return tuple(Noted(unpack(event), bool(in_file)) for event, in_file in rows)

    def unwritten(self) -> tuple[str, ...]:
        """List the intents with events that the intents file does not tell."""
        query = "SELECT DISTINCT intent_id FROM event WHERE in_file = 0 ORDER BY intent_id"
        rows = self._database.read(lambda connection: connection.execute(query).fetchall())
        return tuple(unpack(row[0]) for row in rows)

    def written(self, intent_id: str, events: tuple[Noted, ...]) -> None:
        """Note that the intents file tells these events, which `events` gave, newest first."""
        key, fresh = pack(intent_id), sum(not noted.in_file for noted in events)

        def work(connection: sqlite3.Connection) -> None:
            # The oldest that are not told: what came meanwhile is newer than all of them.
            connection.execute(
                "UPDATE event SET in_file = 1 WHERE seq IN (SELECT seq FROM event"
                " WHERE intent_id = ? AND in_file = 0 ORDER BY seq LIMIT ?)",
                (key, fresh),
            )

        self._database.write(work)

    def count_lesson(self, session_id: str, *, at_most: int) -> bool:
        """Count one more lesson of a session; False: it has had as many as it may."""
        key = pack(session_id)

        def work(connection: sqlite3.Connection) -> bool:
            changed = connection.execute(
                "INSERT INTO lesson VALUES (?1, 1)"
                " ON CONFLICT (session_id) DO UPDATE SET told = told + 1 WHERE told < ?2",
                (key, at_most),
            )
            return changed.rowcount > 0

        return self._database.write(work)

    def put_voice(self, session_id: str, agent_id: str, voice: Voice) -> None:
        """Keep what an agent said of itself; what it leaves out stays as it was."""
        values = (pack(session_id), pack(agent_id), _packed(voice.model), _packed(voice.url))
        query = (
            "INSERT INTO voice VALUES (?,?,?,?) ON CONFLICT (session_id, agent_id) DO UPDATE"
            " SET model = coalesce(excluded.model, model), url = coalesce(excluded.url, url)"
        )
        self._database.write(lambda connection: connection.execute(query, values))

    def voice(self, session_id: str, agent_id: str) -> Voice:
        """Give what an agent said of itself, a subagent's own words before its session's."""
        query = (
            "SELECT model, url FROM voice WHERE session_id = ? AND agent_id IN (?, x'')"
            " ORDER BY agent_id DESC"
        )
        values = (pack(session_id), pack(agent_id))
        rows = self._database.read(lambda connection: connection.execute(query, values).fetchall())
        models = [unpack(model) for model, _ in rows if model is not None]
        urls = [unpack(url) for _, url in rows if url is not None]
        return Voice(next(iter(models), None), next(iter(urls), None))

    def moment(self, name: str) -> str | None:
        """Give when something was done last; None: never."""
        query, key = "SELECT at FROM moment WHERE name = ?", pack(name)
        rows = self._database.read(lambda connection: connection.execute(query, (key,)).fetchall())
        return unpack(rows[0][0]) if rows else None

    def put_moment(self, name: str, at: str) -> None:
        """Note when something was done."""
        values = (pack(name), pack(at))
        query = "INSERT OR REPLACE INTO moment VALUES (?,?)"
        self._database.write(lambda connection: connection.execute(query, values))


def _packed(text: str | None) -> bytes | None:
    return None if text is None else pack(text)
