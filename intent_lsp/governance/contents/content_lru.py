"""Contents that were asked for lately, each decoded once.

Invariant: a content is kept under a name that never means another one, so that it is never stale.
Invariant: what is kept together is bounded; what was not asked for the longest goes first.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Final

from intent_lsp.governance.contents.content import Content

KEPT_TOGETHER: Final = 16 << 20
"""Characters of all contents kept; a content that is larger alone is not kept."""


class RecentContents:
    """Contents by the name of what they are: a hash, or a version that git knows."""

    def __init__(self, kept_together: int = KEPT_TOGETHER) -> None:
        self._room = kept_together
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Content] = {}
        self._size = 0

    def get(self, name: Hashable, read: Callable[[], Content]) -> Content:
        """Give the content of a name; `read` is called, outside the lock, when it is not kept."""
        with self._lock:
            known = self._kept.pop(name, None)
            if known is not None:
                # Last in the dictionary is the last that was asked for.
                self._kept[name] = known
                return known
        return self._keep(name, read())

    def _keep(self, name: Hashable, content: Content) -> Content:
        # What could not be read may be readable the next time.
        if content.hash is None or content.text is None or len(content.text) > self._room:
            return content
        with self._lock:
            if name in self._kept:
                return self._kept[name]
            self._kept[name] = content
            self._size += len(content.text)
            while self._size > self._room:
                self._size -= len(self._kept.pop(next(iter(self._kept))).text or "")
        return content
