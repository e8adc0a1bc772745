"""Who wrote each line of a content, told from the records of its file (ledger section 5).

Invariant: the answer has a claim, or None, for each line, whatever the records say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intent_lsp.core.blame.attribution import BEFORE, Claim, Claims, Step
from intent_lsp.core.blame.block_match import (
    FOREIGN_LETTERS,
    find_blocks,
    hashable,
    known_blocks,
)
from intent_lsp.core.blame.line_carry import letters
from intent_lsp.core.blame.lineage import Contents, Lineage
from intent_lsp.core.blame.moved_lines import OtherFile, find_copied, find_moved
from intent_lsp.core.content import ContentHash
from intent_lsp.core.line_diff import Diff

Elsewhere = Callable[[], Sequence[OtherFile]]
"""Gives other files, which are looked for only where lines are left unexplained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What is asked about: the hash of a content, its lines with their ends, its encoding."""

    hash: ContentHash
    lines: Sequence[str]
    encoding: str = "utf-8"


def blame(
    text: Text, steps: Sequence[Step], *, contents: Contents, diff: Diff, elsewhere: Elsewhere
) -> Claims:
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


def settle(claims: Claims, lines: Sequence[str]) -> None:
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


def _goes_along(own: Claim | None, around: Claim | None) -> bool:
    """Whether a trivial line goes with the lines around it."""
    if own is not None and own.replaced:
        return True
    put_between = own is not None and around is not None and own.order > around.order
    return around is not None and around.replaced and not put_between


def _find_again(
    claims: Claims, text: Text, lineage: Lineage, elsewhere: Elsewhere, diff: Diff
) -> None:
    """Claim lines that nothing explains by blocks that records have told of.

    In another file only what has gone from it can have come from it.
    """
    lines = hashable(text.lines, text.encoding)
    find_blocks(claims, lines, known_blocks(lineage.untold()), at_least=1)
    unexplained = (
        count for claim, count in zip(claims, lines.letters, strict=True) if claim is None
    )
    if sum(unexplained) >= FOREIGN_LETTERS:
        everywhere = elsewhere()
        find_copied(claims, text.lines, text.hash, everywhere, diff)
        unread = find_moved(claims, text.lines, everywhere, diff, at_least=FOREIGN_LETTERS)
        foreign = known_blocks(step for other in unread for step in other.steps)
        find_blocks(claims, lines, foreign, at_least=FOREIGN_LETTERS)


def carried_over(claims: Claims, old: Sequence[str], new: Sequence[str], diff: Diff) -> Claims:
    """Give the claims on a text that is being edited: lines changed since `old` have none."""
    hunks = diff(old, new)
    if hunks is None:
        return [None] * len(new)
    found: Claims = []
    at = 0
    for hunk in hunks:
        found += claims[at : hunk.old_start]
        found += [None] * hunk.new_count
        at = hunk.old_start + hunk.old_count
    return found + claims[at:]
