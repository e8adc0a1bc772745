"""Setup for all tests: an isolated environment, Hypothesis profiles, and the order of the tests."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import durations_by_part, forked_servers
from tests.support import repository as repositories
from tests.support.isolation import isolate
from tests.support.repository import Repository

# A slow machine is no broken law: neither a deadline nor a slow generator fails a test.
_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", _PATIENT, max_examples=50)
settings.register_profile("ci", _PATIENT, max_examples=50, derandomize=True, database=None)
settings.register_profile("nightly", _PATIENT, max_examples=5000)

_LONGEST = (
    "test_vscode.py",
    "test_two_servers",
    "ten_thousand",
    "test_vscode",
    "[mypy]",
    "test_emacs",
    "test_neovim",
    "test_benchmarks",
    "test_lifecycle",
)
"""Tests that begin first, in this order, so that no worker is left alone with one in the end."""

_home = pytest.StashKey[Path]()
_environment = pytest.StashKey[Mapping[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    profile = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
    settings.load_profile(profile)
    config.stash[_home] = Path(tempfile.mkdtemp(prefix="intent-lsp-tests-"))
    # Before any test module is imported: libgit2 reads these variables once.
    config.stash[_environment] = isolate(config.stash[_home])


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_home], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the longest tests to the front."""
    items.sort(key=lambda item: _turn(item.nodeid))
    durations_by_part.note_explanations(items)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    durations_by_part.write(terminalreporter)


def _turn(test: str) -> int:
    names = enumerate(_LONGEST)
    return next((turn for turn, name in names if name in test), len(_LONGEST))


@pytest.fixture(scope="session")
def git_environment(pytestconfig: pytest.Config) -> Mapping[str, str]:
    """Return the variables that isolate git, for a child process with an environment of its own."""
    return pytestconfig.stash[_environment]


@pytest.fixture(scope="session", autouse=True)
def _stop_fork_server() -> Iterator[None]:
    """End the fork server with the session, so that no process outlives its tests."""
    yield
    forked_servers.end()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return an empty git repository below a temporary directory."""
    return repositories.create(tmp_path / "repository")
