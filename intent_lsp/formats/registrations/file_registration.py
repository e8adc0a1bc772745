"""Registrations that are whole files: scripts named after events, and plug-ins.

Invariant: a file of somebody else is neither changed nor removed.
"""

import shlex
from dataclasses import dataclass

from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import (
    WRITTEN_BY,
    EditedText,
    State,
    calls_hook,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRegistration:
    """A file that is ours as a whole. `command` is what somebody else's file can call instead."""

    host: str
    content: str
    command: str

    def state(self, text: str | None) -> State | UnreadableText:
        """Return whether the file is there, and whether it is up to date.

        A file of somebody else is registered if it calls us; else return UnreadableText.
        """
        if text is None:
            return State.MISSING
        if text == self.content:
            return State.REGISTERED
        if WRITTEN_BY in text:
            return State.DIFFERS
        if any(calls_hook(_words(line), self.host) for line in text.splitlines()):
            return State.REGISTERED
        return UnreadableText(
            problem=f"is somebody else's; call `{self.command}` from it, or move it away"
        )

    def installed(self, text: str | None) -> EditedText:
        """Return the content of the file."""
        state = self.state(text)
        if isinstance(state, UnreadableText):
            return state
        return text if state is State.REGISTERED else self.content

    def uninstalled(self, text: str | None) -> EditedText:
        """Return None for a file that we have written; any other stays as it is."""
        return None if text is not None and WRITTEN_BY in text else text


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()
