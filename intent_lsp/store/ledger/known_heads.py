"""The known heads: what this machine has seen a ledger end with (ledger section 2).

Invariant: only a record that the disk keeps is noted, so that a crash makes no alarm.
Invariant: a head is let go of when a newer one is known to follow it, and for nothing else.
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
from intent_lsp.core.ledger.evidence import KnownHead
from intent_lsp.store.append_file import overwrite
from intent_lsp.store.fs.files import open_plain

HEADS_AT_MOST: Final = 16
"""The newest that are kept; there are several only where branches were switched."""

_NAME: Final = "known_heads"
_MODE: Final = 0o600
_LINE: Final = re.compile(rb"(sha256:[0-9a-f]{64}) ([+-]) ([0-9a-f]{8})")
_LINE_BYTES: Final = 83
_HASH_BYTES: Final = 71
_READ_AT_MOST: Final = 64 * _LINE_BYTES

_log: Final = logging.getLogger(__name__)


class KnownHeads:
    """The file of one root's `.local/`, which is not made here; safe among processes.

    Writers that come together may leave a head there that another follows, and never one that
    was none; the next verification tidies up.
    """

    def __init__(self, local: Path) -> None:
        self._path = local / _NAME
        self._failed = False

    def heads(self) -> tuple[KnownHead, ...]:
        """Give what is known, newest first; lines that a crash has torn are passed over."""
        try:
            fd = open_plain(self._path, os.O_RDONLY)
            try:
                return _read(os.read(fd, _READ_AT_MOST))
            finally:
                os.close(fd)
        except (OSError, UnsafePathError):
            return ()

    def note(self, links: Sequence[Link]) -> None:
        """Note records that were appended in this order, and that the disk keeps.

        Some microseconds: one small write, which nobody waits for the disk to keep. What cannot
        be written is logged; no append fails by it.
        """
        if links:
            head = links[-1].hash
            names = [name for link in links for name in (link.prev, *link.merges) if name]
            gone = {name.encode() for name in (head, *names)}
            # Lines, not heads: whether they are whole is asked by whoever reads them.
            self._write(
                lambda data: (
                    _spelled(KnownHead(head)),
                    *(line for line in _lines(data) if line[:_HASH_BYTES] not in gone),
                )
            )

    def forget(self, heads: Collection[ContentHash]) -> None:
        """Let go of heads whose records were appended anew, or whose loss a person accepts."""
        before = self.heads()
        self.settle(before, (known for known in before if known.hash not in heads))

    def settle(self, before: Sequence[KnownHead], now: Iterable[KnownHead]) -> None:
        """Put what a verification has found out in place of what was known before it.

        A head that was noted meanwhile stays.
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
            # Blank lines over what is left of a longer state, in the same single write.
            return b"".join(islice(changed(data), HEADS_AT_MOST)).ljust(len(data), b"\n")

        try:
            overwrite(self._path, written, at_most=_READ_AT_MOST, mode=_MODE)
            self._failed = False
        except (OSError, UnsafePathError) as problem:
            # Once, and not for each of a thousand records.
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
    """Give the lines of a whole one's length."""
    return [line for line in data.splitlines(keepends=True) if len(line) == _LINE_BYTES]


def _spelled(head: KnownHead) -> bytes:
    told = (head.hash.encode(), b"+" if head.committed else b"-")
    return b" ".join((*told, _check(told))) + b"\n"


def _check(told: Iterable[bytes]) -> bytes:
    """Sum a line up: half of one and half of another are no head."""
    return b"%08x" % zlib.crc32(b" ".join(told))
