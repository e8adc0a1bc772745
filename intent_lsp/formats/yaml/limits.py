"""Limits of a YAML text, and the characters that YAML does not allow.

Invariant: a problem has its exact position, in code points.
"""

import re
from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from intent_lsp.core.codes import FileCode
from intent_lsp.formats.text_positions import LINE_END, count_line_ends

MAX_BYTES = 4 << 20
"""The most bytes of a file."""
MAX_LINES = 500_000
MAX_VALUES = 250_000
"""The most keys, values, lists and mappings in a file. Each takes some hundred bytes of memory."""

MAX_NESTING = 64
"""The most levels of collections inside one another."""
MAX_ALIASES = 100

# Look for refused characters before parsing: the C parser reports their position in bytes, and
# raises UnicodeEncodeError for a lone surrogate.
_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class YamlProblem(Struct, frozen=True, kw_only=True):
    """Why a YAML text cannot be read: code, message, and the offsets of the place of the problem.

    `context` is the offset and the message of a second place, or None if the parser names none.
    `reached` is the offset of the last single value that was read, 0 if none was; `globs` are the
    offsets of the unquoted globs among the values read.
    """

    code: FileCode
    message: str
    start: int
    end: int
    context: tuple[int, str] | None = None
    reached: int = 0
    globs: frozenset[int] = frozenset()


def refused(text: str) -> YamlProblem | None:
    """Return the problem of a text that must not be parsed, or None if it may be parsed.

    A text must not be parsed if it has more than MAX_BYTES bytes in UTF-8 or MAX_LINES lines, or a
    character that YAML forbids. What follows the last line end counts as a line, even if empty.
    """
    over = _over_size(text)
    if over is not None:
        message = f"a file of more than {MAX_BYTES >> 20} MiB is not read"
        return YamlProblem(code=FileCode.YAML_LIMIT, message=message, start=over, end=len(text))
    if count_line_ends(text) >= MAX_LINES:
        over = next(islice(LINE_END.finditer(text), MAX_LINES - 1, None)).end()
        message = f"a file of more than {MAX_LINES:,} lines is not read"
        return YamlProblem(code=FileCode.YAML_LIMIT, message=message, start=over, end=over)
    found = _REFUSED.search(text)
    if found is None:
        return None
    name = f"U+{ord(found.group()):04X}"
    return YamlProblem(
        code=FileCode.YAML_SYNTAX,
        message=f"the character {name} is not allowed in YAML",
        start=found.start(),
        end=found.end(),
    )


def too_large(lines: Iterable[str]) -> bool:
    """Return whether lines, given with their line ends, have more than MAX_BYTES in UTF-8."""
    return _over_size("".join(lines)) is not None


def _over_size(text: str) -> int | None:
    """Return the offset in code points at which a text exceeds MAX_BYTES in UTF-8.

    Return None if it does not exceed them.
    """
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= MAX_BYTES:
        return None
    end = MAX_BYTES
    while data[end] & 0xC0 == 0x80:  # noqa: PLR2004 -- inside of a character
        end -= 1
    return len(data[:end].decode("utf-8", "surrogatepass"))
