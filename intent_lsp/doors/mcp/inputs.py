"""The arguments of the tools, as models from which their JSON schemas are made.

Invariant: an argument that a tool does not know is refused, since its caller expects an effect.
"""

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from intent_lsp.core.paths import path_of_uri
from intent_lsp.core.records import MutationClass

LONGEST_ID: Final = 256
LONGEST_TEXT: Final = 4096
LONGEST_GRANT: Final = 30 * 24 * 3600


def _plain_path(spelled: str) -> str:
    """Return the path that a `file:` URI stands for. Return every other text unchanged.

    Raise ValueError for a `file:` URI that names no path on this machine.
    """
    if not spelled.startswith("file:"):
        return spelled
    found = path_of_uri(spelled)
    if found is None:
        raise ValueError(
            f"{spelled!r} names no file on this machine: give a path, or a URI that begins with"
            " file:///"
        )
    return found


def _absolute_path(path: str) -> str:
    """Return an absolute path unchanged. Raise ValueError for every other."""
    if not path.startswith("/"):
        raise ValueError(f"{path!r} is not an absolute path")
    return path


Handle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_ID,
        description="Your session: the handle that select_active_intent returned to you.",
    ),
]
ShortText = Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
PlainText = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
FilePath = Annotated[
    str,
    Field(
        min_length=1,
        description="Absolute, or relative to the governed root. May also be a file: URI.",
    ),
    AfterValidator(_plain_path),
]
LastReadHash = Annotated[
    str | None,
    Field(
        description="SHA-256 of the file as you last read it (sha256:…); null if there was no"
        " file. Leave it out if you do not know it."
    ),
]
DeclaredClass = Annotated[
    MutationClass, Field(description="What kind of change it is, for the record.")
]
IntentIdText = Annotated[
    str, Field(min_length=1, max_length=LONGEST_ID, description="The id of an intent: INT-001.")
]


class ToolInput(BaseModel):
    """The arguments that every tool takes. `session` is None for a caller that has none yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    root: Annotated[
        Annotated[FilePath, AfterValidator(_absolute_path)] | None,
        Field(
            description="A directory of the project, absolute. Needed only if it is not the project"
            " of your session or of the server, and no other argument is an absolute path in it."
        ),
    ] = None
    session: Handle | None = None

    def place(self) -> str | None:
        """Return the path, absolute or relative, by which the root of the call may be found.

        This is the first file that the call names, else `root`, else None.
        """
        return self.root


class SessionInput(ToolInput):
    """The arguments of a tool that acts for a session."""

    session: Handle


class ListIntentsInput(ToolInput):
    """Arguments of `list_intents`."""


class SelectInput(ToolInput):
    """Arguments of `select_active_intent`."""

    intent_id: IntentIdText
    new_turn: Annotated[
        bool,
        Field(description="Whether the user has asked for something new since the last selection."),
    ] = False
    model: Annotated[
        ShortText | None, Field(description="Your model: it stands in the records of your edits.")
    ] = None
    conversation_url: Annotated[
        PlainText | None, Field(description="Where this conversation can be read, if anywhere.")
    ] = None


class ContextInput(SessionInput):
    """Arguments of `get_intent_context`."""

    intent_id: IntentIdText | None = None


class EditInput(SessionInput):
    """Arguments of both `check_edit` and `apply_edit`: intent, kind of change, id of the call."""

    intent_id: IntentIdText | None = None
    mutation_class: DeclaredClass | None = None
    tool_use_id: Annotated[
        ShortText | None,
        Field(
            description="The host's id of this call. Asking again with it gives the same answer."
        ),
    ] = None


class CheckEditInput(EditInput):
    """Arguments of `check_edit`."""

    tool_name: Annotated[
        ShortText, Field(description="The tool that you are going to use: Edit, Bash, …")
    ]
    path: FilePath | None = None
    paths: Annotated[list[FilePath], Field(max_length=10_000, description="Several paths.")] = []
    command: Annotated[
        str | None, Field(description="The whole shell command, if the tool runs one.")
    ] = None
    patch: Annotated[str | None, Field(description="The patch, if the tool applies one.")] = None
    new_text: Annotated[
        str | None, Field(description="The whole new text of the file, if you know it.")
    ] = None
    read_hash: LastReadHash = None
    read_hashes: Annotated[
        dict[FilePath, str | None],
        Field(description="For several paths: the SHA-256 of each as you last read it."),
    ] = {}

    def place(self) -> str | None:
        """Return the first path that the call names, else `root`, else None."""
        return next(iter([*filter(None, (self.path,)), *self.paths]), None) or self.root


class RecordEditInput(SessionInput):
    """Arguments of `record_edit`."""

    ticket: Annotated[ShortText, Field(description="The ticket that check_edit returned.")]
    success: Annotated[bool, Field(description="Whether the tool succeeded.")]
    error: Annotated[str | None, Field(description="Why it failed, if it did.")] = None


class ReplacementInput(BaseModel):
    """One replacement of text in a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    old_text: Annotated[
        str,
        Field(min_length=1, description="The text to replace, exactly as it stands in the file."),
    ]
    new_text: str
    replace_all: Annotated[
        bool,
        Field(
            description="Replace at every place; else old_text must stand in the file exactly once."
        ),
    ] = False


class FileEditInput(BaseModel):
    """The change to make to one file: a new text, a new path, or its deletion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: FilePath
    new_text: Annotated[str | None, Field(description="The whole new text.")] = None
    replacements: Annotated[
        list[ReplacementInput],
        Field(description="Replacements of parts, instead of new_text; made one after the other."),
    ] = []
    move_to: Annotated[FilePath | None, Field(description="The file's new path.")] = None
    delete: bool = False
    read_hash: LastReadHash = None


class ApplyEditInput(EditInput):
    """Arguments of `apply_edit`."""

    files: Annotated[
        list[FileEditInput],
        Field(
            min_length=1, max_length=10_000, description="The edits: all of them are made, or none."
        ),
    ]

    def place(self) -> str:
        """Return the path of the first file."""
        return self.files[0].path


class WriteInput(SessionInput):
    """Arguments of `write_to_file`."""

    path: FilePath
    content: Annotated[str, Field(description="The whole new text, from first to last line.")]
    intent_id: IntentIdText
    mutation_class: DeclaredClass
    read_hash: LastReadHash = None
    tool_use_id: ShortText | None = None

    def place(self) -> str:
        """Return the path of the file to write."""
        return self.path


class ExpansionInput(SessionInput):
    """Arguments of `request_scope_expansion`."""

    patterns: Annotated[
        list[PlainText],
        Field(min_length=1, max_length=100, description="Globs relative to the root: docs/**"),
    ]
    reason: Annotated[
        PlainText,
        Field(description="Why the intent needs these files; shown to the person who decides."),
    ]
    intent_id: IntentIdText | None = None
    ttl_seconds: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_GRANT,
            description="For how many seconds the intent gets them; left out: for good.",
        ),
    ] = None


class VerificationInput(SessionInput):
    """Arguments of `report_verification`."""

    command: Annotated[PlainText, Field(description="The test, lint or build command that ran.")]
    success: bool


class CompleteInput(SessionInput):
    """Arguments of `complete_intent`."""

    intent_id: IntentIdText | None = None


class WhoWroteInput(ToolInput):
    """Arguments of `who_wrote`."""

    path: FilePath
    start_line: Annotated[int, Field(ge=1, description="The first line, counted from 1.")] = 1
    end_line: Annotated[int | None, Field(ge=1, description="The last line, included.")] = None

    def place(self) -> str:
        """Return the path of the file that is asked about."""
        return self.path


class LedgerStatusInput(ToolInput):
    """Arguments of `ledger_status`."""

    verify: Annotated[
        bool, Field(description="Whether to check every hash of the ledger, which takes longer.")
    ] = False


def given_values(arguments: BaseModel) -> dict[str, Any]:
    """Return, as JSON values, the arguments that the caller gave, not those that it left out."""
    found: dict[str, Any] = arguments.model_dump(mode="json", exclude_unset=True)
    return found
