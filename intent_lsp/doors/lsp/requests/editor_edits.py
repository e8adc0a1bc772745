"""Agents' changes of open documents, made through the editor (protocol section 2).

Invariant: an open document is changed only by its editor. A change of its text is recorded when it
is saved.
"""

from collections.abc import Mapping, Sequence

from lsprotocol import types as lsp

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.gate.request import Allowed, ApprovalAnswer
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import document_edit, uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.calls.admission import Applied, CallDecision
from intent_lsp.store.fs.resolve import resolve_below

LABEL = "Edit by an agent"

DocumentChange = lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile


class EditorEdits:
    """Has the editor make an agent's changes to files of one root.

    `opened` are the documents of those files to change that are open in the editor, by path.
    """

    def __init__(
        self, connection: Connection, open_root: OpenRoot, opened: Mapping[str, TrackedDocument]
    ) -> None:
        self._connection = connection
        self._in_thread = connection.work.in_thread
        self._open_root = open_root
        self._opened = opened

    async def apply(
        self,
        asker: tuple[str, str],
        call: ToolCall,
        changes: Sequence[FileChange],
        word: ApprovalAnswer,
    ) -> Applied:
        """Judge a change and, if it is allowed, have the editor make it.

        `call` is the agent's tool call, and `changes` are its changes of files. `asker` is the
        session id and the agent id. `word` is a person's answer, or, if nobody was asked yet, says
        whether a person can be asked. If the same call was allowed before, change nothing and
        return its earlier result. If the editor does not make the change, the result says why, and
        a call with a ticket is recorded as failed.
        """
        governance = self._open_root.governance
        admit = governance.calls.admit_change
        admission: CallDecision = await self._in_thread(admit, *asker, call, changes, word)
        if admission.again and admission.ticket is not None:
            before = await self._in_thread(governance.calls.outcome, admission.ticket.id)
            return Applied(admission, before, None if before is None else before.error)
        if not isinstance(admission.decision, Allowed):
            return Applied(admission)
        problem = await self._made(changes)
        if problem is not None and admission.ticket is not None:
            record = governance.calls.record
            outcome = await self._in_thread(record, admission.ticket.id, error=problem)
            return Applied(admission, outcome, problem)
        return Applied(admission, None, problem)

    async def _made(self, changes: Sequence[FileChange]) -> str | None:
        """Have the editor make `changes`.

        Return None on success, else the reason of the failure.
        """
        try:
            steps: list[DocumentChange] = []
            for change in changes:
                steps += await self._steps(change)
        except (OSError, ValueError) as problem:
            return str(problem)
        client = self._connection.client
        if any(not isinstance(step, lsp.TextDocumentEdit) for step in steps) and not (
            client.document_changes
        ):
            return (
                "this editor cannot create, rename or delete files; close those that are open in it"
                " and try again"
            )
        edit = self._connection.spelling.joined_edit(steps)
        made = await self._connection.people.apply_edit(edit, LABEL)
        if made:
            return None
        return "the editor did not apply the edit, or did not answer in time; read the files again"

    async def _steps(self, change: FileChange) -> list[DocumentChange]:
        uri = self._uri(change.path)
        if change.effect is Effect.DELETE:
            return [lsp.DeleteFile(uri=uri)]
        source = change.source or change.path
        tracked = self._opened.get(source)
        if tracked is not None and change.version not in (None, tracked.version):
            now, wanted = tracked.version, change.version
            raise ValueError(
                f"{source} is open in version {now}, not {wanted}; read the file again"
            )
        lines = await self._lines(source, tracked)
        steps: list[DocumentChange] = []
        if change.source is not None:
            steps.append(lsp.RenameFile(old_uri=self._uri(source), new_uri=uri))
        elif lines is None:
            # Text edits alone would name a file that the editor cannot find.
            steps.append(lsp.CreateFile(uri=uri))
        if change.rewrite is not None:
            version = None if tracked is None or change.source is not None else tracked.version
            new = split_lines(change.rewrite("".join(lines or ())))
            named = tracked.uri if tracked is not None and change.source is None else uri
            edits = self._connection.spelling.turning_edits(lines or [], new)
            steps += [document_edit(named, version, edits)] if edits else []
        return steps

    async def _lines(self, path: str, tracked: TrackedDocument | None) -> list[str] | None:
        """Return the lines of `tracked`, or, if `tracked` is None, of the file on disk at `path`.

        Return None if the file does not exist. Raise ValueError if the file is not text.
        """
        if tracked is not None:
            return list(tracked.lines)
        place = resolve_below(self._open_root.governance.root, path)
        data = None
        if place is not None:
            data = await self._in_thread(self._open_root.governance.contents.disk, place.path)
        if data is None:
            return None
        text = decode(data)
        if text is None:
            raise ValueError(f"{path} is not a text file, so it cannot be edited")
        return split_lines(text.text)

    def _uri(self, path: str) -> str:
        return uri_of(self._open_root.governance.root / path)


def paths_of(changes: Sequence[FileChange]) -> tuple[str, ...]:
    """Return every path that the changes touch: for a move, the old and the new one."""
    return tuple(path.path for change in changes for path in change.touched)
