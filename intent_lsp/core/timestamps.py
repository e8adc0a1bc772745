"""Timestamps as stored on disk and sent to clients: RFC 3339, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """Format a time that has a time zone as UTC: `2026-11-21T20:27:33.123Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
