"""Hunks, and the ranges of changed lines that a record stores for them (ledger section 1).

Invariant: the content hash of compared lines covers their bytes without the last line's line end,
so that a block keeps its hash wherever it moves.
Invariant: hunks with at least one unchanged line between two of them give ranges that ascend and
claim no line twice. A pure deletion claims no line, so two deletions may both refer to the first
line.
"""

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from intent_lsp.core.content import EMPTY_HASH, ContentHash, hash_content
from intent_lsp.core.records import Range

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Hunk(Struct, frozen=True, kw_only=True):
    """One change: a run of old lines and the new lines that replace them. Starts count from 0.

    If the count of the old or the new lines is 0, their start is the line that follows the change.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int


def ranges(
    hunks: Iterable[Hunk], new_lines: Sequence[bytes], *, encoding: str = "utf-8"
) -> tuple[Range, ...]:
    """Return the ranges of changed lines that a record stores for `hunks`, in line order.

    `new_lines` are the raw lines of the new content with their line ends, in `encoding`. The range
    of a pure deletion is the line above it, or line 1. Empty new content has one range `0`-`0`,
    also without a hunk; any other content without a hunk has no range.
    """
    found = tuple(_range(hunk, new_lines, encoding) for hunk in hunks)
    return found or (() if new_lines else (_empty(None),))


def whole_file_range(data: bytes, line_count: int) -> Range:
    """Return the one range that stands for a whole content which is not compared line by line.

    `line_count` is the content's number of lines. If it is 0, as for a lone byte order mark, the
    range is `0`-`0` with EMPTY_HASH, and no `fallback`.
    """
    if not line_count:
        return _empty(None)
    return Range(start_line=1, end_line=line_count, content_hash=hash_content(data), fallback=True)


def count_lines(data: bytes) -> int:
    """Return the number of lines in raw bytes, which need not be text."""
    ends = len(_LINE_END.findall(data))
    return ends if not data or data.endswith((b"\n", b"\r")) else ends + 1


def _range(hunk: Hunk, new_lines: Sequence[bytes], encoding: str) -> Range:
    replaced = (hunk.old_start + 1, hunk.old_count, hunk.new_count)
    if not new_lines:
        return _empty(replaced)
    # A pure deletion refers to the line above it, or to the first line at the top.
    first = hunk.new_start if hunk.new_count else max(hunk.new_start - 1, 0)
    last = first + max(hunk.new_count, 1)
    return Range(
        start_line=first + 1,
        end_line=last,
        content_hash=_hash(new_lines[first:last], encoding),
        replaced=replaced,
    )


def _empty(replaced: tuple[int, int, int] | None) -> Range:
    return Range(start_line=0, end_line=0, content_hash=EMPTY_HASH, replaced=replaced)


def _hash(lines: Sequence[bytes], encoding: str) -> ContentHash:
    *above, last = lines
    for end in ("\r\n", "\n", "\r"):
        body = last.removesuffix(end.encode(encoding))
        if body != last:
            return hash_content(b"".join([*above, body]))
    return hash_content(b"".join(lines))
