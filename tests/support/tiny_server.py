"""A minimal server built from the pieces of the LSP door, for tests of the protocol itself."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import Future
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.stdio import serve_stdio

# Not `object`: pygls hands the server to a feature whose first parameter can be one.
Json = dict[str, Any] | list[Any] | None


class TinyServer(LanguageServer):
    """A language server with our protocol, and features that only tests need."""

    protocol: IntentProtocol


def build() -> TinyServer:
    """Return a server with all test features: documents, commands, failures, questions."""
    server = TinyServer("tiny", "0.1", protocol_cls=IntentProtocol)
    _documents(server)
    _commands(server)
    _trouble(server)
    _questions(server)
    return server


def _documents(server: TinyServer) -> None:  # noqa: C901 - a list of features
    documents = server.protocol.documents

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        options: Any = params.initialization_options or {}
        if options.get("fail"):
            raise RuntimeError("not today")

        @server.feature(lsp.TEXT_DOCUMENT_WILL_SAVE_WAIT_UNTIL)
        def will_save(_: lsp.WillSaveTextDocumentParams) -> list[lsp.TextEdit]:
            return []

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(_: lsp.DidSaveTextDocumentParams) -> None:
        pass

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        document = documents.get(params.text_document.uri)
        edits = document.edits if document else ()
        server.protocol.notify(
            "intent/edits", [[edit.start, edit.old_end, edit.new_end] for edit in edits]
        )

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        document = documents.get(params.text_document.uri)
        return lsp.Hover(contents=document.text) if document else None

    @server.feature("intent/folders")
    def folders(_: Json) -> list[str]:
        return sorted(server.workspace.folders)

    @server.feature("intent/begin")
    def begin(_: Json) -> None:
        server.work_done_progress.tokens["mine"] = Future()

    @server.feature("intent/isCancelled")
    def is_cancelled(_: Json) -> bool:
        return server.work_done_progress.tokens["mine"].cancelled()

    @server.feature("intent/trace")
    def trace(_: Json) -> str:
        return server.protocol.trace.value

    @server.feature("intent/echo")
    def echo(params: Json) -> object:
        return params


def _commands(server: TinyServer) -> None:  # noqa: C901 - a list of features
    released = asyncio.Event()

    @server.feature("intent/release")
    def release(_: Json) -> None:
        released.set()

    @server.command("tiny.echo")
    def echo(*args: Json) -> list[Json]:
        return list(args)

    @server.command("tiny.one")
    async def one(ls: LanguageServer, word: object) -> object:
        return [ls.name, word]

    @server.command("tiny.slow")
    async def slow(*_: Json) -> None:
        await asyncio.Event().wait()

    @server.command("tiny.kept")
    async def kept(*_: Json) -> None:
        async def work() -> None:
            await released.wait()
            server.protocol.notify("intent/done")

        server.protocol.notify("intent/started")
        await server.protocol.finish(work())

    @server.command("tiny.keptAndFailed")
    async def kept_and_failed() -> None:
        async def work() -> None:
            await released.wait()
            server.protocol.notify("intent/failing")
            raise RuntimeError("the kept work failed")

        server.protocol.notify("intent/started")
        await server.protocol.finish(work())


def _trouble(server: TinyServer) -> None:  # noqa: C901 - a list of features
    @server.feature("intent/boom")
    def boom(_: Json) -> None:
        raise ValueError("the secret is /home/ada/key")

    @server.feature("intent/boomLater")
    async def boom_later(_: Json) -> None:
        await asyncio.sleep(0)
        raise ValueError("the secret is /home/ada/key")

    @server.feature("intent/refuse")
    def refuse(_: Json) -> None:
        raise JsonRpcException("no such intent", code=-32803, data={"code": "INTENT_NOT_FOUND"})

    @server.feature("intent/refuseOddly")
    def refuse_oddly(_: Json) -> None:
        raise JsonRpcException("no such intent", code=-32803, data=object())

    @server.feature("intent/unspeakable")
    def unspeakable(params: Json) -> object:
        return float("nan") if params else object()

    @server.feature("intent/print")
    def stray(_: Json) -> None:
        print("stray words")  # noqa: T201 - what this tests
        sys.stdout.flush()
        os.write(1, b"stray bytes\n")
        subprocess.run(["echo", "stray child"], check=True)

    @server.feature("intent/childReads")
    def child_reads(_: Json) -> str:
        return subprocess.run(["cat"], check=True, capture_output=True, text=True).stdout

    @server.feature("intent/slow")
    async def slow(_: Json) -> None:
        await asyncio.Event().wait()


def _questions(server: TinyServer) -> None:
    @server.feature("intent/ask")
    async def ask(params: dict[str, Any]) -> object:
        question = lsp.ShowMessageRequestParams(type=lsp.MessageType.Info, message="well?")
        answer = await server.protocol.ask(
            lsp.WINDOW_SHOW_MESSAGE_REQUEST, question, params["timeout"]
        )
        return [type(answer).__name__, answer]

    @server.feature("intent/askOddly")
    async def ask_oddly(_: Json) -> object:
        return await server.protocol.ask("client/own", object(), 60)

    @server.feature("intent/notifyOddly")
    def notify_oddly(_: Json) -> None:
        server.protocol.notify("intent/odd", object())

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(_: Json) -> None:
        await server.protocol.ask("client/own", None, 60)
        raise RuntimeError("the end went wrong")


def main() -> None:
    """Serve standard input and output."""
    sys.exit(serve_stdio(build()))


if __name__ == "__main__":
    main()
