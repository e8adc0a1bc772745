"""Bracket expressions in globs: `[a-c]`, `[!a]`, `[[:alpha:]]` (scope section 1).

Invariant: an expression matches exactly one code point. A `[` without its `]` is not an expression.
"""

import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

_Ranges = tuple[tuple[str, str], ...]

# For each POSIX class: Unicode general categories (or the first letter of several) and ranges that
# are in it, and the categories outside of which every other character is in it.
_POSIX: dict[str, tuple[tuple[str, ...], _Ranges, tuple[str, ...]]] = {
    "[:alnum:]": (("L", "Nl", "Nd"), (), ()),
    "[:alpha:]": (("L", "Nl"), (), ()),
    "[:ascii:]": ((), (("\0", "\x7f"),), ()),
    "[:blank:]": (("Zs",), (("\t", "\t"),), ()),
    "[:cntrl:]": (("Cc",), (), ()),
    "[:digit:]": (("Nd",), (), ()),
    "[:graph:]": ((), (), ("Z", "C")),
    "[:lower:]": (("Ll",), (), ()),
    "[:print:]": ((), (), ("C",)),
    "[:punct:]": (("P", "S"), (), ()),
    "[:space:]": (("Z",), (("\t", "\r"),), ()),
    "[:upper:]": (("Lu",), (), ()),
    "[:word:]": (("L", "Nl", "Nd", "Pc"), (), ()),
    "[:xdigit:]": ((), (("A", "F"), ("a", "f"), ("0", "9")), ()),
}


class CharClass(Struct, frozen=True, kw_only=True):
    """A set of code points, parsed from a bracket expression.

    The set has the code points in `ranges` or `categories`. If `left_out` is not empty, it also has
    all that are in none of these categories: `[[:print:]]` has the `left_out` `("C",)`. `ranges`
    are (first, last) characters. A category may be given by its first letter.

    `negated`: the expression begins with `!` or `^`. If it names characters both by `left_out` and
    otherwise, each part is negated by itself, and the set is their union, as in minimatch:
    `[!a[:print:]]` has all code points but `a`. `folded`: case is ignored. `posix` is the number of
    POSIX classes in the expression.
    """

    negated: bool
    ranges: _Ranges = ()
    categories: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    folded: bool = False
    posix: int = 0

    def __contains__(self, char: str) -> bool:
        if self.folded:
            return any(map(self._holds, {char, char.lower(), char.upper()}))
        return self._holds(char)

    def among(self, chars: str) -> Sequence[str]:
        """Return the characters of `chars` that are in the class."""
        if self.categories or self.left_out or self.folded:
            # No regular expression for `re` can say this.
            return [char for char in chars if char in self]
        ranges = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in self.ranges)
        return re.findall(f"[{'^' if self.negated else ''}{ranges}]", chars)

    def _holds(self, char: str) -> bool:
        category = unicodedata.category(char) if len(char) == 1 else ""
        inside = any(low <= char <= high for low, high in self.ranges) or category.startswith(
            self.categories
        )
        if not self.left_out:
            return inside is not self.negated
        # As in minimatch, the two parts are joined by "or" even if the expression is negated.
        outside = category.startswith(self.left_out) is self.negated
        return outside or (bool(self.ranges or self.categories) and inside is not self.negated)


class ReadClass(Struct, frozen=True):
    """A parsed bracket expression. `end` is the index in the text of the character after its `]`.

    `members` is None if the expression names no character, as in `[b-a]` or `[!b-a]`. The whole
    segment then matches nothing, and `end` is the length of the text.
    """

    members: CharClass | None
    end: int


def read_class(text: str, start: int, *, folded: bool = False) -> ReadClass | None:
    """Parse the bracket expression whose `[` is at `start`. Return None if it is not closed.

    `folded`: the class ignores case.
    """
    reader = _Reader(text, start)
    if not reader.read():
        return None
    if reader.spoiled or not (reader.ranges or reader.categories or reader.left_out):
        # An empty set matches no character, so a segment that contains it matches no name. The
        # rest of the text does not matter: skip it.
        return ReadClass(members=None, end=len(text))
    members = CharClass(
        negated=reader.negated,
        ranges=tuple(dict.fromkeys(reader.ranges)),
        categories=tuple(dict.fromkeys(reader.categories)),
        left_out=tuple(dict.fromkeys(reader.left_out)),
        folded=folded,
        posix=reader.posix,
    )
    return ReadClass(members=members, end=reader.at)


class _Reader:
    """A parser of one bracket expression, from left to right.

    `spoiled`: a range ends in a POSIX class, so that the expression matches nothing.
    """

    def __init__(self, text: str, start: int) -> None:
        self.text, self.at = text, start + 1
        self.ranges: list[tuple[str, str]] = []
        self.categories: list[str] = []
        self.left_out: list[str] = []
        self.posix = 0
        self.spoiled = False
        self.negated = text.startswith(("!", "^"), self.at)
        self.at += self.negated
        self._low = ""

    def read(self) -> bool:
        """Parse up to the closing `]`. Return False if the expression is not closed.

        Parsing stops early, and True is returned, if the expression is `spoiled`.
        """
        first = self.at
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "]" and self.at > first:
                self.at += 1
                return True
            if char == "[" and self._posix_class():
                if self.spoiled:
                    return True
                continue
            if char == "\\":
                self.at += 1
                if self.at == len(self.text):
                    return False
                char = self.text[self.at]
            self._member(char)
        return False

    def _posix_class(self) -> bool:
        """Parse a POSIX class such as `[:alpha:]` at the present position, and return True.

        Return False if no such class is there.
        """
        end = self.text.find(":]", self.at + 2) + 2
        name = self.text[self.at : end]
        if name not in _POSIX:
            return False
        if self._low:
            # In `[a-[:alpha:]]` the range has no upper end: the expression matches nothing.
            self.spoiled = True
            return True
        self.at, self.posix = end, self.posix + 1
        categories, ranges, left_out = _POSIX[name]
        self.categories += categories
        self.ranges += ranges
        self.left_out += left_out
        return True

    def _member(self, char: str) -> None:
        """Add one character to the class: by itself, or as the lower or upper end of a range.

        A range whose upper end is below its lower end adds nothing.
        """
        self.at += 1
        if self._low:
            if char >= self._low:
                self.ranges.append((self._low, char))
            self._low = ""
        elif self.text.startswith("-]", self.at):
            self.ranges += ((char, char), ("-", "-"))
            self.at += 1
        elif self.text.startswith("-", self.at):
            self._low = char
            self.at += 1
        else:
            self.ranges.append((char, char))
