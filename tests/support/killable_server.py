"""A server process that a test kills, with the client that is connected to it."""

import subprocess
from pathlib import Path
from typing import Any

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import SERVER
from tests.support.raw_client import RawClient


class KillableServer(RawClient):
    """A client with a server process of its own, for tests of what a kill leaves behind."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdin, self.process.stdout)
        self.initialize(rootUri=uri_of(root))

    def request(self, method: str, params: object) -> Any:
        """Send a request; return its result, passing over the messages before it."""
        identity = self.begin(method, params)
        while (message := self.next()).get("id") != identity:
            pass
        return message["result"]

    def kill(self) -> None:
        """Kill the server with SIGKILL, and close the connection."""
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.hang_up()
        self.stop_reading()
