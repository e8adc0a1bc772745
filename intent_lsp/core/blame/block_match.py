"""Blocks of lines found again by their hashes, without any older content (ledger section 5).

Invariant: only lines that nothing else explains are claimed, and no block of trivial lines alone.
Invariant: a block that a record has put in is found in one place at most.
Invariant: the work is bounded; blocks of lengths that would cost too much are not looked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.blame.attribution import Claim, Claims, Confidence, Step, claimed_runs, runs_of
from intent_lsp.core.blame.line_carry import letters
from intent_lsp.core.content import ContentHash, hash_content, line_body

LINES_HASHED: Final = 1_000_000
"""Lines that are hashed at most in one answer, each once for every length of block."""

FOREIGN_LETTERS: Final = 40
"""Letters and digits that a block of another file must have to be known again in this one."""

ONE_LINE_LETTERS: Final = 20
"""Letters and digits that a block of one line must have to be known again."""

Known = dict[int, dict[ContentHash, list[Claim]]]
"""By their number of lines and their hash, the blocks that records have told of, earlier first."""


@dataclass(frozen=True, slots=True)
class Hashable:
    """Lines as bytes: whole, and without their ends, as the last line of a block is hashed."""

    whole: Sequence[bytes]
    bodies: Sequence[bytes]
    letters: Sequence[int]


def hashable(lines: Sequence[str], encoding: str) -> Hashable:
    """Spell lines as the file does; half a character, as editors may hold it, spells itself."""
    return Hashable(
        [line.encode(encoding, "surrogatepass") for line in lines],
        [line_body(line).encode(encoding, "surrogatepass") for line in lines],
        [letters(line) for line in lines],
    )


def known_blocks(steps: Iterable[Step]) -> Known:
    """List the blocks that steps have put in."""
    known: Known = {}
    for step in sorted(steps, key=lambda step: step.order):
        for talk, run in claimed_runs(step):
            put_in = run.replaced is None or run.replaced[2]
            if put_in and not run.fallback and 0 < run.start_line <= run.end_line:
                of_length = known.setdefault(run.end_line - run.start_line + 1, {})
                claim = Claim(step.order, talk, Confidence.MOVED)
                of_length.setdefault(run.content_hash, []).append(claim)
    return known


def find_blocks(claims: Claims, lines: Hashable, known: Known, *, at_least: int) -> None:
    """Claim what nothing explains and a block explains: the longest first, from the top down.

    A block needs `at_least` so many letters and digits.
    """
    left = LINES_HASHED
    for length in sorted(known, reverse=True):
        stretches = [
            (first, end - length)
            for first, end in runs_of(claims)
            if claims[first] is None and end - first >= length
        ]
        cost = length * sum(last - first + 1 for first, last in stretches)
        if cost > left:
            continue
        left -= cost
        for first, last in stretches:
            letters_ = max(at_least, ONE_LINE_LETTERS) if length == 1 else at_least
            _find(claims, lines, known[length], _Search(first, last, length, letters_))


@dataclass(frozen=True, slots=True)
class _Search:
    first: int
    last: int
    length: int
    at_least: int

    def places(self, lines: Hashable) -> Iterator[int]:
        """Give where a block may begin that is no trivial one."""
        count = sum(lines.letters[self.first : self.first + self.length])
        for at in range(self.first, self.last + 1):
            if count >= self.at_least:
                yield at
            if at < self.last:
                count += lines.letters[at + self.length] - lines.letters[at]


def _find(
    claims: Claims, lines: Hashable, known: dict[ContentHash, list[Claim]], search: _Search
) -> None:
    free = search.first
    for at in search.places(lines):
        if at < free:
            continue
        end = at + search.length
        found = known.get(hash_content(b"".join(lines.whole[at : end - 1]) + lines.bodies[end - 1]))
        if found:
            claims[at:end] = [found.pop(0)] * search.length
            free = end
