"""A registration: what a settings file of an agent host must hold, and how far it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from intent_lsp.formats.registrations.jsonc import UnreadableText

PROGRAM: Final = "intent-lsp"
MODULE: Final = "intent_lsp"
SERVER_NAME: Final = PROGRAM
"""The name of our MCP server in the settings of hosts."""

WRITTEN_BY: Final = "Written by `intent-lsp agents install`."
"""The sentence by which a file that is ours as a whole is known."""


class Purpose(StrEnum):
    """What a registration is for."""

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
    """How far a file holds a registration. DIFFERS: it holds an older or another one of ours."""

    REGISTERED = "registered"
    MISSING = "not registered"
    DIFFERS = "differs"


EditedText: TypeAlias = str | UnreadableText | None
"""A file's new text, None for no file, or why the file cannot be edited."""


class RegistrationText(Protocol):
    """What a file must hold. Every text is None where there is no file."""

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far a text holds the registration."""
        ...

    def installed(self, text: str | None) -> EditedText:
        """Return the text with the registration. A text that holds it stays as it is."""
        ...

    def uninstalled(self, text: str | None) -> EditedText:
        """Return the text without the registration; None if nothing is left of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One registration of one host in one file.

    `paths` are the names that the file may have, relative to the repository or to the home
    directory; the first that exists is meant, else the first. `executable`: the file is a program.
    """

    purpose: Purpose
    place: Place
    paths: tuple[str, ...]
    content: RegistrationText
    executable: bool = False


def calls_hook(words: Sequence[str], host: str) -> bool:
    """Whether a command, split into words, calls our hook for a host."""
    names = [word.replace("\\", "/").rsplit("/", 1)[-1] for word in words]
    return any(
        name in (PROGRAM, MODULE) and list(words[at + 1 : at + 3]) == ["hook", host]
        for at, name in enumerate(names)
    )
