"""All known agent hosts as data, in the order in which they are shown (agents.md).

Invariant: no hook is registered on `WorktreeCreate`, since such a hook would replace what git does.
"""

from typing import Final

from intent_lsp.formats.registrations.agent_host import (
    SECONDS,
    AgentHost,
    HookFile,
    HookShape,
    McpFile,
)
from intent_lsp.formats.registrations.registration import Place

_COPILOT_HOOKS: Final = HookFile(
    path=".github/hooks/intent-lsp.json",
    shape=HookShape.FLAT,
    # Names of events that are spelled as Claude's have payloads in the shape of Claude's.
    command="bash",
    limit=("timeoutSec", SECONDS),
    top=(("version", 1),),
    own=True,
)
"""The hooks of Copilot, which VS Code runs as well."""


def _servers_by_hand(title: str) -> str:
    """Return the step for a host that has no file for MCP servers in the repository."""
    return (
        f"{title} keeps MCP servers in your home directory alone: add one named intent-lsp"
        " with the command `intent-lsp mcp` there."
    )


def _hooks_of_claude_too(title: str) -> str:
    """Return the remark on a host that runs the hooks of Claude Code beside its own."""
    return (
        f"{title} also runs the hooks of .claude/settings.json; a call that both report is"
        " judged and recorded once."
    )


HOSTS: Final = (
    AgentHost(
        name="claude",
        title="Claude Code",
        hooks=HookFile(
            path=".claude/settings.json",
            local=".claude/settings.local.json",
            closed=("onFailure", "block"),
        ),
        mcp=McpFile(paths=(".mcp.json",)),
        programs=("claude",),
        package="@anthropic-ai/claude-code",
        directories=(".claude",),
        steps=("Start Claude Code here, trust the folder, and accept the server of .mcp.json.",),
    ),
    AgentHost(
        name="codex",
        title="Codex",
        hooks=HookFile(path=".codex/hooks.json", tools=("PostToolUse",)),
        mcp=McpFile(paths=(".codex/config.toml",), container="mcp_servers"),
        programs=("codex",),
        package="@openai/codex",
        directories=(".codex",),
        steps=(
            (
                "Start Codex here, trust the project, then run /hooks and trust each hook that"
                " calls intent-lsp. Codex skips hooks that it does not trust, and says nothing."
            ),
        ),
    ),
    AgentHost(
        name="copilot",
        title="GitHub Copilot CLI",
        hooks=_COPILOT_HOOKS,
        mcp=McpFile(paths=(".mcp.json",)),
        programs=("copilot",),
        package="@github/copilot",
        at_home=(".copilot",),
        in_root=(".github/hooks",),
        steps=(
            "Trust this folder when Copilot asks: it loads a folder's hooks only then.",
            "The cloud agent reads only the default branch's hooks: merge .github/hooks into it.",
            _hooks_of_claude_too("Copilot"),
        ),
    ),
    AgentHost(
        name="vscode",
        title="VS Code (Copilot)",
        asks_as="copilot",
        hooks=_COPILOT_HOOKS,
        mcp=McpFile(paths=(".vscode/mcp.json",), container="servers", extra=(("type", "stdio"),)),
        programs=("code",),
        editors=("code",),
        directories=(".vscode",),
        steps=("Trust this workspace in VS Code, and start the server when it asks.",),
    ),
    AgentHost(
        name="gemini",
        title="Gemini CLI",
        hooks=HookFile(
            path=".gemini/settings.json",
            gate="BeforeTool",
            tools=("AfterTool",),
            events=("BeforeAgent", "AfterAgent", "SessionStart", "SessionEnd"),
            extra=(("type", "command"), ("name", "intent-lsp")),
            limit=("timeout", SECONDS * 1000),
        ),
        mcp=McpFile(paths=(".gemini/settings.json",)),
        programs=("gemini",),
        package="@google/gemini-cli",
        directories=(".gemini",),
        steps=("Trust this folder in Gemini CLI: hooks of a folder run only then.",),
    ),
    AgentHost(
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
    ),
    AgentHost(
        name="qwen",
        title="Qwen Code",
        hooks=HookFile(path=".qwen/settings.json"),
        mcp=McpFile(paths=(".qwen/settings.json",)),
        programs=("qwen",),
        package="@qwen-code/qwen-code",
        directories=(".qwen",),
        steps=("Trust this folder in Qwen Code, if folder trust is on there.",),
    ),
    AgentHost(
        name="kimi",
        title="Kimi Code",
        hooks=HookFile(path=".kimi-code/config.toml", place=Place.HOME, shape=HookShape.TABLES),
        mcp=McpFile(paths=(".kimi-code/mcp.json",)),
        programs=("kimi",),
        package="@moonshot-ai/kimi-code",
        directories=(".kimi-code",),
        steps=(
            (
                "Kimi Code reads hooks from your home directory alone, so each colleague installs"
                " them; in projects without intents they do nothing."
            ),
        ),
    ),
    AgentHost(
        name="cline",
        title="Cline",
        hooks=HookFile(
            path=".clinerules/hooks",
            shape=HookShape.SCRIPTS,
            tools=("PostToolUse",),
            events=(
                "UserPromptSubmit",
                "TaskStart",
                "TaskCancel",
                "TaskComplete",
                "SessionShutdown",
            ),
            # Its own limit is two minutes, and cannot be set.
            limit=None,
        ),
        programs=("cline",),
        package="cline",
        at_home=(".cline",),
        in_root=(".clinerules", ".cline"),
        steps=("Switch hooks on in Cline's settings.", _servers_by_hand("Cline")),
    ),
    AgentHost(
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
        directories=(".cursor",),
        steps=(
            "Trust this workspace in Cursor.",
            _hooks_of_claude_too("Cursor"),
        ),
    ),
    AgentHost(
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
        programs=("windsurf", "devin-desktop"),
        editors=("windsurf", "devin-desktop"),
        at_home=(".codeium/windsurf",),
        in_root=(".windsurf",),
        steps=(_servers_by_hand("Windsurf"),),
    ),
    AgentHost(
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
        directories=(".kiro",),
        steps=("Kiro reads this hook file since version 1.0 of the editor, 3.0 of its CLI.",),
    ),
    AgentHost(
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
        directories=(".grok",),
        steps=(
            "Start Grok here and run /hooks-trust.",
            (
                "Grok also runs the hooks of .claude/settings.json and .cursor/hooks.json. A hook"
                " that fails does not block the call."
            ),
        ),
    ),
    AgentHost(
        name="opencode",
        title="opencode",
        hooks=HookFile(
            path=".opencode/plugin/intent-lsp.js",
            shape=HookShape.PLUGIN,
            gate="tool.execute.before",
            tools=(),
            events=(),
        ),
        mcp=McpFile(
            paths=("opencode.json", "opencode.jsonc"),
            container="mcp",
            extra=(("type", "local"), ("enabled", True)),
            as_list=True,
        ),
        programs=("opencode",),
        package="opencode-ai",
        at_home=(".config/opencode", ".opencode"),
        in_root=(".opencode", "opencode.json", "opencode.jsonc"),
    ),
)
"""Every known host."""

HOST_NAMES: Final = tuple(host.name for host in HOSTS)
"""The names by which a person chooses hosts."""
