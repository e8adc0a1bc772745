"""Proving: a ledger held against commits, against what this machine knows, against hashes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Verification
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.governance.ledger.reader import prove
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines
from tests.support.repository import Repository
from tests.support.sealed_lines import chain


@pytest.fixture
def place(repository: Repository) -> Repository:
    """Give a repository whose ledger is tracked, as `init` has it."""
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write(".orchestration/.gitattributes", "*.jsonl merge=union -text\n")
    repository.commit("begin")
    return repository


def append(root: Path, count: int = 1) -> list[ContentHash]:
    ledger = ledger_at(root)
    made = [ledger.append(edit()).integrity.record_hash for _ in range(count)]
    ledger.close()
    return made


def proved(root: Path, *given: ContentHash) -> Verification:
    ledger = ledger_at(root)
    try:
        return prove(ledger, [Anchor(hash=each, kind=AnchorKind.GIVEN) for each in given])
    finally:
        ledger.close()


def problems(found: Verification) -> dict[str, str]:
    """Give what is wrong; each ledger here has a clock of its own, which begins anew."""
    return {
        problem.code.value: problem.severity.name
        for problem in found.problems
        if problem.code is not LedgerCode.CLOCK_BACKWARDS
    }


def forget(root: Path) -> None:
    shutil.rmtree(root / LOCAL_ROOM)


def test_what_a_commit_holds_is_proved(place: Repository) -> None:
    append(place.root, 3)
    commit = place.commit()
    append(place.root, 2)
    found = proved(place.root)
    assert (found.ok, problems(found)) == (True, {})
    sentence = f"the first 3 of 5 records are unchanged since commit {commit[:12]}"
    assert found.proved == sentence
    assert found.conditional.endswith("the 2 records after that")
    kinds = [(anchor.kind, anchor.records) for anchor in found.anchors]
    assert kinds == [(AnchorKind.COMMIT, 3), (AnchorKind.KNOWN_HEAD, 5)]


def test_an_end_that_was_cut_off_is_missed_by_the_commit(place: Repository) -> None:
    append(place.root, 3)
    commit = place.commit()
    forget(place.root)
    put_lines(place.root, lines_of(place.root)[:2])
    found = proved(place.root)
    assert (found.ok, problems(found)) == (False, {"TRUNCATED": "ERROR"})
    (problem,) = found.problems
    assert (problem.file, problem.line) == (LEDGER_FILE, 2)
    assert f"commit {commit[:12]}" in problem.message
    put_lines(place.root, [])
    assert problems(proved(place.root)) == {"TRUNCATED": "ERROR"}


def test_a_ledger_that_was_written_anew_is_not_what_the_commit_holds(place: Repository) -> None:
    append(place.root, 3)
    place.commit()
    forget(place.root)
    put_lines(place.root, chain(3).lines)
    found = proved(place.root)
    assert problems(found) == {"TRUNCATED": "ERROR"}
    assert found.proved.startswith("nothing")


def test_an_end_that_no_commit_holds_is_missed_by_this_machine(place: Repository) -> None:
    append(place.root, 2)
    place.commit()
    lines = lines_of(place.root)
    append(place.root, 2)
    put_lines(place.root, lines)
    for _ in range(2):
        found = proved(place.root)
        assert (found.ok, problems(found)) == (False, {"TRUNCATED": "ERROR"})
    # Nor does a new record make up for it.
    append(place.root)
    assert problems(proved(place.root)) == {"TRUNCATED": "ERROR"}


def test_an_end_that_a_reader_saw_is_missed_too(place: Repository) -> None:
    put_lines(place.root, chain(3).lines)
    (place.root / LOCAL_ROOM).mkdir()
    assert proved(place.root).ok
    put_lines(place.root, lines_of(place.root)[:2])
    assert problems(proved(place.root)) == {"TRUNCATED": "ERROR"}


def test_without_git_this_machine_knows_alone(tmp_path: Path) -> None:
    append(tmp_path, 3)
    found = proved(tmp_path)
    assert (found.ok, problems(found)) == (True, {})
    assert found.proved == "nothing: there is no commit, checkpoint or other hash to compare with"
    put_lines(tmp_path, lines_of(tmp_path)[:2])
    assert problems(proved(tmp_path)) == {"TRUNCATED": "ERROR"}
    forget(tmp_path)
    assert problems(proved(tmp_path)) == {}
    assert not (tmp_path / LOCAL_ROOM).exists()


def test_a_switched_branch_is_no_alarm_and_nothing_is_forgotten(place: Repository) -> None:
    append(place.root)
    place.commit()
    place.git("switch", "--quiet", "--create", "other")
    append(place.root, 2)
    place.commit()
    place.git("switch", "--quiet", "main")
    for _ in range(2):
        found = proved(place.root)
        assert (found.ok, problems(found)) == (True, {"HEAD_ELSEWHERE": "INFORMATION"})
    append(place.root)
    assert problems(proved(place.root)) == {"HEAD_ELSEWHERE": "INFORMATION"}
    place.commit()
    place.git("switch", "--quiet", "other")
    assert problems(proved(place.root)) == {"HEAD_ELSEWHERE": "INFORMATION"}
    place.git("merge", "--quiet", "--no-edit", "main")
    found = proved(place.root)
    assert (found.ok, problems(found)) == (True, {"UNTIED_HEADS": "INFORMATION"})
    append(place.root)
    assert problems(proved(place.root)) == {}


def test_a_branch_that_was_deleted_is_no_alarm(place: Repository) -> None:
    append(place.root)
    place.commit()
    place.git("switch", "--quiet", "--create", "other")
    append(place.root)
    place.commit()
    place.git("switch", "--quiet", "main")
    assert problems(proved(place.root)) == {"HEAD_ELSEWHERE": "INFORMATION"}
    place.git("branch", "--quiet", "-D", "other")
    place.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    assert problems(proved(place.root)) == {}


def test_a_stash_an_amendment_and_a_rebase_are_no_alarm(place: Repository) -> None:
    append(place.root)
    place.commit()
    append(place.root)
    place.git("stash", "--quiet")
    assert problems(proved(place.root)) == {"HEAD_ELSEWHERE": "INFORMATION"}
    place.git("stash", "pop", "--quiet")
    assert problems(proved(place.root)) == {}
    place.git("commit", "--quiet", "--all", "--amend", "--no-edit")
    assert problems(proved(place.root)) == {}
    place.git("switch", "--quiet", "--create", "side", "HEAD~1")
    place.write("other.txt", "x\n")
    place.commit("side")
    place.git("rebase", "--quiet", "side", "main")
    found = proved(place.root)
    assert (found.ok, problems(found)) == (True, {})
    assert found.proved.startswith("all 2 records")


def test_a_stash_that_was_dropped_is_missed(place: Repository) -> None:
    append(place.root)
    place.commit()
    append(place.root)
    place.git("stash", "--quiet")
    assert proved(place.root).ok
    place.git("stash", "drop", "--quiet")
    assert problems(proved(place.root)) == {"TRUNCATED": "ERROR"}


def test_a_commit_that_takes_records_out_is_missed(place: Repository) -> None:
    append(place.root, 3)
    before = place.commit()
    put_lines(place.root, lines_of(place.root)[:1])
    place.commit("take two out")
    found = proved(place.root)
    assert problems(found) == {"TRUNCATED": "ERROR"}
    assert f"commit {before[:12]} still has the record" in found.problems[0].message


def test_a_shallow_clone_proves_by_the_commit_that_it_has(
    place: Repository, tmp_path: Path
) -> None:
    append(place.root, 2)
    place.commit()
    append(place.root)
    commit = place.commit()
    clone = tmp_path / "clone"
    source = place.root.as_uri()
    subprocess.run(["git", "clone", "--quiet", "--depth=1", source, clone], check=True)
    found = proved(clone)
    assert (found.ok, problems(found)) == (True, {})
    assert found.proved == f"all 3 records are unchanged since commit {commit[:12]}"
    append(clone)
    put_lines(clone, lines_of(clone)[:3])
    assert problems(proved(clone)) == {"TRUNCATED": "WARNING"}
    assert proved(clone).ok


def test_a_hash_that_is_given_is_proved_or_missed(place: Repository) -> None:
    made = append(place.root, 3)
    found = proved(place.root, made[1])
    assert found.ok
    assert found.proved.startswith("the first 2 of 3 records")
    lost = proved(place.root, made[1], hash_content(b"another"))
    assert (lost.ok, problems(lost)) == (False, {"TRUNCATED": "ERROR"})
    assert lost.proved.startswith("the first 2 of 3 records")


def test_a_commit_that_holds_a_changed_record_proves_nothing(place: Repository) -> None:
    append(place.root, 2)
    lines = lines_of(place.root)
    put_lines(place.root, [lines[0], lines[1].replace(b"src/a.py", b"src/b.py")])
    place.commit()
    put_lines(place.root, lines)
    found = proved(place.root)
    assert problems(found) == {"TRUNCATED": "ERROR"}
    assert found.proved.startswith("nothing")


def test_nothing_is_proved_of_a_ledger_that_was_changed(place: Repository) -> None:
    made = append(place.root, 3)
    place.commit()
    one, two, three = lines_of(place.root)
    put_lines(place.root, [one, two.replace(b"src/a.py", b"src/b.py"), three])
    found = proved(place.root, made[2])
    assert {problem.code for problem in found.problems} >= {LedgerCode.BAD_HASH}
    assert found.proved == "nothing: the ledger has errors"


def test_a_segment_of_another_branch_is_not_called_missing(place: Repository) -> None:
    base = chain(2)
    first = chain(1, head=base.hashes[-1])
    second = chain(1, head=first.hashes[-1])
    room = ".orchestration/trace"
    place.write(LEDGER_FILE, base.data)
    place.commit()
    place.git("switch", "--quiet", "--create", "other")
    place.write(f"{room}/2026-11-21-000000000000.jsonl", first.data)
    place.commit()
    place.git("switch", "--quiet", "main")
    place.write(f"{room}/2026-11-22-000000000000.jsonl", second.data)
    found = proved(place.root)
    assert found.ok
    assert set(problems(found)) == {"HEAD_ELSEWHERE", "UNTIED_HEADS"}
    place.git("branch", "--quiet", "-D", "other")
    shutil.rmtree(place.root / ".git" / "logs")
    found = proved(place.root)
    assert problems(found)["MISSING_SEGMENT"] == Severity.ERROR.name
