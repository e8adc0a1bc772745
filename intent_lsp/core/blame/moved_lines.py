"""Lines moved or copied from another file by an unrecorded change (ledger section 5).

Invariant: only lines without an attribution are attributed, and never above MOVED.
Invariant: a line that a diff finds in the other file's content of today does not count as moved.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from intent_lsp.core.blame.attribution import Attributions, Confidence, Edit
from intent_lsp.core.blame.line_carry import Carried, bare, kept_lines, splices, take_moved
from intent_lsp.core.blame.lineage import Lineage, ReadLines
from intent_lsp.core.content import ContentHash
from intent_lsp.core.line_diff import Diff

CONTENTS_COMPARED: Final = 64
"""The most past contents of other files that one blame looks at."""


class OtherFile(Struct, frozen=True, kw_only=True):
    """A file in which lost lines are searched for: its edits, its hash now, and its past contents.

    `today` is the hash, None if the file is gone or cannot be read. `contents` returns a content's
    lines by its hash, or None if they are not stored.
    """

    steps: Sequence[Edit]
    today: ContentHash | None
    contents: ReadLines


LostEdit = tuple[ContentHash, Edit | None]
"""The hash of a content that lost lines, and the edit that removed them (None if unrecorded)."""


def losses(other: OtherFile) -> Iterator[LostEdit]:
    """Yield past contents of a file that had lines which may be lost: the hash, and the edit.

    First come contents that an unrecorded change replaced, with None for the edit. Then come
    contents of which a recorded edit replaced lines by fewer lines, with that edit. Both are newest
    first.
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
    """Attribute unattributed lines if an edit of another file produced exactly the same content.

    They get the attributions that the lines have in that file, as MOVED at most. `lines` are those
    of the content and `wanted` is its hash. The first such file in `others` is used. Changes
    `claims`.
    """
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
    """Attribute unattributed blocks of lines that another file has lost. Changes `claims`.

    Blocks with fewer than `at_least` letters and digits are skipped. At most CONTENTS_COMPARED past
    contents are compared. Return the files of which one of these contents is not stored. If no line
    is left to attribute, the search may stop early and return [].
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
    """Give lines without an attribution the one in `found`, with the confidence MOVED at most."""
    for at, claim in enumerate(found):
        if claims[at] is None and claim is not None:
            claims[at] = claim.at_most(Confidence.MOVED)


def _gone(old: Sequence[str], other: OtherFile, step: Edit | None, diff: Diff) -> list[bool]:
    """Return, for each line of `old` (a past content of `other`), whether the file has lost it.

    With `step`, only lines that this edit removed or replaced are lost. A line that `diff` finds in
    the file's content of today is never lost.
    """
    gone = [step is None] * len(old)
    for each in () if step is None else splices(step, float("inf")) or ():
        gone[each.old : each.old_end] = [True] * len(gone[each.old : each.old_end])
    today = None if other.today is None else other.contents(other.today)
    for before, _ in () if today is None else kept_lines(old, today, diff):
        gone[before] = False
    return gone
