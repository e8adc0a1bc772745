"""Completion of the intents file and the policy (protocol section 4).

Invariant: an edit replaces only text of the cursor's line. It begins where the word begins, and
ends where the word ends, or before that.
Invariant: documentation is only sent for an item that the client asks about.
"""

from collections.abc import Sequence
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.paths import path_of_uri
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.control_files import CONTROL_PAGES
from intent_lsp.doors.lsp.diagnostics.lsp_convert import (
    files_at,
    part_range,
    place_of,
    registration,
)
from intent_lsp.doors.lsp.protocol.documents import Documents
from intent_lsp.doors.lsp.runtime.client_capabilities import member
from intent_lsp.formats.intents.completion.proposal import (
    Proposal,
    ProposalKind,
    ProposedEdit,
    TextName,
)
from intent_lsp.formats.intents.completion.shapes import text_about
from intent_lsp.governance.authoring.completion import Completion

TRIGGERS: Final = ("/", '"', "'", " ", "[", "{", "*", "!")
"""The characters that open completion in a control file.

A space follows `key:` and the dash of an item; a quote or bracket begins a value; `/` begins the
next segment of a glob, and `*` and `!` a glob without quotes.
"""

_KINDS: Final = {
    ProposalKind.KEY: lsp.CompletionItemKind.Property,
    ProposalKind.WORD: lsp.CompletionItemKind.EnumMember,
    ProposalKind.DIRECTORY: lsp.CompletionItemKind.Folder,
    ProposalKind.FILE: lsp.CompletionItemKind.File,
    ProposalKind.GLOB: lsp.CompletionItemKind.Operator,
    ProposalKind.SKELETON: lsp.CompletionItemKind.Snippet,
    ProposalKind.NAME: lsp.CompletionItemKind.Constant,
    ProposalKind.DATE: lsp.CompletionItemKind.Value,
}
_ABOUT: Final = "about"


class CompletionFeature:
    """Answers `textDocument/completion` and `completionItem/resolve` on one connection."""

    def __init__(self, connection: Connection, documents: Documents) -> None:
        self._documents = documents
        self._tracked_documents = connection.tracked_documents
        self._client = connection.client.completion
        self._encoding = connection.spelling.encoding

    async def completion(self, params: lsp.CompletionParams) -> lsp.CompletionList | None:
        """Answer `textDocument/completion`: what may be written at a position of a control file.

        Return None if the file is no open control file of a governed root, or if nothing can be
        proposed.
        """
        # Clients ask at every word of a source file, so these are answered first.
        path = path_of_uri(params.text_document.uri) or ""
        document = self._documents.get(params.text_document.uri)
        if document is None or not path.endswith(CONTROL_PAGES):
            return None
        lines = list(document.lines)
        in_thread = self._tracked_documents.work.in_thread
        found = await in_thread(self._found, params.text_document.uri, lines, params.position)
        if found is None:
            return None
        items = [
            self._item(found, each, lines)
            for each in found.proposals
            if self._client.replaces or not _replaces_behind(each.written, found)
        ]
        for index, item in enumerate(items):
            item.sort_text = f"{index:05}"
        return lsp.CompletionList(is_incomplete=not found.whole, items=items) if items else None

    async def resolve(self, item: lsp.CompletionItem) -> lsp.CompletionItem:
        """Answer `completionItem/resolve`: the item with the text about its key or word.

        Return the same object, changed; if there is no such text, unchanged.
        """
        about = _about(item.data)
        text = None if about is None else text_about(about)
        if text is None:
            return item
        item.detail, item.documentation = text.title, text.description
        if self._client.markdown:
            markdown = lsp.MarkupKind.Markdown
            item.documentation = lsp.MarkupContent(kind=markdown, value=text.description)
        return item

    def _found(self, uri: str, lines: Sequence[str], asked: lsp.Position) -> Completion | None:
        """Return the completion at the client's position `asked` in the file at `uri`.

        Return None if it is no control file of a governed root, or if nothing can be proposed.
        """
        # The root may not be open yet: it is opened by a task that begins with the document.
        found = self._tracked_documents.open_roots.of_uri(uri)
        if found is None or found[1].path not in CONTROL_PAGES:
            return None
        open_root, place = found
        position = place_of(lines, asked, self._encoding)
        return open_root.completion.at(place.path, lines, position)

    def _item(
        self, found: Completion, proposal: Proposal, lines: Sequence[str]
    ) -> lsp.CompletionItem:
        written = proposal.written
        snippet = self._client.snippets and written.snippet != written.text
        text = written.snippet if snippet else written.text
        mode = self._mode(text)
        if mode is lsp.InsertTextMode.AsIs:
            text = text.replace("\n", "\n" + found.indent)
        about = proposal.about
        return lsp.CompletionItem(
            label=proposal.label,
            kind=_KINDS[proposal.kind],
            filter_text=written.matched,
            insert_text_format=lsp.InsertTextFormat.Snippet if snippet else None,
            insert_text_mode=mode,
            text_edit=self._edit(text, found, written, lines),
            data=None if about is None else {_ABOUT: [about.table, about.key, about.word]},
        )

    def _mode(self, text: str) -> lsp.InsertTextMode | None:
        """Return how the client is to indent the further lines of a text.

        It is to adjust them to the first line if it can, else to leave them as they are. Return
        None for a text of one line, and if the client declares neither.
        """
        if "\n" not in text:
            return None
        if self._client.adjusts:
            return lsp.InsertTextMode.AdjustIndentation
        return lsp.InsertTextMode.AsIs if self._client.as_is else None

    def _edit(
        self, text: str, found: Completion, written: ProposedEdit, lines: Sequence[str]
    ) -> lsp.TextEdit | lsp.InsertReplaceEdit:
        """Return the edit that puts a text in place of what was typed before the cursor.

        The cursor is at `found.column`. With `written.over` the edit also replaces what follows, up
        to `written.end`. Without it, the person chooses whether that is replaced, if the client
        supports it.
        """
        start, line = written.start, found.line
        typed = part_range(lines, line, (start, found.column), self._encoding)
        end = max(written.end, found.column)
        whole = part_range(lines, line, (start, end), self._encoding)
        if written.over or not self._client.replaces:
            return lsp.TextEdit(range=whole if written.over else typed, new_text=text)
        return lsp.InsertReplaceEdit(new_text=text, insert=typed, replace=whole)


def _replaces_behind(written: ProposedEdit, found: Completion) -> bool:
    """Return whether an edit has to replace text after the cursor.

    Such an edit is not offered to a client without `CompletionClient.replaces`, because that client
    may leave the rest of a word in place.
    """
    return written.over and written.end > found.column


def completion_registration() -> lsp.Registration:
    """Return the registration of completion for control files alone."""
    options = lsp.CompletionRegistrationOptions(
        document_selector=files_at(*CONTROL_PAGES),
        trigger_characters=list(TRIGGERS),
        resolve_provider=True,
    )
    return registration(lsp.TEXT_DOCUMENT_COMPLETION, options)


def _about(data: object) -> TextName | None:
    """Return the text's name in the data of a completion item, or None if the data have none."""
    given = member(data, _ABOUT)
    parts = list(given) if isinstance(given, (list, tuple)) else []
    named = len(parts) == len(TextName.__struct_fields__) and all(
        isinstance(part, str) for part in parts
    )
    return TextName(*parts) if named else None
