"""The stories of `tests/cases`, told at every door."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.core.records import HUMAN
from intent_lsp.doors.lsp.diagnostics.document_diffs import DocumentDiffs
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import Selection
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.saves import Buffer, Written
from intent_lsp.store.fs.resolve import ResolvedPath, resolve_below
from tests.support.editor import Editor, editing
from tests.support.governed import govern
from tests.support.repository import Repository
from tests.support.stories import Story, stories, tell

each_story = pytest.mark.parametrize("story", stories(), ids=lambda story: story.name)


@each_story
async def test_at_the_desk(story: Story, repository: Repository) -> None:
    govern(repository, story.policy)
    governance = Governance(repository.root)
    session = governance.open_editor(None, HUMAN)
    try:
        await tell(story, DeskDoor(governance, session))
    finally:
        governance.close(session)


@pytest.mark.e2e
@each_story
async def test_through_an_editor(story: Story, repository: Repository) -> None:
    govern(repository, story.policy)
    async with editing(repository.root) as editor:
        await tell(story, EditorDoor(editor))


@dataclass
class DeskDoor:
    """The desk asked directly, as a door would ask it."""

    governance: Governance
    session: Session
    tracked: TrackedDocument = field(
        default_factory=lambda: TrackedDocument(uri="", lines=[], version=1)
    )

    @property
    def root(self) -> Path:
        return self.governance.root

    async def select(self, intent_id: str) -> None:
        done = self.governance.checkout.select(self.session, intent_id, unsaved_file=False)
        assert isinstance(done, Selection)

    async def clear(self) -> None:
        self.governance.checkout.clear(self.session)

    async def open(self, path: str) -> None:
        place = resolve_below(self.root, path)
        assert place is not None
        data = self.governance.looks.read_first(place.path) or b""
        lines = split_lines(data.decode())
        open_root = OpenRoot(self.governance, self.session)
        self.tracked = TrackedDocument(
            uri=path, lines=lines, version=1, open_root=open_root, place=place
        )
        self.tracked.disk.saved(data)

    async def text(self) -> str:
        return "".join(self.tracked.lines)

    async def edit(self, text: str) -> None:
        self.tracked.lines = split_lines(text)

    async def shows(self, codes: Sequence[str]) -> None:
        look = self.governance.looks.look(
            self.session,
            self._place,
            self._on_disk,
            self.tracked.disk.read_now,
            edited=self.tracked.lines != split_lines(self._on_disk.decode()),
        )
        self.tracked.look = look
        self.tracked.diffs = DocumentDiffs.of(look, self.tracked.lines) if look.shown else None
        assert [problem.code for problem in self.tracked.show()] == list(codes)

    async def save(self, *, manual: bool) -> None:
        lines = list(self.tracked.lines)
        buffer = Buffer(lines=lines, read=self.tracked.disk.read_now, manual=manual)
        before = self.governance.saves.before(self.session, self._place, buffer)
        if before.draft is not None:
            self.tracked.lines = list(before.content.lines or [])
        (self.root / self._place.path).write_text("".join(self.tracked.lines))
        after = self.governance.saves.after(
            self.session,
            self._place,
            Written(
                disk=self._on_disk,
                known=before.disk,
                read=self.tracked.disk.read_now,
                automatic=not manual,
            ),
        )
        self.tracked.disk.saved(after.disk)

    async def outside_changed(self) -> None:
        self.tracked.disk.saw(self._on_disk, same_as_buffer=False)

    async def records(self) -> list[dict[str, Any]]:
        self.governance.saves.end_runs()
        return traced_by_command_line(self.root)

    async def drafts(self) -> int:
        return len(self.governance.stores.drafts.list())

    async def ledger_ok(self) -> bool:
        return self.governance.stores.ledger.verify().ok

    @property
    def _place(self) -> ResolvedPath:
        assert self.tracked.place is not None
        return self.tracked.place

    @property
    def _on_disk(self) -> bytes:
        return (self.root / self._place.path).read_bytes()


@dataclass
class EditorDoor:
    """A real server process behind a real client."""

    editor: Editor
    name: str = ""

    @property
    def root(self) -> Path:
        return self.editor.root

    async def select(self, intent_id: str) -> None:
        await self.editor.ask("intent/select", {"intentId": intent_id})

    async def clear(self) -> None:
        await self.editor.ask("intent/clear")

    async def open(self, path: str) -> None:
        self.name = path
        self.editor.open(path)
        assert await self.editor.settled(path) == []

    async def text(self) -> str:
        return self.editor.buffers[self.name].text

    async def edit(self, text: str) -> None:
        self.editor.type(self.name, text)

    async def shows(self, codes: Sequence[str]) -> None:
        if not codes:
            await self.editor.settled(self.name)
        await self.editor.problems(self.name, *codes)

    async def save(self, *, manual: bool) -> None:
        reason = lsp.TextDocumentSaveReason
        await self.editor.save(self.name, reason=reason.Manual if manual else reason.AfterDelay)
        await self.editor.settled(self.name)

    async def outside_changed(self) -> None:
        """The server notices by itself."""

    async def records(self) -> list[dict[str, Any]]:
        told = [params for method, params in self.editor.notified if method == "intent/didTrace"]
        by_command_line(self.root, "flush")
        records = traced_by_command_line(self.root)
        await self.editor.traced(len(records))
        assert len(told) <= len(records)
        return records

    async def drafts(self) -> int:
        return len((await self.editor.ask("intent/drafts"))["drafts"])

    async def ledger_ok(self) -> bool:
        return bool((await self.editor.ask("intent/verify"))["ok"])


def traced_by_command_line(root: Path) -> list[dict[str, Any]]:
    """Read the records through the command line, oldest first."""
    printed = by_command_line(root, "list", "--limit", "0", "--json")
    return [json.loads(line) for line in reversed(printed.splitlines())]


def by_command_line(root: Path, *words: str) -> str:
    """Run `trace` in a root, and give what it printed."""
    command = [sys.executable, "-m", "intent_lsp", "trace", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
