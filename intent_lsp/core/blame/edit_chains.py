"""The edits between two contents of a file: back from the newer one, and on from the older one.

Specified in ledger section 5.

Invariant: an edit is followed at most once, so that a round trip ends.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from intent_lsp.core.blame.attribution import Edit
from intent_lsp.core.blame.line_carry import splices
from intent_lsp.core.content import ContentHash


class EditChain(Struct, frozen=True, kw_only=True):
    """The edits that lead to a content, newest first, by their orders.

    `whole`: the oldest of these edits started from the content `before` that `edit_chain` was
    given; False if there are no edits. `deleted` maps a place to the orders of the edits that
    deleted or replaced lines there; the place is the number of lines above it in the newest
    content. If an edit does not say what it replaced, that edit and all older ones are missing in
    `deleted`.
    """

    orders: tuple[int, ...]
    whole: bool
    deleted: Mapping[int, frozenset[int]]


def edit_chain(
    steps: Sequence[Edit], before: ContentHash | None, after: ContentHash | None, count: int
) -> EditChain:
    """Return the edits among `steps` between two contents of a file, followed back from `after`.

    `steps` are all edits of the file, whose orders count from 0. The hashes are None where there is
    no file. The content `after` has `count` lines. If the edits do not lead back to `before`, those
    found are returned, as not `whole`. Between equal contents there are none.
    """
    passed: list[Edit] = []
    for step in _back(steps, after) if after != before else ():
        passed.append(step)
        if step.pre == before:
            break
    return EditChain(
        orders=tuple(step.order for step in passed),
        whole=bool(passed) and passed[-1].pre == before,
        deleted=_deleted(passed, count),
    )


def earlier_edits(steps: Sequence[Edit], after: ContentHash | None) -> frozenset[int]:
    """Return the orders of the edits that led to the content with the hash `after` (None: no file).

    `steps` are all edits of the file, and their orders count from 0. Edits are followed back from
    that content. If an edit started from it, only edits older than the first such edit count: for A
    after the edits A (0), A→B (1) and B→A (2), return {0}.
    """
    first = min((step.order for step in steps if step.pre == after), default=len(steps))
    before = [step for step in steps if step.order < first]
    return frozenset(step.order for step in _back(before, after))


class LaterEdits(Struct, frozen=True, kw_only=True):
    """The edits that followed an older content, in their order.

    `deleted` maps a line of that content, from 0, to the order of the edit that deleted or replaced
    it. From the first edit on that does not say what it replaced, no line is added.
    """

    steps: tuple[Edit, ...]
    deleted: Mapping[int, int]


def later_edits(steps: Sequence[Edit], before: ContentHash | None, count: int) -> LaterEdits:
    """Return the edits that followed a content of a file, which has `count` lines.

    `before` is the content's hash, or None where there was no file.
    """
    origins: list[int | None] = list(range(count))
    deleted: dict[int, int] = {}
    passed: list[Edit] = []
    wanted, known = before, True
    while (step := _oldest(steps, wanted, passed)) is not None:
        passed.append(step)
        found = splices(step, float("inf")) if known else None
        known = found is not None
        for each in reversed(found or ()):
            gone = origins[each.old : each.old_end]
            deleted.update((line, step.order) for line in gone if line is not None)
            origins[each.old : each.old_end] = [None] * (each.new_end - each.new)
        wanted = step.post
    return LaterEdits(steps=tuple(passed), deleted=deleted)


def _oldest(
    steps: Sequence[Edit], wanted: ContentHash | None, passed: Sequence[Edit]
) -> Edit | None:
    """Return the oldest edit that started from the content `wanted` and is newer than `passed`.

    `passed` are the edits found so far, oldest first. Edits that changed nothing are left out.
    Return None if there is no such edit.
    """
    after = passed[-1].order if passed else -1
    fitting = (
        step
        for step in steps
        if step.pre == wanted and step.pre != step.post and step.order > after
    )
    return min(fitting, key=lambda step: step.order, default=None)


def _back(steps: Sequence[Edit], wanted: ContentHash | None) -> Iterator[Edit]:
    """Yield the edits that led to the content `wanted`, newest first, as far as `steps` go."""
    used: set[int] = set()
    while (step := _newest(steps, wanted, used)) is not None:
        yield step
        used.add(step.order)
        wanted = step.pre


def _newest(steps: Sequence[Edit], wanted: ContentHash | None, used: set[int]) -> Edit | None:
    """Return the newest edit that changed the file to the content `wanted`, or None.

    `used` are the orders of edits that are left out. Edits older than all of these are preferred.
    """
    limit = min(used, default=len(steps))
    fitting = [
        step
        for step in steps
        if step.post == wanted and step.pre != step.post and step.order not in used
    ]
    earlier = [step for step in fitting if step.order < limit]
    return max(earlier or fitting, key=lambda step: step.order, default=None)


def _deleted(passed: Sequence[Edit], count: int) -> Mapping[int, frozenset[int]]:
    """Map places in the newest content to the edits among `passed` that deleted lines there.

    A place is the number of lines of the newest content above it; that content has `count` lines.
    `passed` are edits, newest first. Stop at the first one that does not say what it replaced.
    """
    # For each line of the content reached so far, its line in the newest one. None: it is gone.
    origins: list[int | None] = list(range(count))
    deleted: dict[int, frozenset[int]] = {}
    for step in passed:
        found = splices(step, len(origins))
        if found is None:
            break
        for each in reversed(found):
            if each.old_end > each.old:
                above = (origins[at] for at in range(each.new - 1, -1, -1))
                place = next((line + 1 for line in above if line is not None), 0)
                deleted[place] = deleted.get(place, frozenset()) | {step.order}
            origins[each.new : each.new_end] = [None] * (each.old_end - each.old)
    return deleted
