"""Changes on disk outside of the editor: when they are recorded, and what together.

Specified in requirements section 7.
"""

import asyncio
from collections.abc import Callable

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.connection.client_ui import People
from intent_lsp.doors.lsp.connection.disk_monitor import Unopened
from intent_lsp.doors.lsp.connection.record_notifier import Outcomes
from intent_lsp.doors.lsp.diagnostics.lsp_convert import Spelling
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import Client
from intent_lsp.doors.lsp.runtime.open_root import Attached
from tests.support.governed import LINES, govern
from tests.support.repository import Repository
from tests.support.workplaces import workplace_on

LIB = tuple(f"lib/{number:02}.py" for number in range(60))
LATER = "lib/later.py"
CHANGED = LINES + "changed\n"
PATIENCE = 60.0


def unopened_on(workplace: Workplace, recorded: asyncio.Event) -> Unopened:
    """Follow work trees for a client that wants to hear nothing of us."""

    async def look(_: Attached) -> None:
        """Look at nothing more."""

    protocol = LanguageServer("a server", "1", protocol_cls=IntentProtocol).protocol
    assert isinstance(protocol, IntentProtocol)
    people = People(protocol, Client(), Spelling(Client(), PositionEncoding.UTF_16))
    outcomes = Outcomes(workplace, people, look)
    outcomes.origins_changed = recorded.set
    return Unopened(workplace, outcomes)


async def test_a_burst_is_not_recorded_while_a_look_at_it_is_due(repository: Repository) -> None:
    govern(repository)
    for name in (*LIB, LATER):
        repository.write(name, LINES)
    repository.commit()
    shown, recorded = asyncio.Event(), asyncio.Event()

    def publish(_: lsp.PublishDiagnosticsParams) -> Callable[[], None]:
        return shown.set

    async with workplace_on(repository.root, publish) as workplace:
        attached = workplace.desks.of_path(str(repository.root))
        assert attached is not None
        attached.desk.disk_changes.look()
        unopened = unopened_on(workplace, recorded)
        for name in LIB:
            repository.write(name, CHANGED)
        await unopened.follow(attached, watch=False)
        await asyncio.wait_for(shown.wait(), PATIENCE)
        # To look at so many files takes so long that the pause after it is longer than a quiet one.
        repository.write(LATER, CHANGED)
        unopened.stir(attached)
        await asyncio.wait_for(recorded.wait(), PATIENCE)
        newest = attached.desk.stores.past.newest
        first, last = newest(WorkspacePath(LIB[0])), newest(WorkspacePath(LATER))
        assert first is not None
        assert first == last
        unopened.end()
