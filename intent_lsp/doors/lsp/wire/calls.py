"""An agent's tool call as params, and the decision on it as a result (protocol section 2).

Invariant: an error names the wrong field. A URI is percent-decoded once, a path never.
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
"""The tool name assumed when an agent asks about a path without naming a tool."""

Paths = Annotated[tuple[str, ...], msgspec.Meta(max_length=10_000)]


class ToolCallParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/validateEdit`: a tool call."""

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
        """Return the tool call that the params describe. Raise InvalidParams if they are wrong."""
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
        """Return the paths that the call names, without duplicates."""
        return tuple(dict.fromkeys((*self._single(), *self.paths)))

    def _single(self) -> tuple[str, ...]:
        if self.uri is None:
            return () if self.path is None else (self.path,)
        absolute = path_of_uri(self.uri)
        if absolute is None:
            raise invalid(f"params.uri: {self.uri!r} is not a file: URI")
        return (absolute,)


class ApplyParams(ToolCallParams, kw_only=True, frozen=True):
    """Params of `intent/applyEdit`: `newText` with exactly one path, or `edit`, a WorkspaceEdit."""

    edit: Any = None

    def wanted(self, encoding: PositionEncoding) -> tuple[WantedChange, ...]:
        """Return the change of each file. Raise InvalidParams if the params are wrong."""
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
    """Params of `intent/explain`: a tool call, or a path alone."""

    tool_name: Id | None = None  # type: ignore[assignment] # a path alone names no tool

    def call(self) -> ToolCall:
        """Return the call that the params describe; for a path alone, a call that writes it."""
        tool_name = self.tool_name or WRITE_TOOL
        return super(ExplainParams, msgspec.structs.replace(self, tool_name=tool_name)).call()


class RecordParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/recordEdit`."""

    ticket: Id
    success: bool
    error: str | None = None


class ReadParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/recordRead`."""

    hash: str | None = None


def hash_param(field: str, told: str | None) -> ContentHash | None:
    """Return a hash, given with or without `sha256:`, or None.

    Raise InvalidParams if it is malformed.
    """
    found = None if told is None else parse_hash(told)
    if told is not None and found is None:
        raise invalid(f"params.{field}: {told!r} is not a SHA-256 hash of 64 hexadecimal digits")
    return found


def admission_wire(admission: CallDecision, root: Path) -> JsonObject:
    """Return the `Decision` on a call as JSON.

    One that awaits a person's approval is sent as denied.
    """
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
    """Return the result of `intent/applyEdit`."""
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
    """Return the `Decision` on any call outside every governed root: allowed, exempt."""
    allowed, exempt = Allowed(ScopeValidation.EXEMPT), ScopeValidation.EXEMPT
    return decision_json(allowed, verdict=exempt, intent_id=None, files=())


def outcome_wire(outcome: Outcome, violations: Sequence[CallViolation], root: Path) -> JsonObject:
    """Return the result of `intent/recordEdit`."""
    return {
        "recordId": outcome.recorded.record_id,
        "files": [
            {"path": path, "uri": uri_of(root / path), "preHash": old, "postHash": new}
            for path, old, new in outcome.recorded.files
        ],
        "violations": violations_wire(violations, root),
    }


def violations_wire(violations: Sequence[CallViolation], root: Path) -> list[JsonObject]:
    """Return the violations of a call as JSON."""
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
