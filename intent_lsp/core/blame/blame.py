"""Who wrote each line of a content, told from the records of its file (ledger section 5).

Invariant: the answer has a claim, or None, for each line, whatever the records say.
Invariant: only lines that nothing else explains are claimed, and no block of trivial lines alone.
Invariant: a block that a record has put in is found in one place at most.
Invariant: the work is bounded; blocks of lengths that would cost too much are not looked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.blame.attribution import (
    BEFORE,
    Attribution,
    Attributions,
    Confidence,
    Edit,
    claimed_runs,
    runs_of,
)
from intent_lsp.core.blame.line_carry import letters
from intent_lsp.core.blame.lineage import Lineage, ReadLines
from intent_lsp.core.blame.moved_lines import OtherFile, find_copied, find_moved
from intent_lsp.core.content import ContentHash, hash_content, line_body
from intent_lsp.core.line_diff import Diff

FindOtherFiles = Callable[[], Sequence[OtherFile]]
"""Gives other files, which are looked for only where lines are left unexplained."""

LINES_HASHED: Final = 1_000_000
"""Lines that are hashed at most in one answer, each once for every length of block."""

FOREIGN_LETTERS: Final = 40
"""Letters and digits that a block of another file must have to be known again in this one."""

ONE_LINE_LETTERS: Final = 20
"""Letters and digits that a block of one line must have to be known again."""

Known = dict[int, dict[ContentHash, list[Attribution]]]
"""By their number of lines and their hash, the blocks that records have told of, earlier first."""


@dataclass(frozen=True, slots=True)
class Hashable:
    """Lines as bytes: whole, and without their ends, as the last line of a block is hashed."""

    whole: Sequence[bytes]
    bodies: Sequence[bytes]
    letters: Sequence[int]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BlamedText:
    """What is asked about: the hash of a content, its lines with their ends, its encoding."""

    hash: ContentHash
    lines: Sequence[str]
    encoding: str = "utf-8"


def blame(
    text: BlamedText,
    steps: Sequence[Edit],
    *,
    contents: ReadLines,
    diff: Diff,
    elsewhere: FindOtherFiles,
) -> Attributions:
    """Give the claim on each line of a text.

    `steps` are those of its file, renames followed. First the hashes of contents are walked back;
    what they leave unexplained is looked for by the hashes of blocks, in those of this file's steps
    that the walk has not accounted for, and then `elsewhere`, whose orders must differ from these.
    """
    lineage = Lineage(steps, contents, diff)
    claims = lineage.claims(text.hash, text.lines)
    if None in claims:
        _find_again(claims, text, lineage, elsewhere, diff)
    settle(claims, text.lines)
    return [None if claim == BEFORE else claim for claim in claims]


def settle(claims: Attributions, lines: Sequence[str]) -> None:
    """Give trivial lines of a block that a step replaced to whom the lines around them belong.

    A comparison keeps a blank line or a bracket where all around it is new, and a formatter touches
    one where nothing around it changes. A line that was put in between two others stays its step's.
    """
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and not letters(lines[end]):
            end += 1
        if at < end < len(lines) and at and claims[at - 1] == claims[end]:
            around = claims[end]
            for line in range(at, end):
                if _goes_along(claims[line], around):
                    claims[line] = around
        at = end + 1


def _goes_along(own: Attribution | None, around: Attribution | None) -> bool:
    """Whether a trivial line goes with the lines around it."""
    if own is not None and own.replaced:
        return True
    put_between = own is not None and around is not None and own.order > around.order
    return around is not None and around.replaced and not put_between


def _find_again(
    claims: Attributions, text: BlamedText, lineage: Lineage, elsewhere: FindOtherFiles, diff: Diff
) -> None:
    """Claim lines that nothing explains by blocks that records have told of.

    In another file only what has gone from it can have come from it.
    """
    lines = hashable(text.lines, text.encoding)
    find_blocks(claims, lines, known_blocks(lineage.unreported()), at_least=1)
    unexplained = (
        count for claim, count in zip(claims, lines.letters, strict=True) if claim is None
    )
    if sum(unexplained) >= FOREIGN_LETTERS:
        everywhere = elsewhere()
        find_copied(claims, text.lines, text.hash, everywhere, diff)
        unread = find_moved(claims, text.lines, everywhere, diff, at_least=FOREIGN_LETTERS)
        foreign = known_blocks(step for other in unread for step in other.steps)
        find_blocks(claims, lines, foreign, at_least=FOREIGN_LETTERS)


def carried_over(
    claims: Attributions, old: Sequence[str], new: Sequence[str], diff: Diff
) -> Attributions:
    """Give the claims on a text that is being edited: lines changed since `old` have none."""
    hunks = diff(old, new)
    if hunks is None:
        return [None] * len(new)
    found: Attributions = []
    at = 0
    for hunk in hunks:
        found += claims[at : hunk.old_start]
        found += [None] * hunk.new_count
        at = hunk.old_start + hunk.old_count
    return found + claims[at:]


def hashable(lines: Sequence[str], encoding: str) -> Hashable:
    """Spell lines as the file does; half a character, as editors may hold it, spells itself."""
    return Hashable(
        [line.encode(encoding, "surrogatepass") for line in lines],
        [line_body(line).encode(encoding, "surrogatepass") for line in lines],
        [letters(line) for line in lines],
    )


def known_blocks(steps: Iterable[Edit]) -> Known:
    """List the blocks that steps have put in."""
    known: Known = {}
    for step in sorted(steps, key=lambda step: step.order):
        for talk, run in claimed_runs(step):
            put_in = run.replaced is None or run.replaced[2]
            if put_in and not run.fallback and 0 < run.start_line <= run.end_line:
                of_length = known.setdefault(run.end_line - run.start_line + 1, {})
                claim = Attribution(step.order, talk, Confidence.MOVED)
                of_length.setdefault(run.content_hash, []).append(claim)
    return known


def find_blocks(claims: Attributions, lines: Hashable, known: Known, *, at_least: int) -> None:
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


def _find(
    claims: Attributions,
    lines: Hashable,
    known: dict[ContentHash, list[Attribution]],
    search: _Search,
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
