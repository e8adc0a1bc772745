"""Run a command of tests; run each of at most three failed tests once more, by itself.

`python -m tests.support.rerun_failed make test ARGS=--cache-clear`: only for continuous
integration, where a machine's hiccup is not to cost a day. A test that passes then is named as
FLAKY, in the file that `FLAKY_TESTS` names, too. It stays a bug.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

MOST = 3
"""Failed tests that are run again; more of them are no hiccup."""

_PYTEST = (sys.executable, "-m", "pytest")
_FAILED = ("--last-failed", "--last-failed-no-failures=none")
_LIST = ("--collect-only", "-q", "-p", "no:xdist")
_EVERY_LANE = ("-m", "slow or not slow")


def main(command: Sequence[str]) -> int:
    """Give 0 where every test passed, the first time or by itself; else how the command ended."""
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
    """List the tests that failed in the last run; none where something else went wrong."""
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
