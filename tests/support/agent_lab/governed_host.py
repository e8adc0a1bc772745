"""A real agent host in a governed repository, whose hooks run `intent-lsp hook`."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.formats.registrations.registration import PROGRAM, Place, Purpose
from tests.support import repository as repositories
from tests.support.agent_lab.host import Host, Registration, Tools
from tests.support.agent_lab.model import Script, ScriptedModel
from tests.support.agent_lab.runs import PATIENCE, PROMPT, HostRun, Lab, lab
from tests.support.agent_lab.wire import Call
from tests.support.governed_repository import govern
from tests.support.repository import Repository

ROOT = Path(__file__).parents[3]
AUTH = "src/auth/login.py"
"""A file that INT-001 owns."""
BILLING = "src/billing/invoice.py"
"""A file that INT-002 owns."""

_HOOKS_LIST = """\
import json, pathlib, sys
sys.path.insert(0, sys.argv[1])
from intent_lsp.store.hook_runs import ask_program
requests = [
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "tests", "version": "1"}}},
    {"method": "initialized"},
    {"id": 2, "method": "hooks/list", "params": {"cwds": [sys.argv[2]]}},
]
root = pathlib.Path(sys.argv[2])
print(json.dumps(ask_program(["codex", "app-server"], root, requests, 30.0)))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """How a host is governed: a line of policy, and what is registered (hooks alone, or MCP, too).

    `around` is a command that is given `intent-lsp` and its words, instead of running it.
    """

    policy: str = ""
    purposes: Collection[Purpose] = frozenset({Purpose.HOOKS})
    around: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GovernedHost:
    """A host whose hooks ask `intent-lsp`, and the repository in which it works."""

    lab: Lab
    repository: Repository

    @property
    def tools(self) -> Tools:
        """The calls of the host's tools."""
        return self.lab.host.tools(self.repository.root)

    def run(
        self, main: Script, sub: Script = (), *, prompt: str = PROMPT, resume: bool = False
    ) -> tuple[ScriptedModel, HostRun]:
        """Run the host with a script for its model; return the model and what the run has left."""
        model = ScriptedModel(main, sub)
        done = self.lab.start(model, prompt=prompt, resume=resume)
        said = f"{done.out[-2000:]}\n{done.err[-2000:]}"
        assert done.status is not None, f"it did not end within {PATIENCE:g} s\n{said}"
        assert not model.errors, f"{model.errors}\n{said}"
        return model, done

    def select(self, intent_id: str) -> Call:
        """Return the call by which the agent selects an intent in its shell."""
        return self.tools.run(f"intent-lsp intents select {intent_id}")

    def text(self, path: str) -> str:
        """Return what a file holds now."""
        return (self.repository.root / path).read_text(encoding="utf-8")

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the ledger, oldest first."""
        ledger = self.repository.root / ".orchestration" / "agent_trace.jsonl"
        if not ledger.exists():
            return []
        return [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]

    def records_of(self, path: str) -> list[dict[str, Any]]:
        """Return the records that name a file, oldest first."""
        return [r for r in self.records() if any(f["relative_path"] == path for f in r["files"])]

    def trust_hooks_of_codex(self) -> None:
        """Trust each hook of the project, as a person does in Codex by `/hooks`."""
        done = self.lab.beside([sys.executable, "-c", _HOOKS_LIST, str(ROOT), str(self.lab.repo)])
        found = json.loads(done.out)["result"]
        hooks = [hook for each in found["data"] for hook in each["hooks"]]
        config = self.lab.place.home / ".codex" / "config.toml"
        trusted = "".join(
            f"[hooks.state.{json.dumps(hook['key'])}]\n"
            f"trusted_hash = {json.dumps(hook['currentHash'])}\n"
            for hook in hooks
        )
        config.write_text(config.read_text(encoding="utf-8") + "\n" + trusted, encoding="utf-8")

    def answer_hooks(self) -> None:
        """Have the host's hooks answered by `intent-lsp` from now on, whatever they ran before."""
        assert self.lab.programs is not None
        _write_program(self.lab.programs, ())

    def command(self, *words: str) -> str:
        """Run `intent-lsp` as a person does beside the host; return its output."""
        done = subprocess.run(
            [sys.executable, "-m", "intent_lsp", *words],
            cwd=self.repository.root,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout


def governed_host(host: Host, directory: Path, wanted: Arrangement) -> GovernedHost:
    """Make a governed repository in `directory/repo`, with what the product registers.

    Raise CannotInstallError if npm fails.
    """
    programs = directory / "bin"
    programs.mkdir(parents=True)
    _write_program(programs, wanted.around)
    repository = repositories.create(directory / "repo")
    made = lab(
        host,
        directory,
        Registration(),
        programs=programs,
        environment=wanted.environment,
    )
    _install(made, wanted.purposes)
    # Committed with the registrations: a host whose hooks are missing would pass every test.
    govern(repository, wanted.policy)
    return GovernedHost(made, repository)


def _write_program(programs: Path, around: Sequence[str]) -> None:
    """Write the command `intent-lsp` that the host finds on its PATH."""
    program = programs / PROGRAM
    words = shlex.join([*around, os.fspath(Path(sys.executable).with_name(PROGRAM))])
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {words} "$@"\n', encoding="utf-8")
    program.chmod(0o755)


def _install(made: Lab, purposes: Collection[Purpose]) -> None:
    """Register the hooks, the MCP server or both as `intent-lsp agents install` does."""
    (host,) = [host for host in HOSTS if host.name == made.host.name]
    for registration in registrations_of(host, RegistrationOptions()):
        if registration.purpose not in purposes:
            continue
        base = made.place.home if registration.place is Place.HOME else made.repo
        path = base / registration.paths[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else None
        written = registration.content.installed(text)
        assert isinstance(written, str), written
        path.write_text(written, encoding="utf-8")
        if registration.executable:
            path.chmod(0o755)
