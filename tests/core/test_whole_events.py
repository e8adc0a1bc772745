"""Whatever an edit is recorded with, it can be recorded (ledger section 1)."""

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.approvals import Approval, ApprovalChoice, Grant
from intent_lsp.core.ledger.chain import ChainEnd, draft, whole_event
from intent_lsp.core.records import (
    GRANT_TOOL,
    Contributor,
    Conversation,
    EntityType,
    Event,
    MutationClass,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
)
from intent_lsp.core.text import whole
from intent_lsp.formats.ledger.jsonl import read, seal

ID = "3f0c6d1e-6f0b-4a51-9d0e-0c6d6a6f7a11"
NOW = "2026-11-22T03:00:00.000Z"
texts = st.text(
    st.characters(codec=None) | st.sampled_from("a\ud800\udbff\udc00\udcff\udfff\U0001f642"),
    min_size=1,
    max_size=20,
)


@given(texts)
def test_a_whole_text_is_as_long_and_can_be_written(text: str) -> None:
    assert len(whole(text)) == len(text)
    assert whole(text).encode().decode() == whole(text)
    assert whole(whole(text)) == whole(text)


def test_a_text_that_is_whole_stays() -> None:
    assert whole("caf\xe9 \U0001f642") == "caf\xe9 \U0001f642"
    assert whole("a\udcffb\ud83d") == "a\ufffdb\ufffd"


def edit(text: str) -> Event:
    talk = Conversation(
        url=text,
        contributor=Contributor(EntityType.AI, text),
        related=(RelatedEntry("specification", text),),
    )
    return Event(
        intent_id=text,
        session_id=text,
        agent_id=text,
        tool_name=text,
        mutation_class=MutationClass.BUG_FIX,
        scope_validation=ScopeValidation.PASS,
        success=False,
        error=text,
        approval=Approval(choice=ApprovalChoice.ONCE, session_id=text),
        files=(
            RecordFile(
                relative_path=text,
                previous_path=text,
                pre_hash=None,
                post_hash=None,
                conversations=(talk,),
            ),
        ),
    )


def grant(text: str) -> Event:
    return Event(
        session_id="s",
        tool_name=GRANT_TOOL,
        mutation_class=MutationClass.CONFIGURATION,
        scope_validation=ScopeValidation.EXEMPT,
        grant=Grant(patterns=(text,), reason=text, granted_by=text, expires_at=None),
    )


@given(texts)
def test_no_text_stands_in_the_way_of_a_record(text: str) -> None:
    for event in (edit(text), grant(text)):
        record, line = seal(draft(event, id=ID, timestamp=NOW, end=ChainEnd()))
        assert read(line) == record
        assert whole_event(whole_event(event)) == whole_event(event)


def test_a_name_that_is_not_utf8_keeps_its_bytes() -> None:
    record = draft(edit("a\udcff"), id=ID, timestamp=NOW, end=ChainEnd())
    assert record.files[0].relative_path == "a%FF"
    assert record.files[0].path == "a\udcff"
    assert record.tool_name == "a\ufffd"
    assert whole_event(edit("a")) == edit("a")
    bare = Event(
        session_id="\ud800",
        tool_name="x",
        mutation_class=MutationClass.BUG_FIX,
        scope_validation=ScopeValidation.PASS,
        files=(RecordFile(relative_path="a", pre_hash=None, post_hash=None),),
    )
    assert whole_event(bare).session_id == "\ufffd"
