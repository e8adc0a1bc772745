"""Hovers and inlay hints in the open intents file (protocol section 4)."""

from collections.abc import Iterable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.text import whole
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer
from intent_lsp.doors.lsp.features.tree_renewals import TreeRenewals
from intent_lsp.formats.intents.structure.lookup import globs_of
from intent_lsp.formats.markdown.hover_text import markdown_of, plain_of

_AT_ONCE: Final = 16
"""How many globs are counted before a request can be cancelled again."""


class IntentsHover:
    """Answers hover and inlay hint requests in intents files on one connection."""

    def __init__(self, connection: Connection, renewals: TreeRenewals) -> None:
        self._renewals = renewals
        self._in_thread = connection.work.in_thread
        self._markdown = connection.client.markdown

    async def hover(self, buffer: IntentsBuffer, position: lsp.Position) -> lsp.Hover | None:
        """Return what the part at a position means.

        Return None if there is no part, if its line has changed since the text parsed, or if
        nothing is known of it.
        """
        part = buffer.part(position)
        place = None if part is None else buffer.range(part.start, part.end)
        if part is None or place is None:
            return None
        await self._renewals.renew(buffer.open_root)
        authoring = buffer.open_root.authoring
        found = await self._in_thread(authoring.explained, buffer.structure, part)
        if found is None:
            return None
        kind = lsp.MarkupKind.Markdown if self._markdown else lsp.MarkupKind.PlainText
        written = markdown_of if self._markdown else plain_of
        value = written(found.title, found.paragraphs, found.glob)
        return lsp.Hover(contents=lsp.MarkupContent(kind=kind, value=value), range=place)

    async def inlay_hints(self, buffer: IntentsBuffer, shown: lsp.Range) -> list[lsp.InlayHint]:
        """Return a hint after each glob that ends in the range `shown`: how many files it matches.

        A glob has none if git does not list the files of the work tree.
        """
        await self._renewals.renew(buffer.open_root)
        globs = await self._in_thread(_shown, buffer, shown)
        found = list[lsp.InlayHint]()
        # Counting may take long: a request that is cancelled ends with the globs at hand.
        for first in range(0, len(globs), _AT_ONCE):
            found += await self._in_thread(_hints, buffer, globs[first : first + _AT_ONCE])
        return found


def _shown(buffer: IntentsBuffer, shown: lsp.Range) -> list[tuple[str, lsp.Position]]:
    """Return each glob that ends in a range, once, with the position of its end."""
    found: dict[int, tuple[str, lsp.Position]] = {}
    for glob in globs_of(buffer.structure):
        place = buffer.range(glob.end, glob.end)
        if place is not None and shown.start <= place.start <= shown.end:
            found[glob.end] = (glob.text, place.start)
    return list(found.values())


def _hints(buffer: IntentsBuffer, globs: Iterable[tuple[str, lsp.Position]]) -> list[lsp.InlayHint]:
    """Return the hints of globs, each given with the position of its end."""
    authoring = buffer.open_root.authoring
    counted = ((place, authoring.count(glob)) for glob, place in globs)
    return [
        lsp.InlayHint(
            position=place,
            label=count.words,
            padding_left=True,
            tooltip="\n".join(map(whole, count.first)) or None,
        )
        for place, count in counted
        if count is not None
    ]
