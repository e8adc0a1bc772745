"""Running programs are found by their names and their working directory."""

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.store import clock, running_programs
from intent_lsp.store.running_programs import earliest_start, processes_in
from tests.support.idle_host import idle_host


def started(project: Path, names: list[str], package: str) -> datetime | None:
    """Return when the oldest program in the project with one of these names was started."""
    return earliest_start(processes_in(project), names, package, clock.now())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / "below").mkdir(parents=True)
    (tmp_path / "project/.orchestration").mkdir()
    (tmp_path / "project/.orchestration/active_intents.yaml").touch()
    (tmp_path / "project-2").mkdir()
    return tmp_path / "project"


@pytest.mark.parametrize("directory", ["project", "project/below"])
def test_a_script_is_found_by_its_name_in_its_directory_and_above(
    project: Path, directory: str
) -> None:
    before = clock.now()
    with idle_host("codex", project.parent / "bin", project.parent / directory):
        asked = clock.now()
        found = started(project, ["codex"], "")
        assert found is not None
        # The kernel counts in hundredths of a second, and its uptime is read after the clock: by
        # as much as the search takes, the time found may be too early.
        early = clock.now() - asked + timedelta(seconds=0.05)
        assert before - early <= found <= clock.now()
        assert started(project, ["qwen", "code"], "") is None
        assert started(project, [], "") is None
    assert started(project, ["codex"], "") is None


@pytest.mark.parametrize("inside", [".git/HEAD", ".orchestration/active_intents.yaml"])
def test_a_program_in_a_nested_repository_or_root_is_not_found(project: Path, inside: str) -> None:
    """What governs there, if anything does, is not this root: the host does not ask here."""
    (project / "below" / inside).parent.mkdir()
    (project / "below" / inside).touch()
    with idle_host("codex", project.parent / "bin", project / "below"):
        assert started(project, ["codex"], "") is None


def test_a_file_with_the_name_of_a_host_is_no_program(project: Path) -> None:
    (project / "codex").write_text("not a program\n")
    tail = ["tail", "-f", "codex"]
    with subprocess.Popen(tail, cwd=project, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"not a program\n"
        try:
            assert started(project, ["codex"], "") is None
            assert started(project, ["tail"], "") is not None
        finally:
            process.kill()


def test_a_program_beside_the_directory_is_not_found(project: Path) -> None:
    with idle_host("codex", project.parent / "bin", project.parent / "project-2"):
        assert started(project, ["codex"], "") is None


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_oldest_of_several_programs_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...]
) -> None:
    monkeypatch.setattr(running_programs, "_PROCESSES", tmp_path)
    (tmp_path / "uptime").write_text("1000.00 500.00\n")
    for number, name in ((1, "codex"), (2, "kimi")):
        process = tmp_path / str(number)
        process.mkdir()
        (process / "cmdline").write_text(f"/usr/bin/{name}\0")
        ticks = number * 100 * os.sysconf("SC_CLK_TCK")
        (process / "stat").write_text(f"{number} (a) b) S{' 0' * 18} {ticks} 0\n")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    found = earliest_start([tmp_path / str(each) for each in order], ["codex", "kimi"], "", now)
    assert found == now - timedelta(seconds=900)


def test_a_script_of_a_package_is_found_by_the_package(project: Path) -> None:
    programs = project.parent / "lib/node_modules/@qwen-code/qwen-code/dist"
    with idle_host("cli.js", programs, project):
        assert started(project, ["qwen"], "@qwen-code/qwen-code") is not None
        assert started(project, ["qwen"], "qwen-code") is None
        assert started(project, ["qwen"], "") is None


def test_a_program_that_takes_the_name_of_its_package_is_found(project: Path) -> None:
    with idle_host("kimi-code", project.parent / "bin", project):
        assert started(project, ["kimi"], "@moonshot-ai/kimi-code") is not None
        assert started(project, ["kimi"], "") is None


def test_without_proc_nothing_runs(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_programs, "_PROCESSES", tmp_path / "no-proc")
    assert started(project, ["codex"], "") is None
