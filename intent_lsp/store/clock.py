"""The clock and the source of fresh ids.

Invariant: no other module asks what time it is or draws a random id.
"""

import uuid
from datetime import UTC, datetime


def now() -> datetime:
    """Give the present moment, aware, in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """Give a fresh random UUID (version 4) in its canonical spelling."""
    return str(uuid.uuid4())
