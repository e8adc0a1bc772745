"""The code action *Fix all*: how often a text is fixed, and what is answered for an older text."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.features import fix_all_action
from intent_lsp.doors.lsp.features.fix_all_action import FixAllAction
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.formats.intents.fix_all import FixedText, fix_intents

OTHER = "intents:\n- id: A\n  owned_scope: [a]\n"


class SlowFixes:
    """An open intents file whose fixes take until `go` is set. `fixed` are the texts fixed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go, self.fixed = threading.Event(), list[str]()
        self.work = BackgroundExecutor()
        self.tracked = SimpleNamespace(uri="file:///x", version=1, lines=split_lines(OTHER))
        connection = SimpleNamespace(
            work=self.work,
            spelling=LspEncoder(ClientCapabilities(), PositionEncoding.UTF_16),
        )
        self.action = FixAllAction(cast("Any", connection))
        monkeypatch.setattr(fix_all_action, "fix_intents", self._fix)

    async def ask(self) -> list[lsp.CodeAction]:
        page = SimpleNamespace(path=INTENTS_FILE, version=None, findings=())
        return await self.action.offered(cast("Any", page), cast("Any", self.tracked))

    def _fix(self, text: str) -> FixedText:
        self.fixed.append(text)
        assert self.go.wait(10)
        return fix_intents(text)


@pytest.fixture
async def slow(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlowFixes]:
    made = SlowFixes(monkeypatch)
    yield made
    made.go.set()
    await made.work.end()


async def test_a_text_is_fixed_once_for_all_that_ask_meanwhile(slow: SlowFixes) -> None:
    asked = [asyncio.create_task(slow.ask()) for _ in range(8)]
    await asyncio.sleep(0.01)
    asked[0].cancel()
    with suppress(asyncio.CancelledError):
        await asked[0]
    slow.go.set()
    for (action,) in await asyncio.gather(*asked[1:]):
        assert action.title == "Fix all that is safe to fix (1)"
    assert len(await slow.ask()) == 1
    assert slow.fixed == [OTHER]


async def test_a_text_that_has_changed_meanwhile_gets_no_edit(slow: SlowFixes) -> None:
    # Without `documentChanges` an editor cannot know which text an edit is for.
    asked = asyncio.create_task(slow.ask())
    await asyncio.sleep(0.01)
    slow.tracked.version, slow.tracked.lines = 2, split_lines(f"# mine\n{OTHER}")
    slow.go.set()
    assert await asked == []
    assert len(await slow.ask()) == 1
