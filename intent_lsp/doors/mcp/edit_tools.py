"""The tools about edits and their records: check, record or make an edit; read the ledger.

Invariant: an edit that a tool makes is judged, written and recorded under one lock.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import asdict
from pydantic import BaseModel

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.codes import McpCode
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.text import counted
from intent_lsp.doors.mcp import inputs
from intent_lsp.doors.mcp.answers import ToolAnswer, ToolFailure, refusal
from intent_lsp.doors.mcp.call_approval import decided
from intent_lsp.doors.mcp.outputs import LedgerStatusOutput
from intent_lsp.doors.mcp.tool_request import ToolRequest, ToolResult
from intent_lsp.formats.markdown.provenance import who
from intent_lsp.formats.params.calls import WRITE_TOOL, FileEditParams, RecordParams, ToolCallParams
from intent_lsp.formats.params.edits import whole_text
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.result_json import blame_json, verification_json
from intent_lsp.governance.calls.admission import Applied
from intent_lsp.governance.calls.call_answers import applied_json, call_json, outcome_json
from intent_lsp.governance.calls.calls import unknown_ticket

APPLY_TOOL: Final = "apply_edit"

_OURS: Final = frozenset({"root", "session"})
"""Arguments that find the root and the session, and are no part of the call."""


async def check_edit(asked: ToolRequest, given: inputs.CheckEditInput) -> ToolResult:
    """Judge a call that the agent is going to make with a tool of its own; return the decision.

    If the changes of the call are to be recorded, the decision has a ticket for that. If a person
    has to approve the call, ask the person first.
    """
    call = read_params(_values(given), ToolCallParams).call()
    session, calls = asked.asker, asked.governance.calls
    admit = partial(calls.admit, session.id, session.agent_id, call)
    decision = await decided(asked, admit)
    structured = call_json(decision, asked.governance.root)
    return ToolAnswer(structured=structured)


def record_edit(asked: ToolRequest, given: inputs.RecordEditInput) -> ToolResult:
    """Record what an allowed call has changed.

    Return the files that the call changed, and the violations of rules among these changes. Return
    a failure if the caller's session or subagent has no such ticket.
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


async def apply_edit(asked: ToolRequest, given: inputs.ApplyEditInput) -> ToolResult:
    """Judge changes of files. If they are allowed, make all of them.

    Record the changes, unless there is no ticket (governance is off, or tickets cannot be stored).
    If a person has to approve the changes, ask the person first. If they are refused, if judging
    fails or if one of them cannot be made, make none; the result says why.
    """
    params = read_params({**_values(given), "tool_name": APPLY_TOOL}, FileEditParams)
    return await _applied(asked, params.call(), params.changes())


async def write_to_file(asked: ToolRequest, given: inputs.WriteInput) -> ToolResult:
    """Judge the write of a whole file for the intent in `given`. If it is allowed, write the file.

    The write is recorded as in `apply_edit`. If the file is not written, the result says why.
    """
    params = read_params({**_values(given), "tool_name": WRITE_TOOL}, ToolCallParams)
    return await _applied(asked, params.call(), whole_text(given.path, given.content))


def who_wrote(asked: ToolRequest, given: inputs.WhoWroteInput) -> ToolAnswer:
    """Return the records that the lines of a file, or some of them, come from.

    Raise WrongParamsError if the path is not below the root, if the file cannot be read, or if
    `start_line` is after `end_line` or after the end of the file.
    """
    governance, path = asked.governance, asked.path(given.path)
    blamed = governance.blaming.blame(path)
    if blamed is None:
        raise WrongParamsError("path", f"there is no file {path} that can be read")
    last = blamed.count if given.end_line is None else given.end_line
    if not given.start_line <= max(blamed.count, 1):
        raise WrongParamsError("start_line", f"the file has {counted(blamed.count, 'line')}")
    if last < given.start_line and blamed.count:
        raise WrongParamsError("end_line", "is before start_line")
    runs = governance.authors.named(blamed.runs(given.start_line - 1, last - 1))
    uri = (governance.root / path).as_uri()
    structured = blame_json(path, uri, runs)
    for line, run in zip(structured["lines"], runs, strict=True):
        line["who"] = who(run)
    return ToolAnswer(structured=structured)


def ledger_status(asked: ToolRequest, given: inputs.LedgerStatusInput) -> ToolAnswer:
    """Return how many records the ledger has, its heads, and the state of the session.

    If `given` asks to verify, also return whether the ledger is intact.
    """
    governance, session = asked.governance, asked.session
    session_id, agent_id = ("", "") if session is None else (session.id, session.agent_id)
    status = governance.status(session_id, agent_id=agent_id)
    told: dict[str, Any] = asdict(status)
    structured = {name: told[name] for name in LedgerStatusOutput.model_fields if name in told}
    if status.reason is None:
        del structured["reason"]
    if given.verify:
        structured["verification"] = verification_json(governance.tracing.verify())
    return ToolAnswer(structured=structured)


async def _applied(asked: ToolRequest, call: ToolCall, changes: Sequence[FileChange]) -> ToolResult:
    session = asked.asker
    apply = partial(
        asked.governance.calls.apply, session.id, session.agent_id, call, tuple(changes)
    )
    done = await decided(asked, apply)
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
    return {name: value for name, value in inputs.given_values(given).items() if name not in _OURS}
