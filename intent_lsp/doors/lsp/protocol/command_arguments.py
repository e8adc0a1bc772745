"""The arguments of `workspace/executeCommand`, bound to the command that it names."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.feature_manager import FeatureManager
from pygls.lsp.server import LanguageServer


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
