"""Reads the `edit` of `intent/applyEdit` as one change for each file (protocol section 2).

Invariant: a malformed edit raises WrongParamsError before anything is judged. An edit that does not
fit its text fails before anything is written.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec.structs import replace

from intent_lsp.core.agents.tools import FileChange, Rewrite
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import split_lines
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.findings import Position
from intent_lsp.core.text import spliced
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.read import file_named
from intent_lsp.formats.params.requests import WirePosition, WireRange

PlaceOf = Callable[[Sequence[str], WirePosition], Position]
"""A function that converts a client's position in lines of text into one in code points."""

_FILES_AT_MOST: Final = 10_000

_S = TypeVar("_S", bound=msgspec.Struct)


class _TextEdit(msgspec.Struct, rename="camel", frozen=True):
    range: WireRange
    new_text: str


class _Document(msgspec.Struct, frozen=True):
    uri: str
    version: int | None = None


class _DocumentEdit(msgspec.Struct, rename="camel", frozen=True):
    text_document: _Document
    edits: tuple[_TextEdit, ...]


class _Options(msgspec.Struct, rename="camel", frozen=True):
    overwrite: bool = False
    ignore_if_exists: bool = False
    ignore_if_not_exists: bool = False
    recursive: bool = False


class _Create(msgspec.Struct, rename="camel", frozen=True):
    uri: str
    options: _Options = _Options()


class _Rename(msgspec.Struct, rename="camel", frozen=True):
    old_uri: str
    new_uri: str
    options: _Options = _Options()


class _Changes(msgspec.Struct, rename="camel", frozen=True):
    changes: dict[str, tuple[_TextEdit, ...]] | None = None
    document_changes: Annotated[tuple[Any, ...], msgspec.Meta(max_length=_FILES_AT_MOST)] = ()


def whole_text(path: str, text: str) -> tuple[FileChange, ...]:
    """Return the one change that replaces the content of the file at `path` by `text`."""
    return (FileChange(path=path, rewrite=lambda _: text),)


def changes_of_edit(edit: object, place_of: PlaceOf) -> tuple[FileChange, ...]:
    """Return the changes in a WorkspaceEdit, one for each file, in the order of their last mention.

    `changes` of the edit is read only if it has no `documentChanges`. `place_of` converts the
    client's positions into positions in code points. Raise WrongParamsError if the edit is
    malformed or empty, or changes a file that it has deleted and not created again.
    """
    told = _converted(edit, _Changes, "edit")
    steps: Iterator[FileChange]
    if told.document_changes:
        steps = _steps(told.document_changes, place_of)
    else:
        named = (told.changes or {}).items()
        documents = (_DocumentEdit(_Document(uri), edits) for uri, edits in named)
        steps = (_edited(document, place_of, "edit.changes") for document in documents)
    files: dict[str, FileChange] = {}
    for step in steps:
        earlier = files.pop(step.source or step.path, None)
        done = step if earlier is None else _after(earlier, step)
        files[done.path] = done
    if not files:
        raise WrongParamsError("edit", "the edit changes nothing")
    return tuple(files.values())


def _steps(told: Sequence[object], place_of: PlaceOf) -> Iterator[FileChange]:
    for index, step in enumerate(told):
        field = f"edit.documentChanges[{index}]"
        kind = step.get("kind") if isinstance(step, dict) else None
        match kind:
            case None:
                yield _edited(_converted(step, _DocumentEdit, field), place_of, field)
            case "create":
                yield _created(_converted(step, _Create, field), field)
            case "delete":
                uri = _converted(step, _Create, field).uri
                yield FileChange(path=file_named(uri, field), effect=Effect.DELETE)
            case "rename":
                moved = _converted(step, _Rename, field)
                source = file_named(moved.old_uri, field)
                path = file_named(moved.new_uri, field)
                yield FileChange(path=path, effect=Effect.MOVE, source=source)
            case _:
                raise WrongParamsError(f"{field}.kind", f"{kind!r} is not create, rename or delete")


def _created(step: _Create, field: str) -> FileChange:
    def rewrite(text: str) -> str:
        if text and not step.options.overwrite:
            if step.options.ignore_if_exists:
                return text
            raise ValueError(f"{step.uri} exists already; set overwrite or ignoreIfExists")
        return ""

    path = file_named(step.uri, field)
    return FileChange(path=path, effect=Effect.CREATE, rewrite=rewrite)


def _edited(edit: _DocumentEdit, place_of: PlaceOf, field: str) -> FileChange:
    path = file_named(edit.text_document.uri, field)
    rewrite = _rewriting(edit.edits, place_of)
    return FileChange(path=path, rewrite=rewrite, version=edit.text_document.version)


def _rewriting(edits: Sequence[_TextEdit], place_of: PlaceOf) -> Rewrite:
    """Return a function that applies text edits to a text, and returns the new text.

    All ranges of the edits refer to the original text, as in LSP. `place_of` converts positions.
    The function raises ValueError if ranges overlap or end before they start, or if a line is
    outside of the text.
    """

    def rewrite(text: str) -> str:
        lines = split_lines(text)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))

        def offset(at: WirePosition) -> int:
            if at.line < 0 or at.character < 0 or at.line > len(lines):
                place = f"line {at.line + 1}, character {at.character + 1}"
                raise ValueError(f"{place} is outside of the text")
            found = place_of(lines, at)
            return starts[found.line] + found.character

        spans = sorted(
            ((offset(it.range.start), offset(it.range.end), it.new_text) for it in edits),
            key=lambda span: span[:2],
        )
        done = 0
        for start, end, _ in spans:
            if start < done or end < start:
                raise ValueError("two edits overlap, or an edit's range ends before it starts")
            done = end
        return spliced(text, spans)

    return rewrite


def _after(first: FileChange, second: FileChange) -> FileChange:
    """Return one change of a file that has the effect of `first` followed by `second`.

    Raise WrongParamsError if `first` deletes the file and `second` changes or moves it.
    """
    if second.effect is Effect.DELETE:
        # A file that is moved and then deleted is deleted at its old place.
        return second if first.source is None else replace(second, path=first.source)
    if first.effect is Effect.DELETE:
        return _made_anew(second)
    source = first.source or (first.path if second.source is not None else None)
    if first.effect is Effect.CREATE:
        source = None
    return replace(
        first,
        path=second.path,
        effect=Effect.MOVE if source is not None else first.effect,
        source=source,
        rewrite=_one_after_another(first.rewrite, second.rewrite),
    )


def _made_anew(change: FileChange) -> FileChange:
    """Return the change of a file that is deleted and then created again by `change`.

    Raise WrongParamsError if `change` does not create the file.
    """
    rewrite = change.rewrite
    if change.effect is not Effect.CREATE or rewrite is None:
        path = change.source or change.path
        raise WrongParamsError("edit", f"{path} is changed after it is deleted")
    return FileChange(path=change.path, rewrite=lambda _: rewrite(""))


def _one_after_another(first: Rewrite | None, second: Rewrite | None) -> Rewrite | None:
    if first is None or second is None:
        return first or second
    return lambda text: second(first(text))


def _converted(given: object, shape: type[_S], field: str) -> _S:
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as problem:
        raise WrongParamsError(field, str(problem)) from problem


KNOWN: Final = register_msgspec_types(_Changes, _DocumentEdit, _Create, _Rename)
