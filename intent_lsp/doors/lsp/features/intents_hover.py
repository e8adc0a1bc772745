"""Hovers and inlay hints in the open intents file (protocol section 4)."""

from lsprotocol import types as lsp

from intent_lsp.core.text import whole
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer
from intent_lsp.formats.intents.structure.lookup import globs_of
from intent_lsp.formats.markdown.hover_text import markdown_of, plain_of


class IntentsHover:
    """Answers hover and inlay hint requests in intents files on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._in_thread = connection.tracked_documents.work.in_thread
        self._markdown = connection.client.markdown

    async def hover(self, buffer: IntentsBuffer, position: lsp.Position) -> lsp.Hover | None:
        """Return what a part of an intents file means, or None if nothing is known of it."""
        part = buffer.part(position)
        place = None if part is None else buffer.range(part.start, part.end)
        if part is None or place is None:
            return None
        authoring = buffer.open_root.authoring
        found = await self._in_thread(authoring.explained, buffer.structure, part)
        if found is None:
            return None
        kind = lsp.MarkupKind.Markdown if self._markdown else lsp.MarkupKind.PlainText
        written = markdown_of if self._markdown else plain_of
        value = written(found.title, found.paragraphs)
        return lsp.Hover(contents=lsp.MarkupContent(kind=kind, value=value), range=place)

    async def inlay_hints(self, buffer: IntentsBuffer, shown: lsp.Range) -> list[lsp.InlayHint]:
        """Return how many files each glob in the range `shown` matches, after the glob."""
        return await self._in_thread(_hints, buffer, shown)


def _hints(buffer: IntentsBuffer, shown: lsp.Range) -> list[lsp.InlayHint]:
    """Return the hints of the globs in a range, one for each glob."""
    authoring = buffer.open_root.authoring
    found: dict[int, lsp.InlayHint] = {}
    for glob in globs_of(buffer.structure):
        place = buffer.range(glob.end, glob.end)
        if place is None or not shown.start <= place.start <= shown.end:
            continue
        count = authoring.count(glob.text)
        if count is not None:
            found[glob.end] = lsp.InlayHint(
                position=place.start,
                label=count.words,
                padding_left=True,
                tooltip="\n".join(map(whole, count.first)) or None,
            )
    return list(found.values())
