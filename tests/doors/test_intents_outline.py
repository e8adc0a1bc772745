"""The outline of an intents file: which thread makes it."""

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.doors.lsp.features import intents_outline
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.formats.intents.structure.entries import read_structure
from intent_lsp.formats.intents.structure.outline import CarriedPlaces

TEXT = "- id: A\n  owned_scope: [a, b]\n"


@pytest.mark.parametrize("trees", [True, False])
async def test_symbols_are_converted_on_a_thread(
    monkeypatch: pytest.MonkeyPatch, *, trees: bool
) -> None:
    lines, structure, work = split_lines(TEXT), read_structure(TEXT), BackgroundExecutor()
    assert structure is not None
    buffer = IntentsBuffer(
        uri="file:///x",
        open_root=cast("Any", None),
        version=1,
        lines=lines,
        structure=structure,
        places=CarriedPlaces(lines, lines),
        encoding=PositionEncoding.UTF_16,
    )
    threads = set[threading.Thread]()
    convert = intents_outline.span_range

    def converted(*arguments: Any) -> lsp.Range:
        threads.add(threading.current_thread())
        return convert(*arguments)

    async def of(_: str) -> IntentsBuffer:
        return buffer

    monkeypatch.setattr(intents_outline, "span_range", converted)
    connection = SimpleNamespace(
        tracked_documents=None, work=work, spelling=SimpleNamespace(encoding=None)
    )
    buffers = IntentsBuffers(cast("Any", connection))
    monkeypatch.setattr(buffers, "of", of)
    read: Any = intents_outline.symbol_tree if trees else intents_outline.symbol_list
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier("file:///x"))
    assert len(await buffers.answering(read)(params)) == (1 if trees else 4)
    assert threads
    assert threading.current_thread() not in threads
    await work.end()
