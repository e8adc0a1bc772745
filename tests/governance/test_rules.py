"""The rules in force: read when they change, off loudly when they break.

Specified in requirements section 10.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.paths import IGNORE_FILE, INTENTS_FILE, POLICY_FILE, WorkspacePath
from intent_lsp.core.policy import Enforcement
from intent_lsp.governance.root.rules import FileState, RulesCache, policy_file
from tests.governance.editor import INTENTS
from tests.support.repository import Repository

UNREADABLE = Path("/proc/self/mem")
needs_unreadable = pytest.mark.skipif(not UNREADABLE.exists(), reason="no file that cannot be read")


@pytest.fixture
def rules(governed: Repository) -> RulesCache:
    return RulesCache(governed.root)


@pytest.fixture
def put(governed: Repository) -> Callable[[str, str | bytes], None]:
    """Replace a control file, so that its stamp changes whatever the clock does."""

    def put(name: str, text: str | bytes) -> None:
        path = governed.write(f"{name}.new", text)
        path.replace(governed.root / name)

    return put


Put = Callable[[str, str | bytes], None]


def test_the_three_files_are_read(rules: RulesCache, put: Put) -> None:
    put(POLICY_FILE, "sidecar: {enforcement: block}\n")
    put(IGNORE_FILE, "INT-003\n")
    current = rules.current()
    assert current.state is FileState.OK
    assert current.governed
    assert current.reason is None
    assert [intent.id for intent in current.file.intents] == [
        "INT-001",
        "INT-002",
        "INT-003",
        "INT-004",
    ]
    assert current.policy.enforcement is Enforcement.BLOCK
    assert current.ignored == {"INT-003": ("INT-003",)}


def test_they_are_read_again_only_when_they_change(rules: RulesCache, put: Put) -> None:
    first = rules.current()
    assert rules.current() is first
    for name, text in (
        (INTENTS_FILE, INTENTS + "# more\n"),
        (POLICY_FILE, "sidecar: {}\n"),
        (IGNORE_FILE, "# none\n"),
    ):
        put(name, text)
        assert rules.current().version >= first.version
        assert rules.current() is rules.current()


def test_a_change_has_a_version_of_its_own(rules: RulesCache, put: Put) -> None:
    first = rules.current()
    put(IGNORE_FILE, "INT-001\n")
    assert rules.current().version == first.version + 1
    assert rules.current().ignored == {"INT-001": ("INT-001",)}


def test_a_file_that_only_moved_changes_nothing(rules: RulesCache, put: Put) -> None:
    first = rules.current()
    put(INTENTS_FILE, INTENTS)
    assert rules.current() is first


def test_a_broken_file_switches_governance_off_and_its_mending_on(
    rules: RulesCache, put: Put
) -> None:
    put(INTENTS_FILE, "active_intents:\n  - id: [\n")
    broken = rules.current()
    assert broken.state is FileState.BROKEN
    assert not broken.governed
    assert broken.reason is not None
    assert broken.reason.startswith(".orchestration/active_intents.yaml:")
    assert len(broken.file.intents) == 0
    assert broken.owners(WorkspacePath("src/auth/a.py")) == ()
    put(INTENTS_FILE, INTENTS)
    assert rules.current().governed


def test_a_missing_file_switches_governance_off(rules: RulesCache, governed: Repository) -> None:
    rules.current()
    (governed.root / INTENTS_FILE).unlink()
    assert rules.current().state is FileState.MISSING
    assert rules.current().reason == ".orchestration/active_intents.yaml is missing"
    (governed.root / INTENTS_FILE).mkdir()
    assert rules.current().state is FileState.MISSING


def test_a_file_that_is_no_text_is_broken(rules: RulesCache, put: Put) -> None:
    put(INTENTS_FILE, b"\xff\xfe\xfd")
    assert rules.current().reason == ".orchestration/active_intents.yaml is not UTF-8 text"


@needs_unreadable
def test_files_that_cannot_be_read_are_read_as_soon_as_they_can(
    rules: RulesCache, governed: Repository, put: Put
) -> None:
    put(POLICY_FILE, "sidecar: {enforcement: block}\n")
    put(IGNORE_FILE, "INT-001\n")
    rules.current()
    for name in (INTENTS_FILE, POLICY_FILE, IGNORE_FILE):
        (governed.root / name).unlink()
        (governed.root / name).symlink_to(UNREADABLE)
    broken = rules.current()
    assert broken.state is FileState.BROKEN
    assert broken.reason == (f".orchestration/active_intents.yaml cannot be read: {os.strerror(5)}")
    # What cannot be read stays in force as it was, and asking again changes no version.
    assert broken.policy.enforcement is Enforcement.BLOCK
    assert rules.current() is broken
    put(INTENTS_FILE, INTENTS)
    mended = rules.current()
    assert mended.governed
    assert mended.ignored == {"INT-001": ("INT-001",)}


def test_a_policy_that_does_not_parse_leaves_the_last_good_one(rules: RulesCache, put: Put) -> None:
    put(POLICY_FILE, "sidecar: {enforcement: block}\n")
    assert rules.current().policy.enforcement is Enforcement.BLOCK
    put(POLICY_FILE, "sidecar: {enforcement: [\n")
    assert rules.current().policy.enforcement is Enforcement.BLOCK
    put(POLICY_FILE, b"\xff\xfe\xfd")
    assert rules.current().governed
    put(POLICY_FILE, "sidecar: {enforcement: observe}\n")
    assert rules.current().policy.enforcement is Enforcement.OBSERVE


def test_without_a_policy_the_defaults_hold(rules: RulesCache, governed: Repository) -> None:
    governed.write(POLICY_FILE, "sidecar: {enforcement: block}\n")
    rules.current()
    (governed.root / POLICY_FILE).unlink()
    assert rules.current().policy.enforcement is Enforcement.WARN
    assert policy_file(None).policy == rules.current().policy


def test_whoever_owns_a_path_is_known_whatever_the_status(rules: RulesCache) -> None:
    current = rules.current()
    owners = current.owners(WorkspacePath("old/a.py"))
    assert [(owner.intent_id, owner.pattern) for owner in owners] == [("INT-003", "old/**")]


def test_an_intent_is_found_by_its_id_or_not(rules: RulesCache) -> None:
    current = rules.current()
    intent = current.active("INT-OLD")
    assert intent is not None
    assert intent.id == "INT-004"
    assert current.active(None) is None
    assert current.active(EMPTY_HASH) is None
    assert current.scope_of(intent).covers(WorkspacePath("lib/a.py"))
    assert not current.scope_of(None).covers(WorkspacePath("lib/a.py"))
