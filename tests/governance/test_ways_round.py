"""Ways round the gate that agents try: refused, or found and recorded (docs/threat-model.md)."""

import subprocess
from collections.abc import Iterator

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, POLICY_FILE
from intent_lsp.core.question import Allowed, Denied
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.governance.admission import Admission
from tests.governance.editor import Editor
from tests.governance.test_calls import Agent
from tests.support.repository import Repository

LOGIN, GUIDE = "src/auth/login.py", "docs/guide.md"

FOREIGN_PATHS = [
    "docs/../docs/guide.md",
    ".//docs/./guide.md",
    "src/auth/../../docs/new.md",
    "%64ocs/guide.md",
    "docs%2fguide.md",
    "src%2fauth%2fx",
    "src\\auth\\x",
    "C:\\x",
    "c:/src/auth/x",
    "file:///src/auth/x",
    "src/auth\u200b/x",
    "\uff53rc/auth/x",
    "src/auth",
    "docs/guide.md\n",
]
CONTROL_PATHS = [".GIT/hooks/pre-commit", ".Orchestration/x", ".Claude/Settings.json"]
TOOLS = ["WRITE", "functions.Write", "mcp__files__write", "mcp__a__b__put", "put", "\u043crite"]

INTO_THE_CONTROL_PLANE = [
    "echo x > .git/hooks/pre-commit",
    "cp x .GIT/hooks/pre-commit",
    "cd .orchestration && rm agent_trace.jsonl",
    "truncate -s 0 .orchestration/agent_trace.jsonl",
    "echo '{}' >> .orchestration/agent_trace.jsonl",
    "rm -rf .orchestration/.local",
    "rm .orchestration/active_intents.yaml",
    "mv .orchestration src/auth/o",
    "sed -i s/a/b/ .orchestration/constraints.sidecar.yaml",
    "tee -a .intentignore",
    "ln -sf /dev/null .claude/settings.json",
    "intent-lsp intents add Everything --scope 'docs/**'",
    "python -m intent_lsp intents import src/auth/plan.yaml",
    ".venv/bin/intent-lsp init",
]
ON_FOREIGN_FILES = [
    "bash -c 'rm docs/guide.md'",
    "eval 'rm docs/guide.md'",
    "env -S 'rm docs/guide.md'",
    "sudo -u root nohup rm docs/guide.md &",
    "ls $(rm docs/guide.md)",
    "cat <(rm docs/guide.md)",
    'echo "`rm docs/guide.md`"',
    "trap 'rm docs/guide.md' EXIT",
    "ls() { rm docs/guide.md; }; ls",
    "cat < src/auth/login.py >| docs/guide.md",
    "exec 3> docs/guide.md",
    "r''m d'oc's/{guide,other}.md",
    "cd docs && rm guide.md",
    "git rm docs/guide.md",
    "git mv docs/guide.md src/auth/guide.md",
    "git -C docs checkout -- guide.md",
    "mv src/auth src/other",
    "rm -rf src",
    "cp src/auth/login.py docs/guide.md && git add -A && git commit -m x",
]
WRITES_THE_GUIDE = "python3 -c \"open('docs/guide.md', 'w').write('x')\""


@pytest.fixture
def agent(governed: Repository) -> Iterator[Agent]:
    """Give an agent that has checked out the intent which owns `src/auth/**`."""
    opened = Agent(governed, "builder")
    yield opened
    opened.desk.close(None)


def code(admission: Admission) -> GateCode | None:
    decision = admission.decision
    return decision.code if isinstance(decision, Denied) else None


def done(agent: Agent, command: str) -> Record:
    """Ask for a command of which not all is known, run it, record it."""
    admission = agent.asks(tool="Bash", command=command)
    assert isinstance(admission.decision, Allowed), command
    assert admission.decision.warnings
    assert admission.ticket is not None
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=True)
    outcome = agent.desk.calls.record(admission.ticket.id)
    assert outcome is not None
    assert outcome.record is not None, command
    return outcome.record


def test_another_spelling_of_a_path_leads_no_further(agent: Agent) -> None:
    found = {path: code(agent.asks(path)) for path in FOREIGN_PATHS}
    assert found == dict.fromkeys(FOREIGN_PATHS, GateCode.SCOPE_VIOLATION)


def test_no_other_case_leads_into_the_control_plane(agent: Agent) -> None:
    found = {path: code(agent.asks(path)) for path in CONTROL_PATHS}
    assert found == dict.fromkeys(CONTROL_PATHS, GateCode.PATH_DENIED)


def test_an_absolute_path_is_the_path_that_it_is_in_the_root(agent: Agent) -> None:
    found = {path: code(agent.asks(str(agent.root.root / path))) for path in (LOGIN, GUIDE)}
    assert found == {LOGIN: None, GUIDE: GateCode.SCOPE_VIOLATION}


def test_another_name_of_a_tool_changes_nothing(agent: Agent) -> None:
    found = {tool: code(agent.asks(GUIDE, tool=tool)) for tool in TOOLS}
    assert found == dict.fromkeys(TOOLS, GateCode.SCOPE_VIOLATION)


def test_no_command_that_names_the_control_plane_may_run(agent: Agent) -> None:
    found = {each: code(agent.asks(tool="Bash", command=each)) for each in INTO_THE_CONTROL_PLANE}
    assert found == dict.fromkeys(INTO_THE_CONTROL_PLANE, GateCode.PATH_DENIED)


def test_no_command_that_names_a_foreign_file_may_run(agent: Agent) -> None:
    found = {each: code(agent.asks(tool="Bash", command=each)) for each in ON_FOREIGN_FILES}
    assert found == dict.fromkeys(ON_FOREIGN_FILES, GateCode.SCOPE_VIOLATION)


@pytest.mark.parametrize(
    "command",
    [
        WRITES_THE_GUIDE,
        f"{WRITES_THE_GUIDE} && git add -A",
        f"{WRITES_THE_GUIDE} && git commit -qam x",
        'F=docs/guide.md; echo x > "$F"',
        "echo 'echo x > docs/guide.md' | sh",
        "echo docs/guide.md | xargs rm",
        "sed -i s/Guide/x/ d*cs/guide.md",
        "find docs -name '*.md' -delete",
        "printf 'echo x > docs/guide.md' > src/auth/x.sh; . src/auth/x.sh",
    ],
)
def test_what_a_command_hides_is_found_afterwards(agent: Agent, command: str) -> None:
    record = done(agent, command)
    assert GUIDE in [file.relative_path for file in record.files]
    assert record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize(
    "path", [INTENTS_FILE, POLICY_FILE, IGNORE_FILE, ".claude/settings.json", ".codex/config.toml"]
)
def test_who_changes_the_rules_behind_our_back_is_recorded(agent: Agent, path: str) -> None:
    record = done(agent, f'f={path}; mkdir -p "$(dirname $f)"; echo "# mine" >> "$f"')
    assert [file.relative_path for file in record.files] == [path]
    assert record.scope_validation is ScopeValidation.FAIL


def test_scope_that_an_agent_has_given_itself_does_not_excuse_the_giving(agent: Agent) -> None:
    command = f"f={INTENTS_FILE}; sed -i 's:src/auth/..:**:' $f; echo x > $(echo {GUIDE})"
    record = done(agent, command)
    assert [file.relative_path for file in record.files] == [INTENTS_FILE, GUIDE]
    assert record.scope_validation is ScopeValidation.FAIL


def test_an_answer_that_another_session_was_given_is_not_ones_own(agent: Agent) -> None:
    agent.ticket(LOGIN, tool_use_id="7")
    other = Agent(agent.root, "other", None)
    assert other.refused(LOGIN, tool_use_id="7").code is GateCode.CHECKOUT_REQUIRED
    other.desk.close(None)


def test_who_takes_a_persons_session_is_an_agent_all_the_same(agent: Agent, editor: Editor) -> None:
    agent.name = editor.session.id
    agent.select("INT-001")
    agent.ticket(LOGIN)
    assert agent.refused(GUIDE).code is GateCode.SCOPE_VIOLATION
    # A person may mend it; whoever calls the gate is none.
    assert agent.refused(INTENTS_FILE).code is GateCode.PATH_DENIED


def test_a_cited_intent_that_owns_the_file_is_not_enough(agent: Agent) -> None:
    assert agent.refused(GUIDE, intent_id="INT-002").code is GateCode.CHECKOUT_REQUIRED
