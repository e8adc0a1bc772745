"""The clock and the source of fresh ids.

Invariant: no other module asks what time it is or draws a random id.
"""

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime


def now() -> datetime:
    """Give the present moment, aware, in UTC."""
    return datetime.now(UTC)


def budget(seconds: float) -> Callable[[], bool]:
    """Give what tells whether this thread has worked so many seconds from now on.

    Only the time that the thread itself had a processor counts: what a record tells of a file must
    not depend on what else a machine does. It is to be asked by the thread that took it.
    """
    end = time.thread_time() + seconds
    return lambda: time.thread_time() > end


def deadline(seconds: float) -> Callable[[], bool]:
    """Give what tells whether so many seconds have passed from now on."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def stopwatch() -> Callable[[], float]:
    """Give what tells how many seconds have passed from now on."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun


def pause(seconds: float) -> None:
    """Let so many seconds pass."""
    time.sleep(seconds)


def new_id() -> str:
    """Give a fresh random UUID (version 4) in its canonical spelling."""
    return str(uuid.uuid4())
