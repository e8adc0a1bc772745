"""Records an editor's save of a file under the ticket of an agent's call."""

from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Recorded, Ticket, TicketFile
from intent_lsp.core.content import FileContent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.privacy import veiled
from intent_lsp.governance.calls.call_events import CallEvents, FoundFile
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.state.sessions_db import ReadHash


def record_ticket_save(
    events: CallEvents, ticket: Ticket, path: WorkspacePath, old: FileContent, new: FileContent
) -> Appended | Queued | None:
    """Record an editor's save of a file under a ticket, from the content `old` to `new`.

    Return the record as appended or queued, or None if nothing changed or there is no session
    database. The ticket is closed once a save of each of its files is recorded.
    """
    stores, state = events.stores, events.stores.state
    of_path = (file for file in ticket.files if file.path == path)
    named = next(of_path, TicketFile(path=path, pre_hash=None))
    found = FoundFile(
        ticket=replace(named, pre_hash=old.hash), data=new.data, new=new.hash, saved=True
    )
    if state is None:
        return None
    event = events.event(ticket, (found,), error=None, verdict=ticket.verdict)
    if event is None:
        return None
    appended = stores.ledger.append_or_queue(veiled(event, stores.rules.current().policy))
    read = ReadHash(found.new, ticket.turn)
    state.put_reads(ticket.session_id, ticket.agent_id, {found.path: read})
    if state.tickets.saved(path, ticket.id):
        record_id = appended.record.id if isinstance(appended, Appended) else None
        files = ((found.path, found.old, found.new),)
        state.tickets.end(ticket.id, Recorded(record_id=record_id, files=files))
    return appended
