r"""Splits a byte stream into the bodies of messages, by their headers.

Invariant: no I/O and no exceptions: the same bytes give the same frames however they are cut.
Invariant: between two calls, at most one message of `MESSAGE_LIMIT` bytes is kept of the stream.

A message is a header part and a body. The header part is lines `Name: value`, in any order, and an
empty line. A line ends in `\r\n` or `\n`, and the case of a name does not matter. The body has as
many bytes as the header `Content-Length` says. Empty lines before a message are skipped. If a
header part is malformed, or its `Content-Length` is missing or no usable number, the end of the
body is unknown: then `BadHeader` is the last frame.
"""

import re
from collections.abc import Generator, Iterator

from msgspec import Struct

MESSAGE_LIMIT = 16 << 20
"""The longest body that is accepted, in bytes (requirements section 10)."""

# No client sends more. A longer length would make the parser skip the rest of the connection.
_LENGTH_LIMIT = 1 << 30
_LINE_LIMIT = 64 << 10

_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)", re.DOTALL)
_EMPTY = re.compile(rb"(?:\r?\n)*")


class Body(Struct, frozen=True):
    """The body of one message."""

    data: bytes


class BadHeader(Struct, frozen=True):
    """A header part that is malformed or has no usable length. No frame follows.

    `problem` is one line that says what is wrong with it.
    """

    problem: str


class Oversized(Struct, frozen=True):
    """A message whose body, of `length` bytes, was skipped: it is longer than `MESSAGE_LIMIT`."""

    length: int


Frame = Body | BadHeader | Oversized


class _HeaderError(Exception):
    """Raised for a header part that is malformed or has no usable length. Its text says why."""


class Frames:
    """An incremental parser of a byte stream: takes bytes as they come and returns frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._parser = self._parse()

    def feed(self, data: bytes) -> list[Frame]:
        """Add the next bytes of the stream and return the frames that they complete.

        After a `BadHeader`, all further bytes are dropped.
        """
        self._buffer += data
        frames: list[Frame] = []
        while (frame := next(self._parser)) is not None:
            frames.append(frame)
        return frames

    def _parse(self) -> Iterator[Frame | None]:
        """Yield each frame once it is complete, and None each time that more bytes are needed."""
        try:
            while True:
                length = yield from self._read_length()
                if length > MESSAGE_LIMIT:
                    yield from self._skip(length)
                    yield Oversized(length)
                else:
                    while len(self._buffer) < length:
                        yield None
                    yield Body(self._take(length))
        except _HeaderError as error:
            yield BadHeader(str(error))
        while True:
            self._buffer.clear()
            yield None

    def _read_length(self) -> Generator[None, None, int]:
        if run := _EMPTY.match(self._buffer):
            # In one step, because a client may send nothing but empty lines.
            del self._buffer[: run.end()]
        while not (line := (yield from self._read_line())):
            pass
        lengths: set[int] = set()
        while line:
            found = _HEADER.fullmatch(line)
            if found is None:
                raise _HeaderError("a header line is malformed")
            if found[1].lower() == b"content-length":
                lengths.add(_measure(found[2]))
            if len(lengths) > 1:
                raise _HeaderError("the message has different Content-Length headers")
            line = yield from self._read_line()
        if not lengths:
            raise _HeaderError("Content-Length is missing")
        return lengths.pop()

    def _read_line(self) -> Generator[None, None, bytes]:
        while (end := self._buffer.find(b"\n")) < 0 and len(self._buffer) <= _LINE_LIMIT:
            yield None
        if not 0 <= end <= _LINE_LIMIT:
            raise _HeaderError("a header line is too long")
        return self._take(end + 1).rstrip()

    def _skip(self, length: int) -> Generator[None, None, None]:
        while length > len(self._buffer):
            length -= len(self._buffer)
            self._buffer.clear()
            yield None
        del self._buffer[:length]

    def _take(self, length: int) -> bytes:
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken


def _measure(value: bytes) -> int:
    shown = value[:40].decode("ascii", "backslashreplace")
    if not re.fullmatch(rb"[0-9]+", value):
        raise _HeaderError(f"Content-Length is not a number of bytes: {shown!r}")
    digits = value.lstrip(b"0") or b"0"
    if len(digits) > len(str(_LENGTH_LIMIT)) or int(digits) > _LENGTH_LIMIT:
        raise _HeaderError(f"Content-Length {shown} is above the limit of {MESSAGE_LIMIT} bytes")
    return int(digits)
