"""The place of a cursor in a YAML text that is being typed, and what begins or ends there.

Invariant: columns count code points of the cursor's line, from 0, byte order mark included unless
it is said otherwise.
"""

from enum import Enum
from typing import NamedTuple

from msgspec import Struct

ITEM = None
"""The step of a path into an item of a list."""

Step = str | None
"""One step of a path from the root of a text: the key of a mapping, or ITEM."""


class Beginning(Enum):
    """Where the word at a cursor begins.

    LINE: first on its line. DASH: after the dash of a block list's item. COLON: after `key:`, in
    block form on the same line. FLOW_ITEM: as an item between brackets. FLOW_KEY: as a key between
    braces.
    """

    LINE = "line"
    DASH = "dash"
    COLON = "colon"
    FLOW_ITEM = "flow item"
    FLOW_KEY = "flow key"


class CursorWord(Struct, frozen=True, kw_only=True):
    """The word at a cursor: the columns of its text, and the quote that it begins with.

    `start` is the column after the quote, and `typed` is the source text from there to the cursor.
    `rest` is the text from the cursor to the closing quote if the quote is `closed` on the line,
    else to the end of the word. `quote` is "" for a word without quotes. If a quote has just been
    typed before a value, `behind` is the part of the value that is not yet inside the quotes; else
    it is "".
    """

    start: int
    typed: str
    rest: str = ""
    quote: str = ""
    closed: bool = False
    behind: str = ""

    @property
    def cursor(self) -> int:
        """The column of the cursor."""
        return self.start + len(self.typed)

    @property
    def end(self) -> int:
        """The column behind the word."""
        return self.cursor + len(self.rest)

    @property
    def whole_end(self) -> int:
        """The column behind the word, its closing quote and `behind`."""
        return self.end + (len(self.quote) if self.closed else 0) + len(self.behind)


class NamedKey(NamedTuple):
    """A key of a mapping: its name as it is written between the quotes, and the quote or "".

    `scalar`: a single value was found behind the key.
    """

    name: str
    quote: str
    scalar: bool = False


class KeyAbove(Struct, frozen=True, kw_only=True):
    """The key above a cursor in the same block mapping, which has no value or a list below it.

    `children` is the column of that list's dashes, or None if there is no value.
    """

    name: str
    children: int | None


class YamlCursor(Struct, frozen=True, kw_only=True):
    """What a text has at a cursor, found from the lines around it, whether or not they parse.

    `path` leads from the root to the mapping whose key is being typed, or else to the node that
    begins at the cursor. Where the word may be a key, `keys` are the other keys of its mapping that
    were found. `is_key`: a colon follows the word. `flow`: the place is between brackets or braces.
    `column` is the column of the word, its quote included; unlike the columns of `word`, it does
    not count a byte order mark. `indent` is the white space at the start of the line. `glued`:
    there is no space between the colon and the word. `quote` is the quote around the keys of the
    nearest flow mapping, or "". `above` is the key whose list may go on at the word; it is None if
    there is none, or if the word does not begin its line. `deeper`: the next line with content is
    indented deeper than the word, which begins its line. `dash_below`: that line has a dash in the
    word's column. `marked`: an anchor or a tag stands before the word, so that the word can be no
    key.
    """

    line: int
    path: tuple[Step, ...]
    beginning: Beginning
    word: CursorWord
    column: int
    indent: str
    keys: tuple[NamedKey, ...] = ()
    is_key: bool = False
    flow: bool = False
    glued: bool = False
    quote: str = ""
    above: KeyAbove | None = None
    deeper: bool = False
    dash_below: bool = False
    marked: bool = False
