"""The ledger event of an agent's call (ledger section 1, requirements section 9).

Invariant: the event describes what the disk holds when the call is recorded.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket, TicketFile
from intent_lsp.core.approvals import Approval
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import (
    AstFingerprint,
    Conversation,
    EntityType,
    Event,
    Range,
    RecordFile,
    ScopeValidation,
    Vcs,
)
from intent_lsp.core.redaction import error_text
from intent_lsp.core.rename_detection import renamed
from intent_lsp.formats.diff import file_ranges, whole_range
from intent_lsp.formats.syntax.outline import file_fingerprint
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.pending_changes import ChangedFile
from intent_lsp.governance.judging.edit_events import PARSING_SECONDS, related_to
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.clock import budget
from intent_lsp.store.fs import files
from intent_lsp.store.state.notes import AgentInfo

_FEW: Final = 8
"""Up to this many files, each is looked up separately, which is quicker than one query for all."""


class Doubts(Struct, frozen=True, kw_only=True):
    """Reasons why a record is uncertain. `assumed`: that the call made the change is a guess.

    `compared` is false if a command's work tree could not be compared. `reconstructed`: the session
    database was deleted while the command ran, and with it the ticket.
    """

    assumed: bool = False
    compared: bool = True
    reconstructed: bool = False


NO_DOUBTS: Final = Doubts()


class FoundFile(Struct, frozen=True, kw_only=True):
    """A file of a call at recording time: its content `data` and the content's hash `new`.

    Both are None if there is no file, or if it is `unreadable`: it exists but cannot be read.
    `data` alone is None if the content is not kept. `besides`: the file was found by a comparison
    or behind a link, not by its name in the ticket. `old_known`: false if the file's earlier
    content is unknown. `saved`: an editor has saved the file. `discarded`: git removed an
    uncommitted content of the file. `overtaken`: somebody else changed it since the ticket was
    issued, or may have. `by_person`: the host says that a person changed the agent's text before it
    was written.
    """

    ticket: TicketFile
    data: bytes | None
    new: ContentHash | None
    besides: bool = False
    old_known: bool = True
    saved: bool = False
    unreadable: bool = False
    discarded: bool = False
    overtaken: bool = False
    by_person: bool = False

    @property
    def path(self) -> WorkspacePath:
        """The path of the file; if it was deleted, its last path."""
        return self.ticket.path

    @property
    def old(self) -> ContentHash | None:
        """The hash before the call, or None if there was no file or its content is unknown."""
        return self.ticket.pre_hash

    @property
    def ends(self) -> tuple[WorkspacePath | None, WorkspacePath]:
        """The old path if the file was moved (else None), and the present path."""
        return self.ticket.previous, self.path

    @property
    def mixed(self) -> bool:
        """Whether a person changed the text that the call announced."""
        announced = self.ticket.announced
        changed = self.saved and announced is not None and announced != self.new
        return self.by_person or changed

    @property
    def changed(self) -> bool:
        """Whether the file has changed, moved, or cannot be compared."""
        moved = self.ticket.previous is not None
        return self.old != self.new or moved or self.unreadable or not self.old_known


class CallEvents(Struct, frozen=True, kw_only=True):
    """Reads the files that one root's tickets name and makes the ledger events of their calls."""

    stores: Stores
    contents: Contents

    def found(self, ticket: Ticket, saved: Collection[WorkspacePath]) -> tuple[FoundFile, ...]:
        """Return a ticket's files as they are on disk now, those in `saved` marked as saved."""
        return tuple(replace(self._now(file), saved=file.path in saved) for file in ticket.files)

    def found_besides(self, changed: ChangedFile) -> FoundFile:
        """Return a file that a call changed without naming it, as a comparison found it."""
        effect = Effect.WRITE if changed.new is not None else Effect.DELETE
        return FoundFile(
            ticket=TicketFile(path=changed.path, pre_hash=changed.old, effect=effect),
            data=changed.data,
            new=changed.new,
            besides=True,
            old_known=changed.old_known,
            discarded=changed.discarded,
        )

    def under_new_names(self, besides: Sequence[FoundFile]) -> list[FoundFile]:
        """Return the files found besides those that a call named, with renames.

        Each vanished file and a new file similar to it become one renamed file.
        """
        gone, came = dict[WorkspacePath, bytes](), dict[WorkspacePath, bytes]()
        for file in besides:
            if file.discarded:
                continue
            if file.new is None and file.old is not None:
                data = self.stores.content(file.old)
                gone |= {} if data is None else {file.path: data}
            elif file.old is None and file.old_known and file.data is not None:
                came[file.path] = file.data
        names = renamed(gone, came) if gone and came else {}
        before = {file.path: file.old for file in besides}
        return [
            file if file.path not in names else _moved(file, names[file.path], before)
            for file in besides
            if file.path not in names.values()
        ]

    def found_away(self, path: WorkspacePath) -> FoundFile:
        """Return a file that the call reached through a link; its content before is unknown."""
        return replace(
            self._now(TicketFile(path=path, pre_hash=None)), besides=True, old_known=False
        )

    def _now(self, file: TicketFile) -> FoundFile:
        data = self.contents.disk_if_readable(file.path)
        unreadable = data is None and files.stamp(self.stores.root / file.path) is not None
        return FoundFile(ticket=file, data=data, new=hash_if_there(data), unreadable=unreadable)

    def event(
        self,
        ticket: Ticket,
        found: Sequence[FoundFile],
        *,
        error: str | None,
        verdict: ScopeValidation,
        doubts: Doubts = NO_DOUBTS,
    ) -> Event | None:
        """Return the event of a call, or None if it succeeded and no file of `found` has changed.

        `found` are the call's files; if there are none, an event is made nevertheless. The event of
        a successful call has only the changed files. `error` is why the call failed, or None.
        """
        changed = [file for file in found if file.changed]
        if not changed and found and error is None:
            return None
        files = changed if error is None else found
        voice = self.stores.agent_info(ticket.session_id, ticket.agent_id)
        return Event(
            intent_id=ticket.intent_id,
            intent_hash=ticket.intent_hash,
            session_id=ticket.session_id,
            agent_id=ticket.agent_id or None,
            tool_name=ticket.tool_name,
            mutation_class=ticket.mutation_class,
            inferred=ticket.inferred,
            scope_validation=verdict,
            success=error is None,
            error=None if error is None else error_text(error),
            concurrent_modification=self._any_overtaken(ticket, found),
            assumed=doubts.assumed,
            compared=doubts.compared,
            reconstructed=doubts.reconstructed,
            approval=_approval(ticket),
            vcs=Vcs(revision_id=self.stores.revision()),
            files=tuple(
                self._file(ticket, file, voice, failed=error is not None) for file in files
            ),
        )

    def _any_overtaken(self, ticket: Ticket, found: Sequence[FoundFile]) -> bool:
        if any(file.overtaken for file in found):
            return True
        if len(found) > _FEW and self.stores.past.is_none_since(ticket.issued_at):
            return False
        return any(self._overtaken(ticket, file) for file in found)

    def _overtaken(self, ticket: Ticket, file: FoundFile) -> bool:
        """Return whether the file's newest record is somebody else's, and newer than the ticket."""
        newest = self.stores.past.newest(file.path)
        if newest is None or newest.timestamp <= ticket.issued_at:
            return False
        names = (ticket.session_id, hashed_session(ticket.session_id))
        return newest.session_id not in names or newest.agent_id != (ticket.agent_id or None)

    def _file(
        self, ticket: Ticket, file: FoundFile, voice: AgentInfo, *, failed: bool
    ) -> RecordFile:
        contributor = voice.contributor
        if file.mixed:
            contributor = replace(contributor, entity_type=EntityType.MIXED)
        conversation = Conversation(
            url=voice.url or ticket.session_id,
            contributor=contributor,
            ranges=() if failed else self._ranges(file),
            related=related_to(ticket.specification, ticket.mutation_class),
        )
        return RecordFile(
            relative_path=file.path,
            previous_path=file.ticket.previous,
            pre_hash=file.old,
            post_hash=file.new,
            ast_fingerprint=self._fingerprint(file),
            conversations=(conversation,),
        )

    def _fingerprint(self, file: FoundFile) -> AstFingerprint | None:
        if file.data is None:
            return None
        late = budget(PARSING_SECONDS)
        return file_fingerprint(file.path, _content(file), late, self.stores.trees.tree)

    def _ranges(self, file: FoundFile) -> tuple[Range, ...]:
        if file.old == file.new:
            return ()
        if file.old is None and file.old_known:
            return file_ranges(ABSENT, _content(file))
        kept = None if file.old is None else self.stores.content(file.old)
        if kept is not None:
            return file_ranges(content_of(kept), _content(file))
        # The old content is no longer kept, so no diff is possible: all counts as changed.
        return (whole_range(_content(file)),)


def _content(file: FoundFile) -> FileContent:
    return content_of(file.data, known_hash=None if file.data is None else file.new)


def _moved(
    file: FoundFile, previous: WorkspacePath, before: Mapping[WorkspacePath, ContentHash | None]
) -> FoundFile:
    ticket = replace(file.ticket, previous=previous, pre_hash=before[previous], effect=Effect.MOVE)
    return replace(file, ticket=ticket)


def _approval(ticket: Ticket) -> Approval | None:
    if ticket.approval is None:
        return None
    return Approval(
        choice=ticket.approval,
        session_id=ticket.approved_by or ticket.session_id,
        channel=ticket.approval_channel,
    )
