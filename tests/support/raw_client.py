"""A client that sends exactly the bytes it is given, for tests of the protocol itself."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import IO, Any

from intent_lsp.doors.lsp.transport import stdio
from tests.support import tiny_server

ROOT = Path(__file__).parent.parent.parent
LIMIT = 60.0
INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


def framed(message: object) -> bytes:
    """Return a message, or bytes in place of one, with its `Content-Length` header."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RawClient:
    """A client over two streams; a thread reads, so that a server's silence fails the test."""

    def __init__(self, to_server: IO[bytes], from_server: IO[bytes]) -> None:
        self._to, self._from = to_server, from_server
        self._next = 0
        self.inbox: Queue[dict[str, Any] | None] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._to.write(data)
        self._to.flush()

    def send(self, message: object) -> None:
        """Send a message with its header."""
        self.raw(framed(message))

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else message | {"params": params})

    def open_document(self, uri: str, text: str, language: str = "text") -> None:
        """Tell that a document is open, with version 1."""
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def begin(self, method: str, params: object = None) -> int:
        """Send a request; return its id, and do not wait for the answer."""
        self._next += 1
        message: dict[str, object] = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send(message if params is None else message | {"params": params})
        return self._next

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """Send a request; return the next message, which has to be its answer."""
        identity = self.begin(method, params)
        answer = self.next()
        assert answer["id"] == identity, answer
        return answer

    def initialize(self, **params: object) -> dict[str, Any]:
        """Initialize the connection; return the answer."""
        answer = self.ask("initialize", INITIALIZE | params)
        self.notify("initialized", {})
        return answer

    def next(self) -> dict[str, Any]:
        """Wait for the next message of the server."""
        message = self.inbox.get(timeout=LIMIT)
        assert message is not None, "the server hung up"
        return message

    def hang_up(self) -> None:
        """Close the stream to the server."""
        with suppress(OSError):
            self._to.close()

    def stop_reading(self) -> None:
        """Close the stream from the server."""
        self._from.close()

    def sent_nothing_more(self) -> bool:
        """Wait until the server hangs up or sends something; return whether it hung up."""
        return self.inbox.get(timeout=LIMIT) is None

    def _read(self) -> None:
        with suppress(ValueError, OSError):
            while header := self._from.readline():
                assert header.lower().startswith(b"content-length: "), header
                assert self._from.readline() == b"\r\n"
                body = self._from.read(int(header.split()[1]))
                self.inbox.put(json.loads(body))
        self.inbox.put(None)


class ProcessClient(RawClient):
    """A client of the tiny server in a process of its own."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.tiny_server"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdin, self.process.stdout)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and the log."""
        assert self.process.stderr
        log = self.process.stderr.read().decode()
        return self.process.wait(LIMIT), log


@contextmanager
def child() -> Iterator[ProcessClient]:
    """Yield a client of a tiny server in a process, and end both."""
    client = ProcessClient()
    try:
        yield client
    finally:
        client.hang_up()
        try:
            client.process.wait(LIMIT)
        finally:
            client.process.kill()
        client.reader.join()
        client.stop_reading()
        assert client.process.stderr
        client.process.stderr.close()


class ThreadClient(RawClient):
    """A client of the tiny server in a thread of this process."""

    def __init__(self) -> None:
        server_reads, we_write = os.pipe()
        we_read, server_writes = os.pipe()
        self.server = tiny_server.build()
        self.status: int | None = None
        self._thread = threading.Thread(target=self._serve, args=(server_reads, server_writes))
        self._thread.start()
        super().__init__(os.fdopen(we_write, "wb"), os.fdopen(we_read, "rb"))

    def end(self) -> int | None:
        """Wait for the end; return the exit status."""
        self._thread.join(LIMIT)
        return self.status

    def _serve(self, source: int, sink: int) -> None:
        self.status = stdio.serve(self.server, source, sink)


@contextmanager
def thread() -> Iterator[ThreadClient]:
    """Yield a client of a tiny server in a thread, and end both."""
    client = ThreadClient()
    try:
        yield client
    finally:
        client.hang_up()
        client.end()
        client.reader.join()
        client.stop_reading()
