"""The clock and the source of random ids.

Invariant: no other module reads the time or draws a random id.
"""

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime


def now() -> datetime:
    """Return the present time, timezone-aware, in UTC."""
    return datetime.now(UTC)


def budget(seconds: float) -> Callable[[], bool]:
    """Return a function that reports whether this thread has used `seconds` of processor time.

    Processor time is used because a record's content must not depend on the machine's other load.
    Call the function only in the thread that made it.
    """
    end = time.thread_time() + seconds
    return lambda: time.thread_time() > end


def deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that reports whether `seconds` have passed since this call."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def stopwatch() -> Callable[[], float]:
    """Return a function that returns the seconds passed since this call."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun


def pause(seconds: float) -> None:
    """Sleep for `seconds`."""
    time.sleep(seconds)


def new_id() -> str:
    """Return a new random UUID (version 4) in its canonical form."""
    return str(uuid.uuid4())
