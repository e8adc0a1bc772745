"""Exports records in the format of the Agent Trace specification 0.1.0 (ledger section 7).

Invariant: ranges that the specification cannot express are left out and counted in `metadata`:
ranges of no lines, and pure deletions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

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

VERSION: Final = "0.1.0"
"""The version of the specification."""

TOOL: Final = "intent-lsp"
_MAX_MODEL: Final = 250
_HUMAN: Final = "human"


@dataclass(slots=True)
class _LeftOut:
    """The numbers of ranges that the specification cannot express."""

    no_lines: int = 0
    deletions: int = 0


def agent_trace(record: Record) -> dict[str, Any]:
    """Return a record as a JSON object of the specification.

    `metadata` holds our own fields under this program's name: intent, tool, mutation class,
    verdict, success, whether the record is assumed, and in `left_out` how many ranges have no lines
    (`ranges_of_no_lines`) or only delete (`pure_deletions`).
    """
    left_out = _LeftOut()
    files = [_file(file, left_out) for file in record.files]
    told: dict[str, Any] = {
        "version": VERSION,
        "id": record.id,
        "timestamp": record.timestamp,
    }
    if record.vcs.revision_id != UNKNOWN_REVISION:
        told["vcs"] = {"type": "git", "revision": record.vcs.revision_id}
    told["tool"] = {"name": TOOL, "version": __version__}
    told["files"] = files
    told["metadata"] = {TOOL: _facts(record, left_out)}
    return told


def _facts(record: Record, left_out: _LeftOut) -> Mapping[str, Any]:
    return {
        "intent_id": record.intent_id,
        "tool_name": record.tool_name,
        "mutation_class": record.mutation_class.value,
        "scope_validation": record.scope_validation.value,
        "success": record.success,
        "assumed": record.is_assumed,
        "left_out": {
            "ranges_of_no_lines": left_out.no_lines,
            "pure_deletions": left_out.deletions,
        },
    }


def _file(file: RecordFile, left_out: _LeftOut) -> dict[str, Any]:
    talks = [_conversation(talk, left_out) for talk in file.conversations]
    return {"path": file.relative_path, "conversations": talks}


def _conversation(talk: Conversation, left_out: _LeftOut) -> dict[str, Any]:
    ranges = [found for run in talk.ranges if (found := _range(run, left_out)) is not None]
    related = [
        {"type": each.type, "url": related_uri(each.type, each.value)} for each in talk.related
    ]
    told: dict[str, Any] = {
        "url": talk_uri(talk.url),
        "contributor": _contributor(talk.contributor),
        "ranges": ranges,
    }
    if related:
        told["related"] = related
    return told


def _contributor(who: Contributor) -> dict[str, str]:
    told = {"type": who.entity_type.value.lower()}
    if who.entity_type is not EntityType.HUMAN and who.model_identifier not in (UNKNOWN, _HUMAN):
        told["model_id"] = who.model_identifier[:_MAX_MODEL]
    return told


def _range(run: Range, left_out: _LeftOut) -> dict[str, Any] | None:
    if not run.start_line:
        left_out.no_lines += 1
        return None
    if run.replaced is not None and not run.replaced[2]:
        left_out.deletions += 1
        return None
    told: dict[str, Any] = {"start_line": run.start_line, "end_line": run.end_line}
    if run.content_hash != UNHASHED:
        told["content_hash"] = run.content_hash
    return told
