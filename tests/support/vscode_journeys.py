"""Journeys: scripts that act in one window of VS Code with our extension, and report what they see.

Nothing here or in the scripts sleeps: they wait for events, and a step that waits too long fails.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.support import chromium, vscode_extension
from tests.support.code_server import (
    ROOT,
    USUAL,
    Edition,
    code_server,
    installed,
    prepare_profile,
    write_settings,
)
from tests.support.programs import run_program

_SCRIPTS = ROOT / "tests" / "editors" / "vscode"
_SERVER = (sys.executable, "-m", "intent_lsp", "serve")
_COUNTED = ("sh", "-c", 'echo $$ >>"$0" && exec "$@"')
"""A command prefix: the file follows that gets a line at each start, then the command."""
_PATIENCE = 300.0
"""Seconds for all journeys; a step that fails ends them much earlier."""
_LONG_PATIENCE = 900.0
"""The same for a journey through the network."""
_KEYS = ({"key": "ctrl+alt+i", "command": "intent.select"},)
"""A command of the server itself, which no palette lists."""


class Beside(NamedTuple):
    """Packages of other extensions, and settings of the machine."""

    extensions: tuple[Path, ...] = ()
    settings: Mapping[str, object] = MappingProxyType({})


NOTHING = Beside()


def journeys(
    root: Path,
    room: Path,
    *,
    script: str = "journeys.mjs",
    edition: Edition = USUAL,
    beside: Beside = NOTHING,
    **given: object,
) -> Mapping[str, Any]:
    """Run all journeys of a script in a window on a folder; return their reports, by journey.

    `room` is the directory for the editor's own files. `beside` is what is installed and set beside
    our own extension. `given` is passed to the script as JSON.
    """
    driver = _driver()
    installed(edition)
    starts = room / "starts"
    write_settings(room, "User/keybindings.json", _KEYS)
    command = [*_COUNTED, str(starts), *_SERVER]
    machine = {"intentLsp.server.command": command, **beside.settings}
    package = vscode_extension.build().vsix
    prepare_profile(room, machine, package, *beside.extensions, edition=edition)
    with code_server(room, edition=edition) as address:
        places = {"address": address, "room": str(room), "root": str(root)}
        told = {**driver, **places, "starts": str(starts), **given}
        return _gone(script, told, _PATIENCE)


def installation(root: Path, room: Path, environment: Mapping[str, str]) -> Mapping[str, Any]:
    """Run the journey of a person without a server installed; return its reports, by journey.

    `environment` is the editor's whole environment, also for installing the server.
    """
    driver = _driver()
    prepare_profile(room, {}, vscode_extension.build().vsix)
    with code_server(room, environment) as address:
        places = {"address": address, "room": str(room), "root": str(root)}
        return _gone("install.mjs", {**driver, **places}, _LONG_PATIENCE)


def saw(told: Mapping[str, Any], journey: str) -> Any:
    """Return what a journey saw; fail the test if the journey failed, or never began."""
    in_vain = next((name for name, line in told.items() if "wrong" in line), None)
    if in_vain is not None and (in_vain == journey or journey not in told):
        line = told[in_vain]
        said = f"{in_vain}: {line['wrong']}\nthe window: {line['picture']}"
        pytest.fail(said, pytrace=False)
    if journey not in told:
        pytest.fail(f"not reached: {', '.join(told)} are all that were", pytrace=False)
    return told[journey]["saw"]


def _driver() -> Mapping[str, str]:
    # Playwright, which drives the browser, is among the usual edition's packages.
    return {"chromium": chromium.program(), "installed": str(installed())}


def _gone(script: str, told: Mapping[str, object], patience: float) -> Mapping[str, Any]:
    # SIGTERM, not SIGKILL: the script has to close its browser.
    out, err, status = run_program(
        ["node", _SCRIPTS / script],
        {"JOURNEY_GIVEN": json.dumps(told)},
        patience=patience,
        stop=subprocess.Popen.terminate,
    )
    seen = {line["journey"]: line for line in map(json.loads, out.splitlines())}
    if status != 0:
        said = f"the journeys ended with {status} after {list(seen)}\n{err}"
        pytest.fail(said, pytrace=False)
    return seen
