"""The tools about the ledger: who wrote a line, and how the ledger stands."""

from typing import Any

from msgspec.structs import asdict

from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.text import counted
from intent_lsp.doors.mcp.answers import ToolAnswer
from intent_lsp.doors.mcp.inputs import LedgerStatusInput, WhoWroteInput
from intent_lsp.doors.mcp.outputs import LedgerStatusOutput
from intent_lsp.doors.mcp.tool_request import ToolRequest
from intent_lsp.formats.markdown.provenance import who
from intent_lsp.formats.result_json import blame_json, verification_json


def who_wrote(asked: ToolRequest, given: WhoWroteInput) -> ToolAnswer:
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


def ledger_status(asked: ToolRequest, given: LedgerStatusInput) -> ToolAnswer:
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
