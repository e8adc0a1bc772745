"""The framing of messages, however the stream is cut."""

import tracemalloc
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
from intent_lsp.doors.lsp.protocol.messages import (
    INVALID_REQUEST,
    InvalidMessage,
    read_body,
    read_frame,
    read_value,
)

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
@example(b" " * 70_000 + b"\r\n" + GOOD, [66_000])
@example(b"Content-Length: 2\r\nContent-Length: 3\r\nX\r\n", [38])
def test_the_cut_of_the_stream_does_not_matter(stream: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cut % (len(stream) + 1) for cut in cuts), len(stream)]
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert frames_of(*chunks) == frames_of(stream)


@given(
    st.sampled_from([b"X: y\r\n\r\n", b"Content-Length: a\r\n\r\n", b'{"a": 1}\n', b"x" * 70_000]),
    st.lists(st.just(GOOD) | st.binary(max_size=200), max_size=4),
)
def test_behind_a_header_without_a_length_nothing_is_read(header: bytes, rest: list[bytes]) -> None:
    good, bad = frames_of(GOOD + header, *rest)
    assert good == Body(b"{}")
    assert isinstance(bad, BadHeader)


def test_different_lengths_are_refused_at_the_second_one() -> None:
    # A header part without an end could otherwise fill the memory with lengths.
    (bad,) = frames_of(b"Content-Length: 2\r\nContent-Length: 3\r\n")
    assert bad == BadHeader("the message has different Content-Length headers")


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
    stream = b"Content-Length: %d\r\n\r\n%b%b" % (length, b"x" * length, GOOD)
    chunks = [stream[place : place + 65_521] for place in range(0, len(stream), 65_521)]
    assert frames_of(*chunks) == frames_of(stream) == [Oversized(length), Body(b"{}")]
    refusal = read_frame(Oversized(length))
    assert isinstance(refusal, InvalidMessage)
    assert refusal.code == INVALID_REQUEST


def test_what_follows_a_header_without_a_length_is_not_kept() -> None:
    frames = Frames()
    frames.feed(b"X: y\r\n\r\n")
    tracemalloc.start()
    for _ in range(100):
        assert frames.feed(b"x" * 100_000) == []
    assert tracemalloc.get_traced_memory()[0] < 1 << 20
    tracemalloc.stop()


def test_a_flood_of_empty_lines_costs_nobody_else_anything() -> None:
    frames = Frames()
    for flood in (b"\n" * 100_000, b"\r\n" * 100_000, b" \t\r\n" * 100_000):
        assert frames.feed(flood + GOOD) == [Body(b"{}")]
