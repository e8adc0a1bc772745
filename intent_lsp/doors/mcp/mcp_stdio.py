"""Serves one MCP client over standard input and output."""

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from intent_lsp.doors.mcp.malformed import AnsweringStream


def serve_stdio(server: Server[dict[str, object]]) -> None:
    """Serve the client at standard input and output until it closes its side."""

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            answering = AnsweringStream(reading, writing)
            await server.run(answering, writing, server.create_initialization_options())

    anyio.run(run)
