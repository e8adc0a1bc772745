"""The gate's own programs: a failed test is run again, a change names its tests, lines count."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import changed_tests
from tests.support.repository import Repository

ROOT = Path(__file__).parent.parent
PASSES = "def test_{name}():\n    pass\n"
FAILS = "def test_{name}():\n    assert False\n"
FAILS_ONCE = """
import pathlib
def test_{name}():
    seen = pathlib.Path({name!r})
    if not seen.exists():
        seen.touch()
        assert False
"""


def run(module: str, where: Path, *words: str, **given: str) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import runpy; "
        f"runpy.run_module('tests.support.{module}', run_name='__main__', alter_sys=True)"
    )
    # Plug-ins take seconds to load, and nothing here is of any.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **given}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def tried_again(tmp_path: Path, tests: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run tests, by name and text, as continuous integration does."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: minutes long\n")
    text = "".join(body.format(name=name) for name, body in tests.items())
    (tmp_path / "test_it.py").write_text(text)
    command = (sys.executable, "-m", "pytest", "-q", "--cache-clear")
    return run("rerun_failed", tmp_path, *command, FLAKY_TESTS=str(tmp_path / "flaky"))


@pytest.mark.e2e
def test_a_test_that_passes_the_second_time_is_named_as_flaky(tmp_path: Path) -> None:
    done = tried_again(tmp_path, {"good": PASSES, "once": FAILS_ONCE})
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "FLAKY test_it.py::test_once"
    assert (tmp_path / "flaky").read_text() == "FLAKY test_it.py::test_once\n"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("tests", "again"),
    [
        ({"bad": FAILS, "good": PASSES}, 1),
        ({"bad": FAILS, "once": FAILS_ONCE}, 1),
        (dict.fromkeys("abcd", FAILS_ONCE), 0),
        ({"broken": "def test_{name}(:\n"}, 0),
    ],
    ids=["fails-again", "one-of-two-fails-again", "too-many", "cannot-be-read"],
)
def test_what_is_no_hiccup_fails(tmp_path: Path, tests: Mapping[str, str], again: int) -> None:
    done = tried_again(tmp_path, tests)
    assert done.returncode != 0
    assert "FLAKY" not in done.stdout
    assert done.stdout.count("once more: ") >= again
    assert ("once more: " in done.stdout) == bool(again)
    assert not (tmp_path / "flaky").exists()


@pytest.mark.e2e
def test_a_long_test_is_asked_to_say_why(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.support import durations_by_part\n"
        "durations_by_part.LONG = -1.0\n"
        "def pytest_collection_modifyitems(items):\n"
        "    durations_by_part.note_explanations(items)\n"
        "def pytest_terminal_summary(terminalreporter):\n"
        "    durations_by_part.write(terminalreporter)\n"
    )
    (tmp_path / "test_it.py").write_text(
        'def test_said():\n    """It takes long."""\n\ndef test_silent():\n    pass\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 tests  unit" in done.stdout
    owing = [line for line in done.stdout.splitlines() if "docstring" in line]
    assert [line.split()[-1] for line in owing] == ["test_it.py::test_silent"]


def test_a_change_concerns_the_tests_that_import_it(repository: Repository) -> None:
    repository.write("tests/core/test_a.py", "from intent_lsp.core import a\n")
    repository.write("tests/core/test_b.py", "from intent_lsp.core.b import thing\n")
    repository.write("tests/e2e/test_c.py", "import intent_lsp.core.a\n")
    repository.write("intent_lsp/core/a.py", "")
    repository.write("intent_lsp/core/b.py", "")
    repository.commit()
    repository.write("intent_lsp/core/a.py", "A = 1\n")
    repository.write("tests/test_new.py", "")
    changed = changed_tests.changed_since("HEAD", repository.root)
    found = changed_tests.concerned(changed, repository.root)
    assert found == ["tests/core/test_a.py", "tests/test_new.py"]
    assert changed_tests.concerned(["docs/a.md"], repository.root) == []


def test_an_unmeasured_tree_is_no_covered_one(tmp_path: Path) -> None:
    done = run("coverage_report", tmp_path)
    assert done.returncode == 2
    assert "nothing was measured" in done.stderr
