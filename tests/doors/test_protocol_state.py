"""What `initialize` agrees on, and what notifications change."""

from typing import Any

import pytest

from tests.support.raw_client import RawClient, thread

URI = "file:///w/a.txt"


def capabilities(client: RawClient, **declared: object) -> dict[str, Any]:
    found: dict[str, Any] = client.initialize(capabilities=declared)["result"]["capabilities"]
    return found


def test_what_is_advertised() -> None:
    with thread() as client:
        found = capabilities(client)
        assert found["experimental"] == {"intent": {"version": "1"}}
        assert found["textDocumentSync"] == {
            "openClose": True,
            "change": 2,
            "save": {"includeText": False},
        }
        assert found["workspace"]["workspaceFolders"] == {
            "supported": True,
            "changeNotifications": True,
        }
        assert found["hoverProvider"] is True


def test_a_feature_registered_at_initialize_counts_where_the_client_declares_it() -> None:
    with thread() as client:
        declared = {"synchronization": {"willSaveWaitUntil": True}}
        found = capabilities(client, textDocument=declared)
        assert found["textDocumentSync"]["willSaveWaitUntil"] is True
        will_save = {"textDocument": {"uri": URI}, "reason": 1}
        assert client.ask("textDocument/willSaveWaitUntil", will_save)["result"] == []


@pytest.mark.parametrize(
    ("offered", "chosen", "end"),
    [
        (None, "utf-16", 2),
        ([], "utf-16", 2),
        (["utf-16"], "utf-16", 2),
        (["utf-16", "utf-8"], "utf-8", 4),
        (["utf-32", "utf-8", "utf-16"], "utf-8", 4),
        (["utf-32", "utf-16"], "utf-16", 2),
        (["utf-32"], "utf-32", 1),
        (["utf-7", "utf-32", 5], "utf-32", 1),
        (["utf-7"], "utf-16", 2),
    ],
)
def test_the_encoding_is_chosen_advertised_and_used(
    offered: list[object] | None, chosen: str, end: int
) -> None:
    with thread() as client:
        general = {"general": {"positionEncodings": offered}} if offered is not None else {}
        assert capabilities(client, **general)["positionEncoding"] == chosen
        open_(client, "😀b\n")
        change(client, 2, {"range": between((0, end), (0, end + 1)), "text": "x"})
        assert client.next()["params"] == [[0, 1, 1]]
        assert text(client) == "😀x\n"


def between(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    return {
        name: {"line": line, "character": character}
        for name, (line, character) in (("start", start), ("end", end))
    }


def open_(client: RawClient, content: str) -> None:
    client.open_document(URI, content)


def change(client: RawClient, version: int, *changes: dict[str, Any], uri: str = URI) -> None:
    document = {"uri": uri, "version": version}
    client.notify(
        "textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)}
    )


def text(client: RawClient) -> str | None:
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
    result = client.ask("textDocument/hover", place)["result"]
    return None if result is None else str(result["contents"])


def test_documents_follow_the_client() -> None:
    with thread() as client:
        client.initialize()
        assert text(client) is None
        open_(client, "one\ntwo\u2028\n")
        assert text(client) == "one\ntwo\u2028\n"
        change(client, 2, {"text": "a\r\nb"}, {"range": between((1, 1), (9, 9)), "text": "\nc"})
        assert client.next()["params"] == [[0, 2, 2], [1, 2, 3]]
        assert text(client) == "a\r\nb\nc"
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert text(client) is None


def test_wrong_notifications_of_documents_change_nothing() -> None:
    with thread() as client:
        client.initialize()
        change(client, 2, {"text": "x"})
        assert client.next()["params"] == []
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        open_(client, "one\n")
        change(client, 2, {"text": None})
        change(client, 2, {"range": between((0, 0), (-1, 0)), "text": ""})
        assert text(client) == "one\n"


def test_folders_follow_the_client() -> None:
    with thread() as client:
        one, two = ({"uri": f"file:///{name}", "name": name} for name in ("one", "two"))
        client.initialize(workspaceFolders=[one])
        assert client.ask("intent/folders")["result"] == ["file:///one"]
        event = {"added": [two], "removed": [one]}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert client.ask("intent/folders")["result"] == ["file:///two"]


@pytest.mark.parametrize(
    "root",
    [
        {"rootUri": "http://["},
        {"rootUri": "no uri"},
        {"rootPath": "/w"},
        {"rootPath": ""},
        {"rootPath": "//x"},
        {"rootUri": None, "rootPath": None},
    ],
)
def test_any_root_is_accepted(root: dict[str, object]) -> None:
    with thread() as client:
        folder = {"uri": "file:///one", "name": "one"}
        assert "result" in client.initialize(workspaceFolders=[folder], **root)
        assert client.ask("intent/folders")["result"] == ["file:///one"]


def test_the_trace_value_follows_the_client() -> None:
    with thread() as client:
        client.initialize()
        assert client.ask("intent/trace")["result"] == "off"
        client.notify("$/setTrace", {"value": "verbose"})
        assert client.ask("intent/trace")["result"] == "verbose"


def test_a_trace_value_that_lsp_does_not_have_counts_as_messages() -> None:
    # VS Code's client has `compact`.
    with thread() as client:
        assert "result" in client.initialize(trace="compact")
        assert client.ask("intent/trace")["result"] == "messages"
        client.notify("$/setTrace", {"value": "off"})
        client.notify("$/setTrace", {"value": "compact"})
        assert client.ask("intent/trace")["result"] == "messages"


def test_a_progress_is_cancelled_by_its_token() -> None:
    with thread() as client:
        client.initialize()
        client.ask("intent/begin")
        client.notify("window/workDoneProgress/cancel", {"token": "unknown"})
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
        assert client.ask("intent/isCancelled")["result"] is True
