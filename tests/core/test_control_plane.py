"""Files that no scope grants to agents (requirements section 5)."""

import pytest

from intent_lsp.core.control_plane import control_glob, control_plane
from intent_lsp.core.paths import WorkspacePath

INSIDE = """
.orchestration/a/b .orchestration .git .git/config .Git/hooks/x .intentignore .codex/a .codex
.claude/settings.json .claude/settings.local.json .CLAUDE/Settings.JSON .cursor/hooks.json
.vscode/settings.json .VSCode/settings.json
.gemini/settings.json .github/hooks/a/b .cline .cline/hooks/PreToolUse
.clinerules/hooks/PreToolUse
.agents/hooks.json .agents/mcp_config.json .cursor/mcp.json .github/mcp.json
.github/copilot/settings.json
.grok/hooks/a.json .grok/config.toml .kimi-code/mcp.json .kiro/hooks/a.json .kiro/agents/a.json
.kiro/settings/mcp.json .mcp.json .MCP.json .opencode/plugin/a.js .opencode/plugins/a.ts
opencode.json opencode.jsonc .opencode/opencode.jsonc .qwen/settings.json .vscode/mcp.json
.windsurf/hooks.json
a/.git a/.git/config a/b/.GIT/hooks/x vendor/x/.git/info/exclude a/.orchestration
a/.orchestration/active_intents.yaml a/b/.Orchestration/x
.orche\u017ftration/x .v\u017fcode/\u017fettings.json
"""
# A repository or a governed root below this one is ruled by its own `.git` and `.orchestration`:
# those are inside, and its other files are files like ours.
OUTSIDE = """
src/a .gitignore .gitattributes .github/workflows/a a/.intentignore a/.gitignore a/x.git/b .claude
.claude/agents/a.md .claude/settings/a.json .claude/settings.md .cursor/rules .gemini/a
a/.mcp.json a/opencode.json .clinerules/rule.md .kiro/steering/a.md .kiro/specs/a.md
.opencode/agent/a.md
.agents/skills/a.md .qwen/a .windsurf/rules/a.md .grok/a .github/copilot/a
.github/copilot-instructions.md
"""


@pytest.mark.parametrize("path", INSIDE.split())
def test_it_is_control_plane(path: str) -> None:
    assert control_plane(WorkspacePath(path))


@pytest.mark.parametrize("path", OUTSIDE.split())
def test_it_is_not_control_plane(path: str) -> None:
    assert not control_plane(WorkspacePath(path))


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        (".git/config", ".git/**"),
        (".ORCHESTRATION/x", ".orchestration/**"),
        (".git/modules/a/.orchestration/x", ".git/**"),
        ("a/.git/config", "**/.git/**"),
        ("a/b/.Orchestration", "**/.orchestration/**"),
        (".github/hooks/a", ".github/hooks/**"),
        (".intentignore", ".intentignore"),
        (".claude/settings.local.json", ".claude/settings*.json"),
        (".github/copilot/settings.local.json", ".github/copilot/settings*.json"),
        (".MCP.json", ".mcp.json"),
        (".kiro/hooks/a.json", ".kiro/hooks/**"),
        ("a/b", None),
    ],
)
def test_a_refusal_names_the_glob(path: str, glob: str | None) -> None:
    assert control_glob(WorkspacePath(path)) == glob
