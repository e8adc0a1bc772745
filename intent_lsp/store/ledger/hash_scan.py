"""Finds the record hashes that a ledger's lines state: the first, or those with given digits.

Invariant: no hash is recomputed. A result is only what a line states, and proves nothing.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.formats.ledger.stated_link import stated_link
from intent_lsp.store.ledger.raw.file import file_lines
from intent_lsp.store.ledger.raw.files import LedgerFiles

_PREFIX: Final = "sha256:"


def first_hash(root: Path) -> ContentHash | None:
    """Return the hash that the first record of a root's ledger states, or None without a record.

    Raise LedgerUnavailableError if a file of the ledger that comes before it cannot be read.
    """
    links = (stated_link(line) for line in _lines(root))
    return next((link.hash for link in links if link is not None), None)


def hashes_starting(root: Path, digits: str, *, limit: int) -> tuple[ContentHash, ...]:
    """Return the first `limit` stated record hashes whose hexadecimal digits start with `digits`.

    Each is returned once, in reading order. `digits` are in lower case. Raise
    LedgerUnavailableError if a file of the ledger cannot be read.
    """
    return tuple(islice(dict.fromkeys(_starting(root, digits)), limit))


def _starting(root: Path, digits: str) -> Iterator[ContentHash]:
    sought = digits.encode()
    for line in _lines(root):
        # Most lines are skipped unparsed. One without the plain key may spell it with escapes.
        if sought in line or b'"integrity"' not in line:
            link = stated_link(line)
            if link is not None and link.hash.startswith(_PREFIX + digits):
                yield link.hash


def _lines(root: Path) -> Iterator[bytes]:
    for name in LedgerFiles(root).names():
        yield from (line for line in file_lines(root / name) if line.endswith(b"\n"))
