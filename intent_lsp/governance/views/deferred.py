"""Queue of deferred audit events (requirements section 9).

Invariant: events are written in order. One that fails is logged and dropped, and does not stop
later ones.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

_log: Final = logging.getLogger(__name__)

DeferredEvent = Callable[[], None]


class DeferredQueue:
    """Queue that holds back audit events until `write` is called.

    If it is not `patient`, each event is written at once.
    """

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._news: deque[DeferredEvent] = deque()
        self._telling = threading.RLock()

    def add(self, news: DeferredEvent) -> None:
        """Append an event: a function that writes it.

        If not `patient`, write all queued events at once.
        """
        self._news.append(news)
        if not self._patient:
            self.write()

    def write(self) -> None:
        """Write all queued events. If another thread is doing so, wait until it has finished.

        An event that fails is logged and dropped.
        """
        with self._telling:
            while self._news:
                try:
                    self._news.popleft()()
                except Exception:  # noqa: BLE001 - nobody waits for it who could be told
                    _log.exception("an audit event cannot be written")
