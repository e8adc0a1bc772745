"""Who is let in: the law behind every connection over a socket."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.doors.lsp.protocol.framing import BadHeader, Body, Frame, Oversized
from intent_lsp.doors.lsp.transport.client_auth import (
    Accept,
    ClientAuthenticator,
    Reject,
    Retry,
    encode_refusal,
)
from tests.support.sockets import TOKEN, with_token

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(TOKEN),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["initializationOptions", "token", "a"]), inner)
    ),
    max_leaves=6,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": values,
        "method": st.sampled_from(["initialize", "shutdown", "exit", "intent/list"]),
        "params": values,
    },
)
frames = (
    messages.map(lambda message: Body(json.dumps(message).encode()))
    | st.binary(max_size=30).map(Body)
    | st.builds(BadHeader, st.text())
    | st.integers(0).map(Oversized)
)
RIGHT = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": with_token()}


def said(message: object) -> Frame:
    return Body(json.dumps(message).encode())


@given(frames)
@example(said(RIGHT))
@example(said(RIGHT | {"params": with_token(f"{TOKEN} ")}))
@example(said(RIGHT | {"params": [with_token()]}))
def test_only_initialize_with_the_token_enters(frame: Frame) -> None:
    heard = ClientAuthenticator(TOKEN).handle(frame)
    if isinstance(heard, Accept):
        assert isinstance(frame, Body)
        message = json.loads(frame.data)
        assert message["method"] == "initialize"
        assert message["params"]["initializationOptions"]["token"] == TOKEN
    elif heard.answer is not None:
        error = json.loads(encode_refusal(heard.answer))["error"]
        assert error["code"] in (-32700, -32600, -32002)


@given(frames)
def test_without_a_token_to_know_initialize_alone_enters(frame: Frame) -> None:
    heard = ClientAuthenticator(None).handle(frame)
    assert isinstance(heard, Accept) <= (b'"initialize"' in getattr(frame, "data", b""))


def test_who_knows_the_token_enters() -> None:
    keeper = ClientAuthenticator(TOKEN)
    assert keeper.handle(said(RIGHT)) == Accept()
    assert isinstance(keeper.handle(said(RIGHT | {"params": {}})), Reject)
    assert isinstance(keeper.handle(said(RIGHT | {"method": "shutdown"})), Retry)
