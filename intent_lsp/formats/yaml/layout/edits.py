"""Edits of the white space of a text, each between two offsets.

Invariant: edits are added in order of position, do not overlap, and change something.
"""

from msgspec import Struct

from intent_lsp.core.text import spliced


class SpaceEdit(Struct, frozen=True):
    """The replacement of the text from offset `start` to `end` by `text`."""

    start: int
    end: int
    text: str


class SpaceEdits:
    """The edits of one text, while they are found."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.found: list[SpaceEdit] = []

    def put(self, start: int, end: int, text: str) -> None:
        """Add the edit that puts `text` between two offsets, unless that is there already."""
        if self._text[start:end] != text:
            self.found.append(SpaceEdit(start, end, text))


def applied(text: str, edits: list[SpaceEdit]) -> str:
    """Return a text with edits applied."""
    return spliced(text, ((edit.start, edit.end, edit.text) for edit in edits))
