"""Measures how long something takes, by a clock that is never set.

Invariant: no library of dates is loaded, so that a hook begins quickly.
"""

import time
from collections.abc import Callable


def stopwatch() -> Callable[[], float]:
    """Return a function that returns the seconds passed since this call."""
    begun = time.monotonic()
    return lambda: time.monotonic() - begun
