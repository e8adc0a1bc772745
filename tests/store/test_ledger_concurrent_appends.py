"""Eight processes that append as fast as they can: one linear chain, nothing lost."""

import subprocess
import sys
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.store.ledger.journal import Journal
from tests.support.ledgers import ledger_at, lines_of

PROCESSES, EACH = 8, 500
APPENDING = """
import sys
from pathlib import Path
from tests.support.ledgers import edit, ledger_at
ledger = ledger_at(Path(sys.argv[1]), wait_seconds=60)
for number in range(int(sys.argv[2])):
    print(ledger.append(edit(f"{sys.argv[3]}/{number}")).id)
"""


@pytest.mark.slow
def test_eight_processes_append_four_thousand_records_to_one_linear_chain(tmp_path: Path) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", APPENDING, tmp_path, str(EACH), f"p{number}"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    answered = [id_ for child in children for id_ in child.communicate()[0].split()]
    assert [child.returncode for child in children] == [0] * PROCESSES
    records = [read(line) for line in lines_of(tmp_path)]
    assert all(isinstance(record, Record) for record in records)
    found = [record for record in records if isinstance(record, Record)]
    assert sorted(record.id for record in found) == sorted(answered)
    before = [None, *(record.integrity.record_hash for record in found)]
    assert [record.integrity.prev_record_hash for record in found] == before[:-1]
    assert {record.integrity.merges for record in found} == {()}
    for number in range(PROCESSES):
        own = [path for r in found if (path := r.files[0].path).startswith(f"p{number}/")]
        assert own == [f"p{number}/{step}" for step in range(EACH)]
    ledger = ledger_at(tmp_path)
    verified = ledger.verify()
    assert (verified.ok, verified.records, len(verified.heads)) == (True, PROCESSES * EACH, 1)
    # Each process has a clock of its own here.
    assert {problem.code for problem in verified.problems} <= {LedgerCode.CLOCK_BACKWARDS}
    assert ledger.index.count() == PROCESSES * EACH
    assert sorted(Journal(tmp_path / LOCAL_ROOM).lines()) == sorted(lines_of(tmp_path))
