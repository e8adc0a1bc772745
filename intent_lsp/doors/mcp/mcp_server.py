"""Builds the MCP server from the official SDK, for older and newer versions of the protocol."""

from mcp.server.lowlevel import Server

from intent_lsp import __version__
from intent_lsp.doors.mcp.elicitation import OpenQuestions
from intent_lsp.doors.mcp.mcp_prompts import INSTRUCTIONS, McpPrompts
from intent_lsp.doors.mcp.mcp_resources import McpResources
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.doors.mcp.tool_calls import ToolCalls
from intent_lsp.store import clock

NAME = "intent-lsp"


def build_mcp_server(roots: McpRoots) -> Server[dict[str, object]]:
    """Return a server of tools, resources and prompts for `roots`, for one client or several."""
    calls = ToolCalls(roots, OpenQuestions(clock.now, clock.new_id))
    resources, prompts = McpResources(roots), McpPrompts(roots)
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
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
    )
