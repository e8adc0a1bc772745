"""Advice to archive the oldest records of a long ledger, logged at most once a week.

Specified in requirements section 12.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import create_cache_file

RECOMMENDED_ABOVE: Final = 10_000_000
"""The size in bytes of the main file above which archiving is advised: git keeps each version."""


_AGAIN_AFTER: Final = timedelta(weeks=1)
_TOLD: Final = "archiving_recommended"
"""The name of the file in `.local/` that holds the time of the last advice."""

_log: Final = logging.getLogger(__name__)


def advice(size: int) -> str | None:
    """Return a sentence that advises to archive records, or None if the file is not too large.

    `size` is the size of the main ledger file in bytes; above `RECOMMENDED_ABOVE` it is too large.
    """
    if size <= RECOMMENDED_ABOVE:
        return None
    return (
        f"{LEDGER_FILE} has {size / 1e6:.1f} MB; `intent-lsp trace archive --before 90d` moves"
        " records older than 90 days into another file"
    )


def size_of(root: Path) -> int:
    """Return the size of a root's main ledger file in bytes, or 0 if it cannot be found."""
    with suppress(OSError):
        return (root / LEDGER_FILE).lstat().st_size
    return 0


def recommend_archiving(root: Path, clock: Callable[[], datetime]) -> None:
    """Log the advice to archive if a root's main ledger file is too large, at most once a week.

    The time of the last advice is kept in `.local/`. If that cannot be written, each call logs it.
    """
    said = advice(size_of(root))
    if said is None:
        return
    note, now = root / LOCAL_ROOM / _TOLD, clock()
    told = _time_in(note)
    if told is None or not timedelta() <= now - told < _AGAIN_AFTER:
        _log.warning("%s", said)
        with suppress(OSError):
            create_cache_file(note, timestamp(now).encode(), mode=0o600)


def _time_in(note: Path) -> datetime | None:
    with suppress(OSError, ValueError):
        found = read_bytes(note)
        return None if found is None else datetime.fromisoformat(found.decode())
    return None
