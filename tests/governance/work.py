"""An editor, agents, commands and other programs at work in one governed tree."""

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.records import Record
from intent_lsp.governance.calls.admission import Outcome
from tests.governance.editor import Editor
from tests.support.repository import Repository

BASH = "python3 make.py"


class Work:
    """A governance with an editor session; agents are named by their session ids."""

    def __init__(self, editor: Editor, root: Repository) -> None:
        self.editor, self.governance, self.root = editor, editor.governance, root
        self.look()
        self.seen = self.governance.disk_changes.record(editor.session)

    def agent(self, name: str, intent: str) -> None:
        session = self.governance.sessions.open_agent(name)
        self.governance.checkout.select(session, intent, unsaved_file=False)

    def begins(
        self, name: str, path: str = "", text: str | None = None, *, command: str = BASH
    ) -> str:
        """Ask for a write of a file, or for a command of which nothing is known."""
        call = ToolCall(tool_name="Bash", command=command)
        if path:
            call = ToolCall(tool_name="Write", paths=(path,), new_text=text)
        admission = self.governance.calls.admit(name, "", call)
        assert isinstance(admission.decision, Allowed), admission
        assert admission.ticket is not None
        return admission.ticket.id

    def ends(self, ticket: str) -> Outcome:
        outcome = self.governance.calls.record(ticket)
        assert outcome is not None
        return outcome

    def look(self) -> None:
        assert self.governance.disk_changes.look() is not None

    def noticed(self) -> list[Record]:
        self.look()
        news = self.governance.disk_changes.record(self.editor.session)
        return [each.record for each in news.recorded if each.record is not None]


def paths(record: Record | None) -> list[str]:
    return [] if record is None else [file.relative_path for file in record.files]
