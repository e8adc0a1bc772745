"""Finds the record hashes that a ledger's lines state: the first, or those with given digits.

Invariant: a result proves nothing, since a hash that a line states is not verified. A hash is
computed only if the line states none, as lines of older tools do.
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
    """Return the hash of the first record of a root's ledger, or None if the ledger has no record.

    A hash that the record's line states is not verified. Files after the record's are not read.
    Raise LedgerUnavailableError if a file cannot be read.
    """
    links = (stated_link(line) for line in _lines(root))
    return next((link.hash for link in links if link is not None), None)


def hashes_starting(root: Path, digits: str, *, limit: int) -> tuple[ContentHash, ...]:
    """Return the first `limit` record hashes whose hexadecimal digits start with `digits`.

    Hashes that the lines state are not verified. Each is returned once, in reading order. `digits`
    are in lower case. The ledger's files are read until `limit` hashes are found; raise
    LedgerUnavailableError if a file cannot be read.
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
