"""Reads a JSON object into typed params, or raises an error that names the field.

Invariant: the names of the fields of the object itself, not of objects in it, are read in camelCase
and in snake_case. A `file:` URI is percent-decoded once.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from intent_lsp.core.content import ContentHash, parse_hash
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import is_file_name, path_of_uri
from intent_lsp.core.text import camel_case, whole

_OF_FILES: Final = frozenset(
    {"path", "paths", "uri", "workspaceUri", "changes", "readHashes", "command", "patch"}
)
"""Fields of params that may hold a file name, which need not be valid text."""

_PROSE: Final = frozenset({"error", "output", "reason"})
"""Fields of params that clients cut off anywhere, even within a character, which is accepted."""

_OTHER_NAMES: Final = {
    "filePath": "path",
    "originalHash": "readHash",
    "content": "newText",
    "newContent": "newText",
}

_S = TypeVar("_S", bound=msgspec.Struct)


def read_params(given: object, shape: type[_S]) -> _S:
    """Return a JSON object as params of the type `shape`. None and [] count as an empty object.

    The names of its fields may be in camelCase or snake_case; a few may be others, such as
    `content` for `newText`. Fields that the type does not have are ignored. Raise WrongParamsError,
    which names the field if there is one, if `given` is not an object or does not fit the type, is
    nested too deeply, or has a lone surrogate where only text may be.
    """
    if given is None or given == []:
        # Some client languages encode an empty object as an empty list.
        given = {}
    if not isinstance(given, Mapping):
        raise WrongParamsError("", f"expected an object, got {type(given).__name__}")
    named: dict[str, Any] = {_field(str(name)): value for name, value in given.items()}
    for field in shape.__struct_encode_fields__:
        try:
            _hold_to_text(named.get(field), field, field)
        except RecursionError as problem:
            raise WrongParamsError(field, "nested too deeply") from problem
    try:
        return msgspec.convert(named, shape)
    except msgspec.ValidationError as problem:
        said, _, place = str(problem).partition(" - at `$.")
        raise WrongParamsError(place.rstrip("`"), said) from problem


def file_named(uri: str, field: str) -> str:
    """Return the absolute path that a `file:` URI names.

    Raise WrongParamsError for the params field `field` if `uri` is not the `file:` URI of an
    absolute path on this machine.
    """
    path = path_of_uri(uri)
    if path is None:
        raise WrongParamsError(field, f"{uri!r} is not a file: URI of a path on this machine")
    return path


def hash_named(given: str | None, field: str) -> ContentHash | None:
    """Return the SHA-256 in `given`, whose prefix `sha256:` may be missing, or None for None.

    Raise WrongParamsError for the params field `field` if it is malformed.
    """
    found = None if given is None else parse_hash(given)
    if given is not None and found is None:
        raise WrongParamsError(field, f"{given!r} is not a SHA-256 hash of 64 hexadecimal digits")
    return found


def _hold_to_text(value: object, field: str, place: str) -> None:
    """Raise WrongParamsError if `value` has a lone surrogate where only text may be.

    JSON can encode a lone surrogate, but text cannot hold it. `field` is the name of the innermost
    field around `value`. Fields in `_OF_FILES` may have the surrogates of a file name, and those in
    `_PROSE` any. `place` is the full path of the field, for the message.
    """
    if isinstance(value, str) and not _is_text(value, field):
        raise WrongParamsError(
            place, "has half of a character (a lone surrogate), which is not valid text"
        )
    if isinstance(value, list):
        for number, item in enumerate(value):
            _hold_to_text(item, field, f"{place}[{number}]")
    if isinstance(value, Mapping):
        for name, item in value.items():
            # A key may be a file name, as in `readHashes` and in the changes of an edit.
            _hold_to_text(name, "path", place)
            _hold_to_text(item, str(name), f"{place}.{name}")


def _is_text(value: str, field: str) -> bool:
    if field in _OF_FILES:
        return is_file_name(value)
    return field in _PROSE or whole(value) == value


def _field(name: str) -> str:
    spelled = camel_case(name)
    return _OTHER_NAMES.get(spelled, spelled)
