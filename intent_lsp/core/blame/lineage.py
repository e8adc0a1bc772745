"""Lineage: the chain of edits that led to a content, replayed over its lines (ledger section 5).

Invariant: an unbroken chain of edits needs no content. Contents that are still stored are compared
only where a link is missing or does not show which lines it replaced.
Invariant: a walk back uses an edit once, so that it ends although a content may occur again.
Invariant: a content that several edits produced is attributed to the earliest of them, so that
lines restored by an undo get their old attribution back.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.blame.attribution import (
    BEFORE,
    Attribution,
    Attributions,
    Edit,
    covered,
    joined,
)
from intent_lsp.core.blame.line_carry import (
    Carried,
    Splice,
    carried,
    replay,
    splices,
    turn_back,
    turn_on,
)
from intent_lsp.core.content import ContentHash
from intent_lsp.core.line_diff import Diff

ReadLines = Callable[[ContentHash], Sequence[str] | None]
"""A function that returns the lines of a content by its hash, or None if it is not stored."""

HEADS_COMPARED: Final = 4
"""The most older contents that one content is compared with to bridge a missing link."""

CONTENTS_ASKED: Final = 16
"""The most edits whose contents are tried at a missing link, and the most steps back from each."""

LINKS_MENDED: Final = 100
"""The most stored contents that a Lineage compares with. Older lines then stay unexplained."""


class _Back(Struct):
    """The state of a walk back through the edits, newest first.

    The walk has arrived at the content from before the edits in `steps`: `wanted` is its hash,
    `lines` its lines (None if unknown). No edit with an `order` in `used` is taken again, and one
    with an `order` below `limit` is preferred. `last` is the edit that ended the walk, since it has
    no `pre` or does not show what it replaced; None if no edit did.
    """

    steps: list[tuple[Edit, list[Splice]]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    wanted: ContentHash | None = None
    lines: list[str | None] = field(default_factory=list)
    limit: float = float("inf")
    last: Edit | None = None


class Lineage:
    """The edits of one file, indexed by the content that they produced; for one blame only."""

    def __init__(self, steps: Sequence[Edit], contents: ReadLines, diff: Diff) -> None:
        self._steps = sorted(steps, key=lambda step: step.order)
        self._contents = contents
        self._diff = diff
        self._left = LINKS_MENDED
        self._told: set[int] = set()
        self._by_post: dict[ContentHash | None, list[Edit]] = {}
        self._began: dict[ContentHash, int] = {}
        for step in self._steps:
            if step.post is not None:
                self._by_post.setdefault(step.post, []).append(step)
            if step.pre is not None:
                self._began.setdefault(step.pre, step.order)

    def claims(self, wanted: ContentHash, lines: Sequence[str | None]) -> Attributions:
        """Return the attributions of the lines of a content. `wanted` is the content's hash.

        An unknown line may be given as None. Lines that are older than the first edit have the
        attribution BEFORE; lines that no edit explains have None.
        """
        return self._claims(wanted, lines, float("inf"), set())

    def unreported(self) -> list[Edit]:
        """Return the edits that `claims` has not accounted for line by line.

        Every line of an edit that is not returned is either attributed or no longer in the content.
        """
        return [step for step in self._steps if step.order not in self._told]

    def _claims(
        self, wanted: ContentHash, lines: Sequence[str | None], limit: float, used: set[int]
    ) -> Attributions:
        """Walk back from a content, then replay the edits. Return the attributions of its lines.

        None in `lines` is a line whose text is unknown. Edits with an `order` below `limit` are
        preferred (see `_step`). The orders of the edits that were walked are added to `used`.
        """
        back = self._walk(_Back(used=used, wanted=wanted, lines=list(lines), limit=limit))
        if None not in lines:
            self._note_told(back, limit)
        claims = self._base(back)
        for step, found in reversed(back.steps):
            replay(claims, found, step.order)
        return claims

    def _note_told(self, back: _Back, limit: float) -> None:
        """Mark the edits of a walk as accounted for, and the edits of round trips beside it.

        A round trip leads, before `limit`, from a content of the walk back to the same content.
        """
        steps = [step for step, _ in back.steps]
        if back.last is not None and back.last.pre is None:
            steps.append(back.last)
        for step in steps:
            same = [each.order for each in self._by_post.get(step.post, ()) if each.order < limit]
            self._told.update(range(step.order, max(same, default=step.order) + 1))
            limit = min(limit, step.order)

    def _walk(self, back: _Back) -> _Back:
        while back.lines and back.wanted is not None:
            step = self._step(back.wanted, back.limit, back.used)
            if step is None:
                # The content that an edit started from is older than the edit, even if a branch
                # started from it later.
                back.limit = min(back.limit, self._began.get(back.wanted, back.limit))
                return back
            back.used.add(step.order)
            found = None if step.pre is None else splices(step, len(back.lines))
            back.last, back.limit = step, min(back.limit, step.order)
            if found is None:
                return back
            back.steps.append((step, found))
            back.wanted, back.last = step.pre, None
            turn_back(back.lines, found)
        return back

    def _step(self, wanted: ContentHash, limit: float, used: set[int]) -> Edit | None:
        """Return the earliest edit not in `used` that produced the content with the hash `wanted`.

        Edits with an `order` below `limit` are preferred. Return None if there is no such edit.
        """
        fitting = [step for step in self._by_post.get(wanted, ()) if step.order not in used]
        earlier = (step for step in fitting if step.order < limit)
        # The clocks of two branches may differ, so an edit after `limit` is taken if there is no
        # other.
        return next(earlier, next(iter(fitting), None))

    def _base(self, back: _Back) -> Attributions:
        """Return the attributions of the lines of the oldest content that a walk back reached."""
        step = back.last
        if not back.lines or back.wanted is None:
            return [None] * len(back.lines)
        if step is None:
            return self._first(back) or self._mended(back)
        if step.pre is None:
            whole = Attribution(step.order)
            return [claim or whole for claim in covered(step, len(back.lines))]
        return self._compared(back, step, step.pre)

    def _first(self, back: _Back) -> Attributions | None:
        """Return BEFORE (older than the first edit) for each line, or None if edits are left.

        Edits are left if none was walked, or if one with an `order` below `back.limit` was not.
        """
        earlier = (step for step in self._steps if step.order < back.limit)
        if not back.used or any(step.order not in back.used for step in earlier):
            return None
        return [BEFORE] * len(back.lines)

    def _compared(self, back: _Back, step: Edit, pre: ContentHash) -> Attributions:
        """Return the attributions after an edit whose ranges do not show which lines it replaced.

        `pre` is the hash of the content before the edit. If that content can be read, its lines
        keep their older attributions, and other lines in the edit's ranges are attributed to the
        edit. If not, the lines in the ranges are attributed to the edit, but a range for the whole
        file is ignored. Lines that this leaves without an attribution are left to `_mended`.
        """
        old = self._old_lines(pre)
        own = covered(step, len(back.lines), whole=old is not None)
        if old is None:
            # The record does not say which lines it kept, but older contents may.
            return own if None not in own else joined(own, self._mended(back))
        before = self._claims(pre, old, back.limit, back.used)
        kept = carried(old, self._known(back), self._diff)
        return _over(own, kept, before)

    def _mended(self, back: _Back) -> Attributions:
        """Return attributions across a gap in the chain of edits, by diffs with earlier contents.

        At most HEADS_COMPARED contents are compared, in the order of `_heads`. Of the attributions
        that they give a line, the most certain one is returned.
        """
        claims: Attributions = [None] * len(back.lines)
        walked: set[int] = set()
        compared = 0
        new = None
        for head in self._heads(back):
            if head.order in walked or head.post is None or compared == HEADS_COMPARED:
                continue
            old = self._partly_known(head.post, head.order + 1, back.used)
            if old is None:
                continue
            new = new or self._known(back)
            used = set(back.used)
            before = self._claims(head.post, old, head.order + 1, used)
            kept = carried(_told_apart(old, "old"), new, self._diff)
            claims = joined(claims, _over([None] * len(new), kept, before))
            walked |= used
            compared += 1
        back.used |= walked
        return claims

    def _heads(self, back: _Back) -> Iterator[Edit]:
        """Yield at most CONTENTS_ASKED unused edits that are older than the end of a walk.

        First come those whose content no other such edit started from, then the rest; both are
        newest first. Edits that produced the walk's last content are left out.
        """
        earlier = [
            step
            for step in reversed(self._steps)
            if step.order < back.limit and step.order not in back.used and step.post != back.wanted
        ]
        followed = {step.pre for step in earlier if step.pre != step.post}
        earlier.sort(key=lambda step: step.post in followed)
        yield from earlier[:CONTENTS_ASKED]

    def _partly_known(
        self, wanted: ContentHash, limit: float, used: set[int]
    ) -> Sequence[str | None] | None:
        """Return the lines of the content with the hash `wanted`, as far as they are known.

        If this content is not stored, go back edit by edit, as `_step` chooses with `limit` and
        `used`, until a content is stored. At most CONTENTS_ASKED contents are tried. Return the
        lines of the stored content, with None for each line that these edits wrote. Return None if
        no content is stored, or if one of the edits does not say which lines it replaced.
        """
        passed: list[list[Splice]] = []
        seen = set(used)
        for _ in range(CONTENTS_ASKED):
            kept = self._old_lines(wanted)
            if kept is not None:
                lines: list[str | None] = list(kept)
                for found in reversed(passed):
                    turn_on(lines, found)
                return lines
            step = self._step(wanted, limit, seen)
            replaced = None if step is None else splices(step, float("inf"))
            if step is None or step.pre is None or replaced is None:
                return None
            seen.add(step.order)
            passed.append(replaced)
            wanted = step.pre
        return None

    def _old_lines(self, wanted: ContentHash) -> Sequence[str] | None:
        if not self._left:
            return None
        found = self._contents(wanted)
        self._left -= found is not None
        return found

    def _known(self, back: _Back) -> Sequence[str]:
        """Return the lines at the end of a walk back; each unknown one becomes a unique text."""
        kept = (
            None if None not in back.lines or back.wanted is None else self._contents(back.wanted)
        )
        if kept is not None and len(kept) == len(back.lines):
            return kept
        return _told_apart(back.lines, "new")


def _told_apart(lines: Sequence[str | None], side: str) -> Sequence[str]:
    """Replace unknown lines (None) by texts that equal no other line.

    The texts hold a lone surrogate, which no file contains, and `side`, so that unknown lines of
    the old and of the new text differ.
    """
    return [f"\udfff{side}{at}" if line is None else line for at, line in enumerate(lines)]


def _over(own: Attributions, kept: Carried, before: Attributions) -> Attributions:
    """Return `own`, changed for each line that `kept` matches with an older line.

    It gets the attribution of that line in `before`, made at most as certain as the match.
    """
    claims = list(own)
    for at, old in enumerate(kept):
        if old is not None:
            line, confidence = old
            claim = before[line]
            claims[at] = None if claim is None else claim.at_most(confidence)
    return claims
