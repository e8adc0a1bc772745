"""Names of the people behind lines: the author of a commit, or *you* (ledger section 5).

Invariant: if the policy wants no names, none is returned and git is not run.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from intent_lsp.core.blame.attribution import BlameRun, RecordAuthors, named, of_people
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.core.policy import AuthorNames
from intent_lsp.core.privacy import hashed_session
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.governance.root.sessions import this_user
from intent_lsp.store.ledger.authors import LedgerAuthors
from intent_lsp.store.state.sessions_db import FILE_NAME, SessionDb

_log: Final = logging.getLogger(__name__)


class Authors:
    """Finds the names of the people who wrote the blame runs of one root. Thread-safe."""

    def __init__(self, root: Path, rules: RulesCache, state: SessionDb | None) -> None:
        """Prepare to find the authors of records in the ledger of `root`.

        `state` holds this user's sessions; without it nobody is *you*.
        """
        self._rules = rules
        self._state = state
        self._commits = LedgerAuthors(root)

    def people(self, runs: Iterable[BlameRun]) -> RecordAuthors:
        """Return who made the records of those blame runs that people wrote, as far as known.

        That is the author of the commit which added the record, or else whether it is this user's
        own. Empty if the policy wants no names.
        """
        records = of_people(runs)
        if not records or self._rules.current().policy.authors is AuthorNames.NONE:
            return RecordAuthors()
        names = self._commits.of({each: record.timestamp for each, record in records.items()})
        rest = [record for each, record in records.items() if each not in names]
        sessions = self._own_sessions() if rest else ()
        own = frozenset(record.id for record in rest if record.session_id in sessions)
        return RecordAuthors(names, own)

    def named(self, runs: Iterable[BlameRun]) -> tuple[BlameRun, ...]:
        """Return the blame runs with the names of their authors filled in where they are known."""
        runs = tuple(runs)
        return named(runs, self.people(runs))

    def _own_sessions(self) -> Collection[str]:
        """Return the ids of this user's sessions, plain and hashed, as records use either form.

        There are none if they cannot be read.
        """
        try:
            own = () if self._state is None else self._state.sessions_of(this_user())
        except StateUnavailableError as problem:
            _log.info("whose session it was cannot be told: %s", problem)
            return ()
        return {name for each in own for name in (each, hashed_session(each))}


@contextmanager
def authors_of(root: Path) -> Iterator[Authors]:
    """Open the `Authors` of a root, without a session, for a `with` block.

    An existing session database is read, and closed after the block; none is created.
    """
    local = root / LOCAL_ROOM
    state = SessionDb(local) if (local / FILE_NAME).is_file() else None
    try:
        yield Authors(root, RulesCache(root), state)
    finally:
        if state is not None:
            state.close()
