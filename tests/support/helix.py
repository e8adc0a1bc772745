"""A real Helix in a terminal, with the configuration of client-configs/helix.

Debian 12 has no Helix: the one of Debian 13 is unpacked and runs beside its own C library, and
nothing is installed.
"""

import fcntl
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.debian import succeeds
from tests.support.programs import cannot_be_had
from tests.support.repository import Repository
from tests.support.terminal import Terminal, terminal

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "client-configs" / "helix" / "languages.toml"
SERVER = (sys.executable, "-m", "intent_lsp", "serve")

_HOME = ROOT / "build" / "editors" / "helix"
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_PACKAGES = ("hx", "libc6", "libgcc-s1")


@contextmanager
def helix(repository: Repository, directory: Path, name: str) -> Iterator[Terminal]:
    """Open a file of a repository in Helix; its configuration and state are below `directory`."""
    root = _unpacked()
    configuration = directory / "config" / "helix"
    configuration.mkdir(parents=True)
    (configuration / "languages.toml").write_text(_configuration())
    (configuration / "config.toml").write_text(
        '[editor]\nend-of-line-diagnostics = "hint"\n[editor.lsp]\ndisplay-messages = true\n'
    )
    environment = {"HELIX_RUNTIME": str(root / "usr/lib/hx/runtime")}
    for kind in ("CONFIG", "CACHE", "DATA", "STATE"):
        environment[f"XDG_{kind}_HOME"] = str(directory / kind.lower())
    with terminal([*_command(root), name], repository.root, environment) as shown:
        yield shown


def _command(root: Path) -> list[str | Path]:
    loader = root / "usr/lib64/ld-linux-x86-64.so.2"
    return [loader, "--library-path", root / _LIBRARIES, root / "usr/lib/hx/hx"]


def _configuration() -> str:
    """Return the configuration that people use, with the server of this work tree."""
    told = CONFIG.read_text()
    program, *arguments = SERVER
    quoted = ", ".join(f'"{argument}"' for argument in arguments)
    told = told.replace('command = "intent-lsp"', f'command = "{program}"')
    return told.replace('args = ["serve"]', f"args = [{quoted}]")


def _unpacked() -> Path:
    """Return where Helix is unpacked, once; if it cannot be had skip the test, or fail it in CI."""
    _HOME.mkdir(parents=True, exist_ok=True)
    with (_HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ready = _HOME / "ready"
        if ready.exists() or _unpack():
            ready.touch()
            return _HOME / "root"
    reason = "no Helix: it is taken from Debian 13's packages by apt-get, as root"
    return cannot_be_had(reason)


def _unpack() -> bool:
    mirror = _mirror()
    if mirror is None or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    shutil.rmtree(_HOME / "apt", ignore_errors=True)
    for name in ("sources", "lists/partial", "cache/archives/partial", "packages"):
        (_HOME / "apt" / name).mkdir(parents=True)
    (_HOME / "apt" / "sources" / "trixie.sources").write_text(
        f"Types: deb\nURIs: {mirror}\nSuites: trixie\nComponents: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )
    packages = _HOME / "apt" / "packages"
    apt = ["apt-get", *_options(_HOME / "apt"), "--quiet"]
    if not (
        succeeds([*apt, "update"], packages) and succeeds([*apt, "download", *_PACKAGES], packages)
    ):
        return False
    (_HOME / "root").mkdir(exist_ok=True)
    unpacked = [
        succeeds(["dpkg", "-x", str(package), str(_HOME / "root")], packages)
        for package in packages.glob("*.deb")
    ]
    return len(unpacked) == len(_PACKAGES) and all(unpacked)


def _options(directory: Path) -> list[str]:
    """Return options that keep apt away from this machine's own configuration and cache."""
    told: Mapping[str, object] = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": directory / "sources",
        "Dir::State::lists": directory / "lists",
        "Dir::Cache": directory / "cache",
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in told.items() for word in ("-o", f"{name}={value}")]


def _mirror() -> str | None:
    """Return the mirror that this machine's apt uses, or None if it names none."""
    for source in sorted(Path("/etc/apt").rglob("*.sources")):
        for found in re.findall(r"^URIs: *(\S+)", source.read_text(), flags=re.MULTILINE):
            if "security" not in found:
                return str(found)
    return None
