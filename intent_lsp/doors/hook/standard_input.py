"""Standard input of a hook, read by size and by time: one host never closes it."""

import json
import os
import select
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.store.clock import stopwatch

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of one event."""

_CHUNK: Final = 1 << 20


class UnreadInputError(IntentLspError):
    """The host's event could not be read from standard input."""


def read_input(descriptor: int, seconds: float) -> bytes:
    """Return what a host writes to a hook, up to its end or to the end of one JSON object.

    Raise UnreadInputError if that takes longer than `seconds`, or is larger than LARGEST.
    """
    passed = stopwatch()
    parts: list[bytes] = []
    size = 0
    while True:
        left = seconds - passed()
        ready = left > 0 and select.select([descriptor], [], [], left)[0]
        if not ready:
            return _unfinished(b"".join(parts), seconds)
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return b"".join(parts)
        parts.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise UnreadInputError(f"the event on standard input has more than {LARGEST >> 20} MiB")
        if chunk.rstrip().endswith(b"}") and _is_whole(b"".join(parts)):
            return b"".join(parts)


def _unfinished(data: bytes, seconds: float) -> bytes:
    if not data.strip():
        raise UnreadInputError(f"nothing came on standard input within {seconds:g} s")
    raise UnreadInputError(f"the event on standard input did not end within {seconds:g} s")


def _is_whole(data: bytes) -> bool:
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    return True
