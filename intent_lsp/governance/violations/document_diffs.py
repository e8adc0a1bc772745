"""The diffs of one document against HEAD, the baseline and the newest passing content.

Invariant: the diffs are updated at each edit, before anything is shown.
"""

from collections.abc import Sequence
from functools import reduce

from msgspec import Struct

from intent_lsp.core.content import FileContent
from intent_lsp.core.gate.violations import MarkedRun, marked_runs
from intent_lsp.core.line_diff import LineDiff, LineEdit
from intent_lsp.formats.diff import line_hunks
from intent_lsp.governance.judging.file_snapshot import OpenFileState


class DocumentDiffs(Struct, frozen=True):
    """The diffs of a text against three references, updated edit by edit.

    The references are HEAD, the session's baseline, and the newest passing content.
    `baseline` and `passed` are None if that reference is missing, equals HEAD, or is no known text.
    """

    head: LineDiff
    baseline: LineDiff | None
    passed: LineDiff | None

    @classmethod
    def of(cls, look: OpenFileState, lines: list[str]) -> "DocumentDiffs":
        """Return the diffs of the text `lines` against the references in the snapshot `look`."""

        def narrowing(content: FileContent | None) -> LineDiff | None:
            if content is None or content.lines is None or content.hash == look.head.hash:
                return None
            return LineDiff(content.lines, lines, line_hunks)

        head = LineDiff(look.head.lines or [], lines, line_hunks)
        return cls(head, narrowing(look.baseline), narrowing(look.passed))

    @property
    def each(self) -> tuple[LineDiff, ...]:
        """The diffs among the three that are not None."""
        return tuple(diff for diff in (self.head, self.baseline, self.passed) if diff is not None)

    def edited(self, edits: Sequence[LineEdit], lines: list[str]) -> None:
        """Update the diffs after `edits`, at least one, in order. `lines` is the resulting text."""
        edit = reduce(_joined, edits)
        for diff in self.each:
            diff.edited(edit, lines)

    def compare(self, lines: list[str]) -> None:
        """Recompute all diffs from the whole text `lines`."""
        for diff in self.each:
            diff.compare(lines)

    def runs(self, *, standing_refusal: bool) -> tuple[MarkedRun, ...] | None:
        """Return the runs of lines to mark, or None if the text cannot be compared line by line.

        `standing_refusal`: the file's newest record is a violation, so lines changed before the
        session began are marked too (requirements section 8).
        """
        wanted = (self.passed,) if standing_refusal else (self.baseline, self.passed)
        narrowing = [diff.hunks for diff in wanted if diff is not None]
        if self.head.hunks is None or None in narrowing:
            return None
        return marked_runs(self.head.hunks, [hunks for hunks in narrowing if hunks is not None])


def _joined(first: LineEdit, second: LineEdit) -> LineEdit:
    """Return one edit that covers two consecutive edits."""
    reach = max(first.new_end, second.old_end)
    return LineEdit(
        start=min(first.start, second.start),
        old_end=reach - (first.new_end - first.old_end),
        new_end=reach + (second.new_end - second.old_end),
    )
