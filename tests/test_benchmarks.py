"""The benchmarks run: each prints its figures and its aims. How fast they are is not asked."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import chromium, code_server
from tests.support.agent_lab.runs import why_no_namespace

ROOT = Path(__file__).parent.parent
NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


def in_a_namespace() -> None:
    """Skip where no network namespace can be made: no agent host runs without one."""
    reason = why_no_namespace()
    if reason is not None:
        pytest.skip(reason)


NEEDS: dict[str, tuple[Callable[[], object], ...]] = {
    "hosts": (in_a_namespace,),
    "vscode_start": (chromium.program, code_server.installed),
}
"""What has to be there for some; a test without it is skipped, but never in CI."""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.e2e
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_prints_its_figures_beside_their_aims(name: str) -> None:
    """The one of VS Code takes long: it opens two windows, each with a server of its own."""
    for needed in NEEDS.get(name, ()):
        needed()
    done = run(f"benchmarks.{name}", "--quick")
    assert done.returncode == 0, done.stderr
    title, *figures = done.stdout.splitlines()
    assert "(quick" in title
    assert any("aim <=" in line for line in figures), done.stdout


def test_all_benchmarks_are_listed_with_their_questions() -> None:
    done = run("benchmarks", "--list")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == NAMES
    assert all(len(line.split()) > 3 for line in done.stdout.splitlines())


def test_a_benchmark_that_does_not_exist_is_refused_by_name() -> None:
    done = run("benchmarks", "no_such")
    assert done.returncode == 2
    assert "there is no benchmark no_such" in done.stderr


@pytest.mark.parametrize(("flags", "status"), [((), 0), (("--check",), 1)])
def test_a_missed_aim_fails_only_where_it_is_checked(flags: tuple[str, ...], status: int) -> None:
    code = (
        "from benchmarks.support.figures import Report, read_options\n"
        f"report = Report('title', read_options('about', {list(flags)!r}))\n"
        "report.held('met', 1.0, aim=1.0)\n"
        "report.held('too much', 1.5, aim=1.0)\n"
        "raise SystemExit(report.status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    met, missed = done.stdout.splitlines()[1:]
    assert met.endswith("ok")
    assert missed.endswith("MISSED")
