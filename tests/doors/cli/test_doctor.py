"""`intent-lsp doctor`: registered hooks are tried as hosts would, blind ones get a cause."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from intent_lsp import __version__
from intent_lsp.core.paths import LEDGER_FILE, POLICY_FILE
from intent_lsp.doors.cli.agents.choice import AGENT_VARIABLES
from intent_lsp.formats.registrations.agent_hosts import HOST_NAMES
from intent_lsp.governance.governance import Governance
from tests.doors.cli.conftest import Said, Shell
from tests.support.repository import Repository

OURS = f'#!/bin/sh\nexec {sys.executable} -m intent_lsp "$@"\n'
REFUSAL = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
}
SETTINGS = ".claude/settings.json"
CODEX = f"""#!{sys.executable}
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        print(json.dumps({{"id": asked["id"], "result": {{}}}}), flush=True)
    if asked.get("method") == "hooks/list":
        [root] = asked["params"]["cwds"]
        hook = {{
            "key": root + "/.codex/hooks.json:pre_tool_use:0:0",
            "trustStatus": os.environ["CODEX_SAYS"],
        }}
        print(json.dumps({{"method": "a/notice"}}), flush=True)
        print(json.dumps({{"id": asked["id"], "result": {{"data": [{{"hooks": [hook]}}]}}}}))
        sys.stdout.flush()
"""


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the person an empty home directory and a PATH with our program; return its folder."""
    found = tmp_path / "bin"
    for folder in (found, tmp_path / "home"):
        folder.mkdir()
    write_program(found / "intent-lsp", OURS)
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{found}:{Path(git).parent}")
    for name in AGENT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return found


def settings(project: Repository) -> str:
    return (project.root / SETTINGS).read_text()


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def installed(shell: Shell, *hosts: str) -> None:
    words = [word for host in hosts for word in ("--host", host)]
    assert shell("agents", "install", *words).status == 0


def examined(shell: Shell, host: str) -> tuple[Said, dict[str, Any]]:
    done = shell("doctor", "--host", host, "--json")
    [found] = done.json["hosts"]
    return done, found


def test_every_host_that_was_installed_blocks_and_nothing_is_kept(
    shell: Shell, project: Repository
) -> None:
    """The hooks of all hosts, one after the other, each in a process of its own."""
    project.write(POLICY_FILE, "agents: warn\n")
    installed(shell, *HOST_NAMES)
    before = (project.root / LEDGER_FILE).read_text()
    done = shell("doctor", "--json")
    found = {each["host"]: each for each in done.json["hosts"]}
    assert {name: each["blocks"] for name, each in found.items()} == dict.fromkeys(
        HOST_NAMES, True
    ), found
    assert (done.status, done.json["ok"]) == (0, True)
    probes = [probe for each in found.values() for probe in each["probes"]]
    assert {probe["version"] for probe in probes} == {__version__}
    assert {probe["cause"] for probe in probes} == {None}
    assert found["cursor"]["remarks"][0].startswith("documented, not observed")
    assert found["codex"]["trust"] is None
    assert (project.root / LEDGER_FILE).read_text() == before
    with Governance(project.root) as governance:
        assert governance.heard() == ()
        assert governance.sessions.row("intent-lsp-doctor") is None


def without_program(programs: Path, _project: Repository) -> None:
    (programs / "intent-lsp").unlink()


def not_executable(programs: Path, project: Repository) -> None:
    (programs / "intent-lsp").chmod(0o644)
    text = settings(project).replace("intent-lsp hook", f"{programs}/intent-lsp hook")
    project.write(SETTINGS, text)


def doing_nothing(programs: Path, _project: Repository) -> None:
    write_program(programs / "intent-lsp", "#!/bin/sh\nexit 0\n")


def old(programs: Path, _project: Repository) -> None:
    said = "intent-lsp: hook is not a command; see `intent-lsp --help`"
    write_program(programs / "intent-lsp", f"#!/bin/sh\necho '{said}' >&2\nexit 2\n")


def slow(programs: Path, project: Repository) -> None:
    write_program(programs / "intent-lsp", "#!/bin/sh\nwhile :; do :; done\n")
    project.write(SETTINGS, settings(project).replace('"timeout": 30', '"timeout": 0.2'))


def with_nul(_programs: Path, project: Repository) -> None:
    project.write(SETTINGS, settings(project).replace("hook claude", r"hook claude \u0000"))


def with_half_of_a_character(_programs: Path, project: Repository) -> None:
    project.write(SETTINGS, settings(project).replace("hook claude", r"hook claude \ud800"))


def switched_off(_programs: Path, project: Repository) -> None:
    text = settings(project).replace("{", '{"disableAllHooks": true,', 1)
    project.write(SETTINGS, text)


def misspelled(_programs: Path, project: Repository) -> None:
    project.write(SETTINGS, settings(project).replace('"PreToolUse"', '"preToolUse"'))


def broken(_programs: Path, project: Repository) -> None:
    project.write(SETTINGS, settings(project) + "}")


@pytest.mark.parametrize(
    "case",
    [
        (without_program, "is not found on the PATH of this terminal", "install intent-lsp"),
        (not_executable, "is not executable", "chmod +x"),
        (doing_nothing, "exits with 0 and no refusal", "`intent-lsp hook claude` and nothing else"),
        (old, "fails with exit status 2 and no refusal: intent-lsp: hook is not a", "update the"),
        (slow, "did not answer within 0.2 s", "raise the limit"),
        (with_nul, "no shell can run the command", "write the command again"),
        (with_half_of_a_character, "no shell can run the command", "write the command again"),
        (switched_off, f"{SETTINGS} has `disableAllHooks: true`", "take `disableAllHooks` out"),
        (misspelled, "Claude Code has no event 'preToolUse'", "write PreToolUse"),
        (broken, f"{SETTINGS}:", "correct the settings file"),
    ],
)
def test_a_blind_host_is_named_with_its_cause_and_cure(
    shell: Shell,
    project: Repository,
    programs: Path,
    case: tuple[Callable[[Path, Repository], None], str, str],
) -> None:
    spoil, said, cure = case
    installed(shell, "claude")
    spoil(programs, project)
    done, found = examined(shell, "claude")
    assert (done.status, done.json["ok"], found["blocks"]) == (1, False, False)
    seen = [*found["problems"], *found["probes"]]
    assert any(said in (each["cause"] or "") and cure in (each["cure"] or "") for each in seen), (
        seen
    )
    text = shell("doctor", "--host", "claude")
    assert text.status == 1
    assert text.out.startswith("claude (Claude Code): BLIND\n")
    assert said in text.out
    assert "to do: " in text.out
    assert cure in text.out


def test_another_version_that_blocks_is_remarked_on(
    shell: Shell, project: Repository, programs: Path
) -> None:
    installed(shell, "claude")
    text = f"#!/bin/sh\necho '{json.dumps(REFUSAL)}'\necho no >&2\nexit 2\n"
    write_program(programs / "intent-lsp", text)
    done, found = examined(shell, "claude")
    assert (done.status, found["blocks"], found["probes"][0]["version"]) == (0, True, None)
    assert "does not say which version" in found["probes"][0]["cause"]
    assert settings(project)


@pytest.mark.parametrize("case", [("trusted", 0, True), ("untrusted", 1, False)])
def test_codex_itself_is_asked_for_its_trust(
    shell: Shell,
    project: Repository,
    programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, int, bool],
) -> None:
    says, status, blocks = case
    write_program(programs / "codex", CODEX)
    monkeypatch.setenv("CODEX_SAYS", says)
    installed(shell, "codex")
    done, found = examined(shell, "codex")
    assert (done.status, found["trust"], found["blocks"]) == (status, says, blocks)
    assert all("trusts the hook was not checked" not in each for each in found["remarks"])
    assert (project.root / ".codex/hooks.json").exists()


def test_a_registration_in_the_home_directory_is_tried_too(
    shell: Shell, project: Repository, tmp_path: Path, programs: Path
) -> None:
    installed(shell, "claude")
    (tmp_path / "home/.claude").mkdir()
    text = settings(project)
    (tmp_path / "home" / SETTINGS).write_text(
        text.replace("intent-lsp hook", "/gone/intent-lsp hook")
    )
    _, found = examined(shell, "claude")
    assert [(each["path"], each["blocks"]) for each in found["probes"]] == [
        (SETTINGS, True),
        (f"~/{SETTINGS}", False),
    ]
    assert os.access(programs / "intent-lsp", os.X_OK)


def test_a_host_that_is_only_found_is_named_and_fails_nothing(
    shell: Shell, project: Repository
) -> None:
    project.write(".gemini/settings.json", "{}\n")
    done = shell("doctor")
    assert done.status == 0
    assert (
        done.out == "No agent host is registered here: `intent-lsp agents install` registers one.\n"
    )
    assert "Gemini CLI is found here and its hooks are not registered" in done.err
    one = shell("doctor", "--host", "codex").out
    assert one.startswith("No agent host of those asked for (codex) is registered here: ")


def test_wrong_words_are_wrong_usage(shell: Shell, project: Repository) -> None:
    assert "--hosts" in shell("doctor", "--hosts", "claude").problem
    assert project.root.exists()


def test_the_doctor_runs_as_a_process(shell: Shell, project: Repository, programs: Path) -> None:
    installed(shell, "qwen")

    def doctor() -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "intent_lsp", "doctor"]
        return subprocess.run(words, cwd=project.root, capture_output=True, text=True, check=False)

    well = doctor()
    assert (well.returncode, well.stdout.partition("\n")[0]) == (0, "qwen (Qwen Code): blocks")
    without_program(programs, project)
    blind = doctor()
    assert (blind.returncode, blind.stdout.partition("\n")[0]) == (1, "qwen (Qwen Code): BLIND")
