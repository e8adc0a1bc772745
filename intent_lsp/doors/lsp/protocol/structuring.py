"""Params of the standard's methods, structured strictly.

Invariant: a string, an integer or a boolean is never made of something else: cattrs would read
`"uri": null` as the text `None`.
Invariant: a refusal names the field as the client spelled it.
"""

import inspect
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from cattrs import Converter
from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    IterableValidationError,
    IterableValidationNote,
)
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.feature_manager import FeatureManager
from pygls.lsp.server import LanguageServer


def make_strict(converter: Converter) -> None:
    """Let `converter` refuse what it would otherwise convert to a primitive."""
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(bool, _boolean)


def is_request(method: str) -> bool:
    """Find out whether the standard has a request of this name."""
    return lsp.METHOD_TO_TYPES.get(method, (None, None))[1] is not None


def is_notification(method: str) -> bool:
    """Find out whether the standard has a notification of this name."""
    return method in lsp.METHOD_TO_TYPES and not is_request(method)


def structure_params(converter: Converter, method: str, params: object) -> Any:  # noqa: ANN401 - as many types as methods
    """Give the params of a standard method as lsprotocol's type, those of others as they are.

    Raises JsonRpcInvalidParams, which names the field.
    """
    if params is not None and not isinstance(params, dict | list):
        raise JsonRpcInvalidParams("params: expected an object or an array")
    if method not in lsp.METHOD_TO_TYPES:
        return params
    message_type, _, params_type, _ = lsp.METHOD_TO_TYPES[method]
    if params_type is None:
        return None
    if isinstance(params, list):
        raise JsonRpcInvalidParams("params: expected an object")
    _check_arguments(method, params)
    # Without params, those that must be there are missing; `initialized` needs none.
    message = {"id": 0, "jsonrpc": "2.0", "method": method, "params": params or {}}
    try:
        return converter.structure(message, message_type).params
    except Exception as error:
        # The converter's hooks for unions raise whatever they like at a wrong value.
        raise JsonRpcInvalidParams(describe(error)) from error


def structure_result(converter: Converter, method: str, result: object) -> Any:  # noqa: ANN401 - as many types as methods
    """Give a client's result as lsprotocol's type, that of an unknown method as it is.

    Raises an exception of any type where the result is of another type.
    """
    answer_type = lsp.METHOD_TO_TYPES.get(method, (None, None))[1]
    if answer_type is None:
        return result
    answer = {"id": 0, "jsonrpc": "2.0", "result": result}
    return converter.structure(answer, answer_type).result


def describe(error: BaseException) -> str:
    """Say in one line which field is wrong and why, from what the converter raised."""
    path = ""
    while isinstance(error, ClassValidationError | IterableValidationError):
        error = error.exceptions[0]
        path += _step(error)
    field = path.removeprefix(".") or "params"
    if isinstance(error, KeyError):
        return f"{field}: is missing"
    if isinstance(error, _WrongTypeError):
        return f"{field}: {error}"
    return f"{field}: is not valid"


class _WrongTypeError(TypeError):
    """What is expected, in words for the client."""


def _check_arguments(method: str, params: dict[str, Any] | None) -> None:
    # A string is a sequence to the converter: `"INT-001"` would arrive as its letters.
    if method == lsp.WORKSPACE_EXECUTE_COMMAND:
        arguments = (params or {}).get("arguments")
        if arguments is not None and not isinstance(arguments, list):
            raise JsonRpcInvalidParams("params.arguments: expected an array")


def _step(error: BaseException) -> str:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return "." + _spell(note.name)
        if isinstance(note, IterableValidationNote):
            return f"[{note.index}]"
    return ""


def _spell(attribute: str) -> str:
    """Give an attribute's name as the wire has it: `text_document` is `textDocument`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), attribute.rstrip("_"))


def _string(value: object, _: object) -> str:
    if isinstance(value, str):
        return value
    raise _WrongTypeError("expected a string")


def _integer(value: object, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # Some clients' JSON knows only floating numbers.
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    raise _WrongTypeError("expected an integer")


def _boolean(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    raise _WrongTypeError("expected a boolean")


def bind(
    features: FeatureManager, params: lsp.ExecuteCommandParams, server: LanguageServer
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Give a registered command and what to call it with, as JSON gave it.

    Raises JsonRpcInvalidParams for an unknown command, and for more or fewer arguments than it
    takes.
    """
    command = features.commands.get(params.command)
    if command is None:
        raise JsonRpcInvalidParams(f"params.command: {params.command[:100]!r} is not a command")
    args = tuple(params.arguments or ())
    # What pygls wraps to hand the server in keeps the command itself in `func`.
    bare = partial(command.func, server) if hasattr(command, "func") else command
    try:
        inspect.signature(bare).bind(*args)
    except TypeError as error:
        raise JsonRpcInvalidParams(f"params.arguments: {error}") from error
    return command, args
