"""A registration: what a settings file of an agent host must hold, and how far it holds it."""

import shlex
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from intent_lsp.formats.registrations.jsonc import UnreadableText

PROGRAM: Final = "intent-lsp"
MODULE: Final = "intent_lsp"
SERVER_NAME: Final = PROGRAM
"""The name of our MCP server in the settings of hosts."""

WRITTEN_BY: Final = "Written by `intent-lsp agents install`."
"""The sentence by which a file that is ours as a whole is known."""


class Purpose(StrEnum):
    """What is registered: our hooks, or our MCP server."""

    HOOKS = "hooks"
    MCP = "mcp"


class Place(StrEnum):
    """Where a settings file is.

    ROOT: in the repository, to be committed. LOCAL: in the repository, not to be committed. HOME:
    in the user's home directory.
    """

    ROOT = "repository"
    LOCAL = "local"
    HOME = "home"


class State(StrEnum):
    """How far a file holds a registration.

    REGISTERED: it holds all of it. MISSING: it holds nothing of it, or there is no file. DIFFERS:
    it holds a part of it, or an older or another form of it.
    """

    REGISTERED = "registered"
    MISSING = "not registered"
    DIFFERS = "differs"


EditedText: TypeAlias = str | UnreadableText | None
"""A file's new text, None for no file, or why the file cannot be edited."""


class RegistrationText(Protocol):
    """What a file must hold for a registration, as functions of the file's present text.

    They return how far the text holds it, the text with it, and the text without it. A text that is
    passed or returned is None if there is no file.
    """

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far a file's text holds the registration, or why it cannot be read."""
        ...

    def installed(self, text: str | None) -> EditedText:
        """Return the file's text with the registration, or why it cannot be edited.

        A text that holds the registration already is returned unchanged.
        """
        ...

    def uninstalled(self, text: str | None) -> EditedText:
        """Return the file's text without the registration, or why it cannot be edited.

        Return None, for no file, if nothing else is left in it.
        """
        ...


class Registration(Struct, frozen=True, kw_only=True):
    """One registration for one host in one file. `content` is what the file must hold.

    `paths` are the names that the file may have, relative to the repository or to the home
    directory; the first that exists is used, else the first. `executable`: the file is a program.
    """

    purpose: Purpose
    place: Place
    paths: tuple[str, ...]
    content: RegistrationText
    executable: bool = False


def module_calls_hook(source: str, host: str) -> bool:
    """Return whether the source of a module names the call of our hook for the host `host`.

    It may be a command, or an array of words such as `"hook", "opencode"`.
    """
    return f'"hook", "{host}"' in source or f"{PROGRAM} hook {host}" in source


def calls_hook(command: object, host: str) -> bool:
    """Return whether a value is a shell command that calls our hook for the host `host`.

    It does if one of its words is `intent-lsp` or `intent_lsp`, or a path that ends in that name,
    and the next two words are `hook` and the host. A comment does not count.
    """
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    names = [word.replace("\\", "/").rsplit("/", 1)[-1] for word in words]
    return any(
        name in (PROGRAM, MODULE) and words[at + 1 : at + 3] == ["hook", host]
        for at, name in enumerate(names)
    )
