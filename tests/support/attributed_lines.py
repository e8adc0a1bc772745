"""Edits of texts in which each line knows its writer: the ground truth for blame.

Invariant: an edit of a recorded writer gives the lines that it writes that writer's number; an
unrecorded edit (None) gives its new lines no writer, and lines that it only moves keep theirs.
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
    """A line, and the edits that an answer may name for it (None: an unrecorded one)."""

    text: str
    owners: frozenset[Owner]


Text = list[Line]
Edit = Callable[["Writer", Text], Text]

REAL: Final = tuple(
    inspect.getsource(module).splitlines(keepends=True)
    for module in (argparse, inspect, subprocess, tarfile, textwrap)
)
"""Real code of the standard library, from which new lines are taken."""

_NAME: Final = re.compile(r"\b[a-z]\w{3,}\b")
_SMALLEST: Final = 20
_NEITHER: Final = -1


def base(chance: random.Random, count: int) -> Text:
    """Return a text from before anything was recorded."""
    return [Line(text, frozenset([None])) for text in real(chance, count)]


def real(chance: random.Random, count: int) -> Sequence[str]:
    """Return some consecutive lines of real code."""
    source = chance.choice(REAL)
    first = chance.randrange(len(source) - count)
    return source[first : first + count]


def joined(text: Text) -> str:
    """Return a text without its writers."""
    return "".join(line.text for line in text)


@dataclass(frozen=True, slots=True)
class Writer:
    """The writer of an edit: a source of chance, and the number of the edit (None: unrecorded)."""

    chance: random.Random
    who: Owner

    def write(self, texts: Sequence[str]) -> Text:
        return [Line(text, frozenset([self.who])) for text in texts]

    def share(self, lines: Sequence[Line]) -> Text:
        """Return moved or restored lines: an answer may name their writer, or this one."""
        mine = frozenset[Owner]() if self.who is None else frozenset([self.who])
        return [Line(line.text, line.owners | mine) for line in lines]

    def block(self, text: Text, longest: int = 8) -> tuple[int, int]:
        first = self.chance.randrange(len(text) + 1)
        return first, min(len(text), first + self.chance.randint(1, longest))


def insert(writer: Writer, text: Text) -> Text:
    at, _ = writer.block(text)
    return [*text[:at], *writer.write(real(writer.chance, writer.chance.randint(1, 7))), *text[at:]]


def replace(writer: Writer, text: Text) -> Text:
    first, last = writer.block(text)
    new = writer.write(real(writer.chance, writer.chance.randint(1, 7)))
    return rewritten(writer, text, joined([*text[:first], *new, *text[last:]]))


def delete(writer: Writer, text: Text) -> Text:
    first, last = writer.block(text)
    return text if len(text) < _SMALLEST else [*text[:first], *text[last:]]


def duplicate(writer: Writer, text: Text) -> Text:
    """Copy a block to another place: of the two, any may be taken for the copy."""
    first, last = writer.block(text)
    at = writer.chance.randrange(len(text) + 1)
    copied = writer.write([line.text for line in text[first:last]])
    return [*text[:at], *copied, *text[at:]]


def move(writer: Writer, text: Text) -> Text:
    """Move a block: the lines that it passes could as well be those that moved."""
    first, last = writer.block(text, 12)
    block, rest = text[first:last], [*text[:first], *text[last:]]
    at = writer.chance.randrange(len(rest) + 1)
    low, high = min(first, at), max(first, at)
    passed = writer.share(rest[low:high])
    put = writer.share(block)
    between = [*put, *passed] if at <= first else [*passed, *put]
    return [*rest[:low], *between, *rest[high:]]


def reindent(writer: Writer, text: Text) -> Text:
    """Indent a block; if that is not recorded, its lines keep their writers."""
    first, last = writer.block(text, 16)
    block = [
        line if not line.text.strip() else _changed(writer, line, "    " + line.text)
        for line in text[first:last]
    ]
    return [*text[:first], *block, *text[last:]]


def _changed(writer: Writer, line: Line, text: str) -> Line:
    return Line(text, line.owners if writer.who is None else frozenset([writer.who]))


def rename_name(writer: Writer, text: Text) -> Text:
    """Rename an identifier wherever it stands."""
    names = sorted(set(_NAME.findall(joined(text))))
    if not names:
        return text
    name = writer.chance.choice(names)
    new = re.sub(rf"\b{name}\b", f"{name}_{writer.chance.randrange(100)}", joined(text))
    return rewritten(writer, text, new)


def format_text(writer: Writer, text: Text) -> Text:
    """Reformat the whole text: quotes, trailing blanks, blank lines, long calls."""
    new = re.sub(r"[ \t]+\n", "\n", joined(text)).replace("'", '"')
    new = re.sub(r"\n{3,}", "\n\n", new)
    new = re.sub(r"(?m)^( *)(\w+)\(([^()\n]{25,})\)$", r"\1\2(\n\1    \3,\n\1)", new)
    return rewritten(writer, text, new)


def rewritten(writer: Writer, text: Text, new: str) -> Text:
    """Return the lines of a new text: those that a line diff keeps, keep their writers."""
    texts = split_lines(new)
    made, at = Text(), 0
    for hunk in line_hunks([line.text for line in text], texts) or ():
        made += text[at : hunk.old_start]
        made += writer.write(texts[hunk.new_start : hunk.new_start + hunk.new_count])
        at = hunk.old_start + hunk.old_count
    return made + text[at:]


def merged(ours: Text, theirs: Text, new: str) -> Text:
    """Return the lines of a merge by git: an answer may name the writer of either side."""
    unknown = Writer(random.Random(), _NEITHER)  # noqa: S311 - nobody is kept out by it
    sides = (rewritten(unknown, side, new) for side in (ours, theirs))
    return [
        Line(one.text, (one.owners | other.owners) - {_NEITHER})
        for one, other in zip(*sides, strict=True)
    ]


def restored(writer: Writer, text: Text, past: Text) -> Text:
    """Return an earlier text again: an answer may name the first writer, or whoever restored it."""
    mine = rewritten(writer, text, joined(past))
    pairs = zip(mine, past, strict=True)
    return [Line(now.text, now.owners | then.owners) for now, then in pairs]
