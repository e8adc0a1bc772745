"""The clock, and random ids.

Invariant: no other module imports `time`, apart from the stopwatch.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

_COARSE: Final = 5 if sys.platform == "linux" else None
"""The kernel's clock for times of files, CLOCK_REALTIME_COARSE, which `time` does not name."""

_SAFE_NS: Final = 20_000_000
"""More than one tick of that clock, to subtract from the time where it cannot be read."""


def now() -> datetime:
    """Return the present time, timezone-aware, in UTC."""
    return datetime.now(UTC)


def budget(seconds: float) -> Callable[[], bool]:
    """Return a function that returns True once this thread has used `seconds` of processor time.

    Processor time is counted from this call. It is used because a record's content must not depend
    on the machine's other load. The returned function must be called in the same thread.
    """
    end = time.thread_time() + seconds
    return lambda: time.thread_time() > end


def deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that returns True once `seconds` have passed since this call."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def pause(seconds: float) -> None:
    """Sleep for `seconds`."""
    time.sleep(seconds)


def file_time_ns() -> int:
    """Return a time in ns. Any file that changes from now on gets this or a later change time."""
    return time.time_ns() - _SAFE_NS if _COARSE is None else time.clock_gettime_ns(_COARSE)


def new_id() -> str:
    """Return a new random UUID (version 4) in its canonical form."""
    # Loaded when it is needed: a hook that only asks the server draws no id.
    import uuid  # noqa: PLC0415

    return str(uuid.uuid4())
