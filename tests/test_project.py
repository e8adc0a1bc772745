"""The project as a newcomer meets it: how it starts, what it ships, what it installs."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from intent_lsp import __version__

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SCRIPT = str(Path(sys.executable).parent / "intent-lsp")
PRODUCT_LINE = f"intent-lsp {__version__} (intent governance language server)\n"


@pytest.mark.e2e
@pytest.mark.parametrize("start", [(SCRIPT,), (sys.executable, "-m", "intent_lsp")])
@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_names_the_product(start: tuple[str, ...], option: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*start, option], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, PRODUCT_LINE, "")
    assert list(tmp_path.iterdir()) == []


def test_the_installed_package_has_the_version_of_the_source() -> None:
    assert metadata.version("intent-lsp") == __version__


def test_a_wheel_holds_the_typed_package_and_its_licence(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    record = f"intent_lsp-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"intent_lsp", record}
    assert {"intent_lsp/py.typed", "intent_lsp/__main__.py", "intent_lsp/docs/codes.md"} <= names
    assert {f"intent_lsp/formats/report/page.{kind}" for kind in ("html", "css", "js")} <= names
    assert {f"intent_lsp/schemas/{name}.json" for name in ("intents", "policy", "record")} <= names
    assert f"{record}/licenses/LICENSE" in names


@pytest.mark.parametrize(
    "lock", sorted((ROOT / "requirements").glob("*.lock")), ids=lambda p: p.name
)
def test_a_lock_pins_every_release_by_its_hash_and_names_no_place(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==[\w.+!]+( ;[^\\]*)? \\\n", entry), entry
        assert "--hash=sha256:" in entry
    assert "://" not in text


def test_the_lock_covers_all_that_the_project_asks_for() -> None:
    def name(requirement: str) -> str:
        found = re.match(r"[\w.-]+", requirement)
        assert found
        return re.sub(r"[-_.]+", "-", found.group()).lower()

    asked = {*map(name, PROJECT["project"]["dependencies"])}
    asked |= {*map(name, PROJECT["dependency-groups"]["dev"])}
    asked |= {*map(name, PROJECT["build-system"]["requires"])}
    lock = (ROOT / "requirements" / "dev.lock").read_text(encoding="utf-8")
    assert asked <= set(re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE))
