"""Diagnostics publisher: keeps each file's diagnostics and pushes them or serves pulls, never both.

Specified in requirements section 8.
Invariant: nothing is pushed to a client that pulls. A push carries the version of the document for
which its diagnostics were computed, if that is known.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final

from lsprotocol import types as lsp
from msgspec import Struct

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.settings import LiveSettings

REFRESH_AFTER: Final = 0.05
"""Seconds to wait before asking the client to pull, so that several changes cause one request."""


DiagnosticReport = (
    lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport
)
Publish = Callable[[lsp.PublishDiagnosticsParams], Callable[[], None]]
"""Encodes a push, on any thread, and returns a function that sends it."""


class PublishedDiagnostics(Struct, frozen=True, kw_only=True):
    """The diagnostics of one file, encoded but perhaps not sent yet.

    `items` are all of them. `own` are those that belong to the text, without those of
    `DiagnosticsPublisher.add`. `result_id` shows a client that pulls whether it has these
    diagnostics already. For any other client, `push` sends them. `version` is the document's, or
    None if it is not open.
    """

    version: int | None
    items: tuple[lsp.Diagnostic, ...]
    own: tuple[lsp.Diagnostic, ...]
    result_id: str
    push: Callable[[], None]


class DiagnosticsPublisher:
    """Publishes the diagnostics of files to one client, by pushes or by answers to its pulls."""

    def __init__(self, *, pull: bool, publish: Publish, refresh: Callable[[], None]) -> None:
        self.pull = pull
        self._publish = publish
        self._refresh = refresh
        self._posted: dict[str, PublishedDiagnostics] = {}
        self._added: dict[str, dict[object, tuple[lsp.Diagnostic, ...]]] = {}
        self._given: dict[str, str] = {}
        self._timer: asyncio.TimerHandle | None = None

    def post(self, uri: str, version: int | None, items: Sequence[lsp.Diagnostic]) -> None:
        """Replace the published diagnostics of the file at `uri` by `items`."""
        self.show(uri, self.posting(uri, version, items))

    def add(self, owner: object, uri: str, items: Sequence[lsp.Diagnostic]) -> None:
        """Publish `items` beside what `post` or another owner publishes for the file at `uri`.

        `items` replace all that the same owner added for the file before, even if they are empty.
        `owner` is any object that identifies who adds them.
        """
        self._added.setdefault(uri, {})[owner] = tuple(items)
        known = self._posted.get(uri, _EMPTY)
        self.post(uri, known.version, known.own)

    def posting(
        self, uri: str, version: int | None, items: Sequence[lsp.Diagnostic]
    ) -> PublishedDiagnostics:
        """Encode diagnostics, and those that `add` added to the file, for `show` to publish.

        This may run on any thread, because there may be thousands.
        """
        every = (*items, *chain.from_iterable(self._added.get(uri, {}).values()))
        if self.pull:
            result_id, push = _result_id(every), _nothing
        else:
            shown = lsp.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=list(every))
            result_id, push = _NOTHING, self._publish(shown)
        return PublishedDiagnostics(
            version=version, items=every, own=tuple(items), result_id=result_id, push=push
        )

    def show(self, uri: str, posting: PublishedDiagnostics) -> None:
        """Replace the published diagnostics of the file at `uri` by those encoded in `posting`.

        They are pushed, unless there are none and were none before. A client that pulls gets no
        push: it is asked to pull if the diagnostics that it was given last differ from these.
        """
        former = self._posted.get(uri)
        if posting.items:
            self._posted[uri] = posting
        else:
            self._posted.pop(uri, None)
        if self.pull:
            if posting.result_id != self._given.get(uri, _NOTHING):
                self._ask_to_pull()
            return
        if posting.items or former is not None:
            posting.push()

    def items(self, uri: str) -> tuple[lsp.Diagnostic, ...]:
        """Return the diagnostics published for the file at `uri`, those of `add` included.

        Return () if there are none.
        """
        return self._posted.get(uri, _EMPTY).items

    def document(self, uri: str, previous: str | None) -> DiagnosticReport:
        """Answer `textDocument/diagnostic` for the file at `uri`.

        `previous` is the result id that the client has, or None. If it is still the current one,
        the answer is "unchanged", else all diagnostics of the file.
        """
        posting = self._posted.get(uri, _EMPTY)
        result_id = self._given[uri] = posting.result_id
        if previous == result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id)
        return lsp.RelatedFullDocumentDiagnosticReport(list(posting.items), result_id=result_id)

    def workspace(self, previous: Iterable[lsp.PreviousResultId]) -> lsp.WorkspaceDiagnosticReport:
        """Answer `workspace/diagnostic` for the files with diagnostics and those in `previous`."""
        known = {entry.uri: entry.value for entry in previous}
        reports: list[
            lsp.WorkspaceFullDocumentDiagnosticReport
            | lsp.WorkspaceUnchangedDocumentDiagnosticReport
        ] = []
        for uri in dict.fromkeys((*self._posted, *known)):
            posting = self._posted.get(uri, _EMPTY)
            result_id = self._given[uri] = posting.result_id
            version = posting.version
            if known.get(uri) == result_id:
                reports.append(
                    lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri, result_id, version)
                )
            else:
                items = list(posting.items)
                reports.append(
                    lsp.WorkspaceFullDocumentDiagnosticReport(
                        uri, items, version, result_id=result_id
                    )
                )
        return lsp.WorkspaceDiagnosticReport(items=reports)

    def _ask_to_pull(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(REFRESH_AFTER, self._pull_now)

    def _pull_now(self) -> None:
        self._timer = None
        self._refresh()


class DiagnosticParts(Struct, frozen=True, kw_only=True):
    """What computes, encodes and publishes the diagnostics of one connection.

    `documents` are the documents that the editor has open.
    """

    work: BackgroundExecutor
    publisher: DiagnosticsPublisher
    spelling: LspEncoder
    settings: LiveSettings
    documents: Documents


def publication(
    protocol: IntentProtocol, shown: lsp.PublishDiagnosticsParams
) -> Callable[[], None]:
    """Encode a `publishDiagnostics` notification, and return a function that sends it.

    The items are encoded one by one: encoding thousands in one call would block every other thread.
    """
    params: dict[str, object] = {"uri": shown.uri, "diagnostics": shown.diagnostics}
    if shown.version is not None:
        params["version"] = shown.version
    return protocol.notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def _nothing() -> None:
    """Do nothing, in place of a push, for a client that pulls."""


_NOTHING: Final = "0"
_EMPTY: Final = PublishedDiagnostics(
    version=None, items=(), own=(), result_id=_NOTHING, push=_nothing
)


def _result_id(items: Sequence[lsp.Diagnostic]) -> str:
    if not items:
        return _NOTHING
    return hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:16]
