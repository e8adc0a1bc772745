"""Agents, commands and other programs at work in one tree at once: each has its own, once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.calls.recorder import DISCARDED
from tests.governance.work import Work, paths

LOGIN, DB, GUIDE = "src/auth/login.py", "src/db.py", "docs/guide.md"


def test_what_changed_before_a_command_began_is_not_its(work: Work) -> None:
    work.agent("builder", "INT-001")
    work.root.write(DB, "by a program\n")
    ticket = work.begins("builder")
    (record,) = work.noticed()
    assert (paths(record), record.assumed) == ([DB], True)
    assert paths(work.ends(ticket).record) == []


def test_a_persons_save_while_a_command_runs_is_theirs_alone(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    assert work.editor.save(DB, "by a person\n").record is not None
    work.root.write(LOGIN, "by the command\n")
    outcome = work.ends(ticket)
    assert paths(outcome.record) == [LOGIN]
    assert outcome.violating == ()
    assert work.noticed() == []


def test_a_command_goes_on_from_what_was_saved_meanwhile(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    work.editor.save(LOGIN, "by a person\n")
    work.root.write(LOGIN, "by a person\nby the command\n")
    record = work.ends(ticket).record
    assert record is not None
    (file,) = record.files
    assert file.pre_hash == hash_content(b"by a person\n")
    assert [run.replaced for run in file.conversations[0].ranges] == [(2, 0, 1)]
    assert record.concurrent_modification


def test_of_two_commands_each_has_what_only_its_intent_owns(work: Work) -> None:
    work.agent("builder", "INT-001")
    work.agent("biller", "INT-002")
    one, other = work.begins("builder"), work.begins("biller")
    work.root.write(LOGIN, "by one of them\n")
    work.root.write("docs/new.md", "by the other\n")
    work.root.write(DB, "by nobody knows whom\n")
    first, second = work.ends(one), work.ends(other)
    assert (paths(first.record), first.violating) == ([LOGIN], ())
    assert [paths(record) for record in second.beside] == [["docs/new.md"]]
    assert (paths(second.record), second.violating) == ([DB], (DB,))
    record = second.record
    assert record is not None
    assert (record.concurrent_modification, record.assumed) == (True, True)
    assert work.noticed() == []


def test_what_another_program_wrote_into_a_claimed_file_is_a_record_of_its_own(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", LOGIN, "one\ntwo\nthree\nby the agent\n")
    work.root.write(LOGIN, "by a program\ntwo\nthree\n")
    assert work.noticed() == []
    work.root.write(LOGIN, "by a program\ntwo\nthree\nby the agent\n")
    outcome = work.ends(ticket)
    record = outcome.record
    assert record is not None
    foreign = work.governance.stores.ledger.index.newest_for_path(LOGIN)
    assert foreign is not None
    assert record.concurrent_modification
    (file,) = record.files
    assert file.pre_hash == hash_content(b"by a program\ntwo\nthree\n")
    assert [run.replaced for run in file.conversations[0].ranges] == [(4, 0, 1)]
    blamed = work.governance.blaming.blame(LOGIN)
    assert blamed is not None
    told = [run.record.tool_name for run in blamed.runs(0, 9) if run.record is not None]
    assert told == ["disk/change", "Write"]
    assert work.noticed() == []


@pytest.mark.parametrize("half", ["", "one\ntw"])
def test_what_an_agent_has_written_so_far_is_not_anothers(work: Work, half: str) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", LOGIN, "one\ntwo\nmore\n")
    work.root.write(LOGIN, half)
    work.look()
    work.root.write(LOGIN, "one\ntwo\nmore\n")
    record = work.ends(ticket).record
    assert record is not None
    assert not record.concurrent_modification
    assert record.files[0].pre_hash == hash_content(b"one\ntwo\nthree\n")


@pytest.mark.parametrize(
    "command", ["git checkout -q -- .", "git reset -q --hard", "git stash -q", "git restore ."]
)
def test_what_a_command_throws_away_of_others_is_kept_and_told(
    work: Work, command: str, shell: Callable[[Path, str], None]
) -> None:
    work.agent("builder", "INT-001")
    work.editor.select("INT-002")
    assert work.editor.save(GUIDE, "hours of work\n").record is not None
    ticket = work.begins("builder")
    shell(work.root.root, command)
    outcome = work.ends(ticket)
    assert GUIDE in paths(outcome.record)
    assert GUIDE in outcome.violating
    # Selecting the intent has changed the intents file, too, which nobody committed.
    (draft,) = (each for each in outcome.discarded if each.path == GUIDE)
    assert (draft.path, draft.text, draft.code) == (GUIDE, "hours of work\n", DISCARDED)
    assert draft in work.governance.stores.drafts.list()


def test_what_a_session_throws_away_of_its_own_is_no_loss(
    work: Work, shell: Callable[[Path, str], None]
) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    work.root.write(LOGIN, "a try\n")
    work.ends(ticket)
    ticket = work.begins("builder")
    shell(work.root.root, "git checkout -q -- .")
    outcome = work.ends(ticket)
    assert (paths(outcome.record), outcome.discarded) == ([], ())


def test_a_file_is_put_back_by_whoever_may_not_change_it(work: Work) -> None:
    """By another program, by a command and by an agent's write: the violation is gone."""
    work.agent("builder", "INT-001")
    before = (work.root.root / DB).read_bytes()
    ledger = work.governance.stores.ledger

    def spoil() -> None:
        work.root.write(DB, "spoilt\n")
        (record,) = work.noticed()
        assert record.scope_validation is ScopeValidation.FAIL

    spoil()
    work.root.write(DB, before)
    (record,) = work.noticed()
    assert record.scope_validation is ScopeValidation.EXEMPT
    spoil()
    ticket = work.begins("builder")
    work.root.write(DB, before)
    outcome = work.ends(ticket)
    assert (outcome.violating, paths(outcome.record)) == ((), [DB])
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.EXEMPT
    assert work.noticed() == []
    spoil()
    spoilt = hash_content((work.root.root / DB).read_bytes())
    work.governance.calls.read("builder", "", WorkspacePath(DB), spoilt)
    ticket = work.begins("builder", DB, before.decode())
    work.root.write(DB, before)
    assert work.ends(ticket).violating == ()
    newest = ledger.index.newest_for_path(DB)
    assert newest is not None
    assert newest.scope_validation is ScopeValidation.EXEMPT
    # It may be put back, and changed no further.
    call = ToolCall(tool_name="Write", paths=(DB,), new_text=before.decode())
    assert isinstance(work.governance.calls.admit("builder", "", call).decision, Denied)


def test_what_others_wrote_in_between_is_not_put_back(work: Work) -> None:
    work.agent("builder", "INT-001")
    work.root.write(DB, "spoilt\n")
    work.noticed()
    call = ToolCall(tool_name="Write", paths=(DB,), new_text="another\n")
    assert isinstance(work.governance.calls.admit("builder", "", call).decision, Denied)


@pytest.mark.parametrize(
    ("command", "text", "verdict"),
    [
        (f"git restore {DB}", "alpha\nbeta\ngamma\n", ScopeValidation.EXEMPT),
        (f"git checkout -- {DB}", "alpha\nbeta\ngamma\n", ScopeValidation.EXEMPT),
        (f"git restore {DB}", "another\n", ScopeValidation.FAIL),
    ],
)
def test_a_command_may_put_back_what_was_changed_out_of_bounds(
    work: Work, command: str, text: str, verdict: ScopeValidation
) -> None:
    work.agent("builder", "INT-001")
    asked = ToolCall(tool_name="Bash", command=command)
    # While nothing is wrong with the file it is no more the intent's than any other.
    assert isinstance(work.governance.calls.admit("builder", "", asked).decision, Denied)
    ticket = work.begins("builder")
    work.root.write(DB, "out of bounds\n")
    assert work.ends(ticket).violating == (DB,)
    ticket = work.begins("builder", command=command)
    work.root.write(DB, text)
    outcome = work.ends(ticket)
    assert paths(outcome.record) == [DB]
    assert outcome.record is not None
    assert outcome.record.scope_validation is verdict


def test_a_deletion_restores_nothing_if_nobody_knows_what_was_there(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", "src/auth/new.py", "through a link\n")
    (work.root.root / "src/auth/new.py").symlink_to("../db.py")
    work.root.write(DB, "through a link\n")
    assert work.ends(ticket).violating == (DB,)
    asked = ToolCall(tool_name="Bash", command=f"rm {DB}")
    assert isinstance(work.governance.calls.admit("builder", "", asked).decision, Denied)
    ticket = work.begins("builder")
    (work.root.root / DB).unlink()
    assert work.ends(ticket).violating == (DB,)


THREE = "one\ntwo\nthree\n"


@pytest.fixture
def both(work: Work) -> Work:
    work.agent("builder", "INT-001")
    work.agent("biller", "INT-002")
    return work


def test_what_an_open_ticket_claims_is_not_another_commands(both: Work) -> None:
    command = both.begins("builder")
    write = both.begins("biller", GUIDE, "by the biller\n")
    both.root.write(GUIDE, "by the biller\n")
    assert paths(both.ends(command).record) == []  # FAIL of the builder, and again of the biller
    assert paths(both.ends(write).record) == [GUIDE]


def test_what_a_rival_owns_and_is_left_with_is_not_in_doubt(both: Work) -> None:
    one, other = both.begins("builder"), both.begins("biller")
    both.root.write(LOGIN, "by the builder\n")
    both.ends(other)
    record = both.ends(one).record
    assert record is not None
    assert (record.concurrent_modification, record.assumed) == (False, False)


def test_a_record_in_doubt_casts_none_on_the_one_beside_it(both: Work) -> None:
    one, other = both.begins("builder"), both.begins("biller")
    both.root.write(DB, "by nobody knows whom\n")
    both.ends(other)
    both.root.write(LOGIN, "by the builder\n")
    (record,) = both.ends(one).beside
    assert not record.assumed


def test_a_save_on_its_way_is_not_a_commands(both: Work) -> None:
    command = both.begins("builder")
    before = both.editor.will_save(LOGIN, THREE + "by a person\n")
    both.root.write(LOGIN, THREE + "by a person\n")
    assert paths(both.ends(command).record) == []  # of the builder, and again of the person
    assert both.editor.did_save(LOGIN, before.disk).record is not None


@pytest.mark.parametrize("announced", [LOGIN, ""])
def test_what_a_program_wrote_before_a_call_has_a_record(both: Work, announced: str) -> None:
    both.root.write(LOGIN, THREE + "by a program\n")
    both.look()
    text = THREE + "by a program\nby the builder\n"
    ticket = both.begins("builder", announced, text)
    both.root.write(LOGIN, text)
    both.ends(ticket)
    both.noticed()
    blamed = both.governance.blaming.blame(LOGIN)
    assert blamed is not None
    (run,) = blamed.runs(3, 3)
    assert run.record is not None  # there is no record of that line, and the chain has a gap


@pytest.mark.parametrize("announced", [True, False])
def test_what_is_undone_after_a_call_and_before_the_next_look_is_an_edit(
    both: Work, *, announced: bool
) -> None:
    both.root.write(LOGIN, THREE + "by a program\n")
    both.noticed()
    ticket = both.begins("builder", LOGIN if announced else "", "by the agent\n")
    both.root.write(LOGIN, "by the agent\n")
    both.ends(ticket)
    both.root.write(LOGIN, THREE + "by a program\n")
    (record,) = both.noticed()
    (file,) = record.files
    assert file.pre_hash == hash_content(b"by the agent\n")
    assert record.assumed


def test_a_command_that_may_do_anything_is_told_before_one_that_only_looks(work: Work) -> None:
    work.agent("builder", "INT-001")
    work.agent("tester", "INT-002")
    looking = work.begins("tester", command="pytest -q")
    building = work.begins("builder")
    work.root.write(DB, "by the build\n")
    built = work.ends(building)
    assert (paths(built.record), built.violating) == ([DB], (DB,))
    assert work.ends(looking).record is None


def test_of_two_looks_the_last_one_tells(work: Work) -> None:
    work.agent("builder", "INT-001")
    work.agent("tester", "INT-002")
    first = work.begins("tester", command="pytest -q")
    second = work.begins("builder", command="npm test")
    work.root.write(DB, "by a test\n")
    assert work.ends(first).record is None
    last = work.ends(second)
    assert (paths(last.record), last.violating) == ([DB], (DB,))
