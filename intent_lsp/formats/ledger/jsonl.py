"""The ledger's lines: records as compact JSON, and the bytes that are hashed (ledger section 1).

Invariant: a record of the present format has exactly one valid spelling. `examine` reports any
other as a flaw, because it would have the same hash.
Invariant: the hash covers the RFC 8785 form. No record holds a float, a key outside ASCII or a lone
surrogate, so that any compact serialiser with sorted keys produces that form.
Invariant: a line from an older tool is read as far as possible, and never sealed.
"""

import hashlib
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import InvalidRecordError
from intent_lsp.core.ledger.chain import UNSEALED, Flaw, Link
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import GRANT_TOOL, Integrity, Record, ScopeValidation, file_path
from intent_lsp.formats.ledger.legacy import is_older, older_link, older_record, renewed
from intent_lsp.formats.ledger.schema import WireIntegrity, WireRecord, broken_rule
from intent_lsp.formats.msgspec_types import register_msgspec_types


class IndexEntry(NamedTuple):
    """What the index of a ledger stores for a line.

    `link` is the line's link in the chain. If the line is not a record, nothing else is set.
    `paths` are the touched paths, old names of renamed files included. `passing`: the edit happened
    and its verdict was PASS or EXEMPT. `grant`: the record grants scope.
    """

    link: Link
    intent_id: str | None = None
    passing: bool = False
    paths: tuple[WorkspacePath, ...] = ()
    grant: bool = False


class Ready(NamedTuple):
    """A record that the schema has accepted, and the same record as the struct to encode.

    Its place in the chain and its hash are still missing.
    """

    record: Record
    wire: WireRecord


_READ: Final = msgspec.json.Decoder(WireRecord)
_RECORD: Final = register_msgspec_types(Record)
_LINE: Final = msgspec.json.Encoder()
_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


def seal(record: Record) -> tuple[Record, bytes]:
    """Hash a record that already has its place in the chain.

    Return the record with its hash, and the record's line with newline. Raise InvalidRecordError if
    the schema rejects the record or it has a lone surrogate.
    """
    return seal_at(ready(record), record.integrity)


def ready(record: Record) -> Ready:
    """Check a record by the schema and convert it for encoding. Its place in the chain comes later.

    Raise InvalidRecordError if the schema rejects the record.
    """
    return Ready(record, _to_struct(record))


def seal_at(prepared: Ready, place: Integrity) -> tuple[Record, bytes]:
    """Put a record at its `place` in the chain and hash it; any hash in `place` is replaced.

    Return the record with its hash, and the record's line with the final newline. Raise
    InvalidRecordError if the record has a lone surrogate.
    """
    wire = prepared.wire
    wire.integrity = msgspec.convert(place, type=WireIntegrity, from_attributes=True)
    computed = _hash(wire)
    wire.integrity.record_hash = computed
    sealed = replace(prepared.record, integrity=replace(place, record_hash=computed))
    return sealed, _spell(wire)


def encode(record: Record) -> bytes:
    """Return the ledger line of a record that has its hash, with the final newline.

    Of a record from an older tool, only what could be imported is encoded. Raise InvalidRecordError
    if the schema rejects the record, or if it has no hash or has a lone surrogate.
    """
    if is_older(record):
        return _LINE.encode(to_wire(record)) + b"\n"
    wire = _to_struct(record)
    if not wire.integrity.record_hash:
        raise InvalidRecordError(problem="the record has no hash")
    return _spell(wire)


def read(line: bytes) -> Record | None:
    """Return the record that a ledger line holds, or None if the line is no record.

    The record's hash is not verified. Lines of older tools are read too, and so are lines that are
    not formatted as this program does.
    """
    parsed = _parse(line)
    if isinstance(parsed, Flaw):
        older = older_record(line)
        return None if older is None else older[1]
    return msgspec.convert(parsed, type=Record, from_attributes=True)


def examine(line: bytes) -> Link:
    """Check one ledger line by itself, and recompute its hash. Never raises.

    Return the line's link in the chain, with the line's first flaw if it has one. The link of a
    line that is no record has nothing but the flaw.
    """
    parsed = _parse(line)
    if isinstance(parsed, Flaw):
        return older_link(line) or Link(flaw=parsed)
    return _link(line, parsed)


def entry(line: bytes) -> IndexEntry:
    """Return the index entry of a ledger line. Never raises.

    If the line is no record, only the entry's `link` is set, and `link.flaw` says why.
    """
    wire = _parse(line)
    if isinstance(wire, Flaw):
        older = older_record(line)
        return IndexEntry(Link(flaw=wire)) if older is None else entry_at(*older)
    return entry_at(_link(line, wire), wire)


def entry_of(record: Record) -> IndexEntry:
    """Return the index entry of a record whose `integrity` is complete, its hash included."""
    return entry_at(linked(record, record.integrity.record_hash), record)


def entry_at(link: Link, record: WireRecord | Record) -> IndexEntry:
    """Return the index entry of a record whose link in the chain is `link`."""
    passing = record.success and record.scope_validation is not ScopeValidation.FAIL
    grant = record.grant is not None and record.tool_name == GRANT_TOOL
    return IndexEntry(link, record.intent_id, passing, touched_paths(record), grant)


def linked(record: WireRecord | Record, hash_: ContentHash, flaw: Flaw | None = None) -> Link:
    """Return a record's link in the chain.

    `hash_` is the record's recomputed hash, and `flaw` is what is wrong with its line, or None.
    """
    place = record.integrity
    above, tied = place.prev_record_hash, place.merges
    return Link(hash_, record.id, record.timestamp, record.session_id, above, tied, flaw)


def touched_paths(record: WireRecord | Record) -> tuple[WorkspacePath, ...]:
    """Return the paths that a record touched, once each, old names of renamed files included."""
    paths: dict[WorkspacePath, None] = {}
    for file in record.files:
        paths[file_path(file.relative_path, file.path_encoding)] = None
        if file.previous_path is not None:
            paths[file_path(file.previous_path, file.path_encoding)] = None
    return tuple(paths)


def to_wire(record: Record) -> dict[str, Any]:
    """Return a record as the JSON object of its ledger line, with the keys in order.

    A record of an older tool gets no key `canonical`, and if it is not chained, no `integrity`.
    Raise InvalidRecordError if the schema rejects the record.
    """
    found: dict[str, Any]
    if not is_older(record):
        found = msgspec.to_builtins(_to_struct(record))
        return found
    found = msgspec.to_builtins(_to_struct(renewed(record)))
    del found["integrity"]["canonical"]
    if not record.integrity.chain:
        del found["integrity"]
    return found


def _link(line: bytes, wire: WireRecord) -> Link:
    computed, flaw = _hash(wire), _misspelled(line, wire)
    if flaw is None and wire.integrity.record_hash != computed:
        flaw = Flaw(LedgerCode.BAD_HASH, "the record was changed after it was written")
    return linked(wire, computed, flaw)


def _parse(line: bytes) -> WireRecord | Flaw:
    try:
        wire = _READ.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _unreadable(line, error)
    rule = broken_rule(wire) if wire.integrity.record_hash else "`integrity.record_hash` is missing"
    return wire if rule is None else Flaw(LedgerCode.BAD_RECORD, rule)


def _misspelled(line: bytes, wire: WireRecord) -> Flaw | None:
    if _spell(wire) == (line if line.endswith(b"\n") else line + b"\n"):
        return None
    if line.endswith(b"\r\n"):
        problem = (
            "the line ends with CRLF, as git converts lines; write `*.jsonl -text` into"
            " .orchestration/.gitattributes, and replace CRLF by LF in the file"
        )
        return Flaw(LedgerCode.BAD_FORM, problem)
    return Flaw(
        LedgerCode.BAD_FORM,
        "the line's JSON is not spelled as intent-lsp writes it; another program changed the line",
    )


def _unreadable(line: bytes, error: Exception) -> Flaw:
    """Return the flaw of a line that cannot be decoded, because of `error`.

    The code of the flaw is BAD_RECORD if the line can be read as a JSON object, else BAD_JSON.
    """
    if isinstance(error, RecursionError):
        return Flaw(
            LedgerCode.BAD_JSON,
            "the line's JSON is nested too deeply to be read; intent-lsp writes no such line:"
            " restore it, for example from git",
        )
    if not isinstance(error, msgspec.ValidationError):
        return Flaw(LedgerCode.BAD_JSON, f"the line is not JSON: {error}")
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as worse:
        return _unreadable(line, worse)
    if not isinstance(value, dict):
        return Flaw(LedgerCode.BAD_JSON, "the line is not a JSON object")
    return Flaw(LedgerCode.BAD_RECORD, f"the line is not a record: {error}")


def _hash(wire: WireRecord) -> ContentHash:
    # The hash does not cover itself, so empty it while the record is encoded.
    stated = wire.integrity.record_hash
    wire.integrity.record_hash = UNSEALED
    canonical = _encoded(_CANONICAL, wire)
    wire.integrity.record_hash = stated
    return ContentHash("sha256:" + hashlib.sha256(canonical).hexdigest())


def _to_struct(record: Record) -> WireRecord:
    try:
        wire = msgspec.convert(record, type=WireRecord, from_attributes=True)
    except msgspec.ValidationError as error:
        raise InvalidRecordError(problem=str(error)) from error
    rule = broken_rule(wire)
    if rule is not None:
        raise InvalidRecordError(problem=rule)
    return wire


def _spell(wire: WireRecord) -> bytes:
    return _encoded(_LINE, wire) + b"\n"


def _encoded(encoder: msgspec.json.Encoder, wire: WireRecord) -> bytes:
    try:
        return encoder.encode(wire)
    except UnicodeEncodeError as error:
        raise InvalidRecordError(
            problem=f"a text in the record has half of a character (a lone surrogate): {error}"
        ) from error
