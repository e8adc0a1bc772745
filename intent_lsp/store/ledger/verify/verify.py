"""Verification of a whole ledger in one pass over a snapshot of its files (ledger section 2).

Invariant: memory does not grow with the ledger.
Invariant: each line was examined on its own before. Only its place in the chain is checked here.
Invariant: the main file stays open, so that what is read of it stays the same if archiving replaces
it. The other files only grow, and are read up to the size that they had when the
snapshot was taken.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Head
from intent_lsp.core.ledger.truncation import RecordCommit
from intent_lsp.core.ledger.verification import (
    Anchor,
    AnchorKind,
    Extent,
    LedgerProblem,
    Verification,
    conditional,
    problem,
    proved,
)
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.raw.file import opened
from intent_lsp.store.ledger.raw.files import FilesStamp, LedgerFiles, Strange
from intent_lsp.store.ledger.verify.link_check import FindEvidence, LinkCheck, Piece
from intent_lsp.store.ledger.verify.link_table import LinkTable, key
from intent_lsp.store.ledger.verify.scan import scan_widely
from intent_lsp.store.locks.root_lock import RootLock

_HEADS_NAMED: Final = 20
_NO_PROOF: Final = (AnchorKind.KNOWN_HEAD, AnchorKind.EARLIER_COMMIT)
"""Kinds of anchors that do not count as proofs.

Whoever can write the ledger can also write this machine's known heads. An earlier commit proves
less than the newest one.
"""


class VerifiedFile(NamedTuple):
    """A ledger file: its path as shown in problems, and the scan results for its lines in order."""

    file: str
    pieces: Iterable[Piece]


class Snapshot:
    """The ledger's files of a root at one moment.

    `main` is the descriptor of the main file, or None if there is none that can be read. `strange`
    lists what is in the place of a ledger file and is none, and ledger files that cannot be read.
    It is complete only after all `parts` were read.
    """

    def __init__(self, root: Path, main: int | None, stamps: FilesStamp) -> None:
        self.strange: list[Strange] = list(LedgerFiles(root).strange())
        self._root, self._main, self._stamps = root, main, stamps
        self._main_size = 0 if main is None else os.fstat(main).st_size

    def parts(self, progress: BuildProgress = quiet) -> Iterator[VerifiedFile]:
        """Yield each ledger file in reading order. Read its lines before requesting the next file.

        A file that no longer exists or cannot be read is left out. An archive or a segment that
        cannot be read is added to `strange`. `progress` is called with the bytes done and the
        total.
        """
        everything, before = sum(stamp.size for stamp in self._stamps), 0
        for stamp in self._stamps:
            done = partial(_done, progress, everything, before)
            before += stamp.size
            if stamp.file == LEDGER_FILE:
                if self._main is not None:
                    yield VerifiedFile(
                        LEDGER_FILE, scan_widely(self._main, self._main_size, progress=done)
                    )
                continue
            try:
                with opened(self._root / stamp.file) as fd:
                    # Git may have removed it. Verification then reports what names its records.
                    if fd is not None:
                        yield VerifiedFile(stamp.file, scan_widely(fd, stamp.size, progress=done))
            except LedgerUnavailableError as error:
                self.strange.append(Strange(stamp.file, error.problem))


def no_past(_hashes: Collection[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
    """Return an empty mapping. This is the search in git for callers that want none."""
    return {}


def verify(
    parts: Iterable[VerifiedFile],
    anchors: Sequence[Anchor] = (),
    *,
    strange: Sequence[Strange] = (),
    past: FindEvidence = no_past,
) -> Verification:
    """Verify the files of a ledger, given in reading order. Each is read once.

    `anchors` are hashes that the ledger should contain. An anchor from an earlier commit is in the
    result only if no file contains its hash. Each entry of `strange` becomes a problem in the
    result (see `Snapshot`). `past` finds in git the records that others follow and no file
    contains. Raise LedgerUnavailableError if the temporary database fails.
    """
    with LinkTable() as remembered:
        found = LinkCheck(remembered, past)
        for part in parts:
            found.follow_file(part.file, part.pieces)
        found.close()
        reached = [
            replace(anchor, records=_reached(remembered, [anchor]))
            for anchor in _but_those_there(remembered, anchors)
        ]
        proofs = [anchor for anchor in reached if anchor.kind not in _NO_PROOF]
        proven = _reached(remembered, proofs) if len(proofs) > 1 else None
        proven = proven or max((anchor.records or 0 for anchor in proofs), default=0)
    problems = found.problems.first()
    problems += [problem(LedgerCode.UNREADABLE_FILE, s.file, 1, s.problem) for s in strange]
    return _outcome(found, problems, reached, proofs=proofs, proven=proven)


@contextmanager
def snapshot_of(root: Path, lock: RootLock) -> Iterator[Snapshot]:
    """Yield a snapshot of a ledger's files, taken while holding `lock` if that is possible.

    The lock ensures that no append is half written. It is not taken if the lock file does not
    exist, and not waited for beyond its time limit. If the main file cannot be read, it is in the
    snapshot's list `strange`.
    """
    strange: list[Strange] = []
    with ExitStack() as stack:
        try:
            main = stack.enter_context(opened(root / LEDGER_FILE))
        except LedgerUnavailableError as error:
            main, strange = None, [Strange(LEDGER_FILE, error.problem)]
        snapshot = _between_appends(root, main, lock)
        snapshot.strange += strange
        yield snapshot


def _but_those_there(remembered: LinkTable, anchors: Sequence[Anchor]) -> list[Anchor]:
    """Return the anchors, except those from earlier commits whose hash some ledger file contains.

    There may be thousands of anchors from earlier commits.
    """
    earlier = {key(each.hash) for each in anchors if each.kind is AnchorKind.EARLIER_COMMIT}
    there = remembered.places(earlier) if earlier else {}
    return [
        each
        for each in anchors
        if each.kind is not AnchorKind.EARLIER_COMMIT or key(each.hash) not in there
    ]


def _outcome(
    found: LinkCheck,
    problems: Sequence[LedgerProblem],
    reached: Sequence[Anchor],
    *,
    proofs: Sequence[Anchor],
    proven: int,
) -> Verification:
    consistent = all(each.severity is not Severity.ERROR for each in problems)
    heads = tuple(found.heads.values())
    extent = Extent(records=found.records, proven=proven, heads=len(heads), consistent=consistent)
    return Verification(
        ok=consistent,
        records=found.records,
        segments=found.files,
        heads=heads,
        problems=(*problems, *_untied(heads)),
        anchors=tuple(reached),
        proved=proved(proofs, extent),
        conditional=conditional(extent),
        files=tuple(found.problems.files),
    )


def _reached(remembered: LinkTable, anchors: Sequence[Anchor]) -> int | None:
    """Return how many records the anchors prove: those with their hashes and all records before.

    Return None if no file has any of these hashes.
    """
    if not anchors:
        return None
    return remembered.reach({key(anchor.hash) for anchor in anchors}) or None


def _untied(heads: Sequence[Head]) -> list[LedgerProblem]:
    """Return a problem for each head that is not the ledger's end, at most `_HEADS_NAMED`.

    A later append merges these heads: the next one to the main file, or the first to a new segment.
    """
    newest = _current(heads)
    return [
        problem(
            LedgerCode.UNTIED_HEADS,
            head.file,
            head.line,
            f"the end of another branch, by session {head.session_id}; a later record joins it",
        )
        for head in [head for head in heads if head is not newest][:_HEADS_NAMED]
    ]


def _current(heads: Sequence[Head]) -> Head | None:
    """Return the head that is the ledger's end, or None if there are no heads.

    It is the last head in the main file, or the newest head if the main file has none.
    """
    main = [head for head in heads if head.file == LEDGER_FILE]
    newest = max(heads, key=lambda head: head.timestamp, default=None)
    return main[-1] if main else newest


def _between_appends(root: Path, main: int | None, lock: RootLock) -> Snapshot:
    """Return a snapshot taken while holding the lock, or without it if the lock cannot be taken.

    `main` is the descriptor of the main file, or None if there is none that can be read.
    """
    files = LedgerFiles(root)
    if lock.exists():
        # A reader that may not take the lock sees at worst an incomplete last line.
        with suppress(IntentLspError), lock.held():
            return Snapshot(root, main, files.stamp())
    return Snapshot(root, main, files.stamp())


def _done(progress: BuildProgress, everything: int, before: int, done: int) -> None:
    """Report `done` bytes of one file, after `before` bytes of earlier files, to `progress`."""
    progress(before + done, everything)
