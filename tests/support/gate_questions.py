"""Questions to the gate, each of which breaks one of its rows and no other."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.control_plane import Drift
from intent_lsp.core.gate.gate import CHECKS
from intent_lsp.core.gate.request import CallFacts, DeniedPath, FileFact, GateRequest
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import compile_scope
from tests.support.scope_index import index_of

A, B = hash_content(b"a"), hash_content(b"b")
AUTH = Intent(
    id=IntentId("INT-001"), name="Auth", status=Status.IN_PROGRESS, owned_scope=("src/auth/**",)
)
DOCS = Intent(id=IntentId("INT-002"), name="Docs", owned_scope=("docs/**",))
INTENTS = Intents((AUTH, DOCS))
PLACE = WorkspacePath("src/auth/a.py")
SPEC = WorkspacePath("specs/001-login/spec.md")

FINE = GateRequest(
    tool_name="Write",
    governed=True,
    files=(FileFact(path=PLACE, expected=A, current=A, read_this_turn=True),),
    active_intent="INT-001",
    intents=INTENTS,
    scope=compile_scope(AUTH.owned_scope),
    owners=index_of([(each.id, each.owned_scope) for each in INTENTS]).owners,
)
CALL = CallFacts(checked_out="INT-001", policy_version=3)

# What breaks each row, and nothing above it: (row, change of the question, change of the call).
BROKEN: tuple[tuple[int, Mapping[str, Any], Mapping[str, Any]], ...] = (
    (3, {}, {"checked_out": None}),
    (4, {}, {"drift": (Drift(WorkspacePath(".orchestration/x"), "does not belong there"),)}),
    (5, {}, {"blocked": True}),
    (6, {}, {"denied_paths": (DeniedPath(PLACE, "src/**", "frozen"),)}),
    (7, {"files": (replace(FINE.files[0], outside=True),)}, {}),
    (8, {"active_intent": None}, {"require_checkout": False}),
    (9, {"active_intent": "INT-009"}, {"cited": "INT-009"}),
    (10, {"intents": Intents((replace(AUTH, status=Status.ABANDONED),))}, {}),
    (11, {"ignored": {AUTH.id: ("INT-0*",)}}, {}),
    (12, {"scope": compile_scope(["docs/**"])}, {}),
    (13, {"files": (replace(FINE.files[0], current=B),)}, {}),
    (14, {"files": (replace(FINE.files[0], read_this_turn=False),)}, {"require_read": True}),
    (15, {}, {"new_specs": (SPEC,)}),
)
NUMBERS = [row for row, _, _ in BROKEN]


def code_of(number: int) -> GateCode:
    """Return the code of a row."""
    return next(row.code for row in CHECKS if row.number == number)


def broken(*numbers: int) -> tuple[GateRequest, CallFacts]:
    """Return a question that breaks these rows; changes of the same facts are combined."""
    question, call = FINE, CALL
    for number, of_question, of_call in BROKEN:
        if number not in numbers:
            continue
        changes = dict(of_question)
        if "files" in changes:
            (file,), (former,) = changes["files"], question.files
            changed = {
                name: getattr(file, name)
                for name in FileFact.__slots__
                if getattr(file, name) != getattr(FINE.files[0], name)
            }
            changes["files"] = (replace(former, **changed),)
        question, call = replace(question, **changes), replace(call, **of_call)
    return question, call
