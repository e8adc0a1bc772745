"""MCP clients of the official SDK, in this process or over a real server's standard input."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import mcp_types as types
from mcp import Client, StdioServerParameters

from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.doors.mcp.mcp_server import build_mcp_server

LINES: Final = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the SDK's client is made to speak each line of the protocol."""

SERVER: Final = ("-m", "intent_lsp", "mcp")


@dataclass
class Person:
    """Whoever answers the questions of a client: each by the next of `answers`."""

    answers: list[str | types.ElicitResult | types.ErrorData] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    offered: list[Sequence[str]] = field(default_factory=list)

    async def elicit(self, _context: Any, params: Any) -> types.ElicitResult | types.ErrorData:
        """Answer a question, as the SDK asks."""
        self.asked.append(params.message)
        self.offered.append(params.requested_schema["properties"]["answer"]["enum"])
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return types.ElicitResult(action="accept", content={"answer": answer})
        return answer


@dataclass(frozen=True, slots=True)
class McpError:
    """A tool's failure, as its caller reads it."""

    code: str
    message: str
    details: Mapping[str, Any]
    cure: str
    text: str


class Agent:
    """An agent's host with one conversation: it calls tools and keeps the handle it was given."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.session = ""

    async def call(self, tool: str, **arguments: Any) -> types.CallToolResult:
        """Call a tool with exactly these arguments."""
        return await self.client.call_tool(tool, arguments)

    async def get(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that succeeds, with our session; return its structured result."""
        result = await self.call(tool, **self._ours(arguments))
        assert not result.is_error, result
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> McpError:
        """Call a tool that fails, with our session; return its failure."""
        return failure(await self.call(tool, **self._ours(arguments)))

    async def select(self, intent_id: str = "INT-001", **more: Any) -> Any:
        """Select an intent, and keep the session."""
        selected = await self.get("select_active_intent", intent_id=intent_id, **more)
        self.session = selected["session"]
        return selected

    async def writes(self, path: str, text: str, **more: Any) -> Any:
        """Write a file by the shim, for the first intent."""
        return await self.get("write_to_file", **_shim(path, text) | more)

    async def cannot_write(self, path: str, text: str = "x\n", **more: Any) -> McpError:
        """Write a file by the shim, and be refused."""
        return await self.refused("write_to_file", **_shim(path, text) | more)

    def _ours(self, arguments: dict[str, Any]) -> dict[str, Any]:
        session = {"session": self.session} if self.session else {}
        return {name: value for name, value in (session | arguments).items() if value is not ...}


def failure(result: types.CallToolResult) -> McpError:
    """Return what a failed call says."""
    assert result.is_error, result
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    error = result.structured_content["error"]
    assert content.text.startswith(f"{error['code']}: {error['message']}")
    return McpError(
        error["code"], error["message"], error["details"], error.get("cure", ""), content.text
    )


@asynccontextmanager
async def in_process(
    start: Path, mode: str = "auto", *, only: bool = True, person: Person | None = None
) -> AsyncIterator[Agent]:
    """Yield an agent whose server runs in this process."""
    roots = McpRoots(start, only=only)
    try:
        async with Client(build_mcp_server(roots), mode=mode, **_asking(person)) as client:
            yield Agent(client)
    finally:
        roots.close()


@asynccontextmanager
async def over_stdio(
    root: Path, mode: str = "auto", *words: str, person: Person | None = None
) -> AsyncIterator[Agent]:
    """Yield an agent whose host has started a server in `root`."""
    server = StdioServerParameters(
        command=sys.executable, args=[*SERVER, *words], cwd=root, env=dict(os.environ)
    )
    async with Client(server, mode=mode, **_asking(person)) as client:
        assert client.protocol_version == LINES[mode]
        yield Agent(client)


def _asking(person: Person | None) -> dict[str, Callable[..., Any]]:
    return {} if person is None else {"elicitation_callback": person.elicit}


def _shim(path: str, text: str) -> dict[str, Any]:
    return {
        "path": path,
        "content": text,
        "intent_id": "INT-001",
        "mutation_class": "INTENT_EVOLUTION",
    }
