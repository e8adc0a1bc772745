"""The verification of a ledger, in one pass over its bytes (ledger section 2).

Invariant: memory stays flat in the ledger's size: what has to be remembered of every line is kept
in a temporary file.
Invariant: every hash is recomputed, and every link is compared with a recomputed hash.
"""

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from tempfile import SpooledTemporaryFile
from typing import Final

from intent_lsp.core.chain import Trail
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.verification import Problem, Verification
from intent_lsp.formats.ledger_jsonl import examine

_REMEMBERED: Final = struct.Struct("36s71s")
_IN_MEMORY: Final = 8 * 1024 * 1024
_IDS_AT_ONCE: Final = 250_000
_CHUNK: Final = 1024 * 1024
_HEADS_NAMED: Final = 20
_SEVERITY: Final[Mapping[LedgerCode, Severity]] = {
    LedgerCode.TORN_TAIL: Severity.WARNING,
    LedgerCode.UNTIED_HEADS: Severity.INFORMATION,
    LedgerCode.CLOCK_BACKWARDS: Severity.INFORMATION,
}


Reader = Callable[[int, int], bytes]
"""Gives the bytes from one offset to another."""


def verify(read: Reader, size: int, file: str) -> Verification:
    """Verify the first `size` bytes of a ledger; `file` names it in problems."""
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as remembered:
        found = _Pass(file=file, remembered=remembered)
        for line in _lines(read, size):
            found.follow(line)
        found.resolve_links()
        found.compare_ids()
        return found.verification()


@dataclass(frozen=True, slots=True)
class _Loose:
    """A line that names hashes which are no open head."""

    line: int
    hash: ContentHash
    named: tuple[ContentHash, ...]


@dataclass(slots=True, kw_only=True)
class _Pass:
    file: str
    remembered: SpooledTemporaryFile[bytes]
    trail: Trail = field(default_factory=Trail)
    records: int = 0
    loose: list[_Loose] = field(default_factory=list)
    firsts: dict[LedgerCode, Problem] = field(default_factory=dict)
    counts: Counter[LedgerCode] = field(default_factory=Counter)

    def follow(self, line: bytes) -> None:
        if not line.endswith(b"\n"):
            message = f"{len(line)} bytes without a line end: they hold no answered record"
            self.note(LedgerCode.TORN_TAIL, self.trail.lines + 1, message)
            return
        link = examine(line)
        if self.trail.goes_back(link):
            message = "its clock is behind that of the record before it"
            self.note(LedgerCode.CLOCK_BACKWARDS, self.trail.lines + 1, message)
        named = self.trail.step(link)
        if link.flaw is not None:
            self.note(link.flaw.code, self.trail.lines, link.flaw.message)
        if named:
            self.loose.append(_Loose(self.trail.lines, link.hash, named))
        self.records += bool(link.hash)
        self.remembered.write(_REMEMBERED.pack(link.id.encode(), link.hash.encode()))

    def resolve_links(self) -> None:
        """Look for the records that loose lines name; two branches joined, or a broken chain."""
        sought = {name for loose in self.loose for name in (loose.hash, *loose.named)}
        where: dict[str, int] = {}
        if sought:
            for line, (_, found) in enumerate(self.recall(), 1):
                name = found.decode()
                if name in sought:
                    where.setdefault(name, line)
        for loose in self.loose:
            if where[loose.hash] < loose.line:
                self.trail.copied(loose.hash)
            if any(where.get(name, loose.line) >= loose.line for name in loose.named):
                message = "it names a record that stands on no earlier line"
                self.note(LedgerCode.BROKEN_LINK, loose.line, message)

    def compare_ids(self) -> None:
        """Look for two records of one id, in parts small enough for the memory."""
        parts = 1 + self.records // _IDS_AT_ONCE
        doubled: list[int] = []
        for part in range(parts):
            seen: dict[bytes, bytes] = {}
            for line, (id_, hash_) in enumerate(self.recall(), 1):
                if hash(id_) % parts == part and seen.setdefault(id_, hash_) != hash_:
                    doubled.append(line)
        for line in sorted(doubled):
            message = "an earlier record has the same id and other content"
            self.note(LedgerCode.DUPLICATE_ID, line, message)

    def recall(self) -> Iterator[tuple[bytes, bytes]]:
        """Give the id and the hash of each line again; both of NUL for a line that is none."""
        self.remembered.seek(0)
        while block := self.remembered.read(_REMEMBERED.size * 8192):
            yield from _REMEMBERED.iter_unpack(block)

    def note(self, code: LedgerCode, line: int, message: str) -> None:
        self.counts[code] += 1
        first = self.firsts.setdefault(code, self.problem(code, line, message))
        if line < first.line:
            self.firsts[code] = self.problem(code, line, message)

    def problem(self, code: LedgerCode, line: int, message: str) -> Problem:
        severity = _SEVERITY.get(code, Severity.ERROR)
        return Problem(code=code, severity=severity, file=self.file, line=line, message=message)

    def verification(self) -> Verification:
        firsts = sorted(self.firsts.values(), key=lambda problem: problem.line)
        problems = [
            replace(first, message=first.message + _others(self.counts[first.code] - 1))
            for first in firsts
        ]
        problems += self.untied()
        ok = all(problem.severity is not Severity.ERROR for problem in problems)
        return Verification(
            ok=ok,
            records=self.records,
            segments=int(self.trail.lines > 0),
            heads=tuple(self.trail.heads.values()),
            problems=tuple(problems),
            proved="nothing: no anchor was given",
            conditional=self.conditional(ok=ok),
        )

    def untied(self) -> list[Problem]:
        """Name the heads that the next append will tie."""
        heads = self.trail.heads
        loose = [head for head in heads.values() if head.hash != self.trail.last]
        return [
            self.problem(
                LedgerCode.UNTIED_HEADS,
                head.line,
                f"the end of another branch, by session {head.session_id}; not tied yet",
            )
            for head in (loose[:_HEADS_NAMED] if len(heads) > 1 else [])
        ]

    def conditional(self, *, ok: bool) -> str:
        if not ok:
            return "nothing: the chain is broken"
        if not self.records:
            return "nothing: there is no record yet"
        if len(self.trail.heads) > 1:
            return f"all {self.records} records, and {len(self.trail.heads) - 1} untied heads"
        return f"all {self.records} records: whoever can write the file can write it anew"


def _others(count: int) -> str:
    return f" (and {count} more)" if count else ""


def _lines(read: Reader, size: int) -> Iterator[bytes]:
    """Give every line with its newline, and what stands after the last one."""
    rest: list[bytes] = []
    for start in range(0, size, _CHUNK):
        first, *lines = read(start, min(start + _CHUNK, size)).split(b"\n")
        rest.append(first)
        for line in lines:
            yield b"".join(rest) + b"\n"
            rest = [line]
    torn = b"".join(rest)
    if torn:
        yield torn
