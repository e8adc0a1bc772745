"""Work that a cancelled request does not break off once it has begun (protocol section 2)."""

from collections.abc import Awaitable, Coroutine
from typing import Protocol, TypeVar

T = TypeVar("T")


class Finish(Protocol):
    """Awaits work that goes on to its end although its caller is cancelled."""

    def __call__(self, work: Coroutine[object, object, T]) -> Awaitable[T]:
        """Begin the work; give what awaits it."""
        ...
