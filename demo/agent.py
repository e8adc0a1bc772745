"""An agent: a session of its own on the editor's connection, and the texts that it has read.

Invariant: it edits the text that it read last, even if the file has changed since.
"""

from typing import Any

from editor import Editor, Message, check

TOOL = "write_to_file"


class Agent:
    """One agent, with a name for people and a session id for the server."""

    def __init__(self, name: str, editor: Editor) -> None:
        self.name = name
        self.session = name.lower()
        self._editor = editor
        self._texts: dict[str, str] = {}

    def ask(self, request: str, **params: object) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Send an `intent/*` request; return its result."""
        return self.answer(self.begin(request, **params))

    def begin(self, request: str, **params: object) -> int:
        """Send an `intent/*` request; return its id, and do not wait for the answer."""
        return self._editor.begin(f"intent/{request}", {"sessionId": self.session, **params})

    def answer(self, number: int) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Wait for the answer to a request; return its result."""
        return self._editor.answer(number)

    def read(self, name: str) -> None:
        """Read a file, and keep its text."""
        self._texts[name] = (self._editor.folder / name).read_text()

    def rewritten(self, name: str, old: str, new: str) -> str:
        """Return the text of a file as this agent read it, with one part replaced."""
        check(old in self._texts[name], f"the {self.name} has read {old!r}")
        return self._texts[name].replace(old, new)

    def write(self, name: str, text: str) -> None:
        """Write a file directly, as most agents do."""
        (self._editor.folder / name).write_text(text)

    def apply(self, name: str, text: str) -> Message:
        """Have the server write a file; return its decision."""
        decision: Message = self.ask("applyEdit", toolName=TOOL, path=name, newText=text)
        return decision
