"""Lines that came and went with an edit, counted from its ranges (ledger section 1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from intent_lsp.core.records import Range, RecordFile


@dataclass(frozen=True, slots=True)
class LineCount:
    """`added` and `removed` are lines; `whole` counts the files that were not compared by line."""

    added: int = 0
    removed: int = 0
    whole: int = 0

    def __add__(self, other: "LineCount") -> "LineCount":
        return LineCount(
            self.added + other.added, self.removed + other.removed, self.whole + other.whole
        )


def count_of_files(files: Iterable[RecordFile]) -> LineCount:
    """Count the lines of an edit's files together."""
    found: LineCount | None = None
    for file in files:
        lines = count_of_runs([run for talk in file.conversations for run in talk.ranges])
        found = lines if found is None else found + lines
    return found or LineCount()


def count_of_runs(runs: Sequence[Range]) -> LineCount:
    """Count the lines of one file's ranges; a file that was not compared has no lines."""
    added = removed = 0
    for run in runs:
        if run.fallback:
            return LineCount(whole=1)
        _, old, new = run.replaced or (0, 0, _length(run))
        added, removed = added + new, removed + old
    return LineCount(added, removed)


def _length(run: Range) -> int:
    return run.end_line - run.start_line + 1 if run.start_line else 0
