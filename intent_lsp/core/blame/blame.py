"""Blame of one content: attributes its lines by the records of its file (ledger section 5).

Invariant: the result has an attribution, or None, for each line, whatever the records say.
Invariant: a search by blocks attributes only lines without an attribution, and never a block of
trivial lines alone.
Invariant: each recorded block is found in one place at most.
Invariant: the work is bounded. Blocks of a length that would cost too much are not searched for.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Final

from msgspec import Struct

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
"""A function that returns the other files to search, called only if it is needed."""

LINES_HASHED: Final = 1_000_000
"""The most lines that one search for blocks hashes. A line counts in each block that has it."""

FOREIGN_LETTERS: Final = 40
"""The fewest letters and digits with which a block from another file is recognised here."""

ONE_LINE_LETTERS: Final = 20
"""The fewest letters and digits with which a block of one line is recognised."""

Known = dict[int, dict[ContentHash, list[Attribution]]]
"""The recorded blocks, by number of lines and then by hash, the oldest edit's first."""


class Hashable(Struct, frozen=True):
    """A text's lines as bytes, with their line ends (`whole`) and without them (`bodies`).

    A block's hash omits the line end of its last line, so both forms are needed. `letters` holds
    the number of letters and digits of each line.
    """

    whole: Sequence[bytes]
    bodies: Sequence[bytes]
    letters: Sequence[int]

    def hash_of(self, first: int, end: int) -> ContentHash:
        """Return the hash of the block of lines from `first` up to but not including `end`."""
        return hash_content(b"".join(self.whole[first : end - 1]) + self.bodies[end - 1])


class BlamedText(Struct, frozen=True, kw_only=True):
    """The content to blame: its hash, its lines with their line ends, and its encoding."""

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
    """Return the attribution of each line of a text, or None for a line that no record explains.

    `steps` are the edits of the text's file, also under its earlier names. First they are replayed
    along the chain of content hashes. Then the lines that are still unattributed are searched for
    as recorded blocks of the `steps` that the replay did not account for. If the lines left have
    FOREIGN_LETTERS letters and digits or more, they are searched for in the files that `elsewhere`
    returns; each edit of these and of `steps` must have an `order` of its own. Last, `settle`
    attributes trivial lines. `contents` reads stored contents, `diff` compares two.
    """
    lineage = Lineage(steps, contents, diff)
    claims = lineage.claims(text.hash, text.lines)
    if None in claims:
        _find_again(claims, text, lineage, elsewhere, diff)
    settle(claims, text.lines)
    return [None if claim == BEFORE else claim for claim in claims]


def settle(claims: Attributions, lines: Sequence[str]) -> None:
    """Give trivial lines the attribution of the lines around them. Changes `claims`.

    Trivial lines have no letters or digits. The nearest other lines above and below them must have
    equal attributions, and `_goes_along` must agree. The reason: a diff leaves a blank line or a
    bracket unchanged inside a block that is otherwise new, and a formatter changes a trivial line
    where nothing around it changes.
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
    """Whether a trivial line takes over the attribution `around` of the lines around it.

    `own` is the attribution that the line has now. True if `own.replaced` is set: its edit is known
    to have replaced old lines by this one. True too if `around.replaced` is set, and `own` is None
    or its edit is not newer than that of `around`.
    """
    if own is not None and own.replaced:
        return True
    put_between = own is not None and around is not None and own.order > around.order
    return around is not None and around.replaced and not put_between


def _find_again(
    claims: Attributions, text: BlamedText, lineage: Lineage, elsewhere: FindOtherFiles, diff: Diff
) -> None:
    """Attribute unattributed lines by recorded blocks of this file, then by lines of other files.

    `elsewhere` returns the other files. It is called only if the lines that the blocks of this file
    leave unattributed have FOREIGN_LETTERS letters and digits or more. The stored contents of the
    other files are searched before their recorded blocks. Changes `claims`.
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
    """Return the attributions for `new`, a text that is being edited, given `claims` for `old`.

    A line that `diff` does not find unchanged gets None. If `diff` cannot compare the texts, every
    line gets None.
    """
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
    """Return lines as bytes, with and without line ends, and their numbers of letters and digits.

    A lone surrogate, which an editor's text may contain, is encoded as it is.
    """
    return Hashable(
        [line.encode(encoding, "surrogatepass") for line in lines],
        [line_body(line).encode(encoding, "surrogatepass") for line in lines],
        [letters(line) for line in lines],
    )


def known_blocks(steps: Iterable[Edit]) -> Known:
    """Return the blocks of lines that edits wrote, by their number of lines and their hash.

    A range that stands for a whole file is left out.
    """
    known: Known = {}
    for step in sorted(steps, key=lambda step: step.order):
        for talk, run in claimed_runs(step):
            put_in = run.replaced is None or run.replaced[2]
            if put_in and not run.fallback and 0 < run.start_line <= run.end_line:
                of_length = known.setdefault(run.end_line - run.start_line + 1, {})
                claim = Attribution(step.order, talk, Confidence.MOVED)
                of_length.setdefault(run.content_hash, []).append(claim)
    return known


def find_blocks(
    claims: Attributions,
    lines: Hashable,
    known: Known,
    *,
    at_least: int,
    alone: int = ONE_LINE_LETTERS,
) -> None:
    """Attribute unattributed lines to edits that recorded an equal block. Changes `claims`.

    `known` holds the recorded blocks; each that is found is taken out of it. Longer blocks are
    searched for first, each from top to bottom. A block must have at least `at_least` letters and
    digits, and a block of one line also at least `alone`. Blocks of a length are not searched for
    if LINES_HASHED lines would not be enough for them and the longer blocks before them.
    """
    left = LINES_HASHED
    above = [0, *accumulate(lines.letters)]
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
        needed = max(at_least, alone) if length == 1 else at_least
        for first, last in stretches:
            at = first
            while at <= last:
                fitting = above[at + length] - above[at] >= needed
                found = known[length].get(lines.hash_of(at, at + length)) if fitting else None
                if found:
                    claims[at : at + length] = [found.pop(0)] * length
                    at += length
                else:
                    at += 1
