"""Somebody else at work beside the desk: quicker than it, or at another time."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.governance.stores import Stores

NOON = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


def quicker(monkeypatch: pytest.MonkeyPatch, path: Path, *contents: bytes) -> None:
    """Let somebody else write `path` each time that our own new content lies beside it."""
    real, waiting = os.fsync, list(contents)

    def fsync(descriptor: int) -> None:
        real(descriptor)
        written = os.fstat(descriptor).st_ino
        beside = (
            each for each in path.parent.glob(".local/.tmp-*") if each.stat().st_ino == written
        )
        if waiting and any(b"\nactive_intents:" in each.read_bytes() for each in beside):
            path.write_bytes(waiting.pop(0))

    monkeypatch.setattr(os, "fsync", fsync)


class Clock:
    """A clock that stands still until it is put forward."""

    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **span: float) -> None:
        self.moment += timedelta(**span)

    def of(self, stores: Stores) -> Stores:
        """Give a root's stores with this clock."""
        return replace(stores, clock=self)


def aged(path: Path, moment: datetime, **span: float) -> None:
    """Let a file be as old at a moment as a span."""
    at = (moment - timedelta(**span)).timestamp()
    os.utime(path, (at, at))
