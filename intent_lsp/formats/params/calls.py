"""Params of requests about an agent's tool call, and the call that they mean (protocol section 2).

Invariant: an error names the field that is wrong. A URI is percent-decoded once, a path never.
"""

from typing import Annotated, Any, Final

import msgspec

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.edits import PlaceOf, changes_of_edit, whole_text
from intent_lsp.formats.params.read import file_named, hash_named
from intent_lsp.formats.params.requests import Id, PathParams

WRITE_TOOL: Final = "write_to_file"
"""The tool name assumed when an agent asks about a path without naming a tool."""

Paths = Annotated[tuple[str, ...], msgspec.Meta(max_length=10_000)]


class ToolCallParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/validateEdit`: a tool call that the gate is to judge.

    `read_hash` is for the only path, `read_hashes` by path; None says that the agent believes the
    file absent. `background`: the agent's host runs the call while it starts others.
    """

    tool_name: Id
    paths: Paths = ()
    command: str | None = None
    patch: str | None = None
    new_text: str | None = None
    intent_id: Id | None = None
    mutation_class: MutationClass | None = None
    read_hash: str | msgspec.UnsetType | None = msgspec.UNSET
    read_hashes: dict[str, str | None] = msgspec.field(default_factory=dict)
    tool_use_id: Id | None = None
    background: bool = False

    def call(self) -> ToolCall:
        """Return the tool call that the params describe.

        Raise WrongParamsError for a malformed hash, a `uri` that is not a `file:` URI, and a
        `readHash` without exactly one path.
        """
        paths = self.named()
        hashes = {
            name: hash_named(given, f"readHashes.{name}")
            for name, given in self.read_hashes.items()
        }
        if self.read_hash is not msgspec.UNSET:
            if len(paths) != 1:
                raise WrongParamsError(
                    "readHash", "is for exactly one path; for several use readHashes"
                )
            hashes.setdefault(paths[0], hash_named(self.read_hash, "readHash"))
        return ToolCall(
            tool_name=self.tool_name,
            paths=paths,
            command=self.command,
            patch=self.patch,
            new_text=self.new_text,
            intent_id=self.intent_id,
            mutation_class=self.mutation_class,
            read_hashes=hashes,
            tool_use_id=self.tool_use_id,
            background=self.background,
        )

    def named(self) -> tuple[str, ...]:
        """Return the path in `uri`, else `path`, then those in `paths`, each once; perhaps none.

        Raise WrongParamsError if `uri` is not a `file:` URI.
        """
        single = self.path if self.uri is None else file_named(self.uri, "uri")
        return tuple(dict.fromkeys(self.paths if single is None else (single, *self.paths)))


class ApplyParams(ToolCallParams, kw_only=True, frozen=True):
    """Params of `intent/applyEdit`: `newText` for exactly one path, or `edit`, a WorkspaceEdit."""

    edit: Any = None

    def changes(self, place_of: PlaceOf) -> tuple[FileChange, ...]:
        """Return the change of each file.

        `place_of` converts the client's positions into positions in code points. Raise
        WrongParamsError unless the params have `newText` and exactly one path, or `edit` without
        `newText` and paths; and if `changes_of_edit` raises it.
        """
        paths = self.named()
        if self.edit is not None:
            if paths or self.new_text is not None:
                raise WrongParamsError(
                    "edit", "cannot be combined with newText, path, uri or paths"
                )
            return changes_of_edit(self.edit, place_of)
        if self.new_text is None:
            raise WrongParamsError("newText", "is missing; give newText or edit")
        if len(paths) != 1:
            raise WrongParamsError("path", "newText needs exactly one path")
        return whole_text(paths[0], self.new_text)


class ExplainParams(ToolCallParams, kw_only=True, frozen=True):
    """Params of `intent/explain`: a tool call to explain, or a path alone."""

    tool_name: Id | None = None  # type: ignore[assignment] # a path alone names no tool

    def call(self) -> ToolCall:
        """Return the tool call that the params describe. Without a tool name, it is WRITE_TOOL's.

        Raise WrongParamsError as for a call with a tool name.
        """
        tool_name = self.tool_name or WRITE_TOOL
        return super(ExplainParams, msgspec.structs.replace(self, tool_name=tool_name)).call()


class RecordParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/recordEdit`: the ticket of a call that has ended, and how it ended."""

    ticket: Id
    success: bool
    error: str | None = None

    def failure(self) -> str | None:
        """Return why the call failed, or None if it succeeded.

        The reason is in the caller's words, or `it failed` if the caller gave none.
        """
        return None if self.success else self.error or "it failed"


class ReadParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/recordRead`: a file that the agent has read, and its hash if known."""

    hash: str | None = None

    def hash_read(self) -> ContentHash | None:
        """Return the hash of the content that was read, or None if the params have no hash.

        Raise WrongParamsError if it is malformed.
        """
        return hash_named(self.hash, "hash")


KNOWN: Final = register_msgspec_types(
    ToolCallParams, ApplyParams, ExplainParams, RecordParams, ReadParams
)
