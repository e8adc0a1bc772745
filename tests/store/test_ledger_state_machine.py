"""Any order of appends, crashes, merges and losses leaves a ledger that holds all and verifies."""

import shutil
import tempfile
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.truncation import RecordCommit
from intent_lsp.core.ledger.verification import Anchor, AnchorKind
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.records import Event, Record
from intent_lsp.governance.ledger.reader import prove
from intent_lsp.store.ledger.archive import all_but_newest, archive
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Appended, Ledger
from intent_lsp.store.ledger.raw.file import FileSystem
from tests.support.ledgers import (
    edit,
    events,
    lines_of,
    new_id,
    on_another_branch,
    put_lines,
    ticking,
)
from tests.support.tampering import TAMPERINGS, Files, Tampering

HARMLESS = {
    LedgerCode.TORN_TAIL,
    LedgerCode.UNTIED_HEADS,
    LedgerCode.CLOCK_BACKWARDS,
    LedgerCode.HEAD_ELSEWHERE,
}


class LedgerMachine(RuleBasedStateMachine):
    """A root that two processes write to, while git and accidents happen to its files."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="ledger-machine-"))
        self.full = False
        self.form = LedgerForm.SINGLE
        self.ledgers = [self.opened(), self.opened()]
        self.answered: dict[str, Record] = {}
        self.waiting = 0
        self.branch: list[bytes] | None = None
        self.base: list[bytes] = []

    def opened(self) -> Ledger:
        disk = FileSystem(write=self.write)
        return Ledger(self.root, ticking(), new_id, disk=disk, form=lambda: self.form)

    def write(self, fd: int, data: bytes) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return FileSystem().write(fd, data)

    def teardown(self) -> None:
        for ledger in self.ledgers:
            ledger.close()
        shutil.rmtree(self.root)

    @rule(event=events, who=st.integers(0, 1))
    def append(self, event: Event, who: int) -> None:
        self.full = False
        record = self.ledgers[who].append(event)
        self.answered[record.id] = record
        self.waiting = 0

    @rule(who=st.integers(0, 1))
    def append_to_a_full_disk(self, who: int) -> None:
        self.full = True
        outcome = self.ledgers[who].append_or_queue(edit("waits"))
        assert not isinstance(outcome, Appended)
        self.waiting += 1

    @rule(torn=st.binary(min_size=1, max_size=40).filter(lambda data: b"\n" not in data))
    @precondition(lambda self: (self.root / LEDGER_FILE).exists())
    def crash_in_the_line(self, torn: bytes) -> None:
        with (self.root / LEDGER_FILE).open("ab") as file:
            file.write(torn)

    @rule(who=st.integers(0, 1))
    def restart(self, who: int) -> None:
        self.ledgers[who].close()
        self.ledgers[who] = self.opened()

    @rule()
    def lose_the_index(self) -> None:
        for path in (self.root / LOCAL_ROOM).glob("index.sqlite3*"):
            path.unlink()

    @rule()
    def lose_the_lock_file(self) -> None:
        (self.root / LOCAL_ROOM / "ledger.lock").unlink(missing_ok=True)

    @rule(form=st.sampled_from(LedgerForm))
    def change_the_policy(self, form: LedgerForm) -> None:
        self.form = form

    @rule()
    def close_the_segment(self) -> None:
        """Have the next record begin another, as after a commit."""
        (self.root / LOCAL_ROOM / "segment").unlink(missing_ok=True)

    @rule(kept=st.integers(0, 3))
    def archive_all_but_some(self, kept: int) -> None:
        archive(self.root, all_but_newest(kept))

    @rule()
    def stop_an_archiving_half_way(self) -> None:
        """Leave the lines of a new archive in the main file, too."""
        whole = self.main_lines()
        archive(self.root, all_but_newest(1))
        if whole:
            put_lines(self.root, whole)

    @rule()
    @precondition(lambda self: self.answered and self.branch is None)
    def branch_off(self) -> None:
        self.settle()
        self.branch = self.base = self.main_lines()

    @rule(event=events)
    @precondition(lambda self: self.branch is not None)
    def append_on_the_branch(self, event: Event) -> None:
        self.settle()
        ours, branch = self.main_lines(), self.branch or []
        put_lines(self.root, branch)
        self.append(event, 0)
        self.branch = self.main_lines()
        put_lines(self.root, ours)

    @rule()
    @precondition(lambda self: self.branch is not None)
    def merge_the_branch(self) -> None:
        self.settle()
        theirs = (self.branch or [])[len(self.base) :]
        put_lines(self.root, [*self.main_lines(), *theirs])
        self.branch = None

    @rule(tampering=st.sampled_from(TAMPERINGS), data=st.data())
    @precondition(lambda self: self.answered and self.branch is None)
    def tamper_with_a_copy(self, tampering: Tampering, data: st.DataObject) -> None:
        """Have an auditor, who knows of the newest record, see it where nobody else does."""
        self.settle()
        before = self.ledgers[0].verify()
        # A change of the form leaves two ends until a segment is begun; he knows both.
        known = [Anchor(hash=head.hash, kind=AnchorKind.GIVEN) for head in before.heads]
        with tempfile.TemporaryDirectory(prefix="ledger-tampered-") as room:
            root = Path(room) / "copy"
            shutil.copytree(self.root, root)
            files = Files(root)
            shown = tampering(files, data)
            files.write()
            with closing(Ledger(root, ticking(), new_id)) as ledger:
                after = prove(ledger, known)
        errors = [each for each in after.problems if each.severity is Severity.ERROR]
        assert not after.ok
        assert errors
        if shown:
            assert {(each.file, each.line) for each in errors} & set(shown)
        else:
            assert LedgerCode.TRUNCATED in {each.code for each in errors}

    def settle(self) -> None:
        """Append once more, so that no torn line is copied by git and nothing waits."""
        form, self.form = self.form, LedgerForm.SINGLE
        self.append(edit("settled"), 0)
        self.form = form

    def main_lines(self) -> list[bytes]:
        return lines_of(self.root) if (self.root / LEDGER_FILE).exists() else []

    def past(self, hashes: Collection[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
        """Find those that the branch has which is not checked out."""
        branch = b"".join(self.branch or [])
        return on_another_branch(hash_ for hash_ in hashes if hash_.encode() in branch)

    @invariant()
    def every_answered_record_is_found_and_the_chain_verifies(self) -> None:
        ledger = self.ledgers[1]
        found = ledger.verify(past=self.past)
        assert found.ok
        assert {problem.code for problem in found.problems} <= HARMLESS
        elsewhere = b"".join(self.branch or [])
        here = {
            id_: record
            for id_, record in self.answered.items()
            if self.branch is None or id_.encode() not in elsewhere
        }
        shown = {record.id: record for record in ledger.index.query(Query(), limit=999).records}
        assert here.items() <= shown.items()
        assert found.records == ledger.index.count() == len(shown)
        assert {head.hash for head in found.heads} == {head.hash for head in ledger.index.heads()}


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
