"""The framing of messages, however the stream is cut."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from intent_lsp.doors.lsp.protocol.framing import (
    MESSAGE_LIMIT,
    BadHeader,
    Body,
    Frame,
    Frames,
    Oversized,
)
from intent_lsp.doors.lsp.protocol.messages import InvalidMessage, read_body, read_frame, read_value

GOOD = b"Content-Length: 2\r\n\r\n{}"

pieces = st.sampled_from(
    [
        GOOD,
        b"Content-Length: 2\n\n[]",
        b"content-length:0\r\n\r\n",
        b"Content-Length: -1\r\n\r\n{}",
        b"X: y\r\n\r\n",
        b"\r\n",
        b"{}",
        b"\n",
        b"hello",
        b"Content-Length: ",
        b"x" * 70_000,
        b"Content-Length: 99999999999\r\n\r\n",
    ]
)
streams = st.lists(pieces | st.binary(max_size=20), max_size=8).map(b"".join)


def frames_of(*chunks: bytes) -> list[Frame]:
    frames = Frames()
    return [frame for chunk in chunks for frame in frames.feed(chunk)]


@given(streams, st.lists(st.integers(0, 100_000), max_size=6))
@example(b"x" * 70_000 + b"\r\n" + GOOD, [60_000, 66_000])
def test_the_cut_of_the_stream_does_not_matter(stream: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert frames_of(*chunks) == frames_of(stream)


@given(st.sampled_from([b"X: y\r\n\r\n", b"Content-Length: a\r\n\r\n"]), st.binary(max_size=200))
def test_after_a_lost_body_the_next_message_is_found(header: bytes, body: bytes) -> None:
    # Bytes that look like a header themselves have a message of their own coming.
    lost = body.replace(b":", b";") + b"}"
    *_, last = frames_of(header + lost + GOOD)
    assert last == Body(b"{}")


@given(st.binary(max_size=60))
def test_any_body_is_a_message_or_refused(data: bytes) -> None:
    read_body(data)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "jsonrpc", "method", "params", "result", "error"]), inner
            )
        ),
        max_leaves=8,
    )
)
def test_any_value_is_a_message_or_refused(value: object) -> None:
    read_value(value)


def test_an_oversized_body_is_skipped_in_whatever_chunks() -> None:
    length = MESSAGE_LIMIT + 1
    body = b'{"id":1,"method":"m","params":["' + b"x" * (length - 35) + b'"]}'
    stream = b"Content-Length: %d\r\n\r\n%b%b" % (length, body, GOOD)
    chunks = [stream[place : place + 65_521] for place in range(0, len(stream), 65_521)]
    skipped, good = frames_of(*chunks)
    assert skipped == Oversized(length=length, head=body[:1024], tail=body[-1024:])
    assert good == Body(b"{}")
    assert frames_of(stream) == [skipped, good]
    refusal = read_frame(skipped)
    assert isinstance(refusal, InvalidMessage)
    assert refusal.id == 1


def test_the_id_of_an_oversized_message_is_read_only_where_it_is_certain() -> None:
    def identity(head: bytes, tail: bytes = b"") -> object:
        refusal = read_frame(Oversized(length=1 << 25, head=head, tail=tail))
        assert isinstance(refusal, InvalidMessage)
        return refusal.id

    assert identity(b' { "id" : "a\\"b" , "method" : "m" , "params"') == 'a"b'
    assert identity(b"{", b']},"id":-5,"method":"m"}\n') == -5
    assert identity(b'{"method":"m",', b',"id":5}') == 5
    # An answer of the client's, a member of params, words in a string, bytes that are no text.
    assert identity(b'{"id":1,"result":{', b"}}") is None
    assert identity(b'{"method":"m","params":{"id":1,', b"}}") is None
    assert identity(b'{"method":"m","params":{', b',"id":1}}') is None
    assert identity(b'{"method":"m","params":["', b',\\"id\\":1"]}') is None
    assert identity(b'{"id":"\xff","method":"m",') is None
    assert identity(b'[{"id":1,"method":"m",') is None


def test_a_lost_body_without_an_end_is_not_kept() -> None:
    frames = Frames()
    frames.feed(b"X: y\r\n\r\n")
    for _ in range(100):
        assert frames.feed(b"x" * 100_000) == []
    assert frames.feed(b"}" + GOOD) == [Body(b"{}")]


def test_a_header_may_end_a_malformed_line() -> None:
    assert frames_of(b'{"a": 1}' + GOOD) == [BadHeader("a header line is malformed"), Body(b"{}")]
