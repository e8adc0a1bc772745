"""What the C library keeps of memory that was given back to it.

Invariant: where this is not glibc, nothing is done, and nothing is amiss.
"""

from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_ARENA_MAX: Final = -8

_LARGE: Final = 1024 * 1024
_LEFT: Final = 256 * 1024


def share_memory() -> None:
    """Have all threads take memory from where the others do, and give back what is over.

    Each thread has a heap of its own otherwise, and each keeps what its largest piece of work
    took: four that have verified a ledger hold four times as much, for as long as the server runs.
    """
    # Loaded when nobody waits: of all modules this alone needs it.
    import ctypes  # noqa: PLC0415

    with suppress(OSError, AttributeError, TypeError):
        set_option = ctypes.CDLL(None).mallopt
        set_option(_ARENA_MAX, 1)
        set_option(_MMAP_THRESHOLD, _LARGE)
        set_option(_TRIM_THRESHOLD, _LEFT)
