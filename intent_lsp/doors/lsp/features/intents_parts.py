"""What a part of the open intents file means, and where it leads (protocol section 4).

Hovers and inlay hints say what it means. Links and definitions lead from it.

Invariant: a link is offered only for a file that exists, and has no target until it is resolved.
"""

from collections.abc import Iterable
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.core.text import whole
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.features.intents_buffers import IntentsBuffer, IntentsBuffers
from intent_lsp.doors.lsp.runtime.client_capabilities import member
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.intents.structure.lookup import globs_of
from intent_lsp.formats.markdown.editor_text import markdown_of, plain_of
from intent_lsp.governance.authoring.authoring import Destinations

_TOP: Final = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
_AT_ONCE: Final = 16
"""How many globs are counted before a request can be cancelled again."""

DefinitionAnswer = list[lsp.Location] | list[lsp.LocationLink] | None


class IntentsParts:
    """Answers requests about parts of intents files on one connection."""

    def __init__(self, connection: Connection, buffers: IntentsBuffers) -> None:
        self._buffers = buffers
        self._tracked_documents = connection.tracked_documents
        self._in_thread = connection.work.in_thread
        self._client = connection.client

    async def hover(self, buffer: IntentsBuffer, position: lsp.Position) -> lsp.Hover | None:
        """Return what the part at a position means.

        Return None if there is no part, if its line has changed since the text parsed, or if
        nothing is known of it.
        """
        part = buffer.part(position)
        place = None if part is None else buffer.range(part.start, part.end)
        if part is None or place is None:
            return None
        await self._buffers.renewals.renew(buffer.open_root)
        authoring = buffer.open_root.authoring
        found = await self._in_thread(authoring.explanations.of_part, buffer.structure, part)
        if found is None:
            return None
        markdown = self._client.markdown
        kind = lsp.MarkupKind.Markdown if markdown else lsp.MarkupKind.PlainText
        written = markdown_of if markdown else plain_of
        value = written(found.title, found.paragraphs, found.glob)
        return lsp.Hover(contents=lsp.MarkupContent(kind=kind, value=value), range=place)

    async def inlay_hints(self, buffer: IntentsBuffer, shown: lsp.Range) -> list[lsp.InlayHint]:
        """Return a hint after each glob that ends in the range `shown`: how many files it matches.

        A glob has none if git does not list the files of the work tree.
        """
        await self._buffers.renewals.renew(buffer.open_root)
        globs = await self._in_thread(_shown, buffer, shown)
        found = list[lsp.InlayHint]()
        # Counting may take long: a request that is cancelled ends with the globs at hand.
        for first in range(0, len(globs), _AT_ONCE):
            found += await self._in_thread(_hints, buffer, globs[first : first + _AT_ONCE])
        return found

    async def resolved(self, link: lsp.DocumentLink) -> lsp.DocumentLink:
        """Answer `documentLink/resolve`: the link with its target.

        If the client shows tooltips, the link also gets a tooltip. A link that is not one of ours,
        or whose intents file no root governs now, stays as it is.
        """
        uri, path = _named(link.data)
        tracked = None if uri is None else self._tracked_documents.tracked_at(uri)
        open_root = None if tracked is None else tracked.open_root
        if open_root is None or path is None:
            return link
        link.target = uri_of(open_root.governance.root / path)
        if self._client.link_tooltips:
            link.tooltip = await self._in_thread(_tooltip, open_root, path)
        return link

    async def definition(self, params: lsp.DefinitionParams) -> DefinitionAnswer:
        """Answer `textDocument/definition` in an intents file.

        A glob leads to files that it matches, and a related file to that file. An id, an alias and
        a pointer such as `active_intent` lead to the id of the intent. Return None at any other
        place, and if nothing is found.
        """
        buffer = await self._buffers.of(params.text_document.uri)
        part = None if buffer is None else buffer.part(params.position)
        if buffer is None or part is None:
            return None
        await self._buffers.renewals.renew(buffer.open_root)
        authoring = buffer.open_root.authoring
        found = await self._in_thread(authoring.destinations, buffer.structure, part)
        places = _places(buffer, found)
        if not self._client.definition_links:
            return places or None
        origin = buffer.range(part.start, part.end)
        return [
            lsp.LocationLink(
                origin_selection_range=origin,
                target_uri=place.uri,
                target_range=place.range,
                target_selection_range=place.range,
            )
            for place in places
        ] or None


def links(buffer: IntentsBuffer, _: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    """Answer `textDocument/documentLink`: the parts that name one existing file.

    They are globs without wildcards, and related files.
    """
    found = []
    for link in buffer.open_root.authoring.links(buffer.structure):
        place = buffer.range(link.start, link.end)
        if place is not None:
            data = {"uri": buffer.uri, "path": link.path}
            found.append(lsp.DocumentLink(range=place, data=data))
    return found


def _shown(buffer: IntentsBuffer, shown: lsp.Range) -> list[tuple[str, lsp.Position]]:
    """Return the globs that end in a range, each with the position of its end.

    No two of them end at the same position.
    """
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


def _named(data: object) -> tuple[str | None, WorkspacePath | None]:
    """Return the document and the path in a link's data. Each is None if the data lacks it."""
    uri, path = member(data, "uri"), member(data, "path")
    return (
        uri if isinstance(uri, str) else None,
        parse_relative(path) if isinstance(path, str) else None,
    )


def _tooltip(open_root: OpenRoot, path: WorkspacePath) -> str:
    owners = [owner.intent_id for owner in open_root.governance.owners(path)]
    return whole(f"{path} (owned by {', '.join(owners) or 'no intent'})")


def _places(buffer: IntentsBuffer, found: Destinations) -> list[lsp.Location]:
    root, node = buffer.open_root.governance.root, found.entry and found.entry.id_node
    places = [lsp.Location(uri_of(root / path), _TOP) for path in found.files]
    own = None if node is None else buffer.range(node.start, node.end)
    return places if own is None else [*places, lsp.Location(buffer.uri, own)]
