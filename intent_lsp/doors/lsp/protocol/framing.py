r"""Message bodies out of a stream of bytes, by their headers.

Invariant: sans-IO and total: the same bytes give the same frames however they are cut, and after
anything malformed the next well-formed message is found.
Invariant: memory is bounded by one message of the limit.

The base protocol's header part: `Name: value` lines ended by `\r\n` (`\n` is taken too) in any case
and order, an empty line, then `Content-Length` bytes. Without a usable length nobody knows where
the body ends: all is skipped up to the next `Content-Length`, which may stand right behind it.
Empty lines before a header are passed over.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

MESSAGE_LIMIT = 16 << 20
"""The longest body that is read, in bytes (requirements section 10)."""

# No client means more than this; as a length it would swallow the rest of the connection.
_LENGTH_LIMIT = 1 << 30
_LINE_LIMIT = 64 << 10
# What is kept of a body that is too long: its id stands at one end or the other.
_EDGE = 1 << 10

_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)", re.DOTALL)
_EMPTY = re.compile(rb"(?:[ \t]*\r?\n)+")
_GLUED = re.compile(rb"(?<![-\w])content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of one message."""

    data: bytes


@dataclass(frozen=True, slots=True)
class BadHeader:
    """A header part without a usable length; `problem` is one line."""

    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversized:
    """A body beyond `MESSAGE_LIMIT`: its length, its first and its last bytes."""

    length: int
    head: bytes
    tail: bytes


Frame = Body | BadHeader | Oversized
# A step gives a frame, True where it made none, None where it needs more bytes.
_Step = Callable[[], Frame | bool | None]


class Frames:
    """Cuts what it is fed into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._step: _Step = self._line
        self._searched = 0
        self._any_header = self._lost = False
        self._length: int | None = None
        self._problem = ""
        self._missing = 0
        self._head = self._tail = b""

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes of the stream; give the frames that they complete."""
        self._buffer += data
        frames: list[Frame] = []
        while (made := self._step()) is not None:
            if not isinstance(made, bool):
                frames.append(made)
        return frames

    def _line(self) -> Frame | bool | None:
        if not self._any_header and not self._searched and (run := _EMPTY.match(self._buffer)):
            # In one step: a stranger may send nothing else.
            del self._buffer[: run.end()]
        end = self._buffer.find(b"\n", self._searched)
        length = end if end >= 0 else len(self._buffer)
        if length > _LINE_LIMIT and not self._lost:
            return self._lose("a header line is too long")
        if end < 0:
            # What is no header line may be long: its end is all that can matter.
            del self._buffer[: -_EDGE if length > _LINE_LIMIT else 0]
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[max(0, end - _LINE_LIMIT) : end])
        del self._buffer[: end + 1]
        self._searched = 0
        return self._header(line) if line.strip() else self._end_of_headers()

    def _header(self, line: bytes) -> Frame | bool:
        found = None if self._lost else _HEADER.fullmatch(line)
        if found is None:
            return self._stray(line)
        self._any_header = True
        if found[1].lower() == b"content-length":
            self._measure(found[2].strip())
        return True

    def _stray(self, line: bytes) -> Frame | bool:
        """Pass over what is no header line, unless a `Content-Length` ends it."""
        frame = True if self._lost else self._lose("a header line is malformed")
        glued = _GLUED.search(line[-_EDGE:])
        if glued:
            self._begin()
            self._any_header = True
            self._measure(glued[1])
        return frame

    def _measure(self, value: bytes) -> None:
        shown = value[:40].decode("ascii", "backslashreplace")
        digits = value.lstrip(b"0") or b"0"
        if not re.fullmatch(rb"[0-9]+", value):
            self._problem = f"Content-Length is not a number of bytes: {shown!r}"
        elif len(digits) > len(str(_LENGTH_LIMIT)) or int(digits) > _LENGTH_LIMIT:
            self._problem = f"Content-Length {shown} is beyond the limit of {MESSAGE_LIMIT} bytes"
        elif self._length not in {None, int(digits)}:
            self._problem = "two Content-Length headers differ"
        else:
            self._length = int(digits)

    def _end_of_headers(self) -> Frame | bool:
        if not self._any_header:
            return True
        if self._problem or self._length is None:
            return self._lose(self._problem or "Content-Length is missing")
        self._step = self._body
        if self._length > MESSAGE_LIMIT:
            self._missing, self._step = self._length, self._skip
        return True

    def _body(self) -> Frame | None:
        length = self._length or 0
        if len(self._buffer) < length:
            return None
        body = Body(bytes(self._buffer[:length]))
        del self._buffer[:length]
        self._begin()
        return body

    def _skip(self) -> Frame | None:
        taken = bytes(self._buffer[: self._missing])
        del self._buffer[: len(taken)]
        self._missing -= len(taken)
        self._head = (self._head + taken[:_EDGE])[:_EDGE]
        self._tail = (self._tail + taken[-_EDGE:])[-_EDGE:]
        if self._missing:
            return None
        skipped = Oversized(length=self._length or 0, head=self._head, tail=self._tail)
        self._begin()
        return skipped

    def _begin(self) -> None:
        self._step = self._line
        self._any_header = self._lost = False
        self._length, self._problem = None, ""
        self._head = self._tail = b""

    def _lose(self, problem: str) -> BadHeader:
        self._begin()
        self._lost = True
        return BadHeader(problem)
