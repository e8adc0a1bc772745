"""Everything a client can say wrongly, to a server in a process of its own.

Each case is followed by a good request on the same connection, which is answered unless nobody
knows where it begins.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT
from tests.support.raw_client import INITIALIZE, ProcessClient, child, framed, thread

pytestmark = pytest.mark.e2e

PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602
HOVER = {"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}}


def call(**members: object) -> bytes:
    return framed({"jsonrpc": "2.0", "id": 7, "method": "intent/echo"} | members)


def hover(**params: object) -> bytes:
    return call(method="textDocument/hover", params=HOVER | params)


def command(name: str, arguments: object) -> bytes:
    params = {"command": name, "arguments": arguments}
    return call(method="workspace/executeCommand", params=params)


def bare(**members: object) -> bytes:
    return framed(members)


ENDING: dict[str, tuple[bytes, str]] = {
    "no length": (b"Content-Type: x\r\n\r\n{}", "Content-Length is missing"),
    "a garbage length": (b"Content-Length: ten\r\n\r\n{}", "not a number"),
    "a negative length": (b"Content-Length: -2\r\n\r\n{}", "not a number"),
    "a signed length": (b"Content-Length: +2\r\n\r\n{}", "not a number"),
    "a fractional length": (b"Content-Length: 2.0\r\n\r\n{}", "not a number"),
    "an empty length": (b"Content-Length:\r\n\r\n{}", "not a number"),
    "two lengths": (
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "different Content-Length headers",
    ),
    "an absurd length": (b"Content-Length: %s\r\n\r\n{}" % (b"9" * 5000), "limit"),
    "no header at all": (b'{"jsonrpc":"2.0","id":7}\n', "malformed"),
    "a line of words": (b"hello there\r\n", "malformed"),
    "an endless line": (b"x" * 100_000 + b"\r\n", "too long"),
    "a body of several lines without a length": (
        b'X: y\r\n\r\n{\n\n  "jsonrpc": "2.0",\n  "id": 7\n}',
        "missing",
    ),
    "a message without a header": (call()[call().index(b"{") :] + call(), "malformed"),
}

REFUSED: dict[str, tuple[bytes, int, object, str]] = {
    # Length beyond the limit; the body is skipped.
    "an oversized message": (
        framed(b'{"jsonrpc":"2.0","id":7,"method":"m"}' + b" " * MESSAGE_LIMIT),
        INVALID,
        None,
        str(MESSAGE_LIMIT),
    ),
    # JSON.
    "an empty body": (framed(b""), PARSE, None, "not JSON"),
    "half a body": (framed(b'{"jsonrpc": "2.0", "id": 7'), PARSE, None, "not JSON"),
    "bytes that are no UTF-8": (framed(b'{"a": "\xff"}'), PARSE, None, "UTF-8"),
    "UTF-16": (framed('{"id": 7}'.encode("utf-16")), PARSE, None, "UTF-8"),
    "NaN": (
        framed(b'{"jsonrpc":"2.0","id":7,"method":"m","params":[NaN]}'),
        PARSE,
        None,
        "the message is not JSON: NaN is not a JSON value",
    ),
    "an endless constant": (framed(b'{"id": -Infinity}'), PARSE, None, ": -Infinity is not a JSON"),
    "a number without end": (framed(b'{"id": ' + b"1" * 9000 + b"}"), PARSE, None, "JSON"),
    "a nest": (framed(b"[" * 100_000 + b"]" * 100_000), PARSE, None, "nested too deeply"),
    # Envelope.
    "a batch": (framed([]), INVALID, None, "batches"),
    "a string": (framed("hello"), INVALID, None, "object"),
    "a number": (framed(7), INVALID, None, "object"),
    "null": (framed(None), INVALID, None, "object"),
    "an empty object": (framed({}), INVALID, None, "jsonrpc"),
    "no jsonrpc": (bare(id=7, method="intent/echo"), INVALID, 7, "jsonrpc"),
    "an old jsonrpc": (call(jsonrpc="1.0"), INVALID, 7, "jsonrpc"),
    "a numeric jsonrpc": (call(jsonrpc=2.0), INVALID, 7, "jsonrpc"),
    "no method": (bare(jsonrpc="2.0", id=7), INVALID, 7, "method"),
    "a numeric method": (call(method=5), INVALID, 7, "method"),
    "a null id": (call(id=None), INVALID, None, "id"),
    "a boolean id": (call(id=True), INVALID, None, "id"),
    "a list as id": (call(id=[7]), INVALID, None, "id"),
    "an infinite id": (
        framed(b'{"jsonrpc":"2.0","id":1e999,"method":"intent/echo"}'),
        INVALID,
        None,
        "id",
    ),
    # State and methods.
    "a second initialize": (call(method="initialize", params=INITIALIZE), INVALID, 7, "already"),
    "an unknown method": (call(method="intent/unheardOf"), UNKNOWN, 7, "intent/unheardOf"),
    "an unknown method of the protocol": (call(method="$/unheardOf"), UNKNOWN, 7, "$/"),
    "a standard method without a feature": (call(method="textDocument/rename"), UNKNOWN, 7, ""),
    "a request that only we send": (call(method="window/showMessageRequest"), UNKNOWN, 7, ""),
    "a notification as a request": (
        call(method="textDocument/didOpen"),
        INVALID,
        7,
        "must not have an id",
    ),
    "exit as a request": (call(method="exit"), INVALID, 7, "must not have an id"),
    # Params.
    "params of a scalar": (call(params=5), PARAMS, 7, "params"),
    "no params": (call(method="textDocument/hover"), PARAMS, 7, "params.textDocument"),
    "null params": (call(method="textDocument/hover", params=None), PARAMS, 7, "textDocument"),
    "positional params": (call(method="textDocument/hover", params=[HOVER]), PARAMS, 7, "params"),
    "a missing field": (hover(textDocument={}), PARAMS, 7, "params.textDocument.uri: is missing"),
    "null for a string": (
        hover(textDocument={"uri": None}),
        PARAMS,
        7,
        "params.textDocument.uri: expected a string",
    ),
    "a string for a number": (
        hover(position={"line": "1", "character": 0}),
        PARAMS,
        7,
        "params.position.line: expected an integer",
    ),
    "a boolean for a number": (
        hover(position={"line": True, "character": 0}),
        PARAMS,
        7,
        "params.position.line: expected an integer",
    ),
    "half a line": (hover(position={"line": 0.5, "character": 0}), PARAMS, 7, "position.line"),
    "a negative line": (hover(position={"line": -1, "character": 0}), PARAMS, 7, "position"),
    "an endless line number": (
        framed(
            b'{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":'
            b'{"uri":"a"},"position":{"line":1e999,"character":0}}}'
        ),
        PARAMS,
        7,
        "params.position.line",
    ),
    "a scalar for an object": (hover(position=5), PARAMS, 7, "params.position"),
    "arguments that are a string": (
        command("tiny.echo", "INT-001"),
        PARAMS,
        7,
        "params.arguments: expected an array",
    ),
    "arguments that are an object": (
        command("tiny.echo", {}),
        PARAMS,
        7,
        "params.arguments: expected an array",
    ),
    "too many arguments": (
        command("tiny.one", [1, 2]),
        PARAMS,
        7,
        "params.arguments",
    ),
    "an unknown command": (
        call(method="workspace/executeCommand", params={"command": "tiny.unknown"}),
        PARAMS,
        7,
        "params.command",
    ),
}

IGNORED: dict[str, bytes] = {
    "an unknown notification": framed({"jsonrpc": "2.0", "method": "intent/unheardOf"}),
    "an unknown notification of the protocol": framed({"jsonrpc": "2.0", "method": "$/x"}),
    "a standard notification without a feature": framed(
        {"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": 5}
    ),
    "a request as a notification": framed({"jsonrpc": "2.0", "method": "shutdown"}),
    "malformed params of a notification": framed(
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 5}}
    ),
    "a cancellation of nothing": framed(
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 5}}
    ),
    "a malformed cancellation": framed(
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": []}}
    ),
    "a cancellation without params": framed({"jsonrpc": "2.0", "method": "$/cancelRequest"}),
    "an answer to no question": framed({"jsonrpc": "2.0", "id": "server-99", "result": 5}),
    "an error to nobody": framed({"jsonrpc": "2.0", "id": 5, "error": {"code": 1}}),
    "an answer without jsonrpc": framed({"id": 5, "result": None}),
    "a trace value that does not exist": framed(
        {"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "loud"}}
    ),
    "a cancellation of a progress of no type": framed(
        {"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {"token": []}}
    ),
    "an opened notebook": framed(
        {
            "jsonrpc": "2.0",
            "method": "notebookDocument/didOpen",
            "params": {"notebookDocument": {}, "cellTextDocuments": []},
        }
    ),
    "empty lines between messages": b"\r\n\n\r\n",
}

ANSWERED: dict[str, tuple[bytes, object]] = {
    "a header in lower case": (call().replace(b"Content-Length", b"content-length"), None),
    "a header in upper case": (call().replace(b"Content-Length", b"CONTENT-LENGTH"), None),
    "spaces about the colon": (call().replace(b"Length:", b"Length \t : "), None),
    "no space after the colon": (call().replace(b"Length: ", b"Length:"), None),
    "an unknown header before": (b"X-Content-Length: 5\r\nX-Other:\r\n" + call(), None),
    "an unknown header after": (call().replace(b"\r\n\r\n", b"\r\nX-Note: a:b\r\n\r\n"), None),
    "a content type": (
        b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\n" + call(),
        None,
    ),
    "lines without carriage returns": (call().replace(b"\r\n", b"\n"), None),
    "the same length twice": (
        b"Content-Length: %d\r\n" % len(call().split(b"\r\n\r\n")[1]) + call(),
        None,
    ),
    "a length with leading zeros": (call().replace(b"Length: ", b"Length: 000"), None),
    "a nested jsonrpc": (
        call(params={"jsonrpc": "2.0", "id": 1, "a": [{"jsonrpc": 5, "method": "shutdown"}]}),
        {"jsonrpc": "2.0", "id": 1, "a": [{"jsonrpc": 5, "method": "shutdown"}]},
    ),
    "keys that are no identifiers": (
        call(params={"a-b": None, "type_name": 1, "class": True, "": {}}),
        {"a-b": None, "type_name": 1, "class": True, "": {}},
    ),
    "a list as params": (call(params=[1, [2]]), [1, [2]]),
    "null as params": (call(params=None), None),
    "a lone surrogate": (call(params=["\ud83d"]), ["\ud83d"]),
    "a message of the limit": (
        call(params=["x" * (MESSAGE_LIMIT - len(call(params=[""]).split(b"\r\n\r\n")[1]))]),
        ["x" * (MESSAGE_LIMIT - len(call(params=[""]).split(b"\r\n\r\n")[1]))],
    ),
    "a command with a nested jsonrpc": (
        command("tiny.echo", [{"jsonrpc": "2.0"}, "INT-001", None]),
        [{"jsonrpc": "2.0"}, "INT-001", None],
    ),
    "a command without arguments": (
        call(method="workspace/executeCommand", params={"command": "tiny.echo"}),
        [],
    ),
    "a whole number spelled as a fraction": (
        hover(position={"line": 0.0, "character": 0.0}),
        None,
    ),
}


@pytest.fixture(scope="module")
def client() -> Iterator[ProcessClient]:
    with child() as connected:
        connected.initialize()
        yield connected


def still_answers(client: ProcessClient) -> bool:
    return bool(client.ask("intent/echo", {"still": "there"})["result"] == {"still": "there"})


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_and_the_next_request_answered(client: ProcessClient, case: str) -> None:
    data, code, identity, words = REFUSED[case]
    client.raw(data)
    answer: dict[str, Any] = client.next()
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == identity
    assert answer["error"]["code"] == code
    assert words in answer["error"]["message"]
    assert "\n" not in answer["error"]["message"]
    assert "data" not in answer["error"]
    assert still_answers(client)


@pytest.mark.parametrize("case", ENDING)
def test_without_a_length_there_is_one_error_and_the_connection_ends(case: str) -> None:
    data, words = ENDING[case]
    with thread() as client:
        client.initialize()
        client.raw(data + call())
        answer = client.next()
        assert (answer["id"], answer["error"]["code"]) == (None, PARSE)
        assert words in answer["error"]["message"]
        assert "\n" not in answer["error"]["message"]
        assert client.sent_nothing_more()
        assert client.end() == 1


@pytest.mark.parametrize("case", IGNORED)
def test_it_is_ignored_and_the_next_request_answered(client: ProcessClient, case: str) -> None:
    client.raw(IGNORED[case])
    assert still_answers(client)


@pytest.mark.parametrize("case", ANSWERED)
def test_it_is_unusual_and_answered(client: ProcessClient, case: str) -> None:
    data, result = ANSWERED[case]
    client.raw(data)
    assert client.next() == {"jsonrpc": "2.0", "id": 7, "result": result}
    assert still_answers(client)


@pytest.mark.parametrize("identity", [0, -1, 2**70, "", "7", "é\ud83d", 1.5, 1.0])
def test_an_id_comes_back_as_it_was(client: ProcessClient, identity: object) -> None:
    client.raw(call(id=identity))
    answer = client.next()
    assert answer["id"] == identity
    assert type(answer["id"]) is type(identity)


def test_a_message_may_come_byte_by_byte(client: ProcessClient) -> None:
    for byte in call():
        client.raw(bytes([byte]))
    assert client.next()["id"] == 7


def test_messages_may_come_all_at_once(client: ProcessClient) -> None:
    client.raw(b"".join(call(id=number) for number in range(200)))
    assert [client.next()["id"] for _ in range(200)] == list(range(200))
