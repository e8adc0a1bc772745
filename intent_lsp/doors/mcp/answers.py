"""What a tool answers, and how results, failures and errors are encoded for the client.

Invariant: a failure has a code, a message and details.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from msgspec import Struct, field
from pydantic import ValidationError

from intent_lsp.core.codes import McpCode, RequestCode
from intent_lsp.core.errors import (
    InvalidCallError,
    LedgerUnavailableError,
    RequestLimitError,
    StateUnavailableError,
    WrongParamsError,
)
from intent_lsp.core.text import camel_case, whole
from intent_lsp.doors.mcp.outputs import ToolOutput
from intent_lsp.governance.plan.checkout import CheckoutRefusal

_ARGUMENT_NAMES: Final = {camel_case(name): name for name in ("new_text", "read_hash", "tool_name")}

NOT_GOVERNED: Final = (
    "No .orchestration/active_intents.yaml governs {directory}. Give an absolute path in a governed"
    " project as `root` or `path`, or ask a person to run `intent-lsp init` there, or to start the"
    " server with --root and the directory of a governed project."
)
NOTHING_SERVED: Final = (
    "No .orchestration/active_intents.yaml governs {directory}, and this server serves no other"
    " project. Ask a person to run `intent-lsp init` there, or to start the server with --root and"
    " the directory of a governed project."
)
CURE_OF_SESSION: Final = "call select_active_intent and use the session that it returns"


class ToolAnswer(Struct, frozen=True, kw_only=True):
    """The result of a tool: `structured`, as a JSON object that fits the tool's output model.

    `text` is what a language model reads, or None for `structured` as JSON. `is_error` is True if
    the tool did not do what was asked.
    """

    structured: Mapping[str, Any]
    text: str | None = None
    is_error: bool = False


class ToolFailure(Struct, frozen=True, kw_only=True):
    """Why a tool has no result. `cure` says what to do.

    `cure` is "" if `message` says what to do, or if nothing helps.
    """

    code: McpCode | RequestCode
    message: str
    details: Mapping[str, object] = field(default_factory=dict)
    cure: str = ""


def encode_answer(
    answer: ToolAnswer | ToolFailure, output: type[ToolOutput]
) -> types.CallToolResult:
    """Return an answer as the MCP result for the client: a text and a structured content.

    `output` is the tool's output model, which validates and encodes the content of an answer. The
    result is marked as an error for a failure, and for an answer with `is_error`.
    """
    if isinstance(answer, ToolFailure):
        return _failure(answer)
    # Names of files may be bytes that are no text; JSON cannot carry their surrogates.
    checked = output.model_validate(_whole(answer.structured))
    structured = checked.model_dump(mode="json", by_alias=True, exclude_unset=True)
    text = answer.text
    if text is None:
        text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
    return _result(whole(text), structured, is_error=answer.is_error)


def wrong_arguments(problem: ValidationError) -> ToolFailure:
    """Return the failure for arguments that do not fit the input model of the tool."""
    found = [
        {"field": _place(error["loc"]), "problem": error["msg"]}
        for error in problem.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = "; ".join(f"{each['field'] or 'arguments'}: {each['problem']}" for each in found[:3])
    return ToolFailure(
        code=McpCode.INVALID_ARGUMENTS,
        message=f"The arguments are wrong: {first}.",
        details={"problems": found},
        cure="correct the arguments and call the tool again; its input schema has every argument",
    )


def wrong_call(problem: InvalidCallError | RequestLimitError) -> ToolFailure:
    """Return the failure for arguments that fit the tool's input model and are refused later."""
    name = problem.field if isinstance(problem, WrongParamsError) else ""
    name = _ARGUMENT_NAMES.get(name, name)
    said = problem.problem if isinstance(problem, WrongParamsError) else str(problem)
    return ToolFailure(
        code=McpCode.INVALID_ARGUMENTS,
        message=f"The arguments are wrong: {name or 'arguments'}: {said}.",
        details={"problems": [{"field": name, "problem": said}]},
        cure=problem.cure.replace("request", "call"),
    )


def invalid_params(message: str) -> MCPError:
    """Return the protocol error for a request with params that are wrong, as `message` says."""
    return MCPError(code=types.INVALID_PARAMS, message=message)


def refusal(refused: CheckoutRefusal) -> ToolFailure:
    """Return the failure that passes a refusal of governance on to the client."""
    return ToolFailure(code=refused.code, message=refused.message, details=refused.data)


def unavailable_store(problem: LedgerUnavailableError | StateUnavailableError) -> ToolFailure:
    """Return the failure for a ledger or a state database that cannot be read or written."""
    ledger = isinstance(problem, LedgerUnavailableError)
    return ToolFailure(
        code=RequestCode.LEDGER_UNAVAILABLE if ledger else RequestCode.STATE_UNAVAILABLE,
        message=f"{problem}.",
        details={"path": problem.path, "problem": problem.problem},
        cure=problem.cure,
    )


def unknown_session(handle: str, root: Path) -> ToolFailure:
    """Return the failure for a handle that stands for no session of this root."""
    shown = handle[:80]
    return ToolFailure(
        code=McpCode.SESSION_UNKNOWN,
        message=f"{shown!r} is not a session of {root}.",
        details={"session": shown, "root": str(root)},
        cure=CURE_OF_SESSION,
    )


def _failure(failure: ToolFailure) -> types.CallToolResult:
    error = {
        "code": failure.code.value,
        "message": failure.message,
        "details": dict(failure.details),
    }
    if failure.cure:
        error["cure"] = failure.cure
    text = f"{failure.code.value}: {failure.message}"
    text += f" What to do: {failure.cure}." if failure.cure else ""
    return _result(whole(text), _whole({"error": error}), is_error=True)


def _result(text: str, structured: object, *, is_error: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=structured,
        is_error=is_error,
    )


def _place(location: tuple[int | str, ...]) -> str:
    """Return a field's path: `files[0].path` for the location `("files", 0, "path")`."""
    spelled = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return spelled.removeprefix(".")


def _whole(value: object) -> object:
    """Return a JSON value with each lone surrogate replaced by U+FFFD."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, Mapping):
        return {whole(str(key)): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value
