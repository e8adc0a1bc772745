"""Serves MCP clients over HTTP, on this machine only.

Invariant: HTTP listens on loopback only, and no handler gets a request without the token.
"""

import asyncio
import contextlib
import hmac
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import uvicorn
from mcp.server.lowlevel import Server
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from intent_lsp.formats.endpoint import Endpoint
from intent_lsp.store.fs.token_file import token_of
from intent_lsp.store.listening import announce, listen

PATH: Final = "/mcp"
LARGEST_BODY: Final = 64 * 1024 * 1024
"""The most bytes of the body of one HTTP request. The whole text of a file fits in."""

UNAUTHORIZED: Final = JSONResponse(
    {
        "error": "invalid_token",
        "error_description": "send `Authorization: Bearer TOKEN` with the token of the server's"
        " --token-file",
    },
    status_code=401,
    headers={"www-authenticate": 'Bearer error="invalid_token"'},
)

_CURE: Final = "give 127.0.0.1:PORT or [::1]:PORT; port 0 is any that is free"
_GRACE: Final = 2
"""Seconds that open connections have when the server ends."""


def serve_http(server: Server[dict[str, object]], endpoint: Endpoint, token_file: Path) -> None:
    """Serve any number of clients over HTTP until a signal ends that.

    Print `intent-lsp: listening on URL (this machine only)` to standard error first. Raise
    ListeningError if the endpoint cannot be listened at, or if other machines could reach it. Raise
    TokenFileError if the token file cannot be used.
    """
    beyond = f"--http {endpoint}: other machines could reach this address"
    listener = listen(endpoint, cure=_CURE, beyond=beyond)
    with listener:
        app = server.streamable_http_app(
            streamable_http_path=PATH, max_request_body_size=LARGEST_BODY
        )
        config = uvicorn.Config(
            TokenGuard(app, token_of(token_file)),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
        )
        announce(listener, "http", PATH, "this machine only")
        asyncio.run(QuietUvicorn(config).serve([listener]))


class QuietUvicorn(uvicorn.Server):
    """A uvicorn server that ends normally at a signal, instead of being killed by it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End the server at a SIGINT or SIGTERM that comes while the context is open."""
        loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
        for each in signals:
            loop.add_signal_handler(each, setattr, self, "should_exit", True)  # noqa: FBT003
        try:
            yield
        finally:
            for each in signals:
                loop.remove_signal_handler(each)


class TokenGuard:
    """Passes on the HTTP requests that carry the token, and answers all others with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request: pass it on if it has the token, else answer status 401.

        The events of the application's start and end (`lifespan`) are passed on too. A connection
        that is not HTTP and has no token is ignored.
        """
        if scope["type"] == "lifespan" or self._knows(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await UNAUTHORIZED(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        given = [value for name, value in scope.get("headers", ()) if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)
