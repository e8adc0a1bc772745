"""Best-effort steps: a failed step is logged, and what comes after it goes on.

Invariant: only our own errors and OSError are caught; any other exception is raised.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from intent_lsp.core.errors import IntentLspError

_log: Final = logging.getLogger(__name__)


@contextmanager
def step(what: str) -> Iterator[None]:
    """Run the `with` block. If it raises IntentLspError or OSError, log a warning and go on.

    The warning says that reading or writing `what` failed. Specified in requirements section 9.
    """
    try:
        yield
    except (IntentLspError, OSError) as problem:
        _log.warning("reading or writing %s failed: %s", what, problem)
