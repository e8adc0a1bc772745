"""Checks of changes that real editors, agents and commands made, with their real records."""

from pathlib import Path

import pytest

from intent_lsp.core.check.report import CheckedPart, CheckReport, FindingLevel
from intent_lsp.governance.check.change import CheckWishes
from intent_lsp.governance.check.check import CheckTarget, NoRepositoryError, RootCheck
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.governance.plan.planning import Wish
from intent_lsp.governance.root.rules import RulesCache
from tests.governance.work import Work

LOGIN, GUIDE, SIGNIN = "src/auth/login.py", "docs/guide.md", "src/auth/signin.py"


def check(root: Path, base: str = "", wishes: CheckWishes | None = None) -> CheckReport:
    part = CheckedPart.RANGE if base else CheckedPart.WORK_TREE
    with tracing(root) as trace:
        checking = RootCheck(trace, RulesCache(root).current(), wishes or CheckWishes())
        return checking.run(CheckTarget(part=part, base=base), lambda _done, _of: None)


def found(report: CheckReport) -> list[str]:
    return [f"{each.level} {each.code} {each.path}" for each in report.findings]


def recorded(report: CheckReport) -> list[tuple[int, int]]:
    return [(each.recorded, each.hunks) for each in report.changes]


@pytest.fixture
def base(work: Work) -> str:
    return work.root.git("rev-parse", "HEAD").strip()


def test_a_persons_saves_are_explained(work: Work, base: str) -> None:
    work.editor.select("INT-001")
    work.editor.save(LOGIN, "one\n2\nthree\n")
    work.editor.save(LOGIN, "one\n2\nthree\nfour\n")
    work.root.commit("Log in")
    report = check(work.root.root, base)
    assert (found(report), recorded(report)) == ([], [(2, 2)])
    assert report.changes[0].intents == ("INT-001",)


def test_an_agents_edits_and_commands_are_explained(work: Work, base: str) -> None:
    work.agent("a", "INT-001")
    ticket = work.begins("a", LOGIN, "one\ntwo\n3\n")
    work.root.write(LOGIN, "one\ntwo\n3\n")
    work.ends(ticket)
    ticket = work.begins("a")
    work.root.write("src/auth/made.py", "made\n")
    work.root.git("mv", LOGIN, SIGNIN)
    work.ends(ticket)
    work.root.commit("Sign in")
    report = check(work.root.root, base)
    assert found(report) == []
    assert all(done == of for done, of in recorded(report))
    assert report.changes[0].intents == ("INT-001",)


def test_a_command_out_of_scope_fails_and_its_undoing_passes(work: Work, base: str) -> None:
    work.agent("a", "INT-001")
    ticket = work.begins("a")
    work.root.write(GUIDE, "# Guide\nmore\n")
    work.ends(ticket)
    work.root.commit("Document")
    assert found(check(work.root.root, base)) == [f"error SCOPE_VIOLATION {GUIDE}"]
    work.root.write(GUIDE, "# Guide\n")
    work.root.commit("Undo")
    report = check(work.root.root, base)
    assert report.ok
    assert [each.level for each in report.findings] == [FindingLevel.NOTE]


def test_an_agents_change_of_its_own_rules_is_found(work: Work, base: str) -> None:
    work.agent("a", "INT-001")
    ticket = work.begins("a")
    intents = work.root.root / ".orchestration/active_intents.yaml"
    intents.write_text(intents.read_text().replace("src/auth/**", "**"))
    work.ends(ticket)
    work.root.commit("Widen")
    report = check(work.root.root, base)
    assert found(report) == ["error PATH_DENIED .orchestration/active_intents.yaml"]
    assert "a record of this file names an agent" in report.findings[0].message


def test_selecting_and_completing_for_an_agent_is_the_servers_change(work: Work, base: str) -> None:
    work.agent("a", "INT-002")
    ticket = work.begins("a", GUIDE, "# Guide\nmore\n")
    work.root.write(GUIDE, "# Guide\nmore\n")
    work.ends(ticket)
    work.root.commit("Document\n\nCo-authored-by: Claude <noreply@anthropic.com>")
    changed = work.root.git("show", "--name-only", "--format=", "HEAD").split()
    assert ".orchestration/active_intents.yaml" in changed
    assert found(check(work.root.root, base)) == []


def test_scope_that_a_person_granted_is_the_servers_change(work: Work, base: str) -> None:
    work.editor.select("INT-001")
    session = work.editor.session
    wish = Wish(intent_id="INT-001", patterns=("docs/**",))
    work.editor.governance.planning.grant(wish, session, by=session.id, unsaved_file=False)
    work.editor.save(GUIDE, "# Guide\nmore\n")
    work.root.commit("Widen\n\nIntent: INT-001\nCo-authored-by: Claude <noreply@anthropic.com>")
    assert found(check(work.root.root, base)) == []


def test_what_nobody_saw_is_unrecorded_before_and_after_its_commit(work: Work, base: str) -> None:
    work.editor.close()
    work.root.write(LOGIN, "one\ntwo\nthree\nunseen\n")
    wishes = CheckWishes(intents=("INT-001",))
    assert found(check(work.root.root, "", wishes)) == [f"warning UNRECORDED_CHANGE {LOGIN}"]
    work.root.commit("Unseen")
    assert found(check(work.root.root, base, wishes)) == [f"warning UNRECORDED_CHANGE {LOGIN}"]


def test_a_check_writes_nothing_that_git_sees(work: Work, base: str) -> None:
    work.editor.select("INT-001")
    work.editor.save(LOGIN, "one\n")
    work.root.commit("Log in")
    before = work.root.git("status", "--porcelain", "--ignored")
    ledger = (work.root.root / ".orchestration/agent_trace.jsonl").read_bytes()
    check(work.root.root, base)
    assert work.root.git("status", "--porcelain", "--ignored") == before
    assert (work.root.root / ".orchestration/agent_trace.jsonl").read_bytes() == ledger


def test_a_path_with_a_blank_is_quoted_in_the_command_that_trusts_it(tmp_path: Path) -> None:
    top = tmp_path / "my work"
    (top / ".git").mkdir(parents=True)
    (top / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert f"safe.directory '{top}'" in NoRepositoryError(top).cure
