"""Lines that came from another file to this one while nobody looked (ledger section 5).

Invariant: only lines that nothing else explains are claimed, and never as more than moved.
Invariant: a part of a file that still stands there has not moved: it was copied, or written again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from intent_lsp.core.blame.attribution import Attributions, Confidence, Edit
from intent_lsp.core.blame.line_carry import Carried, bare, kept_lines, take_moved
from intent_lsp.core.blame.line_mapping import splices
from intent_lsp.core.blame.lineage import Lineage, ReadLines
from intent_lsp.core.content import ContentHash
from intent_lsp.core.line_diff import Diff

CONTENTS_COMPARED: Final = 64
"""Past contents of other files that are compared at most in one answer, the newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherFile:
    """Another file: its steps, what it holds now (None: it is gone), and what it held."""

    steps: Sequence[Edit]
    today: ContentHash | None
    contents: ReadLines


LostEdit = tuple[ContentHash, Edit | None]
"""A content from which lines went: by a step, or unseen (None)."""


def losses(other: OtherFile) -> Iterator[LostEdit]:
    """Give the contents of a file from which lines went, the newest first.

    Those that led to no other that is known, then those of which a step took lines away.
    """
    steps = sorted(other.steps, key=lambda step: -step.order)
    followed = {step.pre for step in steps}
    ends = dict.fromkeys(step.post for step in steps)
    yield from (
        (post, None)
        for post in ends
        if post is not None and post not in followed and post != other.today
    )
    for step in steps:
        replaced = splices(step, float("inf")) or ()
        if step.pre is not None and any(
            each.old_end - each.old > each.new_end - each.new for each in replaced
        ):
            yield step.pre, step


def find_copied(
    claims: Attributions,
    lines: Sequence[str],
    wanted: ContentHash,
    others: Sequence[OtherFile],
    diff: Diff,
) -> None:
    """Claim lines that nothing explains, of a content that another file was left with."""
    for other in others:
        if any(step.post == wanted for step in other.steps):
            before = Lineage(other.steps, other.contents, diff).claims(wanted, lines)
            _put(claims, before)
            return


def find_moved(
    claims: Attributions,
    lines: Sequence[str],
    others: Sequence[OtherFile],
    diff: Diff,
    *,
    at_least: int,
) -> Sequence[OtherFile]:
    """Claim blocks that nothing explains, and that are gone from another file.

    A block needs `at_least` so many letters and digits. Returns the files of which not every
    content could be read from which lines went.
    """
    unread: list[OtherFile] = []
    new = bare(lines)
    lost = ((other, each) for other in others for each in losses(other))
    for other, (wanted, step) in islice(lost, CONTENTS_COMPARED):
        if None not in claims:
            return []
        old = other.contents(wanted)
        if old is None:
            if other not in unread[-1:]:
                unread.append(other)
            continue
        found: Carried = [None if claim is None else (0, Confidence.MOVED) for claim in claims]
        take_moved(found, _gone(old, other, step, diff), bare(old), new, at_least=at_least)
        if all(place is None or claims[at] is not None for at, place in enumerate(found)):
            continue
        before = Lineage(other.steps, other.contents, diff).claims(wanted, old)
        _put(claims, [None if place is None else before[place[0]] for place in found])
    return unread


def _put(claims: Attributions, found: Attributions) -> None:
    """Claim what nothing explains, as no more than moved."""
    for at, claim in enumerate(found):
        if claims[at] is None and claim is not None:
            claims[at] = claim.at_most(Confidence.MOVED)


def _gone(old: Sequence[str], other: OtherFile, step: Edit | None, diff: Diff) -> list[bool]:
    """Tell which lines of a content are gone: by a step, if that is given, and still now."""
    gone = [step is None] * len(old)
    for each in () if step is None else splices(step, float("inf")) or ():
        gone[each.old : each.old_end] = [True] * len(gone[each.old : each.old_end])
    today = None if other.today is None else other.contents(other.today)
    for before, _ in () if today is None else kept_lines(old, today, diff):
        gone[before] = False
    return gone
