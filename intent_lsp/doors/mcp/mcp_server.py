"""Builds the MCP server from the official SDK, and answers calls of its tools.

Invariant: whatever goes wrong in a tool is a result. Only an unknown tool is a protocol error.
"""

import logging
from collections.abc import Awaitable
from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from pydantic import ValidationError

from intent_lsp import __version__
from intent_lsp.core.codes import McpCode, RequestCode
from intent_lsp.core.errors import (
    InvalidCallError,
    LedgerUnavailableError,
    RequestLimitError,
    StateUnavailableError,
)
from intent_lsp.doors.mcp import answers
from intent_lsp.doors.mcp.elicitation import ElicitingClient, InputNeeded, OpenQuestions
from intent_lsp.doors.mcp.inputs import ToolInput
from intent_lsp.doors.mcp.mcp_resources import INSTRUCTIONS, McpResources
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.doors.mcp.tool_request import ToolRequest, ToolResult, in_thread, session_of_handle
from intent_lsp.doors.mcp.tool_table import BY_NAME, TOOLS, ToolEntry
from intent_lsp.governance.root.asking_agents import MCP
from intent_lsp.store import clock

NAME = "intent-lsp"

_log: Final = logging.getLogger(__name__)


def build_mcp_server(roots: McpRoots) -> Server[dict[str, object]]:
    """Return a server of tools, resources and prompts for `roots`, for one client or several."""
    calls = ToolCalls(roots, OpenQuestions(clock.now, clock.new_id))
    resources = McpResources(roots)
    return Server(
        NAME,
        version=__version__,
        title="Intent governance",
        instructions=INSTRUCTIONS,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read_resource,
        on_list_prompts=resources.list_prompts,
        on_get_prompt=resources.get_prompt,
    )


class ToolCalls:
    """Lists the tools and answers calls of them, for all clients of one server."""

    def __init__(self, roots: McpRoots, questions: OpenQuestions) -> None:
        self._roots = roots
        self._questions = questions
        self._listed = [tool.listed() for tool in TOOLS]

    async def list_tools(
        self, _context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer `tools/list` with every tool."""
        return types.ListToolsResult(tools=self._listed)

    async def call_tool(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer `tools/call`: the tool's result, a failure, or a request to ask a person.

        Raise MCPError for an unknown tool.
        """
        tool = BY_NAME.get(params.name)
        if tool is None:
            known = ", ".join(BY_NAME)
            raise answers.invalid_params(
                f"There is no tool {params.name[:80]!r}. There are {known}."
            )
        try:
            client = ElicitingClient(context, params, self._questions)
            return answers.encode_answer(await self._answered(tool, params, client), tool.output)
        except InputNeeded as needed:
            return needed.result
        except Exception:  # noqa: BLE001 - whatever it is, it is not the caller's fault
            _log.exception("a call of %s failed", tool.name)
            message = (
                f"{tool.name} failed for a reason that the server did not expect; its standard"
                " error says which."
            )
            failure = answers.ToolFailure(code=McpCode.INTERNAL_ERROR, message=message)
            return answers.encode_answer(failure, tool.output)

    async def _answered(
        self, tool: ToolEntry, params: types.CallToolRequestParams, client: ElicitingClient
    ) -> ToolResult:
        try:
            given = tool.input.model_validate(params.arguments or {})
            found = await in_thread(self._begun, tool, given, client)
            return found if isinstance(found, ToolResult) else await found
        except ValidationError as problem:
            return answers.wrong_arguments(problem)
        except (InvalidCallError, RequestLimitError) as problem:
            return answers.wrong_call(problem)
        except (LedgerUnavailableError, StateUnavailableError) as problem:
            return answers.unavailable_store(problem)

    def _begun(
        self, tool: ToolEntry, given: ToolInput, client: ElicitingClient
    ) -> ToolResult | Awaitable[ToolResult]:
        """Return what the tool responds. Return a failure if no root or no such session is found.

        Note in the root that an MCP client has asked, and remember the session's root.
        """
        governance = self._roots.of_call(given)
        if governance is None:
            message = self._roots.ungoverned_call(given)
            return answers.ToolFailure(code=RequestCode.NOT_GOVERNED, message=message)
        governance.heard.note(MCP, tool.name)
        handle = given.session
        named = None if handle is None else session_of_handle(governance, handle)
        if named is None and handle is not None:
            return answers.unknown_session(handle, governance.root)
        if named is not None:
            self._roots.remember(named.handle, governance)
        asked = ToolRequest(governance=governance, named=named, client=client, roots=self._roots)
        return tool.respond(asked, given)
