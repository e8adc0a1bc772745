"""Runs of blame, as they leave: stretches of lines with one origin (protocol section 2).

Invariant: the runs cover every line that is asked for, ascending, none twice.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from intent_lsp.core.blame.attribution import Attribution, Confidence
from intent_lsp.core.records import Contributor, EntityType, Record, RecordFile

FileRecord = tuple[Record, RecordFile]
"""A record, and the file of it that a step is about; the step's order is its place in a list."""


_PEOPLE: Final = (EntityType.HUMAN, EntityType.MIXED)


@dataclass(frozen=True, slots=True)
class RecordAuthors:
    """Who has made records: names, and whose are this user's own, by the records' ids."""

    names: Mapping[str, str] = field(default_factory=dict)
    own: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlameRun:
    """Lines with one origin, numbered from 1, both ends included.

    `record` and `contributor` are None where the lines are `unattributed`; `path` is the file that
    the record wrote them in, under the name of then. Of a person, or of an agent and a person,
    `author` is the person's name, and `is_you` says that it is this user.
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
        """How many lines it has."""
        return self.end_line - self.start_line + 1


def blame_runs(
    claims: Sequence[Attribution | None], sources: Sequence[FileRecord], first: int, last: int
) -> tuple[BlameRun, ...]:
    """Give the runs of the lines `first` to `last` (from 0, both included, cut to the text)."""
    first, last = max(first, 0), min(last, len(claims) - 1)
    starts = [at for at in range(first, last + 1) if at == first or claims[at] != claims[at - 1]]
    ends = [*starts[1:], last + 1]
    return tuple(
        one_run(claims[start], sources, start + 1, end)
        for start, end in zip(starts, ends, strict=False)
    )


def one_run(
    claim: Attribution | None, sources: Sequence[FileRecord], start_line: int, end_line: int
) -> BlameRun:
    """Say where some lines (from 1, both included) come from."""
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
    """Give the records in some runs that people have made, alone or with an agent, by id."""
    return {
        run.record.id: run.record
        for run in runs
        if run.record is not None
        and run.contributor is not None
        and run.contributor.entity_type in _PEOPLE
    }


def named(runs: Sequence[BlameRun], people: RecordAuthors) -> tuple[BlameRun, ...]:
    """Give some runs with the names of the people in them; those of agents alone have none."""
    known = {
        each: (people.names.get(each), each in people.own)
        for each in of_people(runs)
        if each in people.names or each in people.own
    }
    return tuple(
        replace(run, author=known[run.record.id][0], is_you=known[run.record.id][1])
        if run.record is not None and run.record.id in known
        else run
        for run in runs
    )


def run_of(record: Record) -> BlameRun:
    """Give a record as if it had one line, so that it can be named as its lines are."""
    talk = next((talk for file in record.files for talk in file.conversations), None)
    who = None if talk is None else talk.contributor
    return BlameRun(start_line=1, end_line=1, record=record, contributor=who)
