"""Strict conversion of the params and results of LSP's methods to lsprotocol's types.

Diagnostics may have a message in Markdown, which LSP 3.18 has and lsprotocol has not yet.

Invariant: a value of another type is never converted to a string, an integer or a boolean, except
a float without a fraction to an integer. cattrs alone would read `"uri": null` as the text `None`.
Invariant: `describe`, and so the message for wrong params, names the field as the client wrote it.
Invariant: only a client that declares `markupMessageSupport` is sent Markdown in messages, and may
send it back.
"""

import inspect
import math
import re
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any

import attrs
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


@attrs.define
class MarkupDiagnosticCapabilities(lsp.DiagnosticClientCapabilities):
    """Capabilities for pulled diagnostics, with whether a message may be Markdown."""

    markup_message_support: bool | None = attrs.field(default=None)


@attrs.define(kw_only=True)
class MarkupDiagnostic(lsp.Diagnostic):
    """A diagnostic whose message is Markdown."""

    message: lsp.MarkupContent = attrs.field()  # type: ignore[assignment]  # 3.18 widens the type


def make_strict(converter: Converter) -> None:
    """Make `converter` accept only strings as str, only integers as int, only booleans as bool.

    Without that it would convert other values. A float without a fraction counts as an integer. A
    field of an enum type is then read as a plain string or number, which may be one that the enum
    does not have. If such a field is sent, the string or number is sent.
    """
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(bool, _boolean)
    converter.register_unstructure_hook(Enum, lambda it: it.value if isinstance(it, Enum) else it)


def with_markup(found: lsp.Diagnostic, markdown: str) -> MarkupDiagnostic:
    """Return a copy of the diagnostic `found` with the message `markdown`."""
    message = lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value=markdown)
    return MarkupDiagnostic(**(attrs.asdict(found, recurse=False) | {"message": message}))


def know_markup(converter: Converter) -> None:
    """Let `converter` read the capability `textDocument.diagnostic.markupMessageSupport`.

    It counts as declared if it is exactly true.
    """
    read = converter.get_structure_hook(lsp.DiagnosticClientCapabilities)

    def capabilities(fields: Any, kind: Any) -> MarkupDiagnosticCapabilities:  # noqa: ANN401 - cattrs's types
        known = read(fields, kind)
        told = fields.get("markupMessageSupport") is True
        return MarkupDiagnosticCapabilities(
            **attrs.asdict(known, recurse=False), markup_message_support=told
        )

    converter.register_structure_hook(lsp.DiagnosticClientCapabilities, capabilities)


def accept_markup(converter: Converter) -> None:
    """Let `converter` read a Markdown diagnostic from a client: its message is the Markdown."""
    read = converter.get_structure_hook(lsp.Diagnostic)

    def diagnostic(fields: Any, kind: Any) -> lsp.Diagnostic:  # noqa: ANN401 - cattrs's types
        message = fields.get("message") if isinstance(fields, dict) else None
        if isinstance(message, dict):
            fields = {**fields, "message": message.get("value")}
        found: lsp.Diagnostic = read(fields, kind)
        return found

    converter.register_structure_hook(lsp.Diagnostic, diagnostic)


def is_request(method: str) -> bool:
    """Return whether LSP has a request with this name."""
    return lsp.METHOD_TO_TYPES.get(method, (None, None))[1] is not None


def is_notification(method: str) -> bool:
    """Return whether LSP has a notification with this name."""
    return method in lsp.METHOD_TO_TYPES and not is_request(method)


def structure_params(converter: Converter, method: str, params: object) -> Any:  # noqa: ANN401 - as many types as methods
    """Return the params of an LSP method as lsprotocol's type.

    Return None for an LSP method without params. If LSP has no such method, return the params
    unchanged. Raise JsonRpcInvalidParams, whose message names the wrong field, if the params do not
    fit the method, or if they are neither an object nor an array nor None.
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
    # Absent params are read as empty, so that required fields are reported; `initialized` has none.
    message = {"id": 0, "jsonrpc": "2.0", "method": method, "params": params or {}}
    try:
        return converter.structure(message, message_type).params
    except Exception as error:
        # The converter's hooks for unions raise any type for a wrong value.
        raise JsonRpcInvalidParams(describe(error)) from error


def structure_result(converter: Converter, method: str, result: object) -> Any:  # noqa: ANN401 - as many types as methods
    """Return a client's result as lsprotocol's type, or unchanged if LSP has no such request.

    Raise an exception, of any type, if the result does not have the method's type.
    """
    answer_type = lsp.METHOD_TO_TYPES.get(method, (None, None))[1]
    if answer_type is None:
        return result
    answer = {"id": 0, "jsonrpc": "2.0", "result": result}
    return converter.structure(answer, answer_type).result


def describe(error: BaseException) -> str:
    """Return one line that says which field is wrong and why, for an exception of the converter."""
    path = ""
    while isinstance(error, ClassValidationError | IterableValidationError):
        error = error.exceptions[0]
        path += _step(error)
    field = path.removeprefix(".") or "params"
    if isinstance(error, KeyError):
        return f"{field}: is missing"
    if isinstance(error, _WrongTypeError):
        return f"{field}: {error}"
    return f"{field}: is not of the type that LSP defines for it"


class _WrongTypeError(TypeError):
    """Raised for a value of the wrong type. Its text says what is expected."""


def _check_arguments(method: str, params: dict[str, Any] | None) -> None:
    # To the converter a string is a sequence: `"INT-001"` would become a list of letters.
    if method == lsp.WORKSPACE_EXECUTE_COMMAND:
        arguments = (params or {}).get("arguments")
        if arguments is not None and not isinstance(arguments, list):
            raise JsonRpcInvalidParams("params.arguments: expected an array")


def _step(error: BaseException) -> str:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            # The name in JSON, such as `textDocument` for `text_document`.
            name = note.name.rstrip("_")
            return "." + re.sub(r"_(\w)", lambda found: found[1].upper(), name)
        if isinstance(note, IterableValidationNote):
            return f"[{note.index}]"
    return ""


def _string(value: object, _: object) -> str:
    if isinstance(value, str):
        return value
    raise _WrongTypeError("expected a string")


def _integer(value: object, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # Some clients' JSON only has floating point numbers.
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
    """Return the function of a registered command, and the arguments to call it with.

    The arguments are as the client's JSON has them. Raise JsonRpcInvalidParams for an unknown
    command or a wrong number of arguments.
    """
    command = features.commands.get(params.command)
    if command is None:
        raise JsonRpcInvalidParams(f"params.command: there is no command {params.command[:100]!r}")
    args = tuple(params.arguments or ())
    # pygls wraps a command to pass the server in; `func` is the command itself.
    bare = partial(command.func, server) if hasattr(command, "func") else command
    try:
        inspect.signature(bare).bind(*args)
    except TypeError as error:
        raise JsonRpcInvalidParams(f"params.arguments: {error}") from error
    return command, args
