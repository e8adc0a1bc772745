"""Ledger lines from an older tool: chained over five keys, or not chained at all.

Invariant: the hash of a chained line covers JavaScript's JSON text of `{id, timestamp, vcs, files,
prev_record_hash}`; keys that the line lacks are left out of that text. The hash of a line without
`integrity` covers its bytes without the line end (ledger section 2).
Invariant: a line of the present format that lost only its `integrity` is not taken for an older
line.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import hash_content, parse_hash
from intent_lsp.core.ledger.chain import Flaw, Link
from intent_lsp.core.records import Integrity, Record
from intent_lsp.formats.ledger.foreign.javascript_json import parse, stringify
from intent_lsp.formats.ledger.foreign.records import (
    derived_id,
    foreign_record,
    recognised,
    session_of,
)

_PROTECTED: Final[Sequence[str]] = ("id", "timestamp", "vcs", "files")
_PREVIOUS: Final = "prev_record_hash"
_OURS: Final = frozenset({"files", "tool_name", "scope_validation", "success"})
_NOTHING: Final = "sha256:" + "0" * 64


def older_link(line: bytes) -> Link | None:
    """Return the link in the chain of a line that an older tool wrote, with its hash computed.

    The link has a flaw if the line states another hash. Return None for any other line. Never
    raises.
    """
    value = _parsed(line)
    return None if value is None else _link(line, value)


def older_record(line: bytes) -> tuple[Link, Record] | None:
    """Return the link and the record of a ledger line that an older tool wrote.

    The link is that of `older_link`. The record's `integrity.canonical` is empty, and its
    `integrity.chain` too if the line is not chained. Return None for any other line. Never raises.
    """
    value = _parsed(line)
    link = None if value is None else _link(line, value)
    found = None if link is None else foreign_record(value)
    if link is None or found is None or isinstance(found, str):
        return None
    place = Integrity(
        chain="" if link.bare else "sha256",
        canonical="",
        prev_record_hash=link.prev,
        record_hash=link.hash,
    )
    record = Record.of(found.event, id=link.id, timestamp=link.timestamp, integrity=place)
    return link, record


def is_older(record: Record) -> bool:
    """Return whether a record was read from a line that an older tool wrote."""
    return not record.integrity.canonical


def renewed(record: Record) -> Record:
    """Return a record of an older tool with `chain` and `canonical` as in records of this program.

    The hashes in `integrity` stay. The schema accepts only such a record.
    """
    place = Integrity(
        prev_record_hash=record.integrity.prev_record_hash, record_hash=record.integrity.record_hash
    )
    return replace(record, integrity=place)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object of a line, or None if there is none.

    Return None also for a line of the present format that lost its `integrity`.
    """
    try:
        value = parse(line.decode())
    except (ValueError, RecursionError):
        return None
    # A line of ours that lost its `integrity` still has all of these.
    if not isinstance(value, dict) or ("integrity" not in value and value.keys() >= _OURS):
        return None
    return value


def _link(line: bytes, value: dict[str, Any]) -> Link | None:
    told = recognised(value)
    if isinstance(told, str):
        return None
    link = Link(
        id=told.id or derived_id(line),
        timestamp=told.timestamp,
        session_id=session_of(value),
        older=True,
    )
    if "integrity" not in value:
        bare = line.removesuffix(b"\n").removesuffix(b"\r")
        return link._replace(hash=hash_content(bare), bare=True)
    return _chained(link, value)


def _chained(link: Link, value: dict[str, Any]) -> Link | None:
    place = value["integrity"]
    if not isinstance(place, dict) or "canonical" in place or place.get("chain") != "sha256":
        return None
    stated, previous = place.get("record_hash"), place.get(_PREVIOUS)
    prev = parse_hash(previous) if isinstance(previous, str) else None
    if not isinstance(stated, str) or (prev is None and previous is not None):
        return None
    hashed: dict[str, Any] = {name: value[name] for name in _PROTECTED if name in value}
    if _PREVIOUS in place:
        hashed[_PREVIOUS] = previous
    try:
        computed = hash_content(stringify(hashed).encode())
    except RecursionError:
        return None
    changed = Flaw(LedgerCode.BAD_HASH, "the record was changed after it was written")
    return link._replace(
        hash=computed,
        prev=None if prev == _NOTHING else prev,
        flaw=None if parse_hash(stated) == computed else changed,
    )
