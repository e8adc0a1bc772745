"""Changes on disk that nobody has told of: noticed, told from git's own, recorded.

Specified in requirements section 7.

Invariant: a content that a record, the server or git accounts for has no record here.
Invariant: recorded inside the root's lock, so that two servers on one root record a change once.
"""

import logging
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from intent_lsp.core.agents.tickets import Ticket, TicketFile
from intent_lsp.core.agents.tree_snapshot import FileSnapshot, TreeSnapshot
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath
from intent_lsp.core.records import AGENT, UNKNOWN_CONTRIBUTOR, Record, ScopeValidation
from intent_lsp.core.rename_detection import renamed
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.contents.contents import Contents, Seen
from intent_lsp.governance.contents.uncommitted_tree import EMPTY_TREE
from intent_lsp.governance.disk.comparison import ChangedFile, Comparison, commit_hash, compare
from intent_lsp.governance.disk.disk_events import Author, DiskChange, HeldThen, record_changes
from intent_lsp.governance.disk.tree_snapshots import TreeLooks, is_anybodys
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, SaveJudge
from intent_lsp.governance.restoring_edits import RestoringEdits
from intent_lsp.governance.sessions import Session
from intent_lsp.governance.stores import Stores
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles, holds_file
from intent_lsp.store.git.activity import GitMoment, GitRest, git_moment
from intent_lsp.store.ledger.ledger import Appended
from intent_lsp.store.locks.root_lock import RootLock, holding

_log: Final = logging.getLogger(__name__)

COMMAND_AWAITED_FOR: Final = timedelta(minutes=10)
"""How long a change waits for the end of a command that may have made it."""

ABANDONED_AFTER: Final = timedelta(seconds=30)
"""How long after its last save a run of automatic saves has nobody any more who will end it."""

GIT_AWAITED_FOR: Final = timedelta(seconds=30)
"""How long a lock of git's that nothing moves under is taken for a git at work."""

TAKEN_AT_MOST: Final = 1_000
"""Unrecorded changes that git took away which are known again when it brings them back."""

_PASSED: Final = 8
"""Contents of a file between two records that are remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLook:
    """The files that differ from HEAD now; `moved` hold something else than at the last look.

    `again`: git is at work, and what has changed is told later.
    """

    seen: Seen
    moved: frozenset[WorkspacePath]
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """Changes of one record, or of one that waits for the ledger (`queued`: why)."""

    paths: tuple[WorkspacePath, ...]
    record: Record | None = None
    queued: str | None = None


@dataclass(frozen=True, slots=True)
class DiskNews:
    """What was recorded, and whether changes wait: for an agent, the ledger, or a git at work."""

    recorded: tuple[RecordedChange, ...] = ()
    waiting: bool = False
    git: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    """A change that nobody has accounted for yet: what the file held, and was seen to hold since.

    `since` is the moment of the look before it. `ticket` is of the call that may have made it;
    `passed` are contents that it was seen to hold in between.
    """

    old: HeldThen
    new: ContentHash | None
    since: str
    ticket: Ticket | None = None
    passed: tuple[ContentHash, ...] = ()


class _Group(NamedTuple):
    """What changes of one record have in common; `intent` is its id.

    Files that came, that went and that changed are told apart: a record has one class.
    """

    author: Author
    verdict: ScopeValidation
    intent: str | None
    effect: Effect


class DiskChanges:
    """Notices and records the changes of one root's files.

    Without a commit they are changes of what the first look found; without a repository nothing is
    noticed. Methods may be called from any thread.
    """

    def __init__(
        self,
        *,
        stores: Stores,
        contents: Contents,
        judging: SaveJudge,
        lock: RootLock | None,
        looks: TreeLooks,
    ) -> None:
        self._stores = stores
        self._contents = contents
        self._judging = judging
        self._root_lock = lock
        self._looks = looks
        self._putting_back = RestoringEdits(stores, contents)
        self._lock = threading.Lock()
        self._then: TreeSnapshot | None = None
        self._then_at = ""
        self._pending: dict[WorkspacePath, _Pending] = {}
        # Changes that git took out of the work tree before they were recorded.
        self._taken: dict[WorkspacePath, _Pending] = {}
        # What calls were recorded to have left since the last look.
        self._left: dict[WorkspacePath, ContentHash | None] = {}
        self._moment: GitMoment | None = None
        self._stuck: tuple[GitMoment, datetime] | None = None
        self._passed_over = False
        self._observer: Session | None = None
        # What files held when git told of them last that it does not tell of any more.
        self._deferred: dict[WorkspacePath, ContentHash] = {}

    def look(self) -> TreeLook | None:
        """Look at the work tree; what the first look finds needs no account. None: it cannot be."""
        with self._lock:
            git = self._stores.git
            if git is None:
                return None
            rest, at = GitRest(git.git_dir), timestamp(self._stores.clock())
            left = dict(self._left)
            now, before = self._looks.look(soon=True), self._then
            if now is None:
                return None
            before = None if before is None else _with_left(before, left)
            compared = None if before is None else self._compared(before, now)
            again = TreeLook(seen=self._seen(now), moved=frozenset(), again=True)
            if before is not None and compared is None and not self._is_made_anew(before):
                # A file went while git was asked for it.
                return again
            edited = compared is not None and bool(compared.edits)
            # Where git is half way, what it has committed already would be forgotten.
            moved = before is not None and (edited or now.git != before.git)
            if before is not None and moved and self._is_at_work(rest, before):
                return again
            self._moment = rest.moment
            self._contents.tree_seen(self._seen(now))
            if before is None or compared is None:
                self._then, self._then_at, self._pending, self._taken = now, at, {}, {}
                seen = self._seen(now)
                return TreeLook(seen=seen, moved=frozenset(seen.files))
            self._forget_left(left)
            self._take(compared, now, at)
            self._then = now
            self._note_untold(before, now)
            return TreeLook(seen=self._seen(now), moved=_moved(before, now, compared))

    def _compared(self, before: TreeSnapshot, now: TreeSnapshot) -> Comparison | None:
        return compare(self._looks, self._contents, before, now, also_unseen=True)

    def record(self, session: Session, saving: Collection[WorkspacePath] = ()) -> DiskNews:
        """Record what nobody accounts for, under the session of whoever changed it.

        That is an agent whose call was open; else nobody knows who, and it is `session` that saw
        it. While git is at work, while an agent may still tell, while records wait for the ledger,
        and while an editor saves (`saving` are its files), changes wait.
        """
        with self._lock:
            self._observer = session
            if not self._pending or not self._has_control_room():
                return DiskNews()
            if self._git_has_moved():
                return DiskNews(waiting=True, git=True)
            if not self._all_is_recorded():
                return DiskNews(waiting=True)
            self._account(saving)
            waiting = self._waiting().union(saving)
            ready = {p: each for p, each in sorted(self._pending.items()) if p not in waiting}
            recorded = tuple(self._record_all(session, ready))
            return DiskNews(recorded, not waiting.isdisjoint(self._pending))

    def note_left(self, path: WorkspacePath, left: ContentHash | None) -> None:
        """Have the next look begin with what a call or an operation has left of a file."""
        # Before the first look there is nothing to begin with.
        if self._then is not None and is_anybodys(path):
            self._left[path] = left

    def _forget_left(self, seen: Mapping[WorkspacePath, ContentHash | None]) -> None:
        """Forget what a look began with; what calls were recorded to have left since stays."""
        for path, left in seen.items():
            if self._left.get(path) == left:
                self._left.pop(path, None)

    def record_foreign(self, file: TicketFile, data: bytes | None) -> ContentHash | None:
        """Record what somebody else wrote into a file that a call claimed; None: nothing was seen.

        The file holds `data` now. What was seen in between is another's, unless it is what the
        call had written so far. Whoever asks holds the root's lock.
        """
        self.record_before(file.path, file.pre_hash)
        seen = self._pending.get(file.path)
        third = None if seen is None or data is None else self._third(seen, file, data)
        if third is not None:
            self._record_step(file.path, file.pre_hash, third)
        return third

    def record_before(self, path: WorkspacePath, pre: ContentHash | None) -> None:
        """Record the unannounced change that a call has found: the file held `pre` when it began.

        Whoever asks holds the root's lock.
        """
        seen = self._pending.get(path)
        if seen is not None:
            self._stores.end_runs([path])
        if seen is None or not seen.old.known or pre == seen.old.hash or self._comes(path, pre):
            return
        told = self._stores.past.left_last(path, pre)
        if not told and not self._is_own(path, pre) and pre in (*seen.passed, seen.new):
            self._record_step(path, seen.old.hash, pre)

    def _comes(self, path: WorkspacePath, left: ContentHash | None) -> bool:
        """Whether an editor has saved a content, and is about to tell of it."""
        if left is None or path not in self._stores.coming_saves:
            return False
        return self._stores.is_coming_save(path, self._stores.content(left))

    def _record_step(
        self, path: WorkspacePath, old: ContentHash | None, new: ContentHash | None
    ) -> None:
        """Record that a file came from one content to another, by nobody knows whom."""
        if self._observer is None:
            return
        before, after = (
            None if each is None else self._stores.content(each) for each in (old, new)
        )
        change = DiskChange(path=path, old=HeldThen(hash=old, data=before), new=new, data=after)
        author = _nobody(self._observer)
        judged = self._judged(change, author)
        if judged is not None:
            record_changes(self._stores, [change], author, *judged)

    def _third(self, seen: _Pending, file: TicketFile, data: bytes) -> ContentHash | None:
        """Give the last content seen that is neither what a call found nor what it wrote."""
        pre, now = file.pre_hash, hash_content(data)
        # A call that has not left what it said is not the only one that wrote.
        mixed = file.announced is not None and file.announced != now
        held = (seen.old.hash, *seen.passed, seen.new)
        after = held[len(held) - held[::-1].index(pre) :] if pre in held else ()
        for hash_ in reversed(after):
            content = None if hash_ is None else self._stores.content(hash_)
            if content and hash_ != now and (mixed or not data.startswith(content)):
                return hash_
        return None

    def _is_made_anew(self, before: TreeSnapshot) -> bool:
        """Whether what there was is lost, as with a repository that is made anew."""
        git = self._stores.git
        return git is None or (before.head is not None and git.versions_at(before.head, ()) is None)

    def _is_at_work(self, rest: GitRest, before: TreeSnapshot) -> bool:
        """Whether git is at work; a lock that stands, and nothing else moves, is passed over."""
        git = before.git
        if git is None or rest.lasted(git.index, git.log):
            self._stuck, self._passed_over = None, False
            return False
        now = self._stores.clock()
        if self._stuck is None or self._stuck[0] != rest.moment:
            self._stuck = (rest.moment, now)
        self._passed_over = now - self._stuck[1] >= GIT_AWAITED_FOR
        return not self._passed_over

    def _git_has_moved(self) -> bool:
        """Whether git has moved since the last look, which another then has to follow."""
        git, moment = self._stores.git, self._moment
        if git is None or moment is None:
            return False
        return not self._passed_over and git_moment(git.git_dir) != moment

    def _stays(self, now: TreeSnapshot) -> bool:
        """Whether git neither moved HEAD nor put anything away since the last look."""
        then = None if self._then is None else self._then.git
        if then is None or now.git is None:
            return False
        return (then.head, then.stashes) == (now.git.head, now.git.stashes)

    def _take(self, compared: Comparison, now: TreeSnapshot, at: str) -> None:
        """Take over what changed: what nobody accounts for waits, what git made waits no more."""
        for path in compared.gits:
            self._follow_git(path)
        for file in compared.unseen:
            old = HeldThen(hash=file.old, data=None)
            self._keep_taken(file.path, _Pending(old=old, new=file.new, since=self._then_at))
        for file in compared.discarded if self._stays(now) else ():
            # What was out of bounds and is put back, by whatever means, ends its violation.
            if self._putting_back.puts_back(file.path, file.new):
                self._note(file)
        below = RootsBelow(self._stores.root)
        for file in compared.edits:
            # What lies in a governed root below is for its own server to tell.
            if not below.hold(file.path):
                self._note(file)
        self._then_at = at

    def _follow_git(self, path: WorkspacePath) -> None:
        """Let go of a change that git took out of the work tree, until git brings it back.

        Somebody's edit that is committed and rebased, or stashed and popped, is their edit still.
        """
        taken = self._pending.pop(path, None)
        if taken is not None and taken.new is not None:
            self._keep_taken(path, taken)
        elif path in self._taken:
            with suppress(OSError):
                held = TreeFiles(self._stores.root).held(path).hash
                if held is not None and held == self._taken[path].new:
                    back = self._taken.pop(path)
                    if not self._stores.past.has_left(path, held):
                        self._pending[path] = back

    def _keep_taken(self, path: WorkspacePath, taken: _Pending) -> None:
        self._taken[path] = taken
        while len(self._taken) > TAKEN_AT_MOST:
            del self._taken[next(iter(self._taken))]

    def _seen(self, now: TreeSnapshot) -> Seen:
        """Give what was seen of this root's own files."""
        below = RootsBelow(self._stores.root)
        files = {path: file.hash for path, file in now.files.items() if not below.hold(path)}
        return Seen(now.head or EMPTY_TREE, files)

    def _note(self, file: ChangedFile) -> None:
        known = self._pending.get(file.path)
        if file.old is None and file.path in self._deferred:
            file = replace(file, old=self._deferred[file.path])
        if known is None:
            old = HeldThen(hash=file.old, data=None, known=file.old_known)
            known = _Pending(old=old, new=file.new, since=self._then_at)
        if known.old.known and known.old.hash == file.new:
            # It is as it was.
            self._pending.pop(file.path, None)
        else:
            ticket = known.ticket if known.new == file.new else None
            passed = known.passed
            if known.new not in (None, file.new):
                passed = (*passed, known.new)[-_PASSED:]
            self._pending[file.path] = replace(known, new=file.new, ticket=ticket, passed=passed)

    def _note_untold(self, before: TreeSnapshot, now: TreeSnapshot) -> None:
        """Remember what files held of which git tells no more, though they are still there."""
        for path in now.files:
            self._deferred.pop(path, None)
        for path, file in before.files.items():
            unreported = path not in now.files and file.index is None
            if unreported and file.hash is not None and holds_file(self._stores.root / path):
                self._deferred[path] = file.hash

    def _account(self, saving: Collection[WorkspacePath] = ()) -> None:
        """Let go of the changes that the server itself has made, or of which a record tells."""
        self._end_runs_of_others(saving)
        for changes in (self._pending, self._taken):
            for path, change in tuple(changes.items()):
                if self._is_own(path, change.new) or self._stores.past.left_last(path, change.new):
                    del changes[path]

    def _end_runs_of_others(self, saving: Collection[WorkspacePath]) -> None:
        """End the runs whose files somebody else has changed, and those of servers long gone.

        What an editor is saving goes on with its run.
        """
        since = timestamp(self._stores.clock() - ABANDONED_AFTER)
        self._stores.end_runs(idle_since=since)
        left = self._stores.ledger.left_by_runs()
        changed = {p for p, each in self._pending.items() if p in left and left[p] != each.new}
        others = {p for p in changed.difference(saving) if self._is_of_others(p, left[p])}
        if others:
            self._stores.end_runs(others)

    def _is_of_others(self, path: WorkspacePath, left: ContentHash | None) -> bool:
        """Whether a file holds what its run has not left; the last look may be older than that."""
        try:
            held = TreeFiles(self._stores.root).held(path)
        except OSError:
            return True
        return held.hash != left and not self._stores.is_coming_save(path, held.data)

    def _is_own(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Whether a file is as the server itself wrote it last."""
        state = self._stores.state
        return state is not None and new is not None and state.own_write(path) == new

    def _all_is_recorded(self) -> bool:
        """Whether no record waits for the ledger, which may be of what would be recorded here."""
        try:
            self._stores.ledger.drain()
        except IntentLspError as problem:
            _log.warning("changes on disk wait for the ledger: %s", problem)
            return False
        return True

    def _waiting(self) -> set[WorkspacePath]:
        """List the files of which an open call, or an open run of saves, will tell."""
        state, at = self._stores.state, self._stores.clock()
        left = self._stores.ledger.left_by_runs()
        # What an editor has saved automatically is recorded when its run ends.
        waiting = {p for p, each in self._pending.items() if p in left and left[p] == each.new}
        if state is None or not self._pending:
            return waiting
        commands = state.tickets.commands.since(at - COMMAND_AWAITED_FOR)
        for path, change in self._pending.items():
            makers = [each for each in commands if may_have_made(each, path, change.new)]
            # One that is under way is likelier than what another has left running, or a look.
            first = min(makers, key=lambda each: (each.late, each.looking), default=None)
            ticket = state.tickets.over(path, at) or first
            if ticket is not None:
                self._pending[path] = replace(change, ticket=ticket)
                # What a command has left running tells of no end.
                waiting.update(() if ticket.late else (path,))
        return waiting

    def _renamed(
        self, files: TreeFiles, ready: Mapping[WorkspacePath, _Pending]
    ) -> Mapping[WorkspacePath, WorkspacePath]:
        """Give the old names of files that went and came again as others, and were seen to."""
        gone, came = dict[WorkspacePath, bytes](), dict[WorkspacePath, bytes]()
        for path, each in ready.items():
            if each.new is None and each.old.hash is not None:
                data = self._stores.content(each.old.hash)
                gone |= {} if data is None else {path: data}
        if gone:
            for path, each in ready.items():
                if each.old.known and each.old.hash is None and each.new is not None:
                    held = self._held(files, path)
                    came |= {} if held is None or held.data is None else {path: held.data}
        return renamed(gone, came)

    def _record_all(
        self, session: Session, ready: Mapping[WorkspacePath, _Pending]
    ) -> Iterator[RecordedChange]:
        """Record changes: those of one author with one verdict together."""
        files = TreeFiles(self._stores.root)
        names = self._renamed(files, ready)
        with holding(self._root_lock):
            settled = self._has_control_room() and not self._git_has_moved()
            if not settled or not self._all_is_recorded():
                return
            groups: dict[_Group, list[tuple[DiskChange, Judgement]]] = {}
            for path in ready:
                change = None if path in names.values() else self._change(files, path, names)
                if change is None:
                    continue
                author = self._author(session, self._pending[path])
                judged = self._judged(change, author)
                if judged is None:
                    self._settle(change)
                else:
                    judgement, verdict = judged
                    intent = None if judgement.intent is None else judgement.intent.id
                    group = _Group(author, verdict, intent, _effect(change))
                    groups.setdefault(group, []).append((change, judgement))
            for group, found in groups.items():
                changes = tuple(change for change, _ in found)
                outcome = record_changes(
                    self._stores, changes, group.author, found[0][1], group.verdict
                )
                paths = tuple(change.path for change in changes)
                for change in changes:
                    self._settle(change)
                if isinstance(outcome, Appended):
                    yield RecordedChange(paths=paths, record=outcome.record)
                else:
                    yield RecordedChange(paths=paths, queued=outcome.reason)

    def _has_control_room(self) -> bool:
        """Whether there is a place for records: where it was deleted, none is made for them."""
        return (self._stores.root / CONTROL_ROOM).is_dir()

    def _settle(self, change: DiskChange) -> None:
        self._pending.pop(change.path, None)
        self._pending.pop(change.previous or change.path, None)

    def _change(
        self,
        files: TreeFiles,
        path: WorkspacePath,
        names: Mapping[WorkspacePath, WorkspacePath],
    ) -> DiskChange | None:
        """Describe a change, or a file's new name; None: not now, or there is none any more."""
        pending, previous = self._pending[path], names.get(path)
        before = pending if previous is None else self._pending[previous]
        held = self._held(files, path)
        if held is None or held.hash != pending.new or self._is_claimed(path):
            # It has moved on, or is about to, and will be looked at again.
            return None
        if self._stores.past.left_last(path, pending.new):
            self._pending.pop(path)
            return None
        return DiskChange(
            path=path,
            old=self._old(previous or path, before),
            new=pending.new,
            data=held.data,
            previous=previous,
        )

    def _old(self, path: WorkspacePath, pending: _Pending) -> HeldThen:
        """Tell what a file held before its change: by a record of meanwhile, else as seen."""
        newest = self._stores.past.newest(path)
        old = pending.old
        if newest is not None and newest.timestamp > pending.since:
            left = newest.left()
            old = HeldThen(hash=left[path], data=None) if path in left else old
        data = None if old.hash is None else self._stores.content(old.hash)
        return replace(old, data=data)

    def _held(self, files: TreeFiles, path: WorkspacePath) -> ReadFile | None:
        inner = None if self._then is None else self._then.inner.get(path)
        if inner is not None:
            return ReadFile(commit_hash(inner), None)
        try:
            return files.held(path)
        except OSError as problem:
            _log.warning("%s cannot be recorded: %s", path, problem)
            return None

    def _is_claimed(self, path: WorkspacePath) -> bool:
        """Whether an agent writes the file by now, and will tell of it."""
        state = self._stores.state
        return state is not None and state.tickets.over(path, self._stores.clock()) is not None

    def _judged(
        self, change: DiskChange, author: Author
    ) -> tuple[Judgement, ScopeValidation] | None:
        """Judge a change; None: nobody is to know of it."""
        place = resolve_below(self._stores.root, change.path)
        if place is None:
            return None
        reading = BaseHash(read=change.new, disk=change.new)
        judgement = self._judging.judge(author.session_id, place, reading)
        verdict = judgement.verdict
        if verdict is None:
            return None
        if change.previous is not None and self._was_out_of_bounds(author, change.previous):
            verdict = ScopeValidation.FAIL
        if verdict is ScopeValidation.FAIL and self._putting_back.puts_back(
            change.path, change.new
        ):
            verdict = ScopeValidation.EXEMPT
        return judgement, verdict

    def _was_out_of_bounds(self, author: Author, previous: WorkspacePath) -> bool:
        place = resolve_below(self._stores.root, previous)
        if place is None:
            return False
        judged = self._judging.judge(author.session_id, place, BaseHash(read=None, disk=None))
        return judged.verdict is ScopeValidation.FAIL

    def _author(self, session: Session, pending: _Pending) -> Author:
        ticket = pending.ticket
        if ticket is None:
            return _nobody(session)
        contributor, state = AGENT, self._stores.state
        voice = None if state is None else state.notes.voice(ticket.session_id, ticket.agent_id)
        if voice is not None and voice.model is not None:
            contributor = replace(AGENT, model_identifier=voice.model)
        return Author(
            session_id=ticket.session_id,
            agent_id=ticket.agent_id,
            contributor=contributor,
            assumed=ticket.late,
        )


def _with_left(
    before: TreeSnapshot, left: Mapping[WorkspacePath, ContentHash | None]
) -> TreeSnapshot:
    """Give a snapshot with what files were recorded to hold since."""
    if not left:
        return before
    nothing = FileSnapshot(None)
    later = {
        path: FileSnapshot(hash_, before.files.get(path, nothing).index)
        for path, hash_ in left.items()
    }
    return replace(before, files={**before.files, **later})


def _nobody(session: Session) -> Author:
    """Give the author of what nobody has announced: the session that saw it stands for them."""
    return Author(session_id=session.id, contributor=UNKNOWN_CONTRIBUTOR, assumed=True)


def _effect(change: DiskChange) -> Effect:
    if change.new is None:
        return Effect.DELETE
    return Effect.CREATE if change.old.known and change.old.hash is None else Effect.WRITE


def may_have_made(ticket: Ticket, path: WorkspacePath, new: ContentHash | None) -> bool:
    """Whether a command may have made a file what it is: it did not hold that when it began."""
    listed = None if ticket.tree is None else ticket.tree.files.get(path)
    return listed is None or listed.hash != new


def _moved(
    before: TreeSnapshot, now: TreeSnapshot, compared: Comparison
) -> frozenset[WorkspacePath]:
    listed = before.files.keys() | now.files.keys()
    moved = {path for path in listed if _hash_in(before, path) != _hash_in(now, path)}
    return frozenset(moved.union(compared.gits, (file.path for file in compared.edits)))


_AS_IN_HEAD: Final = ContentHash("")


def _hash_in(snapshot: TreeSnapshot, path: WorkspacePath) -> ContentHash | None:
    listed = snapshot.files.get(path)
    return _AS_IN_HEAD if listed is None else listed.hash
