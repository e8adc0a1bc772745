"""Records leave in forms that other tools read, and nothing in them does any harm there."""

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from intent_lsp.core.content import EMPTY_HASH
from intent_lsp.core.ledger.chain import ChainEnd, draft
from intent_lsp.core.records import (
    HUMAN,
    Contributor,
    EntityType,
    Event,
    Range,
    Record,
    RelatedEntry,
    Vcs,
)
from intent_lsp.formats.ledger.exports import EXPORTS, HEADINGS
from intent_lsp.formats.ledger.foreign.files import UNHASHED
from intent_lsp.formats.ledger.jsonl import read, seal
from tests.support.agent_trace_schema import schema_errors
from tests.support.ledgers import HASH, edit, events

ID = "b3c1a7e2-5d4f-4a6b-8c9d-0e1f2a3b4c5d"
TIME = "2026-11-21T20:27:33.123Z"
PLAIN = edit().files[0]
TALK = PLAIN.conversations[0]


def sealed(event: Event) -> Record:
    return seal(draft(event, id=ID, timestamp=TIME, end=ChainEnd()))[0]


def exported(form: str, event: Event) -> list[dict[str, Any]]:
    lines = b"".join(EXPORTS[form].lines(sealed(event))).splitlines(keepends=True)
    assert all(line.endswith(b"\n") for line in lines)
    return [json.loads(line) for line in lines]


def rows(event: Event) -> list[dict[str, str]]:
    form = EXPORTS["csv"]
    text = (form.heading + b"".join(form.lines(sealed(event)))).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def ranged(*ranges: Range) -> Event:
    return edit(files=(replace(PLAIN, conversations=(replace(TALK, ranges=ranges),)),))


@given(events)
def test_every_record_is_valid_as_an_agent_trace(event: Event) -> None:
    (told,) = exported("agent-trace", event)
    assert schema_errors(told) == []


def test_a_record_is_an_agent_trace_word_for_word() -> None:
    talk = replace(
        TALK,
        url="0192 ü",
        contributor=Contributor(EntityType.MIXED, "anthropic/claude-opus-4-5"),
        related=(
            RelatedEntry("specification", "INT-001"),
            RelatedEntry("mutation_class", "BUG_FIX"),
            RelatedEntry("ticket", "https://example.org/1"),
        ),
    )
    file = replace(PLAIN, conversations=(talk,))
    (told,) = exported("agent-trace", edit(files=(file,), vcs=Vcs("a" * 40)))
    del told["tool"]["version"]
    assert told == {
        "version": "0.1.0",
        "id": ID,
        "timestamp": TIME,
        "vcs": {"type": "git", "revision": "a" * 40},
        "tool": {"name": "intent-lsp"},
        "files": [
            {
                "path": "src/a.py",
                "conversations": [
                    {
                        "url": "urn:intent-lsp:session:0192%20%C3%BC",
                        "contributor": {
                            "type": "mixed",
                            "model_id": "anthropic/claude-opus-4-5",
                        },
                        "ranges": [{"start_line": 1, "end_line": 1, "content_hash": HASH}],
                        "related": [
                            {"type": "specification", "url": "urn:intent-lsp:intent:INT-001"},
                            {
                                "type": "mutation_class",
                                "url": "urn:intent-lsp:mutation_class:BUG_FIX",
                            },
                            {"type": "ticket", "url": "https://example.org/1"},
                        ],
                    }
                ],
            }
        ],
        "metadata": {
            "intent-lsp": {
                "intent_id": "INT-001",
                "tool_name": "editor/save",
                "mutation_class": "INTENT_EVOLUTION",
                "scope_validation": "PASS",
                "success": True,
                "assumed": False,
                "left_out": {"ranges_of_no_lines": 0, "pure_deletions": 0},
            }
        },
    }


def test_ranges_that_nobody_wrote_are_left_out_and_counted() -> None:
    deletion = Range(start_line=4, end_line=4, content_hash=HASH, replaced=(5, 2, 0))
    kept = Range(start_line=9, end_line=9, content_hash=UNHASHED)
    (told,) = exported("agent-trace", ranged(deletion, kept))
    (talk,) = told["files"][0]["conversations"]
    assert talk["ranges"] == [{"start_line": 9, "end_line": 9}]
    assert told["metadata"]["intent-lsp"]["left_out"]["pure_deletions"] == 1
    (told,) = exported("agent-trace", ranged(Range(start_line=0, end_line=0, content_hash=HASH)))
    assert told["files"][0]["conversations"][0]["ranges"] == []
    assert told["metadata"]["intent-lsp"]["left_out"]["ranges_of_no_lines"] == 1


@pytest.mark.parametrize(
    "who", [HUMAN, Contributor(EntityType.AI, "unknown"), Contributor(EntityType.UNKNOWN, "human")]
)
def test_a_model_that_nobody_knows_is_not_named(who: Contributor) -> None:
    talk = replace(TALK, contributor=who)
    (told,) = exported("agent-trace", edit(files=(replace(PLAIN, conversations=(talk,)),)))
    contributor = told["files"][0]["conversations"][0]["contributor"]
    assert contributor == {"type": who.entity_type.value.lower()}


@given(events)
def test_a_flat_record_is_of_one_file(event: Event) -> None:
    found = exported("flat", event)
    assert len(found) == max(1, len(event.files))
    names = [told["file"]["relative_path"] for told in found if told["file"] is not None]
    assert names == [file.relative_path for file in event.files]
    keys = "id timestamp intent_id session_id tool_name mutation_class file scope_validation"
    for told in found:
        assert list(told)[:9] == [*keys.split(), "success"]
        assert told.get("error") == event.error


@given(events)
def test_json_is_the_line_of_the_ledger(event: Event) -> None:
    (line,) = EXPORTS["json"].lines(sealed(event))
    assert read(line) == sealed(event)


@given(events)
def test_no_cell_is_a_formula(event: Event) -> None:
    found = rows(event)
    assert len(found) == max(1, len(event.files))
    for row in found:
        assert list(row) == list(HEADINGS)
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋"))  # noqa: RUF001


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff20"])
def test_what_a_spreadsheet_would_compute_is_text(beginning: str) -> None:
    (row,) = rows(edit(f"{beginning}1+1"))
    assert row["path"] == f"'{beginning}1+1"


def test_a_row_tells_a_record() -> None:
    run = Range(start_line=1, end_line=3, content_hash=HASH, replaced=(1, 2, 3))
    talk = replace(TALK, ranges=(run,))
    file = replace(PLAIN, previous_path="=cmd|' /C calc'!A0", conversations=(talk, talk))
    (row,) = rows(edit('a,"b"\n.py', files=(replace(file, relative_path='a,"b"\n.py'),)))
    assert row["path"] == 'a,"b"\n.py'
    assert row["previous_path"] == "'=cmd|' /C calc'!A0"
    assert (row["lines_added"], row["lines_removed"]) == ("6", "4")
    assert (row["contributor"], row["model"], row["success"]) == ("HUMAN", "human", "true")
    assert (row["pre_hash"], row["post_hash"]) == ("", HASH)


def test_lines_that_were_not_compared_are_not_counted() -> None:
    whole = Range(start_line=1, end_line=3, content_hash=EMPTY_HASH, fallback=True)
    (row,) = rows(ranged(whole))
    assert (row["lines_added"], row["lines_removed"]) == ("", "")
