"""Refreshes of lenses and hints: several changes cause one, and files are counted when listed."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.features import shown_refresh
from intent_lsp.doors.lsp.features.shown_refresh import ShownRefresh
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor

LENSES, HINTS = "workspace/codeLens/refresh", "workspace/inlayHint/refresh"


class Client:
    """A client that counts what it is asked, with the intents file open or another one."""

    def __init__(
        self, *, lenses: bool = True, hints: bool = True, path: str = INTENTS_FILE
    ) -> None:
        self.asked: list[str] = []
        self.work = BackgroundExecutor()
        self.opened = SimpleNamespace(version=cast("Any", 1), path=path)
        tracked = SimpleNamespace(work=self.work, of_root=lambda _: [self.opened])
        client = SimpleNamespace(lens_refresh=lenses, hint_refresh=hints)
        connection = SimpleNamespace(tracked_documents=tracked, client=client)
        self.refresh = ShownRefresh(cast("Any", connection), self._ask)
        self.news = asyncio.Condition()

    async def _ask(self, method: str) -> None:
        async with self.news:
            self.asked.append(method)
            self.news.notify_all()

    async def count(self, number: int) -> None:
        async with self.news:
            await self.news.wait_for(lambda: len(self.asked) >= number)


class _Root:
    def __init__(self, governance: object) -> None:
        self.governance = governance


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_refresh, "A_MOMENT", 0.01)
    monkeypatch.setattr(shown_refresh, "LISTED_AGAIN", 0.01)


async def test_several_changes_cause_one_refresh_of_what_is_declared() -> None:
    client = Client()
    for _ in range(5):
        client.refresh.changed()
    await client.count(2)
    assert client.asked == [LENSES, HINTS]
    client.refresh.changed()
    await client.count(4)
    await client.work.end()
    only = Client(hints=False)
    only.refresh.changed()
    await only.count(1)
    assert only.asked == [LENSES]
    await only.work.end()


async def test_a_change_of_the_tree_is_shown_once_its_files_are_listed_again() -> None:
    listed = list[str]()
    listing = SimpleNamespace(renew=lambda: listed.append("again"))
    governance = SimpleNamespace(listing=listing)
    client, root = Client(hints=False), cast("Any", _Root(governance))
    for _ in range(3):
        client.refresh.tree_changed(root)
    await client.count(1)
    # One more during the wait is shown by a later listing.
    client.refresh.tree_changed(root)
    await client.count(2)
    await client.work.end()
    assert client.asked == [LENSES, LENSES]
    assert len(listed) == 2


@pytest.mark.parametrize(
    ("path", "declared"), [("src/a.py", True), (INTENTS_FILE, False), (None, True)]
)
async def test_nothing_is_asked_where_no_counts_are_shown(
    path: str | None, *, declared: bool
) -> None:
    client, root = Client(lenses=declared, hints=False, path=path or INTENTS_FILE), object()
    if path is None:
        client.opened.version = None
    client.refresh.tree_changed(cast("Any", root))
    assert not client.refresh._waiting  # noqa: SLF001 - nothing is begun
    await client.work.end()
