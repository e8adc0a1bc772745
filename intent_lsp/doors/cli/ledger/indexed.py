"""Opens a root's ledger with its index up to date, showing progress (ledger section 4).

Invariant: progress is shown only on a terminal, and is not part of the output.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.governance.ledger.reader import LedgerReader, tracing


@contextmanager
def indexed(root: Path, page: Output) -> Iterator[LedgerReader]:
    """Open the ledger of a root for reading, after updating its index.

    Raise LedgerUnavailableError.
    """
    with tracing(root) as trace:
        with page.bar("Indexing the ledger") as progress:
            trace.refresh(progress)
        yield trace
