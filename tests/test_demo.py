"""`make demo` tells the truth: every step of it checks what it tells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "demo" / "demo.py"


def played(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DEMO, "--plain"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.e2e
def test_everything_in_the_demo_happens_as_told() -> None:
    done = played()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("Everything happened as told.\n")
    assert "\x1b" not in done.stdout
    for told in (
        "is not authorized to edit src/billing/invoice.py",
        "Select intent INT-002 (owns this file)",
        "The file on disk is unchanged",
        "INT-002  PASS     src/billing/invoice.py",
        "BAD_HASH",
    ):
        assert told in done.stdout


@pytest.mark.e2e
def test_a_demo_that_cannot_be_told_fails(tmp_path: Path) -> None:
    done = played(PATH=str(tmp_path))
    assert done.returncode == 1
    assert "Not as told: " in done.stdout
