"""An LSP client with little overhead: it sends prepared bytes and reads frames over pipes.

Invariant: requests of the server are answered with null at once; no message of it is lost.
Invariant: a server that sends nothing for a minute, or ends, ends the benchmark.
"""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

Message: TypeAlias = dict[str, Any]

OURS: Final = (sys.executable, "-m", "intent_lsp", "serve")
BARE: Final = (sys.executable, "-m", "benchmarks.support.bare_server")

_PATIENCE_MS: Final = 60_000
_CHUNK: Final = 1 << 20
_PROJECT: Final = Path(__file__).parent.parent.parent
_END_OF_HEADER: Final = b"\r\n\r\n"


class HungUpError(Exception):
    """The server sent nothing for too long, ended, or answered with an error."""


class Client:
    """One connection to a server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the server needs both pipes")
        self.process = process
        self._to, self._from = process.stdin.fileno(), process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._from, select.POLLIN)
        self._buffer = bytearray()
        self._decoder = msgspec.json.Decoder()
        self._last_id = 0
        self.patience_ms = _PATIENCE_MS
        """Milliseconds for which the server may send nothing."""
        self.unread: list[Message] = []
        """Messages of the server that came while another was waited for."""

    def write(self, data: bytes) -> None:
        """Send bytes as they are."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._to, rest) :]

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.write(notification(method, params))

    def request(self, method: str, params: object = None) -> tuple[int, bytes]:
        """Return the id and the bytes of a request, to be sent later."""
        self._last_id += 1
        return self._last_id, _framed({"id": self._last_id, "method": method, "params": params})

    def ask(self, method: str, params: object = None) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Send a request; return the answer's result. An error ends the benchmark."""
        identity, data = self.request(method, params)
        self.write(data)
        return self.answer(identity)

    def answer(self, identity: int) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Read up to the answer of a request; return its result, and keep the rest in `unread`."""
        message = self.read_until(lambda said: said.get("id") == identity and "method" not in said)
        if "error" in message:
            raise HungUpError(f"the server refused a request: {message['error']}")
        return message["result"]

    def read_until(self, wanted: Callable[[Message], bool]) -> Message:
        """Read up to the first wanted message; return it, and keep the others in `unread`."""
        while not wanted(message := self.read()):
            self.unread.append(message)
        return message

    def problems(self, uri: str, version: int) -> list[Message]:
        """Read up to the diagnostics that were published for one version of a document."""

        def published(said: Message) -> bool:
            params: Message = said.get("params") or {}
            is_push = said.get("method") == "textDocument/publishDiagnostics"
            return is_push and (params["uri"], params.get("version")) == (uri, version)

        found: list[Message] = self.read_until(published)["params"]["diagnostics"]
        return found

    def read(self) -> Message:
        """Return the next message that is not a request; requests are answered with null."""
        while True:
            message: Message = self._decoder.decode(self._body())
            if "method" not in message or "id" not in message:
                return message
            self.write(_framed({"id": message["id"], "result": None}))
            self.unread.append(message)

    def _body(self) -> bytes:
        while (end := self._buffer.find(_END_OF_HEADER)) < 0:
            self._fill()
        start = end + len(_END_OF_HEADER)
        until = start + _length(bytes(self._buffer[:end]))
        while len(self._buffer) < until:
            self._fill()
        body = bytes(self._buffer[start:until])
        del self._buffer[:until]
        return body

    def _fill(self) -> None:
        if not self._poll.poll(self.patience_ms):
            raise HungUpError("the server says nothing")
        data = os.read(self._from, _CHUNK)
        if not data:
            raise HungUpError("the server has ended")
        self._buffer += data


@contextmanager
def started(command: Sequence[str], directory: Path | None = None) -> Iterator[Client]:
    """Start a server; shut it down as an editor does."""
    # A file, not a pipe: nothing reads it while the server runs, and a full pipe would block.
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            cwd=directory or _PROJECT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        client = Client(process)
        try:
            yield client
            client.ask("shutdown")
            client.notify("exit", None)
            process.wait(_PATIENCE_MS / 1000)
        except HungUpError:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace"))
            raise
        finally:
            process.kill()
            process.communicate()


def environment() -> Mapping[str, str]:
    """Return the environment of every child: the project on the path, no personal git settings.

    Python may write its compiled files, as on a person's machine.
    """
    path = os.pathsep.join(filter(None, (str(_PROJECT), os.environ.get("PYTHONPATH"))))
    kept = {name: at for name, at in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {
        **kept,
        "PYTHONPATH": path,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def notification(method: str, params: object) -> bytes:
    """Return the bytes of a notification, to be sent later."""
    return _framed({"method": method, "params": params})


def initialize_params(root: Path) -> Message:
    """Return the params of `initialize` of an editor with pushed diagnostics and saves."""
    return {
        "processId": os.getpid(),
        "rootUri": root.as_uri(),
        "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
        "capabilities": {
            "general": {"positionEncodings": ["utf-16"]},
            "textDocument": {
                "publishDiagnostics": {
                    "relatedInformation": True,
                    "versionSupport": True,
                    "codeDescriptionSupport": True,
                    "dataSupport": True,
                },
                "synchronization": {"willSaveWaitUntil": True, "didSave": True},
            },
        },
    }


def introduce(
    client: Client, root: Path, *, notified: bool = False, settings: Message | None = None
) -> None:
    """Initialize the connection; `notified` asks for `intent/*` notifications."""
    params = initialize_params(root)
    if settings is not None:
        params["initializationOptions"] = settings
    if notified:
        params["capabilities"]["experimental"] = {"intent": {"notifications": True}}
    client.ask("initialize", params)
    client.notify("initialized", {})


def open_document(client: Client, uri: str, text: str) -> None:
    """Open a document at version 1."""
    item = {"uri": uri, "languageId": "plaintext", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})


def change(uri: str, version: int, edits: Sequence[Message]) -> bytes:
    """Return the bytes of a `didChange`, to be sent later."""
    params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(edits)}
    return notification("textDocument/didChange", params)


def replacing(line: int, start: int, end: int, text: str) -> Message:
    """Return the change that replaces characters of one line by `text`."""
    span = {
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    }
    return {"range": span, "text": text}


def _framed(message: Message) -> bytes:
    body = msgspec.json.encode({"jsonrpc": "2.0", **message})
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise HungUpError(f"no Content-Length in {header!r}")
