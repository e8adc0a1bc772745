"""A workplace without a connection, on one root."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from intent_lsp.doors.lsp.diagnostics.lsp_convert import Spelling
from intent_lsp.doors.lsp.diagnostics.publisher import Bulletin, Publish
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import Client
from intent_lsp.doors.lsp.runtime.executor import Work
from intent_lsp.doors.lsp.runtime.open_roots import Desks
from intent_lsp.doors.lsp.runtime.settings import CurrentSettings, Settings


@asynccontextmanager
async def workplace_on(root: Path, push: Publish | None = None) -> AsyncIterator[Workplace]:
    """Give a workplace that watches nothing, and shows what it has to `push` or when asked."""
    settings = CurrentSettings(Settings(watch="off"))
    desks = Desks(settings, (str(root),))
    workplace = Workplace(
        desks=desks,
        settings=settings,
        work=Work(),
        bulletin=Bulletin(
            pull=push is None, publish=push or (lambda _: lambda: None), refresh=lambda: None
        ),
        spelling=Spelling(Client(), PositionEncoding.UTF_16),
    )
    yield workplace
    await workplace.end()
    desks.close()
