"""Code actions that bring a file into scope: expand the active intent, or create one.

Specified in requirements section 8.

Invariant: each offered grant has a one-time token, which proves the person's click for that grant
only.
"""

from datetime import timedelta
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode
from intent_lsp.core.scope.language import escape
from intent_lsp.doors.lsp.connection.person_prompt import GrantTokens
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.governance.violations.violation import Violation

CREATE: Final = "intent.create"
EXPAND: Final = "intent.requestScopeExpansion"

CREATE_TITLE: Final = "Create an intent for this file and select it"

_AN_HOUR: Final = timedelta(hours=1)


_Grant = tuple[str, str, timedelta | None]
"""The id of an intent, a glob, and how long the grant lasts, None for good."""


class ScopeActions:
    """Builds the code actions that grant scope or create an intent, for one request of the client.

    A grant that is offered on several violations has one token, so that the actions are equal.
    """

    def __init__(self, tokens: GrantTokens) -> None:
        self._tokens = tokens
        self._offered: dict[_Grant, str] = {}

    def ways_out(
        self, tracked: TrackedDocument, problem: Violation, shown: list[lsp.Diagnostic]
    ) -> list[lsp.CodeAction]:
        """Return the actions that resolve the violation `problem` by more scope or by a new intent.

        More scope is offered for a scope violation, a new intent also for want of a usable active
        intent, and nothing otherwise. `shown` are the diagnostics to which the actions are
        attached.
        """
        ways: list[lsp.CodeAction] = []
        if problem.code == GateCode.SCOPE_VIOLATION:
            ways += self._expansions(tracked, shown)
        if problem.code in (*NO_USABLE_INTENT, GateCode.SCOPE_VIOLATION):
            ways += self._creation(tracked, shown)
        return ways

    def _expansions(
        self, tracked: TrackedDocument, shown: list[lsp.Diagnostic]
    ) -> list[lsp.CodeAction]:
        """Return the actions that grant the active intent more scope; none without such an intent.

        They grant the file of `tracked`, all below its directory unless that is the root, and the
        file for an hour. `shown` are the diagnostics to which the actions are attached.
        """
        look, place = tracked.look, tracked.place
        intent = None if look is None else look.judgement.intent
        if intent is None or place is None:
            return []
        file, (directory, _, _) = escape(place.path), place.path.rpartition("/")
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
                self._grant(tracked, intent.id, pattern, ttl),
                shown,
            )
            for with_glob, pattern, ttl in wishes
        ]

    def _grant(
        self, tracked: TrackedDocument, intent_id: str, pattern: str, ttl: timedelta | None
    ) -> dict[str, object]:
        """Return the argument of the command that grants the glob `pattern` to an intent.

        Its token, which proves the person's click, is new unless this grant was offered before.
        `ttl` is how long the grant lasts, None for good.
        """
        grant = (intent_id, pattern, ttl)
        token = self._offered.get(grant)
        if token is None:
            token = self._offered[grant] = self._tokens.give(intent_id, (pattern,), ttl)
        told: dict[str, object] = {
            "intentId": intent_id,
            "patterns": [pattern],
            "grantToken": token,
            "workspaceUri": root_uri(tracked),
        }
        return told if ttl is None else told | {"ttlSeconds": int(ttl.total_seconds())}

    def _creation(
        self, tracked: TrackedDocument, shown: list[lsp.Diagnostic]
    ) -> list[lsp.CodeAction]:
        place = tracked.place
        if place is None:
            return []
        argument = {
            "name": f"Work on {place.path}",
            "ownedScope": [escape(place.path)],
            "select": True,
            "workspaceUri": root_uri(tracked),
        }
        return [command_action(CREATE_TITLE, CREATE, argument, shown)]


def command_action(
    title: str, command: str, argument: object, shown: list[lsp.Diagnostic]
) -> lsp.CodeAction:
    """Return a quick fix for the diagnostics `shown` that runs a command with `argument`.

    If `argument` is None, the command is run without arguments.
    """
    arguments = None if argument is None else [argument]
    return lsp.CodeAction(
        title=title,
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=shown or None,
        command=lsp.Command(title=title, command=command, arguments=arguments),
    )


def root_uri(tracked: TrackedDocument) -> str | None:
    """Return the URI of the root that governs a document, or None if none does."""
    return None if tracked.open_root is None else uri_of(tracked.open_root.governance.root)
