"""Edits of texts of which each line knows who wrote it.

Invariant: an edit of somebody who is recorded gives the lines that it writes to that edit's number;
one of nobody's (None) gives what it writes to nobody, and leaves what it only moves to its writer.
"""

import argparse
import inspect
import random
import re
import subprocess
import tarfile
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import split_lines
from intent_lsp.formats.diff import line_hunks

Owner = int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and whom an answer may name: numbers of edits, None for nobody who was recorded."""

    text: str
    owners: frozenset[Owner]


Text = list[Line]
Edit = Callable[["Hand", Text], Text]

REAL: Final = tuple(
    inspect.getsource(module).splitlines(keepends=True)
    for module in (argparse, inspect, subprocess, tarfile, textwrap)
)
"""Code that people have written, from which what is new is taken."""

_NAME: Final = re.compile(r"\b[a-z]\w{3,}\b")
_SMALLEST: Final = 20
_NEITHER: Final = -1


def base(chance: random.Random, count: int) -> Text:
    """Give lines that were there before anything was recorded."""
    return [Line(text, frozenset([None])) for text in real(chance, count)]


def real(chance: random.Random, count: int) -> Sequence[str]:
    """Give some lines of real code that follow each other."""
    source = chance.choice(REAL)
    first = chance.randrange(len(source) - count)
    return source[first : first + count]


def spelled(text: Text) -> str:
    return "".join(line.text for line in text)


@dataclass(frozen=True, slots=True)
class Hand:
    """Whoever edits: by chance, and under a number, None where nobody records it."""

    chance: random.Random
    who: Owner

    def wrote(self, texts: Sequence[str]) -> Text:
        return [Line(text, frozenset([self.who])) for text in texts]

    def also(self, lines: Sequence[Line]) -> Text:
        """Give lines that were moved or brought back: their writer's, or the mover's."""
        mine = frozenset[Owner]() if self.who is None else frozenset([self.who])
        return [Line(line.text, line.owners | mine) for line in lines]

    def stretch(self, text: Text, longest: int = 8) -> tuple[int, int]:
        first = self.chance.randrange(len(text) + 1)
        return first, min(len(text), first + self.chance.randint(1, longest))


def insert(hand: Hand, text: Text) -> Text:
    at, _ = hand.stretch(text)
    return [*text[:at], *hand.wrote(real(hand.chance, hand.chance.randint(1, 7))), *text[at:]]


def replace(hand: Hand, text: Text) -> Text:
    first, last = hand.stretch(text)
    new = hand.wrote(real(hand.chance, hand.chance.randint(1, 7)))
    return rewritten(hand, text, spelled([*text[:first], *new, *text[last:]]))


def delete(hand: Hand, text: Text) -> Text:
    first, last = hand.stretch(text)
    return text if len(text) < _SMALLEST else [*text[:first], *text[last:]]


def duplicate(hand: Hand, text: Text) -> Text:
    """Copy a block to another place: of the two, any may be taken for the copy."""
    first, last = hand.stretch(text)
    at = hand.chance.randrange(len(text) + 1)
    copied = hand.wrote([line.text for line in text[first:last]])
    return [*text[:at], *copied, *text[at:]]


def move(hand: Hand, text: Text) -> Text:
    """Move a block: the lines that it passes may be taken for those that moved."""
    first, last = hand.stretch(text, 12)
    block, rest = text[first:last], [*text[:first], *text[last:]]
    at = hand.chance.randrange(len(rest) + 1)
    low, high = min(first, at), max(first, at)
    passed = hand.also(rest[low:high])
    put = hand.also(block)
    between = [*put, *passed] if at <= first else [*passed, *put]
    return [*rest[:low], *between, *rest[high:]]


def reindent(hand: Hand, text: Text) -> Text:
    """Indent a block; where nobody records it, its lines are still their writers'."""
    first, last = hand.stretch(text, 16)
    block = [
        line if not line.text.strip() else _changed(hand, line, "    " + line.text)
        for line in text[first:last]
    ]
    return [*text[:first], *block, *text[last:]]


def _changed(hand: Hand, line: Line, text: str) -> Line:
    return Line(text, line.owners if hand.who is None else frozenset([hand.who]))


def rename_name(hand: Hand, text: Text) -> Text:
    """Rename an identifier wherever it stands."""
    names = sorted(set(_NAME.findall(spelled(text))))
    if not names:
        return text
    name = hand.chance.choice(names)
    new = re.sub(rf"\b{name}\b", f"{name}_{hand.chance.randrange(100)}", spelled(text))
    return rewritten(hand, text, new)


def format_text(hand: Hand, text: Text) -> Text:
    """Have a formatter go over all of it: quotes, ends of lines, blank lines, long calls."""
    new = re.sub(r"[ \t]+\n", "\n", spelled(text)).replace("'", '"')
    new = re.sub(r"\n{3,}", "\n\n", new)
    new = re.sub(r"(?m)^( *)(\w+)\(([^()\n]{25,})\)$", r"\1\2(\n\1    \3,\n\1)", new)
    return rewritten(hand, text, new)


def rewritten(hand: Hand, text: Text, new: str) -> Text:
    """Give the lines of a new text: who keeps one keeps its writer, as a comparison tells."""
    texts = split_lines(new)
    made, at = Text(), 0
    for hunk in line_hunks([line.text for line in text], texts) or ():
        made += text[at : hunk.old_start]
        made += hand.wrote(texts[hunk.new_start : hunk.new_start + hunk.new_count])
        at = hunk.old_start + hunk.old_count
    return made + text[at:]


def merged(ours: Text, theirs: Text, new: str) -> Text:
    """Give the lines of what git has made of two texts: whoever wrote them on either side."""
    stranger = Hand(random.Random(), _NEITHER)  # noqa: S311 - nobody is kept out by it
    sides = (rewritten(stranger, side, new) for side in (ours, theirs))
    return [
        Line(one.text, (one.owners | other.owners) - {_NEITHER})
        for one, other in zip(*sides, strict=True)
    ]


def brought_back(hand: Hand, text: Text, past: Text) -> Text:
    """Give an earlier text again: what comes back is its first writer's, or this one's."""
    mine = rewritten(hand, text, spelled(past))
    pairs = zip(mine, past, strict=True)
    return [Line(now.text, now.owners | then.owners) for now, then in pairs]
