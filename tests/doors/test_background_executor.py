"""Work beside the event loop: what becomes of it at the end."""

import asyncio

import pytest

from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor


async def test_work_that_comes_after_the_end_is_cancelled() -> None:
    work = BackgroundExecutor()
    assert await work.in_thread(lambda number: number + 1, 1) == 2
    await work.end()
    with pytest.raises(asyncio.CancelledError):
        await work.in_thread(lambda: 1)


async def test_what_waits_for_the_end_asks_for_nothing_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    work, go, done = BackgroundExecutor(), asyncio.Event(), []

    async def two_steps() -> None:
        await go.wait()
        done.append(await work.in_thread(lambda: 1))

    task = work.begin(two_steps())
    await asyncio.sleep(0)
    await work.end()
    go.set()
    await asyncio.wait({task})
    assert (task.cancelled(), done, caplog.records) == (True, [], [])
