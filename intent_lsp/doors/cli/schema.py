"""The command `schema`: prints the JSON Schema of a file or of a record.

Print the JSON Schema of the intents file, of the team's policy or of a record of the ledger. Other
editors and tools check and complete these files by it. It describes the form in which the files
are best written; `intent-lsp` reads others, too.
"""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.formats.schemas.json_schema import MODELS, schema_text


def answer(call: Call) -> None:
    """Print the schema with the name that was given, as indented JSON."""
    call.page.text(schema_text(call.options.name))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", choices=tuple(MODELS), help="which schema: %(choices)s"
    )


COMMAND: Final = Command(
    examples=("intent-lsp schema intents", "intent-lsp schema policy"),
    in_root=False,
    arguments=_arguments,
    answer=answer,
)
