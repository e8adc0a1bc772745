"""An agent at work: a session of its own on an editor's connection, and the texts that it read.

Invariant: it writes from the text that it read last, be that old or new.
"""

from typing import Any

from editor import Editor, Message, check

TOOL = "write_to_file"


class Agent:
    """One agent, with the name that people call it by."""

    def __init__(self, name: str, editor: Editor) -> None:
        self.name = name
        self.session = name.lower()
        self._editor = editor
        self._texts: dict[str, str] = {}

    def ask(self, request: str, **params: object) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Send one of our requests, and return its result."""
        return self.answer(self.begin(request, **params))

    def begin(self, request: str, **params: object) -> int:
        """Send one of our requests; return its number."""
        return self._editor.begin(f"intent/{request}", {"sessionId": self.session, **params})

    def answer(self, number: int) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Wait for the answer to a request, and return its result."""
        return self._editor.answer(number)

    def read(self, name: str) -> None:
        """Take in the text of a file."""
        self._texts[name] = (self._editor.folder / name).read_text()

    def rewritten(self, name: str, old: str, new: str) -> str:
        """Return the text of a file as it was read, with one part of it replaced."""
        check(old in self._texts[name], f"the {self.name} has read {old!r}")
        return self._texts[name].replace(old, new)

    def write(self, name: str, text: str) -> None:
        """Write a file ourselves, as most agents do."""
        (self._editor.folder / name).write_text(text)

    def apply(self, name: str, text: str) -> Message:
        """Have the server write a file; return its decision."""
        told: Message = self.ask("applyEdit", toolName=TOOL, path=name, newText=text)
        return told
