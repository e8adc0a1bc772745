"""The row of a session, or of one of its subagents, in the session database."""

import os
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

SESSION_QUERY: Final = "SELECT * FROM session WHERE session_id = ? AND agent_id = ?"


class SessionRow(Struct, frozen=True, kw_only=True):
    """The stored row of a session (`agent_id` is ""), or of one of its subagents.

    Times are formatted by `core.timestamps`. `active_intent` is the selected intent's id, or None.
    `turn` counts from 1, and `stage` says whether the intent was selected in this turn
    (requirements section 1). `ended_at` is None while the session is open, and if its process was
    killed. `pid` is the id of its process, or None.
    """

    session_id: str
    agent_id: str = ""
    kind: Literal["editor", "agent"]
    user: str
    active_intent: str | None
    turn: int
    stage: str
    started_at: str
    last_used_at: str
    ended_at: str | None = None
    pid: int | None = None

    def reopened(self, at: str) -> "SessionRow":
        """Return a copy of the row for a session that this process uses again since `at`.

        It has no end, and the id of this process as `pid`.
        """
        return replace(self, last_used_at=at, ended_at=None, pid=os.getpid())

    def choosing(self, intent_id: str | None, stage: str, at: str) -> "SessionRow":
        """Return a copy of the row with another intent (None: no intent) and stage since `at`."""
        return replace(self, active_intent=intent_id, stage=stage, last_used_at=at)
