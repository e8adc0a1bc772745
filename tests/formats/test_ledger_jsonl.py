"""A record has one line, one canonical form and one hash; everything else is a flaw."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.approvals import Approval, ApprovalChannel, ApprovalChoice, Grant
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import content_of, hash_content
from intent_lsp.core.errors import InvalidRecordError
from intent_lsp.core.ledger.chain import ChainEnd, Flaw, draft
from intent_lsp.core.records import (
    GRANT_TOOL,
    AstFingerprint,
    Contributor,
    EntityType,
    Event,
    MutationClass,
    Range,
    Record,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.formats.diff import file_ranges
from intent_lsp.formats.ledger import jsonl
from tests.support.ledgers import HASH, edit, events, hashes, new_id

ID = "b3c1a7e2-5d4f-4a6b-8c9d-0e1f2a3b4c5d"
NOWHERE = ChainEnd()
TIME = "2026-11-21T20:27:33.123Z"


def sealed(event: Event, end: ChainEnd = NOWHERE) -> tuple[Record, bytes]:
    return jsonl.seal(draft(event, id=ID, timestamp=TIME, end=end))


records = st.builds(
    lambda event, last, other: sealed(event, ChainEnd(last, (other, last) if last else ())),
    events,
    st.none() | hashes,
    hashes,
)


def numbered(name: str, values: list[Any]) -> pytest.MarkDecorator:
    """Try each value in a test of its own, called by its number."""
    return pytest.mark.parametrize(name, values, ids=[str(n) for n in range(len(values))])


@given(records)
def test_a_line_is_read_back_as_the_record_that_was_written(told: tuple[Record, bytes]) -> None:
    record, line = told
    assert jsonl.read(line) == jsonl.read(line.rstrip(b"\n")) == record
    assert jsonl.examine(line).flaw is None
    assert jsonl.encode(record) == line
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1


@given(records)
def test_the_hash_is_taken_over_the_form_of_the_reference_package(
    told: tuple[Record, bytes],
) -> None:
    record, line = told
    wire = json.loads(line)
    stated = wire["integrity"].pop("record_hash")
    assert stated == hash_content(rfc8785.dumps(wire)) == record.integrity.record_hash


@given(records)
def test_examining_a_line_recomputes_its_hash(told: tuple[Record, bytes]) -> None:
    record, line = told
    link = jsonl.examine(line)
    assert link.flaw is None
    assert link.hash == record.integrity.record_hash
    assert (link.id, link.timestamp, link.session_id) == (ID, TIME, record.session_id)
    assert (link.prev, link.merges) == (record.integrity.prev_record_hash, record.integrity.merges)
    assert jsonl.entry(line) == jsonl.entry_of(record)


@given(records, st.data())
def test_a_change_of_any_byte_is_a_flaw(told: tuple[Record, bytes], data: st.DataObject) -> None:
    _, line = told
    at = data.draw(st.integers(0, len(line) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != line[at]))
    changed = line[:at] + bytes([byte]) + line[at + 1 :]
    assert jsonl.examine(changed).flaw is not None


@given(st.binary(max_size=60))
def test_examining_is_total(line: bytes) -> None:
    assert jsonl.examine(line).flaw is not None
    assert jsonl.entry(line).link.hash == ""
    assert jsonl.read(line) is None


def everything() -> Event:
    """Hold every optional key at once, valid or not: only their order is asked for."""
    plain = edit()
    run = Range(start_line=1, end_line=1, content_hash=HASH, replaced=(1, 0, 1))
    talk = replace(plain.files[0].conversations[0], ranges=(run,))
    file = RecordFile(
        relative_path="a",
        path_encoding="percent",
        previous_path="b",
        pre_hash=HASH,
        post_hash=HASH,
        ast_fingerprint=AstFingerprint(parser="tree-sitter", language="c", summary_hash=HASH),
        conversations=(talk,),
    )
    return edit(
        intent_hash=HASH,
        agent_id="a",
        success=False,
        error="no",
        concurrent_modification=True,
        approval=Approval(choice=ApprovalChoice.ONCE, session_id="s1"),
        files=(file,),
    )


def test_the_keys_of_a_line_stand_in_the_order_of_the_specification() -> None:
    record, line = sealed(everything(), ChainEnd(HASH, (hash_content(b"y"), HASH)))
    wire = json.loads(line)
    assert msgspec.json.encode(jsonl.to_wire(record)) + b"\n" == line
    assert keys(wire) == (
        "id timestamp intent_id intent_hash session_id agent_id tool_name mutation_class inferred "
        "scope_validation success error concurrent_modification approval vcs files integrity"
    )
    (file,) = wire["files"]
    assert keys(file) == (
        "relative_path path_encoding previous_path pre_hash post_hash ast_fingerprint conversations"
    )
    (talk,) = file["conversations"]
    assert keys(talk) == "url contributor ranges related"
    assert keys(talk["ranges"][0]) == "start_line end_line content_hash replaced"
    assert keys(wire["integrity"]) == "chain canonical prev_record_hash merges record_hash"


@pytest.mark.parametrize("channel", ApprovalChannel)
def test_how_an_answer_arrived_is_told_where_it_was_not_the_editor(
    channel: ApprovalChannel,
) -> None:
    grant = Grant(patterns=("a",), reason=None, granted_by="s1", expires_at=None, channel=channel)
    approval = Approval(choice=ApprovalChoice.ONCE, session_id="s1", channel=channel)
    record, line = sealed(edit(approval=approval))
    given, granted = sealed(
        edit(
            grant=grant,
            files=(),
            tool_name=GRANT_TOOL,
            mutation_class=MutationClass.CONFIGURATION,
            scope_validation=ScopeValidation.EXEMPT,
        )
    )
    wire = json.loads(line) | {"grant": json.loads(granted)["grant"]}
    more = "" if channel is ApprovalChannel.EDITOR else " channel"
    assert keys(wire["approval"]) == "choice session_id" + more
    assert keys(wire["grant"]) == "patterns reason granted_by expires_at" + more
    assert (jsonl.read(line), jsonl.read(granted)) == (record, given)
    told = line.replace(b'"session_id":"s1"', b'"session_id":"s1","channel":"editor"', 1)
    if channel is ApprovalChannel.EDITOR:
        assert jsonl.examine(told).flaw is not None


def keys(found: dict[str, object]) -> str:
    return " ".join(found)


GOLDEN = (
    '{"id":"b3c1a7e2-5d4f-4a6b-8c9d-0e1f2a3b4c5d","timestamp":"2026-11-21T20:27:33.123Z",'
    '"intent_id":"INT-001","intent_hash":"HASH","session_id":"0192","tool_name":"write_to_file",'
    '"mutation_class":"INTENT_EVOLUTION","scope_validation":"PASS","success":true,'
    '"vcs":{"revision_id":"UNKNOWN"},"files":[{"relative_path":"src/é/middleware.ts",'
    '"pre_hash":null,"post_hash":"HASH","ast_fingerprint":{"parser":"tree-sitter",'
    '"language":"typescript","summary_hash":"HASH"},"conversations":[{"url":"0192",'
    '"contributor":{"entity_type":"AI","model_identifier":"anthropic/claude-opus-4-5"},'
    '"ranges":[{"start_line":12,"end_line":30,"content_hash":"HASH","replaced":[12,4,19]}],'
    '"related":[{"type":"specification","value":"INT-001"}]}]}],'
    '"integrity":{"chain":"sha256","canonical":"rfc8785","prev_record_hash":null,'
    '"record_hash":"SEAL"}}\n'
)


def test_a_record_is_spelled_byte_for_byte_as_the_golden_line() -> None:
    plain = edit().files[0]
    talk = replace(
        plain.conversations[0],
        url="0192",
        contributor=Contributor(EntityType.AI, "anthropic/claude-opus-4-5"),
        ranges=(Range(start_line=12, end_line=30, content_hash=HASH, replaced=(12, 4, 19)),),
    )
    file = replace(
        plain,
        relative_path="src/é/middleware.ts",
        ast_fingerprint=AstFingerprint(
            parser="tree-sitter", language="typescript", summary_hash=HASH
        ),
        conversations=(talk,),
    )
    event = edit(
        intent_hash=HASH,
        session_id="0192",
        tool_name="write_to_file",
        inferred=False,
        files=(file,),
    )
    record, line = sealed(event)
    golden = GOLDEN.replace("HASH", HASH).replace("SEAL", record.integrity.record_hash)
    assert line == golden.encode()


Change = Callable[[dict[str, Any]], object]


def respelled(change: Change) -> bytes:
    """Change the object of a line, and seal it again: only the schema can find it wrong."""
    _, line = sealed(edit())
    wire = json.loads(line)
    change(wire)
    wire["integrity"].pop("record_hash", None)
    wire["integrity"]["record_hash"] = hash_content(rfc8785.dumps(wire))
    return msgspec.json.encode(wire) + b"\n"


def put(*path: object, value: object) -> Change:
    """Give a change that puts a value where the path leads."""

    def change(wire: dict[str, Any]) -> None:
        place: Any = wire
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


FIRST_RANGE = ("files", 0, "conversations", 0, "ranges")


@numbered(
    "change",
    [
        put("id", value="b3c1a7e2-5d4f-1a6b-8c9d-0e1f2a3b4c5d"),
        put("id", value=ID.upper()),
        put("timestamp", value="2026-11-21T20:27:33Z"),
        put("timestamp", value="2026-02-30T20:27:33.123Z"),
        put("timestamp", value="2026-11-21T20:27:33.123Z\n"),
        put("intent_id", value="x" * 257),
        put("session_id", value=""),
        put("intent_hash", value="sha256:" + "A" * 64),
        put("intent_hash", value=HASH[7:]),
        put("mutation_class", value="REWRITE"),
        put("scope_validation", value="pass"),
        put("success", value=1),
        put("error", value="x"),
        put("vcs", "revision_id", value="HEAD"),
        put("unheard_of", value=1),
        put("integrity", "chain", value="md5"),
        put("integrity", "merges", value=["sha256:x"]),
        put("files", 0, "path_encoding", value="base64"),
        put("files", 0, "relative_path", value=""),
        put(*FIRST_RANGE, 0, "start_line", value=1.5),
        put(*FIRST_RANGE, 0, "start_line", value=2),
        put(*FIRST_RANGE, 0, "replaced", value=[0, 0, 1]),
        put(*FIRST_RANGE, 0, "replaced", value=[1, 0, 2]),
        put(*FIRST_RANGE, 0, "fallback", value=True),
        put(*FIRST_RANGE, 0, "end_line", value=-1),
        put(
            *FIRST_RANGE,
            value=[{"start_line": line, "end_line": line, "content_hash": HASH} for line in (1, 1)],
        ),
        put(
            *FIRST_RANGE,
            value=[{"start_line": line, "end_line": line, "content_hash": HASH} for line in (0, 1)],
        ),
        lambda wire: wire.pop("vcs"),
        put("grant", value={"patterns": [], "reason": None, "granted_by": "s", "expires_at": None}),
    ],
)
def test_a_record_that_breaks_the_schema_is_named_as_such(change: Change) -> None:
    flaw = jsonl.examine(respelled(change)).flaw
    assert flaw is not None
    assert flaw.code is LedgerCode.BAD_RECORD


def test_the_ranges_of_every_change_of_a_file_are_valid_in_a_record() -> None:
    plain = edit().files[0]
    for before, after in ((b"a\nb\nc\n", b"b\n"), (b"a\n", b""), (b"", b"a"), (b"a\nb", b"b")):
        talk = replace(
            plain.conversations[0], ranges=file_ranges(content_of(before), content_of(after))
        )
        record, line = sealed(edit(files=(replace(plain, conversations=(talk,)),)))
        assert jsonl.read(line) == record


def test_a_grant_with_a_bad_time_is_named() -> None:
    grant = Grant(patterns=("src/**",), reason=None, granted_by="s", expires_at="tomorrow")
    event = edit(
        tool_name="intent/grant",
        grant=grant,
        files=(),
        mutation_class=MutationClass.CONFIGURATION,
        scope_validation=ScopeValidation.EXEMPT,
    )
    with pytest.raises(InvalidRecordError, match="grant"):
        sealed(event)


def test_a_record_without_its_hash_is_no_record() -> None:
    line = sealed(edit())[1]
    wire = json.loads(line)
    del wire["integrity"]["record_hash"]
    flaw = jsonl.examine(msgspec.json.encode(wire)).flaw
    assert flaw is not None
    assert flaw.code is LedgerCode.BAD_RECORD


@numbered(
    "change",
    [
        put("inferred", value=False),
        put("agent_id", value=None),
        put("integrity", "merges", value=[]),
        put("concurrent_modification", value=False),
        put(*FIRST_RANGE, 0, "fallback", value=False),
        lambda wire: wire.update(id=wire.pop("id")),
    ],
)
def test_another_spelling_of_the_same_value_is_a_flaw_of_form(change: Change) -> None:
    line = respelled(change)
    link = jsonl.examine(line)
    assert link.flaw is not None
    assert link.flaw.code is LedgerCode.BAD_FORM
    assert link.hash != ""
    assert jsonl.read(line) is not None


def test_a_ledger_that_git_gave_other_line_ends_is_told_so() -> None:
    line = sealed(edit())[1]
    flaw = jsonl.examine(line[:-1] + b"\r\n").flaw
    assert flaw is not None
    assert "CRLF" in flaw.message


@numbered(
    "line",
    [
        b"",
        b"\n",
        b"null",
        b"[]",
        b'{"id":1',
        b'{"id":1,"id":}',
        b"[" * 100_000,
        b'{"unknown":' + b"[" * 100_000,
        b'{"id":"\\ud800"}',
        b'{"id":"\xff"}',
        b"\xef\xbb\xbf{}",
    ],
)
def test_what_is_no_json_or_no_object_never_raises(line: bytes) -> None:
    flaw = jsonl.examine(line).flaw
    assert flaw is not None
    assert flaw.code is LedgerCode.BAD_JSON


@numbered("line", [b"[" * 9999 + b"]" * 9999, b'{"unknown":' + b"[" * 9999 + b"]" * 9999 + b"}"])
def test_what_is_nested_too_deeply_is_not_said_to_be_no_json(line: bytes) -> None:
    flaw = jsonl.examine(line).flaw
    assert flaw == Flaw(
        LedgerCode.BAD_JSON,
        "the line's JSON is nested too deeply to be read; intent-lsp writes no such line: restore"
        " it, for example from git",
    )


@numbered(
    "event",
    [
        edit(session_id=""),
        edit(tool_name="x" * 257),
        edit(error="it failed"),
        edit(success=False, error="x" * 121),
    ],
)
def test_an_event_that_would_not_be_read_back_never_becomes_a_line(event: Event) -> None:
    with pytest.raises(InvalidRecordError) as caught:
        sealed(event)
    assert caught.value.cure


def test_half_a_character_stands_in_no_records_way() -> None:
    record, line = sealed(edit("\ud800", session_id="\ud800"))
    assert record.session_id == "\ufffd"
    assert record.files[0].relative_path == "\ufffd"
    assert jsonl.read(line) == record


def test_a_record_without_seal_has_no_line() -> None:
    with pytest.raises(InvalidRecordError, match="the record has no hash"):
        jsonl.encode(draft(edit(), id=new_id(), timestamp=TIME, end=ChainEnd()))
