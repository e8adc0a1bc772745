"""Imports a record of another tool as an event, marks it, and lists what was dropped.

Invariant: never raises. A JSON value gives an event, or the reason why it cannot.
Invariant: no grant and no approval is ever imported from a foreign record.
Invariant: `marked` marks every file of an event. An event without files gets no mark.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.ledger.chain import whole_event
from intent_lsp.core.records import (
    UNKNOWN_CONTRIBUTOR,
    UNKNOWN_REVISION,
    Conversation,
    Event,
    MutationClass,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.core.redaction import error_text
from intent_lsp.core.text import whole
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.foreign.files import MAX_URL, UNKNOWN, read_file
from intent_lsp.formats.ledger.foreign.javascript_json import parse
from intent_lsp.formats.ledger.foreign.keys import MAX_NAME, UNKNOWN_VALUE, ForeignKeys
from intent_lsp.formats.ledger.foreign.urns import talk_url
from intent_lsp.formats.ledger.schema import COMMIT, MAX_FILES, UUID4

_SPECIFICATION: Final = "specification"
_MAX_ERROR: Final = 1 << 14
_CLASS: Final = "mutation_class"

_T = TypeVar("_T", bound=StrEnum)


class Dialect(StrEnum):
    """The format of a foreign record.

    NESTED: like a line of this ledger. FLAT: one file in `file`. AGENT_TRACE: the Agent Trace
    specification.
    """

    NESTED = "nested"
    FLAT = "flat"
    AGENT_TRACE = "agent-trace"


class Recognised(Struct, frozen=True):
    """The dialect, id and time that a foreign record was found to have.

    `id` is a UUID v4 in lower case, or None if the record has no such id.
    """

    dialect: Dialect
    id: str | None
    timestamp: str


class Foreign(Struct, frozen=True):
    """An event imported from a foreign record, and what is known of that record.

    `lost` lists the keys that were dropped.
    """

    known: Recognised
    event: Event
    lost: tuple[str, ...]


IMPORTED: Final = "imported"
"""The type of the related entry that marks an imported record. Its value is the dialect."""


def recognised(value: object) -> Recognised | str:
    """Return the dialect, id and time of a foreign record, or the reason why `value` is not one.

    `value` is a JSON value.
    """
    if not isinstance(value, dict):
        return "the line is not a JSON object"
    dialect = _dialect(value)
    if dialect is None:
        return (
            "the line has neither a list `files` nor an object `file`, "
            "so it is not a record of a supported tool"
        )
    moment = utc(value.get("timestamp"))
    if moment is None:
        return "the record's `timestamp` is not a date or time (RFC 3339)"
    if dialect is not Dialect.FLAT and len(value["files"]) > MAX_FILES:
        return f"the record has more than {MAX_FILES:,} files"
    id_ = value.get("id")
    known = UUID4.fullmatch(id_.lower()) if isinstance(id_, str) else None
    return Recognised(dialect, known.group() if known else None, moment)


def foreign_line(line: bytes) -> Foreign | str:
    """Import one line of JSON Lines as a record, or return the reason why it cannot be imported."""
    try:
        value = parse(line.decode())
    except RecursionError:
        return "the line's JSON is nested too deeply to be read"
    except ValueError as error:
        return f"the line is not JSON: {error}"
    return foreign_record(value)


def foreign_record(value: Any) -> Foreign | str:  # noqa: ANN401 -- JSON has no narrower type
    """Import a JSON value as a record, or return the reason why it cannot be imported."""
    known = recognised(value)
    if isinstance(known, str):
        return known
    lost: dict[str, None] = {}
    keys = ForeignKeys(value, "", lost)
    keys.take("timestamp")
    if keys.take("id") is not None and known.id is None:
        keys.lose("id", "not a UUID of version 4, so the record gets another id")
    event = _event(keys, known.dialect, session_of(value))
    return Foreign(known, whole_event(event), tuple(lost))


def session_of(value: dict[str, Any]) -> str:
    """Return the session id of a foreign record, else the URL of its first conversation with one.

    If that is missing too, return `unknown`.
    """
    keys = ForeignKeys(value, "", {})
    plain = keys.text("session_id")
    if plain is None:
        files = (*keys.each("files"), keys.within("file"))
        talks = (talk for file in files for talk in file.each("conversations"))
        urls = (talk.text("url", limit=MAX_URL) for talk in talks)
        plain = talk_url(next(urls, None) or UNKNOWN)[:MAX_NAME]
    return whole(plain)


def derived_id(line: bytes) -> str:
    """Return an id for a record without one: a hash of its line in the form of a UUID v4."""
    digits = list(hash_content(line.strip()).removeprefix("sha256:")[:32])
    digits[12], digits[16] = "4", "89ab"[int(digits[16], 16) % 4]
    told = "".join(digits)
    return "-".join((told[:8], told[8:12], told[12:16], told[16:20], told[20:]))


def utc(found: object) -> str | None:
    """Return the time `found` in the ledger's format, or None if it is no ISO 8601 time.

    A time without an offset is taken as UTC, and a date alone as midnight of that day.
    """
    if not isinstance(found, str):
        return None
    try:
        moment = datetime.fromisoformat(found)
        return timestamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def marked(event: Event, dialect: Dialect) -> Event:
    """Return an event with the import mark, which names `dialect`, on each of its files.

    The mark is in a file's first conversation; a file without a conversation gets one. The tool
    name `unknown` becomes `import/` and the dialect.
    """
    mark = RelatedEntry(IMPORTED, dialect.value)
    tool = f"import/{dialect.value}" if event.tool_name == UNKNOWN else event.tool_name
    files = tuple(_marked(file, event, mark) for file in event.files)
    return replace(event, tool_name=tool, files=files)


def is_marked(event: Event) -> bool:
    """Return whether an event has the import mark, because it was imported from another tool."""
    talks = (talk for file in event.files for talk in file.conversations)
    return any(each.type == IMPORTED for talk in talks for each in talk.related)


def _dialect(value: dict[str, Any]) -> Dialect | None:
    if isinstance(value.get("files"), list):
        return Dialect.AGENT_TRACE if "version" in value else Dialect.NESTED
    single = isinstance(value.get("file", 0), dict | None)
    return Dialect.FLAT if single else None


def _event(keys: ForeignKeys, dialect: Dialect, session: str) -> Event:
    keys.text("session_id")
    files = _single_file(keys) if dialect is Dialect.FLAT else _files(keys)
    talks = [talk for file in files for talk in file.conversations]
    if keys.take("version") is not None:
        tool = keys.within("tool")
        name = tool.text("name")
        tool.leave()
    else:
        name = keys.text("tool_name")
    declared = _one_of(keys, MutationClass, _CLASS) or _related_class(talks)
    happened = keys.flag("success") is not False
    inferred = keys.flag("inferred") or False
    event = Event(
        intent_id=keys.text("intent_id") or _related(talks, _SPECIFICATION),
        intent_hash=keys.hash("intent_hash"),
        session_id=session,
        agent_id=keys.text("agent_id"),
        tool_name=name or UNKNOWN,
        mutation_class=declared or MutationClass.INTENT_EVOLUTION,
        inferred=inferred or declared is None,
        scope_validation=_one_of(keys, ScopeValidation, "scope_validation")
        or ScopeValidation.EXEMPT,
        success=happened,
        error=_error(keys, happened=happened),
        concurrent_modification=keys.flag("concurrent_modification") or False,
        assumed=keys.flag("assumed") or False,
        compared=keys.flag("compared") is not False,
        reconstructed=keys.flag("reconstructed") or False,
        refused_call_hash=keys.hash("refused_call_hash"),
        vcs=_vcs(keys.within("vcs")),
        files=files,
    )
    keys.leave()
    return event


def _files(keys: ForeignKeys) -> tuple[RecordFile, ...]:
    return tuple(file for each in keys.each("files") if (file := read_file(each)) is not None)


def _single_file(keys: ForeignKeys) -> tuple[RecordFile, ...]:
    single = keys.within("file")
    file = None if single.is_empty else read_file(single)
    return () if file is None else (file,)


def _error(keys: ForeignKeys, *, happened: bool) -> str | None:
    found = keys.text("error", limit=_MAX_ERROR)
    if found is not None and happened:
        keys.lose("error", "the edit happened, so the error is left out")
    return None if found is None or happened else error_text(found)


def _vcs(keys: ForeignKeys) -> Vcs:
    revision = keys.text("revision_id", "revision")
    of_git = keys.take("type") in (None, "git")
    if not of_git:
        keys.lose("type", "another version control system than git, so it is left out")
    keys.leave()
    if revision is None or revision == UNKNOWN_REVISION:
        return Vcs()
    if not (of_git and COMMIT.fullmatch(revision.lower())):
        keys.lose("revision", "not a commit of git, so it is left out")
        return Vcs()
    return Vcs(revision.lower())


def _one_of(keys: ForeignKeys, kind: type[_T], name: str) -> _T | None:
    found = keys.text(name)
    if found is None:
        return None
    try:
        return kind(found)
    except ValueError:
        keys.lose(name, UNKNOWN_VALUE)
        return None


def _related(talks: list[Conversation], kind: str) -> str | None:
    found = (each.value for talk in talks for each in talk.related if each.type == kind)
    return next((value[:MAX_NAME] for value in found if value), None)


def _related_class(talks: list[Conversation]) -> MutationClass | None:
    found = _related(talks, _CLASS)
    return MutationClass(found) if found in set(MutationClass) else None


def _marked(file: RecordFile, event: Event, mark: RelatedEntry) -> RecordFile:
    talks = file.conversations or (
        Conversation(url=event.session_id, contributor=UNKNOWN_CONTRIBUTOR),
    )
    first = replace(talks[0], related=(*talks[0].related, mark))
    return replace(file, conversations=(first, *talks[1:]))
