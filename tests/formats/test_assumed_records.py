"""Edits that nobody announced are marked as such wherever they are shown."""

from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.blame.attribution import Attribution, Confidence, one_run
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.errors import InvalidRecordError
from intent_lsp.core.records import AGENT, DISK_CHANGE, HUMAN, UNKNOWN_CONTRIBUTOR, Record
from intent_lsp.core.report.aggregates import Tally
from intent_lsp.formats.ledger.exports import EXPORTS, agent_trace, csv_rows, flat_records
from intent_lsp.formats.ledger.jsonl import encode
from intent_lsp.formats.markdown.provenance import doubts, hover_plain
from tests.support.ledgers import edit, ledger_at


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Give a record of a person's save of one file."""
    with closing(ledger_at(tmp_path)) as ledger:
        return ledger.append(edit())


def by(record: Record, contributor: object, **more: object) -> Record:
    """Give a record as another's, of one of its files."""
    (file,) = record.files
    talks = tuple(replace(talk, contributor=contributor) for talk in file.conversations)
    return replace(record, files=(replace(file, conversations=talks),), **more)


def test_an_older_change_of_nobody_is_assumed(record: Record) -> None:
    assert not by(record, HUMAN).is_assumed
    assert not by(record, UNKNOWN_CONTRIBUTOR).is_assumed
    assert not by(record, AGENT, tool_name=DISK_CHANGE).is_assumed
    assert by(record, UNKNOWN_CONTRIBUTOR, tool_name=DISK_CHANGE).is_assumed
    assert by(record, HUMAN, assumed=True).is_assumed


def test_it_is_said_at_every_place(record: Record) -> None:
    assumed = replace(record, assumed=True)
    run = one_run(Attribution(0), [(assumed, assumed.files[0])], 1, 1)
    assert run.confidence is Confidence.ASSUMED
    said = "no editor or agent reported the edit"
    assert f"{said}; the intent is the one that was active · " in hover_plain(run, None)
    nobodys = replace(assumed, intent_id=None)
    assert f"{said} · " in hover_plain(replace(run, record=nobodys), None)
    assert list(doubts(nobodys)) == [said]
    assert [flat.get("assumed") for flat in flat_records(assumed)] == [True]
    assert [flat.get("assumed") for flat in flat_records(record)] == [None]
    assert agent_trace(assumed)["metadata"]["intent-lsp"]["assumed"] is True
    assert EXPORTS["csv"].heading.rstrip().endswith(b",assumed")
    assert [row.rstrip().rpartition(b",")[2] for row in csv_rows(assumed)] == [b"true"]
    tally = Tally()
    tally.count(assumed, tally.lines, "2026-11-21")
    tally.count(record, tally.lines, "2026-11-21")
    assert (tally.edits, tally.assumed) == (2, 1)


def test_the_hash_of_a_refused_call_stands_behind_the_doubts_and_is_checked(record: Record) -> None:
    refused = replace(record, reconstructed=True, refused_call_hash=hash_content(b"call"))
    line = encode(refused)
    assert b'"reconstructed":true,"refused_call_hash":"sha256:' in line
    assert b"refused_call_hash" not in encode(record)
    with pytest.raises(InvalidRecordError):
        encode(replace(record, refused_call_hash=ContentHash("sha256:short")))


def test_the_keys_of_doubt_stand_behind_concurrent_modification(record: Record) -> None:
    doubtful = replace(
        record, concurrent_modification=True, assumed=True, compared=False, reconstructed=True
    )
    keys = b'"concurrent_modification":true,"assumed":true,"compared":false,"reconstructed":true,'
    assert keys in encode(doubtful)
    assert len(list(doubts(doubtful))) == 3
    assert not list(doubts(record))
    for key in (b"assumed", b"compared", b"reconstructed"):
        assert key not in encode(record)
