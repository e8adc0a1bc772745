"""A server whose language service loads when a test says so.

`python -m tests.support.paused_server` answers `test/loaded` with the names of its modules, and
loads the language service after `test/go` or `exit`.
"""

import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from lsprotocol import types as lsp

from intent_lsp.doors.lsp.server import build_server
from intent_lsp.doors.lsp.transport.stdio import serve_stdio

SERVICE = "intent_lsp.doors.lsp.language_service"
LOADED = "test/loaded"
GO = "test/go"
PATIENCE = 30.0


class PausedImport(MetaPathFinder):
    """An import hook that finds nothing, and blocks the import of the language service."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == SERVICE and not self.go.wait(PATIENCE):
            raise ImportError(f"no {GO} within {PATIENCE} s")
        return None


def main() -> int:
    """Serve standard input and output; return the exit status."""
    server = build_server()
    paused = PausedImport()
    sys.meta_path.insert(0, paused)

    @server.feature(LOADED)
    def loaded(*_: object) -> list[str]:
        return sorted(sys.modules)

    # At exit Python waits for its threads, also for the one that is still importing.
    @server.feature(lsp.EXIT)
    @server.feature(GO)
    def go(*_: object) -> None:
        paused.go.set()

    return serve_stdio(server)


if __name__ == "__main__":
    raise SystemExit(main())
