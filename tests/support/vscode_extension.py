"""The VS Code extension, built once for each state of its sources, with the result of each step.

The sources are copied below `build/` and built there; npm packages come by the lock file. The
package is also built again for each state of the server, whose wheel it contains.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "client-configs" / "vscode"
BUILT = ROOT / "build" / "vscode-extension"
LEFT_OUT = ("node_modules", "dist", "bundled")
STEPS = {
    "types": ("npm", "run", "--silent", "check"),
    "units": ("npm", "test", "--silent"),
    "bundle": ("npm", "run", "--silent", "build"),
    "wheel": (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"),
    "package": ("npm", "run", "--silent", "package", "--", "--out"),
}
_OF_SOURCES = ("types", "units", "bundle")
_OF_A_WHEEL = ("pyproject.toml", "README.md", "LICENSE", "docs/codes.md", ".gitignore")
"""Files that a wheel depends on, besides the modules of the package."""
Steps = dict[str, tuple[int, str]]
_PACKAGES = ("package.json", "package-lock.json", ".npmrc")


@dataclass(frozen=True, slots=True)
class Built:
    """One build: the package that a person installs, and its steps.

    `steps` has exit status and output by the name of the step.
    """

    vsix: Path
    steps: Steps


def manifest() -> dict[str, Any]:
    """Read the extension's package.json."""
    content: dict[str, Any] = json.loads((SOURCES / "package.json").read_text())
    return content


def sources() -> list[Path]:
    """List the extension's own files, sorted."""
    found = (path for path in SOURCES.rglob("*") if path.is_file())
    return sorted(p for p in found if p.relative_to(SOURCES).parts[0] not in LEFT_OUT)


def code() -> str:
    """Return the extension's own code as one text."""
    return "\n".join(path.read_text() for path in sources() if path.parent.name == "src")


def build() -> Built:
    """Build the extension, unless these very sources were built before."""
    if shutil.which("npm") is None:
        assert "CI" not in os.environ, "npm is missing"
        pytest.skip("npm is not installed (Debian: apt-get install npm)")
    BUILT.mkdir(parents=True, exist_ok=True)
    place = BUILT / _digest(sources(), SOURCES)
    with _alone():
        found_steps = _once(place / "steps.json", lambda: _compile(place))
        wheel = f"with-{_digest(_server(), ROOT)}"
        vsix = place / f"{wheel}.vsix"
        found_steps |= _once(place / f"{wheel}.json", lambda: _pack(place, vsix))
    return Built(vsix, {name: (found_steps[name][0], found_steps[name][1]) for name in STEPS})


def packages() -> Path:
    """Install what the lock file names, once; return the directory with `node_modules`."""
    files = [SOURCES / name for name in _PACKAGES]
    place = BUILT / f"packages-{_digest(files, SOURCES)}"
    if not (place / ".ready").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for file in files:
            shutil.copy(file, place)
        status, output = _run(("npm", "ci", "--silent"), place)
        assert status == 0, output
        (place / ".ready").touch()
    return place


@contextmanager
def _alone() -> Iterator[None]:
    with (BUILT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _once(outcome: Path, make: Callable[[], Steps]) -> Steps:
    if not outcome.exists():
        outcome.write_text(json.dumps(make()))
    found_steps: Steps = json.loads(outcome.read_text())
    return found_steps


def _compile(place: Path) -> Steps:
    _copy(place)
    return {name: _run(STEPS[name], place) for name in _OF_SOURCES}


def _pack(place: Path, vsix: Path) -> Steps:
    bundled = place / "bundled"
    shutil.rmtree(bundled, ignore_errors=True)
    wheel = _run((*STEPS["wheel"], str(bundled)), ROOT)
    return {"wheel": wheel, "package": _run((*STEPS["package"], vsix.name), place)}


def _server() -> list[Path]:
    modules = (path for path in (ROOT / "intent_lsp").rglob("*") if path.is_file())
    return [
        *sorted(path for path in modules if path.parent.name != "__pycache__"),
        *(ROOT / name for name in _OF_A_WHEEL),
    ]


def _copy(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(SOURCES, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    (place / "node_modules").symlink_to(packages() / "node_modules")


def _run(command: tuple[str, ...], place: Path) -> tuple[int, str]:
    done = subprocess.run(
        command,
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def _digest(files: list[Path], base: Path) -> str:
    seen = hashlib.sha256()
    for file in files:
        seen.update(f"{file.relative_to(base)}\0".encode())
        seen.update(hashlib.sha256(file.read_bytes()).digest())
    return seen.hexdigest()[:16]
