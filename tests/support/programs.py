"""Programs that tests need: run until they end, with a time limit, or missing on this machine."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest


def cannot_be_had(reason: str) -> NoReturn:
    """Skip the test, since it needs a program that cannot be had here; in CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


class ProgramResult(NamedTuple):
    """The output of a program that has ended, and its exit status."""

    out: str
    err: str
    status: int


def run_program(
    command: Sequence[str | Path],
    environment: Mapping[str, str],
    *,
    patience: float,
    directory: Path | None = None,
    stop: Callable[[subprocess.Popen[str]], None] = subprocess.Popen.kill,
) -> ProgramResult:
    """Run a program with additional environment variables; call `stop` after `patience` seconds."""
    with subprocess.Popen(
        command,
        cwd=directory,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            stop(process)
            out, err = process.communicate()
    return ProgramResult(out, err, process.returncode)
