"""The server with random delays in its threads.

`python -m tests.support.jittered_server SEED serve`: half of the work that the event loop hands to
a thread begins late, and half ends late.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

from intent_lsp.__main__ import main
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor

LATE, AT_MOST = 0.5, 0.3
"""How often work is late, and by how many seconds at most: longer than a save waits."""


def jittered(seed: int) -> Callable[..., Any]:
    """Return a replacement of `BackgroundExecutor.in_thread` that adds random delays."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    in_thread = BackgroundExecutor.in_thread

    def dawdle() -> None:
        if chance.random() < LATE:
            time.sleep(chance.random() * AT_MOST)

    async def in_slow_thread(
        self: BackgroundExecutor, work: Callable[..., Any], *given: object, **named: object
    ) -> object:
        def late() -> object:
            dawdle()
            try:
                return work(*given, **named)
            finally:
                dawdle()

        return await in_thread(self, late)

    return in_slow_thread


if __name__ == "__main__":
    BackgroundExecutor.in_thread = jittered(int(sys.argv.pop(1)))  # type: ignore[method-assign]
    sys.exit(main())
