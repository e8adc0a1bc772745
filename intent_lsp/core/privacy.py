"""Removes session ids and URLs from records where the policy says so.

Specified in requirements section 5, `privacy`.

Invariant: under one policy, a session has the same name in all records.
"""

from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.policy import SessionIds, TeamPolicy, Urls
from intent_lsp.core.records import Conversation, Event, RecordFile
from intent_lsp.core.text import pack


def hashed_session(session_id: str) -> str:
    """Return the hash that records hold instead of a session's id if the policy asks for that."""
    return hash_content(pack(session_id))


def shown_session(session_id: str, policy: TeamPolicy) -> str:
    """Return how records name a session: by its id, or by a hash of it if the policy says so."""
    return hashed_session(session_id) if policy.session_ids is SessionIds.HASHED else session_id


def veiled(event: Event, policy: TeamPolicy) -> Event:
    """Return an event without the session ids and URLs that the policy keeps out of records.

    HASHED: the ids of the event's session, of the session that approved the edit and of the one
    that granted scope become hashes. So does the URL of a conversation if it is the id of the
    event's session. DROP: the URL of each conversation becomes the id of the event's session, or
    its hash if HASHED.
    """
    if policy.session_ids is SessionIds.PLAIN and policy.urls is Urls.KEEP:
        return event
    session_id = shown_session(event.session_id, policy)

    def conversation(each: Conversation) -> Conversation:
        own = each.url == event.session_id or policy.urls is Urls.DROP
        return replace(each, url=session_id) if own else each

    def file(each: RecordFile) -> RecordFile:
        return replace(each, conversations=tuple(map(conversation, each.conversations)))

    approval, grant = event.approval, event.grant
    if approval is not None:
        approval = replace(approval, session_id=shown_session(approval.session_id, policy))
    if grant is not None:
        grant = replace(grant, granted_by=shown_session(grant.granted_by, policy))
    return replace(
        event,
        session_id=session_id,
        approval=approval,
        grant=grant,
        files=tuple(map(file, event.files)),
    )
