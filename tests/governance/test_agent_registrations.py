"""What registering agent hosts writes is one edit of a person, recorded once."""

from pathlib import Path

import pytest

from intent_lsp.core.errors import FileChangedError
from intent_lsp.core.paths import LEDGER_FILE, WorkspacePath
from intent_lsp.core.records import HUMAN, ScopeValidation
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.host_registrations import RegistrationOptions
from intent_lsp.governance.agents.registration_plan import RegistrationFiles, RegistrationPlan
from intent_lsp.governance.agents.registrations import INSTALL_TOOL, UNINSTALL_TOOL, carry_out
from intent_lsp.store.ledger.ledger import Appended, Queued
from tests.governance.editor import Editor
from tests.governance.watcher import Watcher
from tests.support.repository import Repository

SETTINGS = WorkspacePath(".claude/settings.json")


@pytest.fixture
def files(governed: Repository, tmp_path: Path) -> RegistrationFiles:
    return RegistrationFiles(governed.root, tmp_path / "home")


def plan_for(files: RegistrationFiles, *names: str) -> RegistrationPlan:
    hosts = [host for host in HOSTS if host.name in names]
    return files.installing(hosts, RegistrationOptions())


def test_a_watcher_takes_it_for_no_change_of_its_own(
    editor: Editor, governed: Repository, files: RegistrationFiles
) -> None:
    governed.write(SETTINGS, '{\n  "model": "a"\n}\n')
    watcher = Watcher(editor.governance, editor.session)
    done = carry_out(editor.governance, files, plan_for(files, "claude").files, INSTALL_TOOL)
    assert isinstance(done, Appended)
    assert watcher.recorded() == []
    assert done.record.session_id == editor.session.id
    assert done.record.scope_validation is ScopeValidation.EXEMPT
    first, second = done.record.files
    assert next(run.replaced for run in first.conversations[0].ranges)[:2] == (2, 1)
    assert second.pre_hash is None
    assert second.conversations[0].contributor == HUMAN
    gone = files.uninstalling(HOSTS, [RegistrationOptions()], at_home=False)
    undone = carry_out(editor.governance, files, gone.files, UNINSTALL_TOOL)
    assert isinstance(undone, Appended)
    assert undone.record.files[0].post_hash == first.pre_hash
    assert watcher.recorded() == []


def test_a_file_that_changes_meanwhile_keeps_every_file_as_it_is(
    editor: Editor, governed: Repository, files: RegistrationFiles
) -> None:
    plan = plan_for(files, "claude", "codex")
    governed.write(".codex/hooks.json", "{}\n")
    with pytest.raises(FileChangedError):
        carry_out(editor.governance, files, plan.files, INSTALL_TOOL)
    assert not (governed.root / SETTINGS).exists()
    assert not (governed.root / ".claude").exists()
    assert (governed.root / ".codex/hooks.json").read_text() == "{}\n"
    assert not (governed.root / LEDGER_FILE).exists()


def test_a_ledger_that_cannot_be_written_makes_the_record_wait(
    editor: Editor, governed: Repository, files: RegistrationFiles
) -> None:
    (governed.root / LEDGER_FILE).mkdir()
    done = carry_out(editor.governance, files, plan_for(files, "qwen").files, INSTALL_TOOL)
    assert isinstance(done, Queued)
    assert (governed.root / ".qwen/settings.json").is_file()


def test_nothing_to_change_leaves_no_record(editor: Editor, files: RegistrationFiles) -> None:
    assert carry_out(editor.governance, files, (), INSTALL_TOOL) is None


def test_what_is_in_the_home_directory_is_not_in_the_ledger(
    editor: Editor, files: RegistrationFiles
) -> None:
    plan = plan_for(files, "kimi")
    done = carry_out(editor.governance, files, plan.files, INSTALL_TOOL)
    assert isinstance(done, Appended)
    assert [file.path for file in done.record.files] == [".kimi-code/mcp.json"]
    assert (files.home / ".kimi-code/config.toml").is_file()


def test_two_hosts_of_one_file_are_one_edit(files: RegistrationFiles) -> None:
    plan = plan_for(files, "claude", "copilot", "vscode", "gemini")
    paths = [file.path for file in plan.files]
    assert sorted(paths) == sorted(set(paths))
    shared = {file.path: file.hosts for file in plan.files}
    assert shared[WorkspacePath(".mcp.json")] == ("claude", "copilot")
    assert shared[WorkspacePath(".gemini/settings.json")] == ("gemini",)
