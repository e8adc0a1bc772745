"""Clocks that tests set, file times, and writes of another program at the worst moment."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.write import directory_for_temporary

NOON = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


def overtake_writes(monkeypatch: pytest.MonkeyPatch, path: Path, *contents: bytes) -> None:
    """Have another program write `path` whenever our new content is ready to replace it."""
    real, waiting = os.fsync, list(contents)

    def fsync(descriptor: int) -> None:
        real(descriptor)
        if waiting and _is_to_be(path, os.fstat(descriptor).st_ino):
            path.write_bytes(waiting.pop(0))

    monkeypatch.setattr(os, "fsync", fsync)


def _is_to_be(path: Path, inode: int) -> bool:
    """Return whether a file is the new content of `path`, before it replaces it."""
    room = directory_for_temporary(path)
    beside = [each for each in room.glob(".tmp-*") if each.stat().st_ino == inode]
    # In `.local/` others are written too.
    return any(room == path.parent or b"\nactive_intents:" in each.read_bytes() for each in beside)


class Clock:
    """A clock that stands still until a test sets it forward."""

    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **span: float) -> None:
        self.moment += timedelta(**span)

    def of(self, stores: Stores) -> Stores:
        """Return a root's stores with this clock."""
        return replace(stores, clock=self)


def set_age(path: Path, moment: datetime, **span: float) -> None:
    """Set a file's times so that its age at a moment is this span."""
    at = (moment - timedelta(**span)).timestamp()
    os.utime(path, (at, at))
