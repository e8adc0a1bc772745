"""Changes on disk that belong to a call, named by its ticket or not, and the verdict on each.

Specified in requirements section 6.

Invariant: the caller holds the root's lock.
Invariant: if a call named a link, the content of the link's target counts.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import COMMAND_AWAITED_FOR, Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ScopeValidation
from intent_lsp.governance.calls.call_events import NO_DOUBTS, CallEvents, Doubts, FoundFile
from intent_lsp.governance.calls.protected_files import guarded_changes
from intent_lsp.governance.disk.foreign_writes import ForeignWrites
from intent_lsp.governance.disk.pending_changes import ChangedFile
from intent_lsp.governance.disk.work_tree import TreeChanges, WorkTree
from intent_lsp.governance.judging.restoring_edits import puts_back
from intent_lsp.governance.root.grants import Grants
from intent_lsp.store.fs.resolve import last_touched, resolve_below
from intent_lsp.store.fs.roots import RootsBelow

_ROUNDED_BY: Final = 2.0
"""Seconds by which some file systems round modification times."""

_WORST_FIRST: Final = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)


class RetargetedLinks(Struct, frozen=True):
    """The paths of a ticket that lead elsewhere than when they were judged.

    `inside` are new targets inside the root that may have been written since. `outside` are the
    paths of the ticket whose target is now outside the root.
    """

    inside: tuple[WorkspacePath, ...] = ()
    outside: tuple[WorkspacePath, ...] = ()


class FoundChanges(Struct, frozen=True, kw_only=True):
    """The files that a call named, and others that it changed.

    `outside` are paths of the call's ticket that now lead out of the root. `whole` is false if the
    call named no file and the work tree was not compared: empty `files` then prove nothing.
    """

    files: tuple[FoundFile, ...]
    whole: bool
    outside: tuple[WorkspacePath, ...]
    doubts: Doubts = NO_DOUBTS


class CallChanges(Struct, kw_only=True):
    """Finds the files that the calls in one root have changed, and gives each its verdict.

    `left` are changed files that no intent of the running commands owns. They were left out of a
    command's record while others ran; the command that is recorded last gets them.
    """

    events: CallEvents
    grants: Grants
    work_tree: WorkTree
    foreign: ForeignWrites
    left: set[WorkspacePath] = field(default_factory=set)

    def find(self, ticket: Ticket, compared: TreeChanges | None) -> FoundChanges:
        """Return the files that the ticket names, and other files that the call changed.

        If somebody else has written into a file, too (`ForeignWrites`), that is recorded first.

        `compared` is the comparison of the work tree before and after the call, or None.
        """
        state = self.events.stores.state
        saved = () if state is None else state.tickets.held(ticket.id)
        named = tuple(self._after_others(file) for file in self.events.found(ticket, saved))
        # A named symbolic link is read here as its target, while git compares the link itself. So
        # only named files that were found changed are left out of the comparison.
        told = [file for file in named if file.changed]
        besides, doubts = self.besides(
            ticket, compared, {end for file in told for end in file.ends}
        )
        away = led_away(self.events.stores.root, ticket)
        known = {end for file in (*named, *besides) for end in file.ends}
        besides += [self.events.found_away(path) for path in away.inside if path not in known]
        return FoundChanges(
            files=(*named, *besides),
            whole=compared is not None or bool(named),
            outside=away.outside,
            doubts=doubts,
        )

    def besides(
        self, ticket: Ticket, compared: TreeChanges | None, known: Collection[WorkspacePath | None]
    ) -> tuple[list[FoundFile], Doubts]:
        """Return the files that a call changed beyond the `known` paths, and the doubts about them.

        If somebody else has written into one of these files before the call, that is recorded
        first.
        `compared` is the comparison of the work tree before and after the call, or None if there is
        none.
        """
        since, session = datetime.fromisoformat(ticket.issued_at), ticket.session_id
        changed = () if compared is None else compared.files
        changed = self.work_tree.unreported(changed, since=since, session_id=session)
        unnamed = [
            self.events.found_besides(each)
            for each in changed
            if each.path not in known and not self._may_hide(ticket, each)
        ]
        besides = self._of_this_command(
            ticket, self.events.under_new_names(unnamed), now=self.events.stores.clock()
        )
        for file in besides:
            self.foreign.record_before(file.path, file.old)
        # Each command has its own earlier state of the protected files; the first one recorded
        # reports a change.
        guarded = guarded_changes(self.events.stores, ticket.guarded) if ticket.guarded else ()
        guarded = self.work_tree.unreported(guarded, since=since, session_id=session)
        besides += [self.events.found_besides(each) for each in guarded if each.path not in known]
        doubts = Doubts(
            assumed=ticket.late or (compared is not None and compared.assumed),
            compared=ticket.command is None or compared is not None,
        )
        return besides, doubts

    def _of_this_command(
        self, ticket: Ticket, besides: Sequence[FoundFile], *, now: datetime
    ) -> list[FoundFile]:
        """Return the changes in `besides` that belong to a command, while other commands run.

        `besides` are the changed files that the command did not name, and `ticket` is the
        command's. Other commands count if they may have made the change (`_is_rival`). If this
        command's intent owns a file, the change belongs to this command. Else, if another command's
        intent owns the file, the change belongs to that command. If none owns the file, the change
        belongs to the last of these commands to be recorded. A file that another call claims, or
        that an editor is about to record, is left out.
        """
        state = self.events.stores.state
        others = () if state is None else state.tickets.commands.since(now - COMMAND_AWAITED_FOR)
        others = tuple(other for other in others if _is_rival(other, ticket))
        mine = list[FoundFile]()
        for file in besides:
            if self._is_anothers(ticket, file, now):
                continue
            rivals = [other for other in others if other.may_have_made(file.path, file.new)]
            if rivals and not self.grants.covers(ticket.intent_id, file.path):
                # A rival that owns the file will record it. If no rival owns it, the last command
                # recorded takes it.
                if not any(self.grants.covers(other.intent_id, file.path) for other in rivals):
                    self.left.add(file.path)
                continue
            overtaken = file.path in self.left or any(
                self.grants.covers(other.intent_id, file.path) for other in rivals
            )
            self.left.discard(file.path)
            mine.append(replace(file, overtaken=overtaken))
        return mine

    def _is_anothers(self, ticket: Ticket, file: FoundFile, now: datetime) -> bool:
        """Return whether another call claims the file, or an editor is about to record it."""
        state = self.events.stores.state
        claim = None if state is None else state.tickets.over(file.path, now)
        if claim is not None and claim.id != ticket.id:
            return True
        return self.events.stores.is_coming_save(file.path, file.data)

    def _may_hide(self, ticket: Ticket, file: ChangedFile) -> bool:
        """Return whether a file is hidden by an ignore file that the ticket's intent owns.

        Such a hidden file is not reported.
        """
        return file.hidden_by is not None and self.grants.covers(ticket.intent_id, file.hidden_by)

    def _after_others(self, file: FoundFile) -> FoundFile:
        """Record what others have written into a file, before or during the call; return the file.

        If somebody has written during the call, the file is returned as changed from that content.
        Nothing is recorded for an unchanged or moved file, or one that an editor saved.
        """
        if file.saved or file.ticket.previous is not None or file.new == file.old:
            return file
        third = self.foreign.record_foreign(file.ticket, file.data)
        if third is None:
            return file
        return replace(file, ticket=replace(file.ticket, pre_hash=third), overtaken=True)

    def violating(self, ticket: Ticket, found: FoundChanges) -> tuple[WorkspacePath, ...]:
        """Return the changed files that the call did not name and that its intent may not change.

        Include the named paths that now lead out of the root. Leave out files that the call
        restored after a violation, and generated files that agents may change.
        """
        besides = [
            path
            for file in found.files
            if file.besides and not puts_back(self.events.contents, file.path, file.new)
            for path in (file.ticket.previous, file.path)
            if path is not None
        ]
        if not besides:
            return found.outside
        rules = self.events.stores.rules.current()
        others = RootsBelow(self.events.stores.root)
        violating = (
            path
            for path in besides
            if others.hold(path)
            or rules.denied(path)
            or not (self.grants.covers(ticket.intent_id, path) or rules.generated.covers(path))
        )
        return (*found.outside, *violating)

    def by_verdict(
        self, ticket: Ticket, found: FoundChanges, violating: Collection[WorkspacePath]
    ) -> dict[ScopeValidation, list[FoundFile]]:
        """Group the files of a call by verdict, the worst verdict first.

        If a named path now leads out of the root, all files get FAIL. Else, if there are no files,
        return one empty group with the ticket's verdict. `violating` are the paths that break a
        rule.
        """
        if found.outside:
            return {ScopeValidation.FAIL: list(found.files)}
        parts: dict[ScopeValidation, list[FoundFile]] = {verdict: [] for verdict in _WORST_FIRST}
        for file in found.files:
            parts[self._verdict(ticket, file, violating)].append(file)
        return {v: files for v, files in parts.items() if files} or {ticket.verdict: []}

    def _verdict(
        self, ticket: Ticket, file: FoundFile, violating: Collection[WorkspacePath]
    ) -> ScopeValidation:
        """Return the verdict on one changed file. A file that the call named has the ticket's.

        Any other gets FAIL if its path or former path is in `violating`, the paths that break a
        rule. Else it gets PASS if the call's intent owns it and the call has not restored it after
        a violation, and EXEMPT otherwise.
        """
        if not file.besides:
            return ticket.verdict
        if not {file.path, file.ticket.previous}.isdisjoint(violating):
            return ScopeValidation.FAIL
        back = puts_back(self.events.contents, file.path, file.new)
        owned = not back and self.grants.covers(ticket.intent_id, file.path)
        return ScopeValidation.PASS if owned else ScopeValidation.EXEMPT


def _is_rival(other: Ticket, ticket: Ticket) -> bool:
    """Return whether another open command (`other`) may have made changes found for `ticket`.

    False if `other` is a follow-up for processes left running, or if it is read-only and the
    command of `ticket` is not. False, too, if both are the same agent's, and the agent has made
    another call since that of `other` (`gone_on`).
    """
    if other.looking and not ticket.looking:
        return False
    same = (other.session_id, other.agent_id) == (ticket.session_id, ticket.agent_id)
    return other.id != ticket.id and not other.late and not (same and other.gone_on)


def led_away(root: Path, ticket: Ticket) -> RetargetedLinks:
    """Resolve every path of a ticket again; return the new targets, and the paths that lead out.

    Of the new targets inside the root, directories are left out. So are files that were last
    modified more than `_ROUNDED_BY` seconds before the ticket was issued.
    """
    judged = {end for file in ticket.files for end in (file.path, file.real, file.previous)}
    inside: dict[WorkspacePath, None] = {}
    outside: list[WorkspacePath] = []
    for file in ticket.files:
        place = resolve_below(root, file.path)
        if place is None or place.real is None:
            outside.append(file.path)
        elif place.real not in judged:
            inside[place.real] = None
    since = datetime.fromisoformat(ticket.issued_at).timestamp() - _ROUNDED_BY
    return RetargetedLinks(tuple(_touched(root, tuple(inside), since)), tuple(outside))


def _touched(root: Path, paths: Sequence[WorkspacePath], since: float) -> tuple[WorkspacePath, ...]:
    moments = ((path, last_touched(root / path)) for path in paths if not (root / path).is_dir())
    return tuple(path for path, moment in moments if moment is None or moment >= since)
