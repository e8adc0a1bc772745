"""The cut of an intents file into the items of its list and the frame around them.

Invariant: a split proposes; only a text whose frame and items compose one by one is read by it.
Invariant: an item starts at the start of a line.
"""

import re
from dataclasses import dataclass

from intent_lsp.formats.text_positions import count_line_ends, line_end_of

_KEY = re.compile(
    r"^(?:active_intents|activeIntents|intents) *:[ \t]*(?:#[^\r\n]*)?\r?\n", re.MULTILINE
)
_HEAD = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n|---[ \t]*\r?\n)*+")
_BLANK = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*+")
_FIRST = re.compile(r"( *)-(?=[ \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Where the items of a block list start, and where the list ends, in code points.

    `frame` is the text with the whole list as one line, whose value starts at `mark`; `depth` is
    how deep the list stands; `hidden` is how many lines the frame has less than the text.
    """

    starts: tuple[int, ...]
    end: int
    frame: str
    mark: int
    depth: int
    hidden: int

    def items(self, text: str) -> tuple[str, ...]:
        """Give the text of each item, the comments after it included."""
        ends = (*self.starts[1:], self.end)
        return tuple(text[start:end] for start, end in zip(self.starts, ends, strict=True))


def split_items(text: str) -> Split | None:
    """Propose a split; None when the file has no block list that lines can tell."""
    key = _KEY.search(text)
    head = _BLANK.match(text, key.end()) if key else _HEAD.match(text)
    first = _FIRST.match(text, head.end()) if head else None
    if first is None:
        return None
    column = len(first.group(1))
    starts, end = _item_starts(text, first.start(), column)
    item = f"{' ' * column}- x{line_end_of(text)}"
    return Split(
        starts=tuple(starts),
        end=end,
        frame=text[: starts[0]] + item + text[end:],
        mark=starts[0] + column + 2,
        depth=1 if key else 0,
        hidden=count_line_ends(text[starts[0] : end]) - 1,
    )


def _item_starts(text: str, start: int, column: int) -> tuple[list[int], int]:
    """Find where the items start, the first one at `start`, and where the list ends."""
    # With the feed of the line before, which is looked for many times faster than a line's start.
    outside = re.compile(rf"\n {{0,{column}}}(?=[^ \r\n#])")
    starts = [start]
    for found in outside.finditer(text, start):
        line, at = found.start() + 1, found.end()
        dash = text[at] == "-" and text[at + 1 : at + 2] in ("", " ", "\t", "\r", "\n")
        if at - line < column or not dash:
            return starts, line
        starts.append(line)
    return starts, len(text)
