"""Progress of long work: shown under the client's token, or late under ours.

Specified in protocol section 4.
"""

import asyncio
import threading
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.doors.lsp.connection.client_ui import ClientProgress
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

ABLE, UNABLE = ClientCapabilities(progress=True), ClientCapabilities()
NEVER = 3600.0


class Recorder:
    """A client that writes down what it is told; `created` is set when a token was asked for."""

    def __init__(self) -> None:
        self.told: list[tuple[object, object]] = []
        self.created, self.begun = asyncio.Event(), asyncio.Event()
        self.answer = asyncio.Event()
        self.answer.set()

    def notify(self, method: str, params: object) -> None:
        assert method == "$/progress"
        assert isinstance(params, lsp.ProgressParams)
        value: Any = params.value
        told = value.kind if value.kind == "end" else (value.kind, value.percentage)
        self.told.append((params.token, told))
        self.begun.set()

    async def ask(self, method: str, params: object) -> object:
        assert method == "window/workDoneProgress/create"
        assert isinstance(params, lsp.WorkDoneProgressCreateParams)
        self.created.set()
        await self.answer.wait()
        return None


async def test_work_under_a_token_of_the_clients_is_shown_at_once() -> None:
    client = Recorder()
    async with ClientProgress(client, UNABLE).shown("mine", "Working") as report:
        report(0, 1000)
        for done in (5, 10, 11, 500, 499, 1000, 2000):
            report(done, 1000)
    percents = [("begin", 0), ("report", 1), ("report", 50), ("report", 100), "end"]
    assert client.told == [("mine", told) for told in percents]


async def test_nothing_of_nothing_is_all() -> None:
    client = Recorder()
    async with ClientProgress(client, UNABLE).shown(7, "Working") as report:
        report(0, 0)
    assert client.told[1] == (7, ("report", 100))


async def test_work_that_takes_long_is_shown_under_a_token_of_ours() -> None:
    client = Recorder()
    async with ClientProgress(client, ABLE, wondering=0).shown(None, "Working") as report:
        report(1, 4)
        await client.begun.wait()
        report(1, 2)
    assert [told for _, told in client.told] == [("begin", 25), ("report", 50), "end"]
    (token,) = {token for token, _ in client.told}
    assert token


async def test_work_that_is_soon_over_is_not_shown() -> None:
    client = Recorder()
    async with ClientProgress(client, ABLE, wondering=NEVER).shown(None, "Working") as report:
        report(1, 2)
    assert client.told == []


async def test_work_that_ends_while_the_token_is_asked_for_is_not_begun() -> None:
    client = Recorder()
    client.answer.clear()
    async with ClientProgress(client, ABLE, wondering=0).shown(None, "Working"):
        await client.created.wait()
    client.answer.set()
    await asyncio.sleep(0)
    assert client.told == []


async def test_a_client_that_cannot_show_progress_is_told_of_none() -> None:
    client = Recorder()
    async with ClientProgress(client, UNABLE, wondering=0).shown(None, "Working") as report:
        await asyncio.sleep(0)
        report(1, 2)
    assert (client.told, client.created.is_set()) == ([], False)


async def test_what_was_begun_ends_when_the_work_fails() -> None:
    client = Recorder()
    with pytest.raises(RuntimeError):
        async with ClientProgress(client, UNABLE).shown("mine", "Working"):
            raise RuntimeError
    assert client.told[-1] == ("mine", "end")


async def test_reports_of_many_threads_only_grow() -> None:
    client = Recorder()
    async with ClientProgress(client, UNABLE).shown("mine", "Working") as report:
        threads = [
            threading.Thread(target=lambda: [report(done, 500) for done in range(501)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    told = [value for _, value in client.told[1:-1]]
    assert told == [("report", percent) for percent in range(1, 101)]
