"""The ledger of a root, its index brought up to date before a person who waits (ledger section 4).

Invariant: what takes long is shown on a terminal, and is no part of the answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.ledger.reader import LedgerReader, tracing


@contextmanager
def indexed(root: Path, page: Output) -> Iterator[LedgerReader]:
    """Open the ledger of a root to ask it. Raises LedgerUnavailableError."""
    with tracing(root) as trace:
        with page.bar("Indexing the ledger") as progress:
            trace.refresh(progress)
        yield trace
