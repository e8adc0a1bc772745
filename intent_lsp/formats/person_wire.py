"""A question to the person at a root's editor, and the answer, each as one line of JSON.

The MCP server sends the question to the root's language server, which asks the person. Specified in
hooks section 5.
"""

import json

from msgspec import Struct
from msgspec.structs import asdict, replace

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.gate.request import NO_ANSWER, ApprovalAnswer
from intent_lsp.formats.hook_wire import VERSION, finite_seconds, json_object


class PersonQuestion(Struct, frozen=True):
    """A question to a person: its text, and the titles of the answers to choose from.

    `root` is the path, without links, of the root that the question is about. `seconds` is the time
    to answer.
    """

    root: str
    text: str
    titles: tuple[str, ...]
    seconds: float

    def encode(self) -> bytes:
        """Return the question as a line of JSON, with its line feed."""
        told = {"version": VERSION, "question": asdict(self)}
        return json.dumps(told).encode("ascii") + b"\n"


def read_question(line: bytes) -> PersonQuestion | None:
    """Return the question in a line of JSON, or None without a valid one of this version."""
    told = json_object(line)
    question = told.get("question")
    if told.get("version") != VERSION or not isinstance(question, dict):
        return None
    root, text, titles = (question.get(name) for name in ("root", "text", "titles"))
    seconds = finite_seconds(question.get("seconds"))
    if not isinstance(root, str) or not isinstance(text, str) or not isinstance(titles, list):
        return None
    if seconds is None or not all(isinstance(title, str) for title in titles):
        return None
    return PersonQuestion(root, text, tuple(titles), seconds)


def encode_answer(answer: ApprovalAnswer) -> bytes:
    """Return a person's answer as a line of JSON, with its line feed."""
    told = {
        "version": VERSION,
        "approval": None if answer.approval is None else answer.approval.value,
        "feedback": answer.feedback,
        "final": answer.final,
        "session": answer.session_id,
        "nobody": answer.is_nobody,
    }
    return json.dumps(told).encode("ascii") + b"\n"


def read_answer(line: bytes) -> ApprovalAnswer:
    """Return the answer in a line of JSON.

    If the line says that nobody can be asked, or has no valid answer of this version, return
    NO_ANSWER, which says the same, with the line's feedback if that is a text. An unknown approval,
    or one without a session, counts as no approval.
    """
    told = json_object(line)
    feedback, session = told.get("feedback"), told.get("session")
    if told.get("version") != VERSION or not isinstance(feedback, str) or told.get("nobody"):
        return replace(NO_ANSWER, feedback=feedback) if isinstance(feedback, str) else NO_ANSWER
    known = [each for each in ApprovalChoice if each.value == told.get("approval")]
    return ApprovalAnswer(
        approval=known[0] if known and isinstance(session, str) else None,
        feedback=feedback,
        final=told.get("final") is True,
        session_id=session if isinstance(session, str) else None,
    )
