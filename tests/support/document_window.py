"""A document in an editor window, and the violations shown on it, without a connection."""

from intent_lsp.core.content import split_lines
from intent_lsp.core.line_diff import LineEdit
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.saves.open_file import OpenFile
from intent_lsp.governance.violations.file_violations import DocumentDiffs
from tests.governance.editor import Editor


class Window:
    """A document in an editor, with what is shown on it."""

    def __init__(
        self, editor: Editor, path: str = "src/db.py", intent_id: str | None = "INT-001"
    ) -> None:
        if intent_id is not None and editor.session.continued != intent_id:
            editor.select(intent_id)
        self.editor, self.path = editor, path
        root = OpenRoot(editor.governance, editor.session)
        self.tracked = TrackedDocument(
            uri="file:///x",
            lines=split_lines(editor.show(path)),
            version=1,
            open_root=root,
            file=OpenFile(governed=root.governed(editor.place(path))),
        )
        self.look()

    def look(self) -> None:
        """Take a new look at the file."""
        lines = list(self.tracked.lines)
        data = self.editor.disk(self.path) or b""
        edited = data.decode("utf-8", "replace") != "".join(lines)
        look = self.editor.look(self.path, "".join(lines) if edited else None)
        self.tracked.look = look
        self.tracked.diffs = DocumentDiffs.of(look, lines) if look.shown else None

    def type(self, text: str) -> list[tuple[int, int]]:
        """Put a text into the window, and give the lines that are marked."""
        lines = split_lines(text)
        edit = LineEdit(start=0, old_end=len(self.tracked.lines), new_end=len(lines))
        self.tracked.follow([edit], lines, (self.tracked.version or 0) + 1)
        return self.shown()

    def save(self, text: str) -> list[tuple[int, int]]:
        """Save a text, and give the lines that are marked then."""
        self.editor.save(self.path, text)
        self.tracked.lines = split_lines(text)
        self.look()
        return self.shown()

    def shown(self) -> list[tuple[int, int]]:
        """Give the lines that are marked."""
        return [(problem.first_line, problem.last_line) for problem in self.tracked.show()]

    @property
    def codes(self) -> list[str]:
        """Give the codes of what is shown."""
        return [problem.code for problem in self.tracked.show()]
