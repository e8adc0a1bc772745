"""The files that people govern by, checked while they are typed: intents and policy (section 3).

Invariant: an unsaved buffer is checked live and governs nothing.
Invariant: the newest text wins; a check of an older one is never shown.
"""

import asyncio
import gc
from dataclasses import dataclass, field, replace
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.content import decode, split_lines
from intent_lsp.core.findings import Finding, Position, Severity, Span
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE, WorkspacePath, path_of_uri
from intent_lsp.core.scope.findings import pattern_findings
from intent_lsp.doors.lsp.attached import Attached
from intent_lsp.doors.lsp.bulletin import Posting
from intent_lsp.doors.lsp.types import uri_of
from intent_lsp.doors.lsp.workplace import CONTROL_PAGES, Workplace
from intent_lsp.formats.intents_yaml import IntentsReader
from intent_lsp.formats.policy_yaml import read_policy

_NOT_TEXT: Final = "The file is not UTF-8 text; governance is off until it is."
_GONE: Final = "The intents file is gone; governance is off until it is back."


@dataclass(slots=True)
class Page:
    """One control file of one root: as last checked, and whether it changed meanwhile.

    `uri` is how the client spells it while it is open, and where its findings are shown.
    """

    attached: Attached
    path: WorkspacePath
    uri: str
    reader: IntentsReader
    lines: list[str] = field(default_factory=list)
    findings: tuple[Finding, ...] = ()
    version: int | None = None
    kept: bool = False
    wanted: int = 0
    busy: bool = False
    task: asyncio.Task[object] | None = None


class ControlPages:
    """Checks the control files of every root, open or not."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._pages: dict[str, Page] = {}

    def page(self, uri: str) -> Page | None:
        """Give a control file as last checked, however its URI is percent-encoded."""
        return self._pages.get(path_of_uri(uri) or "")

    def watch(self, attached: Attached) -> None:
        """Begin to check the control files of a root."""
        for path in CONTROL_PAGES:
            place = str(attached.desk.root / path)
            if place not in self._pages:
                self._pages[place] = _page(attached, path)
        self.check_root(attached)

    def check_root(self, attached: Attached) -> None:
        """Check the control files of a root again."""
        for page in self._pages.values():
            if page.attached is attached:
                self.check(page)

    async def settled(self, uri: str) -> None:
        """Wait until a control file is checked as it stands."""
        page = self.page(uri)
        if page is not None and page.task is not None:
            await asyncio.wait({page.task})

    def check(self, page: Page) -> None:
        """Check a page soon; changes that come meanwhile are checked together."""
        page.wanted += 1
        if not page.busy:
            page.busy = True
            page.task = self._workplace.work.begin(self._check_until_new(page))

    async def _check_until_new(self, page: Page) -> None:
        try:
            while True:
                wanted = page.wanted
                tracked = self._workplace.tracked_at(page.uri)
                is_open = tracked is not None and tracked.version is not None
                text = "".join(tracked.lines) if tracked is not None and is_open else None
                version = tracked.version if tracked is not None else None
                uri = page.uri if tracked is None else tracked.uri
                lines, found, posting = await self._workplace.work.in_thread(
                    self._checked, page, text, version, uri
                )
                if wanted == page.wanted:
                    page.lines, page.findings, page.version = lines, found, version
                    self._move(page, uri)
                    self._workplace.bulletin.show(uri, posting)
                    self._keep(page)
                    return
        finally:
            page.busy = False

    def check_all(self) -> None:
        """Check every control file again, to be shown by the settings as they are now."""
        for page in self._pages.values():
            self.check(page)

    def _checked(
        self, page: Page, text: str | None, version: int | None, uri: str
    ) -> tuple[list[str], tuple[Finding, ...], Posting]:
        """Check a text and spell what is found, which takes long where there is much."""
        workplace = self._workplace
        lines, found = _read(page, text)
        shown = [
            workplace.spelling.finding(replace(finding, severity=severity), lines, uri)
            for finding in (found if workplace.desks.settings.enabled else ())
            if (severity := workplace.severity(finding.code, finding.severity, page.path))
            is not None
        ]
        return lines, found, workplace.bulletin.posting(uri, version, shown)

    def _keep(self, page: Page) -> None:
        """Begin to make lasting what the first check of the intents has found."""
        if not page.kept and page.path == INTENTS_FILE:
            page.kept = True
            self._workplace.work.begin(self._prepare(page))

    async def _prepare(self, page: Page) -> None:
        """Build what the first edit would have to wait for.

        Thousands of intents are hundreds of thousands of values: the garbage collector would look
        through them again and again, while everybody waits.
        """
        await self._workplace.work.in_thread(page.attached.desk.prepare)
        gc.freeze()

    def _move(self, page: Page, uri: str) -> None:
        """Show a page where the client has it open."""
        if page.uri != uri:
            self._workplace.bulletin.post(page.uri, None, ())
            page.uri = uri


def _page(attached: Attached, path: WorkspacePath) -> Page:
    is_directory = attached.desk.scope_checks.is_directory
    reader = IntentsReader(lambda glob: pattern_findings(glob, is_directory))
    return Page(attached, path, uri_of(attached.desk.root / path), reader)


def _read(page: Page, typed: str | None) -> tuple[list[str], tuple[Finding, ...]]:
    """Check a buffer's text, or what is on disk where no editor has the file open."""
    desk = page.attached.desk
    data = desk.contents.disk(page.path)
    on_disk = decode(data or b"")
    text = typed if typed is not None else "" if on_disk is None else on_disk.text
    lines = split_lines(text)
    if data is None and typed is None:
        return lines, _gone(page)
    if typed is None and on_disk is None:
        return lines, (_whole(FileCode.YAML_SYNTAX, _NOT_TEXT),)
    if page.path == POLICY_FILE:
        return lines, read_policy(text).findings
    read = page.reader.read(text)
    saved = on_disk is not None and on_disk.text == text
    checks = desk.scope_checks
    return lines, read.findings + (checks.findings(read) if saved else checks.remembered(read))


def _gone(page: Page) -> tuple[Finding, ...]:
    """Say that the intents file is gone where it governed; a policy may be absent."""
    if page.path != INTENTS_FILE:
        return ()
    return (_whole(FileCode.INTENTS_FILE_MISSING, _GONE),)


def _whole(code: FileCode, message: str) -> Finding:
    top = Position(0, 0)
    return Finding(code=code, severity=Severity.ERROR, message=message, span=Span(top, top))
