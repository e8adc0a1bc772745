"""What tools leave behind is nobody's edit, at every door; what a build needs is."""

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.paths import POLICY_FILE
from intent_lsp.core.records import ScopeValidation
from tests.governance.editor import Editor
from tests.governance.work import Work, paths
from tests.support.repository import Repository

CACHE, LOCK, LOGIN = "src/__pycache__/db.cpython-311.pyc", "package-lock.json", "src/auth/login.py"


@pytest.mark.parametrize(
    "path",
    [
        "__pycache__/a.pyc",
        ".coverage",
        ".coverage.host.123",
        "web/tsconfig.tsbuildinfo",
        "next-env.d.ts",
    ],
)
def test_what_a_command_leaves_behind_beside_its_work_is_exempt(work: Work, path: str) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    work.root.write(path, "left behind\n")
    work.root.write(LOGIN, "the work\n")
    outcome = work.ends(ticket)
    assert outcome.violating == ()
    assert (paths(outcome.record), outcome.record and outcome.record.scope_validation) == (
        [LOGIN],
        ScopeValidation.PASS,
    )
    assert [(paths(each), each.scope_validation) for each in outcome.beside] == [
        ([path], ScopeValidation.EXEMPT)
    ]
    assert work.noticed() == []


@pytest.mark.parametrize("path", [LOCK, ".coveragerc", "src/cache.py"])
def test_what_a_build_or_a_person_needs_is_no_such_thing(work: Work, path: str) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    work.root.write(path, "{}\n")
    outcome = work.ends(ticket)
    assert outcome.violating == (path,)
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.FAIL


def test_nobody_announced_it_and_it_is_exempt_all_the_same(work: Work) -> None:
    work.root.write(CACHE, "left behind\n")
    (record,) = work.noticed()
    assert (paths(record), record.scope_validation) == ([CACHE], ScopeValidation.EXEMPT)


def test_a_person_without_an_intent_saves_it_without_a_warning(
    editor: Editor, governed: Repository
) -> None:
    governed.write(".gitignore", "")
    editor.governance.checkout.clear(editor.session)
    saved = editor.save("next-env.d.ts", "// generated\n")
    assert saved.record is not None
    assert saved.record.scope_validation is ScopeValidation.EXEMPT
    assert editor.save("next.config.js", "// mine\n").judgement.denied is not None


def test_an_agent_may_write_it_by_name_under_any_intent(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", "next-env.d.ts", "// generated\n")
    work.root.write("next-env.d.ts", "// generated\n")
    record = work.ends(ticket).record
    assert record is not None
    assert record.scope_validation is ScopeValidation.EXEMPT
    # Beside a file of the intent's, the edit is the intent's.
    both = ToolCall(tool_name="Write", paths=("next-env.d.ts", LOGIN))
    decision = work.governance.calls.admit("builder", "", both).decision
    assert isinstance(decision, Allowed)
    assert decision.verdict is ScopeValidation.PASS


def test_the_teams_own_are_added_and_what_it_denies_is_denied(work: Work) -> None:
    policy = (
        'sidecar: {generated: ["gen/**", "!**/.turbo/**"], deny_mutations: [{path_glob: "gen/no"}]}'
    )
    work.root.write(POLICY_FILE, policy)
    work.noticed()
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    for path in ("gen/a", "gen/no", ".turbo/log"):
        work.root.write(path, "generated\n")
    outcome = work.ends(ticket)
    assert sorted(outcome.violating) == [".turbo/log", "gen/no"]
    assert [paths(each) for each in outcome.beside] == [["gen/a"]]
    named = work.governance.calls.admit(
        "builder", "", ToolCall(tool_name="Write", paths=("gen/no",))
    )
    assert isinstance(named.decision, Denied)
    assert named.decision.code is GateCode.PATH_DENIED
