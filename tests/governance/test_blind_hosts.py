"""Agent hosts that did not ask while files changed are noted, until they are heard or mended."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import force_setattr

from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.host_registrations import (
    RegistrationOptions,
    registrations_of,
)
from intent_lsp.governance.agents import host_liveness
from intent_lsp.governance.agents.host_liveness import (
    ALIVE_FOR,
    FORGOTTEN_AFTER,
    BlindHost,
    blind_hosts,
    host_json,
    known_hosts,
    note_unasked_changes,
)
from intent_lsp.governance.disk.pending_changes import RecordedChange
from intent_lsp.governance.governance import Governance
from intent_lsp.store.state.host_contacts import FILES_AT_MOST, HostContact
from tests.support.governed_repository import LINES, govern
from tests.support.idle_host import idle_host
from tests.support.repository import Repository

NOW = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
HOOKS = ".codex/hooks.json"


class Watched:
    """A governed root at a time that the test sets, with hosts that run since the times given."""

    def __init__(self, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.governance, self.home, self.now = Governance(root), home, NOW
        self.running: dict[str, datetime] = {}
        force_setattr(self.governance.stores, "clock", lambda: self.now)
        monkeypatch.setattr(
            host_liveness,
            "earliest_start",
            lambda _, names, *__: min(
                (self.running[name] for name in names if name in self.running), default=None
            ),
        )

    def changed(self, *paths: str, unannounced: bool = True) -> None:
        """Note changes as the server does when it has recorded them."""
        named = tuple(WorkspacePath(path) for path in paths)
        change = RecordedChange(paths=named, unannounced=unannounced)
        note_unasked_changes(self.governance, self.home, [change])

    def heard(self, host: str = "codex", *, ago: timedelta, ended: bool = False) -> None:
        """Store that a host was heard."""
        state = self.governance.stores.state
        assert state is not None
        at = timestamp(self.now - ago)
        state.hosts.put(HostContact(host=host, event="PreToolUse", at=at, ended=ended))

    def blind(self) -> list[tuple[str, int]]:
        """Return the hosts that did not ask, each with the number of files."""
        return [(each.host.name, each.changes.files) for each in self.found()]

    def found(self) -> tuple[BlindHost, ...]:
        """Return the hosts that did not ask."""
        found = blind_hosts(self.governance, self.home)
        assert found is not None
        return found

    def register(self, *names: str, written: datetime = NOW - timedelta(days=9)) -> None:
        """Register the hooks of hosts, in files that were written at a time."""
        for host in HOSTS:
            for each in registrations_of(host, RegistrationOptions()) if host.name in names else ():
                path = self.governance.root / each.paths[0]
                text = each.content.installed(None)
                assert isinstance(text, str)
                self.write(path, text, written)

    def write(self, path: Path, text: str, at: datetime) -> None:
        """Write a file, with a time at which it was written."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (at.timestamp(), at.timestamp()))


@pytest.fixture
def watched(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Watched]:
    govern(repository)
    watched = Watched(repository.root, tmp_path / "home", monkeypatch)
    yield watched
    watched.governance.close(None)


MINUTE = timedelta(minutes=1)


def test_a_host_that_runs_and_was_never_heard_is_named_with_its_entry(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py", "src/b.py")
    watched.changed("src/a.py", "src/c.py")
    [blind] = watched.found()
    assert (blind.host.name, blind.changes.files) == ("codex", 3)
    assert blind.file == watched.governance.root / HOOKS
    line = blind.lines[blind.violation.first_line]
    assert "intent-lsp hook codex" in line
    assert blind.violation.message == (
        "Codex ran here and did not ask intent-lsp about changes of 3 files since"
        " 2026-11-25T12:00:00.000Z. Codex made them, or a program of yours did."
        " `intent-lsp doctor` says whether its hooks work."
    )
    [known] = known_hosts(watched.governance, watched.home)
    assert host_json(known) == {
        "host": "codex",
        "registered": True,
        "lastHeard": None,
        "unasked": {"files": 3, "since": "2026-11-25T12:00:00.000Z"},
    }


def test_a_host_that_was_heard_only_before_it_was_started_is_named(watched: Watched) -> None:
    watched.register("codex")
    watched.heard(ago=2 * MINUTE)
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py")
    assert watched.blind() == [("codex", 1)]


def test_the_editor_of_a_host_runs_without_its_agent(watched: Watched) -> None:
    watched.register("vscode", "cursor")
    watched.running |= {"code": NOW - MINUTE, "cursor": NOW - MINUTE}
    watched.changed("src/a.py")
    assert watched.blind() == []
    watched.running["cursor-agent"] = NOW - MINUTE
    watched.changed("src/a.py")
    assert watched.blind() == [("cursor", 1)]


def test_builds_and_formatters_are_not_taken_for_a_host(watched: Watched) -> None:
    """One host is registered and does not run, one runs and was heard, one is not registered."""
    watched.register("codex", "qwen")
    watched.running |= {"qwen": NOW - 2 * MINUTE, "gemini": NOW - MINUTE}
    watched.heard("qwen", ago=MINUTE)
    watched.heard("codex", ago=2 * ALIVE_FOR)
    for number in range(200):
        watched.changed(f"build/{number}.py")
    assert watched.blind() == []


def test_what_an_announced_call_may_have_made_is_not_counted(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py", unannounced=False)
    assert watched.blind() == []


@pytest.mark.parametrize(
    ("heard", "ended", "blind"),
    [
        (MINUTE, False, [("codex", 1)]),
        (ALIVE_FOR + MINUTE, False, []),
        (MINUTE, True, []),
    ],
    ids=["alive", "heard long ago", "ended"],
)
def test_a_session_is_blind_whose_hook_was_taken_out_after_it_was_heard(
    watched: Watched, heard: timedelta, *, ended: bool, blind: list[tuple[str, int]]
) -> None:
    watched.register("codex")
    watched.heard(ago=heard, ended=ended)
    watched.changed("src/a.py")
    assert watched.blind() == []
    path = watched.governance.root / HOOKS
    text = path.read_text(encoding="utf-8").replace("intent-lsp hook codex", "true")
    watched.write(path, text, NOW - timedelta(seconds=30))
    watched.changed("src/a.py")
    assert watched.blind() == blind


def test_a_host_that_is_heard_again_is_not_blind(watched: Watched) -> None:
    watched.register("codex", "qwen")
    watched.running |= {"codex": NOW - MINUTE, "qwen": NOW - MINUTE}
    watched.changed("src/a.py")
    assert watched.blind() == [("codex", 1), ("qwen", 1)]
    watched.governance.heard.note("codex", "PreToolUse")
    assert watched.blind() == [("qwen", 1)]
    watched.changed("src/a.py", "src/b.py")
    assert watched.blind() == [("qwen", 2)]


def test_a_registration_that_is_put_right_ends_the_warning(watched: Watched) -> None:
    watched.register("codex")
    path = watched.governance.root / HOOKS
    right = path.read_text(encoding="utf-8")
    watched.write(path, right.replace("hook codex", "hook other"), NOW - timedelta(days=8))
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py", "src/b.py")
    assert watched.blind() == [("codex", 2)]
    watched.write(path, right, NOW + MINUTE)
    assert watched.blind() == []
    watched.now += 2 * MINUTE
    watched.changed("src/a.py")
    assert watched.blind() == [("codex", 1)]


def test_a_host_whose_registration_is_taken_out_is_not_named(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py")
    for path in (watched.governance.root / ".codex").iterdir():
        path.unlink()
    assert watched.blind() == []


def test_two_hosts_that_share_a_hook_are_told_apart(watched: Watched) -> None:
    """The one that runs is named, and both are forgiven when their hook asks."""
    watched.register("copilot", "vscode")
    watched.running["copilot"] = NOW - MINUTE
    watched.changed("src/a.py")
    assert watched.blind() == [("copilot", 1)]
    watched.governance.heard.note("copilot", "preToolUse")
    assert watched.blind() == []


def test_only_what_changed_within_a_day_is_counted(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py")
    watched.now += timedelta(hours=23)
    watched.changed("src/b.py")
    assert watched.blind() == [("codex", 2)]
    watched.now += timedelta(hours=22)
    assert watched.blind() == [("codex", 1)]


def test_a_state_that_cannot_be_read_says_nothing(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise StateUnavailableError(path="state", problem="cannot be read")

    state = watched.governance.stores.state
    assert state is not None
    monkeypatch.setattr(state.hosts, "unasked", broken)
    assert blind_hosts(watched.governance, watched.home) is None


def test_a_warning_is_forgotten_after_a_day(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py")
    watched.now += FORGOTTEN_AFTER + MINUTE
    assert watched.blind() == []
    watched.changed("src/b.py")
    assert watched.blind() == [("codex", 1)]


def test_no_more_files_are_stored_than_the_limit(watched: Watched) -> None:
    watched.register("codex")
    watched.running["codex"] = NOW - MINUTE
    watched.changed(*(f"src/{number}.py" for number in range(FILES_AT_MOST + 5)))
    watched.changed("one/more.py")
    assert watched.blind() == [("codex", FILES_AT_MOST)]


def test_a_host_without_a_readable_settings_file_is_named_all_the_same(watched: Watched) -> None:
    path = watched.governance.root / HOOKS
    watched.write(path, '{"hooks": oops', NOW)
    watched.running["codex"] = NOW - MINUTE
    watched.changed("src/a.py")
    [blind] = watched.found()
    assert (blind.file, blind.violation.first_line) == (path, 0)


def installed(repository: Repository, name: str) -> None:
    """Register the hooks of a host, and commit them."""
    for host in HOSTS:
        for each in registrations_of(host, RegistrationOptions()) if host.name == name else ():
            text = each.content.installed(None)
            assert isinstance(text, str)
            repository.write(each.paths[0], text)
    repository.commit("registered")


def test_two_hundred_builds_beside_a_real_program_that_was_heard_raise_nothing(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    installed(repository, "codex")
    home = tmp_path / "home"
    with (
        Governance(repository.root) as governance,
        idle_host("codex", tmp_path / "bin", repository.root),
    ):
        session = governance.sessions.open_agent("observer")
        governance.heard.note("codex", "SessionStart")
        governance.disk_changes.look()
        for number in range(200):
            repository.write(f"src/auth/{number % 20}.py", f"built {number}\n")
            governance.disk_changes.look()
            news = governance.disk_changes.record(session)
            assert [change.unannounced for change in news.recorded] == [True]
            note_unasked_changes(governance, home, news.recorded)
        assert blind_hosts(governance, home) == ()


def test_a_real_change_beside_a_real_program_is_noted(
    repository: Repository, tmp_path: Path
) -> None:
    govern(repository)
    installed(repository, "codex")
    with (
        Governance(repository.root) as governance,
        idle_host("codex", tmp_path / "bin", repository.root) as host,
    ):
        session = governance.sessions.open_agent("observer")
        governance.disk_changes.look()
        host.append("src/auth/login.py", "by an agent that asks nobody")
        governance.disk_changes.look()
        news = governance.disk_changes.record(session)
        assert [change.unannounced for change in news.recorded] == [True]
        note_unasked_changes(governance, tmp_path / "home", news.recorded)
        [blind] = blind_hosts(governance, tmp_path / "home") or ()
        assert (blind.host.name, blind.changes.files) == ("codex", 1)
        # A person takes the change back: that is no work of the host's.
        repository.write("src/auth/login.py", LINES)
        governance.disk_changes.look()
        back = governance.disk_changes.record(session)
        assert not any(change.unannounced for change in back.recorded)
