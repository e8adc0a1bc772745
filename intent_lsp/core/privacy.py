"""What of a session stands in files that others read (requirements section 5, `privacy`).

Invariant: one session is one name in all records, so that what belongs together can be found.
"""

from dataclasses import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.policy import SessionIds, TeamPolicy, Urls
from intent_lsp.core.records import Conversation, Event, RecordFile
from intent_lsp.core.text import pack


def hashed_session(session_id: str) -> str:
    """Give the name that stands for a session where ids are hashed."""
    return hash_content(pack(session_id))


def shown_session(session_id: str, policy: TeamPolicy) -> str:
    """Give a session's name as the team wants it shown."""
    return hashed_session(session_id) if policy.session_ids is SessionIds.HASHED else session_id


def veiled(event: Event, policy: TeamPolicy) -> Event:
    """Give an event without what the team does not want recorded."""
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
