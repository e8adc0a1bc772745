"""A headless editor: a real LSP client with buffers and saves, connected to a real server process.

The end-to-end tests use it. It is built on pytest-lsp's client and treats edits, saves and messages
as editors do. Nothing here sleeps: tests wait for messages.
"""

import asyncio
import codecs
import json
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.doors.lsp.diagnostics.lsp_convert import position, uri_of
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding, end_of
from tests.support import forked_servers
from tests.support.client_texts import edited, text_in

PATIENCE = 60.0
SERVER = (sys.executable, "-m", "intent_lsp", "serve")
PATIENT = (sys.executable, "-m", "tests.support.unhurried_server", "serve")
"""The command of a server that waits for its judgement, however busy the machine is."""
STARTED = ("env", *SERVER)
"""The command of a server that is really started, not forked: for tests of its loading."""


def jittered_server(seed: int) -> Sequence[str]:
    """Return the command of a server whose threads are delayed at random (`jittered_server`)."""
    return (sys.executable, "-m", "tests.support.jittered_server", str(seed), "serve")


NOTIFICATIONS = ("intent/didChange", "intent/didDeny", "intent/didTrace")


@dataclass
class Buffer:
    """The text of one open file, and its encoding on disk."""

    uri: str
    path: Path
    text: str
    version: int = 1
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def data(self) -> bytes:
        """What a save writes."""
        return self.mark + self.text.encode(self.encoding)


MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"))


def capabilities(**changes: Any) -> lsp.ClientCapabilities:
    """Return the capabilities of this editor; `workspace__applyEdit=False` changes one of them."""
    declared: dict[str, Any] = {
        "workspace": {
            "applyEdit": True,
            "configuration": False,
            "workspaceFolders": True,
            "workspaceEdit": {"documentChanges": True},
        },
        "textDocument": {
            "synchronization": {"didSave": True, "willSave": True, "willSaveWaitUntil": True},
            "publishDiagnostics": {
                "relatedInformation": True,
                "versionSupport": True,
                "codeDescriptionSupport": True,
                "dataSupport": True,
            },
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}
            },
        },
        "window": {"showDocument": {"support": True}, "showMessage": {}},
        "general": {"positionEncodings": ["utf-16"]},
        "experimental": {"intent": {"notifications": True}},
    }
    for place, value in changes.items():
        node = declared
        *parents, last = place.split("__")
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    structured: lsp.ClientCapabilities = _converter().structure(declared, lsp.ClientCapabilities)
    return structured


def _converter() -> Any:
    from pygls.protocol import default_converter  # noqa: PLC0415

    return default_converter()


@dataclass
class Editor:
    """One editor window with its server process, and all that the server has sent so far.

    `shown`: diagnostics by URI; `messages`: `window/showMessage`; `asked`: questions to the person;
    `documents_shown`: `window/showDocument`.
    """

    client: pytest_lsp.LanguageClient
    root: Path
    encoding: PositionEncoding = PositionEncoding.UTF_16
    server_capabilities: lsp.ServerCapabilities | None = None
    buffers: dict[str, Buffer] = field(default_factory=dict)
    shown: dict[str, lsp.PublishDiagnosticsParams] = field(default_factory=dict)
    notified: list[tuple[str, Any]] = field(default_factory=list)
    asked: list[lsp.ShowMessageRequestParams] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
    settings: Any = None
    mistaken: bool = False
    deleted: list[Path] = field(default_factory=list)
    documents_shown: list[lsp.ShowDocumentParams] = field(default_factory=list)
    refreshed: int = 0
    asked_again: set[str] = field(default_factory=set)
    leaving: bool = False
    registered: list[str] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    # -- a person's actions -------------------------------------------------------------------

    def open(self, name: str, text: str | None = None, *, uri: str | None = None) -> Buffer:
        """Open a file, with the text on disk, or with a text that was never saved."""
        path = self.root / name
        buffer = Buffer(uri or uri_of(path), path, text or "")
        if text is None:
            _load(buffer)
        self.buffers[name] = buffer
        self.client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(
                lsp.TextDocumentItem(
                    uri=buffer.uri, language_id="plaintext", version=1, text=buffer.text
                )
            )
        )
        return buffer

    def reload(self, name: str) -> None:
        """Load the text from disk again, as editors do with a buffer without unsaved edits."""
        buffer = self.buffers[name]
        _load(buffer)
        whole = lsp.TextDocumentContentChangeWholeDocument(text=buffer.text)
        self._change(buffer, buffer.text, [whole])

    def type(self, name: str, text: str) -> Buffer:
        """Replace a buffer's text, and send the smallest single edit that leads there."""
        buffer = self.buffers[name]
        old, new = buffer.text, text
        head = common_head(old, new)
        tail = common_tail(old, new, head)
        # Never split CRLF: no position lies between its two characters.
        while head and old[head - 1] == "\r":
            head -= 1
        while tail and old[-tail] == "\n":
            tail -= 1
        lines = split_lines(old)
        change = lsp.TextDocumentContentChangePartial(
            range=lsp.Range(
                self.position(lines, old[:head]),
                self.position(lines, old[: len(old) - tail]),
            ),
            text=new[head : len(new) - tail],
        )
        self._change(buffer, new, [change])
        return buffer

    async def save(
        self,
        name: str,
        *,
        reason: lsp.TextDocumentSaveReason = lsp.TextDocumentSaveReason.Manual,
        ask: bool = True,
        reformat: Callable[[str], str] | None = None,
    ) -> bytes:
        """Save a buffer as editors do: ask before, apply the edits, write, announce the save.

        `ask=False` is an editor without `willSaveWaitUntil`. Returns the bytes written.
        """
        buffer = self.buffers[name]
        if ask:
            edits = await self.client.text_document_will_save_wait_until_async(
                lsp.WillSaveTextDocumentParams(lsp.TextDocumentIdentifier(buffer.uri), reason)
            )
            self.apply(buffer, edits or [])
        if reformat is not None:
            # Another server's edits, which editors apply after ours.
            self.type(name, reformat(buffer.text))
        data = buffer.data
        if data or buffer.path.exists() or ask:
            _write(buffer.path, data)
        self.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(buffer.uri))
        )
        return data

    def close(self, name: str) -> None:
        """Close a buffer."""
        buffer = self.buffers.pop(name)
        self.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(buffer.uri))
        )

    async def actions(
        self, name: str, line: int = 0, character: int = 0, only: Sequence[str] | None = None
    ) -> dict[str, lsp.CodeAction]:
        """Return the code actions on a line, by title; if `only` is given, those of its kinds."""
        place = lsp.Position(line, character)
        found = await self._actions(name, lsp.Range(place, place), only)
        return {action.title: action for action in found}

    async def actions_within(self, name: str, first: int, last: int) -> list[lsp.CodeAction]:
        """Return the code actions on the lines from `first` to `last`, counted from 0."""
        return await self._actions(name, lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0)))

    async def _actions(
        self, name: str, place: lsp.Range, only: Sequence[str] | None = None
    ) -> list[lsp.CodeAction]:
        buffer = self.buffers[name]
        published = self.shown.get(buffer.uri)
        touched = [
            d
            for d in (published.diagnostics if published else [])
            if d.range.start.line <= place.end.line and place.start.line <= d.range.end.line
        ]
        found = await self.client.text_document_code_action_async(
            lsp.CodeActionParams(
                text_document=lsp.TextDocumentIdentifier(buffer.uri),
                range=place,
                context=lsp.CodeActionContext(diagnostics=touched, only=only),
            )
        )
        return [action for action in found or [] if isinstance(action, lsp.CodeAction)]

    async def run(self, action: lsp.CodeAction) -> Any:
        """Run a code action: apply its edit, then run its command; return the command's answer.

        An action with data alone is resolved first.
        """
        if action.edit is None and action.command is None and action.data is not None:
            action = await self.client.code_action_resolve_async(action)
        if action.edit is not None:
            assert self._apply_workspace_edit(action.edit), "the text has moved on"
        if action.command is not None:
            return await self.command(action.command.command, *(action.command.arguments or []))
        return None

    # -- requests -----------------------------------------------------------------------------

    async def ask(self, method: str, params: Any = None) -> Any:
        """Send an `intent/*` request; return its answer as plain JSON."""
        return plain(await self.client.protocol.send_request_async(method, params))

    async def command(self, name: str, *arguments: Any) -> Any:
        """Run a command of the server; return its answer as plain JSON."""
        return plain(
            await self.client.workspace_execute_command_async(
                lsp.ExecuteCommandParams(command=name, arguments=list(arguments) or None)
            )
        )

    # -- waiting ------------------------------------------------------------------------------

    async def choose(self, title: str) -> None:
        """Answer the oldest open question with this title, or the next one if none is open."""
        async with self.news:
            self.choices.append(title)
            self.news.notify_all()

    async def until(self, done: Callable[[], Any], why: str) -> Any:
        """Wait until messages have made `done` true; return its value. `why` is for the failure."""

        async def wait() -> Any:
            async with self.news:
                await self.news.wait_for(done)
                return done()

        try:
            return await asyncio.wait_for(wait(), PATIENCE)
        except TimeoutError:
            raise AssertionError(f"{why}; {self._report()}") from None

    async def problems(self, name: str, *codes: str) -> Sequence[lsp.Diagnostic]:
        """Wait until a file shows exactly these codes, in order; return its diagnostics."""
        uri = self.uri(name)

        def done() -> bool:
            published = self.shown.get(uri)
            return [d.code for d in (published.diagnostics if published else [])] == list(codes)

        await self.until(done, f"{name} shows {codes}")
        published = self.shown.get(uri)
        return published.diagnostics if published else []

    def uri(self, name: str) -> str:
        """Return the URI by which this editor knows a file."""
        buffer = self.buffers.get(name)
        return uri_of(self.root / name) if buffer is None else buffer.uri

    async def settled(self, name: str) -> Sequence[lsp.Diagnostic]:
        """Wait until the server has handled all that was sent; return the diagnostics of a file."""
        buffer = self.buffers[name]
        # Code actions are answered when a document is settled. Two round trips: when the first is
        # over, whatever was sent before it has taken its place in the document's lane.
        top = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        for _ in range(2):
            await self.client.text_document_code_action_async(
                lsp.CodeActionParams(
                    text_document=lsp.TextDocumentIdentifier(buffer.uri),
                    range=top,
                    context=lsp.CodeActionContext(diagnostics=[]),
                )
            )
        published = self.shown.get(buffer.uri)
        return published.diagnostics if published else []

    async def traced(self, count: int) -> list[dict[str, Any]]:
        """Wait for this many `intent/didTrace` notifications; return the params of all of them."""

        def traces() -> list[Any]:
            return [params for method, params in self.notified if method == "intent/didTrace"]

        await self.until(lambda: len(traces()) >= count, f"{count} records")
        return traces()

    def records(self) -> list[dict[str, Any]]:
        """Read the ledger from the disk."""
        ledger = self.root / ".orchestration" / "agent_trace.jsonl"
        if not ledger.exists():
            return []
        return [json.loads(line) for line in ledger.read_text().splitlines()]

    def apply(self, buffer: Buffer, edits: Sequence[lsp.TextEdit]) -> None:
        """Apply edits whose positions all refer to the same text."""
        if not edits:
            return
        text = edited(buffer.text, edits, self.encoding)
        whole = lsp.TextDocumentContentChangeWholeDocument(text=text)
        self._change(buffer, text, [whole])

    def text_in(self, name: str, place: lsp.Range) -> str:
        """Return the part of a file's buffer that is in a range of the client's units."""
        return text_in(self.buffers[name].text, place, self.encoding)

    def position(self, lines: list[str], before: str) -> lsp.Position:
        """Return the position behind `before`, with which the text of these lines begins."""
        head = split_lines(before)
        place = end_of(head)
        if before.endswith("\r") and "".join(lines)[len(before) : len(before) + 1] == "\n":
            place = Position(len(head) - 1, len(head[-1]) - 1)
        return position(lines, place, self.encoding)

    # -- private ------------------------------------------------------------------------------

    def _change(self, buffer: Buffer, text: str, changes: Sequence[Any]) -> None:
        buffer.text = text
        buffer.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=buffer.uri, version=buffer.version),
                list(changes),
            )
        )

    def _buffer(self, uri: str) -> Buffer | None:
        return next((b for b in self.buffers.values() if b.uri == uri), None)

    def _apply_workspace_edit(self, edit: lsp.WorkspaceEdit) -> bool:
        changes: list[tuple[str, int | None, Sequence[Any]]] = [
            (uri, None, edits) for uri, edits in (edit.changes or {}).items()
        ]
        for change in edit.document_changes or []:
            if isinstance(change, lsp.DeleteFile):
                self._delete(change.uri)
                continue
            assert isinstance(change, lsp.TextDocumentEdit)
            changes.append((change.text_document.uri, change.text_document.version, change.edits))
        for uri, version, edits in changes:
            buffer = self._buffer(uri)
            if buffer is None or (version is not None and version != buffer.version):
                return False
            self.apply(buffer, edits)
        return True

    def _delete(self, uri: str) -> None:
        name, buffer = next((n, b) for n, b in self.buffers.items() if b.uri == uri)
        buffer.path.unlink()
        self.deleted.append(buffer.path)
        self.close(name)

    def _report(self) -> str:
        shown = {
            uri.rsplit("/", 1)[-1]: [(d.code, d.range.start.line) for d in p.diagnostics]
            for uri, p in self.shown.items()
        }
        return f"shown: {shown}; notified: {self.notified[-3:]}; messages: {self.messages[-3:]}"


def _write(path: Path, data: bytes) -> None:
    """Replace a file in one step, so that the server never reads a part; a link stays a link."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.tmp")
    unfinished.write_bytes(data)
    unfinished.replace(target)


def _load(buffer: Buffer) -> None:
    """Read a file as an editor does; bytes that are no text become U+FFFD."""
    data = buffer.path.read_bytes()
    buffer.mark, buffer.encoding = b"", "utf-8"
    for mark, encoding in MARKS:
        if data.startswith(mark):
            buffer.mark, buffer.encoding = mark, encoding
    buffer.text = data.removeprefix(buffer.mark).decode(buffer.encoding, "replace")


def plain(value: Any) -> Any:
    """Return plain JSON for the objects into which pygls turns an answer."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _plain_converter() -> Any:
    """Return a converter that keeps `intent/*` JSON: pygls's named tuples lose some keys."""
    converter = _converter()
    for message in (JsonRPCRequestMessage, JsonRPCResponseMessage, JsonRPCNotification):
        converter.register_structure_hook(message, lambda fields, kind: kind(**fields))
    converter.register_structure_hook(
        lsp.CodeActionResponse,
        # lsprotocol takes an action that has a command for a bare command.
        lambda fields, _: lsp.CodeActionResponse(
            id=fields["id"],
            result=[converter.structure(a, lsp.CodeAction) for a in fields.get("result") or []],
        ),
    )
    return converter


@asynccontextmanager
async def editing(
    root: Path,
    *,
    options: Mapping[str, Any] | None = None,
    client_capabilities: lsp.ClientCapabilities | None = None,
    folders: Sequence[Path] | None = None,
    command: Sequence[str] = PATIENT,
) -> AsyncIterator[Editor]:
    """Start an editor with a server on a folder; shut both down in the end."""
    editor = await start(
        root,
        options=options,
        client_capabilities=client_capabilities,
        folders=folders,
        command=command,
    )
    try:
        yield editor
    finally:
        await stop(editor)


async def start(
    root: Path,
    *,
    options: Mapping[str, Any] | None = None,
    client_capabilities: lsp.ClientCapabilities | None = None,
    folders: Sequence[Path] | None = None,
    command: Sequence[str] = PATIENT,
) -> Editor:
    """Start an editor and its server process, and initialize the connection."""
    client = forked_servers.Client(configuration={}, converter_factory=_plain_converter)
    editor = Editor(client, root)
    _listen(editor)
    await client.start_io(*command)
    declared = client_capabilities or capabilities()
    result = await client.initialize_session(
        lsp.InitializeParams(
            capabilities=declared,
            process_id=None,
            root_uri=uri_of(root),
            workspace_folders=[
                lsp.WorkspaceFolder(uri=uri_of(folder), name=folder.name)
                for folder in (folders if folders is not None else [root])
            ],
            initialization_options=None if options is None else dict(options),
        )
    )
    editor.server_capabilities = result.capabilities
    encoding = result.capabilities.position_encoding or lsp.PositionEncodingKind.Utf16
    editor.encoding = PositionEncoding(lsp.PositionEncodingKind(encoding).value)
    return editor


async def stop(editor: Editor) -> None:
    """Leave open questions unanswered, and shut the server down."""
    editor.leaving = True
    await _wake_waiting(editor)
    await editor.client.shutdown_session()
    await editor.client.stop()


def _listen(editor: Editor) -> None:
    for handle in (_on_window_messages, _on_requests, _on_registrations, _on_intent_notifications):
        handle(editor, editor.client)


async def _wake_waiting(editor: Editor) -> None:
    async with editor.news:
        editor.news.notify_all()


def _on_window_messages(editor: Editor, client: pytest_lsp.LanguageClient) -> None:
    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    async def published(params: lsp.PublishDiagnosticsParams) -> None:
        editor.shown[params.uri] = params
        await _wake_waiting(editor)

    @client.feature(lsp.WINDOW_SHOW_MESSAGE)
    async def message(params: lsp.ShowMessageParams) -> None:
        editor.messages.append(params.message)
        await _wake_waiting(editor)

    @client.feature(lsp.WINDOW_LOG_MESSAGE)
    async def logged(params: lsp.LogMessageParams) -> None:
        client.log_messages.append(params)
        await _wake_waiting(editor)


def _on_requests(editor: Editor, client: pytest_lsp.LanguageClient) -> None:
    @client.feature(lsp.WINDOW_SHOW_MESSAGE_REQUEST)
    async def asked(params: lsp.ShowMessageRequestParams) -> lsp.MessageActionItem | None:
        editor.asked.append(params)
        await _wake_waiting(editor)
        if editor.mistaken:
            raise JsonRpcMethodNotFound
        await editor.until(lambda: editor.choices or editor.leaving, "the person chooses")
        choice = editor.choices.pop(0) if editor.choices else ""
        return lsp.MessageActionItem(title=choice) if choice else None

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    async def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        applied = editor._apply_workspace_edit(params.edit)  # noqa: SLF001 - the editor's own
        await _wake_waiting(editor)
        return lsp.ApplyWorkspaceEditResult(applied=applied)

    @client.feature(lsp.WINDOW_SHOW_DOCUMENT)
    async def show(params: lsp.ShowDocumentParams) -> lsp.ShowDocumentResult:
        editor.documents_shown.append(params)
        await _wake_waiting(editor)
        path = next((p for p in editor.root.rglob("*") if uri_of(p) == params.uri), None)
        if path is not None:
            editor.open(str(path.relative_to(editor.root)))
        return lsp.ShowDocumentResult(success=path is not None)


def _on_registrations(editor: Editor, client: pytest_lsp.LanguageClient) -> None:
    @client.feature(lsp.WORKSPACE_DIAGNOSTIC_REFRESH)
    async def refresh(_: None) -> None:
        editor.refreshed += 1
        await _wake_waiting(editor)

    @client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)
    async def lenses(_: None) -> None:
        editor.asked_again.add("lenses")
        await _wake_waiting(editor)

    @client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
    async def hints(_: None) -> None:
        editor.asked_again.add("hints")
        await _wake_waiting(editor)

    @client.feature(lsp.WORKSPACE_CONFIGURATION)
    def configuration(params: lsp.ConfigurationParams) -> list[Any]:
        return [editor.settings for _ in params.items]

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    async def register(params: lsp.RegistrationParams) -> None:
        editor.registered += [registration.method for registration in params.registrations]
        await _wake_waiting(editor)

    @client.feature(lsp.CLIENT_UNREGISTER_CAPABILITY)
    async def unregister(params: lsp.UnregistrationParams) -> None:
        for registration in params.unregisterations:
            editor.registered.remove(registration.method)
        await _wake_waiting(editor)


def _on_intent_notifications(editor: Editor, client: pytest_lsp.LanguageClient) -> None:
    for method in NOTIFICATIONS:

        def listen(method: str) -> None:
            @client.feature(method)
            async def notified(params: Any) -> None:
                editor.notified.append((method, plain(params)))
                await _wake_waiting(editor)

        listen(method)
