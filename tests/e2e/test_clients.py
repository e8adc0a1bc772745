"""The server with each client as that client really begins: it is sent what it declared, alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.editor import SERVER, capabilities, editing
from tests.support.fault_injection import locked_by_another_process
from tests.support.governed_repository import LINES, govern
from tests.support.replayed_client import CLIENTS, PUBLISHED, ReplayedClient, begin, replayed
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
NO_INTENT = "NO_ACTIVE_INTENT"
PRICE = "src/billing/preis.txt"
BEFORE = "Preis: 5 €\nfür 🙂 alle\n"
AFTER = "Preis: 5 €\nfür 🙂🙂 alle\n"

# Units of "für 🙂🙂 alle" in each encoding.
WIDTHS = {"utf-8": 18, "utf-16": 13, "utf-32": 11}
ENCODINGS = {
    "emacs-28.2-eglot-1.9": "utf-16",
    "emacs-28.2-lsp-mode-8.0.0": "utf-16",
    "helix-25.01.1": "utf-8",
    "neovim-0.11.4": "utf-8",
    "vim-9.0-ale-3.3.0": "utf-16",
    "vim-9.0-vim-lsp-474c656": "utf-16",
    "vscode-1.100.3": "utf-16",
}

# What may be sent to a client only if it declared this.
DECLARED = {
    "window/showDocument": ("window", "showDocument", "support"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "$/progress": ("window", "workDoneProgress"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
    "workspace/codeLens/refresh": ("workspace", "codeLens", "refreshSupport"),
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/diagnostic/refresh": ("workspace", "diagnostics", "refreshSupport"),
    "workspace/inlayHint/refresh": ("workspace", "inlayHint", "refreshSupport"),
    "workspace/textDocumentContent/refresh": ("workspace", "textDocumentContent"),
    "workspace/semanticTokens/refresh": ("workspace", "semanticTokens", "refreshSupport"),
    **dict.fromkeys(
        ("intent/didChange", "intent/didDeny", "intent/didTrace"),
        ("experimental", "intent", "notifications"),
    ),
}
ALWAYS = {
    PUBLISHED,
    "window/logMessage",
    "window/showMessage",
    "window/showMessageRequest",
}
REGISTER = "client/registerCapability"
FIELDS = {"relatedInformation": "relatedInformation", "data": "dataSupport"}
FIELDS["codeDescription"] = "codeDescriptionSupport"


def write_and_save(client: ReplayedClient, uri: str, path: Path) -> list[dict[str, Any]]:
    """Change the text and save it, in the way that this client has; give what was shown."""
    place = {"uri": uri}
    changed = [{"text": AFTER}]
    client.notify(
        "textDocument/didChange",
        {"textDocument": place | {"version": 2}, "contentChanges": changed},
    )
    shown = client.problems(uri, 1)
    if client.declares("textDocument", "synchronization", "willSaveWaitUntil"):
        client.request("textDocument/willSaveWaitUntil", {"textDocument": place, "reason": 1})
    path.write_text(AFTER)
    client.notify("textDocument/didSave", {"textDocument": place})
    return shown


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_sent_what_it_declared_and_nothing_else(
    repository: Repository, name: str
) -> None:
    path = repository.write(PRICE, BEFORE)
    govern(repository)
    root, uri = repository.root, uri_of(path)
    with replayed(name, root) as client:
        can = begin(client, root)
        agreed = can.get("positionEncoding", "utf-16")
        assert agreed == ENCODINGS[name]
        sync, waits = can["textDocumentSync"], ("synchronization", "willSaveWaitUntil")
        assert sync.get("willSaveWaitUntil", False) == client.declares("textDocument", *waits)
        assert ("diagnosticProvider" in can) == client.pulls

        client.open_document(uri, BEFORE)
        chosen = client.command("intent.select", {"intentId": "INT-001"})
        assert chosen["intent"]["id"] == "INT-001"
        (found,) = write_and_save(client, uri, path)
        # Answered once what was saved before is recorded.
        client.command("intent.select", {"intentId": "INT-001"})
        (record,) = (root / LEDGER_FILE).read_text().splitlines()
        assert json.loads(record)["scope_validation"] == "FAIL"
        # Nothing was asked of the person around a save that goes through.
        assert "window/showMessageRequest" not in client.methods()

        client.command("intent.showWhy", {"uri": uri, "range": found["range"]})
        client.until("window/showMessage")
        client.command("intent.create", {"name": "More", "ownedScope": ["more/**"]})
        if client.declares("window", "showDocument", "support"):
            client.until("window/showDocument")
    end = found["range"]["end"]
    assert (end["line"], end["character"]) == (1, WIDTHS[agreed])
    for field, declared in FIELDS.items():
        if field in found:
            assert client.declares("textDocument", "publishDiagnostics", declared), field
    # What is pushed and pulled is shown twice.
    assert (PUBLISHED in client.methods()) != client.pulls
    allowed = {method for method, place in DECLARED.items() if client.declares(*place)}
    assert client.methods() - ALWAYS - {REGISTER} <= allowed
    for message in client.received:
        for each in message["params"]["registrations"] if message.get("method") == REGISTER else ():
            assert client.declares(*each["method"].split("/"), "dynamicRegistration"), each[
                "method"
            ]


async def test_an_intent_is_chosen_without_a_question_where_none_can_be_put(
    repository: Repository,
) -> None:
    govern(repository)
    declared = capabilities(window={"workDoneProgress": True})
    async with editing(repository.root, client_capabilities=declared) as editor:
        editor.open("README.md")
        editor.type("README.md", "# A project of ours\n")
        await editor.problems("README.md", NO_INTENT)
        titles = list(await editor.actions("README.md"))
        assert titles[:2] == ["Select intent INT-001: Login", "Select intent INT-002: Billing"]
        assert "Select an intent…" not in titles
        # Who owns the file comes first, and once.
        editor.open(INVOICE)
        editor.type(INVOICE, "top\n" + LINES)
        await editor.problems(INVOICE, NO_INTENT)
        actions = await editor.actions(INVOICE)
        owner, other = "Select intent INT-002 (owns this file)", "Select intent INT-001: Login"
        assert list(actions)[:2] == [owner, other]
        await editor.run(actions[other])
        await editor.problems(INVOICE, "SCOPE_VIOLATION")
        titles = list(await editor.actions(INVOICE))
        assert (owner in titles, other in titles) == (True, False)
        assert editor.asked == []


async def test_a_client_that_turns_out_not_to_ask_is_told_where_to_choose(
    repository: Repository,
) -> None:
    govern(repository)
    async with editing(repository.root) as editor:
        editor.mistaken = True
        editor.open("README.md")
        editor.type("README.md", "# A project of ours\n")
        await editor.problems("README.md", NO_INTENT)
        ask = (await editor.actions("README.md"))["Select an intent…"]
        with pytest.raises(JsonRpcException, match="give one of INT-001, INT-002"):
            await editor.run(ask)
        await editor.until(
            lambda: any("to select one of INT-001, INT-002" in told for told in editor.messages),
            "told",
        )
        actions = await editor.actions("README.md")
        assert "Select an intent…" not in actions
        await editor.run(actions["Select intent INT-001: Login"])
        await editor.problems("README.md", "SCOPE_VIOLATION")


async def test_a_save_goes_on_behind_a_lock_that_another_process_holds(
    repository: Repository,
) -> None:
    before = [f"src/auth/{name}.py" for name in "abc"]
    for name in before:
        repository.write(name, LINES)
    govern(repository, "enforcement: block")
    async with editing(repository.root, command=SERVER) as editor:
        await editor.ask("intent/select", {"intentId": "INT-001"})
        editor.open(INVOICE)
        assert not await editor.settled(INVOICE)
        for name in before:
            # Saves are recorded in their order once it is known which root governs their files.
            editor.open(name)
            await editor.settled(name)
        with locked_by_another_process(repository.root / LOCAL_ROOM / "ledger.lock"):
            for name in before:
                editor.type(name, "top\n" + LINES)
                await editor.save(name)
            # Their records wait for the lock, and the next save's judge for them.
            await editor.ask("intent/list")
            editor.type(INVOICE, "top\n" + LINES)
            await editor.save(INVOICE)
            assert editor.buffers[INVOICE].text == "top\n" + LINES
            await editor.until(
                lambda: [
                    log for log in editor.client.log_messages if "not judged within" in log.message
                ],
                "said",
            )
        await editor.choose("Leave it")
        # What could not be turned back is recorded for what it is, and said to be so.
        await editor.traced(len(before) + 1)
        assert [record["scope_validation"] for record in editor.records()] == ["PASS"] * 3 + [
            "FAIL"
        ]
        await editor.until(lambda: editor.asked, "offered")
        assert "The file was saved anyway" in editor.asked[0].message
