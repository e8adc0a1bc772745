"""Exports of records: Agent Trace 0.1.0, flat records, CSV and JSON Lines (ledger section 7).

Invariant: each record is exported on its own, so that memory does not grow with the export.
Invariant: a record of several files gives several flat records with the same id. One without files
gives one whose `file` is null.
Invariant: ranges that Agent Trace cannot express (ranges of no lines, and pure deletions) are left
out of it and counted in its `metadata`.
Invariant: no cell of CSV is a formula. A cell that a spreadsheet would evaluate is marked as text.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from intent_lsp import __version__
from intent_lsp.core.records import (
    UNKNOWN_REVISION,
    Contributor,
    Conversation,
    EntityType,
    Range,
    Record,
    RecordFile,
)
from intent_lsp.formats.ledger.foreign.files import UNHASHED, UNKNOWN
from intent_lsp.formats.ledger.foreign.urns import related_uri, talk_uri
from intent_lsp.formats.ledger.jsonl import encode

VERSION: Final = "0.1.0"
"""The version of the Agent Trace specification."""
TOOL: Final = "intent-lsp"
_MAX_MODEL: Final = 250
_HUMAN: Final = "human"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_FLAT_FILE: Final = ("relative_path", "pre_hash", "post_hash")
_NO_FILE: Final = RecordFile(relative_path="", pre_hash=None, post_hash=None)


def agent_trace(record: Record) -> dict[str, Any]:
    """Return a record as a JSON object in the format of the Agent Trace specification.

    `metadata` holds our own fields under this program's name: intent, tool, mutation class,
    verdict, success, and whether the record is assumed. In `left_out` there, two kinds of ranges
    are counted: those that stand for a new content without any line (`ranges_of_no_lines`), and
    those that only delete lines (`pure_deletions`).
    """
    told: dict[str, Any] = {"version": VERSION, "id": record.id, "timestamp": record.timestamp}
    if record.vcs.revision_id != UNKNOWN_REVISION:
        told["vcs"] = {"type": "git", "revision": record.vcs.revision_id}
    told["tool"] = {"name": TOOL, "version": __version__}
    told["files"] = [
        {"path": file.relative_path, "conversations": list(map(_conversation, file.conversations))}
        for file in record.files
    ]
    told["metadata"] = {TOOL: _facts(record)}
    return told


def flat_records(record: Record) -> Iterator[dict[str, Any]]:
    """Yield a flat JSON object for each file of a record, or one if the record has no files.

    The key `assumed` is present only if it is true, and `error` only if there is an error.
    """
    for file in record.files or (None,):
        hashed = None if file is None else {name: getattr(file, name) for name in _FLAT_FILE}
        told: dict[str, Any] = {
            "id": record.id,
            "timestamp": record.timestamp,
            "intent_id": record.intent_id,
            "session_id": record.session_id,
            "tool_name": record.tool_name,
            "mutation_class": record.mutation_class.value,
            "file": hashed,
            "scope_validation": record.scope_validation.value,
            "success": record.success,
        }
        if record.is_assumed:
            told["assumed"] = True
        if record.error is not None:
            told["error"] = record.error
        yield told


def csv_rows(record: Record) -> Iterator[bytes]:
    """Yield a line of CSV for each file of a record, or one line if the record has no files.

    The columns are HEADINGS.
    """
    for file in record.files or (_NO_FILE,):
        yield _row(cell(record, file) for cell in _CELLS.values())


def _facts(record: Record) -> Mapping[str, Any]:
    runs = [run for file in record.files for talk in file.conversations for run in talk.ranges]
    return {
        "intent_id": record.intent_id,
        "tool_name": record.tool_name,
        "mutation_class": record.mutation_class.value,
        "scope_validation": record.scope_validation.value,
        "success": record.success,
        "assumed": record.is_assumed,
        "left_out": {
            "ranges_of_no_lines": sum(not run.start_line for run in runs),
            "pure_deletions": sum(bool(run.start_line) and _only_deletes(run) for run in runs),
        },
    }


def _conversation(talk: Conversation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "url": talk_uri(talk.url),
        "contributor": _contributor(talk.contributor),
        "ranges": [_range(run) for run in talk.ranges if run.start_line and not _only_deletes(run)],
    }
    if talk.related:
        told["related"] = [
            {"type": each.type, "url": related_uri(each.type, each.value)} for each in talk.related
        ]
    return told


def _contributor(who: Contributor) -> dict[str, str]:
    told = {"type": who.entity_type.value.lower()}
    if who.entity_type is not EntityType.HUMAN and who.model_identifier not in (UNKNOWN, _HUMAN):
        told["model_id"] = who.model_identifier[:_MAX_MODEL]
    return told


def _only_deletes(run: Range) -> bool:
    return run.replaced is not None and not run.replaced[2]


def _range(run: Range) -> dict[str, Any]:
    told: dict[str, Any] = {"start_line": run.start_line, "end_line": run.end_line}
    if run.content_hash != UNHASHED:
        told["content_hash"] = run.content_hash
    return told


def _people(file: RecordFile) -> Iterable[Contributor]:
    return dict.fromkeys(talk.contributor for talk in file.conversations)


def _lines(file: RecordFile, which: int) -> str:
    """Return the number of old lines (`which` is 1) or new lines (2) in all ranges of a file.

    Return "" if the file has no ranges, or has one that was not compared line by line.
    """
    runs = [run.replaced for talk in file.conversations for run in talk.ranges]
    compared = bool(runs) and None not in runs
    return str(sum(run[which] for run in runs if run is not None)) if compared else ""


def _truth(value: object) -> str:
    return "true" if value else "false"


def _row(cells: Iterable[str]) -> bytes:
    """Return cells as a line of CSV in the format of RFC 4180: UTF-8, commas, CRLF.

    A cell that a spreadsheet would take for a formula gets a `'` at its start.
    """
    found = _Row()
    csv.writer(found).writerow([_harmless(cell) for cell in cells])
    return found.text.encode()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


class _Row:
    """A file object that collects the text that `csv.writer` writes."""

    text = ""

    def write(self, text: str) -> None:
        self.text += text


def _json_line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"


_CELLS: Final[Mapping[str, Callable[[Record, RecordFile], str]]] = {
    "timestamp": lambda record, _: record.timestamp,
    "id": lambda record, _: record.id,
    "intent_id": lambda record, _: record.intent_id or "",
    "session_id": lambda record, _: record.session_id,
    "agent_id": lambda record, _: record.agent_id or "",
    "tool_name": lambda record, _: record.tool_name,
    "mutation_class": lambda record, _: record.mutation_class.value,
    "scope_validation": lambda record, _: record.scope_validation.value,
    "success": lambda record, _: _truth(record.success),
    "error": lambda record, _: record.error or "",
    "revision": lambda record, _: record.vcs.revision_id,
    "path": lambda _, file: file.relative_path,
    "previous_path": lambda _, file: file.previous_path or "",
    "pre_hash": lambda _, file: file.pre_hash or "",
    "post_hash": lambda _, file: file.post_hash or "",
    "contributor": lambda _, file: " ".join(each.entity_type.value for each in _people(file)),
    "model": lambda _, file: " ".join(each.model_identifier for each in _people(file)),
    "lines_added": lambda _, file: _lines(file, 2),
    "lines_removed": lambda _, file: _lines(file, 1),
    "assumed": lambda record, _: _truth(record.is_assumed),
}
"""The columns of CSV by heading, each with a function that returns the cell for a record's file."""

HEADINGS: Final = tuple(_CELLS)


class Export(Struct, frozen=True):
    """An export format. `lines` returns the lines of a record, each with its line end.

    `heading` is the first line of the export with its line end, or empty if there is none.
    """

    lines: Callable[[Record], Iterable[bytes]]
    heading: bytes = b""


EXPORTS: Final[Mapping[str, Export]] = {
    "agent-trace": Export(lambda record: [_json_line(agent_trace(record))]),
    "flat": Export(lambda record: map(_json_line, flat_records(record))),
    "csv": Export(csv_rows, _row(HEADINGS)),
    "json": Export(lambda record: [encode(record)]),
}
"""The export formats by name. All but `csv` are JSON Lines."""
