"""A server that loads its service when told to: `python -m tests.support.paused_server`.

It answers `test/loaded` with the names of its modules, and loads its language service after
`test/go`, or `exit`.
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
    """Finds no module; whoever looks for the language service waits here."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == SERVICE and not self.go.wait(PATIENCE):
            raise ImportError("nobody has said go")
        return None


def main() -> int:
    server = build_server()
    paused = PausedImport()
    sys.meta_path.insert(0, paused)

    @server.feature(LOADED)
    def loaded(*_: object) -> list[str]:
        return sorted(sys.modules)

    # At the end threads are waited for, whatever they load.
    @server.feature(lsp.EXIT)
    @server.feature(GO)
    def go(*_: object) -> None:
        paused.go.set()

    return serve_stdio(server)


if __name__ == "__main__":
    raise SystemExit(main())
