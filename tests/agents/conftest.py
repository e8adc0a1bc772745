"""Setup of the tests with real agent hosts: `make test-agents ARGS="-k codex --count 20"`.

Invariant: no host runs outside a network namespace; where none can be made, every test is skipped,
and the reason stands in the last line.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import host_pages
from tests.support import repetition as repetitions
from tests.support.agent_lab import last_run
from tests.support.agent_lab.governed_host import Arrangement, GovernedHost, governed_host
from tests.support.agent_lab.host import Host
from tests.support.agent_lab.installation import CannotInstallError
from tests.support.agent_lab.known_hosts import wanted_hosts
from tests.support.agent_lab.runs import why_no_namespace
from tests.support.programs import cannot_be_had

_JOURNEYS = "tests/agents/"

Govern = Callable[..., GovernedHost]

_missing = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    repetitions.add_option(parser)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `host` with each host."""
    if "host" in metafunc.fixturenames:
        hosts = wanted_hosts()
        metafunc.parametrize("host", hosts.values(), ids=hosts.keys(), scope="module")
    repetitions.repeat(metafunc)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Write the rows of the hosts that were taken through every journey without a failure.

    Of several processes side by side, the one that collects the reports of all does so.
    """
    if hasattr(config, "workerinput"):
        return
    stats = terminalreporter.stats
    reports = [r for outcome in ("passed", "skipped") for r in stats.get(outcome, [])]
    failed = [r for outcome in ("failed", "error") for r in stats.get(outcome, [])]
    if not any(report.nodeid.startswith(_JOURNEYS) for report in (*reports, *failed)):
        return
    if reason := why_no_namespace():
        config.stash[_missing] = reason
        return
    hosts = wanted_hosts()
    found = last_run.outcomes(reports, failed, hosts)
    page = last_run.write(last_run.PAGE.read_text(encoding="utf-8"), found, hosts)
    last_run.PAGE.write_text(page, encoding="utf-8")
    host_pages.write()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write why nothing ran, below everything else."""
    if reason := config.stash.get(_missing, None):
        sys.stdout.write(f"SKIPPED: {reason}\n")


@pytest.fixture(scope="session", autouse=True)
def _in_a_namespace() -> None:
    if reason := why_no_namespace():
        # Under CI, too: a host that is not cut off from the network is never started.
        pytest.skip(reason)


@pytest.fixture(scope="module")
def repetition(request: pytest.FixtureRequest) -> int:
    """Return the number of this repetition, from one."""
    number: int = getattr(request, "param", 1)
    return number


@pytest.fixture
def govern_host(host: Host, tmp_path: Path) -> Govern:
    """Return a function that makes a governed repository in which the host works."""

    def make(variant: Host = host, **options: Any) -> GovernedHost:
        try:
            return governed_host(variant, tmp_path / "run", Arrangement(**options))
        except CannotInstallError as problem:
            cannot_be_had(str(problem))

    return make


@pytest.fixture
def governed(govern_host: Govern) -> GovernedHost:
    """Return the host in a governed repository with the usual policy."""
    return govern_host()
