"""yaml-language-server, the server of most editors for YAML: it knows our files by schemas alone.

Invariant: it is asked not to fetch anything; the schema is a file that the text's modeline names.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.agent_lab.installation import CannotInstallError, installed
from tests.support.programs import cannot_be_had
from tests.support.raw_client import LIMIT, RawClient

PACKAGE = "yaml-language-server"
_CAPABILITIES = {
    "workspace": {"configuration": True},
    "textDocument": {
        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
        "hover": {"contentFormat": ["markdown"]},
    },
}
_SETTINGS = {"schemaStore": {"enable": False}, "completion": True, "hover": True, "validate": True}


class YamlEditor(RawClient):
    """An editor that has one server, yaml-language-server, and answers what that asks."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        assert process.stdin
        assert process.stdout
        super().__init__(process.stdin, process.stdout)
        self._folder, self._opened = folder, 0
        self._await(self.begin("initialize", self._greeting()))
        self.notify("initialized", {})

    def open(self, text: str, name: str = "") -> str:
        """Open a file with a text, a new one if it is not named; return its URI."""
        self._opened += 1
        uri = (self._folder / (name or f"{self._opened}.yaml")).as_uri()
        self.open_document(uri, text, "yaml")
        return uri

    def problems(self, uri: str) -> list[str]:
        """Wait for the diagnostics of a file that was just opened; return their messages."""
        while True:
            message = self._following()
            if message.get("method") == "textDocument/publishDiagnostics":
                assert message["params"]["uri"] == uri
                return [each["message"] for each in message["params"]["diagnostics"]]

    def completions(self, uri: str, line: int, character: int) -> dict[str, str]:
        """Return the labels that are proposed at a place, each with its documentation."""
        answer = self._ask_at("textDocument/completion", uri, line, character)
        return {item["label"]: _plain(item.get("documentation")) for item in answer["items"]}

    def hover(self, uri: str, line: int, character: int) -> str:
        """Return the hover at a place, or an empty text."""
        answer = self._ask_at("textDocument/hover", uri, line, character)
        return "" if answer is None else _plain(answer["contents"])

    def _greeting(self) -> dict[str, Any]:
        root = self._folder.as_uri()
        return {"processId": os.getpid(), "rootUri": root, "capabilities": _CAPABILITIES}

    def _ask_at(self, method: str, uri: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self._await(self.begin(method, {"textDocument": {"uri": uri}, "position": place}))

    def _await(self, identity: int) -> Any:
        while True:
            message = self._following()
            if message.get("id") == identity and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def _following(self) -> dict[str, Any]:
        """Return the next message; answer it if it is a request."""
        message = self.next()
        if "method" in message and "id" in message:
            result = None
            if message["method"] == "workspace/configuration":
                asked = (each.get("section") for each in message["params"]["items"])
                result = [_SETTINGS if section == "yaml" else None for section in asked]
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return message


def yaml_program() -> Path:
    """Install the server unless it is there; return its program, which runs in Node.

    Where npm cannot be had, skip the test, or fail it in CI.
    """
    if shutil.which("node") is None:
        cannot_be_had("node is not installed (Debian: apt-get install nodejs)")
    try:
        return installed(PACKAGE) / "node_modules" / ".bin" / PACKAGE
    except CannotInstallError as problem:
        cannot_be_had(str(problem))


def _plain(text: Any) -> str:
    return str(text["value"] if isinstance(text, dict) else text or "")


@contextmanager
def yaml_editor(folder: Path) -> Iterator[YamlEditor]:
    """Yield an editor in a folder; skip the test, or fail it in CI, where npm cannot be had."""
    process = subprocess.Popen(
        [yaml_program(), "--stdio"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    client = YamlEditor(process, folder)
    try:
        yield client
    finally:
        client.hang_up()
        process.kill()
        process.wait(LIMIT)
        client.reader.join()
        client.stop_reading()
