"""Claims of records on lines: which edit a line comes from, and how surely (ledger section 5).

Invariant: a claim names a step by its order, and a step is one file of one record.
Invariant: a claim that is carried on never becomes surer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Range


class Confidence(StrEnum):
    """How surely a line comes from a record; `exact` is by arithmetic, or byte for byte.

    `normalized`: only white space differs. `moved`: found again by its content. `assumed`: nobody
    announced the edit, and its intent is the one that was active.
    """

    EXACT = "exact"
    NORMALIZED = "normalized"
    MOVED = "moved"
    ASSUMED = "assumed"
    UNATTRIBUTED = "unattributed"


_SUREST_FIRST: Final = tuple(Confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What one record says of one file; a later record has a higher `order`.

    `talks` are the ranges of each of its conversations. `told`: they tell all that changed, as
    those of an edit that failed do not.
    """

    order: int
    pre: ContentHash | None
    post: ContentHash | None
    talks: tuple[tuple[Range, ...], ...] = ()
    told: bool = True


@dataclass(frozen=True, slots=True)
class Attribution:
    """A line comes from a step, out of one of its conversations.

    `replaced`: the step put it in the place of others, and not between two lines; by it alone no
    two claims differ.
    """

    order: int
    talk: int = 0
    confidence: Confidence = Confidence.EXACT
    replaced: bool = field(default=False, compare=False)

    def at_most(self, confidence: Confidence) -> "Attribution":
        """Give the claim, no surer than this."""
        weakest = max(self.confidence, confidence, key=_SUREST_FIRST.index)
        return self if weakest is self.confidence else replace(self, confidence=weakest)


BEFORE: Final = Attribution(-1, 0, Confidence.UNATTRIBUTED)
"""A line that is older than the first record of its file, and nobody's, whatever is like it."""

Attributions = list[Attribution | None]
"""A claim for each line of a content; None: no record explains the line."""

AttributedRun = tuple[int, Range]
"""A range, and the conversation that it belongs to."""


def claimed_runs(step: Edit) -> list[AttributedRun]:
    """Give the ranges of a step in the order of their lines."""
    runs = [(talk, run) for talk, told in enumerate(step.talks) for run in told]
    return sorted(runs, key=lambda each: (each[1].replaced or (each[1].start_line,))[0])


def best_of(claims: Iterable[Attribution | None]) -> Attribution | None:
    """Give the surest claim on a line, among equals the earlier record's; None: there is none."""
    made = [claim for claim in claims if claim is not None]
    return min(made, key=_rank, default=None)


def joined(first: Attributions, second: Attributions) -> Attributions:
    """Give the better claim for each line."""
    pairs = zip(first, second, strict=True)
    return [one if one is other else best_of((one, other)) for one, other in pairs]


def covered(step: Edit, count: int, *, whole: bool = True) -> Attributions:
    """Claim the lines, of `count`, that the ranges of a step name, whatever they replaced.

    Without `whole` a range that was not compared line by line names none: it tells that something
    has changed, and not what.
    """
    claims: Attributions = [None] * count
    for talk, run in claimed_runs(step):
        if run.fallback and not whole:
            continue
        if run.start_line < 1 or (run.replaced is not None and not run.replaced[2]):
            continue
        first, last = run.start_line - 1, count if run.fallback else min(run.end_line, count)
        if first < last:
            # One claim for all of them: to make and compare ten thousand takes its time.
            claims[first:last] = [Attribution(step.order, talk)] * (last - first)
    return claims


def runs_of(claims: Sequence[Attribution | None]) -> list[tuple[int, int]]:
    """Give the stretches of lines with one claim each: first line, and the one past the last."""
    starts = [at for at, claim in enumerate(claims) if not at or claim != claims[at - 1]]
    return list(zip(starts, [*starts[1:], len(claims)], strict=True))


def _rank(claim: Attribution) -> tuple[int, int]:
    return _SUREST_FIRST.index(claim.confidence), claim.order
