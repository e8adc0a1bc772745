"""Changes on disk outside of the editor: when they are recorded, and what together.

Specified in requirements section 7.
"""

import asyncio
from collections.abc import Callable

from lsprotocol import types as lsp
from msgspec.structs import replace
from pygls.lsp.server import LanguageServer

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.connection.disk_monitor import DiskChangeMonitor
from intent_lsp.doors.lsp.connection.record_notifier import RecordNotifier
from intent_lsp.doors.lsp.diagnostics.host_diagnostics import HostDiagnostics
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.runtime.settings import LiveSettings, at_start
from tests.support.governed_repository import LINES, govern
from tests.support.repository import Repository
from tests.support.tracked_documents import parts_of, tracked_documents_on

LIB = tuple(f"lib/{number:02}.py" for number in range(60))
LATER = "lib/later.py"
CHANGED = LINES + "changed\n"
PATIENCE = 60.0


def unopened_on(
    tracked_documents: TrackedDocuments,
    recorded: asyncio.Event,
    tree_changed: Callable[[OpenRoot], None] = lambda _: None,
) -> DiskChangeMonitor:
    """Follow work trees for a client that wants to hear nothing of us."""

    async def look(_: OpenRoot) -> None:
        """Look at nothing more."""

    protocol = LanguageServer("a server", "1", protocol_cls=IntentProtocol).protocol
    assert isinstance(protocol, IntentProtocol)
    people = ClientUi(
        protocol, ClientCapabilities(), LspEncoder(ClientCapabilities(), PositionEncoding.UTF_16)
    )
    outcomes = RecordNotifier(tracked_documents, people, look)
    outcomes.origins_changed = recorded.set
    outcomes.tree_changed = tree_changed
    parts = replace(parts_of(LiveSettings(at_start(None))), work=tracked_documents.work)
    hosts = HostDiagnostics(parts)
    return DiskChangeMonitor(tracked_documents, outcomes, hosts)


async def test_a_burst_is_not_recorded_while_a_look_at_it_is_due(repository: Repository) -> None:
    govern(repository)
    for name in (*LIB, LATER):
        repository.write(name, LINES)
    repository.commit()
    shown, recorded = asyncio.Event(), asyncio.Event()

    def publish(_: lsp.PublishDiagnosticsParams) -> Callable[[], None]:
        return shown.set

    async with tracked_documents_on(repository.root, publish) as tracked_documents:
        open_root = tracked_documents.open_roots.of_path(str(repository.root))
        assert open_root is not None
        open_root.governance.disk_changes.look()
        unopened = unopened_on(tracked_documents, recorded)
        for name in LIB:
            repository.write(name, CHANGED)
        await unopened.follow(open_root, watch=False)
        await asyncio.wait_for(shown.wait(), PATIENCE)
        # To look at so many files takes so long that the pause after it is longer than a quiet one.
        repository.write(LATER, CHANGED)
        unopened.schedule(open_root)
        await asyncio.wait_for(recorded.wait(), PATIENCE)
        newest = open_root.governance.stores.past.newest
        first, last = newest(WorkspacePath(LIB[0])), newest(WorkspacePath(LATER))
        assert first is not None
        assert first == last
        unopened.end()


async def test_files_that_change_are_reported_as_a_change_of_the_tree(
    repository: Repository,
) -> None:
    govern(repository)
    changed: asyncio.Queue[OpenRoot] = asyncio.Queue()
    publish = asyncio.Event().set
    async with tracked_documents_on(repository.root, lambda _: publish) as tracked_documents:
        open_root = tracked_documents.open_roots.of_path(str(repository.root))
        assert open_root is not None
        open_root.governance.disk_changes.look()
        unopened = unopened_on(tracked_documents, asyncio.Event(), changed.put_nowait)
        await unopened.follow(open_root, watch=False)
        repository.write(LATER, LINES)
        unopened.schedule(open_root)
        assert await asyncio.wait_for(changed.get(), PATIENCE) is open_root
        unopened.end()
