"""Recording what has become of an agent's call (requirements section 9, ledger section 1).

Invariant: what is recorded is what is found on disk, under the verdict that the ticket holds.
Invariant: whoever calls this holds the root's lock.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Final
from uuid import UUID

from intent_lsp.core.agents.tickets import Recorded, Ticket, TicketFile
from intent_lsp.core.content import decode, hash_if_there
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import Event, Record, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.best_effort import step
from intent_lsp.governance.calls.call_events import NO_DOUBTS, CallEvents, Doubts, FoundFile
from intent_lsp.governance.calls.link_targets import led_away
from intent_lsp.governance.calls.protected_files import ProtectedFiles
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.denied_paths import denied_path
from intent_lsp.governance.disk.comparison import ChangedFile
from intent_lsp.governance.disk.disk_changes import COMMAND_AWAITED_FOR, DiskChanges, may_have_made
from intent_lsp.governance.disk.work_tree import TreeChanges, WorkTree
from intent_lsp.governance.grants import Grants
from intent_lsp.governance.restoring_edits import RestoringEdits
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.stores import Stores
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.state.drafts import Draft
from intent_lsp.store.state.sessions_db import ReadHash

_WORST_FIRST: Final = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)

DISCARDED: Final = "DISCARDED"
"""The code of a draft that nobody refused: a command threw the text away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a ticket; `record` is None where none was made, or it was made before.

    `queued` says why a record waits. `beside` are the records of files with other verdicts than
    those of `record`. `discarded` are drafts of what it threw away of others. `again`: it was told
    of before.
    """

    ticket: Ticket
    recorded: Recorded
    record: Record | None = None
    queued: str | None = None
    error: str | None = None
    discarded: tuple[Draft, ...] = ()
    again: bool = False
    beside: tuple[Record, ...] = ()

    @property
    def violating(self) -> tuple[WorkspacePath, ...]:
        """The files that nobody had named, and that its intent may not change."""
        return self.recorded.violating


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """A file that an editor has saved: what it held before (None: absent), and holds now."""

    path: WorkspacePath
    old: bytes | None
    new: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The files of a ticket, and those that it could not name; `outside` lead out of the root now.

    `whole`: all that it changed is among them; else none is no sign that nothing changed.
    """

    files: tuple[FoundFile, ...]
    whole: bool
    outside: tuple[WorkspacePath, ...]
    doubts: Doubts = NO_DOUBTS


class CallRecorder:
    """Records the calls of one root's agents."""

    def __init__(  # noqa: PLR0913 - each is a part of the desk that it needs
        self,
        *,
        stores: Stores,
        rules: RulesCache,
        contents: Contents,
        grants: Grants,
        work_tree: WorkTree,
        foreign: DiskChanges,
    ) -> None:
        self._stores = stores
        self._contents = contents
        self._rules = rules
        self._grants = grants
        self._foreign = foreign
        self._putting_back = RestoringEdits(stores, contents)
        self._left = set[WorkspacePath]()
        self._work_tree = work_tree
        self._guarding = ProtectedFiles(stores)
        self._events = CallEvents(stores=stores, contents=contents)

    def compare(self, ticket_id: str) -> TreeChanges | None:
        """Tell what a command has changed, before `record`; None: nothing that can be compared.

        It may take a while, and needs no lock.
        """
        state, now = self._stores.state, self._stores.clock()
        known = None if state is None else state.tickets.ticket(ticket_id, now)
        lost = None if state is None else state.tickets.commands.remembered(ticket_id, now)
        ticket = lost if known is None else known[0]
        if ticket is None or ticket.tree is None or (known and known[1] is not None):
            return None
        return self._work_tree.changes(ticket.tree)

    def record(
        self,
        ticket_id: str,
        *,
        error: str | None = None,
        compared: TreeChanges | None = None,
        told: bool = True,
    ) -> Outcome | None:
        """Record what has become of a ticket's files; `error`: the call failed. None: unknown.

        `compared` is what `compare` gave; `told`: its host has told of its end. A ticket that was
        recorded gives the same answer again.
        """
        state, now = self._stores.state, self._stores.clock()
        known = None if state is None else state.tickets.ticket(ticket_id, now)
        if state is None:
            return None
        if known is None:
            lost = state.tickets.commands.remembered(ticket_id, now)
            return None if lost is None else self._reconstructed(lost, compared)
        ticket, before = known
        if before is not None:
            return Outcome(ticket=ticket, recorded=before, error=before.error, again=True)
        found = self._found(ticket, compared)
        if ticket.gone_on and not told:
            # Whoever changed something since its session went on: hardly this one.
            found = replace(found, doubts=replace(found.doubts, assumed=True))
        outcome = self._recorded(ticket, found, error, ticket.id)
        outcome = replace(outcome, recorded=state.tickets.end(ticket_id, outcome.recorded))
        if ticket.background and not ticket.late and compared is not None:
            state.tickets.issue(self._second_look(ticket, compared), now)
        return outcome

    def _reconstructed(self, ticket: Ticket, compared: TreeChanges | None) -> Outcome:
        """Record a command that has deleted what was known of it, together with all its changes.

        Whatever it did besides, that is a violation.
        """
        found = self._found(ticket, compared)
        files = tuple(file for file in found.files if file.changed)
        doubts = replace(found.doubts, reconstructed=True)
        event = self._events.event(
            ticket, files, error=None, verdict=ScopeValidation.FAIL, doubts=doubts
        )
        appended = self._append(event, ticket.id)
        self._keep(ticket, files)
        recorded = Recorded(
            record_id=appended.record.id if isinstance(appended, Appended) else None,
            files=tuple((file.path, file.old, file.new) for file in files),
            violating=(WorkspacePath(LOCAL_ROOM), *(file.path for file in files)),
        )
        if self._stores.state is not None:
            self._stores.state.tickets.issue(ticket, self._stores.clock())
            recorded = self._stores.state.tickets.end(ticket.id, recorded)
        return Outcome(
            ticket=ticket,
            recorded=recorded,
            record=appended.record if isinstance(appended, Appended) else None,
            queued=appended.reason if isinstance(appended, Queued) else None,
        )

    def record_so_far(self, ticket: Ticket, compared: TreeChanges) -> Outcome | None:
        """Record what an open command has changed by now, and let it go on from there.

        None: nothing, or somebody else has recorded it.
        """
        state = self._stores.state
        known = None if state is None else state.tickets.ticket(ticket.id, self._stores.clock())
        if state is None or known is None or known[0] != ticket or known[1] is not None:
            return None
        # What no work tree shows has no later beginning: it is told of at the end.
        named = {end for file in ticket.files for end in (file.path, file.previous)}
        besides, doubts = self._besides(replace(ticket, guarded=None), compared, named)
        doubts = replace(doubts, assumed=doubts.assumed or ticket.gone_on)
        outcome = None
        if besides:
            found = _Found(files=tuple(besides), whole=True, outside=(), doubts=doubts)
            # By what was found: who asks again after a crash gets the record that there is.
            held = sorted((file.path, file.new or "") for file in besides)
            outcome = self._recorded(ticket, found, None, _named_after(ticket.id, str(held)))
        state.tickets.commands.go_on(ticket.id, compared.now)
        return outcome

    def _recorded(
        self, ticket: Ticket, all_found: _Found, error: str | None, record_id: str
    ) -> Outcome:
        """Record what was found, a record for each verdict; the first has the id that is given."""
        found, violating = all_found.files, self._violating(ticket, all_found)
        if ticket.looking and not found:
            # A search that finds nothing fails, and is no failed change.
            error = None
        nothing = not found and error is None and (all_found.whole or ticket.looking)
        parts = {} if nothing else self._by_verdict(ticket, all_found, violating)
        done = [
            self._append(
                self._events.event(
                    ticket, files, error=error, verdict=v, doubts=_doubts(all_found.doubts, files)
                ),
                _named_after(record_id, v) if number else record_id,
            )
            for number, (v, files) in enumerate(parts.items())
        ]
        appended = done[0] if done else None
        record = appended.record if isinstance(appended, Appended) else None
        self._keep(ticket, found)
        recorded = Recorded(
            record_id=None if record is None else record.id,
            files=tuple((file.path, file.old, file.new) for file in found),
            error=error,
            violating=violating,
        )
        return Outcome(
            ticket=ticket,
            recorded=recorded,
            record=record,
            queued=appended.reason if isinstance(appended, Queued) else None,
            error=error,
            discarded=tuple(self._kept_drafts(ticket, found)),
            beside=tuple(one.record for one in done[1:] if isinstance(one, Appended)),
        )

    def _keep(self, ticket: Ticket, found: Sequence[FoundFile]) -> None:
        """Keep what a call has left, and that its agent knows it."""
        for file in found:
            self._foreign.note_left(file.path, file.new)
            if file.data is not None:
                # Whoever asks later what has changed since needs it, whatever becomes of us.
                self._contents.keep(file.data, file.new)
        if self._stores.state is not None:
            reads = {file.path: ReadHash(file.new, ticket.turn) for file in found}
            self._stores.state.put_reads(ticket.session_id, ticket.agent_id, reads)

    def _second_look(self, ticket: Ticket, compared: TreeChanges) -> Ticket:
        """Give the ticket under which what a command has left running is found later."""
        return replace(
            ticket,
            id=self._stores.new_id(),
            issued_at=compared.at,
            tool_use_id=None,
            fingerprint=None,
            files=(),
            tree=compared.now,
            guarded=None,
            late=True,
        )

    def _append(
        self, event: Event | None, record_id: str | None = None
    ) -> Appended | Queued | None:
        if event is None:
            return None
        event = veiled(event, self._rules.current().policy)
        # By an id of the ticket's: who asks again after a crash gets the record that there is.
        return self._stores.ledger.append_or_queue(event, record_id)

    def _kept_drafts(self, ticket: Ticket, found: Sequence[FoundFile]) -> Iterator[Draft]:
        """Keep as drafts what a call threw away that nobody had committed."""
        for file in found:
            lost = file.old if file.discarded else None
            data = None if lost is None else self._stores.content(lost)
            text = None if data is None else decode(data)
            if text is None:
                continue
            with step(f"a draft of what was thrown away of {file.path}"):
                yield self._stores.drafts.write(
                    path=file.path,
                    base_hash=file.new,
                    text=text.text,
                    session_id=ticket.session_id,
                    code=DISCARDED,
                    intent_id=ticket.intent_id,
                    created_at=timestamp(self._stores.clock()),
                )

    def saved(self, ticket: Ticket, save: SavedFile) -> Appended | Queued | None:
        """Record a save of a document that a ticket had the editor change; None: nothing changed.

        The ticket has come to its end when the last of its files is saved.
        """
        state = self._stores.state
        of_path = (file for file in ticket.files if file.path == save.path)
        named = next(of_path, TicketFile(path=save.path, pre_hash=None))
        found = FoundFile(
            ticket=replace(named, pre_hash=hash_if_there(save.old)),
            data=save.new,
            new=hash_if_there(save.new),
            saved=True,
        )
        if state is None:
            return None
        event = self._events.event(ticket, (found,), error=None, verdict=ticket.verdict)
        appended = self._append(event)
        if appended is None:
            return None
        read = ReadHash(found.new, ticket.turn)
        state.put_read(ticket.session_id, ticket.agent_id, found.path, read)
        if state.tickets.saved(save.path, ticket.id):
            record_id = appended.record.id if isinstance(appended, Appended) else None
            files = ((found.path, found.old, found.new),)
            state.tickets.end(ticket.id, Recorded(record_id=record_id, files=files))
        return appended

    def is_recorded(self, ticket_id: str) -> bool:
        """Whether a ticket has come to its end."""
        state = self._stores.state
        known = None if state is None else state.tickets.ticket(ticket_id, self._stores.clock())
        return known is not None and known[1] is not None

    def _found(self, ticket: Ticket, compared: TreeChanges | None) -> _Found:
        """Read the ticket's files, and find those that it could not name."""
        state = self._stores.state
        saved = () if state is None else state.tickets.held(ticket.id)
        named = tuple(self._after_others(file) for file in self._events.found(ticket, saved))
        # A link, too, is a file that git knows, and reads as what it leads to.
        told = [file for file in named if file.changed]
        besides, doubts = self._besides(
            ticket, compared, {end for file in told for end in file.ends}
        )
        away = led_away(self._stores.root, ticket)
        known = {end for file in (*named, *besides) for end in file.ends}
        besides += [self._events.found_away(path) for path in away.inside if path not in known]
        return _Found(
            files=(*named, *besides),
            whole=compared is not None or bool(named),
            outside=away.outside,
            doubts=doubts,
        )

    def _besides(
        self, ticket: Ticket, compared: TreeChanges | None, known: Collection[WorkspacePath | None]
    ) -> tuple[list[FoundFile], Doubts]:
        """Find the files that a call has changed beside those that are `known`."""
        since, session = datetime.fromisoformat(ticket.issued_at), ticket.session_id
        changed = () if compared is None else compared.files
        changed = self._work_tree.unreported(changed, since=since, session_id=session)
        unnamed = [
            self._events.found_besides(each)
            for each in changed
            if each.path not in known and not self._may_hide(ticket, each)
        ]
        besides = self._of_this_command(
            ticket, self._events.under_new_names(unnamed), now=self._stores.clock()
        )
        for file in besides:
            self._foreign.record_before(file.path, file.old)
        # Of git's own files each command knows for itself what it found: the first one tells.
        guarded = self._guarding.changes(ticket.guarded) if ticket.guarded else ()
        guarded = self._work_tree.unreported(guarded, since=since, session_id=session)
        besides += [self._events.found_besides(each) for each in guarded if each.path not in known]
        doubts = Doubts(
            assumed=ticket.late or (compared is not None and compared.assumed),
            compared=ticket.command is None or compared is not None,
        )
        return besides, doubts

    def _of_this_command(
        self, ticket: Ticket, besides: Sequence[FoundFile], *, now: datetime
    ) -> list[FoundFile]:
        """Give the changes that are a command's where others are under way that may have made them.

        A change in the scope of one of their intents alone is that one's; what is in nobody's is
        left to the last of them.
        """
        state = self._stores.state
        others = () if state is None else state.tickets.commands.since(now - COMMAND_AWAITED_FOR)
        others = tuple(other for other in others if _is_rival(other, ticket))
        mine = list[FoundFile]()
        for file in besides:
            if self._is_anothers(ticket, file, now):
                continue
            rivals = [other for other in others if may_have_made(other, file.path, file.new)]
            if rivals and not self._covers(ticket, file.path):
                # What a rival owns it will tell of; of what nobody owns the last one does.
                if not any(self._covers(other, file.path) for other in rivals):
                    self._left.add(file.path)
                continue
            overtaken = file.path in self._left or any(
                self._covers(other, file.path) for other in rivals
            )
            self._left.discard(file.path)
            mine.append(replace(file, overtaken=overtaken))
        return mine

    def _is_anothers(self, ticket: Ticket, file: FoundFile, now: datetime) -> bool:
        """Whether a change is what another call claims, or what an editor is about to tell of."""
        state = self._stores.state
        claim = None if state is None else state.tickets.over(file.path, now)
        if claim is not None and claim.id != ticket.id:
            return True
        return self._stores.is_coming_save(file.path, file.data)

    def _may_hide(self, ticket: Ticket, file: ChangedFile) -> bool:
        """Whether a file is hidden by an ignore file that the intent owns: it is nobody's then."""
        return file.hidden_by is not None and self._covers(ticket, file.hidden_by)

    def _covers(self, ticket: Ticket, path: WorkspacePath) -> bool:
        rules = self._rules.current()
        return self._grants.scope_of(rules, rules.active(ticket.intent_id)).covers(path)

    def _after_others(self, file: FoundFile) -> FoundFile:
        """Give a file as its call changed it: after what somebody else has written meanwhile."""
        if file.saved or file.ticket.previous is not None or file.new == file.old:
            return file
        third = self._foreign.record_foreign(file.ticket, file.data)
        if third is None:
            return file
        return replace(file, ticket=replace(file.ticket, pre_hash=third), overtaken=True)

    def _violating(self, ticket: Ticket, found: _Found) -> tuple[WorkspacePath, ...]:
        """List the files that nobody had named and that the intent may not change."""
        besides = [
            path
            for file in found.files
            if file.besides and not self._putting_back.puts_back(file.path, file.new)
            for path in (file.ticket.previous, file.path)
            if path is not None
        ]
        if not besides:
            return found.outside
        rules = self._rules.current()
        others = RootsBelow(self._stores.root)
        violating = (
            path
            for path in besides
            if others.hold(path)
            or any(denied_path(rules, path))
            or not (self._covers(ticket, path) or rules.generated.covers(path))
        )
        return (*found.outside, *violating)

    def _by_verdict(
        self, ticket: Ticket, found: _Found, violating: Collection[WorkspacePath]
    ) -> dict[ScopeValidation, list[FoundFile]]:
        """Part the files of a call by what is said of each, the worst first.

        What leads out of the root is told with all the others; a call that changed none has a
        verdict, too.
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
        """Judge a file that a call has changed: one that it had named was judged before."""
        if not file.besides:
            return ticket.verdict
        if not {file.path, file.ticket.previous}.isdisjoint(violating):
            return ScopeValidation.FAIL
        back = self._putting_back.puts_back(file.path, file.new)
        owned = not back and self._covers(ticket, file.path)
        return ScopeValidation.PASS if owned else ScopeValidation.EXEMPT


def _is_rival(other: Ticket, ticket: Ticket) -> bool:
    """Whether another open command may as well have made what one is found to have changed.

    Not one of the same session whose end nobody has told: that has very likely ended. Nor one that
    only looks, where this one may do anything.
    """
    if other.looking and not ticket.looking:
        return False
    same = (other.session_id, other.agent_id) == (ticket.session_id, ticket.agent_id)
    return other.id != ticket.id and not other.late and not (same and other.gone_on)


def _doubts(doubts: Doubts, files: Sequence[FoundFile]) -> Doubts:
    """Say of a record that nobody can tell which of several commands has made its files so."""
    shared = any(file.besides and file.overtaken for file in files)
    return replace(doubts, assumed=doubts.assumed or shared)


def _named_after(record_id: str, what: str) -> str:
    """Give the id of another record of a ticket: the same one whenever it is asked for."""
    named = f"{record_id} {what}".encode("utf-8", "surrogateescape")
    return str(UUID(bytes=sha256(named).digest()[:16], version=4))
