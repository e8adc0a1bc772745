"""The agent hosts that are registered by their documentation alone, as data (agents.md).

Their hooks have not been seen at work.
"""

from typing import Final

from intent_lsp.formats.registrations.agent_host import (
    AgentHost,
    HookFile,
    HookShape,
    McpFile,
)
from intent_lsp.formats.registrations.observed_hosts import COPILOT_HOOKS

VSCODE: Final = AgentHost(
    name="vscode",
    title="VS Code (Copilot)",
    asks_as="copilot",
    hooks=COPILOT_HOOKS,
    mcp=McpFile(paths=(".vscode/mcp.json",), container="servers", extra=(("type", "stdio"),)),
    programs=("code",),
    editors=("code",),
    at_home=(".vscode",),
    in_root=(".vscode",),
    steps=("Trust this workspace in VS Code, and start the server when it asks.",),
)
ANTIGRAVITY: Final = AgentHost(
    name="antigravity",
    title="Antigravity",
    hooks=HookFile(
        path=".agents/hooks.json",
        container="intent-lsp",
        tools=("PostToolUse",),
        events=(),
        limit=None,
        named=True,
    ),
    mcp=McpFile(paths=(".agents/mcp_config.json",)),
    programs=("agy",),
    at_home=(".gemini/antigravity", ".gemini/config"),
    in_root=(".agents",),
    steps=("Open the folder in Antigravity and trust it.",),
)
CURSOR: Final = AgentHost(
    name="cursor",
    title="Cursor",
    hooks=HookFile(
        path=".cursor/hooks.json",
        shape=HookShape.FLAT,
        gate="preToolUse",
        tools=("postToolUse", "postToolUseFailure"),
        events=(
            "beforeSubmitPrompt",
            "sessionStart",
            "sessionEnd",
            "subagentStart",
            "subagentStop",
            "stop",
        ),
        extra=(),
        closed=("failClosed", True),
        top=(("version", 1),),
    ),
    mcp=McpFile(paths=(".cursor/mcp.json",)),
    programs=("cursor", "cursor-agent"),
    editors=("cursor",),
    at_home=(".cursor",),
    in_root=(".cursor",),
    steps=(
        "Trust this workspace in Cursor.",
        "Cursor also runs the hooks of .claude/settings.json; a call that comes twice is one.",
    ),
)
WINDSURF: Final = AgentHost(
    name="windsurf",
    title="Windsurf",
    hooks=HookFile(
        path=".windsurf/hooks.json",
        shape=HookShape.FLAT,
        gate="pre_write_code",
        tools=("post_write_code", "pre_run_command", "post_run_command", "post_read_code"),
        events=("pre_user_prompt",),
        extra=(),
        limit=None,
    ),
    mcp=None,
    programs=("windsurf", "devin-desktop"),
    editors=("windsurf", "devin-desktop"),
    at_home=(".codeium/windsurf",),
    in_root=(".windsurf",),
    steps=(
        (
            "Windsurf keeps MCP servers in your home directory alone: add one named intent-lsp"
            " with the command `intent-lsp mcp` there."
        ),
    ),
)
KIRO: Final = AgentHost(
    name="kiro",
    title="Kiro",
    hooks=HookFile(
        path=".kiro/hooks/intent-lsp.json",
        shape=HookShape.TRIGGERS,
        tools=("PostToolUse",),
        events=("UserPromptSubmit", "Stop"),
        matcher=".*",
        top=(("version", "v1"),),
        own=True,
    ),
    mcp=McpFile(paths=(".kiro/settings/mcp.json",)),
    programs=("kiro", "kiro-cli"),
    editors=("kiro",),
    at_home=(".kiro",),
    in_root=(".kiro",),
    steps=("Kiro reads this form from version 1.0 of the editor and 3.0 of its CLI on.",),
)
GROK: Final = AgentHost(
    name="grok",
    title="Grok Build",
    hooks=HookFile(
        path=".grok/hooks/intent-lsp.json",
        events=("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"),
        matcher=None,
        own=True,
        named=True,
    ),
    mcp=McpFile(paths=(".grok/config.toml",), container="mcp_servers"),
    programs=("grok",),
    at_home=(".grok",),
    in_root=(".grok",),
    steps=(
        "Start Grok here and run /hooks-trust.",
        (
            "Grok also runs the hooks of .claude/settings.json and .cursor/hooks.json, and lets"
            " a call through when they fail."
        ),
    ),
)
