"""An agent's call and its answer on the wire (protocol section 2).

Invariant: what is wrong with a call's words names the field; a path is never percent-decoded, a
URI is, once.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from intent_lsp.core.content import ContentHash, parse_hash
from intent_lsp.core.paths import path_of_uri
from intent_lsp.core.question import Allowed
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.tools import ToolCall
from intent_lsp.doors.lsp.params import invalid
from intent_lsp.doors.lsp.types import uri_of
from intent_lsp.doors.lsp.wire import Id, PathParams, Wire, decision_told
from intent_lsp.governance.calls import Admission, Outcome

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

    def call(self) -> ToolCall:
        """Give the call that the params describe, or fail the request."""
        paths = (*self._single(), *self.paths)
        hashes = {
            name: hash_param(f"readHashes.{name}", told) for name, told in self.read_hashes.items()
        }
        if self.read_hash is not msgspec.UNSET:
            if len(paths) != 1:
                raise invalid("params.readHash: needs exactly one path; else use readHashes")
            hashes.setdefault(paths[0], hash_param("readHash", self.read_hash))
        return ToolCall(
            tool_name=self.tool_name,
            paths=tuple(dict.fromkeys(paths)),
            command=self.command,
            patch=self.patch,
            new_text=self.new_text,
            intent_id=self.intent_id,
            mutation_class=self.mutation_class,
            read_hashes=hashes,
            tool_use_id=self.tool_use_id,
        )

    def _single(self) -> tuple[str, ...]:
        if self.uri is None:
            return () if self.path is None else (self.path,)
        absolute = path_of_uri(self.uri)
        if absolute is None:
            raise invalid(f"params.uri: {self.uri!r} is no file: URI")
        return (absolute,)


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
        raise invalid(f"params.{field}: {told!r} is no SHA-256 of 64 hexadecimal digits")
    return found


def admission_wire(admission: Admission, root: Path) -> Wire:
    """Spell the `Decision` on a call."""
    return decision_told(
        admission.decision,
        verdict=admission.decision.verdict,
        intent_id=admission.intent_id,
        files=[
            {"path": file.path, "uri": uri_of(root / file.path), "preHash": file.pre_hash}
            for file in admission.files
        ],
        mutation_class=admission.mutation_class,
        ticket=None if admission.ticket is None else admission.ticket.id,
    )


def not_governed_wire() -> Wire:
    """Spell what is said of every call where nothing governs."""
    allowed, exempt = Allowed(ScopeValidation.EXEMPT), ScopeValidation.EXEMPT
    return decision_told(allowed, verdict=exempt, intent_id=None, files=())


def outcome_wire(outcome: Outcome, root: Path) -> Wire:
    """Spell the answer of `intent/recordEdit`."""
    return {
        "recordId": outcome.recorded.record_id,
        "files": [
            {"path": path, "uri": uri_of(root / path), "preHash": old, "postHash": new}
            for path, old, new in outcome.recorded.files
        ],
    }
