"""Blame results: runs of lines that have the same origin (protocol section 2).

Invariant: the runs ascend and cover each requested line exactly once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.blame.attribution import Attribution, Confidence, runs_of
from intent_lsp.core.records import Contributor, EntityType, Record, RecordFile

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
    confidence is that of `claim`, but ASSUMED for an edit that was not announced. Without a claim,
    the run is UNATTRIBUTED.
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
    """Return a run of one line that stands for a record, so that `named` can fill in its author.

    Its contributor is that of the record's first conversation, None if the record has none.
    """
    talk = next((talk for file in record.files for talk in file.conversations), None)
    who = None if talk is None else talk.contributor
    return BlameRun(start_line=1, end_line=1, record=record, contributor=who)
