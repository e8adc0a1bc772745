"""The idle scheduler: work that nobody waits for gives way to requests, up to its limit."""

import asyncio

from intent_lsp.doors.lsp.runtime.executor import QUIET_SECONDS, IdleScheduler

LONG = 600.0
"""Seconds after which a test would have been ended."""


async def test_where_nobody_has_asked_there_is_a_lull() -> None:
    await IdleScheduler().wait_until_idle(LONG)


async def test_whoever_asks_is_given_way_to_until_there_is_an_answer() -> None:
    idle_scheduler = IdleScheduler()
    with idle_scheduler.asked():
        waiting = asyncio.create_task(idle_scheduler.wait_until_idle(LONG))
        with idle_scheduler.asked():
            await asyncio.sleep(0)
        # One answer is there; the other is not.
        done, _ = await asyncio.wait([waiting], timeout=QUIET_SECONDS * 2)
        assert not done
    await waiting


async def test_an_answer_is_followed_by_a_moment_in_which_the_next_may_be_asked() -> None:
    idle_scheduler = IdleScheduler()
    with idle_scheduler.asked():
        pass
    began = asyncio.get_running_loop().time()
    await idle_scheduler.wait_until_idle(LONG)
    # Timers of the loop end within its clock's resolution.
    assert asyncio.get_running_loop().time() - began >= QUIET_SECONDS * 0.9


async def test_a_lull_that_never_comes_is_waited_for_no_longer_than_is_said() -> None:
    idle_scheduler = IdleScheduler()
    with idle_scheduler.asked():
        await idle_scheduler.wait_until_idle(0.01)
        await idle_scheduler.wait_until_idle(0)
    with idle_scheduler.asked():
        pass
    await idle_scheduler.wait_until_idle(0)
