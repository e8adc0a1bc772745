"""Diagnostics in Markdown, for a client that declares that, and plain text for every other."""

from typing import Any

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from tests.support.governed_repository import LINES, govern
from tests.support.replayed_client import ReplayedClient, begin, declaring
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

INVOICE = "src/billing/invoice.py"
PLAIN = "invoice.py is outside the scope of INT-001 (Login)."
WAY_OUT = "select an owner, expand the scope of INT-001, or revert the lines"
REFRESHES: Any = {"diagnostics": {"refreshSupport": True}}
SHOWN: Any = {"relatedInformation": True, "codeDescriptionSupport": True, "dataSupport": True}
ACTIONS: Any = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}


def declared(diagnostic: object, workspace: object = REFRESHES) -> dict[str, Any]:
    shown = {"publishDiagnostics": SHOWN, "codeAction": ACTIONS}
    return {
        "textDocument": shown if diagnostic is None else shown | {"diagnostic": diagnostic},
        "workspace": workspace,
    }


def opened(client: ReplayedClient, repository: Repository) -> str:
    """Open a changed file that the selected intent does not own; return its URI."""
    begin(client, repository.root)
    client.command("intent.select", {"intentId": "INT-001"})
    uri = uri_of(repository.root / INVOICE)
    client.open_document(uri, "top\n" + LINES, "python")
    return uri


def test_a_client_that_reads_markdown_is_sent_it_and_may_send_it_back(
    repository: Repository,
) -> None:
    govern(repository)
    intents = uri_of(repository.root / INTENTS_FILE)
    with declaring(repository.root, declared({"markupMessageSupport": True})) as client:
        uri = opened(client, repository)
        (found,) = client.problems(uri, 1)
        assert found["message"] == {
            "kind": "markdown",
            "value": "\n\n".join(
                (
                    PLAIN,
                    f"[Scope of INT-001]({intents}#L5): `src/auth/**`",
                    f"Owned by [INT-002 (Billing)]({intents}#L8)",
                    f"Way out: {WAY_OUT}.",
                )
            ),
        }
        # All else is as it is for every client.
        assert found.keys() == {
            *("range", "message", "severity", "code", "codeDescription", "source"),
            *("relatedInformation", "data"),
        }
        assert (found["code"], found["source"], found["severity"]) == (
            "SCOPE_VIOLATION",
            "intent-lsp",
            1,
        )
        (report,) = [
            each
            for each in client.request("workspace/diagnostic", {"previousResultIds": []})["items"]
            if each["uri"] == uri
        ]
        assert report["items"] == [found]
        # The client sends back what it was sent, and its actions have it again.
        params = {
            "textDocument": {"uri": uri},
            "range": found["range"],
            "context": {"diagnostics": [found]},
        }
        actions = client.request("textDocument/codeAction", params)
        (select,) = [each for each in actions if each["title"].startswith("Select intent INT-002")]
        assert select["diagnostics"] == [found]
        wrong = [found | {"message": message} for message in (1, {"kind": "markdown"}, None)]
        for each in wrong:
            error = client.failure(
                "textDocument/codeAction", params | {"context": {"diagnostics": [each]}}
            )
            assert error["code"] == -32602


@pytest.mark.parametrize(
    ("diagnostic", "workspace"),
    [
        ({"dynamicRegistration": False}, REFRESHES),
        ({"markupMessageSupport": False}, REFRESHES),
        ({"markupMessageSupport": "true"}, REFRESHES),
        ({"markupMessageSupport": 1}, REFRESHES),
        # Whoever cannot be asked to pull again is pushed to.
        ({"markupMessageSupport": True}, {}),
        (None, REFRESHES),
    ],
)
def test_any_other_client_is_sent_plain_text(
    repository: Repository, diagnostic: object, workspace: object
) -> None:
    govern(repository)
    with declaring(repository.root, declared(diagnostic, workspace)) as client:
        (found,) = client.problems(opened(client, repository), 1)
        assert found["message"] == PLAIN


def test_findings_in_the_intents_file_stay_plain(repository: Repository) -> None:
    govern(repository)
    with declaring(repository.root, declared({"markupMessageSupport": True})) as client:
        begin(client, repository.root)
        uri = uri_of(repository.root / INTENTS_FILE)
        text = "active_intents: [{id: INT-001, status: RUNNING}]\n"
        client.open_document(uri, text, "yaml")
        answer = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        messages = [each["message"] for each in answer["items"]]
        assert messages
        assert all(isinstance(message, str) for message in messages)
