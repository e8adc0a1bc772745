"""The contract of `.orchestration/`: its entries, and what may lie beside them.

Specified in requirements section 2.
"""

import pytest

from intent_lsp.core.control_plane import Drift, EntryKind, drift_of

FINE = """
active_intents.yaml constraints.sidecar.yaml agent_trace.jsonl intent_map.md governance_ledger.md
.gitignore .gitattributes README.md AGENT.md .tmp-x1 active_intents.yaml~ .active_intents.yaml.swp
4913 .#active_intents.yaml #active_intents.yaml# x.tmp x.bak x.orig x.rej x.lock .DS_Store Thumbs.db
desktop.ini
"""


def test_the_set_and_what_editors_drop_is_no_drift() -> None:
    rooms = [(name, EntryKind.DIRECTORY) for name in (".local", "trace", "archive")]
    assert drift_of([(name, EntryKind.FILE) for name in FINE.split()] + rooms) == ()


@pytest.mark.parametrize(
    ("name", "kind", "problem"),
    [
        ("notes.txt", EntryKind.FILE, "does not belong there"),
        ("Active_Intents.yaml", EntryKind.FILE, "does not belong there"),
        ("cache", EntryKind.DIRECTORY, "does not belong there"),
        ("agent_trace.jsonl", EntryKind.LINK, "is a symbolic link, but must be a file"),
        ("active_intents.yaml", EntryKind.DIRECTORY, "is a directory, but must be a file"),
        ("intent_map.md", EntryKind.OTHER, "is neither a file nor a directory, but must be a file"),
        (".local", EntryKind.FILE, "is a file, but must be a directory"),
        ("trace", EntryKind.LINK, "is a symbolic link, but must be a directory"),
    ],
)
def test_anything_else_is_drift(name: str, kind: EntryKind, problem: str) -> None:
    fine = ("agent_trace.jsonl.bak", EntryKind.FILE)
    (found,) = drift_of([fine, (name, kind)])
    assert found == Drift(found.path, problem)
    assert found.path == f".orchestration/{name}"


def test_drift_is_listed_by_name() -> None:
    found = drift_of([("z", EntryKind.FILE), ("a", EntryKind.LINK)])
    assert [one.path for one in found] == [".orchestration/a", ".orchestration/z"]
