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
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import Selection
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.open_file import GovernedPlace, OpenFile
from intent_lsp.governance.violations.document_diffs import DocumentDiffs
from intent_lsp.governance.violations.file_violations import file_violations, marked_lines
from intent_lsp.store.fs.resolve import resolve_below
from tests.support.editor import Editor, editing
from tests.support.governed_repository import govern
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
    """Governance asked directly, as a door would ask it."""

    governance: Governance
    session: Session
    file: OpenFile = field(default_factory=OpenFile)
    lines: list[str] = field(default_factory=list)

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
        governed = GovernedPlace(self.governance.saves, self.session, place)
        self.file = OpenFile()
        self.file.attach(governed, None)
        self.lines = list(self.file.disk.known.lines or ())

    async def text(self) -> str:
        return "".join(self.lines)

    async def edit(self, text: str) -> None:
        self.lines = split_lines(text)

    async def shows(self, codes: Sequence[str]) -> None:
        state = self.file.snapshot(self.lines)
        assert state is not None
        diffs = DocumentDiffs.of(state, self.lines) if state.shown else None
        runs = marked_lines(state, diffs, self.lines)
        found = file_violations(self.root, state, runs)
        assert [each.code for each in found] == list(codes)

    async def save(self, *, manual: bool) -> None:
        self.file.writes(list(self.lines))
        before = self.file.judge(list(self.lines), manual=manual)
        assert before is not None
        if before.draft is not None:
            self.lines = list(before.disk.lines or ())
        (self.root / before.judgement.path).write_text("".join(self.lines))
        self.file.writes(list(self.lines))
        saved = list(self.lines)
        assert self.file.record(saved, saved, before, automatic=not manual) is not None

    async def outside_changed(self) -> None:
        self.file.snapshot(self.lines)

    async def records(self) -> list[dict[str, Any]]:
        self.governance.saves.end_runs()
        return traced_by_command_line(self.root)

    async def drafts(self) -> int:
        return len(self.governance.stores.drafts.list())

    async def ledger_ok(self) -> bool:
        return self.governance.stores.ledger.verify().ok


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
