"""A socket and its one client: who is let in, who is not, and how it ends."""

import asyncio
import json
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from websockets.exceptions import ConnectionClosed, InvalidStatus

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT
from intent_lsp.doors.lsp.transport.client_admission import Limits
from tests.support.raw_client import LIMIT, framed
from tests.support.sockets import (
    TOKEN,
    SocketClient,
    TcpClient,
    WebClient,
    ask_http,
    everything,
    open_web,
    tiny,
    token_file,
    with_token,
)

SCHEMES = ("tcp", "ws")
HANDSHAKE = (
    "GET / HTTP/1.1",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
)

each_scheme = pytest.mark.parametrize("scheme", SCHEMES)


def closed(client: SocketClient) -> int:
    """Give the code that a WebSocket was closed with; a TCP connection knows none."""
    client.reader.join(LIMIT)
    return client.closed[0] if isinstance(client, WebClient) and client.closed else 0


def hang_up(client: SocketClient) -> None:
    client.hang_up()


def say_exit(client: SocketClient) -> None:
    client.notify("exit")


def is_sent_away(client: SocketClient, problem: str, code: int) -> None:
    """Hold that a client is told this, and left."""
    error = client.next()["error"]
    assert error["code"] == -32600
    assert problem in error["message"]
    assert client.sent_nothing_more()
    assert closed(client) in (0, code)


@each_scheme
def test_a_client_is_served_until_it_leaves(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        assert client.initialize(**with_token())["result"]["serverInfo"]["name"] == "tiny"
        assert client.ask("intent/echo", [1])["result"] == [1]
        assert client.ask("shutdown")["result"] is None
        client.notify("exit")
        assert client.sent_nothing_more()
        assert closed(client) in (0, 1000)
        assert listening.end() == 0


@each_scheme
async def test_a_client_of_another_make_is_served(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening:
        client = LanguageClient("another", "1")
        start = client.start_tcp if scheme == "tcp" else client.start_ws
        await start(*listening.address)
        options = {"token": TOKEN}
        params = lsp.InitializeParams(lsp.ClientCapabilities(), initialization_options=options)
        answer = await client.initialize_async(params)
        assert answer.server_info is not None
        assert answer.server_info.name == "tiny"
        await client.shutdown_async(None)
        client.exit(None)
        assert await asyncio.to_thread(listening.end) == 0
        await client.stop()  # type: ignore[no-untyped-call]  # pygls's
        writer = client.protocol.writer
        if isinstance(writer, asyncio.StreamWriter):
            # pygls leaves it open.
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def test_a_closed_standard_error_is_no_broken_world(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with tiny() as listening, listening.guest() as client:
        assert "result" in client.initialize()


@each_scheme
@pytest.mark.parametrize("leave", [hang_up, say_exit])
def test_the_server_ends_with_its_client(
    scheme: str, leave: Callable[[SocketClient], None], tmp_path: Path
) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        client.initialize(**with_token())
        leave(client)
        assert client.sent_nothing_more()
        assert listening.end() == 1


def test_what_was_asked_before_a_client_hung_up_is_answered() -> None:
    with tiny() as listening, listening.guest() as client:
        client.initialize()
        client.begin("intent/echo", ["late"])
        client.hang_up()
        assert client.next()["result"] == ["late"]
        assert client.sent_nothing_more()
        assert listening.end() == 1


@each_scheme
def test_a_connection_that_breaks_in_a_message_ends_the_server(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        client.initialize(**with_token())
        if isinstance(client, TcpClient):
            client.raw(b"Content-Length: 100\r\n\r\n{")
            # With nothing to linger for, the connection is reset.
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        else:
            # The head of a masked frame of 100 bytes.
            client.connection.socket.sendall(b"\x81\xe4\0\0\0\0{")
            client.connection.socket.shutdown(socket.SHUT_RDWR)
        client.leave()
        assert listening.end() == 1


@each_scheme
def test_a_second_client_is_refused_at_once_and_the_first_goes_on(
    scheme: str, tmp_path: Path
) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening, listening.guest() as first:
        first.initialize(**with_token())
        with listening.guest() as second:
            is_sent_away(second, "already has a client, and it serves only one", 1013)
        assert first.ask("intent/echo", ["still here"])["result"] == ["still here"]


@each_scheme
def test_who_waits_is_told_when_another_was_let_in(scheme: str, tmp_path: Path) -> None:
    where = token_file(tmp_path)
    with (
        tiny(scheme, token_file=where) as listening,
        listening.guest() as first,
        listening.guest() as second,
    ):
        second.initialize(**with_token())
        is_sent_away(first, "already has a client", 1013)
        assert second.ask("intent/echo", [2])["result"] == [2]


@each_scheme
@pytest.mark.parametrize(
    "params",
    [
        with_token("only-we-two-know-iT"),
        with_token(""),
        with_token(None),
        with_token([TOKEN]),
        with_token("\ud800"),
        with_token("é" * len(TOKEN)),
        {"initializationOptions": TOKEN},
        {"initializationOptions": None},
        {},
    ],
)
def test_without_the_token_nothing_is_answered_but_an_error(
    scheme: str, params: dict[str, Any], tmp_path: Path
) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening:
        with listening.guest() as stranger:
            stranger.begin("initialize", {"processId": None, "capabilities": {}} | params)
            with_problem = "initializationOptions.token"
            is_sent_away(stranger, with_problem, 1008)
        # Who knows it is served all the same.
        with listening.guest() as client:
            assert "result" in client.initialize(**with_token())


@each_scheme
def test_before_initialize_nothing_is_done(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        client.notify("intent/print")
        client.send({"jsonrpc": "2.0", "id": 9, "result": None})
        for method in ("intent/echo", "shutdown", "workspace/executeCommand"):
            assert client.ask(method)["error"]["code"] == -32002
        assert "result" in client.initialize(**with_token())


@each_scheme
def test_a_stranger_that_says_exit_only_leaves(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening:
        with listening.guest() as stranger:
            stranger.notify("exit")
            assert stranger.sent_nothing_more()
        with listening.guest() as client:
            assert "result" in client.initialize(**with_token())


def test_a_stranger_that_is_gone_by_then_takes_no_client_with_it() -> None:
    with tiny() as listening:
        stranger = socket.create_connection(listening.address, LIMIT)
        with listening.guest() as client:
            # Reset, and perhaps nobody there has been told when it is told of the client.
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            stranger.close()
            assert "result" in client.initialize()
            assert client.ask("intent/echo", [1])["result"] == [1]


@each_scheme
def test_who_comes_and_goes_does_not_end_the_server(scheme: str, tmp_path: Path) -> None:
    with tiny(scheme, token_file=token_file(tmp_path)) as listening:
        # As what waits for a port to open does.
        socket.create_connection(listening.address, LIMIT).close()
        with listening.guest() as client:
            assert "result" in client.initialize(**with_token())


@each_scheme
def test_a_stranger_that_says_nothing_is_sent_away(scheme: str, tmp_path: Path) -> None:
    where = token_file(tmp_path)
    limits = Limits(seconds=0.05)
    with (
        tiny(scheme, token_file=where, limits=limits) as listening,
        listening.guest() as silent,
    ):
        is_sent_away(silent, "there was no initialize request within 0.05 seconds", 1008)


@pytest.mark.parametrize("half", [b"", b"Content-Le", b"Content-Length: 10\r\n\r\n{", b"\r\n" * 9])
def test_half_a_message_is_no_reason_to_wait(half: bytes) -> None:
    with tiny(limits=Limits(seconds=0.05)) as listening, listening.guest() as slow:
        slow.raw(half)
        is_sent_away(slow, "there was no initialize request", 0)


def test_half_a_request_for_a_websocket_is_no_reason_to_wait(tmp_path: Path) -> None:
    limits = Limits(seconds=0.05)
    with (
        tiny("ws", token_file=token_file(tmp_path), limits=limits) as listening,
        socket.create_connection(listening.address, LIMIT) as slow,
    ):
        slow.sendall(b"GET / HTTP/1.1\r\nHost: lo")
        assert everything(slow) == b""


@each_scheme
def test_a_stranger_that_says_too_much_is_sent_away(scheme: str, tmp_path: Path) -> None:
    limits = Limits(size=2000)
    with (
        tiny(scheme, token_file=token_file(tmp_path), limits=limits) as listening,
        listening.guest() as talker,
    ):
        talker.notify("x" * 4000)
        is_sent_away(
            talker, "more than 2000 bytes came before the end of an initialize request", 1009
        )


def test_strangers_make_room_for_those_who_come() -> None:
    with tiny() as listening:
        crowd = [socket.create_connection(listening.address, LIMIT) for _ in range(40)]
        # The oldest are let go of without a word, long before their time is over.
        assert [everything(each) for each in crowd[:20]] == [b""] * 20
        with listening.guest() as client:
            assert "result" in client.initialize()
            assert all(b"it serves only one" in everything(each) for each in crowd[-10:])
        for each in crowd:
            each.close()


def test_connections_that_never_ask_for_a_websocket_make_room_as_well(tmp_path: Path) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening:
        crowd = [socket.create_connection(listening.address, LIMIT) for _ in range(40)]
        assert [everything(each) for each in crowd[:20]] == [b""] * 20
        with listening.guest() as client:
            assert "result" in client.initialize(**with_token())
        for each in crowd:
            each.close()


@pytest.mark.parametrize(
    "said",
    [
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PUT /Content-Length: 200\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\n",
        b"Content-Length: x\r\n\r\n",
        framed(b"not JSON"),
        framed([]),
    ],
)
def test_who_does_not_speak_lsp_gets_no_second_chance(said: bytes) -> None:
    smuggled = framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    with tiny() as listening:
        with listening.guest() as page:
            page.raw(said + smuggled + framed({"jsonrpc": "2.0", "method": "exit"}))
            assert page.next()["error"]["code"] in (-32700, -32600)
            assert page.sent_nothing_more()
        with listening.guest() as client:
            assert "result" in client.initialize()


def test_the_last_word_arrives_however_much_is_still_being_sent() -> None:
    with tiny() as listening, listening.guest() as stranger:
        stranger.raw(b"HTTP\n" + b"x" * (8 << 20))
        assert stranger.next()["error"]["code"] == -32700
        assert stranger.sent_nothing_more()


def test_over_tcp_an_oversized_message_is_answered_and_passed_over() -> None:
    with tiny() as listening, listening.guest() as client:
        client.initialize()
        big = {"jsonrpc": "2.0", "id": 7, "method": "intent/echo", "params": ["x" * MESSAGE_LIMIT]}
        client.send(big)
        assert "longer than the limit" in client.next()["error"]["message"]
        assert client.ask("intent/echo", [1])["result"] == [1]


def test_over_websocket_an_oversized_message_ends_the_connection(tmp_path: Path) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        assert isinstance(client, WebClient)
        client.initialize(**with_token())
        client.ask("intent/echo", ["x" * (MESSAGE_LIMIT - 1000)])
        with pytest.raises(ConnectionClosed):
            # Said in pieces, so that the end is noticed on the way.
            client.connection.send("x" * (1 << 20) for _ in range(1000))
        assert client.sent_nothing_more()
        assert closed(client) == 1009


def test_over_websocket_text_bytes_and_pieces_are_messages(tmp_path: Path) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        assert isinstance(client, WebClient)
        client.initialize(**with_token())
        ask = {"jsonrpc": "2.0", "method": "intent/echo"}
        text = json.dumps(ask | {"id": 50, "params": ["é"]}, ensure_ascii=False)
        spelled: list[bytes | str | list[str]] = [
            text.encode(),
            text,
            [text[:10], "", text[10:20], text[20:]],
        ]
        for message in spelled:
            client.connection.ping()
            client.connection.send(message)
            assert client.next() == {"jsonrpc": "2.0", "id": 50, "result": ["é"]}


def test_a_text_that_is_not_utf_8_ends_the_connection(tmp_path: Path) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening, listening.guest() as client:
        assert isinstance(client, WebClient)
        client.initialize(**with_token())
        client.connection.send(b'"\xff"', text=True)
        assert client.sent_nothing_more()
        assert closed(client) == 1007
        assert listening.end() == 1


@pytest.mark.parametrize("origin", ["null", "https://evil.example", "http://localhost:8080", "*"])
def test_a_page_is_refused(origin: str, tmp_path: Path) -> None:
    where = token_file(tmp_path)
    with tiny("ws", token_file=where, origins=["https://ide.example"]) as listening:
        with pytest.raises(InvalidStatus) as refused, open_web(listening.address, origin):
            pass
        assert refused.value.response.status_code == 403


def test_a_page_that_is_allowed_still_needs_the_token(tmp_path: Path) -> None:
    where = token_file(tmp_path)
    with tiny("ws", token_file=where, origins=["https://ide.example"]) as listening:
        page = WebClient(listening.address, "https://IDE.example")
        page.begin("initialize", {"processId": None, "capabilities": {}})
        is_sent_away(page, "token: is missing", 1008)
        page.leave()
        page = WebClient(listening.address, "https://ide.example")
        assert "result" in page.initialize(**with_token())
        page.leave()


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        (("Host: localhost",), 101),
        (("Host: LOCALHOST.:80",), 101),
        (("Host: 127.0.0.1:2087",), 101),
        (("Host: [::1]:2087",), 101),
        (("Host: rebound.example",), 403),
        (("Host: rebound.example:2087",), 403),
        (("Host: 127.0.0.1.rebound.example",), 403),
        (("Host: localhost, rebound.example",), 403),
        (("Host: localhost", "Host: rebound.example"), 403),
        (("Host: ",), 403),
        ((), 403),
    ],
)
def test_a_name_that_may_be_somebody_elses_leads_nowhere(
    hosts: tuple[str, ...], status: int, tmp_path: Path
) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening:
        found, answer = ask_http(listening.address, *HANDSHAKE, *hosts)
        assert found == status
        assert ("Host" in answer) == (status == 403)


def test_what_asks_for_no_websocket_is_told_so(tmp_path: Path) -> None:
    with tiny("ws", token_file=token_file(tmp_path)) as listening:
        assert ask_http(listening.address, "GET / HTTP/1.1", "Host: localhost")[0] == 426
        assert ask_http(listening.address, "POST / HTTP/1.1", "Host: localhost")[0] == 405
        assert ask_http(listening.address, "GET / HTTP/1.1", "X: " + "x" * 10_000)[0] == 431


@pytest.mark.parametrize(
    ("offered", "agreed"), [("lsp", True), ("other, lsp", True), ("other", False)]
)
def test_a_subprotocol_is_agreed_if_it_is_ours(offered: str, agreed: bool, tmp_path: Path) -> None:  # noqa: FBT001
    with tiny("ws", token_file=token_file(tmp_path)) as listening:
        status, answer = ask_http(
            listening.address,
            *HANDSHAKE,
            "Host: localhost",
            f"Sec-WebSocket-Protocol: {offered}",
        )
        assert status == 101
        assert ("Sec-WebSocket-Protocol: lsp" in answer) == agreed


@each_scheme
def test_the_other_loopback_address_serves_as_well(scheme: str, tmp_path: Path) -> None:
    with (
        tiny(scheme, host="::1", token_file=token_file(tmp_path)) as listening,
        listening.guest() as client,
    ):
        assert "result" in client.initialize(**with_token())


def test_a_long_answer_to_a_slow_reader_arrives_whole() -> None:
    with tiny() as listening, listening.guest() as client:
        client.initialize()
        long = ["x" * (4 << 20)]
        client.begin("intent/echo", long)
        client.begin("intent/echo", [1])
        assert client.next()["result"] == long
        assert client.next()["result"] == [1]
