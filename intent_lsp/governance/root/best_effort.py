"""A step after an edit: one that fails is logged and stops neither the next nor the edit.

Invariant: only what the world does to us is forgiven; a fault of ours is raised.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from intent_lsp.core.errors import IntentLspError

_log: Final = logging.getLogger(__name__)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Do one step (requirements section 9); `what` is the subject of the line in the log."""
    try:
        yield
    except (IntentLspError, OSError) as problem:
        _log.warning("%s: %s", what, problem)
