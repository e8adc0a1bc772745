"""A client that sends the `initialize` of a real editor, and then what a test tells it to.

`tests/editors/clients` holds the `initialize` params of real clients, captured from the clients
themselves, with the configuration of client-configs if there is one.
"""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import PATIENCE, SERVER
from tests.support.raw_client import RawClient

ROOT = Path(__file__).parents[2]
CLIENTS = {path.stem: path for path in sorted((ROOT / "tests/editors/clients").glob("*.json"))}
PUBLISHED = "textDocument/publishDiagnostics"

_METHOD_NOT_FOUND = {"code": -32601, "message": "Method not found"}


class ReplayedClient(RawClient):
    """A client that keeps every message, and answers requests with null, as some clients do."""

    def __init__(self, server: "subprocess.Popen[bytes]", captured: Mapping[str, Any]) -> None:
        assert server.stdin
        assert server.stdout
        super().__init__(server.stdin, server.stdout)
        self.captured = captured
        self.received: list[dict[str, Any]] = []

    def declares(self, *place: str) -> bool:
        """Return whether the captured capabilities have a value at this place."""
        node: Any = self.captured["capabilities"]
        for name in place:
            node = node.get(name) if isinstance(node, dict) else None
        return bool(node)

    def request(self, method: str, params: object = None) -> Any:
        """Send a request; return its result, and keep the messages that come before it."""
        asked = self.begin(method, params)
        answer = self._answer_to(asked)
        assert "error" not in answer, answer
        return answer["result"]

    def failure(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request that has to fail; return the error."""
        answer = self._answer_to(self.begin(method, params))
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    def command(self, name: str, argument: object) -> Any:
        """Run a command of the server; return its result."""
        params = {"command": name, "arguments": [argument]}
        return self.request("workspace/executeCommand", params)

    def until(self, method: str, count: int = 1) -> None:
        """Wait for messages of this method, unless as many came already."""
        while sum(message.get("method") == method for message in self.received) < count:
            self._read_until(lambda message: message.get("method") == method)

    @property
    def pulls(self) -> bool:
        """Whether the server lets this client pull diagnostics instead of pushing them."""
        refreshed = self.declares("workspace", "diagnostics", "refreshSupport")
        return refreshed and self.declares("textDocument", "diagnostic")

    def problems(self, uri: str, count: int) -> list[dict[str, Any]]:
        """Return the diagnostics of a file, pushed or pulled, once there are `count` of them."""
        if self.pulls:
            answer = self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            assert len(answer["items"]) == count
            return list(answer["items"])

        def shows(message: dict[str, Any]) -> bool:
            params = message.get("params")
            return (
                message.get("method") == PUBLISHED
                and params["uri"] == uri
                and len(params["diagnostics"]) == count
            )

        found: list[dict[str, Any]] = self._read_until(shows)["params"]["diagnostics"]
        return found

    def methods(self) -> set[str]:
        """Return the methods of all messages that came."""
        return {message["method"] for message in self.received if "method" in message}

    def _answer_to(self, asked: int) -> dict[str, Any]:
        return self._read_until(
            lambda message: message.get("id") == asked and "method" not in message
        )

    def _read_until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self.next()
            self.received.append(message)
            if "method" in message and "id" in message:
                self._answer(message)
            if wanted(message):
                return message

    def _answer(self, message: Mapping[str, Any]) -> None:
        answer: dict[str, object] = {"jsonrpc": "2.0", "id": message["id"]}
        match message["method"]:
            case "window/showMessageRequest":
                # As Helix does.
                self.send(answer | {"error": _METHOD_NOT_FOUND})
            case "workspace/configuration":
                self.send(answer | {"result": [None for _ in message["params"]["items"]]})
            case _:
                # As Eglot 1.9 answers `window/showDocument`, of whatever type it should be.
                self.send(answer | {"result": None})


@contextmanager
def replayed(name: str, root: Path) -> Iterator[ReplayedClient]:
    """Start a server with the captured client of this name, and shut it down in the end."""
    with _started(root, json.loads(CLIENTS[name].read_text())) as client:
        yield client


@contextmanager
def declaring(root: Path, capabilities: Mapping[str, Any]) -> Iterator[ReplayedClient]:
    """Start a server with a client of exactly these capabilities, and shut it down in the end."""
    with _started(root, {"capabilities": capabilities}) as client:
        yield client


@contextmanager
def _started(root: Path, captured: Mapping[str, Any]) -> Iterator[ReplayedClient]:
    with subprocess.Popen(
        SERVER, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        client = ReplayedClient(server, captured)
        try:
            yield client
            assert client.request("shutdown") is None
            client.notify("exit")
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()
            client.hang_up()
            client.reader.join()


def begin(client: ReplayedClient, root: Path) -> Mapping[str, Any]:
    """Send the captured `initialize`; return the server's capabilities."""
    folder = {"uri": uri_of(root), "name": root.name}
    answer: Mapping[str, Any] = client.request(
        "initialize",
        {
            "processId": None,
            "rootUri": uri_of(root),
            "workspaceFolders": [folder],
            **client.captured,
        },
    )
    client.notify("initialized", {})
    capabilities: Mapping[str, Any] = answer["capabilities"]
    return capabilities
