"""Checks the control files (the intents file and the policy), in editor buffers and on disk.

Specified in requirements section 3.

Invariant: an unsaved buffer is checked as it is typed, but does not change the rules in force.
Invariant: the result of a check is published only if no newer text has come meanwhile.
"""

import asyncio
import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.findings import Finding, Position, Severity, Span
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath, path_of_uri
from intent_lsp.core.scope.findings import pattern_findings
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.publisher import DiagnosticParts, PublishedDiagnostics
from intent_lsp.formats.intents.intents_file import IntentsReader
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.yaml.limits import MAX_BYTES
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.scope_checks import ScopeChecks
from intent_lsp.governance.plan.work_checks import WorkChecks
from intent_lsp.store.fs.files import TooLargeError, read_bytes
from intent_lsp.store.fs.resolve import is_directory

CONTROL_PAGES: Final = (INTENTS_FILE, POLICY_FILE)

_UNREADABLE: Final = "This file cannot be read ({reason}): give the server's user the right to."
_NOT_TEXT: Final = "This file is not UTF-8 text, or has NUL bytes: save it as UTF-8 text."
_OFF: Final = " Edits are not checked until then."
_LAST_GOOD: Final = " Until then the last policy that could be read counts, else the defaults."
_GONE: Final = "The intents file no longer exists. Edits are not checked until it is back."


class ControlFile(Struct):
    """One control file of one root, with the result of its last check: `lines` and `findings`.

    `uri` is the URI under which its findings are published, in the client's spelling once a check
    has found the file open. `checks` finds what is wrong with the scopes of the root's intents, and
    `works` finds what the records of the ledger show about the scopes. `version` is that of the
    checked document, None for the file on disk. `wanted` counts the checks asked for, and `task` is
    the newest task of checks. `surveyed`: `works` is being brought up to date. `prepared`, only of
    the intents file: after its first check, the index for judgements is being built, or is built.
    """

    governance: Governance
    path: WorkspacePath
    uri: str
    reader: IntentsReader
    checks: ScopeChecks
    works: WorkChecks
    lines: list[str] = field(default_factory=list)
    findings: tuple[Finding, ...] = ()
    version: int | None = None
    prepared: bool = False
    surveyed: bool = False
    wanted: int = 0
    task: asyncio.Task[object] | None = None


class ControlFileDiagnostics:
    """Checks the control files of every root of a connection, open in an editor or not."""

    def __init__(self, parts: DiagnosticParts) -> None:
        self._parts = parts
        self._pages: dict[str, ControlFile] = {}

    def page(self, uri: str) -> ControlFile | None:
        """Return the control file at a URI, in any percent-encoding.

        Return None if it is not a control file of a root that was given to `watch`.
        """
        return self._pages.get(path_of_uri(uri) or "")

    def watch(self, governance: Governance) -> None:
        """Add the control files of a root that was opened, and schedule a check of each."""
        seen = partial(is_directory, governance.root)
        # Only editors ask for these, so that no hook loads them.
        works = WorkChecks(governance.stores, governance.listing)
        checks = ScopeChecks(governance.stores, governance.listing, works)
        for path in CONTROL_PAGES:
            place = str(governance.root / path)
            reader = IntentsReader(lambda glob: pattern_findings(glob, seen))
            self._pages[place] = ControlFile(governance, path, uri_of(place), reader, checks, works)
        self.check_root(governance.root)

    def changed(self, uri: str) -> None:
        """Schedule a check of the newest text of the document at `uri`, if it is a control file."""
        page = self.page(uri)
        if page is not None:
            self.check(page)

    def check_root(self, root: Path) -> None:
        """Schedule a check of a root's intents file and of its policy."""
        for page in self._pages.values():
            if page.governance.root == root:
                self.check(page)

    async def settled(self, uri: str) -> None:
        """Wait until the control file at `uri` has no check under way.

        Return at once if it has none, or if `uri` is no control file.
        """
        page = self.page(uri)
        if page is not None and page.task is not None:
            await asyncio.wait({page.task})

    def check(self, page: ControlFile) -> None:
        """Schedule a check of a control file.

        All checks that are asked for during a check are made as one, after it.
        """
        page.wanted += 1
        if page.task is None or page.task.done():
            page.task = self._parts.work.begin(self._check_until_new(page))

    async def _check_until_new(self, page: ControlFile) -> None:
        while True:
            wanted = page.wanted
            document = self._parts.documents.get(page.uri)
            text = None if document is None else document.text
            version = None if document is None else document.version
            uri = page.uri if document is None else document.uri
            lines, found, posting = await self._parts.work.in_thread(
                self._checked, page, text, version, uri
            )
            if wanted == page.wanted:
                page.lines, page.findings, page.version = lines, found, version
                if page.uri != uri:
                    self._parts.publisher.post(page.uri, None, ())
                    page.uri = uri
                self._parts.publisher.show(uri, posting)
                self._follow(page)
                return

    def check_all(self) -> None:
        """Schedule a check of every control file, to publish by the current settings."""
        for page in self._pages.values():
            self.check(page)

    def _checked(
        self, page: ControlFile, text: str | None, version: int | None, uri: str
    ) -> tuple[list[str], tuple[Finding, ...], PublishedDiagnostics]:
        """Return the lines, findings and encoded diagnostics of a control file.

        `text` is the text of the editor's buffer; if it is None, the file on disk is read.
        `version` and `uri` are those to publish the diagnostics with. Slow for many findings.
        """
        lines, found = _read(page, text)
        shown = [
            self._parts.spelling.finding(finding, lines, uri)
            for each in found
            if (finding := self._as_shown(page, each)) is not None
        ]
        return lines, found, self._parts.publisher.posting(uri, version, shown)

    def shown_on(self, page: ControlFile, first: int, last: int) -> Iterator[Finding]:
        """Yield the findings that are shown on the lines `first` to `last` of a control file.

        Lines are counted from 0, and `last` is included. Each finding has the severity that the
        settings give it.
        """
        for finding in page.findings:
            span = finding.span
            if span.start.line <= last and first <= span.end.line:
                shown = self._as_shown(page, finding)
                if shown is not None:
                    yield shown

    def _as_shown(self, page: ControlFile, finding: Finding) -> Finding | None:
        """Return a finding with the severity that it has in the settings, or None if they hide it.

        `page` is the control file with the finding.
        """
        severity = self._parts.settings.severity(finding.code, finding.severity, page.path)
        return None if severity is None else replace(finding, severity=severity)

    def _follow(self, page: ControlFile) -> None:
        """After a check of the intents file, begin `_survey`, unless it is running.

        After the first check, also start to prepare the root for judgements.
        """
        if page.path != INTENTS_FILE:
            return
        if not page.prepared:
            page.prepared = True
            self._parts.work.begin(self._prepare(page.governance))
        if not page.surveyed:
            page.surveyed = True
            self._parts.work.begin(self._survey(page))

    async def _survey(self, page: ControlFile) -> None:
        """Compute the findings that follow from recorded work. If they changed, schedule a check.

        This takes longer than a check, so no check waits for it.
        """
        try:
            changed = await self._parts.work.in_thread(page.works.refresh_if_due)
        finally:
            page.surveyed = False
        if changed:
            self.check(page)

    async def _prepare(self, governance: Governance) -> None:
        """Build the index that the first judgement needs, and exempt it from garbage collection.

        Thousands of intents make hundreds of thousands of objects. Without `gc.freeze` the
        collector would scan them again and again while requests wait.
        """
        await self._parts.work.in_thread(governance.prepare)
        gc.freeze()


def _read(page: ControlFile, typed: str | None) -> tuple[list[str], tuple[Finding, ...]]:
    """Return the lines and findings of the text `typed`, or of the file on disk if it is None."""
    on_disk, wrong = _on_disk(page)
    text = on_disk if typed is None else typed
    if text is None:
        return [], wrong
    lines = split_lines(text)
    if page.path == POLICY_FILE:
        return lines, read_policy(text).findings
    read, checks = page.reader.read(text), page.checks
    more = checks.findings(read, lines) if text == on_disk else checks.typed(read, lines)
    return lines, read.findings + more


def _on_disk(page: ControlFile) -> tuple[str | None, tuple[Finding, ...]]:
    """Return the text of a control file on disk and (), or None and the findings on the whole file.

    A file that is missing, too large, unreadable or no text has one finding that says so. A missing
    policy has none.
    """
    intents = page.path == INTENTS_FILE
    try:
        data = read_bytes(page.governance.root / page.path, MAX_BYTES)
    except TooLargeError as problem:
        return None, _whole(FileCode.YAML_LIMIT, problem.strerror or "")
    except OSError as problem:
        said = _UNREADABLE.format(reason=problem.strerror) + (_OFF if intents else _LAST_GOOD)
        return None, _whole(FileCode.YAML_SYNTAX, said)
    if data is None:
        return None, _whole(FileCode.INTENTS_FILE_MISSING, _GONE) if intents else ()
    content = decode(data)
    if content is None:
        return None, _whole(FileCode.YAML_SYNTAX, _NOT_TEXT + (_OFF if intents else ""))
    return content.text, ()


def _whole(code: FileCode, message: str) -> tuple[Finding, ...]:
    top = Position(0, 0)
    return (Finding(code=code, severity=Severity.ERROR, message=message, span=Span(top, top)),)
