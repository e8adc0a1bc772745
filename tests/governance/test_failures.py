"""Failures that cannot be caused from outside the process.

Specified in requirements section 10.
"""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.request import Allowed, Decision, Denied
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.authorize import NO_MEMORY
from intent_lsp.governance.governance import Governance
from tests.governance.editor import Editor
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
DB = "src/db.py"


@pytest.fixture
def governance(governed: Repository) -> Iterator[Callable[[], Governance]]:
    """Open governances in which the agent `builder` has checked INT-001 out."""
    opened: list[Governance] = []

    def open_one() -> Governance:
        opened.append(Governance(governed.root))
        session = opened[-1].sessions.open_agent("builder")
        opened[-1].checkout.select(session, "INT-001", unsaved_file=False)
        return opened[-1]

    yield open_one
    for each in opened:
        each.close(None)


Open = Callable[[], Governance]


def asks(governance: Governance, path: str = LOGIN) -> CallDecision:
    return governance.calls.admit("builder", "", ToolCall(tool_name="Write", paths=(path,)))


def set_policy(repository: Repository, lines: str) -> None:
    repository.write(".orchestration/constraints.sidecar.yaml", f"sidecar:\n  {lines}\n")


def held_to_the_policy(decision: Decision, cause: str, *, fail_open: bool) -> None:
    if fail_open:
        assert isinstance(decision, Allowed)
        assert decision.verdict is ScopeValidation.EXEMPT
        assert cause in "".join(decision.warnings)
    else:
        assert isinstance(decision, Denied)
        assert decision.code is GateCode.GOVERNANCE_UNAVAILABLE
        assert cause in str(decision.details["cause"])


@pytest.mark.parametrize("fail_open", [True, False])
def test_a_disk_that_fails_while_the_gate_reads_is_logged_and_held_to_the_policy(
    governed: Repository,
    governance: Open,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    fail_open: bool,
) -> None:
    set_policy(governed, f"fail_open: {str(fail_open).lower()}")
    at_work, real = governance(), os.scandir

    def failing(path: Any) -> Any:
        if Path(path).name == ".orchestration":
            raise OSError(errno.EIO, "Input/output error", str(path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", failing)
        admission = asks(at_work)
    held_to_the_policy(admission.decision, "Input/output error", fail_open=fail_open)
    (logged,) = (entry for entry in caplog.records if entry.exc_info)
    assert "could not be judged" in logged.getMessage()
    assert asks(at_work).decision == Allowed(ScopeValidation.PASS)


def _failing_to_read(name: str) -> Callable[..., int]:
    real = os.open

    def refusing(path: Any, *given: Any, **named: Any) -> int:
        if str(path).endswith(name):
            raise OSError(errno.EIO, "Input/output error", str(path))
        return real(path, *given, **named)

    return refusing


@pytest.mark.parametrize("fail_open", [True, False])
def test_intents_that_the_disk_does_not_give_switch_governance_off(
    governed: Repository, governance: Open, monkeypatch: pytest.MonkeyPatch, *, fail_open: bool
) -> None:
    set_policy(governed, f"fail_open: {str(fail_open).lower()}")
    at_work = governance()
    intents = governed.root / ".orchestration/active_intents.yaml"
    intents.write_text(intents.read_text() + "# touched\n")
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _failing_to_read("active_intents.yaml"))
        admission = asks(at_work)
    if fail_open:
        assert admission.decision == Allowed(ScopeValidation.EXEMPT)
    else:
        held_to_the_policy(admission.decision, "Input/output error", fail_open=False)
    # Read again though its stamp has not moved.
    assert asks(at_work).decision == Allowed(ScopeValidation.PASS)


def test_a_policy_that_the_disk_does_not_give_leaves_the_last_good_one_in_force(
    governed: Repository, governance: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_policy(governed, "fail_open: false\n  blocked_tools: [Write]")
    at_work = governance()
    assert isinstance(asks(at_work).decision, Denied)
    set_policy(governed, "fail_open: true\n  blocked_tools: []")
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _failing_to_read("constraints.sidecar.yaml"))
        refused = asks(at_work).decision
        assert isinstance(refused, Denied)
        assert refused.code is GateCode.TOOL_BLOCKED
    assert asks(at_work).decision == Allowed(ScopeValidation.PASS)


def test_a_disk_that_fails_at_a_save_leaves_the_edit_and_keeps_its_gate(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.select("INT-001")
    editor.show(LOGIN)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", _failing_to_read("login.py"))
        with pytest.raises(OSError, match="Input/output error"):
            editor.will_save(LOGIN, "one\n")
    after = editor.save(LOGIN, "one\n")
    assert after.record is not None
    assert after.record.scope_validation is ScopeValidation.PASS


def test_without_a_memory_it_is_said_that_there_will_be_no_record(governed: Repository) -> None:
    set_policy(governed, "contract: ignore")
    (governed.root / LOCAL_ROOM).write_text("no room")
    at_work = Governance(governed.root)
    at_work.sessions.open_agent("builder")
    assert isinstance(asks(at_work).decision, Denied)
    at_work.sessions.choose("builder", "INT-001")
    admission = asks(at_work)
    assert admission.decision == Allowed(ScopeValidation.PASS, (NO_MEMORY,))
    assert admission.ticket is None
    refused = asks(at_work, DB).decision
    assert isinstance(refused, Denied)
    assert refused.code is GateCode.SCOPE_VIOLATION
    at_work.close(None)


KILLED_ONCE_THE_LEDGER_IS_ON_THE_DISK = """\
import os, signal, sys
root, ledger, ticket = sys.argv[1:]
real = os.fsync

def last(fd):
    real(fd)
    if os.path.exists(ledger) and os.path.samestat(os.fstat(fd), os.stat(ledger)):
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = last
from pathlib import Path
from intent_lsp.governance.governance import Governance
Governance(Path(root)).calls.record(ticket)
"""


def test_killed_between_the_record_and_its_answer_the_ticket_has_one_record(
    governed: Repository, governance: Open
) -> None:
    at_work = governance()
    admission = asks(at_work)
    assert admission.ticket is not None
    governed.write(LOGIN, "new\n")
    ledger = governed.root / LEDGER_FILE
    script = KILLED_ONCE_THE_LEDGER_IS_ON_THE_DISK
    arguments = (str(governed.root), str(ledger), admission.ticket.id)
    done = subprocess.run([sys.executable, "-c", script, *arguments], check=False)
    assert done.returncode == -9
    (line,) = ledger.read_bytes().splitlines()
    # Nobody was answered, so that it is asked for again: for the same edit, once.
    outcome = governance().calls.record(admission.ticket.id)
    assert outcome is not None
    assert outcome.recorded.record_id is not None
    assert outcome.recorded.record_id.encode() in line
    assert ledger.read_bytes().splitlines() == [line]
    files = outcome.recorded.files
    assert files == (
        (WorkspacePath(LOGIN), hash_content(b"one\ntwo\nthree\n"), hash_content(b"new\n")),
    )
