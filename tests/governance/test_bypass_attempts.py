"""Ways round the gate that agents try: refused, or found and recorded (docs/threat-model.md)."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket, TicketFile
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.paths import (
    IGNORE_FILE,
    INTENTS_FILE,
    LEDGER_FILE,
    LOCAL_ROOM,
    POLICY_FILE,
    WorkspacePath,
)
from intent_lsp.core.records import MutationClass, Record, ScopeValidation
from intent_lsp.core.scope.pattern import NameComparison
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.call_changes import RetargetedLinks, led_away
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles
from intent_lsp.store.state.notes import AgentInfo
from tests.governance.editor import Editor
from tests.governance.test_calls import Agent
from tests.governance.work import Work, paths
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
    "intent-lsp intents rename INT-002 INT-9",
    "intent-lsp intents fix --json",
    ".venv/bin/intent-lsp init",
    "env -u CLAUDECODE intent-lsp agents install --host claude",
    "python -m intent_lsp agents uninstall",
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
    opened.governance.close(None)


def code(admission: CallDecision) -> GateCode | None:
    decision = admission.decision
    return decision.code if isinstance(decision, Denied) else None


def done(agent: Agent, command: str) -> Record:
    """Ask for a command of which not all is known, run it, record it."""
    admission = agent.asks(tool="Bash", command=command)
    assert isinstance(admission.decision, Allowed), command
    assert admission.decision.warnings
    assert admission.ticket is not None
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=True)
    outcome = agent.governance.calls.record(admission.ticket.id)
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
    assert [file.relative_path for file in record.files] == [INTENTS_FILE]
    assert record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("ln -s ../../docs src/auth/d; echo x > src/auth/d/guide.md", GUIDE),
        ("ln -s ../../docs src/auth/d; rm src/auth/d/guide.md", GUIDE),
        ("ln -s ../../docs src/auth/d; echo x > src/auth/d/new.md", "docs/new.md"),
        ("ln -s ../../docs/guide.md src/auth/g; echo x >> src/auth/g", GUIDE),
        (
            "ln -s ../../.git src/auth/g; echo x > src/auth/g/hooks/pre-commit",
            ".git/hooks/pre-commit",
        ),
        ("ln -s ../../.. src/auth/up; echo x > src/auth/up/beside", "src/auth/up/beside"),
    ],
)
def test_a_link_that_a_command_makes_and_writes_through_is_followed(
    agent: Agent, command: str, path: str
) -> None:
    ticket = agent.ticket(tool="Bash", command=command)
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=False)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert path in outcome.violating
    assert path in [file.relative_path for file in outcome.record.files]
    assert outcome.record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize(
    ("made", "judged", "change", "led_to"),
    [
        (("d", "../../docs"), "d/guide.md", "echo x > src/auth/d/guide.md", GUIDE),
        (("d", "../../docs"), "d/guide.md", "rm src/auth/d/guide.md", GUIDE),
        (("d", "../../docs"), "d/new.md", "echo x > src/auth/d/new.md", "docs/new.md"),
        (("g", "../../.git"), "g/config", "echo >> src/auth/g/config", ".git/config"),
        (("up", "../../.."), "up/beside", "echo x > src/auth/up/beside", "src/auth/up/beside"),
    ],
)
def test_a_link_that_comes_after_the_judgement_is_followed(
    agent: Agent, made: tuple[str, str], judged: str, change: str, led_to: str
) -> None:
    ticket = agent.ticket(f"src/auth/{judged}")
    link, target = made
    (agent.root.root / "src/auth" / link).symlink_to(target)
    subprocess.run(["bash", "-c", change], cwd=agent.root.root, check=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert outcome.violating == (led_to,)
    assert led_to in [file.relative_path for file in outcome.record.files]
    assert outcome.record.scope_validation is ScopeValidation.FAIL


def test_a_file_that_nobody_touched_is_not_changed_by_a_link_to_it(agent: Agent) -> None:
    later = timestamp(datetime.now(UTC) + timedelta(hours=1))
    ticket = Ticket(
        id="t",
        session_id="builder",
        turn=1,
        issued_at=later,
        tool_name="Write",
        intent_id="INT-001",
        mutation_class=MutationClass.BUG_FIX,
        inferred=True,
        verdict=ScopeValidation.PASS,
        files=(TicketFile(path=WorkspacePath("src/auth/g"), pre_hash=None),),
    )
    (agent.root.root / "src/auth/g").symlink_to("../../docs/guide.md")
    assert led_away(agent.root.root, ticket) == RetargetedLinks()
    earlier = replace(ticket, issued_at=timestamp(datetime.now(UTC) - timedelta(hours=1)))
    assert led_away(agent.root.root, earlier) == RetargetedLinks(inside=(WorkspacePath(GUIDE),))
    named = TicketFile(path=WorkspacePath("src/auth/g"), pre_hash=None, real=WorkspacePath(GUIDE))
    assert led_away(agent.root.root, replace(earlier, files=(named,))) == RetargetedLinks()


@pytest.mark.parametrize("judged", [LOGIN, "src/auth/l"])
def test_a_link_that_leads_on_within_the_scope_is_no_violation(agent: Agent, judged: str) -> None:
    (agent.root.root / "src/auth/l").symlink_to("login.py")
    ticket = agent.ticket(judged, "src/auth/new")
    (agent.root.root / "src/auth/new").symlink_to("other.py")
    agent.root.write("src/auth/other.py", "x\n")
    agent.root.write(LOGIN, "x\n")
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == ()
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.PASS


def test_another_call_under_the_same_id_is_judged_anew(agent: Agent) -> None:
    first = agent.ticket(LOGIN, tool_use_id="7", new_text="a")
    assert agent.ticket(LOGIN, tool_use_id="7", new_text="a") == first
    others: list[dict[str, Any]] = [
        {"new_text": "b"},
        {"tool": "Edit", "new_text": "a"},
        {"new_text": "a", "intent_id": "INT-001"},
        {"new_text": "a", "mutation_class": MutationClass.BUG_FIX},
        {"tool": "Bash", "command": "rm src/auth/login.py"},
        {"patch": "--- a/src/auth/login.py\n+++ b/src/auth/login.py\n@@ -1 +1 @@\n-a\n+b\n"},
    ]
    tickets = [agent.ticket(LOGIN, tool_use_id="7", **other) for other in others]
    assert len({first, *tickets}) == len(others) + 1
    assert agent.refused(GUIDE, tool_use_id="7").code is GateCode.SCOPE_VIOLATION
    # A refusal is no answer to another call either.
    agent.ticket(LOGIN, tool_use_id="7", new_text="c")
    agent.root.write(LOGIN, "a")
    outcome = agent.governance.calls.record(first)
    assert outcome is not None
    assert outcome.record is not None


IN_GIT = [
    "hooks/pre-commit",
    "hooks/sub/x",
    "config",
    "config.worktree",
    "info/exclude",
    "info/attributes",
]


@pytest.mark.parametrize("name", IN_GIT)
def test_a_change_of_gits_own_rules_is_found(agent: Agent, name: str) -> None:
    line = "[pager] log = mine" if name.startswith("config") else "# mine"
    record = done(agent, f'f=.git/{name}; mkdir -p "$(dirname $f)"; echo "{line}" >> "$f"')
    assert [file.relative_path for file in record.files] == [f".git/{name}"]
    assert record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize("way", ["rm $d/logs/HEAD", "rm -r $d/logs", "rm -r $d; git init -q"])
def test_a_log_of_head_that_vanishes_is_found(agent: Agent, way: str) -> None:
    record = done(agent, f"d=.git; {way}")
    assert ".git/logs/HEAD" in [file.relative_path for file in record.files]
    assert record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize(
    "command",
    ["git reflog expire --expire=now --all; git gc -q", "git commit -q --allow-empty -m x"],
)
def test_a_log_of_head_that_git_writes_or_empties_is_gits(agent: Agent, command: str) -> None:
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == ()


def test_a_log_of_head_that_comes_with_the_first_commit_is_gits(agent: Agent) -> None:
    log = agent.root.root / ".git/logs/HEAD"
    log.unlink()
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    agent.root.git("commit", "--quiet", "--allow-empty", "--message", "x")
    assert log.exists()
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == ()


@pytest.mark.parametrize(
    "change",
    [
        "sed -i s/INT-001/INT-002/ $f",
        "echo > $f",
        "tail -n 1 $f > $f.new; mv $f.new $f",
        "rm $f",
        "git add -A; git commit -qm x; echo > $f; git commit -qam y",
    ],
)
def test_a_ledger_that_a_command_rewrites_is_found(agent: Agent, change: str) -> None:
    agent.writes(LOGIN, "1\n")
    agent.writes(LOGIN, "2\n")
    command = f"f={LEDGER_FILE}; {change}"
    ticket = agent.ticket(tool="Bash", command=command)
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert LEDGER_FILE in [file.relative_path for file in outcome.record.files]
    assert outcome.record.scope_validation is ScopeValidation.FAIL
    told = {each.path: each.message for each in agent.governance.violations.of(outcome)}
    # Nobody is told to remove a ledger that was rewritten.
    assert "was created" not in told[LEDGER_FILE]
    assert "rm --" not in told[LEDGER_FILE].split("put it back")[-1]


@pytest.mark.parametrize(
    "command",
    [
        "g=git; $g branch --quiet --track other",
        "g=git; $g checkout -q older",
        "g=git; $g checkout -q before",
        "g=git; $g remote add other ../other; $g config user.name x",
        "g=git; $g config core.ignorecase true; $g submodule --quiet init",
        "f=x.sample; echo x > .git/hooks/$f",
    ],
)
def test_what_git_does_to_its_own_files_and_the_ledger_is_gits(agent: Agent, command: str) -> None:
    agent.root.git("branch", "before")
    agent.writes(LOGIN, "1\n")
    agent.root.commit()
    agent.root.git("branch", "older")
    agent.writes(LOGIN, "2\n")
    agent.root.commit()
    ticket = agent.ticket(tool="Bash", command=command)
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == ()


def test_a_session_that_records_meanwhile_has_not_changed_the_ledger(agent: Agent) -> None:
    agent.writes(LOGIN, "1\n")
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    other = Agent(agent.root, "other", "INT-002")
    other.writes("docs/other.md", "x\n")
    agent.root.git("add", "docs/other.md")
    agent.root.git("commit", "--quiet", "--message", "theirs", "docs/other.md")
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert LEDGER_FILE not in outcome.violating
    other.governance.close(None)


def test_a_ledger_that_cannot_be_read_any_more_raises_nothing(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent.writes(LOGIN, "1\n")
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    # Rights do not bind root: the system's own call refuses.
    real = os.open

    def refusing(path: Any, *given: Any, **named: Any) -> int:
        if str(path).endswith(LEDGER_FILE):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, *given, **named)

    monkeypatch.setattr(os, "open", refusing)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == (LEDGER_FILE,)


def test_scope_that_our_own_program_gives_is_found_as_well(agent: Agent) -> None:
    own = [sys.executable, "-m", "intent_lsp", "intents", "add", "All", "--scope", "docs/**"]
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    subprocess.run(own, cwd=agent.root.root, check=True, capture_output=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == (INTENTS_FILE,)


def test_a_rename_by_our_own_program_is_found_as_well(agent: Agent) -> None:
    agent.root.write(IGNORE_FILE, "INT-002\n")
    own = [sys.executable, "-m", "intent_lsp", "intents", "rename", "INT-002", "FREE"]
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    subprocess.run(own, cwd=agent.root.root, check=True, capture_output=True)
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert sorted(outcome.violating) == [IGNORE_FILE, INTENTS_FILE]


def test_fixes_by_our_own_program_are_found_as_well(agent: Agent) -> None:
    text = (agent.root.root / INTENTS_FILE).read_text()
    # Nothing is owned until the keys are put right.
    agent.root.write(INTENTS_FILE, text.replace("owned_scope:", "OWNED-SCOPE:"))
    own = [sys.executable, "-m", "intent_lsp", "intents", "fix"]
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    subprocess.run(own, cwd=agent.root.root, check=True, capture_output=True)
    assert "OWNED-SCOPE" not in (agent.root.root / INTENTS_FILE).read_text()
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.violating == (INTENTS_FILE,)


def test_our_own_bookkeeping_is_no_commands_change(agent: Agent) -> None:
    ticket = agent.ticket(tool="Bash", command='python3 "$f"')
    before = (agent.root.root / INTENTS_FILE).read_bytes()
    other = Agent(agent.root, "other", "INT-002")
    assert (agent.root.root / INTENTS_FILE).read_bytes() != before
    outcome = agent.governance.calls.record(ticket)
    assert outcome is not None
    assert (outcome.record, outcome.violating) == (None, ())
    other.governance.close(None)


def test_another_governed_root_below_this_one_is_outside(agent: Agent) -> None:
    agent.root.write(f"src/auth/inner/{INTENTS_FILE}", "active_intents: []\n")
    agent.root.write("src/auth/inner/a.py", "x\n")
    agent.root.write("src/auth/vendor/.git/HEAD", "ref: refs/heads/main\n")
    (agent.root.root / "src/auth/link").symlink_to("inner")
    paths = {
        "src/auth/inner/a.py": GateCode.OUTSIDE_WORKSPACE,
        "src/auth/inner/new/a.py": GateCode.OUTSIDE_WORKSPACE,
        "src/auth/link/a.py": GateCode.OUTSIDE_WORKSPACE,
        f"src/auth/inner/{INTENTS_FILE}": GateCode.PATH_DENIED,
        "src/auth/vendor/.git/hooks/x": GateCode.PATH_DENIED,
        "src/auth/new/.orchestration/active_intents.yaml": GateCode.PATH_DENIED,
        # A repository that nobody governs is files like others.
        "src/auth/vendor/a.py": None,
    }
    assert {path: code(agent.asks(path)) for path in paths} == paths
    record = done(agent, "f=src/auth/inner/a.py; echo y > $f")
    assert record.scope_validation is ScopeValidation.FAIL


@pytest.mark.parametrize(
    ("path", "sensitive"), [("VENDOR/x", False), ("vendor/x", False), ("vendor/x", True)]
)
def test_a_rule_of_the_team_holds_in_every_case_that_the_disk_ignores(
    agent: Agent, path: str, *, sensitive: bool
) -> None:
    denying = "sidecar: {deny_mutations: [{path_glob: 'vendor/**', reason: theirs}]}\n"
    agent.root.write(POLICY_FILE, denying)
    spelling = NameComparison(case_sensitive=sensitive)
    rules = replace(agent.governance.rules.current(), spelling=spelling)
    denied = rules.denied(WorkspacePath(path))
    assert denied is not None
    assert denied.reason == "theirs"
    minding = replace(rules, spelling=NameComparison(case_sensitive=True))
    assert bool(minding.denied(WorkspacePath(path))) is (path == "vendor/x")


ODD = "\udcffx\ud800\U0001f642"


@pytest.mark.parametrize("error", [None, f"failed {ODD}"])
def test_words_that_no_text_can_hold_stand_in_no_records_way(
    governed: Repository, error: str | None
) -> None:
    odd = Agent(governed, ODD, None)
    session = odd.governance.sessions.open_agent(ODD)
    voice = AgentInfo(model=ODD, url=ODD)
    odd.governance.checkout.select(session, "INT-001", unsaved_file=False, voice=voice)
    ticket = odd.ticket(LOGIN, tool=ODD, tool_use_id=ODD)
    governed.write(LOGIN, "new\n")
    outcome = odd.governance.calls.record(ticket, error=error)
    assert outcome is not None
    assert outcome.record is not None
    told = "\ufffdx\ufffd\U0001f642"
    assert (outcome.record.tool_name, outcome.record.session_id) == (told, told)
    assert odd.governance.stores.ledger.verify().ok
    odd.governance.close(None)


def test_an_answer_that_another_session_was_given_is_not_ones_own(agent: Agent) -> None:
    agent.ticket(LOGIN, tool_use_id="7")
    other = Agent(agent.root, "other", None)
    assert other.refused(LOGIN, tool_use_id="7").code is GateCode.CHECKOUT_REQUIRED
    other.governance.close(None)


def test_who_takes_a_persons_session_is_an_agent_all_the_same(agent: Agent, editor: Editor) -> None:
    agent.name = editor.session.id
    agent.select("INT-001")
    agent.ticket(LOGIN)
    assert agent.refused(GUIDE).code is GateCode.SCOPE_VIOLATION
    # A person may mend it; whoever calls the gate is none.
    assert agent.refused(INTENTS_FILE).code is GateCode.PATH_DENIED


def test_a_cited_intent_that_owns_the_file_is_not_enough(agent: Agent) -> None:
    assert agent.refused(GUIDE, intent_id="INT-002").code is GateCode.CHECKOUT_REQUIRED


@pytest.mark.parametrize("change", [None, "src/auth/login.py", "docs/guide.md"])
def test_a_command_that_deletes_what_is_known_of_it_is_recorded_all_the_same(
    work: Work, change: str | None
) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    if change:
        work.root.write(change, "changed\n")
    shutil.rmtree(work.root.root / LOCAL_ROOM)
    outcome = work.ends(ticket)
    assert outcome.violating == (LOCAL_ROOM, *([change] if change else []))
    record = outcome.record
    assert record is not None
    assert (record.reconstructed, record.scope_validation) == (True, ScopeValidation.FAIL)
    assert (record.session_id, record.intent_id) == ("builder", "INT-001")
    assert paths(record) == ([change] if change else [])
    assert work.ends(ticket).again
    assert work.governance.stores.ledger.verify().ok


@pytest.mark.parametrize("command", ["git clean -fdx", "git add . && git stash -a"])
def test_a_command_that_says_so_is_refused_and_told_how_to_spare_it(
    work: Work, command: str
) -> None:
    work.agent("builder", "INT-001")
    asked = work.governance.calls.admit("builder", "", ToolCall(tool_name="Bash", command=command))
    denied = asked.decision
    assert isinstance(denied, Denied)
    assert denied.code is GateCode.PATH_DENIED
    assert "-e .orchestration" in str(denied.details)


def test_what_such_a_command_named_is_told_as_well(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", command="python3 evil.py > src/auth/login.py")
    work.root.write("src/auth/login.py", "changed\n")
    shutil.rmtree(work.root.root / LOCAL_ROOM)
    outcome = work.ends(ticket)
    assert paths(outcome.record) == ["src/auth/login.py"]
    assert outcome.record is not None
    assert outcome.record.reconstructed


def test_a_committed_file_that_cannot_be_read_stops_nothing(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.agent("builder", "INT-001")
    work.root.write("src/db.py", "committed\n")
    work.root.commit("ours")
    work.root.write("src/db.py", "later\n")
    real = TreeFiles.held

    def held(self: TreeFiles, path: WorkspacePath) -> ReadFile:
        if path == "src/db.py":
            raise PermissionError(errno.EACCES, "not for us")
        return real(self, path)

    monkeypatch.setattr(TreeFiles, "held", held)
    ticket = work.begins("builder")
    work.root.write("src/auth/login.py", "changed\n")
    assert paths(work.ends(ticket).record) == ["src/auth/login.py"]
    work.look()


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.local.json",
        ".codex/hooks/x.toml",
        ".gemini/settings.json",
        ".intentignore",
        ".orchestration/constraints.sidecar.yaml",
    ],
)
def test_control_plane_that_git_ignores_is_compared_as_well(work: Work, path: str) -> None:
    work.root.write(".gitignore", "/.claude\n/.codex\n/.gemini\n.intentignore\n")
    work.root.write(".git/info/exclude", ".orchestration/constraints.sidecar.yaml\n")
    work.root.commit("ignored")
    work.root.write(path, "# ours\n")
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    (work.root.root / path).unlink()
    assert work.ends(ticket).violating == (path,)
    for text in ("{}\n", "{ }\n"):
        ticket = work.begins("builder")
        work.root.write(path, text)
        outcome = work.ends(ticket)
        assert outcome.violating == (path,)
        assert outcome.record is not None
        assert outcome.record.scope_validation is ScopeValidation.FAIL


def test_what_the_server_writes_is_no_commands_change(work: Work) -> None:
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    work.editor.save("src/auth/login.py", "by a person\n")
    (work.root.root / ".orchestration/.local/anything").write_text("ours\n")
    assert work.ends(ticket).violating == ()
