"""The requests about attribution: `blame`, `lines` and `change` (protocol section 2).

Invariant: saves of an open document that are under way are recorded first, so that their lines do
not count as unsaved.
"""

from intent_lsp.core.blame.attribution import named, run_of
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import lines_of, uri_of
from intent_lsp.doors.lsp.features.intent_symbols import lines_of_intent
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject, accepted
from intent_lsp.formats.document_uris import ContentDocument, ContentSide
from intent_lsp.formats.markdown.provenance import reasons, who
from intent_lsp.formats.params.requests import BlameParams, ChangeParams, LinesParams
from intent_lsp.formats.result_json import FileRuns, blame_json, lines_json
from intent_lsp.governance.ledger.blame import ALL_LINES
from intent_lsp.governance.ledger.record_changes import Side, changes_of


class BlameRequests:
    """Answers requests about the attribution of lines on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._tracked_documents = connection.tracked_documents
        self._text_contents = connection.client.text_contents
        self._in_thread = connection.work.in_thread
        self._progress = connection.progress

    async def blame(self, open_root: OpenRoot, params: BlameParams) -> JsonObject:
        """Answer `intent/blame`: the attribution of each line of a file or of a range of it.

        The lines are those in the editor if the file is open, else those on disk. Lines that are
        not saved are unattributed. Raise WrongParamsError if the file cannot be read.
        """
        path = await self._in_thread(open_root.governance.path_named, params)
        shown = await self._shown(open_root, path)
        blaming = open_root.governance.blaming
        blamed = await self._in_thread(blaming.blame, path, shown)
        if blamed is None:
            named = "path" if params.uri is None else "uri"
            raise WrongParamsError(named, f"there is no file {path} that can be read")
        lines = ALL_LINES if params.range is None else lines_of(params.range)
        runs = await self._in_thread(open_root.governance.authors.named, blamed.runs(*lines))
        return blame_json(path, uri_of(open_root.governance.root / path), runs)

    async def lines(self, open_root: OpenRoot, params: LinesParams) -> JsonObject:
        """Answer `intent/lines`: the lines attributed to an intent, in the files as saved.

        If the intent has changed too many files, the answer says that it is truncated.
        """
        intent_id, token = params.intent_id, params.work_done_token
        asked = lines_of_intent(
            self._tracked_documents, self._progress, open_root, intent_id, token
        )
        found = accepted(await asked)
        every = [run for file in found.files for run in file.runs]
        people = await self._in_thread(open_root.governance.authors.people, every)
        files = [
            FileRuns(
                path=file.path,
                uri=uri_of(open_root.governance.root / file.path),
                line_count=file.blamed.count,
                runs=named(file.runs, people),
            )
            for file in found.files
        ]
        return lines_json(found.asked.intent_id, files, truncated=found.asked.truncated)

    async def change(self, open_root: OpenRoot, params: ChangeParams) -> JsonObject:
        """Answer `intent/change`: a record's author, and its files' text before and after.

        Where a text cannot be given, the answer says why. Raise WrongParamsError for an unknown
        record.
        """
        named = self._text_contents
        found = await self._in_thread(_changed, open_root, params.record_id, named=named)
        if found is None:
            raise WrongParamsError("recordId", f"the ledger has no record {params.record_id}")
        return found

    async def _shown(self, open_root: OpenRoot, path: str) -> list[str] | None:
        """Return the lines of a file as the editor shows them, or None if the file is not open.

        First wait until the saves of the file that are under way are recorded.
        """
        tracked = self._tracked_documents.open_at(open_root, (path,)).get(path)
        if tracked is None:
            return None
        await tracked.all_recorded.wait()
        await self._tracked_documents.settled(tracked.uri)
        return list(tracked.lines)


def _changed(open_root: OpenRoot, record_id: str, *, named: bool) -> JsonObject | None:
    """Return the answer of `intent/change`, or None if the ledger has no such record.

    If `named`, each text also has the URI of the read-only document that shows it.
    """
    governance = open_root.governance

    def side(content: Side, path: WorkspacePath, which: ContentSide) -> JsonObject:
        found = {"text": content.text, "why": content.why}
        if not named:
            return found
        place = str(governance.root / path)
        return found | {"uri": ContentDocument(path=place, side=which, record_id=record_id).uri}

    record = governance.stores.ledger.index.find(record_id)
    if record is None:
        return None
    intent = governance.rules.current().active(record.intent_id)
    (run,) = governance.authors.named([run_of(record)])
    return {
        "recordId": record.id,
        "intentId": record.intent_id,
        "intentName": None if intent is None else intent.name,
        "who": who(run),
        "timestamp": record.timestamp,
        "scopeValidation": record.scope_validation.value,
        "reason": "; ".join(reasons(record)) or None,
        "files": [
            {
                "path": file.path,
                "uri": uri_of(governance.root / file.path),
                "previousPath": file.previous,
                "before": side(file.before, file.previous or file.path, ContentSide.BEFORE),
                "after": side(file.after, file.path, ContentSide.AFTER),
            }
            for file in changes_of(governance.root, record)
        ],
    }
