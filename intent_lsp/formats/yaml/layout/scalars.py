"""Values of several lines in a YAML text: how their lines move with the item that they belong to.

Invariant: of a line inside a value nothing but the spaces at its beginning changes, and of block
text all lines with text move by the same number of columns.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.layout.gaps import GapEditor
from intent_lsp.formats.yaml.layout.levels import STEP, Level

_HEADER = re.compile(r"[|>][-+]?([0-9])?")
_SPACES = re.compile(r" *")


def move_lines(text: str, start: int, end: int, level: Level | None, gaps: GapEditor) -> None:
    """Add to `gaps` what moves the further lines of a value with the collection that it is in.

    The value is between two offsets, and `level` is the collection; without one, nothing moves.
    Block text is indented by two columns below it, unless the text's header says by how many.
    """
    if level is None:
        return
    shift = level.scanned_new - level.scanned_old
    header = _HEADER.match(text, start)
    # Only block text begins so: a value without quotes cannot.
    if header is None:
        _move_folded(text, start, end, shift, gaps)
        return
    depth = _block_depth(text, start, end)
    if depth is not None:
        if header[1] is None:
            shift = level.scanned_new + STEP - depth
        _move_block(text, start, end, (depth, shift), gaps)


def _further_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the offset, the number of spaces and the rest of each line below the first one."""
    ends = [found.end() for found in LINE_END.finditer(text, start, end)]
    for at, following in pairwise([*ends, end]):
        spaces = _SPACES.match(text, at, following)
        width = len(spaces[0]) if spaces else 0
        if at < following:
            yield at, width, text[at + width : following].rstrip("\r\n")


def _move_folded(text: str, start: int, end: int, shift: int, gaps: GapEditor) -> None:
    for at, width, rest in _further_lines(text, start, end):
        if rest.strip() and not rest.startswith("\t"):
            gaps.put(at, at + width, " " * max(width + shift, 0))


def _block_depth(text: str, start: int, end: int) -> int | None:
    """Return the columns by which block text is indented, or None if it has no text."""
    return next((width for _, width, rest in _further_lines(text, start, end) if rest), None)


def _move_block(text: str, start: int, end: int, moved: tuple[int, int], gaps: GapEditor) -> None:
    """Move the lines of block text. `moved` is by how many columns it is indented, and moves."""
    depth, shift = moved
    for at, width, rest in _further_lines(text, start, end):
        if rest or width > depth:
            gaps.put(at, at + width, " " * (width + shift))
        else:
            # A line of spaces alone is blank as long as it is not longer than the indent.
            gaps.put(at, at + width, " " * min(width, depth + shift))
