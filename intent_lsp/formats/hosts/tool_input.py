"""The tool call in a hook's payload: the files, the command and the patch that its input names.

Invariant: the field names of all hosts are read for every host, since hosts take over names of
others.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from intent_lsp.core.agents.tools import ToolCall, bare_name
from intent_lsp.core.records import MutationClass
from intent_lsp.formats.hosts.payload import Payload, WrongPayloadError

_PATH: Final = (
    *("file_path", "filePath", "path", "notebook_path", "target_file", "targetFile"),
    *("TargetFile", "AbsolutePath", "absolute_path", "filename", "file"),
)
_OTHER_PATHS: Final = (
    ("old_path", "oldPath", "source", "source_path", "sourcePath", "from"),
    ("new_path", "newPath", "destination", "destination_path", "destinationPath", "to"),
)
_LISTED: Final = ("files", "edits", "changes", "replacements")
_COMMAND: Final = ("command", "cmd", "CommandLine", "script", "commandLine", "command_line")
_PATCH: Final = ("patch", "patchText", "patch_text", "input", "command", "diff")
_WHOLE: Final = ("content", "contents", "file_text", "fileText", "CodeContent")
_PIECE: Final = ("new_string", "newString", "new_str", "newStr", "new_text", "newText")
_BACKGROUND: Final = ("run_in_background", "is_background", "isBackground", "background")
_ENVELOPE: Final = "*** Begin Patch"
_PATCHING: Final = frozenset({"apply_patch", "applypatch", "patch"})


def tool_call(tool_name: str, given: Payload, tool_use_id: str | None) -> ToolCall:
    """Return the call of a tool with the input `given`.

    `tool_use_id` is the host's id of the call, or None. Raise WrongPayloadError if the path, the
    list of paths, an item of a list of edits, the command or the id of the intent has a wrong type.
    """
    patch, whole = _patch(tool_name, given), _whole_text(given)
    return ToolCall(
        tool_name=tool_name,
        paths=tuple(dict.fromkeys(_paths(given))),
        command=None if patch is not None else _command(given),
        patch=patch,
        new_text=whole,
        intent_id=given.text(("intent_id", "intentId")) or None,
        mutation_class=_mutation_class(given),
        tool_use_id=tool_use_id,
        background=given.is_set(_BACKGROUND),
        pieces=() if whole is not None else tuple(_pieces(given)),
    )


def _paths(given: Payload) -> Iterator[str]:
    named = given.text(_PATH)
    if named:
        yield named
    for names in _OTHER_PATHS if named is None else ():
        _, other = given.find(names)
        if isinstance(other, str) and other:
            yield other
    yield from given.texts(("paths", "file_paths", "filePaths"))
    for name in _LISTED:
        yield from _listed(given, name)


def _listed(given: Payload, name: str) -> Iterator[str]:
    """Yield the path that each object in the list field `name` names, if it names one.

    A list `files` may also consist of texts: they are paths. Raise WrongPayloadError for any other
    list with an item that is not an object.
    """
    _, value = given.find((name,))
    if not isinstance(value, list) and not str(value).lstrip().startswith("["):
        return
    if name == "files":
        with suppress(WrongPayloadError):
            yield from given.texts((name,))
            return
    yield from filter(None, (part.text(_PATH) for part in given.parts((name,))))


def _command(given: Payload) -> str | None:
    _, value = given.find(_COMMAND)
    if isinstance(value, list):
        return shlex.join(given.texts(_COMMAND))
    if value is not None:
        return given.text(_COMMAND)
    several = given.texts(("commands",))
    return "\n".join(several) if several else None


def _patch(tool_name: str, given: Payload) -> str | None:
    named = bare_name(tool_name).lower() in _PATCHING
    for name in _PATCH:
        _, value = given.find((name,))
        if isinstance(value, str) and (named or value.lstrip().startswith(_ENVELOPE)):
            return value
    return None


def _whole_text(given: Payload) -> str | None:
    """Return the whole text that the file is to have afterwards, or None if the input has none."""
    _, whole = given.find(_WHOLE)
    if whole is None and given.find(("old_text", "oldText"))[1] is None:
        _, whole = given.find(("new_text", "newText"))
    return whole if isinstance(whole, str) else None


def _pieces(given: Payload) -> Iterator[str]:
    """Yield the replacement texts, such as `new_string`, in `given` and in its list `edits`."""
    _, edits = given.find(("edits",))
    for part in (given.fields, *(edits if isinstance(edits, list) else ())):
        _, text = Payload(part).find(_PIECE) if isinstance(part, Mapping) else ("", None)
        if isinstance(text, str):
            yield text


def _mutation_class(given: Payload) -> MutationClass | None:
    _, value = given.find(("mutation_class", "mutationClass"))
    return next((each for each in MutationClass if each.value == value), None)
