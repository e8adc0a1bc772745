"""What a client can read without a tool: intents and records as resources, and the prompt.

Invariant: a resource is JSON, with intents and records as requests return them (protocol section
2).
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from intent_lsp.core.errors import IntentLspError, WrongParamsError
from intent_lsp.core.text import whole
from intent_lsp.doors.mcp.answers import invalid_params
from intent_lsp.doors.mcp.mcp_roots import McpRoots
from intent_lsp.doors.mcp.tool_request import in_thread
from intent_lsp.formats.ledger.jsonl import to_wire
from intent_lsp.formats.params.requests import read_cursor
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import (
    CheckoutRefusal,
    Selection,
    intents_json,
    selection_json,
)
from intent_lsp.store.ledger.index.queries import Query

SCHEME: Final = "intent-lsp"
INTENTS: Final = f"{SCHEME}://intents"
RECORDS: Final = f"{SCHEME}://records"
_JSON: Final = "application/json"
_PAGE: Final = 100
_NEWEST: Final = 100

_FAMILIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "intents": "the intents of the project",
        "records": "the newest records of the project's ledger",
    }
)

TEMPLATES: Final = (
    types.ResourceTemplate(
        name="intent",
        uri_template=f"{INTENTS}/{{id}}{{?root}}",
        description="One intent with its context. root: an absolute path in the project.",
        mime_type=_JSON,
    ),
    types.ResourceTemplate(
        name="record",
        uri_template=f"{RECORDS}/{{id}}{{?root}}",
        description="One record of the ledger, verbatim. root: an absolute path in the project.",
        mime_type=_JSON,
    ),
)

PROMPT_NAME: Final = "work_by_intent"

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
    name=PROMPT_NAME,
    title="Work by intent",
    description="How to work in this project: an intent first, read before write, ask for scope.",
    arguments=[
        types.PromptArgument(
            name="intent_id", description="The intent to work for; without it, all are listed."
        ),
        types.PromptArgument(name="root", description="An absolute path in the project."),
    ],
)


class McpResources:
    """Lists and reads resources, and the prompt, for the roots that a server answers for."""

    def __init__(self, roots: McpRoots) -> None:
        self._roots = roots

    async def list_resources(
        self, _context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer `resources/list`: the list of intents, the list of records, then each intent.

        The intents are those of the root that governs the server's start directory; if none does,
        only the two lists are in the answer. At most 100 resources are in a page. Raise MCPError
        for a cursor that is not a number.
        """
        cursor = "0" if params is None or params.cursor is None else params.cursor
        try:
            begin = read_cursor(cursor)
        except WrongParamsError as wrong:
            raise invalid_params(wrong.problem) from wrong
        found = await in_thread(self._resources)
        end = begin + _PAGE
        more = str(end) if end < len(found) else None
        return types.ListResourcesResult(resources=found[begin:end], next_cursor=more)

    async def list_templates(
        self, _context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer `resources/templates/list`."""
        return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))

    async def read_resource(
        self, _context: ServerRequestContext[Any, Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer `resources/read`.

        Raise MCPError if the resource does not exist or cannot be read.
        """
        try:
            found = await in_thread(self._read, params.uri)
        except IntentLspError as problem:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(problem)) from problem
        text = whole(json.dumps(found, ensure_ascii=False, indent=1))
        contents = types.TextResourceContents(uri=params.uri, mime_type=_JSON, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(
        self, _context: ServerRequestContext[Any, Any], _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Answer `prompts/list`: the one prompt."""
        return types.ListPromptsResult(prompts=[_PROMPT])

    async def get_prompt(
        self, _context: ServerRequestContext[Any, Any], params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """Answer `prompts/get`: instructions, and the context of the intent that is asked for.

        If no intent is asked for, the answer lists the open intents, or says why governance is off.
        Raise MCPError for an unknown prompt or intent, or if no root is found.
        """
        if params.name != PROMPT_NAME:
            raise invalid_params(f"There is no prompt {params.name[:80]!r}; there is {PROMPT_NAME}")
        text = await in_thread(self._prompt_text, dict(params.arguments or {}))
        content = types.TextContent(type="text", text=whole(text))
        message = types.PromptMessage(role="user", content=content)
        return types.GetPromptResult(description=_PROMPT.description, messages=[message])

    def _resources(self) -> list[types.Resource]:
        found = [
            types.Resource(uri=f"{SCHEME}://{name}", name=name, description=about, mime_type=_JSON)
            for name, about in _FAMILIES.items()
        ]
        governance = self._roots.of_directory(None)
        if governance is None:
            return found
        return found + [
            types.Resource(
                uri=f"{INTENTS}/{quote(whole(intent.id), safe='')}",
                name=whole(intent.id),
                title=whole(intent.name) or None,
                description=f"intent, {intent.status.value}",
                mime_type=_JSON,
            )
            for intent in governance.rules.current().file.intents
        ]

    def _read(self, uri: str) -> object:
        """Return the JSON value of a resource.

        It has all intents, one intent, the newest records, or one record. Raise MCPError for a
        resource that does not exist, or if no root is found.
        """
        parts = urlsplit(uri)
        if parts.scheme != SCHEME or parts.netloc not in _FAMILIES:
            raise invalid_params(
                f"There is no resource {uri[:200]}; there are {INTENTS} and {RECORDS}"
            )
        directory = parse_qs(parts.query).get("root", [None])[0]
        governance = self._roots.governing(directory)
        name = unquote(parts.path.removeprefix("/"))
        if parts.netloc == "intents":
            return selection_json(_selection(governance, name)) if name else _intents(governance)
        return _record(governance, name) if name else _records(governance)

    def _prompt_text(self, arguments: dict[str, str]) -> str:
        governance = self._roots.governing(arguments.get("root") or None)
        wanted = arguments.get("intent_id")
        if not wanted:
            return f"{INSTRUCTIONS}\n\n{_open_intents(governance)}"
        selection = _selection(governance, wanted)
        return f"{INSTRUCTIONS}\n\nWork for this intent. Select it first.\n\n{selection.text}"


def _intents(governance: Governance) -> object:
    rules = governance.rules.current()
    return {"enabled": rules.governed, "intents": intents_json(rules)}


def _selection(governance: Governance, name: str) -> Selection:
    found = governance.checkout.context(name)
    if isinstance(found, CheckoutRefusal):
        raise invalid_params(found.message)
    return found


def _records(governance: Governance) -> object:
    page = governance.tracing.page(Query(), limit=_NEWEST)
    return {"records": [to_wire(record) for record in page.records]}


def _record(governance: Governance, name: str) -> object:
    found = governance.tracing.ledger.index.find(name)
    if found is None:
        raise invalid_params(f"There is no record {name[:80]}; {RECORDS} lists the newest")
    return to_wire(found)


def _open_intents(governance: Governance) -> str:
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
