"""A small editor: it speaks the Language Server Protocol, holds texts and writes files.

Invariant: it saves as real editors do: asks the server, applies its edits, writes, and announces
the save.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 30
"""Seconds to wait for something that should happen."""

Message = dict[str, Any]

_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-8"]},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "dataSupport": True},
        "synchronization": {"didSave": True, "willSaveWaitUntil": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}, "applyEdit": True},
    "experimental": {"intent": {"notifications": True}},
}


class DemoFailedError(Exception):
    """Something did not happen as the demo describes it."""


def check(happened: object, what: str) -> None:
    """Raise `DemoFailedError` with this description unless it really happened."""
    if not happened:
        raise DemoFailedError(what)


class Editor:
    """One editor window on one folder, with a server of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.diagnostics: dict[str, list[Message]] = {}
        self.notifications: list[Message] = []
        self.questions: list[Message] = []
        self._versions: dict[str, int] = {}
        self._answers: dict[int, Message] = {}
        self._changed = threading.Condition()
        self._asked: list[str] = []
        self._server = subprocess.Popen(
            [sys.executable, "-m", "intent_lsp", "serve"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self) -> Message:
        """Initialize the connection; return the server's answer."""
        uri = self.folder.as_uri()
        folders = [{"uri": uri, "name": self.folder.name}]
        about = {"processId": None, "rootUri": uri, "workspaceFolders": folders}
        answer = self.ask("initialize", {**about, "capabilities": _CAPABILITIES})
        self.notify("initialized", {})
        return answer

    def stop(self) -> int:
        """Shut the server down; return its exit status."""
        self.ask("shutdown", None)
        self.notify("exit", None)
        return self._server.wait(PATIENCE)

    def kill(self) -> None:
        """End the server, whatever it is doing."""
        self._server.kill()
        self._server.wait()

    def open(self, name: str) -> None:
        """Open a file."""
        uri = self.uri(name)
        self.texts[uri] = (self.folder / name).read_text()
        self._versions[uri] = 1
        document = {"uri": uri, "languageId": "python", "version": 1, "text": self.texts[uri]}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def close(self, name: str) -> None:
        """Close an open file."""
        uri = self.uri(name)
        del self.texts[uri], self._versions[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def type(self, name: str, old: str, new: str) -> None:
        """Change the text of an open file, without saving it."""
        uri = self.uri(name)
        check(old in self.texts[uri], f"{name} holds {old!r}")
        self._put(uri, self.texts[uri].replace(old, new))

    def save(self, name: str) -> None:
        """Save: ask, apply the edits, write, announce."""
        uri = self.uri(name)
        asked = {"textDocument": {"uri": uri}, "reason": 1}
        edits = self.ask("textDocument/willSaveWaitUntil", asked)
        if edits:
            self._put(uri, apply(self.texts[uri], edits))
        (self.folder / name).write_text(self.texts[uri])
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def actions(self, name: str, shown: Message) -> list[str]:
        """Return the titles of the code actions for a diagnostic."""
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": shown["range"],
            "context": {"diagnostics": [shown]},
        }
        return [action["title"] for action in self.ask("textDocument/codeAction", params)]

    def ask(self, method: str, params: object) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Send a request; return its result."""
        return self.answer(self.begin(method, params))

    def begin(self, method: str, params: object) -> int:
        """Send a request; return its id, and do not wait for the answer."""
        self._asked.append(method)
        number = len(self._asked) - 1
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self._send(message if params is None else message | {"params": params})
        return number

    def answer(self, number: int) -> Any:  # noqa: ANN401 - whatever JSON knows
        """Wait for the answer to a request; return its result."""
        method = self._asked[number]
        self.wait(lambda: number in self._answers, f"an answer to {method}")
        answer = self._answers.pop(number)
        check("error" not in answer, f"{method} is answered: {answer}")
        return answer["result"]

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        self._send(message if params is None else message | {"params": params})

    def wait(self, happened: Callable[[], object], what: str) -> Any:  # noqa: ANN401 - whatever was waited for
        """Wait until `happened` returns something true; return that. `what` is for the failure."""
        with self._changed:
            check(self._changed.wait_for(happened, PATIENCE), f"there is {what}")
            return happened()

    def click(self, title: str) -> None:
        """Answer the newest question of the server by the button of this title."""
        question = self.questions.pop()
        titles = [action["title"] for action in question["params"]["actions"]]
        check(title in titles, f"{title} is offered")
        self._send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": title}})

    def shown(self, name: str) -> list[Message]:
        """Return the diagnostics of a file."""
        return self.diagnostics.get(self.uri(name), [])

    def received(self, method: str) -> list[Message]:
        """Return the params of all notifications of this method so far."""
        return [message["params"] for message in self.notifications if message["method"] == method]

    def uri(self, name: str) -> str:
        """Return the URI of a file in the folder."""
        return (self.folder / name).as_uri()

    def _put(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        changes = {"textDocument": document, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", changes)

    def _send(self, message: Message) -> None:
        body = json.dumps(message).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._server.stdin.flush()

    def _listen(self) -> None:
        """Handle the server's messages until it closes the connection."""
        stream = self._server.stdout
        assert stream is not None
        while header := stream.readline():
            stream.readline()
            self._take(json.loads(stream.read(int(header.split()[1]))))

    def _take(self, message: Message) -> None:
        with self._changed:
            if "method" not in message:
                self._answers[message["id"]] = message
            elif message["method"] == "textDocument/publishDiagnostics":
                shown = message["params"]
                self.diagnostics[shown["uri"]] = shown["diagnostics"]
            elif message["method"] == "window/showMessageRequest":
                # Answered later by `click`: the server must not wait for a person.
                self.questions.append(message)
            elif message["method"] == "workspace/applyEdit":
                self._apply(message)
            else:
                self.notifications.append(message)
            self._changed.notify_all()

    def _apply(self, message: Message) -> None:
        for change in message["params"]["edit"]["documentChanges"]:
            uri = change["textDocument"]["uri"]
            self._put(uri, apply(self.texts[uri], change["edits"]))
        self._send({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": True}})


def apply(text: str, edits: list[Message]) -> str:
    """Apply text edits, last one first; texts are ASCII, so the position encoding is irrelevant."""
    lines = text.splitlines(keepends=True)

    def offset(place: Message) -> int:
        return sum(map(len, lines[: place["line"]])) + int(place["character"])

    for edit in sorted(edits, key=lambda each: -offset(each["range"]["start"])):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text
