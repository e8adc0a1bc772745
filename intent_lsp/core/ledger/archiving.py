"""When a ledger's main file is so long that its oldest records should be archived.

Specified in requirements section 12.
"""

from typing import Final

from intent_lsp.core.paths import LEDGER_FILE

RECOMMENDED_ABOVE: Final = 10_000_000
"""Bytes of the main file. Git keeps each version of it, and everybody reads it whole."""


def advice(size: int) -> str | None:
    """Recommend archiving for a main file of so many bytes; None: it is short enough."""
    if size <= RECOMMENDED_ABOVE:
        return None
    return (
        f"{LEDGER_FILE} has {size / 1e6:.1f} MB; `intent-lsp trace archive` moves its oldest"
        " records into a file of their own"
    )
