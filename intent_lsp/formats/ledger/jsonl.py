"""The ledger's lines: records as compact JSON, and the bytes that are hashed (ledger section 1).

Invariant: a record has exactly one right spelling; every other is a flaw, because it would keep
its hash.
Invariant: the hash is taken over the RFC 8785 form; no record holds a float, a key outside ASCII
or a lone surrogate, so that any sorted compact serialiser gives that form.
Invariant: a line that an older tool wrote is read as far as it goes, and is never written.
"""

import hashlib
from dataclasses import replace
from typing import Any, Final, NamedTuple

import msgspec

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
    """What an index keeps of a line; all but `link` is empty for a line that is not a record.

    `paths` are those that the record touched, old names of renamed files too; `passing`: the
    edit happened and its verdict was PASS or EXEMPT; `grant`: it grants scope.
    """

    link: Link
    intent_id: str | None = None
    passing: bool = False
    paths: tuple[WorkspacePath, ...] = ()
    grant: bool = False


class Ready(NamedTuple):
    """A record that the schema accepts, to be sealed once; what it says of its place is open."""

    record: Record
    wire: WireRecord


_READ: Final = msgspec.json.Decoder(WireRecord)
_RECORD: Final = register_msgspec_types(Record)
_LINE: Final = msgspec.json.Encoder()
_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


def seal(record: Record) -> tuple[Record, bytes]:
    """Hash a drafted record; give it with its hash, and its line with the final newline.

    Raises InvalidRecordError for a record that the schema refuses.
    """
    return seal_at(ready(record), record.integrity)


def ready(record: Record) -> Ready:
    """Do all that can be done before a drafted record's place is known, and others wait for it.

    Raises InvalidRecordError for a record that the schema refuses.
    """
    return Ready(record, _to_struct(record))


def seal_at(prepared: Ready, place: Integrity) -> tuple[Record, bytes]:
    """Hash a record in its place; give it with its hash, and its line with the final newline."""
    wire = prepared.wire
    wire.integrity = msgspec.convert(place, type=WireIntegrity, from_attributes=True)
    computed = _hash(wire)
    wire.integrity.record_hash = computed
    sealed = replace(prepared.record, integrity=replace(place, record_hash=computed))
    return sealed, _spell(wire)


def encode(record: Record) -> bytes:
    """Spell a sealed record as its line, with the final newline; an older one as far as known.

    Raises InvalidRecordError for a record that would not be read back.
    """
    if is_older(record):
        return _LINE.encode(to_wire(record)) + b"\n"
    wire = _to_struct(record)
    if not wire.integrity.record_hash:
        raise InvalidRecordError(problem="it is not sealed")
    return _spell(wire)


def read(line: bytes) -> Record | None:
    """Read a record however it is spelled, an older one too; None for a line that is none."""
    parsed = _parse(line)
    if isinstance(parsed, Flaw):
        older = older_record(line)
        return None if older is None else older[1]
    return _to_record(parsed)


def examine(line: bytes) -> Link:
    """Recompute what a line is in the chain, and name the first thing wrong with it. Total."""
    parsed = _parse(line)
    if isinstance(parsed, Flaw):
        return older_link(line) or Link(flaw=parsed)
    return _link(line, parsed)


def entry(line: bytes) -> IndexEntry:
    """Give what an index keeps of a line. Total."""
    wire = _parse(line)
    if isinstance(wire, Flaw):
        older = older_record(line)
        return IndexEntry(Link(flaw=wire)) if older is None else entry_at(*older)
    return entry_at(_link(line, wire), wire)


def entry_of(record: Record) -> IndexEntry:
    """Give what an index keeps of a record that was just sealed."""
    return entry_at(linked(record, record.integrity.record_hash), record)


def entry_at(link: Link, record: WireRecord | Record) -> IndexEntry:
    """Give what an index keeps of a record in its place."""
    paths, passing, grant = touched_paths(record), is_passing(record), grants_scope(record)
    return IndexEntry(link, record.intent_id, passing, paths, grant)


def linked(record: WireRecord | Record, hash_: ContentHash, flaw: Flaw | None = None) -> Link:
    """Give what a record says of its place; `hash_` is its recomputed hash."""
    place = record.integrity
    above, tied = place.prev_record_hash, place.merges
    return Link(hash_, record.id, record.timestamp, record.session_id, above, tied, flaw)


def touched_paths(record: WireRecord | Record) -> tuple[WorkspacePath, ...]:
    """List the paths that a record touched, old names of renamed files too, each once."""
    paths: dict[WorkspacePath, None] = {}
    for file in record.files:
        paths[file_path(file.relative_path, file.path_encoding)] = None
        if file.previous_path is not None:
            paths[file_path(file.previous_path, file.path_encoding)] = None
    return tuple(paths)


def is_passing(record: WireRecord | Record) -> bool:
    """Whether an edit happened and broke no rule."""
    return record.success and record.scope_validation is not ScopeValidation.FAIL


def grants_scope(record: WireRecord | Record) -> bool:
    """Whether a record is one of granted scope."""
    return record.grant is not None and record.tool_name == GRANT_TOOL


def to_wire(record: Record) -> dict[str, Any]:
    """Give the object of the line, keys in its order; an older one has no `canonical`.

    Raises InvalidRecordError for a record that would not be read back.
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
        flaw = Flaw(LedgerCode.BAD_HASH, "it was changed after it was written")
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
        problem = "it ends with CRLF; keep git from converting the ledger's line ends"
        return Flaw(LedgerCode.BAD_FORM, problem)
    return Flaw(LedgerCode.BAD_FORM, "it is not spelled as this program spells it")


def _unreadable(line: bytes, error: Exception) -> Flaw:
    """Tell a value that is not a record from what is not JSON at all."""
    if not isinstance(error, msgspec.ValidationError):
        return Flaw(LedgerCode.BAD_JSON, f"it is not JSON: {error}")
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as worse:
        return Flaw(LedgerCode.BAD_JSON, f"it is not JSON: {worse}")
    if not isinstance(value, dict):
        return Flaw(LedgerCode.BAD_JSON, "it is not a JSON object")
    return Flaw(LedgerCode.BAD_RECORD, f"it is not a record: {error}")


def _hash(wire: WireRecord) -> ContentHash:
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


def _to_record(wire: WireRecord) -> Record:
    return msgspec.convert(wire, type=Record, from_attributes=True)


def _spell(wire: WireRecord) -> bytes:
    return _encoded(_LINE, wire) + b"\n"


def _encoded(encoder: msgspec.json.Encoder, wire: WireRecord) -> bytes:
    try:
        return encoder.encode(wire)
    except UnicodeEncodeError as error:
        raise InvalidRecordError(problem=f"a lone surrogate: {error}") from error
