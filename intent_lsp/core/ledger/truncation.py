"""Truncation check: finds records that outside evidence attests but that no ledger file contains.

The evidence is git's commits, this machine's state, checkpoints and hashes that the user gives.

Invariant: a head that this machine knows is no error if only another branch has it, or if an
incomplete search did not find it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import (
    Anchor,
    AnchorKind,
    LedgerProblem,
    Verification,
    with_others,
)
from intent_lsp.core.paths import LEDGER_FILE


class KnownHead(NamedTuple):
    """A head of the ledger that this machine has seen.

    `committed`: a branch contained the head when it was seen.
    """

    hash: ContentHash
    committed: bool = False


class Committed(Struct, frozen=True, kw_only=True):
    """The heads of the ledger as a commit contains it. `current`: that commit is checked out."""

    commit: str
    heads: tuple[ContentHash, ...]
    current: bool


class RecordCommit(Struct, frozen=True, kw_only=True):
    """A commit that contains a record, and the file with the record, relative to the root.

    `below`: the commit that is checked out, or an ancestor of it, also contains the record.
    `named`: a branch or a tag leads to the commit. If False, only a stash or a reflog does, which
    git expires in time.
    """

    commit: str
    file: str
    below: bool
    named: bool


class EvidenceSearch(Struct, frozen=True):
    """The result of searching git for records: the commit that contains each, by record hash.

    `whole`: the search was complete, so that a record without an entry in `held` is in no commit of
    a branch, a tag, a stash or a reflog.
    """

    held: Mapping[ContentHash, RecordCommit]
    whole: bool


_SHORT: Final = 12
_PREFIX: Final = "sha256:"


def with_cut_ends(
    found: Verification,
    known: Sequence[KnownHead],
    committed: Committed | None,
    search: EvidenceSearch,
) -> Verification:
    """Return `found` with the problems of the anchors whose record no ledger file contains.

    `search` says which commits contain these records. Of each code only the first problem is added,
    and its message counts the others (ledger section 2). `ok` is False if any problem is an ERROR.

    Two kinds of these anchors are removed and cause no problem. One has the kind AnchorKind.COMMIT,
    unless `committed` is the commit checked out. The other is a head in `known` that a branch
    contained, if a complete search found no commit that still contains it.
    """
    forgotten = _forgotten(known, search)
    anchors = tuple(each for each in found.anchors if not _is_past(each, committed, forgotten))
    told = [_problem(found, each, search) for each in anchors if each.records is None]
    problems = (*found.problems, *_first_of_each_kind(told))
    ok = all(problem.severity is not Severity.ERROR for problem in problems)
    return replace(found, anchors=anchors, problems=problems, ok=ok)


def remembered(
    found: Verification,
    known: Sequence[KnownHead],
    committed: Committed | None,
    search: EvidenceSearch,
) -> tuple[KnownHead, ...]:
    """Return the heads that this machine remembers after the verification `found`.

    They are the heads in `found`, newest first, and then the heads in `known` whose record no
    ledger file contains. A head in `known` is left out if a branch once contained it and a complete
    search finds it in no commit. If `found` has errors, return `known`. Do not pass the result of
    `with_cut_ends` as `found`.
    """
    if not found.ok:
        return tuple(known)
    in_git = frozenset() if committed is None else frozenset(committed.heads)
    newest_first = sorted(found.heads, key=lambda head: head.timestamp, reverse=True)
    now = [KnownHead(head.hash, committed=head.hash in in_git) for head in newest_first]
    missing = {each.hash for each in found.anchors if each.records is None}
    missing -= _forgotten(known, search)
    for head in known:
        if head.hash in missing:
            held = search.held.get(head.hash)
            now.append(KnownHead(head.hash, head.committed or (held is not None and held.named)))
    return tuple(dict.fromkeys(now))


def _forgotten(known: Sequence[KnownHead], search: EvidenceSearch) -> frozenset[str]:
    """Return the hashes of known heads that a branch once contained and now no commit contains.

    Empty if the search was not complete.
    """
    return frozenset(
        head.hash
        for head in known
        if head.committed and search.whole and head.hash not in search.held
    )


def _is_past(anchor: Anchor, committed: Committed | None, forgotten: frozenset[str]) -> bool:
    if anchor.records is not None:
        return False
    if anchor.kind is AnchorKind.COMMIT:
        return committed is None or not committed.current
    return anchor.kind is AnchorKind.KNOWN_HEAD and anchor.hash in forgotten


def _problem(found: Verification, anchor: Anchor, search: EvidenceSearch) -> LedgerProblem:
    code, severity, message = _told(anchor, search, found.files)
    file, line = (found.heads[-1].file, found.heads[-1].line) if found.heads else (LEDGER_FILE, 1)
    return LedgerProblem(code=code, severity=severity, file=file, line=line, message=message)


def _told(
    anchor: Anchor, search: EvidenceSearch, files: Collection[str]
) -> tuple[LedgerCode, Severity, str]:
    held = search.held.get(anchor.hash)
    where_it_is = "" if held is None else f"; {_commit(held)} still has the record"
    name = anchor.hash.removeprefix(_PREFIX)[:_SHORT]
    known = anchor.kind is AnchorKind.KNOWN_HEAD
    lost = f"record {name}, {_attested(anchor)}, is in no file of the ledger"
    if known and held is not None and not held.below:
        return LedgerCode.HEAD_ELSEWHERE, Severity.INFORMATION, f"{lost} here{where_it_is}"
    if held is not None and held.below and held.file not in files:
        return (
            LedgerCode.MISSING_SEGMENT,
            Severity.ERROR,
            f"{lost}: {held.file} is missing or cannot be read{where_it_is}",
        )
    if known and held is None and not search.whole:
        message = f"{lost}; not all of git's history could be searched for it"
        return LedgerCode.TRUNCATED, Severity.WARNING, message
    why = "it was cut off, or the ledger was written anew"
    if anchor.kind is AnchorKind.GIVEN and held is None:
        why = "it was cut off, or the ledger was written anew or never had it"
    return LedgerCode.TRUNCATED, Severity.ERROR, f"{lost}: {why}{where_it_is}"


def _attested(anchor: Anchor) -> str:
    match anchor.kind:
        case AnchorKind.COMMIT | AnchorKind.EARLIER_COMMIT:
            return f"which commit {anchor.name[:_SHORT]} contains"
        case AnchorKind.CHECKPOINT:
            checkpoint = f"the checkpoint {anchor.name}".rstrip()
            return f"which {checkpoint} names"
        case AnchorKind.KNOWN_HEAD:
            return "once the newest on this machine"
        case AnchorKind.GIVEN:
            return "whose hash was given"


def _commit(held: RecordCommit) -> str:
    by = "" if held.named else ", which only a stash or a reflog keeps,"
    return f"commit {held.commit[:_SHORT]}{by}"


def _first_of_each_kind(problems: Sequence[LedgerProblem]) -> list[LedgerProblem]:
    """Return the first problem of each code, the most severe first.

    The message of each says how many more problems have its code.
    """
    firsts: dict[LedgerCode, list[LedgerProblem]] = {}
    for problem in sorted(problems, key=lambda each: each.severity):
        firsts.setdefault(problem.code, []).append(problem)
    return [
        replace(first, message=with_others(first.message, len(others)))
        for first, *others in firsts.values()
    ]
