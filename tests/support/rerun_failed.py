"""Run a test command; if at most three tests fail, run each of them once more by itself.

`python -m tests.support.rerun_failed make test ARGS=--cache-clear` is for continuous integration
only, where a busy machine may fail a test that is right. A test that then passes is named as FLAKY,
also in the file that the variable `FLAKY_TESTS` names. It is still a bug.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MOST = 3
"""Failed tests that are run again; more have another cause than a busy machine."""

_PYTEST = (sys.executable, "-m", "pytest")
_FAILED = ("--last-failed", "--last-failed-no-failures=none")
_LIST = ("--collect-only", "-q", "-p", "no:xdist")
_EVERY_LANE = ("-m", "slow or not slow")


def main(command: Sequence[str]) -> int:
    """Return 0 if every test passed, at once or by itself, else the command's exit status."""
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        return 0
    failed = _failed()
    if not 0 < len(failed) <= MOST:
        print(f"{len(failed)} tests failed: none is run again", flush=True)
        return status
    if not all(_passes(test) for test in failed):
        return status
    for test in failed:
        _report_flaky(f"FLAKY {test}")
    return 0


def _failed() -> Sequence[str]:
    """Return the tests that failed in the last run, or nothing if something else failed."""
    asked = [*_PYTEST, *_FAILED, *_LIST, *_EVERY_LANE]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return []
    return [line for line in done.stdout.splitlines() if "::" in line]


def _passes(test: str) -> bool:
    print(f"once more: {test}", flush=True)
    return subprocess.run([*_PYTEST, *_EVERY_LANE, test], check=False).returncode == 0


def _report_flaky(line: str) -> None:
    print(line, flush=True)
    if place := os.environ.get("FLAKY_TESTS"):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
