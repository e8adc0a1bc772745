"""Events whose texts can be encoded as UTF-8, so that no text makes a record unwritable."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.records import Conversation, Event, RecordFile, RelatedEntry
from intent_lsp.core.text import REPLACEMENT, whole

# Surrogates outside U+DC80 to U+DCFF. Those inside stand for bytes of a file's name.
_IN_NO_NAME: Final = re.compile("[\\ud800-\\udc7f\\udd00-\\udfff]")


def whole_event(event: Event) -> Event:
    """Return the event with the surrogates in its texts replaced by U+FFFD.

    In file names, surrogates that stand for bytes stay: `core.records.spelled` converts them.
    """
    if all(whole(text) == text for text in _texts(event)):
        return event
    approval, grant = event.approval, event.grant
    if approval is not None:
        approval = replace(approval, session_id=whole(approval.session_id))
    if grant is not None:
        grant = replace(
            grant,
            patterns=tuple(map(whole, grant.patterns)),
            reason=_perhaps(grant.reason),
            granted_by=whole(grant.granted_by),
        )
    return replace(
        event,
        intent_id=_perhaps(event.intent_id),
        session_id=whole(event.session_id),
        agent_id=_perhaps(event.agent_id),
        tool_name=whole(event.tool_name),
        error=_perhaps(event.error),
        approval=approval,
        grant=grant,
        files=tuple(map(_file, event.files)),
    )


def _perhaps(text: str | None) -> str | None:
    return None if text is None else whole(text)


def _texts(event: Event) -> Iterable[str]:
    """Yield every text of an event in which there may be a surrogate."""
    told = (event.intent_id, event.session_id, event.agent_id, event.tool_name, event.error)
    yield from (text for text in told if text is not None)
    if event.approval is not None:
        yield event.approval.session_id
    if event.grant is not None:
        yield from (*event.grant.patterns, event.grant.reason or "", event.grant.granted_by)
    for file in event.files:
        yield from (file.relative_path, file.previous_path or "")
        for talk in file.conversations:
            yield from (talk.url, talk.contributor.model_identifier)
            yield from (text for each in talk.related for text in (each.type, each.value))


def _file(file: RecordFile) -> RecordFile:
    previous = file.previous_path
    return replace(
        file,
        relative_path=_nameable(file.relative_path),
        previous_path=None if previous is None else _nameable(previous),
        conversations=tuple(map(_conversation, file.conversations)),
    )


def _nameable(name: str) -> str:
    """Return a file name in which each surrogate that cannot stand for a byte is U+FFFD."""
    return _IN_NO_NAME.sub(REPLACEMENT, name)


def _conversation(talk: Conversation) -> Conversation:
    named = replace(talk.contributor, model_identifier=whole(talk.contributor.model_identifier))
    related = tuple(RelatedEntry(whole(each.type), whole(each.value)) for each in talk.related)
    return replace(talk, url=whole(talk.url), contributor=named, related=related)
