"""Reads edits that name text instead of positions, as agents write them, as changes of files.

Invariant: edits that contradict each other raise WrongParamsError before anything is judged. A text
that is not found, or found too often, raises ValueError before anything is written.
"""

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from intent_lsp.core.agents.tools import FileChange, Rewrite, ToolCall
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.read import hash_named
from intent_lsp.formats.params.requests import CommonParams, Id

_FILES_AT_MOST: Final = 10_000

Filled = Annotated[str, msgspec.Meta(min_length=1)]


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
            paths=tuple(path for file in self.files for path in _named(file)),
            intent_id=self.intent_id,
            mutation_class=self.mutation_class,
            read_hashes={
                file.path: hash_named(file.read_hash, f"files[{place}].read_hash")
                for place, file in enumerate(self.files)
                if file.read_hash is not msgspec.UNSET
            },
            tool_use_id=self.tool_use_id,
        )


def _named(file: FileTextEdit) -> tuple[str, ...]:
    return (file.path,) if file.move_to is None else (file.path, file.move_to)


def _replaced(text: str, path: str, replacements: Sequence[Replacement]) -> str:
    """Return the text after all replacements, made one after the other.

    Raise ValueError, which names the file `path`, if a text is not there, or is there more than
    once without `replace_all`.
    """
    for place, each in enumerate(replacements):
        found, number = text.count(each.old_text), place + 1
        old_text = f"{path}: the text of replacement {number}"
        if not found:
            raise ValueError(f"{old_text} was not found; read the file again")
        if found > 1 and not each.replace_all:
            raise ValueError(
                f"{old_text} is in the file {found} times; add lines around it, or say replace_all"
            )
        text = text.replace(each.old_text, each.new_text)
    return text


KNOWN: Final = register_msgspec_types(FileEditParams)
