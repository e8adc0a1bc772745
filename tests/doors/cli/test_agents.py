"""`intent-lsp agents …`: hosts registered, shown and taken out again, as a person would."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import LEDGER_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.doors.cli.agents.choice import AGENT_VARIABLES
from intent_lsp.formats.registrations.agent_hosts import HOST_NAMES
from intent_lsp.formats.registrations.instructions import BEGIN, INSTRUCTIONS
from tests.doors.cli.conftest import Shell
from tests.support.repository import Repository

EVERY_HOST = [word for name in HOST_NAMES for word in ("--host", name)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the person an empty home directory and a PATH with our program alone."""
    found = tmp_path / "home"
    programs = tmp_path / "bin"
    found.mkdir()
    programs.mkdir()
    add_program(programs, "intent-lsp")
    monkeypatch.setenv("HOME", str(found))
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("PATH", f"{programs}:{Path(git).parent}")
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    yield found
    assert not list(found.rglob(".tmp-*"))


def add_program(folder: Path, name: str) -> None:
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def files_of(root: Path) -> dict[str, bytes]:
    names = (path for path in root.rglob("*") if path.is_file())
    own = (root / ".git", root / ".orchestration")
    kept = (path for path in names if not any(path.is_relative_to(each) for each in own))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in kept}


def last_record(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / LEDGER_FILE).read_text().splitlines()[-1])
    return found


def test_all_hosts_come_and_go_and_what_was_there_stays(
    shell: Shell, project: Repository, home: Path
) -> None:
    project.write(".claude/settings.json", '{\n\t"model": "a", // mine\n\t"hooks": {}\n}\n')
    project.write(".codex/config.toml", 'model = "m" # mine')
    project.write(".gemini/settings.json", '{"mcpServers": {"a": {"command": "b"}}}\r\n')
    project.write("opencode.jsonc", '{\n  // mine\n  "mcp": {},\n}\n')
    (home / ".kimi-code").mkdir()
    (home / ".kimi-code/config.toml").write_text('[[hooks]]\nevent = "Stop"\ncommand = "a"\n')
    before, at_home = files_of(project.root), files_of(home)
    done = shell("agents", "install", *EVERY_HOST, "--instructions")
    assert (done.status, done.err) == (0, "")
    after = files_of(project.root)
    written = {path for path, data in after.items() if before.get(path) != data}
    assert "opencode.json" not in after
    assert {p for p in written if not control_plane(WorkspacePath(p))} == {"AGENTS.md"}
    assert os.access(project.root / ".clinerules/hooks/PreToolUse", os.X_OK)
    assert b"intent-lsp hook kimi" in (home / ".kimi-code/config.toml").read_bytes()
    again = shell("agents", "install", *EVERY_HOST, "--instructions")
    assert "is in place already" in again.out
    assert files_of(project.root) == after
    gone = shell("agents", "uninstall", *EVERY_HOST)
    assert gone.status == 0
    assert shell("agents", "uninstall").status == 0
    assert files_of(project.root) == before
    assert files_of(home) == at_home
    assert shell("trace", "verify").status == 0


def test_what_is_written_is_recorded_as_a_persons_exempt_edit(
    shell: Shell, project: Repository
) -> None:
    done = shell("agents", "install", "--host", "claude", "--json").json
    record = last_record(project.root)
    assert record["id"] == done["recordId"]
    assert record["tool_name"] == "agents/install"
    assert record["scope_validation"] == "EXEMPT"
    assert [file["relative_path"] for file in record["files"]] == [
        ".claude/settings.json",
        ".mcp.json",
    ]
    (talk,) = record["files"][0]["conversations"]
    assert talk["contributor"]["entity_type"] == "HUMAN"
    assert "+    " in shell("trace", "show", record["id"]).out
    shell("agents", "uninstall", "--host", "claude")
    assert last_record(project.root)["tool_name"] == "agents/uninstall"
    assert last_record(project.root)["files"][0]["post_hash"] is None


def test_a_dry_run_shows_the_diff_and_writes_nothing(shell: Shell, project: Repository) -> None:
    project.write(".mcp.json", "{}\n")
    before = files_of(project.root)
    said = shell("agents", "install", "--host", "claude", "--dry-run")
    assert "--- /dev/null\n+++ .claude/settings.json\n@@ -0,0 +1," in said.out
    assert "--- .mcp.json\n+++ .mcp.json\n@@ -1,1 +1," in said.out
    assert "nothing was written" in said.err
    shown = shell("agents", "install", "--host", "claude", "--dry-run", "--json").json
    assert shown["dryRun"] is True
    assert [file["change"] for file in shown["files"]] == ["created", "changed"]
    assert files_of(project.root) == before
    assert not (project.root / LEDGER_FILE).exists()


def test_hosts_are_found_by_programs_and_directories(
    shell: Shell, project: Repository, home: Path, tmp_path: Path
) -> None:
    assert "no agent host was found" in shell("agents", "install").problem
    add_program(tmp_path / "bin", "gemini")
    (home / ".cursor").mkdir()
    project.write(".qwen/QWEN.md", "x")
    said = shell("agents", "status")
    assert [line.split()[0] for line in said.out.splitlines() if line[:1].strip()] == [
        "Host",
        "gemini",
        "qwen",
        "cursor",
    ]
    assert said.err.count("is found here and its hooks are not registered") == 3
    assert "`intent-lsp agents install --host qwen`" in said.err
    found = {each["host"]: each for each in shell("agents", "status", "--json").json["hosts"]}
    assert list(found) == list(HOST_NAMES)
    assert found["gemini"]["foundBy"] == [str(tmp_path / "bin" / "gemini")]
    assert found["cursor"]["foundBy"] == ["~/.cursor"]
    assert found["claude"]["foundBy"] == []
    shell("agents", "install")
    states = [
        registration["state"]
        for each in shell("agents", "status", "--json").json["hosts"]
        for registration in each["registrations"]
        if each["foundBy"]
    ]
    assert states == ["registered"] * 6
    assert "Cursor is registered as its documentation says" in shell("agents", "status").err


def test_status_says_what_differs_and_what_cannot_be_read(
    shell: Shell, project: Repository
) -> None:
    assert "No agent host is found" in shell("agents", "status").out
    shell("agents", "install", "--host", "claude", "--host", "cline")
    settings = project.root / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"timeout": 30', '"timeout": 1', 1))
    (project.root / ".clinerules/hooks/Extra").touch()
    (project.root / ".clinerules/hooks/PreToolUse").chmod(0o644)
    project.write(".mcp.json", "{\n  oops\n}\n")
    said = shell("agents", "status")
    rows = [line.split() for line in said.out.splitlines()]
    assert ["claude", "hooks", "differs", ".claude/settings.json", ".claude"] in rows
    assert ["cline", "hooks", "differs", ".clinerules/hooks/", ".clinerules"] in rows
    assert ".mcp.json:2:3: a text in double quotes is expected here" in said.err
    project.write(".mcp.json", "{}")
    shell("agents", "install", "--host", "claude", "--host", "cline")
    assert os.access(project.root / ".clinerules/hooks/PreToolUse", os.X_OK)
    states = [
        registration["state"]
        for each in shell("agents", "status", "--host", "claude", "--json").json["hosts"]
        for registration in each["registrations"]
    ]
    assert states == ["registered", "registered"]


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        (".mcp.json", "{\n  oops\n}\n", ".mcp.json:2:3: a text in double quotes is expected"),
        (".mcp.json", b"\xff\x00", ".mcp.json is no text in UTF-8 or UTF-16"),
        (".codex/config.toml", "a = [1\n", ".codex/config.toml"),
        (
            ".clinerules/hooks/PreToolUse",
            "#!/bin/sh\n",
            "PreToolUse is not intent-lsp's file; call",
        ),
    ],
)
def test_a_file_that_cannot_be_edited_leaves_all_as_they_are(
    shell: Shell, project: Repository, path: str, text: str | bytes, problem: str
) -> None:
    project.write(path, text)
    before = files_of(project.root)
    said = shell("agents", "install", *EVERY_HOST, "--instructions").problem
    assert problem in said
    assert "nothing was written" in said
    assert files_of(project.root) == before
    assert not (project.root / LEDGER_FILE).exists()


def test_a_directory_in_the_place_of_a_file_is_named(shell: Shell, project: Repository) -> None:
    (project.root / ".mcp.json").mkdir()
    assert ".mcp.json" in shell("agents", "install", "--host", "claude").problem


def test_a_link_that_leads_out_of_the_root_is_not_written_through(
    shell: Shell, project: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}\n")
    (project.root / ".mcp.json").symlink_to(outside)
    assert "leads outside" in shell("agents", "install", "--host", "claude").problem
    assert outside.read_text() == "{}\n"
    assert not (project.root / ".claude").exists()


def test_a_team_that_fails_closed_gets_the_switch(shell: Shell, project: Repository) -> None:
    project.write(POLICY_FILE, "fail_open: false\n")
    shell("agents", "install", "--host", "claude", "--host", "cursor", "--host", "opencode")
    hooks = json.loads((project.root / ".claude/settings.json").read_text())["hooks"]
    assert hooks["PreToolUse"][0]["hooks"][0]["onFailure"] == "block"
    assert json.dumps(hooks).count("onFailure") == 1
    cursor = json.loads((project.root / ".cursor/hooks.json").read_text())["hooks"]
    assert cursor["preToolUse"][0]["failClosed"] is True
    plugin = (project.root / ".opencode/plugin/intent-lsp.js").read_text()
    assert "could not judge" in plugin
    project.write(POLICY_FILE, "fail_open: true\n")
    shell("agents", "install", "--host", "opencode")
    assert "could not judge" not in (project.root / ".opencode/plugin/intent-lsp.js").read_text()


def test_local_files_have_absolute_paths_and_are_not_for_git(
    shell: Shell, project: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bin" / "intent-lsp")])
    said = shell("agents", "install", "--host", "claude", "--local")
    assert "git does not ignore .claude/settings.local.json" in said.err
    assert "Commit those" not in said.out
    text = (project.root / ".claude/settings.local.json").read_text()
    assert f'"command": "{tmp_path}/bin/intent-lsp hook claude"' in text
    assert not (project.root / ".mcp.json").exists()
    rows = [line.split() for line in shell("agents", "status").out.splitlines()]
    assert ["hooks", "registered,", "never", "heard", ".claude/settings.local.json"] in rows
    assert "not registered" not in shell("agents", "status").err
    assert (
        "there is none for codex"
        in shell("agents", "install", "--host", "codex", "--local").problem
    )
    assert shell("agents", "uninstall", "--host", "claude", "--local").status == 0
    assert not (project.root / ".claude").exists()


def test_local_registration_of_a_module_that_python_runs(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    (project.root / ".qwen").mkdir()
    (project.root / ".claude").mkdir()
    said = shell("agents", "install", "--local")
    assert "left out, since --local has no settings file for them: qwen" in said.err
    text = (project.root / ".claude/settings.local.json").read_text()
    assert f"{sys.executable} -m intent_lsp hook claude" in text
    shell("agents", "uninstall", "--host", "claude")
    assert not (project.root / ".claude/settings.local.json").exists()


def test_a_dry_run_of_taking_out_shows_the_diff(shell: Shell, project: Repository) -> None:
    shell("agents", "install", "--host", "cursor")
    before = files_of(project.root)
    said = shell("agents", "uninstall", "--dry-run")
    assert "--- .cursor/hooks.json\n+++ /dev/null\n" in said.out
    shown = shell("agents", "uninstall", "--dry-run", "--json").json
    assert [file["change"] for file in shown["files"]] == ["removed", "removed"]
    assert files_of(project.root) == before
    assert (
        shell("agents", "uninstall", "--json").json["recordId"] == last_record(project.root)["id"]
    )
    assert "Nothing was removed" in shell("agents", "uninstall").out


def test_a_record_that_has_to_wait_is_said(shell: Shell, project: Repository) -> None:
    (project.root / LEDGER_FILE).mkdir()
    said = shell("agents", "install", "--host", "cursor")
    assert "the record waits until the ledger can be written" in said.err


def test_a_home_directory_serves_other_projects_too(
    shell: Shell, project: Repository, home: Path
) -> None:
    shell("agents", "install", "--host", "kimi")
    said = shell("agents", "uninstall")
    assert "~/.kimi-code/config.toml stays" in said.err
    assert (home / ".kimi-code/config.toml").exists()
    assert not (project.root / ".kimi-code").exists()
    shell("agents", "uninstall", "--host", "kimi")
    assert not (home / ".kimi-code").exists()


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md"])
def test_instructions_go_into_the_file_that_is_there(
    shell: Shell, project: Repository, name: str
) -> None:
    project.write(name, "# Ours\n")
    shell("agents", "install", "--instructions")
    assert (project.root / name).read_text().startswith("# Ours\n\n" + BEGIN)
    others = {"AGENTS.md", "CLAUDE.md"} - {name}
    assert not any((project.root / other).exists() for other in others)
    project.write(others.pop(), "# Later\n")
    assert "is in place already" in shell("agents", "install", "--instructions").out
    shell("agents", "uninstall")
    assert (project.root / name).read_text() == "# Ours\n"


def test_instructions_are_printed(shell: Shell) -> None:
    assert shell("agents", "instructions").out == INSTRUCTIONS
    assert shell("agents", "instructions", "--json").json == {"instructions": INSTRUCTIONS}


@pytest.mark.parametrize("variable", AGENT_VARIABLES)
def test_an_agent_is_refused_with_the_way_out(
    shell: Shell, project: Repository, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "1")
    before = files_of(project.root)
    for words in (
        ("agents", "install", "--host", "claude"),
        ("agents", "uninstall"),
        ("init", "--agents"),
    ):
        said = shell(*words).problem
        assert f"{variable} shows that an agent runs this shell" in said
        assert "ask a person to run the command in a terminal of their own" in said
    assert files_of(project.root) == before
    assert shell("agents", "install", "--host", "claude", "--dry-run").status == 0
    assert shell("agents", "status").status == 0


def test_init_does_all_of_it_in_one_record(shell: Shell, tmp_path: Path) -> None:
    root = tmp_path / "new"
    (root / ".claude").mkdir(parents=True)
    said = shell("init", str(root), "--agents")
    assert said.status == 0
    assert "Claude Code: Start Claude Code here" in said.out
    paths = [file["relative_path"] for file in last_record(root)["files"]]
    assert ".orchestration/active_intents.yaml" in paths
    assert {".claude/settings.json", ".mcp.json", "AGENTS.md"} <= set(paths)
    again = shell("init", str(root), "--agents", "--json").json
    assert (again["created"], again["agents"]["files"]) == ([], [])
    assert again["agents"]["hosts"] == ["claude"]
    alone = tmp_path / "alone"
    alone.mkdir()
    assert "no agent host was found here" in shell("init", str(alone), "--agents").err


@pytest.mark.usefixtures("project")
def test_our_program_missing_on_path_is_said(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "bin" / "intent-lsp").unlink()
    assert "not on PATH here" in shell("agents", "install", "--host", "claude").err


def test_only_governed_roots_are_registered(shell: Shell, tmp_path: Path) -> None:
    for name in ("install", "uninstall", "status"):
        assert "is not governed" in shell("agents", name, "-C", str(tmp_path)).problem


def test_the_plug_in_is_a_module_that_node_accepts(shell: Shell, project: Repository) -> None:
    shell("agents", "install", "--host", "opencode")
    text = (project.root / ".opencode/plugin/intent-lsp.js").read_text()
    assert text.count("{") == text.count("}")
    assert text.count("(") == text.count(")")
    node = shutil.which("node", path=os.defpath)
    if node is not None:
        checked = subprocess.run(
            [node, "--input-type=module", "--check"], input=text, text=True, check=False
        )
        assert checked.returncode == 0


@pytest.mark.e2e
def test_each_command_runs_as_a_process(project: Repository) -> None:
    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "intent_lsp", *words],
            cwd=project.root,
            env={**os.environ, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    installed = run("agents", "install", "--host", "codex", "--instructions", "--json")
    assert (installed.returncode, installed.stderr) == (0, "")
    assert json.loads(installed.stdout)["steps"][0]["host"] == "codex"
    refused = run("agents", "uninstall", CLAUDECODE="1")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1
    assert "codex" in run("agents", "status").stdout
    assert run("agents", "instructions").stdout == INSTRUCTIONS
    assert run("agents", "uninstall").returncode == 0
    assert not (project.root / ".codex").exists()
    assert not (project.root / "AGENTS.md").exists()
