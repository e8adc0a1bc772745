"""The violations shown on a text, from its snapshot and its diffs (requirements section 8).

Invariant: there is at most one violation for each run, in the order of the runs. If some runs are
not shown, one more violation says how many.
Invariant: the diffs of a document are updated at each edit, before anything is shown.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import HostCode, ShownCode
from intent_lsp.core.content import FileContent
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.gate.violations import SHOWN_A_FILE, MarkedRun, Others, marked_runs
from intent_lsp.core.gate.words import for_people, title_of
from intent_lsp.core.line_diff import LineDiff, LineEdit
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.formats.diff import line_hunks
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from intent_lsp.governance.violations.violation import RelatedPlace, Violation

OWNERS_PLACED: Final = 10
"""The most owners of a file whose places a violation has."""

_SERVER_ONLY = "Only intent-lsp may write {path}. This edit will be recorded as a violation."
_ALIKE = (
    "The same is true of {count:,} more changed files{where}. Open one to see its marked lines."
)
_ANOTHER = "The same is true of 1 more changed file{where}. Open it to see its marked lines."


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
        """The diffs against HEAD, baseline and newest passing content, without None."""
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


def file_violations(
    root: Path, look: OpenFileState, runs: Sequence[MarkedRun], room: int = SHOWN_A_FILE
) -> tuple[Violation, ...]:
    """Return the violations of one file, from its snapshot and the runs of lines to mark.

    There is one for each run, but at most `room`, and at most SHOWN_A_FILE. If there are more runs,
    one more violation says how many are not shown. If the disk has changed since the editor read
    the file (`look.stale`), there is only one violation, on the first line. There are none without
    runs, or if `look.shown` is false.
    """
    room = min(room, SHOWN_A_FILE)
    denied = look.judgement.denied
    if not look.shown or not runs:
        return ()
    if look.stale:
        runs = (MarkedRun(0, 0),)
    code, path, intent = code_of(look), look.judgement.path, look.judgement.intent
    message = look.ignored or (
        _SERVER_ONLY.format(path=path) if denied is None else for_people(denied, intent)
    )
    elsewhere, owner_places = _scope_places(root, look, denied), _owner_places(root, look)
    shown = tuple(
        Violation(
            code=code,
            message=message,
            first_line=run.first_line,
            last_line=run.last_line,
            path=path,
            intent_id=None if intent is None else intent.id,
            owners=look.judgement.owners,
            elsewhere=elsewhere,
            hunk=run.hunk,
            scope=() if intent is None else intent.owned_scope,
            owner_places=owner_places,
        )
        for run in runs[:room]
    )
    return shown + _rest(runs, path, room)


def marked_lines(
    look: OpenFileState, diffs: DocumentDiffs | None, lines: list[str]
) -> Sequence[MarkedRun]:
    """Return the runs of lines to mark in a file whose changes are shown as violations.

    `look` is the file's snapshot, `lines` its text. `diffs` are those of that text, or None if it
    is not compared line by line. In that case the whole file is marked, if it has changed on disk
    or if the content on disk is a recorded violation (`look.refused`). A stale file is marked on
    its first line, unless its text is that on disk.
    """
    if look.stale:
        # If the buffer equals the disk's text, the file was reloaded and a save overwrites nothing.
        return () if lines == look.disk.lines else (MarkedRun(0, 0),)
    whole = (MarkedRun(0, max(len(lines) - 1, 0)),)
    if look.head.lines is None or look.disk.lines is None or diffs is None:
        changed = look.disk.hash != look.head.hash and not _held(look)
        return whole if changed or look.refused is not None else ()
    runs = diffs.runs(standing_refusal=look.refused is not None)
    if runs is None:
        return whole
    if look.refused is not None and not runs and lines == look.disk.lines:
        # Without a commit, HEAD stands for the first content seen, which may be the refused text.
        same = look.head.committed and look.head.lines == lines
        return () if same else runs_of_record(look.refused, look.judgement.path, len(lines))
    return runs


def _held(look: OpenFileState) -> bool:
    """Return whether the content on disk equals the baseline or the newest passing content."""
    references = (look.baseline, look.passed)
    return any(held is not None and held.hash == look.disk.hash for held in references)


def code_of(look: OpenFileState) -> str:
    """Return the code under which changes of a file are shown."""
    if look.ignored is not None:
        return HostCode.REFUSAL_IGNORED.value
    denied = look.judgement.denied
    return ShownCode.CONTROL_PLANE_EDIT.value if denied is None else denied.code.value


def for_others(problem: Violation, others: Others) -> Violation:
    """Return a violation whose message also says that the same is true of more changed files.

    `others` says how many more files these are, and in which folder (disk section 3).
    """
    count = others.count
    where = f" in {others.folder}/" if others.folder else ""
    told = (_ANOTHER if count == 1 else _ALIKE).format(count=count, where=where)
    return replace(problem, message=f"{problem.message} {told}")


def runs_of_record(record: Record, path: WorkspacePath, line_count: int) -> tuple[MarkedRun, ...]:
    """Return the line ranges that a refused record has for a file, counted from 0.

    They are marked if the file's diff shows no change. `path` is the file, and `line_count` is the
    number of lines of its text. A recorded line beyond the end of the text becomes the last line.
    """
    last = max(line_count - 1, 0)
    ranges = (
        run
        for file in record.files
        if file.path == path
        for conversation in file.conversations
        for run in conversation.ranges
    )
    return tuple(
        MarkedRun(min(max(run.start_line - 1, 0), last), min(max(run.end_line - 1, 0), last))
        for run in ranges
    )


def _joined(first: LineEdit, second: LineEdit) -> LineEdit:
    """Return one edit that covers two consecutive edits."""
    reach = max(first.new_end, second.old_end)
    return LineEdit(
        start=min(first.start, second.start),
        old_end=reach - (first.new_end - first.old_end),
        new_end=reach + (second.new_end - second.old_end),
    )


def _rest(runs: Sequence[MarkedRun], path: str, room: int) -> tuple[Violation, ...]:
    more = len(runs) - room
    if more <= 0:
        return ()
    are = "is" if more == 1 else "are"
    return (
        Violation(
            code=ShownCode.MORE_VIOLATIONS.value,
            message=f"{counted(more, 'more violation')} in this file {are} not shown.",
            first_line=runs[room].first_line,
            last_line=runs[room].last_line,
            path=path,
        ),
    )


def _scope_places(
    root: Path, look: OpenFileState, denied: Denied | None
) -> tuple[RelatedPlace, ...]:
    intent = look.judgement.intent
    places = None if intent is None else look.judgement.rules.file.places.get(intent.id)
    if intent is None or places is None or denied is None:
        return ()
    span = places.owned_scope or places.id
    message = f"The files that {intent.id} owns are listed here"
    return (RelatedPlace(path=root / INTENTS_FILE, span=span, message=message),)


def _owner_places(root: Path, look: OpenFileState) -> tuple[RelatedPlace, ...]:
    """Return the places of the ids of the file's owners, at most OWNERS_PLACED."""
    file = look.judgement.rules.file
    owners = ((file.intents.get(owner), file.places.get(owner)) for owner in look.judgement.owners)
    placed = (
        RelatedPlace(path=root / INTENTS_FILE, span=places.id, message=title_of(intent))
        for intent, places in owners
        if intent is not None and places is not None
    )
    return tuple(islice(placed, OWNERS_PLACED))
