"""Commands that read or verify need no intent, and what they change is found all the same."""

import re
import subprocess
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import TreeSnapshot
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.records import HUMAN, ScopeValidation
from intent_lsp.governance.calls.admission import CallDecision, Outcome
from intent_lsp.governance.calls.authorize import NOT_COMPARED
from intent_lsp.governance.disk.work_tree import WorkTree
from tests.governance.test_calls import LOGIN, Agent
from tests.support.repository import Repository, create

GUIDE = "docs/guide.md"
IGNORED = "build/\n*.log\n"


@pytest.fixture
def root(governed: Repository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    # Where git's configuration is said to be elsewhere, nobody knows what it runs.
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    governed.write(".gitignore", IGNORED)
    governed.write("src/auth/more.py", "more\n")
    governed.commit()
    return governed


@pytest.fixture
def open_agent(root: Repository) -> Iterator[Callable[..., Agent]]:
    opened: list[Agent] = []

    def open_one(name: str, intent: str | None = None) -> Agent:
        opened.append(Agent(root, name, intent))
        return opened[-1]

    yield open_one
    for each in opened:
        each.governance.close(None)


@pytest.fixture
def nobody(open_agent: Callable[..., Agent]) -> Agent:
    """Give an agent that has chosen no intent."""
    agent = open_agent("nobody")
    agent.governance.sessions.open_agent(agent.name)
    return agent


@pytest.fixture
def builder(open_agent: Callable[..., Agent]) -> Agent:
    """Give an agent that has checked out the intent which owns `src/auth/**`."""
    return open_agent("builder", "INT-001")


def asks(agent: Agent, command: str) -> CallDecision:
    return agent.asks(tool="Bash", command=command)


def code(admission: CallDecision) -> GateCode | None:
    decision = admission.decision
    return decision.code if isinstance(decision, Denied) else None


def ran(agent: Agent, command: str, *, error: str | None = None) -> Outcome:
    """Ask for a command, run it, and record it."""
    admission = asks(agent, command)
    assert isinstance(admission.decision, Allowed), admission
    assert admission.ticket is not None
    subprocess.run(["bash", "-c", command], cwd=agent.root.root, check=False, capture_output=True)
    outcome = agent.governance.calls.record(admission.ticket.id, error=error)
    assert outcome is not None
    return outcome


@pytest.mark.parametrize(
    "command", ["ls -la", "cat src/db.py | head -n 3", "git status", "cd src && ls", "grep -rn x ."]
)
def test_what_plainly_reads_has_no_ticket(nobody: Agent, command: str) -> None:
    admission = asks(nobody, command)
    assert (admission.decision, admission.ticket) == (Allowed(ScopeValidation.EXEMPT), None)


@pytest.mark.parametrize(
    "command",
    ["ls *.py", 'cat "$FILE"', "pytest -q", "npm run build", "git fetch", "foo --version"],
)
def test_whoever_looks_or_verifies_is_asked_for_no_intent(nobody: Agent, command: str) -> None:
    admission = asks(nobody, command)
    assert admission.decision == Allowed(ScopeValidation.EXEMPT)
    assert admission.ticket is not None
    assert (admission.ticket.looking, admission.ticket.intent_id) == (True, None)


@pytest.mark.parametrize("intent", ["INT-003", "INT-099"])
def test_neither_a_closed_nor_an_unknown_intent_keeps_anybody_from_looking(
    nobody: Agent, intent: str
) -> None:
    nobody.governance.sessions.choose(nobody.name, intent)
    assert code(asks(nobody, "python3 make.py")) in {
        GateCode.INTENT_CLOSED,
        GateCode.INTENT_NOT_FOUND,
    }
    assert code(asks(nobody, "pytest -q")) is None


def test_neither_a_drifted_contract_nor_a_person_to_ask_keeps_anybody_from_looking(
    nobody: Agent, root: Repository
) -> None:
    policy = "sidecar:\n  contract: deny\n  hitl: always\n"
    root.write(".orchestration/constraints.sidecar.yaml", policy)
    root.write(".orchestration/stray.txt", "stray\n")
    assert code(asks(nobody, "python3 make.py")) is GateCode.CHECKOUT_REQUIRED
    nobody.select("INT-001")
    assert code(asks(nobody, "python3 make.py")) is GateCode.CONTRACT_DRIFT
    assert code(asks(nobody, "ls *")) is None
    (root.root / ".orchestration/stray.txt").unlink()
    assert not isinstance(asks(nobody, "python3 make.py").decision, Allowed)
    assert code(asks(nobody, "ls *")) is None


def test_a_blocked_tool_may_not_even_look(nobody: Agent, root: Repository) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", "sidecar:\n  blocked_tools: [Bash]\n")
    for command in ("ls", "ls *.py"):
        assert code(asks(nobody, command)) is GateCode.TOOL_BLOCKED


def test_a_look_that_changes_nothing_leaves_nothing_behind(nobody: Agent, root: Repository) -> None:
    room = root.root / ".orchestration"
    before = {path: path.read_bytes() for path in room.iterdir() if path.is_file()}
    for error in (None, "exit status 1"):
        outcome = ran(nobody, 'grep -q nowhere "$PWD"/*.md', error=error)
        assert (outcome.record, outcome.recorded.files, outcome.error) == (None, (), None)
    assert {path: path.read_bytes() for path in room.iterdir() if path.is_file()} == before
    assert not list(root.root.rglob("lessons.md"))


def test_what_a_look_changes_without_an_intent_is_a_violation(nobody: Agent) -> None:
    outcome = ran(nobody, "x='a[$(echo x >> src/auth/login.py)]'; echo $((x))")
    assert outcome.record is not None
    assert outcome.record.scope_validation is ScopeValidation.FAIL
    assert (outcome.record.intent_id, outcome.violating) == (None, (LOGIN,))


def test_what_a_verification_changes_is_judged_by_the_intent(builder: Agent) -> None:
    formatted = "pytest -q; x='a[$(echo x >> {})]'; echo $((x))"
    own = ran(builder, formatted.replace("{}", LOGIN))
    others = ran(builder, formatted.replace("{}", GUIDE))
    assert own.record is not None
    assert others.record is not None
    assert own.record.scope_validation is ScopeValidation.PASS
    assert others.record.scope_validation is ScopeValidation.FAIL


def test_a_verification_is_recorded_once_whoever_tells_of_its_end(builder: Agent) -> None:
    ticket = asks(builder, "pytest -q").ticket
    assert ticket is not None
    builder.root.write(GUIDE, "by the tests\n")
    _, first = builder.governance.commands.end_verification(
        builder.name, "", "pytest -q", success=True
    )
    again = builder.governance.calls.record(ticket.id)
    assert first is not None
    assert again is not None
    assert (again.again, again.recorded) == (True, first.recorded)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf build",
        "mkdir -p build/lib",
        "npm run build > build.log",
        "touch build/x && rm build/x",
        "echo x > /tmp/intent-lsp-scratch.txt",
        "pytest > /dev/null",
    ],
)
def test_what_git_ignores_and_temporary_files_are_nobodys(nobody: Agent, command: str) -> None:
    assert code(asks(nobody, command)) is None


@pytest.mark.parametrize(
    ("command", "code_"),
    [
        # A directory is ignored, and a file in it is tracked all the same.
        ("rm -rf build", GateCode.SCOPE_VIOLATION),
        ("rm build/kept.txt", GateCode.SCOPE_VIOLATION),
        ("rm build/link/guide.md", GateCode.SCOPE_VIOLATION),
        ("echo x > build", GateCode.SCOPE_VIOLATION),
        ("echo x > .orchestration/.local/x.log", GateCode.PATH_DENIED),
        ("echo x > secret.log", GateCode.PATH_DENIED),
        ("echo x > ../x.log", GateCode.OUTSIDE_WORKSPACE),
        ("rm -rf /tmp", GateCode.OUTSIDE_WORKSPACE),
    ],
)
def test_what_only_looks_like_it_is_somebodys(
    builder: Agent, root: Repository, command: str, code_: GateCode
) -> None:
    root.write("build/kept.txt", "kept\n")
    (root.root / "build/link").symlink_to("../docs")
    root.git("add", "--force", "build/kept.txt")
    policy = "sidecar:\n  deny_mutations: [{path_glob: secret.log, reason: ours}]\n"
    root.write(".orchestration/constraints.sidecar.yaml", policy)
    assert code(asks(builder, command)) is code_


def test_temporary_files_are_nobodys_but_not_a_work_tree_among_them(
    nobody: Agent,
    builder: Agent,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = tmp_path_factory.mktemp("temporary")
    command = f"echo x > {room}/copy/f"
    assert code(asks(builder, command)) is GateCode.OUTSIDE_WORKSPACE
    monkeypatch.setenv("TMPDIR", str(room))
    assert code(asks(nobody, command)) is None
    create(room / "copy")
    assert code(asks(builder, command)) is GateCode.OUTSIDE_WORKSPACE


@pytest.mark.parametrize(
    ("command", "code_"),
    [
        ("rm src/auth/*.py", None),
        ("rm src/*/login.py", None),
        ("rm docs/*.md", GateCode.SCOPE_VIOLATION),
        ("rm [d]ocs/guide.??", GateCode.SCOPE_VIOLATION),
        ("rm src/**/*.py docs/*", GateCode.SCOPE_VIOLATION),
        ("rm .orchestration/*.yaml", GateCode.PATH_DENIED),
    ],
)
def test_a_glob_is_judged_by_what_it_stands_for(
    builder: Agent, command: str, code_: GateCode | None
) -> None:
    assert code(asks(builder, command)) is code_


def test_a_glob_that_stands_for_nothing_needs_an_intent(nobody: Agent, builder: Agent) -> None:
    assert code(asks(nobody, "rm *.nothing")) is GateCode.CHECKOUT_REQUIRED
    decision = asks(builder, "rm *.nothing").decision
    assert decision == Allowed(ScopeValidation.EXEMPT, ("`*.nothing` matches no files",))


def test_every_command_is_compared_whether_its_paths_are_known_or_not(builder: Agent) -> None:
    outcome = ran(builder, f"echo x > {LOGIN}; x='a[$(echo y > {GUIDE})]'; echo $((x))")
    assert outcome.violating == (GUIDE,)
    records = [record for record in (outcome.record, *outcome.beside) if record is not None]
    assert {(each.scope_validation.value, each.files[0].relative_path) for each in records} == {
        ("FAIL", GUIDE),
        ("PASS", LOGIN),
    }


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("core.fsmonitor", "./watch"),
        ("core.pager", "delta"),
        ("pager.log", "less"),
        ("diff.external", "./diff"),
        ("diff.image.textconv", "exif"),
        ("diff.image.command", "./diff"),
        ("filter.lfs.process", "git-lfs filter-process"),
        ("gpg.ssh.program", "./sign"),
        ("log.showSignature", "true"),
        ("merge.mine.driver", "./merge"),
        ("core.alternateRefsCommand", "./refs"),
        ("remote.origin.promisor", "true"),
        ("diff.submodule", "diff"),
        ("man.viewer", "evil"),
        ("trace2.normalTarget", "/elsewhere"),
        ("core.hooksPath", "%(prefix)/hooks"),
        ("what.nobody.knows", "x"),
    ],
)
def test_git_that_runs_other_programs_is_compared(
    nobody: Agent, root: Repository, setting: str, value: str
) -> None:
    assert asks(nobody, "git status").ticket is None
    root.git("config", setting, value)
    assert asks(nobody, "git status").ticket is not None
    assert asks(nobody, "ls src").ticket is None


def test_what_a_configuration_includes_is_looked_at(nobody: Agent, root: Repository) -> None:
    root.git("config", "remote.origin.url", "https://example.org/x")
    root.git("config", "include.path", "more")
    root.git("config", "includeIf.hasconfig:remote.*.url:https://example.org/**.path", "other")
    root.write(".git/other", "[user]\n  name = Ada\n")
    assert asks(nobody, "git status").ticket is None
    root.write(".git/other", "[core]\n  editor = z \\\n # \\\n fsmonitor = ./watch\n")
    assert asks(nobody, "git status").ticket is not None


def test_a_repository_that_came_to_the_root_is_looked_at(
    governed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    governed.write("sub/.orchestration/active_intents.yaml", "active_intents: []\n")
    below = Repository(governed.root / "sub")
    agent = Agent(below, "nobody", None)
    try:
        assert asks(agent, "git status").ticket is None
        below.git("init", "-q")
        assert asks(agent, "git status").ticket is not None
    finally:
        agent.governance.close(None)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("core.fsmonitor", "true"),
        ("pager.log", "false"),
        ("core.pager", "less"),
        ("user.signingKey", "0"),
        ("alias.lg", "log --oneline"),
        ("branch.main.remote", "origin"),
    ],
)
def test_a_switch_is_no_program(nobody: Agent, root: Repository, setting: str, value: str) -> None:
    root.git("config", setting, value)
    assert asks(nobody, "git status").ticket is None


def test_git_with_a_submodule_is_compared(nobody: Agent, root: Repository) -> None:
    """A submodule's own configuration may name a program, which git runs for its status."""
    assert asks(nobody, "git status").ticket is None
    inner = create(root.root / "inner")
    inner.commit()
    root.git("add", "inner")
    assert asks(nobody, "git status").ticket is not None


def test_git_with_a_hook_of_the_index_is_compared(nobody: Agent, root: Repository) -> None:
    root.write(".git/hooks/post-index-change", "#!/bin/sh\n")
    root.write("own/post-index-change", "#!/bin/sh\n")
    found = []
    for hooks in ("/dev/null", ".git/hooks", "own", "src"):
        root.git("config", "core.hooksPath", hooks)
        found.append(asks(nobody, "git status").ticket is not None)
    assert found == [False, True, True, False]


@pytest.mark.parametrize(
    ("name", "value", "compared"),
    [
        ("GIT_EXTERNAL_DIFF", "./diff", True),
        ("GIT_CONFIG_GLOBAL", "elsewhere", True),
        ("PAGER", "./page", True),
        ("PAGER", "cat", False),
        ("GIT_EDITOR", "vi", False),
        ("GIT_AUTHOR_NAME", "me", False),
    ],
)
def test_a_variable_of_git_may_name_a_program(
    nobody: Agent, monkeypatch: pytest.MonkeyPatch, name: str, value: str, *, compared: bool
) -> None:
    monkeypatch.setenv(name, value)
    assert (asks(nobody, "git log").ticket is not None) is compared


def test_the_text_of_another_shell_is_not_read(nobody: Agent, builder: Agent) -> None:
    call = {"tool": "PowerShell", "command": "Get-ChildItem src"}
    refused = nobody.asks(**call)
    assert code(refused) is GateCode.CHECKOUT_REQUIRED
    assert builder.asks(**call).ticket is not None


WRITES = "python3 -c \"open('{}', 'a').write('x')\""


@pytest.mark.parametrize(
    ("path", "code_", "message"),
    [
        (
            GUIDE,
            GateCode.SCOPE_VIOLATION,
            (
                "docs/guide.md changed while `python3` ran; INT-001 does not own it: put it back"
                " (`git restore -- docs/guide.md`) or ask for more scope with"
                " request_scope_expansion (intent/requestScopeExpansion)"
            ),
        ),
        (
            "docs/a b.md",
            GateCode.SCOPE_VIOLATION,
            (
                "docs/a b.md was created while `python3` ran; INT-001 does not own it: delete it"
                " (`rm -- 'docs/a b.md'`) or ask for more scope with request_scope_expansion"
                " (intent/requestScopeExpansion)"
            ),
        ),
        (
            "src/db.py",
            GateCode.SCOPE_VIOLATION,
            (
                "src/db.py changed while `python3` ran; INT-001 does not own it: put it back as it"
                " was before or ask for more scope with request_scope_expansion"
                " (intent/requestScopeExpansion)"
            ),
        ),
        (
            ".orchestration/active_intents.yaml",
            GateCode.PATH_DENIED,
            (
                ".orchestration/active_intents.yaml changed while `python3` ran; agents may not"
                " change it (Orchestration control-plane files are machine-managed): put it back"
                " (`git restore -- .orchestration/active_intents.yaml`) or tell a person about it"
            ),
        ),
    ],
)
def test_a_violation_names_the_way_back(
    builder: Agent, root: Repository, path: str, code_: GateCode, message: str
) -> None:
    root.write("src/db.py", "not committed\n")
    outcome = ran(builder, WRITES.format(path))
    (violation,) = builder.governance.violations.of(outcome)
    assert (violation.path, violation.code, violation.message) == (path, code_, message)
    # Whoever asks again is told again.
    again = builder.governance.calls.record(outcome.ticket.id)
    assert again is not None
    assert builder.governance.violations.of(again) == (violation,)


@pytest.mark.parametrize(
    "command",
    [
        "F={}; echo x >> $F",
        "F={}; echo x >> $F; git add -A",
        "F={}; rm $F",
        "F={}; git rm -qf $F",
        "F={}; G=docs/moved.md; git mv $F $G",
        "F={}; echo x > $F.new",
        "F={}; echo x > $F.new; git add -A",
        "F={}; G=docs/b.md; echo x > $F; echo y > $G; git add $G",
        'F=docs; echo x > "$F/a b.md"',
        "F=docs; echo x > $F/:x.md; echo x > $F/*.md",
        "F=.git/hooks; mkdir -p $F; echo x > $F/pre-commit",
        "F=.orchestration; echo x > $F/foo.txt",
    ],
)
@pytest.mark.parametrize("staged", [False, True])
def test_the_way_back_is_let_through_and_leads_back(
    nobody: Agent, root: Repository, command: str, *, staged: bool
) -> None:
    """A file of the same directory that a person has changed stays as it is."""
    root.write("docs/:x.md", "one\n")
    root.write("docs/*.md", "one\n")
    root.commit()
    root.write("docs/theirs.md", "not committed\n")
    if staged:
        root.write(GUIDE, "staged\n")
        root.git("add", GUIDE)
        root.write(GUIDE, "# Guide\n")
    before = root.git("status", "--porcelain", GUIDE)
    nobody.select("INT-001")
    outcome = ran(nobody, command.format(GUIDE))
    told = nobody.governance.violations.of(outcome)
    assert told
    for violation in told:
        way_back = re.search(r"(?:put it back|delete it) \(`(.*?)`\)", violation.message)
        assert way_back is not None
        ended = ran(nobody, way_back[1])
        assert (violation.path, ended.violating) == (violation.path, ())
    kept = (root.root / "docs/theirs.md").read_text(), (root.root / GUIDE).read_text()
    assert kept == ("not committed\n", "# Guide\n")
    if "git" not in command or not staged:
        assert root.git("status", "--porcelain", GUIDE) == before


def test_what_nobody_committed_is_not_thrown_away_to_put_a_file_back(
    builder: Agent, root: Repository
) -> None:
    """Neither a person's changes nor their new file go with a violation."""
    root.write(GUIDE, "a person's\n")
    root.write("notes.txt", "a person's\n")
    for path in (GUIDE, "notes.txt"):
        assert ran(builder, f"F={path}; echo x >> $F").violating == (path,)
    assert code(asks(builder, f"git restore -- {GUIDE}")) is GateCode.SCOPE_VIOLATION
    assert code(asks(builder, "rm notes.txt")) is GateCode.SCOPE_VIOLATION
    assert ran(builder, "F=notes.txt; rm $F").violating == ("notes.txt",)


def test_what_was_put_back_cannot_be_put_back_again(builder: Agent, root: Repository) -> None:
    assert ran(builder, f"F={GUIDE}; rm $F").violating == (GUIDE,)
    assert ran(builder, f"git restore -- {GUIDE}").violating == ()
    root.write(GUIDE, "a person's\n")
    assert code(asks(builder, f"git restore -- {GUIDE}")) is GateCode.SCOPE_VIOLATION


@pytest.mark.parametrize(
    "command",
    [
        "mkdir -p src/auth/deep",
        "mkdir -p src",
        "cd src && mkdir -p auth",
        "install -d src/auth/x",
        "rm -rf src/auth",
        "chmod -R 755 src/auth",
        "git restore src/auth",
        "git checkout -- src/auth",
        "git rm -r src/auth",
        "cp README.md src/auth",
        "cp -r docs src/auth/",
        "cp -r docs src/auth/docs",
        "rm -rf .pytest_cache build",
        "rm -rf gen",
    ],
)
def test_a_directory_is_judged_by_the_files_in_it(
    builder: Agent, root: Repository, command: str
) -> None:
    root.write(".orchestration/constraints.sidecar.yaml", "sidecar:\n  generated: ['gen/**']\n")
    for path in ("gen/a.txt", ".pytest_cache/x/y", "build/o", "README.md"):
        root.write(path, "x\n")
    assert code(asks(builder, command)) is None


@pytest.mark.parametrize(
    "command",
    [
        *("rm -rf docs", "rm -rf src", "mv docs src/auth/", "cp src/db.py docs", "git rm -r docs"),
        *("mkdir -p .git/hooks", "mkdir -p ../elsewhere", "cp -r src/auth docs", "chmod -R 1 src"),
    ],
)
def test_a_directory_with_another_file_is_not_changed(builder: Agent, command: str) -> None:
    assert code(asks(builder, command)) is not None


def test_what_a_person_did_is_not_undone_by_an_agent(builder: Agent, root: Repository) -> None:
    """What nobody announced is a violation, too, and may be a person's work."""
    session = builder.governance.open_editor(None, HUMAN)
    builder.governance.checkout.select(session, "INT-001", unsaved_file=False)
    assert builder.governance.disk_changes.look() is not None
    builder.governance.disk_changes.record(session)
    root.write("docs/persons.md", "hours\n")
    root.write(GUIDE, "hours\n")
    assert builder.governance.disk_changes.look() is not None
    recorded = builder.governance.disk_changes.record(session).recorded
    assert [each.record.scope_validation for each in recorded if each.record] == [
        ScopeValidation.FAIL
    ] * len(recorded)
    for command in ("rm docs/persons.md", f"git restore {GUIDE}", "git restore docs"):
        assert code(asks(builder, command)) is GateCode.SCOPE_VIOLATION
    builder.governance.close(session)


@pytest.mark.parametrize(
    "command",
    [
        "git checkout HEAD~1 -- docs",
        "git restore -s HEAD~1 docs",
        "mkdir -p ~/elsewhere",
        "rsync -a src/auth/ empty",
        "rm -rf linked",
        "rm -rf a",
        "cp -r src/auth/.. docs",
    ],
)
def test_what_a_directory_may_hide_is_judged(nobody: Agent, root: Repository, command: str) -> None:
    (root.root / "empty").mkdir()
    (root.root / "linked").mkdir()
    (root.root / "linked/docs").symlink_to("../docs")
    for number in range(1_100):
        root.write(f"a/aa/{number}", "x\n")
    root.write("a/zz/other.md", "x\n")
    intents = "active_intents:\n  - {id: INT-009, status: IN_PROGRESS, owned_scope: ['a/aa/**']}\n"
    root.write(".orchestration/active_intents.yaml", intents)
    nobody.select("INT-009")
    assert code(asks(nobody, command)) in {GateCode.SCOPE_VIOLATION, GateCode.OUTSIDE_WORKSPACE}


def test_many_files_of_one_scope_are_its_own(builder: Agent, root: Repository) -> None:
    for number in range(1_100):
        root.write(f"src/auth/many/{number}", "x\n")
    assert code(asks(builder, "rm -rf src/auth/many")) is None


@pytest.mark.parametrize(
    "command",
    ["cp ~nosuchuser/x src/auth/", f"cp {'a' * 300} src/auth/x", f"cp -r {'a/' * 3000} src/auth/"],
)
def test_a_path_that_cannot_be_asked_about_lets_nothing_else_through(
    builder: Agent, command: str
) -> None:
    assert ran(builder, f"F={GUIDE}; echo x >> $F; {command}").violating == (GUIDE,)


def test_what_is_denied_in_an_ignored_directory_stays(builder: Agent, root: Repository) -> None:
    policy = "sidecar:\n  deny_mutations: [{path_glob: 'build/keep/**', reason: ours}]\n"
    root.write(".orchestration/constraints.sidecar.yaml", policy)
    root.write("build/keep/x", "x\n")
    assert code(asks(builder, "rm -rf build/other")) is None
    for command in ("rm -rf build", "rm -rf build/keep", "rm -rf build/keep/x"):
        assert code(asks(builder, command)) is not None


@pytest.mark.parametrize("place", ["cd {} && git clean -fdx", "git -C {} clean -fdx"])
def test_our_directory_is_known_however_its_place_is_spelled(
    builder: Agent, root: Repository, place: str
) -> None:
    assert code(asks(builder, place.format(root.root))) is GateCode.PATH_DENIED
    assert code(asks(builder, place.format("src/auth"))) is None


def test_a_name_with_a_carriage_return_hides_nothing(builder: Agent) -> None:
    command = f"F={GUIDE}; echo x >> $F; G=$(printf 'src/auth/x\\r'); printf y > \"$G\""
    assert ran(builder, command).violating == (GUIDE,)


@pytest.mark.parametrize(
    "command",
    ["python3 -c 'x' --help", "node -e x --help", "python3 x.py --help", "python3 x --help"],
)
def test_asking_for_help_runs_no_script(nobody: Agent, command: str) -> None:
    assert code(asks(nobody, command)) is GateCode.CHECKOUT_REQUIRED


@pytest.mark.parametrize(
    "command",
    [
        "ls && " * 1_500 + "ls",
        "sed -n '/" + "[^a]" * 200 + "' f",
        "awk '{" + "print " * 8_000 + "}' f",
        "awk '{" + 'printf"a" ' * 8_000 + "}' f",
    ],
)
def test_a_long_text_is_read_all_the_same(nobody: Agent, command: str) -> None:
    assert isinstance(asks(nobody, command).decision, Allowed | Denied)


@pytest.mark.parametrize(("count", "more"), [(51, "1 more file"), (60, "10 more files")])
def test_of_many_violations_the_first_are_told_by_name(
    builder: Agent, count: int, more: str
) -> None:
    outcome = ran(builder, f"for i in $(seq {count}); do echo x > docs/$i.md; done")
    told = builder.governance.violations.of(outcome)
    assert (len(outcome.violating), len(told)) == (count, 50)
    assert told[0].message.startswith("docs/1.md was created while")
    end = f". The record names {more} that the call changed against the rules"
    assert told[-1].message.endswith(end)


def test_without_an_intent_the_way_on_is_to_select_one(nobody: Agent) -> None:
    outcome = ran(nobody, f"x='a[$(echo x > {GUIDE})]'; echo $((x))")
    (violation,) = nobody.governance.violations.of(outcome)
    assert violation.code is GateCode.NO_ACTIVE_INTENT
    assert violation.message.endswith(
        "no intent is active: put it back (`git restore -- docs/guide.md`) or select an intent that"
        " owns it with select_active_intent (intent/select)"
    )


def test_what_is_another_roots_is_outside(builder: Agent, root: Repository) -> None:
    root.write("sub/.orchestration/active_intents.yaml", "active_intents: []\n")
    root.write("sub/a.txt", "one\n")
    outcome = ran(builder, WRITES.format("sub/a.txt"))
    (violation,) = builder.governance.violations.of(outcome)
    assert violation.code is GateCode.OUTSIDE_WORKSPACE
    assert "it lies outside of this governed root" in violation.message


def test_others_are_judged_while_the_tree_is_looked_at(
    builder: Agent, open_agent: Callable[..., Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    other, judged, look = open_agent("other", "INT-001"), list[CallDecision](), WorkTree.seen

    def seen(tree: WorkTree) -> TreeSnapshot | None:
        monkeypatch.undo()
        thread = Thread(target=lambda: judged.append(other.asks(LOGIN)), daemon=True)
        thread.start()
        thread.join(30)
        return look(tree)

    monkeypatch.setattr(WorkTree, "seen", seen)
    assert asks(builder, "python3 make.py").ticket is not None
    assert [code(each) for each in judged] == [None]


def test_what_was_never_answered_begins_when_it_is_asked_again(
    builder: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = {"tool": "Bash", "command": WRITES.format(GUIDE), "tool_use_id": "7"}

    def killed(_tree: WorkTree) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "seen", killed)
        with pytest.raises(KeyboardInterrupt):
            builder.asks(**call)
    ticket = builder.asks(**call).ticket
    assert ticket is not None
    assert builder.asks(**call).ticket == replace(ticket, tree=None, guarded=ticket.guarded)
    builder.root.write(GUIDE, "by the command\n")
    outcome = builder.governance.calls.record(ticket.id)
    assert outcome is not None
    assert outcome.violating == (GUIDE,)


@pytest.mark.parametrize("fails", [None, RuntimeError("no look")])
def test_a_tree_that_cannot_be_looked_at_stops_nobody_but_where_the_team_says_so(
    nobody: Agent, root: Repository, monkeypatch: pytest.MonkeyPatch, fails: Exception | None
) -> None:
    def seen(_tree: WorkTree) -> None:
        if fails is not None:
            raise fails

    monkeypatch.setattr(WorkTree, "seen", seen)
    admission = asks(nobody, "pytest -q")
    assert admission.decision == Allowed(ScopeValidation.EXEMPT, (NOT_COMPARED,))
    assert nobody.governance.calls.judging.failures == (fails is not None)
    root.write(".orchestration/constraints.sidecar.yaml", "sidecar:\n  fail_open: false\n")
    expected = None if fails is None else GateCode.GOVERNANCE_UNAVAILABLE
    assert code(asks(nobody, "pytest -q")) is expected


@pytest.mark.parametrize("fails", [None, RuntimeError("no look")])
def test_where_the_tree_could_not_be_looked_at_before_a_command_its_record_says_so(
    builder: Agent, monkeypatch: pytest.MonkeyPatch, fails: Exception | None
) -> None:
    def seen(_tree: WorkTree) -> None:
        if fails is not None:
            raise fails

    with monkeypatch.context() as patch:
        patch.setattr(WorkTree, "seen", seen)
        ticket = builder.ticket(tool="Bash", command="python3 make.py")
    outcome = builder.governance.calls.record(ticket)
    assert outcome is not None
    assert outcome.record is not None
    assert (outcome.record.compared, outcome.record.files) == (False, ())


def test_a_call_that_runs_no_command_has_nothing_to_compare(builder: Agent) -> None:
    assert builder.writes(LOGIN, "new\n").compared
