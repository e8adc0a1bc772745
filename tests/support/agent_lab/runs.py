"""One run of a host: its directories, its namespace, its model, and what is left afterwards."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.agent_lab import installation
from tests.support.agent_lab.host import PORT, Host, Place, Registration
from tests.support.agent_lab.model import ScriptedModel

_LAUNCHER = Path(__file__).with_name("launcher.py")
PROMPT = "TASK: do what the script says."
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
PATIENCE = 300.0
"""Seconds for one run of a host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRun:
    """What one run has left: status (None if it was given up), seconds, and what it printed."""

    status: int | None
    seconds: float
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """A host with a repository and a home of its own; `start` runs it once, again and again."""

    host: Host
    directory: Path
    place: Place
    programs: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def repo(self) -> Path:
        """The work tree in which the host works."""
        return self.place.repo

    def start(self, model: ScriptedModel, *, prompt: str = PROMPT, resume: bool = False) -> HostRun:
        """Run the host headless with a prompt until it ends, or until its time is over."""
        arguments = self.host.resume if resume else self.host.arguments
        model.prompt = prompt
        words = [prompt if word == "{prompt}" else word for word in arguments]
        return self._run([*self._program(), *words], model)

    def beside(self, words: Sequence[str]) -> HostRun:
        """Run another program where the host runs, with the host itself on its PATH."""
        return self._run(words, ScriptedModel([]), on_path=Path(self._program()[-1]).parent)

    def converse(self, model: ScriptedModel, prompts: Sequence[str]) -> HostRun:
        """Run the host headless with several prompts, or commands such as `/clear`."""
        model.prompt = prompts[-1]
        said = [{"role": "user", "content": prompt} for prompt in prompts]
        lines = [json.dumps({"type": "user", "message": message}) + "\n" for message in said]
        (self.directory / "host.in").write_text("".join(lines), encoding="utf-8")
        words = [*self._program(), *self.host.conversation]
        return self._run(words, model, self.directory / "host.in")

    def prepare(self) -> None:
        """Run what the host needs once before its first run, such as to sign in."""
        if self.host.before:
            done = self._run([*self._program(), *self.host.before], ScriptedModel([]))
            assert done.status == 0, f"{done.out}{done.err}"

    def _run(
        self,
        command: Sequence[str],
        model: ScriptedModel,
        given: Path = Path(os.devnull),
        on_path: Path | None = None,
    ) -> HostRun:
        out, err = self.directory / "host.out", self.directory / "host.err"
        out.write_bytes(b"")
        err.write_bytes(b"")
        began = time.monotonic()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            order = {
                "command": list(command),
                "directory": str(self.place.repo),
                "environment": self._environment(on_path),
                "port": PORT,
                "channel": theirs.fileno(),
                "stdin": str(given),
                "stdout": str(out),
                "stderr": str(err),
            }
            status = _in_namespace(order, ours, theirs, model)
        seconds = time.monotonic() - began
        said = [file.read_text(encoding="utf-8", errors="replace") for file in (out, err)]
        return HostRun(status=status, seconds=seconds, out=said[0], err=said[1])

    def _program(self) -> list[str]:
        installed = self.place.installed
        found = [str(path) for path in installed.glob(self.host.program)]
        assert len(found) == 1, f"{self.host.program} in {installed}"
        return [str(installation.node() / "node"), *found] if self.host.on_node else found

    def _environment(self, on_path: Path | None) -> dict[str, str]:
        own = [str(each) for each in (self.programs, on_path) if each is not None]
        of_node = [str(installation.node())] if self.host.on_node else []
        path = ":".join([*own, *of_node, _SYSTEM_PATH])
        return {
            "HOME": str(self.place.home),
            "TMPDIR": str(self.directory / "tmp"),
            "PATH": path,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "CI": "1",
            **self.host.environment,
            **self.environment,
        }


def lab(
    host: Host,
    directory: Path,
    registration: Registration,
    *,
    programs: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Lab:
    """Install a host and give it a home, and register it in `directory/repo`.

    The repository is made if it is not there. `programs` is a directory at the head of the host's
    PATH. Raise CannotInstallError if npm fails.
    """
    installed = installation.installed(host.package)
    for name in ("home", "tmp", "repo"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    place = Place(
        repo=directory / "repo",
        home=directory / "home",
        installed=installed,
        hook=registration.hook,
        mcp=registration.mcp,
    )
    host.register(place)
    if programs is not None:
        # Codex runs commands in a login shell, which begins with the PATH of the system.
        place.write_at_home(".profile", f'PATH="{programs}:$PATH"\n')
    made = Lab(
        host=host,
        directory=directory,
        place=place,
        programs=programs,
        environment=environment or {},
    )
    made.prepare()
    return made


def unshare(*more: str) -> list[str]:
    """Return the command that starts a program in namespaces of its own."""
    program = shutil.which("unshare")
    if program is None:
        raise FileNotFoundError("unshare")
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return [program, *user, "--net", "--pid", "--fork", "--mount-proc", "--kill-child", *more]


def why_no_namespace() -> str | None:
    """Return why no namespace can be made here, or None if one can."""
    try:
        done = subprocess.run(
            unshare("true"), capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no network namespace can be made here: {error!r}"
    if done.returncode != 0:
        return f"no network namespace can be made here: {done.stderr.strip()}"
    return None


def _in_namespace(
    order: Mapping[str, object], ours: socket.socket, theirs: socket.socket, model: ScriptedModel
) -> int | None:
    command = unshare(sys.executable, "-I", str(_LAUNCHER), json.dumps(order))
    # The environment is empty: no key, no proxy and no setting of a person reaches a host.
    with subprocess.Popen(command, env={}, pass_fds=(theirs.fileno(),)) as process:
        try:
            ours.settimeout(30)
            _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
            with _serving(model, descriptors[0]):
                return process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return None
        finally:
            process.kill()


@contextmanager
def _serving(model: ScriptedModel, descriptor: int) -> Iterator[None]:
    server = model.serve(socket.socket(fileno=descriptor))
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
