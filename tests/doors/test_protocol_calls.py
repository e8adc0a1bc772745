"""Requests as they run: cancelled, failed, asked back, ended."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.in_flight import InFlightRequests
from intent_lsp.doors.lsp.protocol.messages import IdKey, id_key
from intent_lsp.doors.lsp.transport import stdio
from tests.support import tiny_server
from tests.support.raw_client import INITIALIZE, RawClient, framed, thread

CANCELLED, INTERNAL, INVALID = -32800, -32603, -32600


def command(name: str, *arguments: object) -> dict[str, Any]:
    return {"command": name, "arguments": list(arguments)}


def test_a_cancelled_command_is_answered_once_and_its_kept_work_done() -> None:
    with thread() as client:
        client.initialize()
        identity = client.begin("workspace/executeCommand", command("tiny.kept"))
        assert client.next()["method"] == "intent/started"
        client.notify("$/cancelRequest", {"id": identity})
        answer = client.next()
        assert (answer["id"], answer["error"]["code"]) == (identity, CANCELLED)
        client.notify("$/cancelRequest", {"id": identity})
        client.notify("intent/release")
        assert client.next() == {"jsonrpc": "2.0", "method": "intent/done"}
        assert client.ask("intent/echo", [1])["result"] == [1]


def test_kept_work_that_is_not_cancelled_gives_its_result() -> None:
    with thread() as client:
        client.initialize()
        client.notify("intent/release")
        identity = client.begin("workspace/executeCommand", command("tiny.kept"))
        assert [client.next().get("method") for _ in range(2)] == ["intent/started", "intent/done"]
        assert client.next() == {"jsonrpc": "2.0", "id": identity, "result": None}


def test_kept_work_is_finished_before_the_end() -> None:
    with thread() as client:
        client.initialize()
        client.begin("workspace/executeCommand", command("tiny.kept"))
        assert client.next()["method"] == "intent/started"
        client.notify("intent/release")
        client.notify("exit")
        seen = {client.next().get("method", "an answer") for _ in range(2)}
        assert seen == {"intent/done", "an answer"}
        assert client.sent_nothing_more()
        assert client.end() == 1


def test_a_failure_of_kept_work_that_nobody_awaits_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with thread() as client:
        client.initialize()
        identity = client.begin("workspace/executeCommand", command("tiny.keptAndFailed"))
        assert client.next()["method"] == "intent/started"
        client.notify("$/cancelRequest", {"id": identity})
        assert client.next()["error"]["code"] == CANCELLED
        client.notify("intent/release")
        assert client.next()["method"] == "intent/failing"
        client.ask("intent/echo")
    assert "the kept work failed" in caplog.text


@pytest.mark.parametrize("method", ["intent/slow", "workspace/executeCommand"])
def test_an_endless_request_can_be_cancelled(method: str) -> None:
    with thread() as client:
        client.initialize()
        params = command("tiny.slow") if method.startswith("workspace") else None
        identity = client.begin(method, params)
        client.notify("$/cancelRequest", {"id": identity})
        client.notify("$/cancelRequest", {"id": identity})
        answer = client.next()
        assert (answer["id"], answer["error"]["code"]) == (identity, CANCELLED)
        assert client.ask("intent/echo")["result"] is None


def test_an_id_in_use_is_refused_until_its_request_is_answered() -> None:
    with thread() as client:
        client.initialize()
        for identity in (9, "9", 9.0):
            client.send({"jsonrpc": "2.0", "id": identity, "method": "intent/slow"})
        client.send({"jsonrpc": "2.0", "id": 9, "method": "intent/slow"})
        answer = client.next()
        assert (answer["id"], answer["error"]["code"]) == (9, INVALID)
        client.notify("$/cancelRequest", {"id": "9"})
        answer = client.next()
        assert (answer["id"], answer["error"]["code"]) == ("9", CANCELLED)
        client.send({"jsonrpc": "2.0", "id": "9", "method": "intent/echo"})
        assert client.next()["id"] == "9"


def test_what_runs_at_the_end_is_answered_as_cancelled() -> None:
    with thread() as client:
        client.initialize()
        client.begin("intent/slow")
        client.begin("workspace/executeCommand", command("tiny.slow"))
        client.hang_up()
        assert [client.next()["error"]["code"] for _ in range(2)] == [CANCELLED, CANCELLED]
        assert client.sent_nothing_more()
        assert client.end() == 1


def test_a_command_gets_the_server_when_it_asks_for_it() -> None:
    with thread() as client:
        client.initialize()
        answer = client.ask("workspace/executeCommand", command("tiny.one", {"a": 1}))
        assert answer["result"] == ["tiny", {"a": 1}]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("intent/boom", None, INTERNAL),
        ("intent/boomLater", None, INTERNAL),
        ("intent/unspeakable", None, INTERNAL),
        ("intent/unspeakable", [1], INTERNAL),
        ("intent/refuseOddly", None, -32803),
    ],
)
def test_a_feature_that_fails_is_answered_in_one_line(
    method: str, params: object, code: int
) -> None:
    with thread() as client:
        client.initialize()
        error = client.ask(method, params)["error"]
        assert error["code"] == code
        assert error.keys() == {"code", "message"}
        assert "\n" not in error["message"]


def test_a_notification_that_cannot_be_spelled_is_dropped() -> None:
    with thread() as client:
        client.initialize()
        assert client.ask("intent/notifyOddly")["result"] is None


def test_a_failing_notification_ends_nothing() -> None:
    with thread() as client:
        client.initialize()
        client.notify("intent/boom")
        client.notify("intent/boomLater")
        client.notify("intent/refuse")
        assert client.ask("intent/echo")["result"] is None


class TestQuestions:
    def ask(self, client: RawClient, timeout: float = 60) -> tuple[int, dict[str, Any]]:
        identity = client.begin("intent/ask", {"timeout": timeout})
        question = client.next()
        assert question["method"] == "window/showMessageRequest"
        assert question["params"] == {"type": 3, "message": "well?"}
        return identity, question

    def test_a_right_answer_is_given_with_its_type(self) -> None:
        with thread() as client:
            client.initialize()
            identity, question = self.ask(client)
            client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Yes"}})
            answer = client.next()
            assert answer["id"] == identity
            assert answer["result"] == ["MessageActionItem", {"title": "Yes"}]

    @pytest.mark.parametrize(
        "answer",
        [
            {"result": None},
            {"result": 5},
            {"result": []},
            {"result": {"title": 5}},
            {"error": {"code": -32601, "message": "no such method", "data": {}}},
            {"error": "an error of no type"},
            {"error": {"code": "x", "message": 5}},
            {"result": {"title": "Yes"}, "error": {"code": 1, "message": "and no"}},
        ],
    )
    def test_anything_else_is_no_answer(self, answer: dict[str, object]) -> None:
        with thread() as client:
            client.initialize()
            identity, question = self.ask(client)
            client.send({"jsonrpc": "2.0", "id": question["id"]} | answer)
            assert client.next() == {"jsonrpc": "2.0", "id": identity, "result": ["NoneType", None]}
            client.send({"jsonrpc": "2.0", "id": question["id"]} | answer)
            assert client.ask("intent/echo")["result"] is None

    def test_silence_is_no_answer_and_the_question_is_withdrawn(self) -> None:
        with thread() as client:
            client.initialize()
            identity, question = self.ask(client, timeout=0.01)
            withdrawal = client.next()
            assert withdrawal["method"] == "$/cancelRequest"
            assert withdrawal["params"] == {"id": question["id"]}
            assert client.next() == {"jsonrpc": "2.0", "id": identity, "result": ["NoneType", None]}
            client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "late"}})
            assert client.ask("intent/echo")["result"] is None

    def test_a_question_is_withdrawn_when_its_request_is_cancelled(self) -> None:
        with thread() as client:
            client.initialize()
            identity, question = self.ask(client)
            client.notify("$/cancelRequest", {"id": identity})
            assert client.next()["params"] == {"id": question["id"]}
            assert client.next()["error"]["code"] == CANCELLED

    def test_shutdown_ends_the_open_questions_and_is_answered_with_null(self) -> None:
        with thread() as client:
            client.initialize()
            identity, _ = self.ask(client)
            shutdown = client.begin("shutdown")
            answers = {answer["id"]: answer for answer in (client.next(), client.next())}
            assert answers[identity]["result"] == ["NoneType", None]
            assert answers[shutdown]["result"] is None
            client.notify("exit")
            assert client.sent_nothing_more()
            assert client.end() == 0

    def test_the_end_of_the_input_ends_the_open_questions(self) -> None:
        with thread() as client:
            client.initialize()
            identity, _ = self.ask(client)
            client.hang_up()
            assert client.next()["id"] == identity
            assert client.sent_nothing_more()

    def test_a_question_that_cannot_be_spelled_is_no_answer(self) -> None:
        with thread() as client:
            client.initialize()
            assert client.ask("intent/askOddly")["result"] is None


class TestLife:
    def test_nothing_is_served_before_initialize(self) -> None:
        with thread() as client:
            client.notify("textDocument/didOpen", {})
            client.notify("intent/boom")
            for method in ("intent/echo", "shutdown", "textDocument/hover", "intent/unheardOf"):
                assert client.ask(method)["error"]["code"] == -32002
            assert "result" in client.initialize()

    def test_a_failed_initialize_may_be_repeated(self) -> None:
        with thread() as client:
            assert client.ask("initialize")["error"]["code"] == -32602
            error = client.ask("initialize", INITIALIZE | {"initializationOptions": {"fail": 1}})
            assert error["error"]["code"] == INTERNAL
            assert client.ask("intent/echo")["error"]["code"] == -32002
            assert "result" in client.initialize()
            assert client.ask("initialize", INITIALIZE)["error"]["code"] == INVALID

    def test_after_shutdown_every_request_is_refused_and_exit_obeyed(self) -> None:
        with thread() as client:
            client.initialize()
            assert client.ask("shutdown") == {"jsonrpc": "2.0", "id": 2, "result": None}
            for method in ("intent/echo", "shutdown", "initialize", "intent/unheardOf"):
                assert client.ask(method, INITIALIZE)["error"]["code"] == INVALID
            client.notify("intent/boom")
            client.raw(framed({"jsonrpc": "2.0", "method": "exit"}) + framed({"id": 5}))
            assert client.sent_nothing_more()
            assert client.end() == 0


async def test_a_call_that_does_not_end_is_not_waited_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def stubborn() -> None:
        while not freed.is_set():
            with suppress(asyncio.CancelledError):
                await freed.wait()

    freed, ended = asyncio.Event(), asyncio.Event()
    calls = InFlightRequests()
    calls.start(stubborn, (), lambda *_: ended.set(), None)
    await asyncio.sleep(0)
    await calls.settle(0.01)
    assert "1 calls did not end" in caplog.text
    freed.set()
    await ended.wait()


async def test_kept_work_that_is_cancelled_itself_leaves_no_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    protocol = tiny_server.build().protocol

    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await protocol.finish(work())
    await asyncio.sleep(0)
    assert caplog.text == ""


KEY = id_key("a")


class Features:
    """Features on calls of their own; `told` is what happened, in its order."""

    def __init__(self) -> None:
        self.calls = InFlightRequests()
        self.told: list[object] = []
        self.freed, self.ended = asyncio.Event(), asyncio.Event()

    async def work(self) -> str:
        await self.freed.wait()
        self.told.append("worked")
        return "result"

    async def once(self) -> str:
        result = await self.calls.finish(self.work())
        self.told.append("went on")
        return result

    async def nested(self) -> str:
        result = await self.calls.finish(self.once())
        self.told.append("went on further")
        return result

    async def gathered(self) -> str:
        (result,) = await asyncio.gather(self.once())
        self.told.append("gathered")
        return result

    def start(self, name: str, key: IdKey | None = None) -> None:
        self.calls.start(getattr(self, name), (), self.done, key)

    def done(self, result: object, error: BaseException | None) -> None:
        self.told.append(type(error).__name__ if error else result)
        self.ended.set()


@pytest.mark.parametrize(
    ("feature", "went"),
    [
        ("once", ["went on"]),
        ("nested", ["went on", "went on further"]),
        ("gathered", ["went on", "gathered"]),
    ],
)
async def test_a_feature_goes_on_after_kept_work(feature: str, went: list[str]) -> None:
    features = Features()
    features.start(feature)
    await asyncio.sleep(0)
    features.freed.set()
    await features.ended.wait()
    assert features.told == ["worked", *went, "result"]


@pytest.mark.parametrize(
    ("feature", "after"),
    [
        ("once", ["worked"]),
        # What is kept is done whole, with what is kept within it.
        ("nested", ["worked", "went on"]),
        ("gathered", ["worked"]),
    ],
)
async def test_a_cancelled_feature_ends_after_kept_work(feature: str, after: list[str]) -> None:
    features = Features()
    features.start(feature, KEY)
    for _ in range(3):
        await asyncio.sleep(0)
    features.calls.cancel(KEY)
    await features.ended.wait()
    assert features.told == ["CancelledError"]
    assert not features.calls.is_running(KEY)
    # Its id is free: the next of that name is another.
    features.start("once", KEY)
    features.freed.set()
    await features.calls.finished(60)
    await features.calls.settle(60)
    assert [each for each in features.told if each == "worked"] == ["worked"] * 2
    assert features.told[: 1 + len(after)] == ["CancelledError", *after]
    assert "gathered" not in features.told
    assert "went on further" not in features.told


def test_a_server_of_another_protocol_is_refused() -> None:
    with pytest.raises(TypeError, match="IntentProtocol"):
        stdio.serve(LanguageServer("other", "1"), 0, 1)
