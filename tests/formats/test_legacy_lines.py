"""Lines that an older tool wrote are links of the chain, and are read as far as they go."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.ledger.chain import ChainCursor, ChainEnd, Link, draft
from intent_lsp.core.records import EntityType, MutationClass, Record, ScopeValidation
from intent_lsp.formats.ledger import jsonl
from intent_lsp.formats.ledger.foreign.javascript_json import stringify
from intent_lsp.formats.ledger.jsonl import seal
from tests.support.ledgers import edit

DIALECTS = Path(__file__).parent / "data/dialects"
ID = "6f1f7f6e-0d5b-4a53-9a55-1f3f7a1c0001"


def golden(name: str) -> list[bytes]:
    return (DIALECTS / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


CHAINED = golden("nested_chained")
BARE = golden("nested_bare")


def link_of(line: bytes) -> Link:
    link = jsonl.examine(line)
    assert jsonl.entry(line).link == link
    return link


def record_of(line: bytes) -> Record:
    record = jsonl.read(line)
    assert record is not None
    return record


def code_of(line: bytes) -> LedgerCode | None:
    flaw = link_of(line).flaw
    return None if flaw is None else flaw.code


@pytest.mark.parametrize("name", ["nested_chained", "nested_bare", "nested_then_chained"])
def test_the_lines_of_an_older_ledger_join(name: str) -> None:
    trail = ChainCursor()
    for line in golden(name):
        link = link_of(line)
        assert (link.flaw, link.older, trail.step(link)) == (None, True, ())
    assert list(trail.heads) == [trail.last]


def test_a_chained_line_has_the_hash_that_it_was_written_with() -> None:
    for line in CHAINED:
        place = json.loads(line)["integrity"]
        link = link_of(line)
        assert (link.hash, link.prev) == (place["record_hash"], place["prev_record_hash"])
        assert not link.bare


def test_a_line_without_integrity_has_the_hash_of_its_bytes() -> None:
    for line in BARE:
        link = link_of(line)
        assert (link.hash, link.prev, link.bare) == (hash_content(line[:-1]), None, True)
        assert link_of(line[:-1]).hash == link.hash == link_of(line[:-1] + b"\r\n").hash


def test_an_older_line_is_a_record_with_what_it_has() -> None:
    record = record_of(CHAINED[1])
    assert record.id == "6f1f7f6e-0d5b-4a53-9a55-1f3f7a1c0002"
    assert record.timestamp == "2026-02-16T12:00:01.500Z"
    assert (record.intent_id, record.intent_hash) == ("INT-001", None)
    assert (record.session_id, record.tool_name) == ("task-7", "unknown")
    assert (record.mutation_class, record.inferred) == (MutationClass.AST_REFACTOR, False)
    assert record.scope_validation is ScopeValidation.EXEMPT
    (file,) = record.files
    assert file.relative_path == "src/ü \u2028.ts"
    assert file.ast_fingerprint is not None
    (talk,) = file.conversations
    assert talk.contributor.entity_type is EntityType.AI
    assert (talk.ranges[0].end_line, talk.ranges[0].replaced) == (45, None)
    assert record.integrity.record_hash == link_of(CHAINED[1]).hash


def test_a_moment_in_another_zone_is_told_in_ours() -> None:
    assert record_of(CHAINED[2]).timestamp == link_of(CHAINED[2]).timestamp
    assert record_of(CHAINED[2]).timestamp == "2026-02-16T12:00:02.000Z"


@pytest.mark.parametrize("line", [*CHAINED, *BARE], ids=range(len(CHAINED) + len(BARE)))
def test_an_older_record_is_spelled_without_what_it_has_not(line: bytes) -> None:
    told = json.loads(jsonl.encode(record_of(line)))
    assert told == json.loads(json.dumps(jsonl.to_wire(record_of(line))))
    assert told["id"] == json.loads(line)["id"]
    place = json.loads(line).get("integrity")
    assert told.get("integrity") == place


Change = Callable[[dict[str, Any]], object]


def put(*path: Any, value: object) -> Change:
    def change(wire: dict[str, Any]) -> None:
        place: Any = wire
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def changed(line: bytes, change: Change) -> bytes:
    wire = json.loads(line)
    change(wire)
    return json.dumps(wire).encode() + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        put("id", value="6f1f7f6e-0d5b-4a53-9a55-1f3f7a1c9999"),
        put("timestamp", value="2026-02-16T12:00:01Z"),
        put("vcs", "revision_id", value="UNKNOWN"),
        put("files", 0, "relative_path", value="b"),
        put("files", value=[]),
        put("integrity", "prev_record_hash", value=None),
        put("integrity", "record_hash", value="sha256:" + "1" * 64),
    ],
    ids=range(7),
)
def test_a_change_of_what_is_protected_is_found(change: Change) -> None:
    assert code_of(changed(CHAINED[2], change)) is LedgerCode.BAD_HASH


def test_a_change_of_what_is_not_protected_cannot_be_found() -> None:
    told = changed(CHAINED[0], put("note", value="new"))
    assert (code_of(told), link_of(told).hash) == (None, link_of(CHAINED[0]).hash)


@pytest.mark.parametrize(
    "change",
    [
        put("integrity", value=None),
        put("integrity", value=[]),
        put("integrity", "chain", value="md5"),
        put("integrity", "canonical", value="rfc8785"),
        put("integrity", "canonical", value=None),
        put("integrity", "record_hash", value=None),
        put("integrity", "prev_record_hash", value="GENESIS"),
        put("timestamp", value="yesterday"),
        put("timestamp", value=17),
        put("timestamp", value="0001-01-01T00:00:00+14:00"),
        put("files", value=None),
        put("files", value=[{}] * 10_001),
        lambda wire: wire.pop("timestamp"),
        lambda wire: wire.pop("files"),
    ],
    ids=range(14),
)
def test_what_is_no_record_of_any_tool_is_named(change: Change) -> None:
    line = changed(CHAINED[0], change)
    assert code_of(line) is LedgerCode.BAD_RECORD
    assert jsonl.read(line) is None


def test_a_first_record_may_follow_a_hash_of_nothing_but_zeros() -> None:
    wire = json.loads(CHAINED[0])
    wire["integrity"]["prev_record_hash"] = "0" * 64
    hashed = {name: wire[name] for name in ("id", "timestamp", "vcs", "files")}
    told = stringify(hashed | {"prev_record_hash": "0" * 64})
    # Some tools leave the `sha256:` out.
    wire["integrity"]["record_hash"] = hash_content(told.encode()).removeprefix("sha256:")
    link = link_of(json.dumps(wire).encode())
    assert (link.flaw, link.prev) == (None, None)


def test_a_key_that_is_not_there_is_not_hashed() -> None:
    wire = json.loads(CHAINED[0])
    del wire["vcs"], wire["integrity"]["prev_record_hash"]
    hashed = {name: wire[name] for name in ("id", "timestamp", "files")}
    wire["integrity"]["record_hash"] = hash_content(stringify(hashed).encode())
    assert link_of(json.dumps(wire).encode()).flaw is None


def test_an_id_that_is_no_uuid_is_made_from_the_line() -> None:
    line = changed(BARE[0], put("id", value="trace-1"))
    made = record_of(line).id
    assert made == link_of(line).id == record_of(line).id
    assert made != record_of(changed(BARE[0], put("id", value="trace-2"))).id
    assert len(made) == 36
    assert made[14] == "4"


def test_a_flat_line_is_a_record_of_an_older_ledger_too() -> None:
    for line in golden("flat"):
        assert code_of(line) is None
        assert record_of(line).session_id == link_of(line).session_id


@given(st.sampled_from([*CHAINED, *BARE]), st.data())
def test_reading_and_examining_agree_whatever_a_byte_is_changed_to(
    line: bytes, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(line) - 2))
    told = line[:at] + bytes([data.draw(st.integers(0, 255))]) + line[at + 1 :]
    link = link_of(told)
    record = jsonl.read(told)
    assert (record is None) == (link.hash == "")
    if record is not None:
        assert (record.id, record.timestamp) == (link.id, link.timestamp)
        assert jsonl.encode(record)


def test_a_line_nested_too_deep_is_no_record() -> None:
    deep = b'{"timestamp":"2026-02-16T12:00:00Z","files":[],"x":' + b"[" * 50_000
    assert link_of(deep).hash == ""
    value: dict[str, Any] = {}
    for _ in range(900):
        value = {"a": value}
    line = changed(CHAINED[0], put("vcs", value=value))
    assert code_of(line) in (LedgerCode.BAD_RECORD, LedgerCode.BAD_HASH)


@pytest.mark.parametrize("at", range(len("integrity")))
def test_a_line_of_ours_that_lost_its_integrity_is_no_older_line(at: int) -> None:
    _, line = seal(draft(edit(), id=ID, timestamp="2026-11-21T20:27:33.123Z", end=ChainEnd()))
    start = line.index(b'"integrity"') + 1 + at
    told = line[:start] + b"X" + line[start + 1 :]
    assert code_of(told) is LedgerCode.BAD_RECORD
    wire = json.loads(line)
    del wire["integrity"]
    assert code_of(json.dumps(wire).encode()) is LedgerCode.BAD_RECORD
