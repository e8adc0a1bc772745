"""The MCP prompt `work_by_intent`: how an agent works by intents, and for which intent."""

from typing import Any, Final

import mcp_types as types
from mcp.server.context import ServerRequestContext

from intent_lsp.core.text import whole
from intent_lsp.doors.mcp.answers import invalid_params
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.doors.mcp.tool_request import in_thread
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal

HANDSHAKE: Final = "work_by_intent"

INSTRUCTIONS: Final = (
    "This project is governed by intents: pieces of work that own files. Before you change a file,"
    " call list_intents and then select_active_intent; keep the `session` that it returns and give"
    " it to every later call. Read a file before you change it. Change files with apply_edit or"
    " write_to_file; where you use a tool of your own, call check_edit before and record_edit"
    " after. Stay within the intent's ownedScope; for more, call request_scope_expansion and wait"
    " for its answer. A refusal says what to do: do that, and do not look for another way. Report"
    " tests with report_verification, and call complete_intent when the acceptance criteria are"
    " met."
)

_PROMPT: Final = types.Prompt(
    name=HANDSHAKE,
    title="Work by intent",
    description="How to work in this project: an intent first, read before write, ask for scope.",
    arguments=[
        types.PromptArgument(
            name="intent_id", description="The intent to work for; without it, all are listed."
        ),
        types.PromptArgument(name="root", description="An absolute path in the project."),
    ],
)


class McpPrompts:
    """Lists and fills in the one prompt, for any of the roots that a server answers for."""

    def __init__(self, roots: McpRoots) -> None:
        self._roots = roots

    async def list_prompts(
        self, _context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Answer `prompts/list`: the one prompt."""
        return types.ListPromptsResult(prompts=[_PROMPT])

    async def get_prompt(
        self, _context: ServerRequestContext[Any, Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Answer `prompts/get`: instructions, and the context of the intent that is asked for.

        Without an intent, the open ones are listed, or the answer says why governance is off. Raise
        MCPError for an unknown prompt or intent, and where `McpRoots.governing` raises it.
        """
        if params.name != HANDSHAKE:
            raise invalid_params(f"There is no prompt {params.name[:80]!r}; there is {HANDSHAKE}")
        text = await in_thread(self._text, dict(params.arguments or {}))
        content = types.TextContent(type="text", text=whole(text))
        message = types.PromptMessage(role="user", content=content)
        return types.GetPromptResult(description=_PROMPT.description, messages=[message])

    def _text(self, arguments: dict[str, str]) -> str:
        governance = self._roots.governing(arguments.get("root") or None)
        wanted = arguments.get("intent_id")
        work = _listed(governance) if not wanted else _chosen(governance, wanted)
        return f"{INSTRUCTIONS}\n\n{work}"


def _listed(governance: Governance) -> str:
    rules = governance.rules.current()
    if not rules.governed:
        return (
            f"No intent can be selected, because governance is off: {rules.reason}\n"
            "Ask a person to fix that."
        )
    lines = [
        f"- {intent.id} {intent.name} ({intent.status.value}): {', '.join(intent.owned_scope)}"
        for intent in governance.open_intents()
    ]
    if not lines:
        return "There is no open intent. Ask a person to add one: `intent-lsp intents add`."
    return "\n".join(["The open intents:", *lines])


def _chosen(governance: Governance, wanted: str) -> str:
    found = governance.checkout.context(wanted)
    if isinstance(found, CheckoutRefusal):
        raise invalid_params(found.message)
    return f"Work for this intent. Select it first.\n\n{found.text}"
