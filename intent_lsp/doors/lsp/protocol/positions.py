r"""Conversion between code points and a client's UTF-8, UTF-16 or UTF-32 units.

Invariant: an offset inside a character means the place before the character. An offset beyond a
line means the line's end before its terminator. So a `\r\n` is never split.
Invariant: every text is accepted, lone surrogates included.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position

# JSON escapes can hold lone surrogates: they are counted and not refused.
_SURROGATES = "surrogatepass"


class PositionEncoding(StrEnum):
    """The unit in which `character` of a position is counted. The values are LSP's names."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"


class ClientPosition(NamedTuple):
    """A position from the client: line and character from 0, `character` in the client's units."""

    line: int
    character: int


class ClientRange(NamedTuple):
    """A range from the client, from `start` up to `end`, which is excluded."""

    start: ClientPosition
    end: ClientPosition


def choose_encoding(offered: Iterable[object] | None) -> PositionEncoding:
    """Return the encoding to use, from what a client offers in any order (protocol section 4).

    Return UTF-8 if it is offered, UTF-32 if it is the only offered encoding that this server has,
    and UTF-16 otherwise.
    """
    known = {name for name in offered or () if isinstance(name, str)} & set(PositionEncoding)
    if PositionEncoding.UTF_8 in known:
        return PositionEncoding.UTF_8
    return PositionEncoding.UTF_32 if known == {"utf-32"} else PositionEncoding.UTF_16


def count_units(text: str, encoding: PositionEncoding) -> int:
    """Return the length of `text` in units of `encoding`."""
    if encoding is PositionEncoding.UTF_32 or text.isascii():
        return len(text)
    if encoding is PositionEncoding.UTF_8:
        return len(text.encode("utf-8", _SURROGATES))
    return len(text.encode("utf-16-le", _SURROGATES)) // 2


def to_code_points(line: str, character: int, encoding: PositionEncoding) -> int:
    """Convert the offset `character` on `line` from units of `encoding` to code points.

    Return at most the line's length without its terminator.
    """
    # A code point has at least one unit, so the first `character` code points are enough.
    body = line_body(line)[: max(character, 0)]
    if encoding is PositionEncoding.UTF_32 or body.isascii():
        return len(body)
    if encoding is PositionEncoding.UTF_8:
        return _fit_utf8(body, character)
    return _fit_utf16(body, character)


def to_units(line: str, code_points: int, encoding: PositionEncoding) -> int:
    """Convert the offset `code_points` on `line` to units of `encoding`.

    Return at most the line's length without its terminator.
    """
    return count_units(line_body(line)[: max(code_points, 0)], encoding)


def from_client(
    lines: Sequence[str], place: ClientPosition, encoding: PositionEncoding
) -> Position:
    """Convert a client's position to code points.

    A position beyond the last line becomes the end of the text. If the text ends in a terminator,
    its end is (number of lines, 0).
    """
    if 0 <= place.line < len(lines):
        return Position(place.line, to_code_points(lines[place.line], place.character, encoding))
    return Position(0, 0) if place.line < 0 else end_of(lines)


def to_client(lines: Sequence[str], place: Position, encoding: PositionEncoding) -> ClientPosition:
    """Convert a position in code points to the client's units.

    A position beyond the text becomes the end of the text.
    """
    if not 0 <= place.line < len(lines):
        place = Position(0, 0) if place.line < 0 else end_of(lines)
    if place.line == len(lines):
        return ClientPosition(place.line, 0)
    return ClientPosition(place.line, to_units(lines[place.line], place.character, encoding))


def end_of(lines: Sequence[str]) -> Position:
    """Return the position after the last character of the text `lines`, in code points."""
    if not lines or lines[-1].endswith(("\n", "\r")):
        return Position(len(lines), 0)
    return Position(len(lines) - 1, len(lines[-1]))


def _fit_utf8(body: str, units: int) -> int:
    data = body.encode("utf-8", _SURROGATES)
    # A byte 10xxxxxx continues a character: step back to its first byte.
    while units < len(data) and data[units] & 0xC0 == 0x80:  # noqa: PLR2004 - UTF-8's own bits
        units -= 1
    return len(data[:units].decode("utf-8", _SURROGATES))


def _fit_utf16(body: str, units: int) -> int:
    data = body.encode("utf-16-le", _SURROGATES)[: 2 * units]
    fitting = len(data.decode("utf-16-le", _SURROGATES))
    # A pair that was cut decodes as a lone half, where the text has a character above U+FFFF.
    return fitting - 1 if data[-1] & 0xFC == 0xD8 and body[fitting - 1] > "\uffff" else fitting  # noqa: PLR2004 - UTF-16's own bits
