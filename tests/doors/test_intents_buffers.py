"""The texts of open intents files: how often they are parsed, and when they are dropped."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.features import intents_buffers
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffers
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.executor import THREADS, BackgroundExecutor
from intent_lsp.formats.intents.structure.entries import IntentsStructure, read_structure

TEXT = "- id: A\n"
BROKEN = "- id: [\n"


class OneDocument:
    """One open intents file below `root`, asked about by any URI. `parsed` are the texts parsed."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = root / INTENTS_FILE
        self.file.parent.mkdir()
        self.parsed: list[str] = []
        self.work = BackgroundExecutor()
        self.tracked = SimpleNamespace(
            uri="file:///x",
            version=1,
            lines=[],
            path=INTENTS_FILE,
            open_root=SimpleNamespace(governance=SimpleNamespace(root=root)),
        )
        documents = SimpleNamespace(tracked_at=lambda _: self.tracked)
        spelling = SimpleNamespace(encoding=PositionEncoding.UTF_16)
        connection = SimpleNamespace(tracked_documents=documents, spelling=spelling, work=self.work)
        self.buffers = IntentsBuffers(cast("Any", connection))
        monkeypatch.setattr(intents_buffers, "read_structure", self._parse)

    async def ask(self, text: str, uri: str = "file:///x") -> str | None:
        """Return the text whose structure answers a request about `text`."""
        self.tracked.lines = split_lines(text)
        found = await self.buffers.of(uri)
        return None if found is None else found.structure.text

    def _parse(self, text: str) -> IntentsStructure | None:
        self.parsed.append(text)
        return read_structure(text)


@pytest.fixture
async def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OneDocument]:
    made = OneDocument(tmp_path, monkeypatch)
    yield made
    await made.work.end()


@pytest.mark.parametrize(("saved", "answer"), [(TEXT, TEXT), ("- id: [[\n", None)])
async def test_the_file_on_disk_is_parsed_once(
    document: OneDocument, saved: str, answer: str | None
) -> None:
    document.file.write_text(saved)
    for _ in range(3):
        assert await document.ask(BROKEN) == answer
    assert document.parsed == [BROKEN, saved]
    document.file.write_text("- id: other\n")
    assert await document.ask(BROKEN) == "- id: other\n"
    document.file.unlink()
    assert await document.ask(BROKEN) is None


async def test_a_closed_document_is_forgotten(document: OneDocument) -> None:
    document.file.write_text("- id: saved\n")
    await document.ask(BROKEN, "file:///other%20spelling")
    await document.ask(TEXT, "file:///other%20spelling")
    document.tracked.version = None
    assert await document.ask(TEXT) is None
    document.buffers.closed(cast("Any", document.tracked))
    assert len(document.parsed) == 3
    document.tracked.version = 2
    # What it held before it was closed answers nothing any more: it is read anew.
    assert await document.ask(BROKEN) == "- id: saved\n"
    assert len(document.parsed) == 5


async def test_a_text_that_is_not_the_newest_is_not_parsed(document: OneDocument) -> None:
    assert await document.ask(TEXT) == TEXT
    free, texts = threading.Event(), [f"- id: A{number}\n" for number in range(3)]
    busy = [document.work.begin(document.work.in_thread(free.wait, 10)) for _ in range(THREADS)]
    asked = []
    for text in texts:
        asked.append(asyncio.create_task(document.ask(text)))
        await asyncio.sleep(0.01)
    free.set()
    assert await asyncio.gather(*asked) == [texts[-1]] * 3
    assert document.parsed == [TEXT, texts[-1]]
    await asyncio.gather(*busy)
