"""A large ledger, made quickly: realistic records of about 1 KB, correctly sealed and chained.

Invariant: it writes byte for byte what the product would have written; a test compares the two.
Invariant: the same count gives the same ledger.
"""

import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import (
    AstFingerprint,
    Contributor,
    Conversation,
    EntityType,
    Integrity,
    MutationClass,
    Range,
    Record,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.ledger.jsonl import seal

INTENTS: Final = 50
PATHS: Final = 2_000

_FIRST: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_STEP: Final = timedelta(seconds=7, milliseconds=311)
_RECORDS_OF_SESSION: Final = 400
_AT_ONCE: Final = 5_000
_HASHES: Final = ("intent", "before", "after", "first", "second", "shape")

_PERSON: Final = Contributor(EntityType.HUMAN, "human")
_AGENT: Final = Contributor(EntityType.AI, "anthropic/claude-opus-4-5")


def intent_of(number: int) -> str:
    """Return the intent of record `number`, counted from 0."""
    return f"INT-{number * 7 % INTENTS:03}"


def path_of(number: int) -> str:
    """Return the file of record `number`, counted from 0."""
    return f"src/area{number * 13 % PATHS % 40:02}/module_{number * 13 % PATHS:04}.py"


def write_ledger(path: Path, count: int) -> None:
    """Write a ledger of `count` records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = lines(count)
    with path.open("wb") as file:
        while batch := b"".join(islice(made, _AT_ONCE)):
            file.write(batch)


def lines(count: int) -> Iterator[bytes]:
    """Yield the lines of a ledger, each with its newline."""
    chance = random.Random(count)  # noqa: S311 - nobody is kept out by these numbers
    previous = b"null"
    templates = [_RecordTemplate(record) for record in (_save(), _edit())]
    for number in range(count):
        # The first record has no predecessor: null, where others have a string.
        fields = {**_values(number, chance), b"previous": previous}
        line, hash_ = templates[number % 4 == 0].fill(fields)
        previous = b'"%b"' % hash_
        yield line


class _RecordTemplate:
    """A template of a line and of its hashed bytes, with fields for what differs by record."""

    def __init__(self, record: Record) -> None:
        _, line = seal(record)
        wire = msgspec.json.decode(line)
        stated = wire["integrity"].pop("record_hash").encode()
        self._hashed = _template(msgspec.json.encode(wire, order="sorted"))
        self._line = _template(line.replace(stated, b"<hash>"))

    def fill(self, fields: dict[bytes, bytes]) -> tuple[bytes, bytes]:
        """Return a line and its hash, with the fields filled in."""
        digest = hashlib.sha256(self._hashed % fields).hexdigest()
        hash_ = b"sha256:%b" % digest.encode()
        return self._line % {**fields, b"hash": hash_}, hash_


def _template(spelled: bytes) -> bytes:
    for mark, name in _MARKS.items():
        spelled = spelled.replace(mark.encode(), b"<%b>" % name.encode())
    spelled = spelled.replace(b'"<previous>"', b"<previous>")
    return spelled.replace(b"%", b"%%").replace(b"<", b"%(").replace(b">", b")b")


def _mark(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def _marked(name: str) -> ContentHash:
    return ContentHash(f"sha256:{_mark(name)}")


_ID: Final = "00000000-0000-4000-8000-00000000d1d1"
_SESSION: Final = "00000000-0000-4000-8000-00000000e5e5"
_TIME: Final = "2001-01-01T01:01:01.001Z"
_INTENT: Final = "an intent"
_PATH: Final = "a path"
_MARKS: Final = {
    _ID: "id",
    _SESSION: "session",
    _TIME: "time",
    _INTENT: "intent_id",
    _PATH: "path",
    _marked("previous"): "previous",
    **{_mark(name): name for name in _HASHES},
}


def _values(number: int, chance: random.Random) -> dict[bytes, bytes]:
    """Return the values of one record's fields."""
    moment = (_FIRST + number * _STEP).isoformat(timespec="milliseconds")
    digits = chance.randbytes(32 * len(_HASHES)).hex().encode()
    session = hashlib.sha256(b"%d" % (number // _RECORDS_OF_SESSION)).hexdigest()
    return {
        b"id": _uuid(chance.randbytes(16).hex()),
        b"session": _uuid(session),
        b"time": b"%bZ" % moment.removesuffix("+00:00").encode(),
        b"intent_id": intent_of(number).encode(),
        b"path": path_of(number).encode(),
        **{name.encode(): digits[64 * at : 64 * (at + 1)] for at, name in enumerate(_HASHES)},
    }


def _uuid(digits: str) -> bytes:
    text = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"
    return text.encode()


def _save() -> Record:
    """Return a person's save: one run of lines."""
    run = Range(start_line=12, end_line=30, content_hash=_marked("first"), replaced=(12, 4, 19))
    return _record(
        tool_name="editor/save",
        mutation_class=MutationClass.INTENT_EVOLUTION,
        inferred=True,
        file=_file(_PERSON, (run,)),
    )


def _edit() -> Record:
    """Return an agent's edit: two runs of lines, in a file with a syntax fingerprint."""
    runs = (
        Range(start_line=3, end_line=3, content_hash=_marked("first"), replaced=(3, 0, 1)),
        Range(start_line=41, end_line=60, content_hash=_marked("second"), replaced=(40, 7, 20)),
    )
    shape = AstFingerprint(parser="tree-sitter", language="python", summary_hash=_marked("shape"))
    return _record(
        tool_name="write_to_file",
        mutation_class=MutationClass.BUG_FIX,
        inferred=False,
        file=_file(_AGENT, runs, shape),
    )


def _file(
    contributor: Contributor, runs: tuple[Range, ...], shape: AstFingerprint | None = None
) -> RecordFile:
    talk = Conversation(
        url=_SESSION,
        contributor=contributor,
        ranges=runs,
        related=(RelatedEntry("specification", _INTENT), RelatedEntry("mutation_class", "BUG_FIX")),
    )
    return RecordFile(
        relative_path=_PATH,
        pre_hash=_marked("before"),
        post_hash=_marked("after"),
        ast_fingerprint=shape,
        conversations=(talk,),
    )


def _record(
    *, tool_name: str, mutation_class: MutationClass, inferred: bool, file: RecordFile
) -> Record:
    return Record(
        id=_ID,
        timestamp=_TIME,
        intent_id=_INTENT,
        intent_hash=_marked("intent"),
        session_id=_SESSION,
        tool_name=tool_name,
        mutation_class=mutation_class,
        inferred=inferred,
        scope_validation=ScopeValidation.PASS,
        vcs=Vcs("a3c56b05b2766f6ce3795558307cdc8fdf46391a"),
        files=(file,),
        integrity=Integrity(prev_record_hash=_marked("previous"), record_hash=ContentHash("")),
    )
