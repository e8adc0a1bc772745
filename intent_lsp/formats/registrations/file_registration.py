"""Registrations that are whole files: scripts named after events, and plug-ins.

Invariant: a file that somebody else wrote is neither changed nor removed.
"""

from msgspec import Struct

from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import (
    WRITTEN_BY,
    EditedText,
    State,
    calls_hook,
    module_calls_hook,
)


class FileRegistration(Struct, frozen=True, kw_only=True):
    """A registration of hooks as a file with the text `content`, which is ours as a whole.

    `host` is the host's name in `intent-lsp hook NAME`. `command` calls our hook: a file of
    somebody else at the same path can call it instead. `module`: the file is a module for the host
    to load, and no script.
    """

    host: str
    content: str
    command: str
    module: bool = False

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far the file holds the registration. `text` is its text, or None for no file.

        DIFFERS: it has the sentence WRITTEN_BY, and another text than `content`. A file without
        that sentence is REGISTERED if it calls our hook; otherwise return UnreadableText.
        """
        if text is None:
            return State.MISSING
        if text == self.content:
            return State.REGISTERED
        if WRITTEN_BY in text:
            return State.DIFFERS
        if self._calls(text):
            return State.REGISTERED
        return UnreadableText(
            problem=f"is not intent-lsp's file; call `{self.command}` from it, or move it away"
        )

    def installed(self, text: str | None) -> EditedText:
        """Return the text that the file must have: `text` if it is REGISTERED, else `content`.

        Return UnreadableText if the file is somebody else's and does not call our hook.
        """
        state = self.state(text)
        if isinstance(state, UnreadableText):
            return state
        return text if state is State.REGISTERED else self.content

    def uninstalled(self, text: str | None) -> EditedText:
        """Return None, for no file, if `text` has the sentence WRITTEN_BY; else return `text`."""
        return None if text is not None and WRITTEN_BY in text else text

    def _calls(self, text: str) -> bool:
        if self.module:
            return module_calls_hook(text, self.host)
        return any(calls_hook(line, self.host) for line in text.splitlines())
