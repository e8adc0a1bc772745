"""Ways to tamper with the files of a ledger, and where verification may report each.

Invariant: no honest tool does what a tampering does. The ledger's last record ties all others.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from hypothesis import assume
from hypothesis import strategies as st

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.ledger.chain import ChainEnd, Link, draft
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.formats.ledger.jsonl import examine, seal
from intent_lsp.store.ledger.raw.files import LedgerFiles
from tests.support.ledgers import edit, new_id

Place = tuple[str, int]
"""A file, relative to the root, and a line of it, from 1."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a ledger's file; `at` counts from 0."""

    file: str
    at: int
    data: bytes

    @property
    def place(self) -> Place:
        return self.file, self.at + 1

    @property
    def below(self) -> Place:
        return self.file, self.at + 2

    @property
    def link(self) -> Link:
        return examine(self.data)

    @property
    def parents(self) -> tuple[ContentHash, ...]:
        return tuple(filter(None, (self.link.prev, *self.link.merges)))


class Files:
    """The lines of all files of a ledger, to be changed in memory; `write` stores them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        names = LedgerFiles(root).names()
        self.held = {name: (root / name).read_bytes().splitlines(keepends=True) for name in names}

    def write(self) -> None:
        for name, lines in self.held.items():
            (self.root / name).write_bytes(b"".join(lines))

    def lines(self) -> list[Line]:
        return [
            Line(file, at, data)
            for file, lines in self.held.items()
            for at, data in enumerate(lines)
        ]

    def alone(self) -> list[Line]:
        """Return the lines that occur once: losing one of several copies loses nothing."""
        lines = self.lines()
        everywhere = [line.data for line in lines]
        return [line for line in lines if everywhere.count(line.data) == 1]

    def children(self, line: Line) -> list[Line]:
        return [each for each in self.lines() if line.link.hash in each.parents]


Shown = Sequence[Place]
"""Places, one of which verification has to report; empty if no line is left to report."""

Tampering = Callable[[Files, st.DataObject], Shown]


def change_a_byte(files: Files, data: st.DataObject) -> Shown:
    """Change one byte of a line."""
    line = data.draw(st.sampled_from(files.lines()))
    last = line.at == len(files.held[line.file]) - 1
    # Not the file's last newline: a line without one counts as torn, not as changed.
    at = data.draw(st.integers(0, len(line.data) - 1 - last))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != line.data[at]))
    files.held[line.file][line.at] = line.data[:at] + bytes([byte]) + line.data[at + 1 :]
    return [line.place]


def delete_a_line(files: Files, data: st.DataObject) -> Shown:
    """Delete a line."""
    line = data.draw(st.sampled_from(files.alone()))
    del files.held[line.file][line.at]
    return [child.place for child in files.children(line)]


def swap_two_lines(files: Files, data: st.DataObject) -> Shown:
    """Swap two lines, the second of which links to the first."""
    pairs = list(_linked_neighbours(files))
    assume(pairs)
    first, second = data.draw(st.sampled_from(pairs))
    lines = files.held[first.file]
    lines[first.at], lines[second.at] = second.data, first.data
    return [first.place, second.place]


def _linked_neighbours(files: Files) -> Iterator[tuple[Line, Line]]:
    for first, second in pairwise(files.alone()):
        if first.below == second.place and first.link.hash in second.parents:
            yield first, second


def insert_a_line(files: Files, data: st.DataObject) -> Shown:
    """Insert a line that links to no line of the ledger."""
    line = data.draw(st.sampled_from(files.lines()))
    files.held[line.file].insert(line.at, _forged(ChainEnd(hash_content(b"nowhere"))))
    return [line.place]


def change_and_seal(files: Files, data: st.DataObject) -> Shown:
    """Replace a line by another record with the same links and a valid hash."""
    line = data.draw(st.sampled_from(files.alone()))
    files.held[line.file][line.at] = _forged(ChainEnd(line.link.prev, line.parents))
    return [child.place for child in files.children(line)]


def repeat_with_a_change(files: Files, data: st.DataObject) -> Shown:
    """Append another record under the id of an existing one."""
    line = data.draw(st.sampled_from(files.lines()))
    lines = files.held[LEDGER_FILE]
    head = examine(lines[-1]).hash
    lines.append(_forged(ChainEnd(head, (head,)), line.link.id))
    # Two lines with one id: either may be reported.
    return [(LEDGER_FILE, len(lines)), line.place]


def cut_the_end(files: Files, data: st.DataObject) -> Shown:
    """Remove the last lines of the current file."""
    lines = files.held[LEDGER_FILE]
    del lines[data.draw(st.integers(0, len(lines) - 1)) :]
    return []


def _forged(end: ChainEnd, record_id: str = "") -> bytes:
    event, moment = edit("forged"), "2026-11-21T20:27:33.123Z"
    return seal(draft(event, id=record_id or new_id(), timestamp=moment, end=end))[1]


TAMPERINGS: Sequence[Tampering] = (
    change_a_byte,
    delete_a_line,
    swap_two_lines,
    insert_a_line,
    change_and_seal,
    repeat_with_a_change,
    cut_the_end,
)
