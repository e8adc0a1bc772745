"""A ledger that an older tool began is verified, asked and continued."""

import json
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.store.ledger.index.queries import Query
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines

DIALECTS = Path(__file__).parent.parent / "formats/data/dialects"
NAMES = ["nested_chained", "nested_bare", "nested_then_chained", "flat"]

each_dialect = pytest.mark.parametrize("name", NAMES)


def golden(name: str) -> list[bytes]:
    return (DIALECTS / f"{name}.jsonl").read_bytes().splitlines(keepends=True)


def problems(root: Path) -> list[tuple[LedgerCode, int]]:
    ledger = ledger_at(root)
    found = ledger.verify()
    ledger.close()
    errors = [each for each in found.problems if each.severity is Severity.ERROR]
    assert found.ok == (not errors)
    return [(each.code, each.line) for each in found.problems]


@each_dialect
def test_an_older_ledger_verifies_and_is_said_to_be_one(tmp_path: Path, name: str) -> None:
    put_lines(tmp_path, golden(name))
    ledger = ledger_at(tmp_path)
    found = ledger.verify()
    assert found.ok
    assert (found.records, len(found.heads)) == (len(golden(name)), 1)
    (told,) = found.problems
    assert (told.code, told.line) == (LedgerCode.OLDER_RECORDS, 1)
    assert told.severity is Severity.INFORMATION
    assert f"(and {len(golden(name)) - 1} more of this kind)" in told.message


@each_dialect
def test_new_records_chain_onto_an_older_ledger(tmp_path: Path, name: str) -> None:
    put_lines(tmp_path, golden(name))
    ledger = ledger_at(tmp_path)
    head = ledger.verify().heads[0].hash
    first, second = ledger.append(edit()), ledger.append(edit())
    assert (first.integrity.prev_record_hash, first.integrity.merges) == (head, ())
    assert second.integrity.prev_record_hash == first.integrity.record_hash
    assert lines_of(tmp_path)[:-2] == golden(name)
    ledger.close()
    assert problems(tmp_path) == [(LedgerCode.OLDER_RECORDS, 1)]


@each_dialect
def test_older_records_are_found_as_others_are(tmp_path: Path, name: str) -> None:
    put_lines(tmp_path, golden(name))
    ledger = ledger_at(tmp_path)
    new = ledger.append(edit())
    found = ledger.index.query(Query(), limit=9).records
    ids = [json.loads(line)["id"] for line in golden(name)]
    assert [record.id for record in found] == [new.id, *ids[::-1]]
    for record in found:
        assert ledger.index.find(record.id) == record
        assert (
            record in ledger.index.query(Query(session_ids=(record.session_id,)), limit=9).records
        )
        for file in record.files:
            assert ledger.index.newest_for_path(file.path) is not None


def test_a_change_in_an_older_record_is_found(tmp_path: Path) -> None:
    first, second, third = golden("nested_chained")
    put_lines(tmp_path, [first, second.replace(b'"end_line":45', b'"end_line":46'), third])
    assert (LedgerCode.BAD_HASH, 2) in problems(tmp_path)
    put_lines(tmp_path, [first, third])
    assert (LedgerCode.BROKEN_LINK, 2) in problems(tmp_path)
    put_lines(tmp_path, [second, first, third])
    assert LedgerCode.BROKEN_LINK in {code for code, _ in problems(tmp_path)}


def test_a_change_above_a_record_that_holds_the_bytes_is_found(tmp_path: Path) -> None:
    first, second, third = golden("nested_then_chained")
    put_lines(tmp_path, [first, second.replace(b"b2.ts", b"b3.ts"), third])
    assert (LedgerCode.BROKEN_LINK, 3) in problems(tmp_path)


def test_a_record_without_integrity_below_one_that_has_it_is_an_error(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    ledger.append(edit())
    ledger.append(edit())
    ledger.close()
    above, below = lines_of(tmp_path)
    put_lines(tmp_path, [above, *golden("nested_bare"), below])
    assert (LedgerCode.BAD_RECORD, 2) in problems(tmp_path)
    put_lines(tmp_path, [*golden("nested_bare")])
    assert problems(tmp_path) == [(LedgerCode.OLDER_RECORDS, 1)]


def test_records_of_an_older_tool_may_go_on_after_ours(tmp_path: Path) -> None:
    put_lines(tmp_path, golden("nested_chained"))
    ledger = ledger_at(tmp_path)
    ledger.append(edit())
    ledger.close()
    # Another branch, on which the older tool wrote on, was joined by git.
    one, two, three, ours = lines_of(tmp_path)
    put_lines(tmp_path, [one, two, ours, three])
    assert (LedgerCode.BROKEN_LINK, 3) in problems(tmp_path)
    put_lines(tmp_path, [one, two, three, ours, three])
    assert problems(tmp_path)[0] == (LedgerCode.OLDER_RECORDS, 1)
