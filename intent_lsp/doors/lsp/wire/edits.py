"""Reads the `edit` of `intent/applyEdit` as one change for each file (protocol section 2).

Invariant: a malformed edit raises InvalidParams before anything is judged. An edit that does not
fit its text fails before anything is written.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypeVar

import msgspec

from intent_lsp.core.agents.file_changes import FileChange, Rewrite
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.protocol.positions import ClientPosition, PositionEncoding, from_client
from intent_lsp.doors.lsp.wire.common import WireRange
from intent_lsp.doors.lsp.wire.params import invalid
from intent_lsp.formats.msgspec_types import register_msgspec_types

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedChange:
    """The change of one file, and the document version it was made for, or None."""

    change: FileChange
    version: int | None = None


def whole_text(path: str, text: str) -> tuple[WantedChange, ...]:
    """Return the change that replaces a file's content by `text`."""
    return (WantedChange(change=FileChange(path=path, rewrite=lambda _: text)),)


def wanted_changes(edit: object, encoding: PositionEncoding) -> tuple[WantedChange, ...]:
    """Return the changes in a WorkspaceEdit, one for each file, in order of last mention.

    Raise InvalidParams if the edit is malformed or empty.
    """
    told = _converted(edit, _Changes, "edit")
    steps: Iterator[WantedChange]
    if told.document_changes:
        steps = _steps(told.document_changes, encoding)
    else:
        named = (told.changes or {}).items()
        steps = (_edited(uri, None, edits, encoding, "edit.changes") for uri, edits in named)
    files: dict[str, WantedChange] = {}
    for step in steps:
        earlier = files.pop(step.change.source or step.change.path, None)
        done = step if earlier is None else _after(earlier, step)
        files[done.change.path] = done
    if not files:
        raise invalid("params.edit: it changes nothing")
    return tuple(files.values())


def _steps(told: Sequence[object], encoding: PositionEncoding) -> Iterator[WantedChange]:
    for index, step in enumerate(told):
        field = f"edit.documentChanges[{index}]"
        kind = step.get("kind") if isinstance(step, dict) else None
        match kind:
            case None:
                document = _converted(step, _DocumentEdit, field)
                where = document.text_document
                yield _edited(where.uri, where.version, document.edits, encoding, field)
            case "create":
                yield _created(_converted(step, _Create, field), field)
            case "delete":
                uri = _converted(step, _Create, field).uri
                yield _wanted(_path(uri, field), Effect.DELETE)
            case "rename":
                moved = _converted(step, _Rename, field)
                source = _path(moved.old_uri, field)
                yield _wanted(_path(moved.new_uri, field), Effect.MOVE, source=source)
            case _:
                raise invalid(f"params.{field}.kind: {kind!r} is not create, rename or delete")


def _created(step: _Create, field: str) -> WantedChange:
    def rewrite(text: str) -> str:
        if text and not step.options.overwrite:
            if step.options.ignore_if_exists:
                return text
            raise ValueError(f"there is already {step.uri}")
        return ""

    return _wanted(_path(step.uri, field), Effect.CREATE, rewrite=rewrite)


def _edited(
    uri: str,
    version: int | None,
    edits: Sequence[_TextEdit],
    encoding: PositionEncoding,
    field: str,
) -> WantedChange:
    change = FileChange(path=_path(uri, field), rewrite=_rewriting(edits, encoding))
    return WantedChange(change=change, version=version)


def _rewriting(edits: Sequence[_TextEdit], encoding: PositionEncoding) -> Rewrite:
    """Return a function that applies edits.

    All their ranges refer to the original text, as in LSP.
    """

    def rewrite(text: str) -> str:
        lines = split_lines(text)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))

        def offset(line: int, character: int) -> int:
            if line < 0 or character < 0 or line > len(lines):
                raise ValueError(f"line {line + 1} is outside of the text")
            place = from_client(lines, ClientPosition(line, character), encoding)
            return starts[place.line] + place.character

        spans = sorted(
            (
                (
                    offset(it.range.start.line, it.range.start.character),
                    offset(it.range.end.line, it.range.end.character),
                    it.new_text,
                )
                for it in edits
            ),
            key=lambda span: span[:2],
        )
        return _spliced(text, spans)

    return rewrite


def _spliced(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, new in spans:
        if start < done or end < start:
            raise ValueError("the edits overlap")
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))


def _after(earlier: WantedChange, step: WantedChange) -> WantedChange:
    """Return one change that does what `earlier` does and then `step`, on the same file."""
    first, second = earlier.change, step.change
    if second.effect is Effect.DELETE:
        # A file that is moved and then deleted is deleted at its old place.
        return step if first.source is None else _wanted(first.source, Effect.DELETE)
    if first.effect is Effect.DELETE:
        return _made_anew(step)
    source = first.source or (first.path if second.source is not None else None)
    if first.effect is Effect.CREATE:
        source = None
    effect = Effect.MOVE if source is not None else first.effect
    joined = FileChange(
        path=second.path,
        effect=effect,
        source=source,
        rewrite=_one_after_another(first.rewrite, second.rewrite),
    )
    return replace(earlier, change=joined)


def _made_anew(step: WantedChange) -> WantedChange:
    """Return the change of a file that is deleted and created again."""
    change = step.change
    rewrite = change.rewrite
    if change.effect is not Effect.CREATE or rewrite is None:
        raise invalid(f"params.edit: {change.source or change.path} changes after it is deleted")
    return _wanted(change.path, Effect.WRITE, rewrite=lambda _: rewrite(""))


def _one_after_another(first: Rewrite | None, second: Rewrite | None) -> Rewrite | None:
    if first is None or second is None:
        return first or second
    return lambda text: second(first(text))


def _wanted(
    path: str, effect: Effect, *, source: str | None = None, rewrite: Rewrite | None = None
) -> WantedChange:
    return WantedChange(change=FileChange(path=path, effect=effect, source=source, rewrite=rewrite))


def _path(uri: str, field: str) -> str:
    path = path_of_uri(uri)
    if path is None:
        raise invalid(f"params.{field}: {uri!r} is not a file: URI")
    return path


def _converted(given: object, shape: type[_S], field: str) -> _S:
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as problem:
        raise invalid(f"params.{field}: {problem}") from problem


KNOWN: Final = register_msgspec_types(_Changes, _DocumentEdit, _Create, _Rename)
