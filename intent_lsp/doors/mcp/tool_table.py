"""The table of the tools: names, descriptions, models of arguments and results, and handlers."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import mcp_types as types
from msgspec import Struct
from pydantic import BaseModel

from intent_lsp.doors.mcp import edit_tools, inputs, intent_tools, outputs
from intent_lsp.doors.mcp.tool_request import Respond

READS: Final = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
NOTES: Final = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
"""Changes what the project remembers, adds nothing when it is repeated, and overwrites no file."""

ADDS: Final = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
WRITES: Final = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


class ToolEntry(Struct, frozen=True, kw_only=True):
    """One tool. `input` and `output` are the models of its arguments and its structured result.

    `respond` is the function that answers a call of the tool. The function has the tool's name.
    """

    title: str
    description: str
    input: type[inputs.ToolInput]
    output: type[outputs.ToolOutput]
    annotations: types.ToolAnnotations
    respond: Respond

    @property
    def name(self) -> str:
        """The name under which clients call the tool."""
        return self.respond.__name__

    def listed(self) -> types.Tool:
        """Return the tool as clients see it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_of(self.input, "validation"),
            output_schema=schema_of(self.output, "serialization"),
            annotations=self.annotations,
        )


def schema_of(model: type[BaseModel], mode: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's
    """Return the JSON schema of a model, without references: some clients do not follow them.

    `mode` is pydantic's: "validation" for arguments, "serialization" for results.
    """
    schema = model.model_json_schema(by_alias=True, mode=mode)
    parts = schema.pop("$defs", {})
    found: dict[str, Any] = _inlined(schema, parts)
    return found


TOOLS: Final[Sequence[ToolEntry]] = (
    ToolEntry(
        title="List intents",
        description="List the intents of the project: id, name, status, and the files that each"
        " may change (ownedScope).",
        input=inputs.ListIntentsInput,
        output=outputs.ListIntentsOutput,
        annotations=READS,
        respond=intent_tools.list_intents,
    ),
    ToolEntry(
        title="Select an intent",
        description="Select the intent that you work for, before you change any file. Returns its"
        " context and `session`, which later calls need. Call it again with that session to"
        " change the intent, or with new_turn when the user asks for something new.",
        input=inputs.SelectInput,
        output=outputs.SelectOutput,
        annotations=NOTES,
        respond=intent_tools.select_active_intent,
    ),
    ToolEntry(
        title="Read an intent's context",
        description="Read scope, constraints, acceptance criteria, related files and the newest"
        " records of an intent: without intent_id, of the intent that you have selected.",
        input=inputs.ContextInput,
        output=outputs.ContextOutput,
        annotations=READS,
        respond=intent_tools.get_intent_context,
    ),
    ToolEntry(
        title="Check an edit",
        description="Ask whether a tool call may change files, before you make it with a tool of"
        " your own. If it is allowed, make it and call record_edit with the ticket. If not, do not"
        " make it: the error says why, and what to do.",
        input=inputs.CheckEditInput,
        output=outputs.DecisionOutput,
        annotations=ADDS,
        respond=edit_tools.check_edit,
    ),
    ToolEntry(
        title="Record an edit",
        description="Record what a call that check_edit allowed has changed. If `violations` is"
        " not empty, undo them as their messages say.",
        input=inputs.RecordEditInput,
        output=outputs.RecordedOutput,
        annotations=NOTES,
        respond=edit_tools.record_edit,
    ),
    ToolEntry(
        title="Edit files",
        description="Edit, move or delete files: judged, made and recorded in one step, all of"
        " them or none. Give the hash of each file as you last read it (read_hash), so that"
        " nobody's work is overwritten.",
        input=inputs.ApplyEditInput,
        output=outputs.AppliedOutput,
        annotations=WRITES,
        respond=edit_tools.apply_edit,
    ),
    ToolEntry(
        title="Write a file",
        description="Write the whole text of a file for an intent: judged, written and recorded"
        " in one step. The call names the intent and the kind of change.",
        input=inputs.WriteInput,
        output=outputs.AppliedOutput,
        annotations=WRITES,
        respond=edit_tools.write_to_file,
    ),
    ToolEntry(
        title="Request more scope",
        description="Ask a person to let an intent own more files. If `approved` is false,"
        " `feedback` says why; do not change those files then.",
        input=inputs.ExpansionInput,
        output=outputs.ExpansionOutput,
        annotations=ADDS,
        respond=intent_tools.request_scope_expansion,
    ),
    ToolEntry(
        title="Report a verification",
        description="Report how a test, lint or build command ended. If check_edit allowed it, what"
        " it changed is recorded. A failure becomes a lesson for later sessions.",
        input=inputs.VerificationInput,
        output=outputs.VerificationOutput,
        annotations=ADDS,
        respond=intent_tools.report_verification,
    ),
    ToolEntry(
        title="Complete an intent",
        description="Set an intent COMPLETED, once its acceptance criteria are met; without"
        " intent_id, the one that you have selected. Nothing can be changed for it afterwards.",
        input=inputs.CompleteInput,
        output=outputs.CompleteOutput,
        annotations=ADDS,
        respond=intent_tools.complete_intent,
    ),
    ToolEntry(
        title="Who wrote these lines",
        description="Show for each line of a file which record, intent and author it comes from,"
        " and how sure that is.",
        input=inputs.WhoWroteInput,
        output=outputs.WhoWroteOutput,
        annotations=READS,
        respond=edit_tools.who_wrote,
    ),
    ToolEntry(
        title="Status of the ledger",
        description="Show whether the project is governed, how many records its ledger has and"
        " what your session has selected; with verify also whether every hash is right.",
        input=inputs.LedgerStatusInput,
        output=outputs.LedgerStatusOutput,
        annotations=READS,
        respond=edit_tools.ledger_status,
    ),
)

BY_NAME: Final[Mapping[str, ToolEntry]] = MappingProxyType({tool.name: tool for tool in TOOLS})


def _inlined(node: Any, parts: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a JSON value
    """Return a schema in which each reference is replaced by the part of `parts` that it names."""
    if isinstance(node, list):
        return [_inlined(item, parts) for item in node]
    if not isinstance(node, dict):
        return node
    rest = {key: _inlined(value, parts) for key, value in node.items() if key != "$ref"}
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return rest
    return _inlined(parts[reference.rpartition("/")[2]], parts) | rest
