"""The command `schema`: prints the JSON Schema of a file or of a record."""

from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.formats.schemas.json_schema import MODELS, schema_text


@command(
    argument("name NAME", "which schema: %(choices)s", choices=tuple(MODELS)),
    examples=("intent-lsp schema intents", "intent-lsp schema policy"),
    in_root=False,
)
def schema(call: Call) -> None:
    """Print the schema with the name that was given, as indented JSON.

    Print the JSON Schema of the intents file, of the team's policy or of a record of the ledger.
    With it, other editors and tools can check these files and complete what is typed. It describes
    the form in which the files are best written; `intent-lsp` reads other forms, too.
    """
    call.page.text(schema_text(call.options.name))
