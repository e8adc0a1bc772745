"""Journeys through one window of VS Code with our extension, each with what was seen on it.

Nothing here or in the journeys sleeps: waiting is for events, and a step in vain says so.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
"""What stands before a file and a command, each of whose starts is to be a line there."""
_PATIENCE = 300.0
"""Seconds for all journeys; a step in vain ends them much earlier."""
_LONG_PATIENCE = 900.0
"""The same for a journey through the network."""
_KEYS = ({"key": "ctrl+alt+i", "command": "intent.select"},)
"""A command of the server itself, which no palette lists."""


def journeys(
    root: Path,
    room: Path,
    *,
    script: str = "journeys.mjs",
    edition: Edition = USUAL,
    **given: object,
) -> Mapping[str, Any]:
    """Go all journeys of a script through a window on a folder; give what was told, by journey.

    `room` is for the editor's own files. `given` is handed to the journeys as JSON.
    """
    driver = _driver()
    installed(edition)
    starts = room / "starts"
    write_settings(room, "User/keybindings.json", _KEYS)
    command = [*_COUNTED, str(starts), *_SERVER]
    machine, package = {"intentLsp.server.command": command}, vscode_extension.build().vsix
    prepare_profile(room, machine, package, edition=edition)
    with code_server(room, edition=edition) as address:
        places = {"address": address, "room": str(room), "root": str(root)}
        told = {**driver, **places, "starts": str(starts), **given}
        return _gone(script, told, _PATIENCE)


def installation(root: Path, room: Path, environment: Mapping[str, str]) -> Mapping[str, Any]:
    """Go the journey of the window where no server is; give what was told, by journey.

    `environment` is all that the editor finds, and what it installs with.
    """
    driver = _driver()
    prepare_profile(room, {}, vscode_extension.build().vsix)
    with code_server(room, environment) as address:
        places = {"address": address, "room": str(room), "root": str(root)}
        return _gone("install.mjs", {**driver, **places}, _LONG_PATIENCE)


def saw(told: Mapping[str, Any], journey: str) -> Any:
    """Give what a journey saw; fails the test if it was in vain, or was not reached."""
    in_vain = next((name for name, line in told.items() if "wrong" in line), None)
    if in_vain is not None and (in_vain == journey or journey not in told):
        line = told[in_vain]
        said = f"{in_vain}: {line['wrong']}\nthe window: {line['picture']}"
        pytest.fail(said, pytrace=False)
    if journey not in told:
        pytest.fail(f"not reached: {', '.join(told)} are all that were", pytrace=False)
    return told[journey]["saw"]


def _driver() -> Mapping[str, str]:
    # The program that drives the browser is of the usual edition's packages.
    return {"chromium": chromium.program(), "installed": str(installed())}


def _gone(script: str, told: Mapping[str, object], patience: float) -> Mapping[str, Any]:
    # It ends its browser when it is asked to end.
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
