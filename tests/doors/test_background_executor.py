"""Work beside the event loop: what becomes of it if nobody waits for it, and at the end."""

import asyncio
import gc
import threading

import pytest

from intent_lsp.doors.lsp.runtime.executor import THREADS, BackgroundExecutor


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


async def test_the_error_of_work_whose_caller_was_cancelled_is_not_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    work, begun, go = BackgroundExecutor(), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def fail() -> None:
        loop.call_soon_threadsafe(begun.set)
        go.wait()
        raise ValueError

    task = asyncio.create_task(work.in_thread(fail))
    await begun.wait()
    task.cancel()
    await asyncio.wait({task})
    go.set()
    await work.end()
    await asyncio.sleep(0)
    assert task.cancelled()
    # asyncio reports an error that nobody has asked for when nothing refers to it any more.
    del task
    gc.collect()
    assert caplog.records == []


async def test_queued_work_still_runs_if_its_caller_is_cancelled() -> None:
    work, go, done = BackgroundExecutor(), threading.Event(), threading.Event()
    others = [asyncio.create_task(work.in_thread(go.wait)) for _ in range(THREADS)]
    await asyncio.sleep(0)
    task = asyncio.create_task(work.in_thread(done.set))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    go.set()
    await asyncio.wait(others)
    assert await asyncio.to_thread(done.wait, 10)
    await work.end()
