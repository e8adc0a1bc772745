"""A file's standing: what is judged, what is people's, what is the server's.

Specified in requirements section 7.
"""

import pytest

from intent_lsp.core.control_plane import FileClass, standing
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy

POLICY = TeamPolicy(lessons_violations="docs/LESSONS.md")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", FileClass.GOVERNED),
        ("AGENT.md", FileClass.GOVERNED),
        ("docs/LESSONS.md", FileClass.EXEMPT),
        ("CLAUDE.md", FileClass.EXEMPT),
        (".intentignore", FileClass.EXEMPT),
        (".orchestration/active_intents.yaml", FileClass.EXEMPT),
        (".orchestration/constraints.sidecar.yaml", FileClass.EXEMPT),
        (".orchestration/README.md", FileClass.EXEMPT),
        (".claude/settings.local.json", FileClass.EXEMPT),
        (".cursor/hooks.json", FileClass.EXEMPT),
        (".github/hooks/x.json", FileClass.EXEMPT),
        (".github/workflows/x.yml", FileClass.GOVERNED),
        (".orchestration/agent_trace.jsonl", FileClass.SERVER_ONLY),
        (".orchestration/intent_map.md", FileClass.SERVER_ONLY),
        (".orchestration/governance_ledger.md", FileClass.SERVER_ONLY),
        (".orchestration/trace/2026.jsonl", FileClass.SERVER_ONLY),
        (".orchestration/archive/x.jsonl", FileClass.SERVER_ONLY),
        (".orchestration/.local/state.sqlite3", FileClass.SERVER_ONLY),
        (".git", FileClass.IGNORED),
        (".git/config", FileClass.IGNORED),
        (".gitignore", FileClass.GOVERNED),
        ("src/.git", FileClass.IGNORED),
        ("src/.git/hooks/x", FileClass.IGNORED),
        ("src/x.git/a", FileClass.GOVERNED),
        ("sub/.orchestration/active_intents.yaml", FileClass.EXEMPT),
        ("sub/.orchestration/agent_trace.jsonl", FileClass.SERVER_ONLY),
        ("sub/.orchestration/.local/state.sqlite3", FileClass.SERVER_ONLY),
        (".orchestration/.local/x/.orchestration/a", FileClass.SERVER_ONLY),
        # A file system that ignores case opens the same file.
        (".Orchestration/Agent_Trace.jsonl", FileClass.SERVER_ONLY),
        (".GIT/config", FileClass.IGNORED),
    ],
)
def test_a_path_tells_how_its_save_is_treated(path: str, expected: FileClass) -> None:
    assert standing(WorkspacePath(path), POLICY, ignored=False) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("build/out.o", FileClass.IGNORED),
        ("CLAUDE.md", FileClass.EXEMPT),
        (".orchestration/.local/drafts/x.json", FileClass.SERVER_ONLY),
    ],
)
def test_what_git_ignores_is_unseen_unless_it_governs(path: str, expected: FileClass) -> None:
    assert standing(WorkspacePath(path), POLICY, ignored=True) is expected
