"""What other tools recorded becomes an edit of ours, and what is left behind is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import hash_content
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.paths import parse_relative
from intent_lsp.core.records import (
    Contributor,
    EntityType,
    Event,
    MutationClass,
    Range,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.ledger.exports import agent_trace, flat_records
from intent_lsp.formats.ledger.foreign.files import UNHASHED
from intent_lsp.formats.ledger.foreign.records import (
    Dialect,
    Foreign,
    derived_id,
    foreign_line,
    foreign_record,
    is_marked,
    marked,
    session_of,
)
from intent_lsp.formats.ledger.jsonl import seal, to_wire
from tests.support.ledgers import HASH, events

DIALECTS = Path(__file__).parent / "data/dialects"
ID = "b3c1a7e2-5d4f-4a6b-8c9d-0e1f2a3b4c5d"
TIME = "2026-11-21T20:27:33.123Z"


def golden(name: str) -> list[Foreign]:
    lines = (DIALECTS / f"{name}.jsonl").read_bytes().splitlines()
    return [read(foreign_line(line)) for line in lines]


def read(found: Foreign | str) -> Foreign:
    assert isinstance(found, Foreign), found
    return found


def nested(**told: Any) -> dict[str, Any]:
    return {"id": ID, "timestamp": TIME, "files": []} | told


def with_file(**told: Any) -> dict[str, Any]:
    return nested(files=[{"relative_path": "a.py"} | told])


def with_ranges(*ranges: Any, **told: Any) -> dict[str, Any]:
    return with_file(conversations=[{"url": "t", "ranges": list(ranges)} | told])


def run(start: Any, end: Any, **told: Any) -> dict[str, Any]:
    return {"start_line": start, "end_line": end, "content_hash": HASH} | told


def test_a_flat_record_is_read() -> None:
    first, second, third = golden("flat")
    assert first.lost == ()
    assert first.known.dialect is Dialect.FLAT
    event = first.event
    assert (event.intent_id, event.session_id) == ("INT-001", "task-1771531807480")
    assert (event.tool_name, event.mutation_class) == ("write_to_file", MutationClass.FILE_CREATION)
    (file,) = event.files
    assert (file.path, file.pre_hash) == ("src/hooks/TraceLogger.ts", None)
    assert file.post_hash is not None
    assert file.post_hash.startswith("sha256:9f86d081")
    assert (second.event.intent_id, second.event.files) == (None, ())
    assert not second.event.success
    assert second.event.error is not None
    assert "ghp_" not in second.event.error
    assert third.event.scope_validation is ScopeValidation.FAIL
    assert third.event.files == ()
    assert set(third.lost) == {
        "mutation_class (not a value that intent-lsp knows, so it is not imported)",
        ("file.relative_path (there is no path below the root, so the file is left out)"),
        "file.pre_hash",
        "duration_ms",
    }


def test_a_flat_record_without_a_session_has_the_address_of_its_conversation() -> None:
    file = {"relative_path": "a", "conversations": [{"url": "https://x/y"}]}
    assert session_of({"timestamp": TIME, "file": file}) == "https://x/y"


def test_a_conversation_is_none_of_a_contributor_whom_no_range_names() -> None:
    told = read(
        foreign_record(
            with_ranges(run(1, 2, contributor={"type": "human"}), contributor={"type": "ai"})
        )
    )
    (talk,) = told.event.files[0].conversations
    assert talk.contributor == Contributor(EntityType.HUMAN, "human")


def test_an_agent_trace_is_read() -> None:
    first, second = golden("agent_trace")
    event = first.event
    assert first.known.dialect is Dialect.AGENT_TRACE
    assert first.known.timestamp == "2026-01-23T14:30:00.000Z"
    assert (event.tool_name, event.vcs.revision_id[:6]) == ("cursor", "a1b2c3")
    assert event.session_id == "https://api.cursor.com/v1/conversations/12345"
    agents, persons = event.files[0].conversations
    assert agents.contributor.model_identifier == "anthropic/claude-opus-4-5-20251101"
    assert persons.contributor == Contributor(EntityType.HUMAN, "human")
    assert [(each.start_line, each.content_hash) for each in agents.ranges] == [(42, UNHASHED)]
    assert agents.related == (RelatedEntry("session", "https://api.cursor.com/v1/sessions/67890"),)
    assert set(first.lost) == {
        "files[].conversations[].ranges[].content_hash (no SHA-256)",
        "tool.version",
        "metadata",
    }
    assert second.known.id is None
    talks = second.event.files[0].conversations
    assert [[(each.start_line, each.end_line) for each in talk.ranges] for talk in talks] == [
        [(1, 9)],
        [(5, 7)],
    ]
    assert set(second.lost) == {
        "id (not a UUID of version 4, so the record gets another id)",
        "vcs.type (another version control system than git, so it is left out)",
        "vcs.revision (not a commit of git, so it is left out)",
        (
            "files[].conversations[].contributor.entity_type (not a value that intent-lsp knows, so"
            " it is not imported)"
        ),
        (
            "files[].conversations[].ranges[].start_line (this is not a range of lines, so it"
            " is left out)"
        ),
    }


def test_a_revision_that_is_not_of_git_is_no_commit_whatever_it_looks_like() -> None:
    mercurial = {"type": "hg", "revision": "a" * 40}
    found = read(foreign_record({"timestamp": TIME, "files": [], "vcs": mercurial}))
    assert found.event.vcs == Vcs()
    assert "vcs.revision (not a commit of git, so it is left out)" in found.lost


def test_a_nested_record_loses_its_old_place_in_the_chain_and_no_more() -> None:
    first, _, third = golden("nested_chained")
    assert first.lost == ("integrity",)
    assert first.event.mutation_class is MutationClass.AST_REFACTOR
    assert third.event.files[0].relative_path == "src/half \ufffd.ts"
    assert "vcs.dirty" in third.lost


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "not a JSON object"),
        ([], "not a JSON object"),
        ({}, "neither"),
        ({"timestamp": TIME}, "neither"),
        ({"timestamp": TIME, "file": "a.py"}, "neither"),
        ({"timestamp": TIME, "files": {}}, "neither"),
        ({"files": []}, "timestamp"),
        ({"files": [], "timestamp": "soon"}, "timestamp"),
        (nested(files=[{}] * 10_001), "10,000"),
    ],
    ids=range(9),
)
def test_what_is_no_record_says_why(value: object, why: str) -> None:
    found = foreign_record(value)
    assert isinstance(found, str)
    assert why in found


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"NaN"], ids=range(4))
def test_what_is_no_json_says_so(line: bytes) -> None:
    assert str(foreign_line(line)).startswith("the line is not JSON")


def test_what_is_nested_too_deeply_is_not_said_to_be_no_json() -> None:
    line = b"[" * 100_000 + b"]" * 100_000
    assert foreign_line(line) == "the line's JSON is nested too deeply to be read"


@pytest.mark.parametrize(
    ("value", "lost"),
    [
        (nested(intent_id=7), "intent_id (no text)"),
        (nested(intent_id="x" * 257), "intent_id (longer than 256 characters, so it is cut)"),
        (nested(intent_hash="abc"), "intent_hash (no SHA-256)"),
        (nested(success="yes"), "success (neither true nor false, so it is left out)"),
        (nested(vcs="abc"), "vcs (no object)"),
        (nested(approval={"choice": "once"}), "approval"),
        (nested(grant={"patterns": ["**"]}), "grant"),
        (nested(error="it failed"), "error (the edit happened, so the error is left out)"),
        (nested(files=["a.py"]), "files[] (no object)"),
        (with_file(relative_path="/etc/passwd"), None),
        (with_file(relative_path="a\0"), None),
        (with_file(relative_path="%2E%2E/b", path_encoding="percent"), None),
        (with_file(relative_path="a/..%2F..%2Fb", path_encoding="percent"), None),
        (
            with_file(previous_path="../b"),
            "files[].previous_path (the former path is not below the root, so it is left out)",
        ),
        (with_file(conversations={}), None),
        (with_file(conversations="x"), "files[].conversations (no list)"),
        (
            with_file(path_encoding="base64"),
            "files[].path_encoding (not a value that intent-lsp knows, so it is not imported)",
        ),
        (with_ranges(run(1.5, 2)), None),
        (with_ranges(run("1", 2)), None),
        (with_ranges(run(0, 2)), None),
        (with_ranges(run(1, 2**60)), None),
        (
            with_ranges(run(1, 2, replaced=[1, 2, 3])),
            (
                "files[].conversations[].ranges[].replaced (the replaced lines do not fit the"
                " range, so they are left out)"
            ),
        ),
        (
            with_ranges(run(1, 2, replaced="x")),
            (
                "files[].conversations[].ranges[].replaced (the replaced lines do not fit the"
                " range, so they are left out)"
            ),
        ),
        (
            with_ranges(related=[{"type": "a"}]),
            (
                "files[].conversations[].related[].type (the type or the value is missing, so the"
                " entry is left out)"
            ),
        ),
        (
            with_ranges(*(run(1, n) for n in range(1, 60))),
            "files[].conversations[].ranges[] (too many ranges overlap, so some are left out)",
        ),
    ],
    ids=range(25),
)
def test_what_cannot_be_carried_over_is_named(value: dict[str, Any], lost: str | None) -> None:
    found = read(foreign_record(value)).lost
    assert len(found) == 1
    assert lost in (None, found[0])


def test_a_tool_that_says_too_much_does_not_fill_the_memory() -> None:
    told = nested(**{f"key{number}": 1 for number in range(1000)})
    assert len(read(foreign_record(told)).lost) == 100


def test_ranges_that_overlap_are_told_in_several_conversations() -> None:
    told = with_ranges(run(5, 9), run(1, 3), run(2, 2), run(0, 0), run(1, 3), run(4.0, 4))
    (file,) = read(foreign_record(told)).event.files
    assert [[each.start_line for each in talk.ranges] for talk in file.conversations] == [
        [0],
        [1, 4, 5],
        [2],
    ]


def test_runs_of_our_own_are_kept_as_they_are() -> None:
    told = with_ranges(run(1, 3, replaced=[1, 0, 3]), run(9, 9, replaced=[4, 2, 0]), run(12, 12))
    (file,) = read(foreign_record(told)).event.files
    (talk,) = file.conversations
    assert [each.replaced for each in talk.ranges] == [(1, 0, 3), (4, 2, 0), None]
    whole = with_ranges(run(1, 3, fallback=True))
    (talk,) = read(foreign_record(whole)).event.files[0].conversations
    assert talk.ranges == (Range(start_line=1, end_line=3, content_hash=HASH, fallback=True),)


def test_a_mark_says_where_an_edit_is_from() -> None:
    plain = read(foreign_record(with_file())).event
    assert not is_marked(plain)
    told = marked(plain, Dialect.NESTED)
    assert is_marked(told)
    assert told.tool_name == "import/nested"
    (talk,) = told.files[0].conversations
    assert talk.related == (RelatedEntry("imported", "nested"),)
    named = marked(replace(plain, tool_name="write"), Dialect.FLAT)
    assert named.tool_name == "write"


def test_an_id_is_made_of_a_line_and_of_nothing_else() -> None:
    assert derived_id(b"a\r\n") == derived_id(b"a") != derived_id(b"b")
    assert read(foreign_record(nested(id=derived_id(b"a")))).known.id == derived_id(b"a")
    assert read(foreign_record(nested(id=ID.upper()))).known.id == ID


@given(events)
def test_what_we_export_is_read_back_as_far_as_the_form_goes(event: Event) -> None:
    record, _ = seal(draft(event, id=ID, timestamp=TIME, end=ChainEnd()))
    ours = read(foreign_record(json.loads(json.dumps(to_wire(record)))))
    flat = [read(foreign_record(told)) for told in flat_records(record)]
    trace = read(foreign_record(agent_trace(record)))
    for found in (ours, *flat, trace):
        assert (found.known.id, found.known.timestamp) == (ID, TIME)
        assert found.event.grant is None
    for found in (ours, *flat):
        assert found.event.session_id == record.session_id
        assert found.event.scope_validation is record.scope_validation
        assert found.event.mutation_class is record.mutation_class
    assert trace.known.dialect is Dialect.AGENT_TRACE


KEYS = """
id timestamp vcs files file integrity intent_id session_id tool_name version tool success error
mutation_class scope_validation relative_path path conversations url contributor ranges related
start_line end_line content_hash replaced type value revision_id entity_type model_identifier
fallback pre_hash path_encoding previous_path summary_hash
"""
_keys = st.sampled_from(KEYS.split())
_scalars = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        2,
        3.0,
        -1,
        2**60,
        "",
        "a",
        "\ud800",
        "x" * 300,
        HASH,
        TIME,
        "percent",
        "%2E%2E",
        "/",
        "..",
    ]
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=6),
    max_leaves=30,
)
_foreign = st.builds(
    lambda more, files: {"timestamp": TIME} | more | {"files": files},
    st.dictionaries(_keys, _values, max_size=6),
    st.lists(
        st.builds(
            lambda more, talks: {"relative_path": "a"} | more | {"conversations": talks},
            st.dictionaries(_keys, _values, max_size=4),
            st.lists(st.dictionaries(_keys, _values, max_size=6), max_size=3),
        ),
        max_size=3,
    ),
)


@given(_foreign | _values)
def test_whatever_is_read_can_be_written(value: Any) -> None:
    found = foreign_record(value)
    if isinstance(found, Foreign):
        told = marked(found.event, found.known.dialect)
        record, line = seal(draft(told, id=ID, timestamp=found.known.timestamp, end=ChainEnd()))
        assert hash_content(line)
        for file in record.files:
            assert parse_relative(file.path) == file.path
