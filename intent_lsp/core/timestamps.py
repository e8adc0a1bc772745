"""Timestamps as stored on disk and sent to clients: RFC 3339, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """Return a time as text in UTC: `2026-11-21T20:27:33.123Z`. `moment` must have a time zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
