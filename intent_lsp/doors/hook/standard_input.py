"""Standard input of a hook, read by size and by time: one host never closes it."""

import json
import os
import select

from intent_lsp.core.errors import IntentLspError
from intent_lsp.store.stopwatch import stopwatch

LARGEST = 32 * 1024 * 1024
"""The most bytes of one event."""

_CHUNK = 1 << 20


class UnreadInputError(IntentLspError):
    """Raised if the host's event could not be read from standard input in time, or is too large."""


def read_input(descriptor: int, seconds: float) -> bytes:
    """Return what a host writes to a hook, up to the end of input or of one JSON object.

    What ends with the input need not be JSON. Raise UnreadInputError if neither end comes within
    `seconds`, or if more than LARGEST bytes come. Raise OSError if the descriptor cannot be read.
    """
    passed = stopwatch()
    parts: list[bytes] = []
    size = 0
    while True:
        left = seconds - passed()
        if left <= 0 or not _is_ready(descriptor, left):
            raise _unfinished(b"".join(parts), seconds)
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return b"".join(parts)
        parts.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise UnreadInputError(f"the event on standard input has more than {LARGEST >> 20} MiB")
        if chunk.rstrip().endswith(b"}") and not _is_ready(descriptor, 0.0):
            # Mostly the end is there at once, and nothing has to be parsed to find it.
            data = b"".join(parts)
            if _is_whole(data):
                return data


def _unfinished(data: bytes, seconds: float) -> UnreadInputError:
    if not data.strip():
        return UnreadInputError(f"nothing came on standard input within {seconds:g} s")
    return UnreadInputError(f"the event on standard input did not end within {seconds:g} s")


def _is_ready(descriptor: int, seconds: float) -> bool:
    """Whether there is more to read, or the end, within `seconds`."""
    return bool(select.select([descriptor], [], [], seconds)[0])


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True
