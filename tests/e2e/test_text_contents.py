"""Read-only documents of a real server: records in words, contents of files (protocol 4.9)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE, LOCAL_ROOM
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.governed_repository import INTENTS, LINES, govern
from tests.support.replayed_client import ReplayedClient, begin, declaring
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

LOGIN, INVOICE = "src/auth/login.py", "src/billing/invoice.py"
CONTENT, REFRESH = "workspace/textDocumentContent", "workspace/textDocumentContent/refresh"
SCHEMES = {"schemes": ["intent-record", "intent-before"]}
SHOWN: Any = {"showDocument": {"support": True}}
DECLARED: Any = {
    "workspace": {"textDocumentContent": {"dynamicRegistration": True}},
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "hover": {"contentFormat": ["markdown"]},
    },
    "window": SHOWN,
}
INVALID_PARAMS, REQUEST_FAILED, METHOD_NOT_FOUND = -32602, -32803, -32601


def opened(client: ReplayedClient, root: Path, intent_id: str = "INT-001") -> None:
    begin(client, root)
    client.command("intent.select", {"intentId": intent_id})


def open_file(client: ReplayedClient, path: Path) -> str:
    uri = uri_of(path)
    text = path.read_text() if path.exists() else ""
    client.open_document(uri, text)
    settled(client, uri)
    return uri


def settled(client: ReplayedClient, uri: str) -> list[dict[str, Any]]:
    """Return the actions at the top of a document, once the server has handled all before."""
    here = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": here, "context": {"diagnostics": []}}
    actions: list[dict[str, Any]] = client.request("textDocument/codeAction", asked)
    return actions


def typed(client: ReplayedClient, uri: str, text: str) -> None:
    place, change = {"uri": uri, "version": 2}, {"text": text}
    client.notify("textDocument/didChange", {"textDocument": place, "contentChanges": [change]})


def stale(client: ReplayedClient, repository: Repository) -> str:
    """Have a file changed in the editor and then on disk; return its URI."""
    uri = open_file(client, repository.root / INVOICE)
    typed(client, uri, LINES + "mine\n")
    settled(client, uri)
    repository.write(INVOICE, LINES + "theirs\n")
    client.problems(uri, 1)
    return uri


def saved(client: ReplayedClient, root: Path, name: str, text: str) -> str:
    """Save a text, and return the id of its record."""
    path, uri = root / name, uri_of(root / name)
    typed(client, uri, text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    # Answered once what was saved before is recorded.
    client.command("intent.select", {"intentId": "INT-001"})
    line = (root / LEDGER_FILE).read_text().splitlines()[-1]
    record_id: str = json.loads(line)["id"]
    return record_id


def content(client: ReplayedClient, uri: str) -> str:
    text: str = client.request(CONTENT, {"uri": uri})["text"]
    return text


def why(client: ReplayedClient, uri: str, code: int = INVALID_PARAMS) -> str:
    """Return the message of the error with which a content is refused."""
    error = client.failure(CONTENT, {"uri": uri})
    assert error["code"] == code
    message: str = error["message"]
    return message


def change(client: ReplayedClient, record_id: str) -> Any:
    return client.request("intent/change", {"recordId": record_id})


@pytest.mark.parametrize(
    ("workspace", "declares"),
    [
        ({"textDocumentContent": {}}, True),
        ({"textDocumentContent": {"dynamicRegistration": False}}, True),
        ({}, False),
        (None, False),
    ],
)
def test_schemes_are_offered_to_a_client_that_fetches_documents(
    repository: Repository,
    workspace: object,
    declares: bool,  # noqa: FBT001 - a case
) -> None:
    govern(repository)
    root = repository.root
    sent = {} if workspace is None else {"workspace": workspace}
    with declaring(root, sent) as client:
        can = begin(client, root)
        assert can["workspace"].get("textDocumentContent") == (SCHEMES if declares else None)
        client.command("intent.select", {"intentId": "INT-001"})
        open_file(client, root / LOGIN)
        record_id = saved(client, root, LOGIN, LINES + "more\n")
        (file,) = change(client, record_id)["files"]
        # Nothing else changes for a client without.
        keys = {"text", "why", "uri"} if declares else {"text", "why"}
        assert file["before"].keys() == file["after"].keys() == keys
        uri = f"intent-record:{root}/record-x.txt?record={record_id}"
        if declares:
            assert content(client, uri).startswith("record ")
        else:
            assert client.failure(CONTENT, {"uri": uri})["code"] == METHOD_NOT_FOUND
        # Who shows no documents is not asked to.
        argument = {"recordId": record_id}
        assert client.command("intent.showRecord", argument) == {"shown": False}
        assert "window/showDocument" not in client.methods()


def test_a_record_is_a_text_and_its_contents_are_documents(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    with declaring(root, DECLARED) as client:
        opened(client, root)
        open_file(client, root / LOGIN)
        record_id = saved(client, root, LOGIN, LINES.replace("line 2", "für 🙂"))
        (file,) = change(client, record_id)["files"]
        assert file["before"]["uri"] == (
            f"intent-before:{root}/{LOGIN}?side=before&record={record_id}"
        )
        for side in ("before", "after"):
            assert content(client, file[side]["uri"]) == file[side]["text"]
        client.command("intent.showRecord", {"recordId": record_id})
        (shown,) = (m for m in client.received if m.get("method") == "window/showDocument")
        words = content(client, shown["params"]["uri"])
        facts, _, diff = words.partition("\n\n")
        assert [line.split()[:2] for line in facts.splitlines()[:2]] == [
            ["record", record_id],
            ["when", json.loads((root / LEDGER_FILE).read_text())["timestamp"]],
        ]
        told = dict(line.split(maxsplit=1) for line in facts.splitlines() if line[0] != " ")
        assert (told["verdict"], told["file"]) == ("PASS", f"{LOGIN} +1 -1")
        lines = diff.splitlines()
        assert lines[:2] == [f"--- {LOGIN}", f"+++ {LOGIN}"]
        assert "-line 2" in lines
        assert "+für 🙂" in lines
        # A hover leads there, in a client without a command of its own.
        params = {"textDocument": {"uri": uri_of(root / LOGIN)}, "position": POSITION}
        hover = client.request("textDocument/hover", params)
        assert f"]({shown['params']['uri']})" in hover["contents"]["value"]


POSITION = {"line": 1, "character": 0}


def test_a_lens_opens_the_record_in_words(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    repository.write("src/auth/code.py", "def one():\n    return 1\n")
    repository.commit("code")
    declared = DECLARED | {"workspace": DECLARED["workspace"] | {"configuration": False}}
    with declaring(root, declared) as client:
        client.captured["initializationOptions"] = {"codeLens": True}  # type: ignore[index]  # a dict
        opened(client, root)
        uri = open_file(client, root / "src/auth/code.py")
        record_id = saved(client, root, "src/auth/code.py", "def one():\n    return 2\n")
        params = {"textDocument": {"uri": uri}}
        (lens,) = client.request("textDocument/codeLens", params)
        assert lens["command"]["command"] == "intent.showRecord"
        argument = {"recordId": record_id, "workspaceUri": uri_of(root)}
        assert lens["command"]["arguments"] == [argument]
        client.command("intent.showRecord", argument)
        assert "window/showDocument" in client.methods()


def test_a_file_that_was_not_there_is_empty_and_a_rename_has_both_names(
    repository: Repository,
) -> None:
    govern(repository)
    root = repository.root
    notified = {"experimental": {"intent": {"notifications": True}}}
    with declaring(root, DECLARED | notified) as client:
        opened(client, root)
        new = "src/auth/für [a]#?%.txt"
        open_file(client, root / new)
        record_id = saved(client, root, new, "new\n")
        (file,) = change(client, record_id)["files"]
        assert content(client, file["before"]["uri"]) == ""
        assert content(client, file["after"]["uri"]) == "new\n"
        moved = "src/auth/moved.txt"
        (root / new).rename(root / moved)
        renamed = [{"oldUri": uri_of(root / new), "newUri": uri_of(root / moved)}]
        client.notify("workspace/didRenameFiles", {"files": renamed})
        client.until("intent/didTrace", 2)
        page = client.request("intent/trace", {"limit": 1})
        (newest,) = page["records"]
        (file,) = change(client, newest["id"])["files"]
        assert file["previousPath"] == new
        assert "%5Ba%5D%23%3F%25.txt?" in file["before"]["uri"]
        assert f"/{moved}?" in file["after"]["uri"]
        for side in ("before", "after"):
            assert content(client, file[side]["uri"]) == "new\n"


def test_what_cannot_be_given_is_refused_with_the_reason(repository: Repository) -> None:
    govern(repository)
    root = repository.root
    with declaring(root, DECLARED) as client:
        opened(client, root)
        open_file(client, root / LOGIN)
        first = saved(client, root, LOGIN, "one\n")
        last = saved(client, root, LOGIN, "two\n")
    shutil.rmtree(root / LOCAL_ROOM)
    outside = root.parent / "outside.txt"
    outside.write_text("secret")
    (root / "image.bin").write_bytes(b"\0\xff")
    with declaring(root, DECLARED) as client:
        opened(client, root)

        def side(name: str, record_id: str, which: str = "after") -> str:
            return f"intent-before:{root}/{name}?side={which}&record={record_id}"

        assert content(client, side(LOGIN, first, "before")) == LINES
        assert why(client, side(LOGIN, first)) == "params.uri: the content is not kept any more"
        assert content(client, side(LOGIN, last)) == "two\n"
        assert why(client, side(LOGIN, "nothing")) == "params.uri: the ledger has no record nothing"
        assert (
            why(client, side(INVOICE, first)) == f"params.uri: record {first} has no file {INVOICE}"
        )
        record = f"intent-record:{root}/record-n.txt?record=nothing"
        assert why(client, record) == "params.uri: the ledger has no record nothing"
        # A record of which nothing is kept is words all the same.
        words = content(client, f"intent-record:{root}/r.txt?record={first}")
        assert "the text was not kept" in words
        for foreign in ("intent-record:x", f"file://{root}/{LOGIN}", "", "intent-before:/a?side=x"):
            assert why(client, foreign).startswith(
                "params.uri: expected a URI of the server, with "
            )
        # What no root governs is nobody's business, whether it is there or not.
        for path in (outside, root.parent / "nothing.txt"):
            for which in (f"before&record={first}", f"after&record={first}"):
                uri = f"intent-before:{path}?side={which}"
                assert why(client, uri, REQUEST_FAILED) == f"No open root governs {path}."
        above = f"intent-before:{root}/../outside.txt?side=after&record={first}"
        assert why(client, above, REQUEST_FAILED).startswith("No open root governs ")
        # The disk is read for a document that is open, and for no other file.
        for path in (outside, root / LOGIN, root / "image.bin"):
            assert (
                why(client, f"intent-before:{path}?side=disk") == f"params.uri: {path} is not open"
            )
        client.open_document(uri_of(outside), "")
        uri = f"intent-before:{outside}?side=disk"
        assert why(client, uri, REQUEST_FAILED) == f"No open root governs {outside}."
        client.open_document(uri_of(root / "image.bin"), "")
        uri = f"intent-before:{root}/image.bin?side=disk"
        assert why(client, uri) == "params.uri: the content is not text"
        assert client.failure(CONTENT, {"uri": 1})["code"] == INVALID_PARAMS


def test_the_version_on_disk_is_shown_and_fetched_again_when_it_changes(
    repository: Repository,
) -> None:
    govern(repository)
    root = repository.root
    with declaring(root, DECLARED) as client:
        opened(client, root, "INT-002")
        uri = stale(client, repository)
        titles = {each["title"]: each for each in settled(client, uri)}
        assert "Compare with the version on disk" not in titles
        command = titles["Show the version on disk"]["command"]
        assert command["command"] == "intent.showDisk"
        client.command(command["command"], command["arguments"][0])
        (shown,) = (m for m in client.received if m.get("method") == "window/showDocument")
        disk = shown["params"]["uri"]
        assert disk == f"intent-before:{root}/{INVOICE}?side=disk"
        assert content(client, disk) == LINES + "theirs\n"
        assert REFRESH not in client.methods()
        repository.write(INVOICE, LINES + "theirs again\n")
        client.until(REFRESH)
        (again,) = (m for m in client.received if m.get("method") == REFRESH)
        assert again["params"] == {"uri": disk}
        assert content(client, disk) == LINES + "theirs again\n"
        (root / INVOICE).unlink()
        assert content(client, disk) == ""


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ({"window": {}}, None),
        ({"workspace": {}}, None),
        ({"experimental": {"intent": {"compareCommand": "mine.compare"}}}, "Compare with"),
    ],
)
def test_the_version_on_disk_is_offered_as_the_client_can_show_it(
    repository: Repository, changes: Any, title: str | None
) -> None:
    govern(repository)
    root = repository.root
    with declaring(root, DECLARED | changes) as client:
        opened(client, root, "INT-002")
        uri = stale(client, repository)
        titles = [each["title"] for each in settled(client, uri)]
        assert "Show the version on disk" not in titles
        assert [each for each in titles if each.startswith("Compare")] == (
            [] if title is None else [f"{title} the version on disk"]
        )
        if "workspace" in changes:
            assert client.command("intent.showDisk", {"uri": uri}) == {"shown": False}


def test_a_record_of_an_outer_root_is_found_though_a_root_below_has_the_file_now(
    repository: Repository,
) -> None:
    govern(repository)
    root = repository.root
    with declaring(root, DECLARED) as client:
        opened(client, root)
        open_file(client, root / LOGIN)
        record_id = saved(client, root, LOGIN, "one\n")
        inner = root / "src/auth" / INTENTS_FILE
        inner.parent.mkdir()
        inner.write_text(INTENTS)
        uri = f"intent-before:{root}/{LOGIN}?side=after&record={record_id}"
        assert content(client, uri) == "one\n"
        assert why(client, f"{uri}x") == f"params.uri: the ledger has no record {record_id}x"
