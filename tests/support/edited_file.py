"""A file that is edited at random, with the true writer of each line kept beside it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from intent_lsp.core.blame.attribution import Edit
from intent_lsp.core.content import ContentHash, content_of, hash_content, split_lines
from intent_lsp.formats.diff import file_ranges, line_hunks

Fresh = Callable[[], str]


@dataclass(frozen=True)
class LineTruth:
    """The record that wrote a line (None: unrecorded), and whether no record since is missing."""

    order: int | None
    unbroken: bool = False


@dataclass
class EditedFile:
    """A file, its edits, and the truth about its lines.

    A content that comes again has the truth of its first time. `kept` are contents that can still
    be read, from a snapshot or a commit.
    """

    random: random.Random
    fresh: Fresh
    lines: list[str] = field(default_factory=list)
    truth: list[LineTruth] = field(default_factory=list)
    steps: list[Edit] = field(default_factory=list)
    kept: dict[ContentHash, list[str]] = field(default_factory=dict)
    past: list[tuple[list[str], list[LineTruth]]] = field(default_factory=list)
    unrecorded: int = 0

    @property
    def hash(self) -> ContentHash:
        return hash_content("".join(self.lines).encode())

    def keep(self) -> None:
        """Keep the content as it is now, as a snapshot or a commit does."""
        self.kept[self.hash] = list(self.lines)

    def record(self, lines: Sequence[str]) -> None:
        """Make an edit that is recorded."""
        old, new = "".join(self.lines).encode(), "".join(lines).encode()
        before = self.hash if self.steps or self.lines else None
        step = Edit(
            order=len(self.steps),
            pre=before,
            post=hash_content(new),
            talks=(file_ranges(content_of(None if before is None else old), content_of(new)),),
        )
        self.steps.append(step)
        self._become(list(lines), LineTruth(step.order, unbroken=True))
        for known, truth in self.past:
            if known == self.lines:
                self.truth = list(truth)
                return
        self.past.append((list(self.lines), list(self.truth)))

    def rename(self) -> None:
        """Return the file another name, which changes none of its lines."""
        self.steps.append(Edit(order=len(self.steps), pre=self.hash, post=self.hash))

    def undo(self) -> None:
        """Restore a content that an earlier record left; this is recorded."""
        self.record(list(self.random.choice(self.past)[0]))

    def edit_unrecorded(self, lines: Sequence[str]) -> None:
        """Make an edit that is not recorded."""
        self._become(list(lines), LineTruth(None))
        self.truth = [replace(truth, unbroken=False) for truth in self.truth]
        self.unrecorded += 1

    def reformat(self) -> None:
        """Indent some lines; this is not recorded."""
        first, last = self.stretch(8)
        for at in range(first, last):
            self.lines[at] = "    " + self.lines[at]
        self.truth = [replace(truth, unbroken=False) for truth in self.truth]
        self.unrecorded += 1

    def shift(self) -> None:
        """Move a block within the file; this is not recorded."""
        first, last = self.stretch(8)
        block, truth = self.lines[first:last], self.truth[first:last]
        del self.lines[first:last], self.truth[first:last]
        to = self.random.randint(0, len(self.lines))
        self.lines[to:to], self.truth[to:to] = block, truth
        self.truth = [replace(each, unbroken=False) for each in self.truth]
        self.unrecorded += 1

    def edited(self, *besides: str) -> list[str]:
        """Return the lines after one random edit; `besides` names kinds that are not usual."""
        lines = list(self.lines)
        first, last = self.stretch(6)
        kind = self.random.choice(["insert", "insert", "replace", "replace", "delete", *besides])
        new = [self.fresh() for _ in range(self.random.randint(1, 7))]
        if kind == "insert":
            lines[first:first] = new
        elif kind == "replace":
            lines[first:last] = new
        elif kind == "delete":
            del lines[first:last]
        else:
            block = lines[first:last]
            del lines[first:last]
            to = self.random.randint(0, len(lines))
            lines[to:to] = block
        return lines

    def stretch(self, longest: int) -> tuple[int, int]:
        """Choose some consecutive lines: the first, and the one after the last."""
        first = self.random.randint(0, len(self.lines))
        return first, min(len(self.lines), first + self.random.randint(1, longest))

    def _become(self, lines: list[str], writer: LineTruth) -> None:
        truth: list[LineTruth] = []
        at = 0
        for hunk in line_hunks(self.lines, lines) or ():
            truth += self.truth[at : hunk.old_start] + [writer] * hunk.new_count
            at = hunk.old_start + hunk.old_count
        self.truth = truth + self.truth[at:]
        self.lines = split_lines("".join(lines))
        assert len(self.truth) == len(self.lines)


def numbered() -> Fresh:
    """Return lines that are all different."""
    count = 0

    def fresh() -> str:
        nonlocal count
        count += 1
        return f"this is the line of number {count}\n"

    return fresh


def like_code(chance: random.Random) -> Fresh:
    """Return lines as code has them: many are alike, some are trivial."""
    words = ["value", "total", "index", "result", "request", "answer", "session", "path", "name"]

    def fresh() -> str:
        kind = chance.random()
        if kind < 0.2:
            return chance.choice(["}\n", "\n", "    }\n", "    ])\n"])
        if kind < 0.3:
            return chance.choice(["    return None\n", "else:\n", "try:\n", "import os\n"])
        one, two, three = (chance.choice(words) for _ in range(3))
        return f"    {one}_{chance.randint(1, 60)} = {two}.{three}({chance.randint(1, 9)})\n"

    return fresh
