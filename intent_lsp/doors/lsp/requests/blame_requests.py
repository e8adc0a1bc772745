"""`intent/blame` and `intent/lines`: from lines to intents, and back (protocol section 2).

Invariant: a save that is under way is waited for, so that its lines are not called unsaved.
"""

from intent_lsp.core.blame.runs import named, run_of
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.connection.progress import Progress
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.features.intent_lines import IntentLines
from intent_lsp.doors.lsp.requests.workspace_lookup import Finder
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.wire.common import BlameParams, ChangeParams, LinesParams, Wire, WireRange
from intent_lsp.doors.lsp.wire.params import failed, invalid, path_below, read
from intent_lsp.formats.blame_json import FileRuns, blame_json, lines_json
from intent_lsp.formats.markdown.provenance import reasons, who
from intent_lsp.governance.ledger.blame import ALL_LINES
from intent_lsp.governance.ledger.record_changes import Side, changes_of
from intent_lsp.governance.plan.checkout import Refusal


class BlameRequests:
    """Answers questions for the origin of lines on one connection."""

    def __init__(self, connection: Connection, finder: Finder, progress: Progress) -> None:
        self._workplace = connection.workplace
        self._finder = finder
        self._lines = IntentLines(connection.workplace, progress)

    async def blame(self, given: object) -> Wire:
        """Answer `intent/blame`: who wrote each line of a file, as its editor shows it.

        Unsaved lines are unattributed.
        """
        params = read(given, BlameParams)
        attached = await self._finder.attached(params)
        path = path_below(params, attached)
        shown = await self._shown(attached, path)
        blaming = attached.desk.blaming
        blamed = await self._workplace.work.in_thread(blaming.blame, path, shown)
        if blamed is None:
            named = "path" if params.uri is None else "uri"
            raise invalid(f"params.{named}: there is no file {path} that can be read")
        runs = blamed.runs(*_lines(params.range))
        runs = await self._workplace.work.in_thread(attached.desk.authors.named, runs)
        return blame_json(path, uri_of(attached.desk.root / path), runs)

    async def lines(self, given: object) -> Wire:
        """Answer `intent/lines`: every line of an intent, in the files as they are saved."""
        params = read(given, LinesParams)
        attached = await self._finder.attached(params)
        found = await self._lines.of(attached, params.intent_id, params.work_done_token)
        if isinstance(found, Refusal):
            raise failed(found.code, found.message, found.data)
        every = [run for file in found.files for run in file.runs]
        people = await self._workplace.work.in_thread(attached.desk.authors.people, every)
        files = [
            FileRuns(
                path=file.path,
                uri=uri_of(attached.desk.root / file.path),
                line_count=file.blamed.count,
                runs=named(file.runs, people),
            )
            for file in found.files
        ]
        return lines_json(found.asked.intent_id, files, truncated=found.asked.truncated)

    async def change(self, given: object) -> Wire:
        """Answer `intent/change`: what a record changed, and who made it, in words."""
        params = read(given, ChangeParams)
        attached = await self._finder.attached(params)
        found = await self._workplace.work.in_thread(_changed, attached, params.record_id)
        if found is None:
            raise invalid(f"params.recordId: there is no record {params.record_id}")
        return found

    async def _shown(self, attached: Attached, path: str) -> list[str] | None:
        """Give what the editor shows of a file; None: it has it not open."""
        tracked = self._workplace.open_at(attached, (path,)).get(path)
        if tracked is None:
            return None
        await tracked.all_recorded.wait()
        await self._workplace.settled(tracked.uri)
        return list(tracked.lines)


def _changed(attached: Attached, record_id: str) -> Wire | None:
    desk = attached.desk
    record = desk.stores.ledger.index.find(record_id)
    if record is None:
        return None
    intent = desk.rules.current().active(record.intent_id)
    (run,) = desk.authors.named([run_of(record)])
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
                "uri": uri_of(desk.root / file.path),
                "previousPath": file.previous,
                "before": _side(file.before),
                "after": _side(file.after),
            }
            for file in changes_of(desk.root, record)
        ],
    }


def _side(side: Side) -> Wire:
    return {"text": side.text, "why": side.why}


def _lines(wanted: WireRange | None) -> tuple[int, int]:
    """Give the first and the last line of a range, which ends before its end."""
    if wanted is None:
        return ALL_LINES
    start, end = wanted.start, wanted.end
    return start.line, end.line - (end.line > start.line and not end.character)
