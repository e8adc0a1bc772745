"""An agent's call and its answer on the wire (protocol section 2).

Invariant: what is wrong with a call's words names the field; a path is never percent-decoded, a
URI is, once.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.content import ContentHash, parse_hash
from intent_lsp.core.gate.request import Allowed, Ask
from intent_lsp.core.paths import path_of_uri
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.wire.common import Id, JsonObject, PathParams
from intent_lsp.doors.lsp.wire.edits import WantedChange, wanted_changes, whole_text
from intent_lsp.doors.lsp.wire.params import invalid
from intent_lsp.formats.decision_json import decision_json
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.calls import Applied
from intent_lsp.governance.calls.outcome import Outcome
from intent_lsp.governance.calls.violations import CallViolation

WRITE_TOOL: Final = "write_to_file"
"""The tool by which an agent would write a path that it asks about."""

Paths = Annotated[tuple[str, ...], msgspec.Meta(max_length=10_000)]


class ToolCallParams(PathParams, kw_only=True, frozen=True):
    """`ToolCall`: `intent/validateEdit`."""

    tool_name: Id
    paths: Paths = ()
    command: str | None = None
    patch: str | None = None
    new_text: str | None = None
    intent_id: Id | None = None
    mutation_class: MutationClass | None = None
    read_hash: str | msgspec.UnsetType | None = msgspec.UNSET
    read_hashes: dict[str, str | None] = msgspec.field(default_factory=dict)
    tool_use_id: Id | None = None
    background: bool = False

    def call(self) -> ToolCall:
        """Give the call that the params describe, or fail the request."""
        paths = self.named()
        hashes = {
            name: hash_param(f"readHashes.{name}", told) for name, told in self.read_hashes.items()
        }
        if self.read_hash is not msgspec.UNSET:
            if len(paths) != 1:
                raise invalid("params.readHash: needs exactly one path; else use readHashes")
            hashes.setdefault(paths[0], hash_param("readHash", self.read_hash))
        return ToolCall(
            tool_name=self.tool_name,
            paths=paths,
            command=self.command,
            patch=self.patch,
            new_text=self.new_text,
            intent_id=self.intent_id,
            mutation_class=self.mutation_class,
            read_hashes=hashes,
            tool_use_id=self.tool_use_id,
            background=self.background,
        )

    def named(self) -> tuple[str, ...]:
        """Give the paths that the call names, each once."""
        return tuple(dict.fromkeys((*self._single(), *self.paths)))

    def _single(self) -> tuple[str, ...]:
        if self.uri is None:
            return () if self.path is None else (self.path,)
        absolute = path_of_uri(self.uri)
        if absolute is None:
            raise invalid(f"params.uri: {self.uri!r} is not a file: URI")
        return (absolute,)


class ApplyParams(ToolCallParams, kw_only=True, frozen=True):
    """`intent/applyEdit`: with `newText` and exactly one path, or with `edit`."""

    edit: Any = None

    def wanted(self, encoding: PositionEncoding) -> tuple[WantedChange, ...]:
        """Give the change of each file, or fail the request."""
        paths = self.named()
        if self.edit is not None:
            if paths or self.new_text is not None:
                raise invalid("params.edit: cannot be combined with newText, path, uri or paths")
            return wanted_changes(self.edit, encoding)
        if self.new_text is None:
            raise invalid("params.newText: this or an edit is needed")
        if len(paths) != 1:
            raise invalid("params.path: newText needs exactly one path")
        return whole_text(paths[0], self.new_text)


class ExplainParams(ToolCallParams, kw_only=True, frozen=True):
    """`intent/explain`: a call, or a path alone."""

    tool_name: Id | None = None  # type: ignore[assignment] # a path alone names no tool

    def call(self) -> ToolCall:
        """Give the call that the params describe; of a path alone, that it is written."""
        tool_name = self.tool_name or WRITE_TOOL
        return super(ExplainParams, msgspec.structs.replace(self, tool_name=tool_name)).call()


class RecordParams(PathParams, kw_only=True, frozen=True):
    """`intent/recordEdit`."""

    ticket: Id
    success: bool
    error: str | None = None


class ReadParams(PathParams, kw_only=True, frozen=True):
    """`intent/recordRead`."""

    hash: str | None = None


def hash_param(field: str, told: str | None) -> ContentHash | None:
    """Read a hash, with or without `sha256:`, or fail the request."""
    found = None if told is None else parse_hash(told)
    if told is not None and found is None:
        raise invalid(f"params.{field}: {told!r} is not a SHA-256 hash of 64 hexadecimal digits")
    return found


def admission_wire(admission: CallDecision, root: Path) -> JsonObject:
    """Spell the `Decision` on a call; one that a person has to make is a refusal until then."""
    decision = admission.decision
    return decision_json(
        decision.why if isinstance(decision, Ask) else decision,
        verdict=admission.verdict,
        intent_id=admission.intent_id,
        files=[
            {"path": file.path, "uri": uri_of(root / file.path), "preHash": file.pre_hash}
            for file in admission.files
        ],
        mutation_class=admission.mutation_class,
        ticket=None if admission.ticket is None else admission.ticket.id,
    )


def applied_wire(applied: Applied, root: Path) -> JsonObject:
    """Spell the answer of `intent/applyEdit`."""
    outcome = applied.outcome
    told = admission_wire(applied.admission, root)
    if applied.problem is not None:
        told["warnings"] = [*told["warnings"], f"Not applied: {applied.problem}."]
    made = told["allowed"] and applied.problem is None
    return told | {
        "applied": made,
        "recordId": None if outcome is None else outcome.recorded.record_id,
    }


def not_governed_wire() -> JsonObject:
    """Spell what is said of every call where nothing governs."""
    allowed, exempt = Allowed(ScopeValidation.EXEMPT), ScopeValidation.EXEMPT
    return decision_json(allowed, verdict=exempt, intent_id=None, files=())


def outcome_wire(outcome: Outcome, violations: Sequence[CallViolation], root: Path) -> JsonObject:
    """Spell the answer of `intent/recordEdit`."""
    return {
        "recordId": outcome.recorded.record_id,
        "files": [
            {"path": path, "uri": uri_of(root / path), "preHash": old, "postHash": new}
            for path, old, new in outcome.recorded.files
        ],
        "violations": violations_wire(violations, root),
    }


def violations_wire(violations: Sequence[CallViolation], root: Path) -> list[JsonObject]:
    """Spell what a call has changed out of bounds."""
    return [
        {
            "path": each.path,
            "uri": uri_of(root / each.path),
            "code": each.code,
            "message": each.message,
        }
        for each in violations
    ]


KNOWN: Final = register_msgspec_types(
    ToolCallParams, ApplyParams, ExplainParams, RecordParams, ReadParams
)
