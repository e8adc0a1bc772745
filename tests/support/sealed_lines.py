"""Ledger lines made without a ledger: records sealed onto each other, with branches."""

import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.records import Event, MutationClass, Record, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import seal
from tests.support.ledgers import START

EVENT = Event(
    session_id="s1",
    tool_name="editor/save",
    mutation_class=MutationClass.INTENT_EVOLUTION,
    scope_validation=ScopeValidation.PASS,
)


class Lines(NamedTuple):
    """Lines of a ledger, and the hashes of the records that were added to them."""

    lines: list[bytes]
    hashes: list[ContentHash]

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


def after(*heads: ContentHash, second: int = 0) -> tuple[Record, bytes]:
    """Make a record that follows the last of some heads, and ties the others."""
    end = ChainEnd(heads[-1] if heads else None, heads)
    moment = timestamp(START + timedelta(seconds=second))
    return seal(draft(EVENT, id=str(uuid.uuid4()), timestamp=moment, end=end))


def chain(length: int, *, onto: Sequence[bytes] = (), head: ContentHash | None = None) -> Lines:
    """Return some lines, and a number of records after them; `head` is what the first follows."""
    lines, heads = list(onto), [] if head is None else [head]
    for number in range(length):
        record, line = after(*heads[-1:], second=len(onto) + number)
        lines.append(line)
        heads.append(record.integrity.record_hash)
    return Lines(lines, heads if head is None else heads[1:])
