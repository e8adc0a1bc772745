"""Files that no scope grants to agents (requirements section 5)."""

import pytest

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath

INSIDE = """
.orchestration/a/b .orchestration .git .git/config .Git/hooks/x .intentignore .codex/a .codex
.claude/settings.json .claude/settings.local.json .CLAUDE/Settings.JSON .cursor/hooks.json
.gemini/settings.json .github/hooks/a/b
"""
OUTSIDE = """
src/a .gitignore .gitattributes .github/workflows/a a/.intentignore a/.git/config .claude
.claude/agents/a.md .claude/settings/a.json .claude/settings.md .cursor/rules .gemini/a
"""


@pytest.mark.parametrize("path", INSIDE.split())
def test_it_is_control_plane(path: str) -> None:
    assert control_plane(WorkspacePath(path))


@pytest.mark.parametrize("path", OUTSIDE.split())
def test_it_is_not_control_plane(path: str) -> None:
    assert not control_plane(WorkspacePath(path))
