"""Known heads: hashes of last records, stored in this clone to notice if they vanish.

Specified in ledger section 2.

Invariant: a head is noted only after the disk has synced its record, so that a crash raises no
false alarm.
Invariant: unless two processes write at once, a head is removed only if a newer head follows it, a
verification or a person has dealt with it, or `HEADS_AT_MOST` newer ones are kept.
"""

import logging
import os
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.ledger.truncation import KnownHead
from intent_lsp.store.append_file import overwrite
from intent_lsp.store.fs.files import plain_file

HEADS_AT_MOST: Final = 16
"""The most heads that are kept. The newest ones stay."""

_NAME: Final = "known_heads"
_MODE: Final = 0o600
_LINE: Final = re.compile(rb"(sha256:[0-9a-f]{64}) ([+-]) ([0-9a-f]{8})")
_LINE_BYTES: Final = 83
_HASH_BYTES: Final = 71
_READ_AT_MOST: Final = 64 * _LINE_BYTES

_log: Final = logging.getLogger(__name__)


class KnownHeads:
    """The known-heads file in one root's `.local/` directory, which must exist.

    Several processes may use it. Two that write at once may lose a head, or leave one that another
    head follows, but never a hash that was not a head. The next verification removes the
    superfluous head.
    """

    def __init__(self, local: Path) -> None:
        self._path = local / _NAME
        self._failed = False

    def heads(self) -> tuple[KnownHead, ...]:
        """Return the known heads, newest first; empty if the file cannot be read.

        Lines that a crash has torn are skipped.
        """
        try:
            with plain_file(self._path, os.O_RDONLY) as fd:
                return _read(os.read(fd, _READ_AT_MOST))
        except (OSError, UnsafePathError):
            return ()

    def note(self, links: Sequence[Link]) -> None:
        """Store the last of the appended records as a head.

        Remove the heads that any of the records follows or merges. `links` are the records' links,
        in the order in which they were appended; all are synced to disk. Only the newest
        `HEADS_AT_MOST` heads stay. The file is not synced. A failure is logged and not raised.
        """
        if links:
            head = links[-1].hash
            names = [name for link in links for name in (link.prev, *link.merges) if name]
            gone = {name.encode() for name in (head, *names)}
            # Keeps lines without parsing them, for speed: `heads` checks their checksums.
            self._write(
                lambda data: (
                    _spelled(KnownHead(head)),
                    *(line for line in _lines(data) if line[:_HASH_BYTES] not in gone),
                )
            )

    def forget(self, heads: Collection[ContentHash]) -> None:
        """Remove heads whose records were appended again, or whose loss a person has accepted.

        A failure is logged and not raised.
        """
        before = self.heads()
        self.settle(before, (known for known in before if known.hash not in heads))

    def settle(self, before: Sequence[KnownHead], now: Iterable[KnownHead]) -> None:
        """Replace the known heads `before` by the heads `now`.

        Heads that were stored after `before` was read are kept. A failure is logged and not raised.
        """
        kept = dict.fromkeys(now)
        if tuple(kept) == tuple(before):
            return
        old = {each.hash for each in (*before, *kept)}
        self._write(
            lambda data: map(_spelled, (*(k for k in _read(data) if k.hash not in old), *kept))
        )

    def _write(self, changed: Callable[[bytes], Iterable[bytes]]) -> None:
        def written(data: bytes) -> bytes:
            # One write replaces the whole file. Line feeds overwrite the rest of a longer old
            # state.
            return b"".join(islice(changed(data), HEADS_AT_MOST)).ljust(len(data), b"\n")

        try:
            overwrite(self._path, written, at_most=_READ_AT_MOST, mode=_MODE)
            self._failed = False
        except (OSError, UnsafePathError) as problem:
            # Logged once, not for each of a thousand records.
            if not self._failed:
                _log.warning("%s: the ledger's head cannot be noted: %s", self._path, problem)
            self._failed = True


def _read(data: bytes) -> tuple[KnownHead, ...]:
    found = (_LINE.fullmatch(line.rstrip(b"\n")) for line in _lines(data))
    return tuple(
        KnownHead(ContentHash(each.group(1).decode()), committed=each.group(2) == b"+")
        for each in found
        if each is not None and _check(each.group(1, 2)) == each.group(3)
    )


def _lines(data: bytes) -> list[bytes]:
    """Return the lines of the file's bytes that have exactly the length of a known head's line."""
    return [line for line in data.splitlines(keepends=True) if len(line) == _LINE_BYTES]


def _spelled(head: KnownHead) -> bytes:
    """Encode a known head as the line `HASH + CHECKSUM`, or `HASH - CHECKSUM` if in no branch."""
    told = (head.hash.encode(), b"+" if head.committed else b"-")
    return b" ".join((*told, _check(told))) + b"\n"


def _check(told: Iterable[bytes]) -> bytes:
    """Return the checksum of the first two fields of a known head's line.

    `told` are these fields. The checksum exposes a line torn by a crash.
    """
    return b"%08x" % zlib.crc32(b" ".join(told))
