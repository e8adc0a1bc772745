"""`make demo` prints what happens: every step of it checks what it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "demo" / "demo.py"


def run_demo(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DEMO, "--plain"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


PRINTED = (
    "== Part 1: a person and an editor ==",
    "invoice.py is outside the scope of INT-001",
    "Select intent INT-002 (owns this file)",
    "The file on disk is unchanged",
    "INT-002  PASS              src/billing/invoice.py",
    "INT-001  EXEMPT (assumed)  .orchestration/constraints.sidecar.yaml",
    ".orchestration/agent_trace.jsonl: 3 records\nverdict            Intact",
    "== Part 2: two agents at the same time ==",
    "Architect  INT-001  Lock accounts",
    "Builder    INT-003  Greet people",
    "intent/validateEdit: it may, for INT-001",
    "Refused, STALE_FILE: Stale File: src/auth/login.py changed since it was read.",
    "Written and recorded, for INT-003",
    "    if user.count() > 3:\n",
    "    return user.check(password) and greet(user)\n",
    "Refused, SCOPE_VIOLATION: Scope Violation: INT-003 is not authorized to edit src/billing/",
    "The answer names the owner: INT-002",
    'SCOPE_VIOLATION: "write_to_file" changed or wanted to change "src/billing/invoice.py"',
    ".orchestration/agent_trace.jsonl: 5 records\nverdict            Intact",
    "== Part 3: somebody forges the ledger ==",
    "BAD_HASH",
    "verdict            Broken",
)
"""What the demo prints, in this order."""

RECORDS = [
    ("INT-001", "src/auth/login.py", "the person"),
    ("INT-002", "src/billing/invoice.py", "the person"),
    ("INT-001", "src/auth/login.py", "Architect"),
    ("INT-003", "src/auth/login.py", "Builder"),
]
ROW = re.compile(r"^(INT-[0-9]{3}) +(src/\S+) +([0-9a-f]{8}) +(\S.*?) *$", re.MULTILINE)
CHANGED = re.compile(r"^intent/recordEdit: ([0-9a-f]{8}) became ([0-9a-f]{8})$", re.MULTILINE)


@pytest.mark.e2e
def test_everything_in_the_demo_happens_as_described() -> None:
    done = run_demo()
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.endswith("Everything happened as described.\n")
    assert "\x1b" not in done.stdout
    place = 0
    for text in PRINTED:
        place = done.stdout.find(text, place) + 1
        assert place, text
    rows = ROW.findall(done.stdout)
    assert [(intent, file, who) for intent, file, _, who in rows] == RECORDS
    # The person's, the Architect's and the Builder's text of one file: each went on from the last.
    before, _, after, _ = (hash_ for _, _, hash_, _ in rows)
    assert CHANGED.findall(done.stdout) == [(before, after)]


@pytest.mark.e2e
def test_a_demo_that_cannot_happen_fails(tmp_path: Path) -> None:
    done = run_demo(PATH=str(tmp_path))
    assert done.returncode == 1
    assert "Not as described: " in done.stdout
