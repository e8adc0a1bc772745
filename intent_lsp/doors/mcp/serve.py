"""Serves MCP clients, over standard input and output or over HTTP.

Invariant: this module loads without the SDK, which is an optional dependency.
"""

import logging
import os
import sys
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.endpoint import ListenAddress

_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OPTIONAL: Final = frozenset({"mcp", "mcp_types", "pydantic", "anyio", "uvicorn", "starlette"})


class McpMissingError(IntentLspError):
    """Raised if the SDK of the Model Context Protocol is not installed, or is too old."""

    def __init__(self, missing: str) -> None:
        super().__init__(
            f"`intent-lsp mcp` needs the package mcp, version 2 ({missing} is missing)"
        )
        self.cure = "run `pip install 'intent-lsp[mcp]'`"


def serve_agents(level: str, root: str | None, address: ListenAddress | None) -> int:
    """Serve MCP until the client leaves or a signal comes, and return the exit status 0.

    `level` is the level of the log, on standard error. If `root` is not None, serve only the
    governed root of the directory `root`. If `address` is not None and has a token file, serve HTTP
    there. Otherwise serve standard input and output. Raise McpMissingError if the SDK is missing.
    For HTTP, raise ListeningError or TokenFileError if nobody can be served at the address.
    """
    logging.basicConfig(level=level.upper(), stream=sys.stderr, format=_FORMAT)
    try:
        _serve(Path(os.path.abspath(root or ".")), root is not None, address)  # noqa: PTH100
    except ModuleNotFoundError as problem:
        missing = (problem.name or "").partition(".")[0]
        if missing not in _OPTIONAL:
            raise
        raise McpMissingError(missing) from problem
    return 0


def _serve(start: Path, only: bool, address: ListenAddress | None) -> None:  # noqa: FBT001 - a fact, not a flag
    # Imported late: without the extra, the command says what to install.
    from intent_lsp.doors.mcp.mcp_roots import McpRoots  # noqa: PLC0415
    from intent_lsp.doors.mcp.mcp_server import build_mcp_server  # noqa: PLC0415

    roots = McpRoots(start, only=only)
    try:
        server = build_mcp_server(roots)
        if address is None or address.token_file is None:
            from intent_lsp.doors.mcp.mcp_stdio import serve_stdio  # noqa: PLC0415

            serve_stdio(server)
        else:
            from intent_lsp.doors.mcp.mcp_http import serve_http  # noqa: PLC0415

            serve_http(server, address.endpoint, Path(address.token_file))
    finally:
        roots.close()
