"""Moments as people type and read them: local time, `2h`, `3d`."""

import re
from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.timestamps import timestamp

_AGO: Final = re.compile(r"(\d+)([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def since(text: str, now: datetime) -> str | None:
    """Read how far to look back, as a ledger's timestamp; None: it is not a date or time.

    RFC 3339, where what is left out is the person's own: the time of day 00:00, the local offset;
    or a number and one of `s m h d w`: so long before `now`.
    """
    ago = _AGO.fullmatch(text)
    try:
        if ago is not None:
            return timestamp(now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}))
        return timestamp(datetime.fromisoformat(text).astimezone())
    except (ValueError, OverflowError):
        return None


def local(moment: str) -> str:
    """Spell a ledger's timestamp in local time, to the second: `2026-11-21 21:27:33`."""
    return _here(moment).replace(tzinfo=None).isoformat(" ", "seconds")


def local_day(moment: str) -> str:
    """Give the local day of a ledger's timestamp: `2026-11-21`."""
    return _here(moment).date().isoformat()


def local_with_offset(moment: str) -> str:
    """Spell a ledger's timestamp in local time: `2026-11-21 21:27:33 +0100`."""
    return f"{local(moment)} {_here(moment):%z}"


def _here(moment: str) -> datetime:
    """Take a moment to the person's time zone; one at the ends of the calendar stays in UTC."""
    found = datetime.fromisoformat(moment)
    try:
        return found.astimezone()
    except (OverflowError, ValueError):
        return found
