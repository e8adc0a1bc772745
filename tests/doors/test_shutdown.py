"""The end of a conversation: once, after kept work, whoever asks and whoever is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from intent_lsp.doors.lsp.protocol.shutdown import Shutdown
from tests.support import tiny_server


class Story:
    """What happened, in its order; kept work ends when `save` is set."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.save = asyncio.Event()
        self.stores = asyncio.Event()
        self.stores.set()
        self.ending = Shutdown(self.finished)
        self.ending.then = self.end

    async def finished(self, patience: float) -> None:
        try:
            await asyncio.wait_for(self.save.wait(), patience)
            self.told.append("saved")
        except TimeoutError:
            self.told.append("late")

    async def end(self) -> None:
        self.told.append("ending")
        await self.stores.wait()
        self.told.append("ended")


async def test_who_stops_waiting_for_the_end_does_not_break_it_off() -> None:
    story = Story()
    shutdown = asyncio.create_task(story.ending.ended(60))
    await asyncio.sleep(0)
    shutdown.cancel()
    await asyncio.wait({shutdown})
    assert shutdown.cancelled()
    story.save.set()
    await story.ending.ended_within(60, 60)
    assert story.told == ["saved", "ending", "ended"]


@pytest.mark.parametrize(
    "again", [lambda e: e.ended(60), lambda e: e.ended_within(60, 60)], ids=["waits", "hurries"]
)
async def test_the_end_comes_once(again: Callable[[Shutdown], Awaitable[None]]) -> None:
    story = Story()
    story.save.set()
    await asyncio.gather(story.ending.ended(60), again(story.ending))
    await again(story.ending)
    assert story.told == ["saved", "ending", "ended"]


async def test_kept_work_that_never_ends_is_not_waited_for() -> None:
    story = Story()
    await story.ending.ended(0)
    assert story.told == ["late", "ending", "ended"]


async def test_an_end_that_takes_too_long_is_left_with_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    story = Story()
    story.save.set()
    story.stores.clear()
    await story.ending.ended_within(60, 0)
    assert story.told[-1:] != ["ended"]
    assert "what was open did not end within 0 seconds" in caplog.text
    story.stores.set()
    await story.ending.ended(0)
    assert story.told == ["saved", "ending", "ended"]


async def test_an_end_that_fails_is_logged_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    story = Story()
    story.save.set()

    async def fail() -> None:
        raise OSError("no room left")

    story.ending.then = fail
    await story.ending.ended(60)
    assert "no room left" in caplog.text


async def test_a_conversation_without_anything_to_end_ends() -> None:
    story = Story()
    story.save.set()
    ending = Shutdown(story.finished)
    await ending.ended_within(60, 60)
    assert story.told == ["saved"]


async def test_whoever_asks_the_client_after_the_end_has_no_answer_at_once() -> None:
    protocol = tiny_server.build().protocol
    assert not protocol.send_request("intent/what").done()
    await protocol.settle(0)
    assert protocol.send_request("intent/what").done()
