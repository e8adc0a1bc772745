"""When agent hosts asked a root: noted once a second, and shown for each registered host."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import force_setattr

from intent_lsp.governance.agents.host_liveness import asked_ago, is_alive, known_hosts
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.asking_agents import HeardHosts
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.state.host_contacts import HostContact
from tests.support.repository import Repository

START = datetime(2026, 11, 25, 12, 0, tzinfo=UTC)
INTENTS = "active_intents:\n  - {id: INT-001, name: N, status: IN_PROGRESS, owned_scope: ['*']}\n"


@pytest.fixture
def root(repository: Repository) -> Repository:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.commit()
    return repository


def hosts_at(root: Repository, seconds: float) -> HeardHosts:
    """Return the notes of another process, at a time after START."""
    stores: Stores = Governance(root.root).stores
    now = START + timedelta(seconds=seconds)
    force_setattr(stores, "clock", lambda: now)
    return HeardHosts(stores)


def test_a_host_is_noted_once_a_second(root: Repository) -> None:
    hosts_at(root, 0).note("claude", "PreToolUse", version="1.2")
    hosts_at(root, 0.5).note("claude", "PostToolUse")
    [first] = hosts_at(root, 0.6)()
    assert (first.event, first.at, first.version) == (
        "PreToolUse",
        "2026-11-25T12:00:00.000Z",
        "1.2",
    )
    hosts_at(root, 61).note("claude", "PostToolUse")
    [later] = hosts_at(root, 62)()
    assert (later.event, later.at, later.version) == (
        "PostToolUse",
        "2026-11-25T12:01:01.000Z",
        "1.2",
    )


def test_a_version_that_comes_later_is_noted_at_once(root: Repository) -> None:
    hosts = hosts_at(root, 0)
    for version in (None, "1.3", None):
        hosts.note("codex", "PreToolUse", version=version)
    assert [each.version for each in hosts()] == ["1.3"]


def test_the_end_of_a_session_and_the_next_beginning_are_noted_at_once(root: Repository) -> None:
    hosts = hosts_at(root, 0)
    hosts.note("codex", "PreToolUse")
    hosts.note("codex", "SessionEnd", ended=True)
    [ended] = hosts()
    assert (ended.event, is_alive(ended, START)) == ("SessionEnd", False)
    hosts.note("codex", "SessionStart")
    [begun] = hosts()
    assert (begun.event, is_alive(begun, START)) == ("SessionStart", True)
    assert not is_alive(begun, START + timedelta(minutes=31))


def test_one_process_asks_the_state_once_a_second(root: Repository) -> None:
    hosts = hosts_at(root, 0)
    hosts.note("lsp", "validateEdit")
    with closing(sqlite3.connect(root.root / ".orchestration/.local/state.sqlite3")) as file, file:
        file.execute("DELETE FROM host_contact")
    hosts.note("lsp", "validateEdit")
    assert hosts() == ()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "last asked just now"),
        (59, "last asked just now"),
        (130, "last asked 2 min ago"),
        (3600, "last asked 1 hour ago"),
        (2 * 86_400, "last asked 2 days ago"),
        (-5, "last asked just now"),
    ],
)
def test_the_time_since_is_said_in_words(seconds: int, said: str) -> None:
    contact = HostContact(host="claude", event="Stop", at="2026-11-25T12:00:00.000Z")
    assert asked_ago(contact, START + timedelta(seconds=seconds)) == said


def test_a_host_that_never_asked_is_never_heard() -> None:
    assert asked_ago(None, START) == "never heard"


def test_registered_hosts_come_first_and_others_that_asked_follow(
    root: Repository, tmp_path: Path
) -> None:
    hosts_at(root, 0).note("mcp", "list_intents")
    root.write(
        ".opencode/plugin/intent-lsp.js",
        "// somebody's own plug-in\nintent-lsp hook opencode\n",
    )
    with Governance(root.root) as governance:
        found = known_hosts(governance, tmp_path / "home")
    assert [(each.host, each.registered, each.last is None) for each in found] == [
        ("opencode", True, True),
        ("mcp", False, False),
    ]
