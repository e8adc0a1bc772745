"""WebSocket as a carrier, however its bytes are cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

from intent_lsp.doors.lsp.protocol.framing import Body, Frame
from intent_lsp.doors.lsp.transport.web_handshake import HandshakeResult
from intent_lsp.doors.lsp.transport.web_socket import WebSocketCodec

REQUEST = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)

pieces = st.lists(st.binary(max_size=20), min_size=1, max_size=3)
streams = st.lists(pieces, max_size=4)


def codec() -> WebSocketCodec:
    return WebSocketCodec(HandshakeResult(frozenset(), "localhost"))


def spoken(messages: list[list[bytes]]) -> bytes:
    """Spell messages in pieces, as a client does, with pings between them."""
    client = ClientProtocol(parse_uri("ws://localhost/"), max_size=None)
    client.state = type(client.state).OPEN
    for first, *rest in messages:
        client.send_binary(first, fin=not rest)
        client.send_ping(b"?")
        for place, piece in enumerate(rest, 1):
            client.send_continuation(piece, fin=place == len(rest))
    return b"".join(client.data_to_send())


def heard(*chunks: bytes) -> tuple[list[Frame], bytes]:
    taken = codec()
    frames = [frame for chunk in chunks for frame in taken.feed(chunk)]
    _, _, said = taken.replies().partition(b"\r\n\r\n")
    return frames, said


@given(streams, st.lists(st.integers(0, 1000), max_size=6))
def test_the_cut_of_the_stream_does_not_matter(
    messages: list[list[bytes]], cuts: list[int]
) -> None:
    stream = REQUEST + spoken(messages)
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    frames, said = heard(*(stream[start:end] for start, end in pairwise(places)))
    assert frames == [Body(b"".join(message)) for message in messages]
    assert said == b"\x8a\x01?" * len(messages)


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_any_bytes_are_heard_without_a_failure(chunks: list[bytes]) -> None:
    for begun in (b"", REQUEST):
        taken = codec()
        first, *rest = chunks or [b""]
        for chunk in (begun + first, *rest):
            taken.feed(chunk)
            taken.replies()
        taken.close_frame(1001, "é" * 200)
        assert taken.encode(b"{}") == b""


def test_nothing_is_said_before_the_connection_is_open() -> None:
    taken = codec()
    assert (taken.opened, taken.over, taken.encode(b"{}")) == (False, False, b"")
    assert taken.close_frame(1000, "") == b""
    taken.feed(REQUEST)
    assert taken.opened
    assert taken.replies().startswith(b"HTTP/1.1 101 ")
    assert taken.encode(b"{}") == b"\x81\x02{}"
    assert taken.close_frame(1008, "é" * 100).endswith("é".encode())
    assert taken.over
