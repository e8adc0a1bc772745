"""Renewals of the list of files: who waits for them, and for how long."""

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from intent_lsp.doors.lsp.features import intents_buffers
from intent_lsp.doors.lsp.features.intents_buffers import TreeRenewals
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor


class Listing:
    """A list of files that is old until it is renewed, which takes as long as `may_end` is unset.

    `renewed` counts the renewals that have begun. If it is not `known`, there was none before.
    """

    def __init__(self, *, known: bool = True) -> None:
        self.may_end = threading.Event()
        self.old, self.renewed, self.is_known = True, 0, known

    def is_old(self) -> bool:
        return self.old

    def renew(self) -> None:
        self.renewed += 1
        self.may_end.wait()
        self.old, self.is_known = False, True

    def tree(self) -> None:
        self.renew()


def root_with(listing: Listing) -> Any:
    return cast(
        "Any", SimpleNamespace(governance=SimpleNamespace(root=Path("/r"), listing=listing))
    )


async def test_a_quick_renewal_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intents_buffers, "WAITED_FOR", 60)
    work, listing = BackgroundExecutor(), Listing()
    listing.may_end.set()
    await TreeRenewals(work).renew(root_with(listing))
    assert (listing.old, listing.renewed) == (False, 1)
    await TreeRenewals(work).renew(root_with(listing))
    assert listing.renewed == 1
    await work.end()


async def test_a_slow_renewal_keeps_nobody_waiting_and_is_begun_once() -> None:
    work, listing = BackgroundExecutor(), Listing()
    renewals, root = TreeRenewals(work), root_with(listing)
    # More at once than there are threads.
    await asyncio.gather(*(renewals.renew(root) for _ in range(20)))
    assert (listing.old, listing.renewed) == (True, 1)
    listing.may_end.set()
    while listing.old:
        await renewals.renew(root)
    assert (listing.old, listing.renewed) == (False, 1)
    await work.end()


async def test_the_first_list_is_waited_for_on_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who answers from a list that does not exist yet would wait for it on a thread."""
    monkeypatch.setattr(intents_buffers, "WAITED_FOR", 0)
    work, listing = BackgroundExecutor(), Listing(known=False)
    renewals, root = TreeRenewals(work), root_with(listing)
    waiting = [asyncio.create_task(renewals.renew(root)) for _ in range(20)]
    for _ in range(10):
        # A save, say, is judged meanwhile.
        await work.in_thread(lambda: None)
    done = [each for each in waiting if each.done()]
    listing.may_end.set()
    await asyncio.gather(*waiting)
    assert done == []
    assert (listing.old, listing.renewed) == (False, 1)
    await work.end()
