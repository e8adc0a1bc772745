"""A real Emacs without a screen: it runs a script in Lisp and reports what it saw at each step.

Nothing here or in the scripts sleeps: they wait for events, and a step that waits too long fails.
"""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.debian import install
from tests.support.programs import cannot_be_had, run_program
from tests.support.repository import Repository

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "client-configs" / "emacs"
SCRIPTS = ROOT / "tests" / "editors" / "emacs"
SERVER = (sys.executable, "-m", "intent_lsp", "serve")

_PACKAGES = Path("/usr/share/emacs/site-lisp/elpa")
"""Where Debian keeps Emacs's packages: the eglot of Emacs 28 is one of them."""

_PATIENCE = 120.0
"""Seconds for a whole script; a step that fails ends it much earlier."""


@dataclass(frozen=True, slots=True)
class Emacs:
    """An Emacs that can be started; `state` is its home, where the server logs too."""

    program: str
    state: Path

    def run_script(self, name: str, repository: Repository, **given: object) -> Mapping[str, Any]:
        """Run a script of tests/editors/emacs in a new process; return what it saw, by step.

        `given` is passed to the script as JSON. Whatever goes wrong fails the test with the name
        of the step and what Emacs said.
        """
        given_to_script = {
            "root": str(repository.root),
            "config": str(CONFIG),
            "cmd": SERVER,
            **given,
        }
        environment = {
            "SCRIPT_GIVEN": json.dumps(given_to_script),
            "SCRIPT_HARNESS": str(SCRIPTS / "harness.el"),
            "HOME": str(self.state),
            "XDG_STATE_HOME": str(self.state / "state"),
            "LC_ALL": "C.UTF-8",
        }
        init, script = SCRIPTS / "init.el", SCRIPTS / f"{name}.el"
        command = [self.program, "--batch", "-Q", "-l", init, "-l", script]
        ended = run_program(command, environment, patience=_PATIENCE, directory=repository.root)
        return _read(*ended)


def emacs(state: Path, *packages: str) -> Emacs:
    """Return an Emacs with some packages, installed if need be; else skip, or fail in CI."""
    if shutil.which("emacs") is None or not _has(packages):
        install("emacs-nox", *(f"elpa-{package}" for package in packages))
    found = shutil.which("emacs")
    if found is None or not _has(packages):
        wanted = " ".join(("emacs-nox", *(f"elpa-{package}" for package in packages)))
        reason = f"no Emacs with {', '.join(packages)} (Debian: apt-get install {wanted})"
        cannot_be_had(reason)
    state.mkdir(exist_ok=True)
    return Emacs(found, state)


def _has(packages: Sequence[str]) -> bool:
    return all(any(_PACKAGES.glob(f"{package}-[0-9]*")) for package in packages)


def _read(out: str, err: str, status: int) -> Mapping[str, Any]:
    seen: dict[str, Any] = {}
    for line in map(json.loads, out.splitlines()):
        if "wrong" in line:
            pytest.fail(f"step {line['step']!r}: {line['wrong']}\n{err[-4000:]}", pytrace=False)
        seen[line["step"]] = line["saw"]
    if status != 0:
        last = next(reversed(seen), "none")
        pytest.fail(f"Emacs ended with {status} after step {last!r}\n{err}", pytrace=False)
    return seen
