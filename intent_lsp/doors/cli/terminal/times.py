"""Times as people type and read them: `2h`, `3d`, and local time."""

import re
from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.timestamps import timestamp

_AGO: Final = re.compile(r"(\d+)([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def since(text: str, now: datetime) -> str | None:
    """Return the ledger timestamp for a time as a person types it, or None if `text` is no time.

    `text` is either what `datetime.fromisoformat` reads, where a missing time of day means 00:00
    and a missing offset the local one, or a number and one of `s m h d w`, such as `2h`, for a time
    that long before `now`.
    """
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            return timestamp(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
        return timestamp(datetime.fromisoformat(text).astimezone())
    except (ValueError, OverflowError):
        return None


def local(moment: str) -> str:
    """Return a ledger timestamp in local time, to the second: `2026-11-21 21:27:33`."""
    return _here(moment).replace(tzinfo=None).isoformat(" ", "seconds")


def local_day(moment: str) -> str:
    """Return the local day of a ledger timestamp: `2026-11-21`."""
    return _here(moment).date().isoformat()


def local_with_offset(moment: str) -> str:
    """Return a ledger timestamp in local time with offset: `2026-11-21 21:27:33 +0100`."""
    return f"{local(moment)} {_here(moment):%z}"


def _here(moment: str) -> datetime:
    """Return a timestamp in local time, or unchanged if Python cannot express that local time."""
    found = datetime.fromisoformat(moment)
    try:
        return found.astimezone()
    except (OverflowError, ValueError):
        return found
