"""Attributions: the edit that each line comes from, how certain that is, and runs of equal ones.

Specified in ledger section 5 and protocol section 2.

Invariant: an attribution refers to an edit by its order. An edit is one file of one record.
Invariant: an attribution that is carried over to another content never becomes more certain.
Invariant: the runs ascend and cover each requested line exactly once.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Contributor, EntityType, Range, Record, RecordFile


class Confidence(StrEnum):
    """How certain an attribution is. EXACT follows from line numbers or from equal bytes.

    NORMALIZED: only white space differs. MOVED: the line was recognised by its content at another
    place or in another file. ASSUMED: the edit was not announced, and its intent is the one that
    was active. UNATTRIBUTED: no record explains the line. A line without letters and digits may
    have the confidence of the lines around it.
    """

    EXACT = "exact"
    NORMALIZED = "normalized"
    MOVED = "moved"
    ASSUMED = "assumed"
    UNATTRIBUTED = "unattributed"


_SUREST_FIRST: Final = tuple(Confidence)


class Edit(Struct, frozen=True, kw_only=True):
    """One file of one record. A later record has a higher `order`.

    `pre` and `post` are the hashes of the content before and after. They are None if there was no
    file or its content is not known. `talks` holds the ranges of changed lines, grouped by
    conversation. `told` is False if the ranges may miss some changes, such as those of a failed
    edit.
    """

    order: int
    pre: ContentHash | None
    post: ContentHash | None
    talks: tuple[tuple[Range, ...], ...] = ()
    told: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Attribution:
    """The edit and the conversation that a line comes from, by their numbers `order` and `talk`.

    `replaced`: the edit is known to have replaced old lines by this one. This flag is ignored when
    attributions are compared.
    """

    order: int
    talk: int = 0
    confidence: Confidence = Confidence.EXACT
    replaced: bool = dataclasses.field(default=False, compare=False)

    def at_most(self, confidence: Confidence) -> "Attribution":
        """Return this attribution, but with the given confidence if its own is higher."""
        weakest = max(self.confidence, confidence, key=_SUREST_FIRST.index)
        return self if weakest is self.confidence else dataclasses.replace(self, confidence=weakest)


BEFORE: Final = Attribution(-1, 0, Confidence.UNATTRIBUTED)
"""The attribution of a line that is older than the first record of its file.

No search for similar text may attribute such a line to an edit.
"""

Attributions = list[Attribution | None]
"""An attribution for each line of a content. None: no record explains the line."""

AttributedRun = tuple[int, Range]
"""The number of a conversation, and one of its ranges."""


def claimed_runs(step: Edit) -> list[AttributedRun]:
    """Return the ranges of an edit in line order, each with the number of its conversation."""
    runs = [(talk, run) for talk, told in enumerate(step.talks) for run in told]
    return sorted(runs, key=lambda each: (each[1].replaced or (each[1].start_line,))[0])


def best_of(claims: Iterable[Attribution | None]) -> Attribution | None:
    """Return the most certain attribution, or None if all are None. On a tie, the oldest edit's."""
    made = [claim for claim in claims if claim is not None]
    return min(made, key=_rank, default=None)


def joined(first: Attributions, second: Attributions) -> Attributions:
    """Return, for each line, the better of its two attributions in `first` and `second`.

    That is the more certain one, or among equally certain ones that of the older edit.
    """
    pairs = zip(first, second, strict=True)
    return [one if one is other else best_of((one, other)) for one, other in pairs]


def covered(step: Edit, count: int, *, whole: bool = True) -> Attributions:
    """Return the attributions of the `count` lines that a content has after the edit `step`.

    A line that the edit wrote, by its ranges, is attributed to the edit; any other line has None.
    The range of a pure deletion attributes nothing.

    A range with `fallback` does not say which lines changed. It attributes every line of the
    content to the edit, or none if `whole` is False.
    """
    claims: Attributions = [None] * count
    for talk, run in claimed_runs(step):
        if run.fallback and not whole:
            continue
        if run.start_line < 1 or (run.replaced is not None and not run.replaced[2]):
            continue
        first, last = run.start_line - 1, count if run.fallback else min(run.end_line, count)
        if first < last:
            # The lines share one object, because making and comparing ten thousand is slow.
            claims[first:last] = [Attribution(step.order, talk)] * (last - first)
    return claims


def runs_of(claims: Sequence[Attribution | None]) -> list[tuple[int, int]]:
    """Return the runs of consecutive lines with equal attributions or all None: (first line, end).

    Lines count from 0. The end is the number of the line after the last one of the run.
    """
    starts = [at for at, claim in enumerate(claims) if not at or claim != claims[at - 1]]
    return list(pairwise([*starts, len(claims)]))


FileRecord = tuple[Record, RecordFile]
"""A record, and the file of it that an edit is about.

An edit's order is its index in a list of these.
"""


_PEOPLE: Final = (EntityType.HUMAN, EntityType.MIXED)


class RecordAuthors(Struct, frozen=True):
    """Who made records: the authors' names by record id, and the ids of this user's own records."""

    names: Mapping[str, str] = field(default_factory=dict)
    own: Collection[str] = ()


class BlameRun(Struct, frozen=True, kw_only=True):
    """Consecutive lines with the same origin, numbered from 1, both ends included.

    `record`, `contributor` and `path` are None if the lines are `unattributed`. `path` is the file
    in which the record wrote the lines, as it was called at that time. For lines by a person, or by
    an agent and a person, `author` is the person's name, if known, and `is_you` says whether that
    is this user.
    """

    start_line: int
    end_line: int
    record: Record | None = None
    contributor: Contributor | None = None
    path: str | None = None
    confidence: Confidence = Confidence.UNATTRIBUTED
    author: str | None = None
    is_you: bool = False

    @property
    def count(self) -> int:
        """The number of lines in the run."""
        return self.end_line - self.start_line + 1


def blame_runs(
    claims: Sequence[Attribution | None], sources: Sequence[FileRecord], first: int, last: int
) -> tuple[BlameRun, ...]:
    """Return the runs of the lines `first` to `last`, which count from 0 and are both included.

    `claims` are the attributions of all lines; `sources` are the edits that they refer to. `first`
    and `last` are clipped to the text.
    """
    first, last = max(first, 0), max(last, -1)
    return tuple(
        one_run(claims[first + start], sources, first + start + 1, first + end)
        for start, end in runs_of(claims[first : last + 1])
    )


def one_run(
    claim: Attribution | None, sources: Sequence[FileRecord], start_line: int, end_line: int
) -> BlameRun:
    """Return the run for lines that share the attribution `claim`.

    Lines count from 1, both ends included. `sources` are the edits that attributions refer to. The
    confidence is ASSUMED if `is_assumed` of the edit's record is true, else that of `claim`. If
    `claim` is None, the run is UNATTRIBUTED.
    """
    if claim is None:
        return BlameRun(start_line=start_line, end_line=end_line)
    record, file = sources[claim.order]
    talks = file.conversations
    return BlameRun(
        start_line=start_line,
        end_line=end_line,
        record=record,
        contributor=talks[claim.talk].contributor if claim.talk < len(talks) else None,
        path=file.path,
        confidence=Confidence.ASSUMED if record.is_assumed else claim.confidence,
    )


def of_people(runs: Iterable[BlameRun]) -> Mapping[str, Record]:
    """Return the records of runs that a person made, alone or with an agent, by record id."""
    return {
        run.record.id: run.record
        for run in runs
        if run.record is not None
        and run.contributor is not None
        and run.contributor.entity_type in _PEOPLE
    }


def named(runs: Sequence[BlameRun], people: RecordAuthors) -> tuple[BlameRun, ...]:
    """Return the runs with `author` and `is_you` filled in from `people`.

    Runs of records by agents alone, and runs of records that `people` does not have, are unchanged.
    """
    ids = of_people(runs).keys() & {*people.names, *people.own}
    return tuple(
        replace(run, author=people.names.get(run.record.id), is_you=run.record.id in people.own)
        if run.record is not None and run.record.id in ids
        else run
        for run in runs
    )


def run_of(record: Record) -> BlameRun:
    """Return a run of one line that stands for a record, so that `named` can fill in the author.

    The run's contributor is that of the record's first conversation, or None if there is none.
    """
    talk = next((talk for file in record.files for talk in file.conversations), None)
    who = None if talk is None else talk.contributor
    return BlameRun(start_line=1, end_line=1, record=record, contributor=who)


def _rank(claim: Attribution) -> tuple[int, int]:
    return _SUREST_FIRST.index(claim.confidence), claim.order
