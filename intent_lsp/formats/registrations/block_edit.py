"""Blocks of our lines in other people's texts: appended, replaced and removed.

Invariant: removing an appended block restores the earlier text exactly, if its lines end with LF or
CRLF. For that, a block is appended after one empty line. Its last line has a line end only if the
last line of the earlier text had one.
"""

import re
from collections.abc import Sequence

from intent_lsp.formats.text_positions import line_end_of

_LAST_LINE_END = re.compile(r"\r?\n\Z")


def with_block(text: str | None, lines: Sequence[str]) -> str:
    """Return a text with `lines`, which have no line ends, at its end as a block.

    An empty line comes before the block. A text that is None becomes the block alone.
    """
    if text is None:
        return "".join(f"{line}\n" for line in lines)
    end = line_end_of(text)
    if text and not text.endswith("\n"):
        return text + end * 2 + end.join(lines)
    return text + end + "".join(line + end for line in lines)


def with_block_at(text: str, start: int, end: int, lines: Sequence[str]) -> str:
    """Return a text in which `lines` replace the block between the offsets `start` and `end`."""
    line_end = line_end_of(text)
    last = line_end if text[start:end].endswith(("\n", "\r")) else ""
    return text[:start] + line_end.join(lines) + last + text[end:]


def without_block(text: str, start: int, end: int) -> str | None:
    """Return a text without the block between two offsets and without an empty line before it.

    If the block has no line end at its end, the line end before it goes too. Return None if the
    text is nothing but the block.
    """
    before, after = text[:start], text[end:]
    if not before and not after:
        return None
    ended = text[start:end].endswith(("\n", "\r"))
    for _ in range(1 if ended else 2):
        shorter = _LAST_LINE_END.sub("", before)
        if ended and shorter and not shorter.endswith("\n"):
            # The line before is not empty.
            break
        before = shorter
    return before + after
