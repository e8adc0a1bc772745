"""A real server that a test kills, and who speaks with it."""

import subprocess
from pathlib import Path
from typing import Any

from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import SERVER
from tests.support.raw_client import RawClient


class KillableServer(RawClient):
    """A server that is going to be killed, and who speaks with it."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdin
        assert self.process.stdout
        super().__init__(self.process.stdin, self.process.stdout)
        self.initialize(rootUri=uri_of(root))

    def request(self, method: str, params: object) -> Any:
        """Give the answer as soon as it is there, whatever else is said before."""
        identity = self.begin(method, params)
        while (message := self.next()).get("id") != identity:
            pass
        return message["result"]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.hang_up()
        self.stop_reading()
