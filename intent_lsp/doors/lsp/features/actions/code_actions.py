"""Code actions that resolve a violation, and quick fixes in a control file (protocol section 4).

Invariant: for a client that supports versions, an edit of an open document names the version that
it was computed for. For any other, a revert is made by a command that checks the version.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode, ShownCode
from intent_lsp.core.intents import Intent
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.control_files import ControlFile
from intent_lsp.doors.lsp.diagnostics.lsp_convert import line_range, range_wire
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.actions.revert_actions import revert_actions
from intent_lsp.doors.lsp.features.actions.scope_actions import (
    GiveToken,
    command_action,
    root_uri,
    scope_actions,
)
from intent_lsp.doors.lsp.features.fix_all_action import FixAllAction, is_wanted
from intent_lsp.doors.lsp.wire.names import FIX_ALL
from intent_lsp.governance.violations.violation import Violation

SELECT: Final = "intent.select"
SHOW_WHY: Final = "intent.showWhy"
RESTORE_DRAFT: Final = "intent.restoreDraft"
SHOW_DISK: Final = "intent.showDisk"

SHOW_DISK_TITLE: Final = "Show the version on disk"
COMPARE_TITLE: Final = "Compare with the version on disk"

_DRAFTS_OFFERED: Final = 3
_INTENTS_OFFERED: Final = 9


class CodeActions:
    """Builds the code actions for documents and control files of one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._fix_all = FixAllAction(connection)

    async def answered(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """Answer `textDocument/codeAction`.

        The actions are quick fixes and *Fix all* in a control file. In any other tracked file they
        are those of `offered`. Only actions of the kinds that the client asks for are built.
        """
        only, documents = params.context.only, self._connection.tracked_documents
        tracked = documents.tracked_at(params.text_document.uri)
        if tracked is None:
            return []
        # A save under way may remove the violation, or leave a draft to offer.
        await documents.settled(tracked.uri)
        page = self._connection.pages.page(tracked.uri)
        quick = is_wanted(lsp.CodeActionKind.QuickFix, only)
        if page is None:
            return await self.offered(tracked, params.range) if quick else []
        # The fixes must fit the text that the editor has now, or it refuses their edits.
        await self._connection.pages.settled(tracked.uri)
        found = self.fixes(page, params.range) if quick else []
        return found + (
            await self._fix_all.offered(page, tracked) if is_wanted(FIX_ALL, only) else []
        )

    async def offered(self, tracked: TrackedDocument, range_: lsp.Range) -> list[lsp.CodeAction]:
        """Return the actions for the violations that touch the lines of `range_`, each action once.

        For an open file, actions that restore its newest drafts follow, at most `_DRAFTS_OFFERED`
        of them and whatever the range.
        """
        found: list[lsp.CodeAction] = []
        shown = self._connection.tracked_documents.publisher.items(tracked.uri)
        touched = [
            problem
            for problem in tracked.problems
            if _touches(problem, range_) and problem.code != ShownCode.MORE_VIOLATIONS
        ]
        usable = await self._usable(tracked, touched)
        # A grant that is offered on several violations has one token.
        give = cache(self._connection.tokens.give)
        for problem in touched:
            ways = self._ways_out(tracked, problem, usable, give)
            mine = [each for each in shown if _same(each, problem)]
            for action in ways:
                action.diagnostics = mine or None
            found += ways
        found += await self._drafts(tracked)
        return _once(found)

    def fixes(self, page: ControlFile, range_: lsp.Range) -> list[lsp.CodeAction]:
        """Return the quick fixes for the findings in a control file that `range_` touches.

        There are none for findings that are not shown. If the client knows preferred actions, the
        only fix of a finding is preferred, unless it changes what the file means.
        """
        spelling = self._connection.spelling
        found: list[lsp.CodeAction] = []
        # Of thousands of findings only those on these lines are encoded.
        lines = range_.start.line, range_.end.line
        for finding in self._connection.pages.shown_on(page, *lines):
            diagnostic = spelling.finding(finding, page.lines, page.uri)
            if not _overlap(diagnostic.range, range_):
                continue
            alone = self._connection.client.preferred_actions and len(finding.fixes) == 1
            for fix in finding.fixes:
                edits = spelling.edits(fix.changes, page.lines)
                found.append(
                    lsp.CodeAction(
                        title=fix.title,
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=[diagnostic],
                        edit=spelling.workspace_edit(page.uri, page.version, edits),
                        # What editors apply without a menu must not change what the file means.
                        is_preferred=True if alone and fix.safe else None,
                    )
                )
        return found

    async def _usable(
        self, tracked: TrackedDocument, touched: Sequence[Violation]
    ) -> Sequence[Intent]:
        """Return the open intents of the root, from which the person may select one.

        Return () if no violation in `touched` says that no usable intent is active.
        """
        wanted = any(problem.code in NO_USABLE_INTENT for problem in touched)
        if not wanted or tracked.open_root is None:
            return ()
        list_open = tracked.open_root.governance.open_intents
        return await self._connection.work.in_thread(list_open)

    def _ways_out(
        self,
        tracked: TrackedDocument,
        problem: Violation,
        usable: Sequence[Intent],
        give: GiveToken,
    ) -> list[lsp.CodeAction]:
        # `can_choose` too: a client such as Helix refuses the request only when it arrives.
        can_ask = self._connection.client.questions and self._connection.people.can_choose
        ways = _selections(tracked, problem, usable, can_ask=can_ask)
        if self._connection.client.preferred_actions and len(problem.owners) == 1:
            # The only owner comes first.
            ways[0].is_preferred = True
        ways += scope_actions(tracked, problem, give)
        lines = self._connection.spelling
        place = line_range(tracked.lines, problem.first_line, problem.last_line, lines.encoding)
        where: dict[str, object] = {"uri": tracked.uri, "range": range_wire(place)}
        ways += self._comparison(tracked, problem)
        ways += revert_actions(self._connection, tracked, problem)
        ways.append(command_action("Show why", SHOW_WHY, where))
        return ways

    def _comparison(self, tracked: TrackedDocument, problem: Violation) -> list[lsp.CodeAction]:
        """Return, as a list, the action that compares a stale document with its file on disk.

        For a client that cannot compare, the action only shows the file on disk. The list is empty
        if the client can do neither, or if the violation has another cause than a newer file.
        """
        client = self._connection.client
        if problem.code != GateCode.STALE_FILE:
            return []
        if client.compare_command is not None:
            return [command_action(COMPARE_TITLE, client.compare_command, tracked.uri)]
        if client.text_contents and client.show_document:
            return [command_action(SHOW_DISK_TITLE, SHOW_DISK, {"uri": tracked.uri})]
        return []

    async def _drafts(self, tracked: TrackedDocument) -> list[lsp.CodeAction]:
        open_root, place = tracked.open_root, tracked.place
        if open_root is None or place is None or tracked.version is None:
            return []
        list_drafts = open_root.governance.stores.drafts.list
        kept = await self._connection.work.in_thread(list_drafts, place.path)
        return [
            command_action(
                f"Restore draft of {draft.created_at}",
                RESTORE_DRAFT,
                {"id": draft.id, "workspaceUri": root_uri(tracked)},
            )
            for draft in kept[:_DRAFTS_OFFERED]
        ]


def _selections(
    tracked: TrackedDocument, problem: Violation, usable: Sequence[Intent], *, can_ask: bool
) -> list[lsp.CodeAction]:
    """Return the actions that select an intent to resolve the violation `problem`.

    There is one for each owner of the file. If the violation is that no usable intent is active,
    and `usable` is not empty, there are more: one with which the person chooses an open intent, or,
    if `can_ask` is False, one for each of the first `_INTENTS_OFFERED` in `usable`.
    """
    titles = {owner: f"Select intent {owner} (owns this file)" for owner in problem.owners}
    missing = problem.code in NO_USABLE_INTENT
    for intent in usable[:_INTENTS_OFFERED] if missing and not can_ask else ():
        titles.setdefault(intent.id, f"Select intent {intent.label}")
    root = root_uri(tracked)
    ways = [
        command_action(title, SELECT, {"intentId": chosen, "workspaceUri": root})
        for chosen, title in titles.items()
    ]
    if missing and can_ask and usable:
        ways.append(command_action("Select an intent…", SELECT, None))
    return ways


def _touches(problem: Violation, range_: lsp.Range) -> bool:
    return problem.first_line <= range_.end.line and problem.last_line >= range_.start.line


def _overlap(left: lsp.Range, right: lsp.Range) -> bool:
    return not (left.end < right.start or right.end < left.start)


def _same(diagnostic: lsp.Diagnostic, problem: Violation) -> bool:
    return (
        diagnostic.code == problem.code
        and diagnostic.range.start.line == problem.first_line
        and diagnostic.range.end.line == problem.last_line
    )


def _once(actions: Sequence[lsp.CodeAction]) -> list[lsp.CodeAction]:
    """Return the actions without those that have the title and the effect of an earlier one."""
    kept: dict[tuple[str, str], lsp.CodeAction] = {}
    for action in actions:
        effect = repr(action.edit or action.command or action.data)
        kept.setdefault((action.title, effect), action)
    return list(kept.values())
