"""Windows of VS Code that time the start of an extension, by another extension that watches it.

Invariant: the result of a window is waited for; if none comes in time, the benchmark ends.
"""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.support.client import environment
from tests.support import vscode_extension
from tests.support.chromium import Chromium
from tests.support.code_server import code_server, installed, prepare_profile

_SOURCES: Final = Path(__file__).with_name("vscode")
_PATIENCE: Final = 90.0
_CLIENT: Final = "client.js"


@dataclass(frozen=True, slots=True, kw_only=True)
class VscodeWindow:
    """A VS Code, served at `address`, which reports what it measured to the socket `listener`."""

    address: str
    listener: socket.socket

    def start(self, browser: Chromium, root: Path) -> float:
        """Open a window on a folder; return milliseconds from extension start to diagnostic.

        It returns once the window's extensions have ended, so that they do not slow the next one.
        """
        tab = browser.tab()
        tab.ask("Page.navigate", url=f"{self.address}/?folder={root}")
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rb") as told:
            connection.settimeout(_PATIENCE)
            said = msgspec.json.decode(told.readline())
            tab.leave()
            # The extensions' process holds this open: reading to the end waits for its exit.
            told.read()
        if "ms" not in said:
            raise SystemExit(f"nothing was measured: {said}")
        return float(said["ms"])


@contextmanager
def vscode_window(
    directory: Path, file: Path, watch: Path, *, bare: Sequence[str] = (), ours: Sequence[str] = ()
) -> Iterator[VscodeWindow]:
    """Serve a VS Code that starts a bare client with the server `bare`, or ours with `ours`."""
    installed()
    directory.mkdir()
    packages = [watch, vscode_extension.build().vsix] if ours else [watch]
    prepare_profile(directory, {"intentLsp.server.command": list(ours)}, *packages)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.settimeout(_PATIENCE)
        listener.bind(str(directory / "result"))
        listener.listen()
        told = {"file": str(file), "socket": str(directory / "result")}
        told |= {"command": list(bare)} if bare else {"extension": _our_id()}
        start = code_server(directory, {**environment(), "START_WATCH": json.dumps(told)})
        yield VscodeWindow(address=stack.enter_context(start), listener=listener)


def watch(place: Path) -> Path:
    """Build the extension that measures, in a new directory; return its package."""
    shutil.copytree(_SOURCES, place)
    modules = vscode_extension.packages() / "node_modules"
    bundle = ("esbuild", _CLIENT, "--bundle", f"--outfile={_CLIENT}", "--allow-overwrite")
    target = ("--external:vscode", "--format=cjs", "--platform=node", "--target=node20", "--minify")
    package = ("vsce", "package", "--no-dependencies", "--allow-missing-repository")
    given = {**environment(), "NODE_PATH": str(modules)}
    for program, *words in (
        (*bundle, *target, "--log-level=warning"),
        (*package, "--skip-license", "--allow-star-activation", "--out=watch.vsix"),
    ):
        command = [modules / ".bin" / program, *words]
        subprocess.run(command, cwd=place, env=given, check=True, stdout=subprocess.DEVNULL)
    return place / "watch.vsix"


def _our_id() -> str:
    told = vscode_extension.manifest()
    return f"{told['publisher']}.{told['name']}"
