"""Code actions that bring a file into scope: expand the active intent, or create one.

Specified in requirements section 8.

Invariant: each offered grant has a one-time token, which proves the person's click for that grant
only.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode
from intent_lsp.core.scope.language import escape
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.governance.violations.violation import Violation

CREATE: Final = "intent.create"
EXPAND: Final = "intent.requestScopeExpansion"

CREATE_TITLE: Final = "Create an intent for this file and select it"

_AN_HOUR: Final = timedelta(hours=1)


GiveToken = Callable[[str, tuple[str, ...], timedelta | None], str]
"""Returns a one-time token for a grant, as `GrantTokens.give` does."""


def scope_actions(
    tracked: TrackedDocument, problem: Violation, give: GiveToken
) -> list[lsp.CodeAction]:
    """Return the actions that resolve the violation `problem` by more scope or by a new intent.

    Both are offered for a scope violation. If no usable intent is active, only a new intent is
    offered. For any other violation, the list is empty. `give` returns the token of a grant. It
    must return the same token for the same grant, so that actions on several violations are equal.
    """
    ways: list[lsp.CodeAction] = []
    if problem.code == GateCode.SCOPE_VIOLATION:
        ways += _expansions(tracked, give)
    path = tracked.path
    if path is not None and problem.code in (*NO_USABLE_INTENT, GateCode.SCOPE_VIOLATION):
        argument = {
            "name": f"Changes to {path}",
            "ownedScope": [escape(path)],
            "select": True,
            "workspaceUri": root_uri(tracked),
        }
        ways.append(command_action(CREATE_TITLE, CREATE, argument))
    return ways


def _expansions(tracked: TrackedDocument, give: GiveToken) -> list[lsp.CodeAction]:
    """Return the actions that grant the active intent more scope; none without such an intent.

    They grant the file of `tracked`, all below its directory unless that is the root, and the file
    for an hour.
    """
    look, path = tracked.look, tracked.path
    intent = None if look is None else look.judgement.intent
    if intent is None or path is None:
        return []
    file, (directory, _, _) = escape(path), path.rpartition("/")
    below = f"{escape(directory)}/**" if directory else None
    wishes = [
        (f"with {file}", file, None),
        *([(f"with {below}", below, None)] if below is not None else []),
        (f"with {file} for one hour", file, _AN_HOUR),
    ]
    return [
        command_action(
            f"Expand the scope of {intent.id} {with_glob}",
            EXPAND,
            {
                "intentId": intent.id,
                "patterns": [pattern],
                "grantToken": give(intent.id, (pattern,), ttl),
                "workspaceUri": root_uri(tracked),
                **({} if ttl is None else {"ttlSeconds": int(ttl.total_seconds())}),
            },
        )
        for with_glob, pattern, ttl in wishes
    ]


def command_action(title: str, command: str, argument: object) -> lsp.CodeAction:
    """Return a quick fix that runs a command with `argument`, or without arguments for None."""
    arguments = None if argument is None else [argument]
    return lsp.CodeAction(
        title=title,
        kind=lsp.CodeActionKind.QuickFix,
        command=lsp.Command(title=title, command=command, arguments=arguments),
    )


def root_uri(tracked: TrackedDocument) -> str | None:
    """Return the URI of the root that governs a document, or None if none does."""
    return None if tracked.open_root is None else uri_of(tracked.open_root.governance.root)
