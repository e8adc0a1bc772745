"""When to recommend that the oldest records of a ledger's main file be archived.

Specified in requirements section 12.
"""

from typing import Final

from intent_lsp.core.paths import LEDGER_FILE

RECOMMENDED_ABOVE: Final = 10_000_000
"""The size of the main file, in bytes. Git keeps each version of it, and readers read all of it."""


def advice(size: int) -> str | None:
    """Return the recommendation to archive, or None if the main file is short enough.

    `size` is that of the main file in bytes.
    """
    if size <= RECOMMENDED_ABOVE:
        return None
    return (
        f"{LEDGER_FILE} has {size / 1e6:.1f} MB; `intent-lsp trace archive` moves its oldest"
        " records into another file"
    )
