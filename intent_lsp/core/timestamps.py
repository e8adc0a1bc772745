"""Moments as they stand on disk and on the wire: RFC 3339, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime


def timestamp(moment: datetime) -> str:
    """Spell an aware moment: `2026-11-21T20:27:33.123Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
