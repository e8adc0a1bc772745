"""The style of the ids in one intents file, and the ids that differ from it or are awkward.

Invariant: a style is that of the file's own ids; none is preferred.
Invariant: an id is only ever pointed out, since records and branches may refer to it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from intent_lsp.core.intents import IntentId

# Neither can be matched in two ways, so that no id takes long.
_NUMBERED: Final = re.compile(
    r"(?P<words>[^\W\d_]*(?:[-_./][^\W\d_]+)*)(?P<apart>[-_./]?)(?P<digits>\d+)"
)
_WORDS: Final = re.compile(r"[^\W_]+(?:[-_./][^\W_]+)*")
_APART: Final = re.compile(r"[-_./]")
_AWKWARD: Final = re.compile(r"[^\w./+@=\-\x80-\U0010ffff]")
_NO_REF: Final = re.compile(r"\A[-./]|[./]\Z|\.\.|//|/\.|@\{|\.lock(?:/|\Z)|\A@\Z")
_FEWEST: Final = 3
"""The fewest ids that make a style."""

_SHARE: Final = 2 / 3
"""The share of a file's ids that must have a style."""


_IdStyle: TypeAlias = tuple[bool, str, str]
"""How an id is written: with a number or not, in which case, with which separators."""


def odd_ids(ids: Sequence[IntentId]) -> Iterator[tuple[IntentId, str]]:
    """Yield each id that is awkward or is written unlike the others, and why.

    The reason is a clause for a message. Ids are compared only if two thirds of them, and at least
    three, have one style.
    """
    styles = [_style(each) for each in ids]
    counted = Counter(each for each in styles if each is not None).most_common(1)
    usual, count = counted[0] if counted else (None, 0)
    common = count >= max(_FEWEST, _SHARE * len(ids))
    alike = [each for each, style in zip(ids, styles, strict=True) if style == usual]
    width = _width(alike)
    example = next((each for each in alike if _fits(each, width)), "")
    for each, style in zip(ids, styles, strict=True):
        awkward = _awkward(each)
        if awkward:
            yield each, awkward
        elif common and (style != usual or not _fits(each, width)):
            yield each, f"is written unlike most ids of this file, such as `{example}`"


def _style(name: str) -> _IdStyle | None:
    """Return the style of an id of words, perhaps with a number at the end; None for others."""
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None and _WORDS.fullmatch(name) is None:
        return None
    words = numbered["words"] + numbered["apart"] if numbered else name
    letters = "".join(each for each in words if each.isalpha())
    apart = "".join(sorted(set(_APART.findall(words))))
    return numbered is not None, _case(letters), apart


def _case(letters: str) -> str:
    if not letters or not (letters.isupper() or letters.islower()):
        return "mixed" if letters else "none"
    return "upper" if letters.isupper() else "lower"


def _awkward(name: str) -> str:
    """Return why an id is awkward in a branch name, a commit's trailer or a shell, or ""."""
    if name != name.strip() or any(each.isspace() for each in name):
        return "has white space, which a branch name cannot have and a shell splits at"
    found = _AWKWARD.search(name)
    if found:
        return f"has `{found.group()}`, which is awkward in a branch name or at a shell"
    if _NO_REF.search(name):
        return "cannot be part of a branch name as it is"
    return ""


def _width(ids: Sequence[str]) -> int:
    """Return the width to which most numbers in ids are filled with zeros, or 1 if they are not."""
    filled = {len(digits) for digits in map(_digits, ids) if digits.startswith("0")}
    return max((1, *filled), key=lambda width: (sum(_fits(each, width) for each in ids), width))


def _fits(name: str, width: int) -> bool:
    """Return whether an id's number is filled with zeros to exactly this width.

    A longer number without zeros in front fits, too, and so does an id without a number.
    """
    digits = _digits(name)
    return not digits or len(digits) == width or (len(digits) > width and digits[0] != "0")


def _digits(name: str) -> str:
    """Return the number of an id that is words and one number at the end; "" for any other id."""
    found = _NUMBERED.fullmatch(name)
    return found["digits"] if found else ""
