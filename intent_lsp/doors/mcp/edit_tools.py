"""The tools about edits: check one, record one, make one.

Invariant: an edit that a tool makes is judged, written and recorded under one lock.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.codes import McpCode
from intent_lsp.core.gate.request import Allowed
from intent_lsp.doors.mcp.answers import ToolAnswer, ToolFailure, refusal
from intent_lsp.doors.mcp.call_approval import decided
from intent_lsp.doors.mcp.inputs import (
    ApplyEditInput,
    CheckEditInput,
    RecordEditInput,
    WriteInput,
    given_values,
)
from intent_lsp.doors.mcp.tool_request import ToolRequest, ToolResult
from intent_lsp.formats.params.calls import WRITE_TOOL, FileEditParams, RecordParams, ToolCallParams
from intent_lsp.formats.params.edits import whole_text
from intent_lsp.formats.params.read import read_params
from intent_lsp.governance.calls.call_json import applied_json, call_json, outcome_json
from intent_lsp.governance.calls.calls import Applied, unknown_ticket

APPLY_TOOL: Final = "apply_edit"

_OURS: Final = frozenset({"root", "session"})
"""Arguments that find the root and the session, and are no part of the call."""


async def check_edit(asked: ToolRequest, given: CheckEditInput) -> ToolResult:
    """Judge a call that the agent is going to make with a tool of its own; return the decision.

    If what it changes is to be recorded, a ticket for that comes with the decision. If a person has
    to approve it, ask first.
    """
    call = read_params(_values(given), ToolCallParams).call()
    session, calls = asked.asker, asked.governance.calls
    admit = partial(calls.admit, session.id, session.agent_id, call)
    decision = await decided(asked, admit, lambda judged: judged)
    structured = call_json(decision, asked.governance.root)
    return ToolAnswer(structured=structured)


def record_edit(asked: ToolRequest, given: RecordEditInput) -> ToolResult:
    """Record what an allowed call has changed.

    Return the files changed and the violations among them. Return a failure if the caller's session
    or subagent has no such ticket.
    """
    params, calls = read_params(_values(given), RecordParams), asked.governance.calls
    outcome = None
    if calls.asker_of(params.ticket) == (asked.asker.id, asked.asker.agent_id):
        outcome = calls.record(params.ticket, error=params.failure())
    if outcome is None:
        return refusal(unknown_ticket(params.ticket))
    violations = asked.governance.violations.of(outcome)
    structured = outcome_json(outcome, violations, asked.governance.root)
    return ToolAnswer(structured=structured)


async def apply_edit(asked: ToolRequest, given: ApplyEditInput) -> ToolResult:
    """Judge changes of files. If they are allowed, make all of them, and record them by the ticket.

    If a person has to approve them, ask first. If they are refused, if judging fails or if one of
    them cannot be made, make none; the result says why. Without a ticket there is no record.
    """
    params = read_params({**_values(given), "tool_name": APPLY_TOOL}, FileEditParams)
    return await _applied(asked, params.call(), params.changes())


async def write_to_file(asked: ToolRequest, given: WriteInput) -> ToolResult:
    """Judge the write of a whole file for the intent in `given`. Make it as `apply_edit` does.

    If it is not made, the result says why.
    """
    params = read_params({**_values(given), "tool_name": WRITE_TOOL}, ToolCallParams)
    return await _applied(asked, params.call(), whole_text(given.path, given.content))


async def _applied(asked: ToolRequest, call: ToolCall, changes: Sequence[FileChange]) -> ToolResult:
    session = asked.asker
    apply = partial(
        asked.governance.calls.apply, session.id, session.agent_id, call, tuple(changes)
    )
    done = await decided(asked, apply, lambda applied: applied.admission)
    structured = applied_json(done, asked.governance.root)
    if done.outcome is not None:
        # With the hashes afterwards, the caller need not read the files again.
        structured |= {"files": outcome_json(done.outcome, (), asked.governance.root)["files"]}
    if structured["applied"]:
        return ToolAnswer(structured=structured)
    if isinstance(done.admission.decision, Allowed):
        return _unapplied(done, structured)
    error = structured["error"]
    text = f"{error['code']}: {error['message']}"
    return ToolAnswer(structured=structured, text=text, is_error=True)


def _unapplied(done: Applied, structured: dict[str, Any]) -> ToolFailure:
    return ToolFailure(
        code=McpCode.EDIT_NOT_APPLIED,
        message=f"The edit was allowed and not made: {done.problem}.",
        details={"problem": done.problem, "recordId": structured["recordId"]},
        cure="no file was changed; read the file again and repeat the edit",
    )


def _values(given: BaseModel) -> dict[str, Any]:
    return {name: value for name, value in given_values(given).items() if name not in _OURS}
