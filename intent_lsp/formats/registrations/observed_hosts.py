"""The agent hosts whose hooks have been seen at work, as data (agents.md).

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

_SERVERS: Final = McpFile(paths=(".mcp.json",))
COPILOT_HOOKS: Final = HookFile(
    path=".github/hooks/intent-lsp.json",
    shape=HookShape.FLAT,
    # Names of events that are spelled as Claude's have payloads in the shape of Claude's.
    command="bash",
    limit=("timeoutSec", SECONDS),
    top=(("version", 1),),
    own=True,
)
"""The hooks of Copilot, which VS Code runs as well."""

CLAUDE: Final = AgentHost(
    name="claude",
    title="Claude Code",
    hooks=HookFile(
        path=".claude/settings.json",
        local=".claude/settings.local.json",
        closed=("onFailure", "block"),
    ),
    mcp=_SERVERS,
    programs=("claude",),
    package="@anthropic-ai/claude-code",
    at_home=(".claude",),
    in_root=(".claude",),
    steps=("Start Claude Code here, trust the folder, and accept the server of .mcp.json.",),
)
CODEX: Final = AgentHost(
    name="codex",
    title="Codex",
    hooks=HookFile(path=".codex/hooks.json", tools=("PostToolUse",)),
    mcp=McpFile(paths=(".codex/config.toml",), container="mcp_servers"),
    programs=("codex",),
    package="@openai/codex",
    at_home=(".codex",),
    in_root=(".codex",),
    steps=(
        (
            "Start Codex here, trust the project, then run /hooks and trust each hook that calls"
            " intent-lsp: without that Codex skips it and says nothing."
        ),
    ),
)
COPILOT: Final = AgentHost(
    name="copilot",
    title="GitHub Copilot CLI",
    hooks=COPILOT_HOOKS,
    mcp=_SERVERS,
    programs=("copilot",),
    package="@github/copilot",
    at_home=(".copilot",),
    in_root=(".github/hooks",),
    steps=(
        "Trust this folder when Copilot asks: it loads a folder's hooks only then.",
        "The cloud agent reads .github/hooks from the default branch.",
        "Copilot also runs the hooks of .claude/settings.json; a call that comes twice is one.",
    ),
)
GEMINI: Final = AgentHost(
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
    at_home=(".gemini",),
    in_root=(".gemini",),
    steps=("Trust this folder in Gemini CLI: hooks of a folder run only then.",),
)
QWEN: Final = AgentHost(
    name="qwen",
    title="Qwen Code",
    hooks=HookFile(path=".qwen/settings.json"),
    mcp=McpFile(paths=(".qwen/settings.json",)),
    programs=("qwen",),
    package="@qwen-code/qwen-code",
    at_home=(".qwen",),
    in_root=(".qwen",),
    steps=("Trust this folder in Qwen Code, if folder trust is on there.",),
)
KIMI: Final = AgentHost(
    name="kimi",
    title="Kimi Code",
    hooks=HookFile(path=".kimi-code/config.toml", place=Place.HOME, shape=HookShape.TABLES),
    mcp=McpFile(paths=(".kimi-code/mcp.json",)),
    programs=("kimi",),
    package="@moonshot-ai/kimi-code",
    at_home=(".kimi-code",),
    in_root=(".kimi-code",),
    steps=(
        (
            "Kimi Code reads hooks from your home directory alone, so each colleague installs"
            " them; in projects without intents they do nothing."
        ),
    ),
)
CLINE: Final = AgentHost(
    name="cline",
    title="Cline",
    hooks=HookFile(
        path=".clinerules/hooks",
        shape=HookShape.SCRIPTS,
        tools=("PostToolUse",),
        events=("UserPromptSubmit", "TaskStart", "TaskCancel", "TaskComplete", "SessionShutdown"),
        # Its own limit is two minutes, and cannot be set.
        limit=None,
    ),
    mcp=None,
    programs=("cline",),
    package="cline",
    at_home=(".cline",),
    in_root=(".clinerules", ".cline"),
    steps=(
        "Switch hooks on in Cline's settings.",
        (
            "Cline keeps MCP servers in your home directory alone: add one named intent-lsp with"
            " the command `intent-lsp mcp` there."
        ),
    ),
)
OPENCODE: Final = AgentHost(
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
)
