"""What is yet to be told of judged calls (requirements section 9).

Invariant: it is told in order, each once, and before anything that reads what was told.
Invariant: what cannot be told is logged, and keeps nothing else from being told.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

_log: Final = logging.getLogger(__name__)

DeferredEvent = Callable[[], None]


class DeferredQueue:
    """Holds news back until an answer is given; `patient` False: until nothing."""

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._news: deque[DeferredEvent] = deque()
        self._telling = threading.RLock()

    def add(self, news: DeferredEvent) -> None:
        """Put news behind all that is untold; whoever is patient calls `tell` in a moment."""
        self._news.append(news)
        if not self._patient:
            self.write()

    def write(self) -> None:
        """Tell all there is; what another thread is telling is waited for."""
        with self._telling:
            while self._news:
                try:
                    self._news.popleft()()
                except Exception:  # noqa: BLE001 - nobody waits for it who could be told
                    _log.exception("a judgement could not be told of")
