"""A file's standing: what is judged, what is people's, what is the server's.

Specified in requirements section 7.
"""

import pytest

from intent_lsp.core.gate.file_class import Standing, standing
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy

POLICY = TeamPolicy(lessons_violations="docs/LESSONS.md")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", Standing.JUDGED),
        ("AGENT.md", Standing.JUDGED),
        ("docs/LESSONS.md", Standing.EXEMPT),
        ("CLAUDE.md", Standing.EXEMPT),
        (".intentignore", Standing.EXEMPT),
        (".orchestration/active_intents.yaml", Standing.EXEMPT),
        (".orchestration/constraints.sidecar.yaml", Standing.EXEMPT),
        (".orchestration/README.md", Standing.EXEMPT),
        (".claude/settings.local.json", Standing.EXEMPT),
        (".cursor/hooks.json", Standing.EXEMPT),
        (".github/hooks/x.json", Standing.EXEMPT),
        (".github/workflows/x.yml", Standing.JUDGED),
        (".orchestration/agent_trace.jsonl", Standing.SERVER_ONLY),
        (".orchestration/intent_map.md", Standing.SERVER_ONLY),
        (".orchestration/governance_ledger.md", Standing.SERVER_ONLY),
        (".orchestration/trace/2026.jsonl", Standing.SERVER_ONLY),
        (".orchestration/archive/x.jsonl", Standing.SERVER_ONLY),
        (".orchestration/.local/state.sqlite3", Standing.SERVER_ONLY),
        (".git", Standing.UNSEEN),
        (".git/config", Standing.UNSEEN),
        (".gitignore", Standing.JUDGED),
        ("src/.git", Standing.UNSEEN),
        ("src/.git/hooks/x", Standing.UNSEEN),
        ("src/x.git/a", Standing.JUDGED),
        ("sub/.orchestration/active_intents.yaml", Standing.EXEMPT),
        ("sub/.orchestration/agent_trace.jsonl", Standing.SERVER_ONLY),
        ("sub/.orchestration/.local/state.sqlite3", Standing.SERVER_ONLY),
    ],
)
def test_a_path_tells_how_its_save_is_treated(path: str, expected: Standing) -> None:
    assert standing(WorkspacePath(path), POLICY, ignored=False) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("build/out.o", Standing.UNSEEN),
        ("CLAUDE.md", Standing.EXEMPT),
        (".orchestration/.local/drafts/x.json", Standing.SERVER_ONLY),
    ],
)
def test_what_git_ignores_is_unseen_unless_it_governs(path: str, expected: Standing) -> None:
    assert standing(WorkspacePath(path), POLICY, ignored=True) is expected
