"""The end of a conversation: once, after kept work, whoever asks and whoever is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from intent_lsp.doors.lsp.protocol.in_flight import Shutdown
from tests.support import tiny_server


class Events:
    """What happened, in its order; kept work ends when `save` is set."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.save = asyncio.Event()
        self.stores = asyncio.Event()
        self.stores.set()
        self.ending = Shutdown(self.finished)
        self.ending.then = self.end

    async def finished(self, patience: float) -> None:
        try:
            await asyncio.wait_for(self.save.wait(), patience)
            self.seen.append("saved")
        except TimeoutError:
            self.seen.append("late")

    async def end(self) -> None:
        self.seen.append("ending")
        await self.stores.wait()
        self.seen.append("ended")


async def test_who_stops_waiting_for_the_end_does_not_break_it_off() -> None:
    events = Events()
    shutdown = asyncio.create_task(events.ending.ended(60))
    await asyncio.sleep(0)
    shutdown.cancel()
    await asyncio.wait({shutdown})
    assert shutdown.cancelled()
    events.save.set()
    await events.ending.ended_within(60, 60)
    assert events.seen == ["saved", "ending", "ended"]


@pytest.mark.parametrize(
    "again", [lambda e: e.ended(60), lambda e: e.ended_within(60, 60)], ids=["waits", "hurries"]
)
async def test_the_end_comes_once(again: Callable[[Shutdown], Awaitable[None]]) -> None:
    events = Events()
    events.save.set()
    await asyncio.gather(events.ending.ended(60), again(events.ending))
    await again(events.ending)
    assert events.seen == ["saved", "ending", "ended"]


async def test_kept_work_that_never_ends_is_not_waited_for() -> None:
    events = Events()
    await events.ending.ended(0)
    assert events.seen == ["late", "ending", "ended"]


async def test_an_end_that_takes_too_long_is_left_with_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events = Events()
    events.save.set()
    events.stores.clear()
    await events.ending.ended_within(60, 0)
    assert events.seen[-1:] != ["ended"]
    assert "what was open did not end within 0 seconds" in caplog.text
    events.stores.set()
    await events.ending.ended(0)
    assert events.seen == ["saved", "ending", "ended"]


async def test_an_end_that_fails_is_logged_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    events = Events()
    events.save.set()

    async def fail() -> None:
        raise OSError("no room left")

    events.ending.then = fail
    await events.ending.ended(60)
    assert "no room left" in caplog.text


async def test_a_conversation_without_anything_to_end_ends() -> None:
    events = Events()
    events.save.set()
    ending = Shutdown(events.finished)
    await ending.ended_within(60, 60)
    assert events.seen == ["saved"]


async def test_whoever_asks_the_client_after_the_end_has_no_answer_at_once() -> None:
    protocol = tiny_server.build().protocol
    assert not protocol.send_request("intent/what").done()
    await protocol.settle(0)
    assert protocol.send_request("intent/what").done()
