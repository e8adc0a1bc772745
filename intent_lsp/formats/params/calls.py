"""Params of requests about an agent's tool call, and the call that they mean (protocol section 2).

Invariant: an error names the field that is wrong. A URI is percent-decoded once, a path never.
Invariant: edits that contradict each other raise WrongParamsError before anything is judged. A text
to be replaced that is not found, or found too often, raises ValueError before anything is written.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import msgspec

from intent_lsp.core.agents.tools import FileChange, Rewrite, ToolCall
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.edits import PlaceOf, changes_of_edit, whole_text
from intent_lsp.formats.params.read import file_named, hash_named
from intent_lsp.formats.params.requests import CommonParams, Id, PathParams

WRITE_TOOL: Final = "write_to_file"
"""The tool name assumed when an agent asks about a path without naming a tool."""

_FILES_AT_MOST: Final = 10_000

Paths = Annotated[tuple[str, ...], msgspec.Meta(max_length=_FILES_AT_MOST)]
Filled = Annotated[str, msgspec.Meta(min_length=1)]


class ToolCallParams(PathParams, kw_only=True, frozen=True):
    """Params of `intent/validateEdit`: a tool call that the gate is to judge.

    `read_hash` is the hash of the only path, `read_hashes` are hashes by path. A hash of None says
    that the agent believes the file absent. `background`: the agent's host runs the call while it
    starts others.
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
        """Return the paths that the params name: that of `uri` or else `path`, and then `paths`.

        Each path is there once; there may be none. Raise WrongParamsError if `uri` is not a `file:`
        URI.
        """
        single = self.path if self.uri is None else file_named(self.uri, "uri")
        return tuple(dict.fromkeys(self.paths if single is None else (single, *self.paths)))


class ApplyParams(ToolCallParams, kw_only=True, frozen=True):
    """Params of `intent/applyEdit`: `newText` for exactly one path, or `edit`, a WorkspaceEdit."""

    edit: Any = None

    def changes(self, place_of: PlaceOf) -> tuple[FileChange, ...]:
        """Return the change of each file.

        `place_of` converts the client's positions into positions in code points. Raise
        WrongParamsError unless the params have `newText` and exactly one path, or a valid `edit`
        without `newText` and paths.
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

        Raise WrongParamsError as `ToolCallParams.call` does.
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


class Replacement(msgspec.Struct, kw_only=True, frozen=True):
    """A text in a file, and the text that replaces it.

    `replace_all`: every occurrence is replaced. Without it, the text must occur exactly once.
    """

    old_text: Filled
    new_text: str
    replace_all: bool = False


class FileTextEdit(msgspec.Struct, kw_only=True, frozen=True):
    """What a call does to one file: change its text, move it to another path, both, or delete.

    `read_hash` is the SHA-256 of the content that the agent last read: None if it believes the file
    absent, UNSET if it does not say.
    """

    path: Filled
    new_text: str | None = None
    replacements: tuple[Replacement, ...] = ()
    move_to: Filled | None = None
    delete: bool = False
    read_hash: str | msgspec.UnsetType | None = msgspec.UNSET

    def change(self, field: str) -> FileChange:
        """Return the change of the file. `field` is the name of this edit in the params.

        Raise WrongParamsError, which names `field`, if there is no change or parts exclude each
        other.
        """
        rewrite = self._rewrite(field)
        if self.delete:
            if rewrite is not None or self.move_to is not None:
                raise WrongParamsError(field, "delete cannot be combined with another change")
            return FileChange(path=self.path, effect=Effect.DELETE)
        if self.move_to is not None:
            return FileChange(
                path=self.move_to, effect=Effect.MOVE, source=self.path, rewrite=rewrite
            )
        if rewrite is None:
            raise WrongParamsError(field, "needs new_text, replacements, move_to or delete")
        return FileChange(path=self.path, rewrite=rewrite)

    def _rewrite(self, field: str) -> Rewrite | None:
        text, replacements = self.new_text, self.replacements
        if text is not None:
            if replacements:
                raise WrongParamsError(field, "give new_text or replacements, not both")
            return lambda _: text
        if not replacements:
            return None
        return lambda old: _replaced(old, self.path, replacements)


class FileEditParams(CommonParams, kw_only=True, frozen=True):
    """Params of a tool call that edits files by their text, all of them or none."""

    tool_name: Id
    files: Annotated[
        tuple[FileTextEdit, ...], msgspec.Meta(min_length=1, max_length=_FILES_AT_MOST)
    ]
    intent_id: Id | None = None
    mutation_class: MutationClass | None = None
    tool_use_id: Id | None = None

    def changes(self) -> tuple[FileChange, ...]:
        """Return one change for each file.

        Raise WrongParamsError if one is wrong, or if a path is named twice.
        """
        changes = [file.change(f"files[{place}]") for place, file in enumerate(self.files)]
        seen: set[str] = set()
        for place, change in enumerate(changes):
            for path in {change.path, change.source or change.path}:
                if path in seen:
                    raise WrongParamsError(f"files[{place}]", f"{path!r} is named twice")
                seen.add(path)
        return tuple(changes)

    def call(self) -> ToolCall:
        """Return the tool call that the params describe. Raise WrongParamsError for a bad hash."""
        return ToolCall(
            tool_name=self.tool_name,
            paths=tuple(path for file in self.files for path in (file.path, file.move_to) if path),
            intent_id=self.intent_id,
            mutation_class=self.mutation_class,
            read_hashes={
                file.path: hash_named(file.read_hash, f"files[{place}].read_hash")
                for place, file in enumerate(self.files)
                if file.read_hash is not msgspec.UNSET
            },
            tool_use_id=self.tool_use_id,
        )


def _replaced(text: str, path: str, replacements: Sequence[Replacement]) -> str:
    """Return the text after all replacements, made one after the other.

    Raise ValueError, which names the file `path`, if a text is not there, or is there more than
    once without `replace_all`.
    """
    for place, each in enumerate(replacements):
        found, number = text.count(each.old_text), place + 1
        old_text = f"{path}: the old_text of replacement {number}"
        if not found:
            raise ValueError(f"{old_text} was not found; read the file again")
        if found > 1 and not each.replace_all:
            raise ValueError(
                f"{old_text} is in the file {found} times; add lines around it, or say replace_all"
            )
        text = text.replace(each.old_text, each.new_text)
    return text


KNOWN: Final = register_msgspec_types(
    ToolCallParams, ApplyParams, ExplainParams, RecordParams, ReadParams, FileEditParams
)
