"""Who wrote a line, asked of a real ledger."""

import gc
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.content import content_of, hash_if_there, split_lines
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.records import RecordFile, Vcs
from intent_lsp.formats.diff import file_ranges
from intent_lsp.governance.contents import content_lookup
from intent_lsp.governance.ledger import file_lineage
from intent_lsp.governance.ledger.blame import ALL_LINES, FileBlame
from intent_lsp.governance.ledger.file_lineage import FileLineage
from intent_lsp.store.git.repository import Git
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.state.blob_cache import BlobCache
from tests.governance.editor import Editor
from tests.support.ledgers import edit, ledger_at
from tests.support.repository import Repository

PATH = "src/a.py"
PLAIN = edit().files[0]
A, B, C, D = (f"the line that is called {name}\n" for name in "ABCD")


def changed(
    before: str | bytes | None,
    after: str | bytes | None,
    path: str = PATH,
    previous: str | None = None,
) -> RecordFile:
    old, new = (it.encode() if isinstance(it, str) else it for it in (before, after))
    talk = replace(PLAIN.conversations[0], ranges=file_ranges(content_of(old), content_of(new)))
    return replace(
        PLAIN,
        relative_path=path,
        previous_path=previous,
        pre_hash=hash_if_there(old),
        post_hash=hash_if_there(new),
        conversations=(talk,),
    )


class Root:
    """A root with a ledger, in which files are edited by numbered intents: `0`, `1`, …"""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ledger: Ledger = ledger_at(root)
        self.count = 0

    def record(self, *files: RecordFile, revision: str = "UNKNOWN") -> None:
        event = edit(files=files, intent_id=str(self.count), vcs=Vcs(revision))
        self.ledger.append(event)
        self.count += 1

    def write(self, data: str | bytes, path: str = PATH) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)

    def keep(self, *texts: str) -> None:
        for text in texts:
            BlobCache(self.root).put(text.encode())

    def who(self, path: str = PATH, shown: Sequence[str] | None = None) -> str | None:
        """Tell the runs in short: `1-2:0 3-3:?`, the intent of each, `=` or `>` before it."""
        blamed = FileBlame(self.root, self.ledger.index).blame(WorkspacePath(path), shown)
        if blamed is None:
            return None
        marks = {"exact": "", "normalized": "=", "moved": ">", "unattributed": "?"}
        return " ".join(
            f"{run.start_line}-{run.end_line}:{marks[run.confidence]}"
            + (run.record.intent_id or "" if run.record is not None else "")
            for run in blamed.runs(*ALL_LINES)
        )


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Root]:
    made = Root(tmp_path / "root")
    (made.root / ".orchestration").mkdir(parents=True)
    yield made
    made.ledger.close()


def lineages() -> list[FileLineage]:
    """Return every lineage in the memory of this process."""
    return [each for each in gc.get_objects() if isinstance(each, FileLineage)]


def test_a_record_is_seen_at_once_and_no_earlier_lineage_is_kept(at: Root) -> None:
    earlier = lineages()  # Of other tests in this process.
    blaming = FileBlame(at.root, at.ledger.index)
    texts = ["", A, A + B, A + B + C]
    for number, (before, after) in enumerate(pairwise(texts)):
        at.record(changed(before, after))
        at.write(after)
        blamed = blaming.blame(WorkspacePath(PATH))
        assert blamed is not None
        assert [run.record and run.record.intent_id for run in blamed.runs(number, number)] == [
            str(number)
        ]
    del blamed
    kept = [each for each in lineages() if not any(each is other for other in earlier)]
    assert [len(each.sources) for each in kept] == [3]


def test_a_file_without_records_is_nobodys(at: Root) -> None:
    at.write(A + B)
    assert at.who() == "1-2:?"
    at.write("")
    assert at.who() == ""
    assert at.who("src/other.py") is None
    assert at.who("src") is None


def test_lines_are_their_records_and_their_contributors(at: Root) -> None:
    at.record(changed(None, A + C))
    at.record(changed(A + C, A + B + C))
    at.write(A + B + C)
    assert at.who() == "1-1:0 2-2:1 3-3:0"
    blamed = FileBlame(at.root, at.ledger.index).blame(WorkspacePath(PATH))
    assert blamed is not None
    (run,) = blamed.runs(1, 1)
    assert run.record is not None
    assert (run.contributor, run.path) == (PLAIN.conversations[0].contributor, PATH)


def test_a_file_is_followed_through_its_names(at: Root) -> None:
    at.record(changed(None, A + B, "old.py"))
    at.record(changed(A + B, A + B, "mid.py", "old.py"))
    at.record(changed(A + B, A + B + C, PATH, "mid.py"))
    # Another file has an old name by now.
    at.record(changed(None, D, "old.py"))
    at.write(A + B + C)
    assert at.who() == "1-2:0 3-3:2"
    at.write(D, "old.py")
    assert at.who("old.py") == "1-1:3"


def test_what_took_the_old_name_of_a_file_is_another_file(at: Root) -> None:
    at.record(changed(None, A, "old.py"))
    at.record(changed(A, A, PATH, "old.py"))
    at.record(changed(None, B + C, "old.py"))
    at.write(A + B + C)
    assert at.who() == "1-1:>0 2-3:>2"


def test_a_file_that_was_renamed_to_and_fro_is_one_file(at: Root) -> None:
    at.record(changed(None, A))
    at.record(changed(A, A + B, "other.py", PATH))
    at.record(changed(A + B, A + B + C, PATH, "other.py"))
    at.write(A + B + C)
    assert at.who() == "1-1:0 2-2:1 3-3:2"


def test_names_are_followed_as_far_as_it_makes_sense(
    at: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.record(changed(None, A, "old.py"))
    at.record(changed(A, A + B, PATH, "old.py"))
    at.write(A + B)
    monkeypatch.setattr(file_lineage, "NAMES_FOLLOWED", 1)
    monkeypatch.setattr(file_lineage, "RECORDS_ELSEWHERE", 0)
    assert at.who() == "1-1:? 2-2:1"


def test_many_records_are_read_page_by_page(at: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_lineage, "_PAGE", 2)
    lines = [f"the line of the number {number}\n" for number in range(5)]
    before: str | None = None
    for number in range(5):
        after = "".join(lines[: number + 1])
        at.record(changed(before, after))
        before = after
    at.write(before or "")
    assert at.who() == "1-1:0 2-2:1 3-3:2 4-4:3 5-5:4"


def test_kept_contents_mend_a_missing_link(at: Root) -> None:
    at.record(changed(None, A + B))
    at.write(A + D + B)
    assert at.who() == "1-3:?"
    at.keep(A + B)
    assert at.who() == "1-1:0 2-2:? 3-3:0"
    at.write(A + "  " + B)
    assert at.who() == "1-1:0 2-2:=0"


def test_commits_mend_a_missing_link_after_a_clone(repository: Repository) -> None:
    at = Root(repository.root)
    at.write(A + B)
    first = repository.commit()
    at.record(changed(None, A + B), revision=first)
    at.write(A + D + B)
    repository.commit()
    at.record(changed(A + D + B, A + D + B + C), revision=first)
    at.write(A + D + B + C)
    at.ledger.close()
    shutil.rmtree(at.root / LOCAL_ROOM)
    at.ledger = ledger_at(at.root)
    assert at.who() == "1-1:0 2-2:? 3-3:0 4-4:1"
    at.ledger.close()


def test_a_filter_is_not_started(repository: Repository) -> None:
    at = Root(repository.root)
    at.write(A + B)
    repository.write(".gitattributes", "*.py filter=odd\n")
    first = repository.commit()
    at.record(changed(None, A + B), revision=first)
    at.write(A + D + B)
    assert at.who() == "1-3:?"
    at.ledger.close()


def test_a_revision_that_nobody_knows_is_no_matter(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Root(repository.root)
    at.record(changed(None, A + B), revision="f" * 40)
    at.write(A + D + B)
    assert at.who() == "1-3:?"
    monkeypatch.setattr(content_lookup, "REVISIONS", 0)
    assert at.who() == "1-3:?"
    at.ledger.close()


def test_blocks_of_other_files_are_found(at: Root) -> None:
    at.record(changed(None, A + B + C, "other.py"))
    at.record(changed(None, D))
    at.write(D + A + B + C)
    assert at.who() == "1-1:>1 2-4:>0"


def test_unsaved_lines_are_nobodys(at: Root) -> None:
    at.record(changed(None, A + B))
    at.write(A + B)
    assert at.who(shown=split_lines(A + B)) == "1-2:0"
    assert at.who(shown=split_lines(A + D + B)) == "1-1:0 2-2:? 3-3:0"
    assert at.who("new.py", shown=[A]) == "1-1:?"


def test_what_is_no_text_is_told_by_its_hash(at: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = b"\xff\xfe\x00\n\n"
    at.write(binary)
    assert at.who() == "1-2:?"
    at.record(changed(None, binary))
    at.record(changed(binary, b"\xff\xff"))
    at.record(changed(b"\xff\xff", binary))
    assert at.who() == "1-2:0"
    at.write(b"\xff\xff")
    assert at.who() == "1-1:1"
    monkeypatch.setattr("intent_lsp.governance.ledger.blame.MAX_DIFFED_BYTES", 3)
    at.record(changed(None, A, "large.txt"))
    at.write(A, "large.txt")
    assert at.who("large.txt") == "1-1:3"


def test_kept_contents_that_are_no_text_mend_nothing(at: Root) -> None:
    at.record(changed(None, b"\xff\xff"))
    BlobCache(at.root).put(b"\xff\xff")
    at.write(A)
    assert at.who() == "1-1:?"


def test_no_file_outside_of_the_root_is_read(at: Root) -> None:
    (at.root.parent / "secret").write_text(A)
    (at.root / "link").symlink_to(at.root.parent / "secret")
    assert at.who("link") is None
    assert at.who("../secret") is None
    assert at.who("a\0b") is None


def test_a_file_that_cannot_be_read_is_none(at: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Path) -> bytes:
        raise PermissionError

    at.write(A)
    monkeypatch.setattr("intent_lsp.store.fs.tree_reader.read_bytes", broken)
    assert at.who() is None


def test_a_ledger_that_cannot_be_read_is_an_error(at: Root) -> None:
    at.write(A)
    (at.root / LEDGER_FILE).mkdir()
    with pytest.raises(LedgerUnavailableError):
        at.who()


def test_lines_that_are_no_records_are_passed_over(at: Root) -> None:
    at.record(changed(None, A))
    at.write(A)
    with (at.root / LEDGER_FILE).open("ab") as file:
        file.write(b'{"id": 1}\nnonsense\n{"files": [{}]}\n')
    assert at.who() == "1-1:0"


def test_the_desk_tells_what_its_editors_saved(
    editor: Editor, open_editor: Callable[..., Editor]
) -> None:
    path = "src/auth/login.py"
    editor.select("INT-001")
    text = editor.show(path)
    editor.save(path, text + D)
    blamed = open_editor(editor.root).governance.blaming.blame(WorkspacePath(path))
    assert blamed is not None
    before, ours = blamed.runs(*ALL_LINES)
    assert (before.record, before.end_line) == (None, 3)
    assert ours.record is not None
    assert (ours.record.intent_id, ours.start_line, ours.end_line) == ("INT-001", 4, 4)


def test_a_file_that_moved_unseen_keeps_its_records_where_the_other_is_gone(at: Root) -> None:
    at.record(changed(None, A + B))
    at.record(changed(A + B, A + B + C))
    at.write(A + B + C, "src/moved.py")
    assert at.who("src/moved.py") == "1-2:0 3-3:1"
    # A copy is not the file: its lines are found again, and a part of them is not.
    at.write(A + B + C)
    assert at.who("src/moved.py") == "1-2:>0 3-3:>1"
    at.write(D + A + B, "src/moved.py")
    assert at.who("src/moved.py") == "1-3:?"


def test_of_two_files_that_are_gone_neither_is_the_one_that_came(at: Root) -> None:
    at.record(changed(None, A + B + C), changed(None, A + B + C, "src/b.py"))
    at.write(A + B + C, "src/moved.py")
    assert ">" in (at.who("src/moved.py") or "")


def test_a_file_that_was_moved_and_then_saved_keeps_its_records(at: Root) -> None:
    at.record(changed(None, A + B + C, "old.py"))
    at.record(changed(A + B + C, A + B + C + D))
    at.write(A + B + C + D)
    assert at.who() == "1-3:>0 4-4:1"
    # As long as the other is there, this is another file.
    at.write(A + B + C, "old.py")
    assert at.who() == "1-3:? 4-4:1"


def test_a_copy_that_is_gone_is_not_what_a_file_came_from(at: Root) -> None:
    """Neither one that came later, nor one that was made while the file stood there."""
    at.record(changed(A + B + C, A + B + C + D))
    at.record(changed(None, A + B + C, "copy.py"))
    at.write(A + B + C + D)
    assert at.who() == "1-3:? 4-4:0"


def test_a_copy_of_a_committed_file_is_not_what_it_came_from(at: Root) -> None:
    repository = Repository(at.root)
    repository.git("init", "-q")
    at.write(A + B + C)
    commit = repository.commit()
    copied = edit(files=(changed(None, A + B + C, "copy.py"),), intent_id="0")
    at.ledger.append(replace(copied, vcs=Vcs(commit)))
    at.ledger.append(edit(files=(changed(A + B + C, A + B + C + D),), intent_id="1"))
    at.write(A + B + C + D)
    assert at.who() == "1-3:? 4-4:1"


def test_a_few_bytes_are_no_sign_of_a_file(at: Root) -> None:
    at.record(changed(None, "{}\n", "old.json"))
    at.record(changed("{}\n", "{}\n" + A, "new.json"))
    at.keep("{}\n")
    at.write("{}\n" + A, "new.json")
    assert at.who("new.json") == "1-1:? 2-2:1"


def test_among_too_many_files_that_are_gone_none_is_chosen(
    at: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    at.record(changed(None, A + B + C, "old.py"), changed(None, D, "other.py"))
    at.record(changed(A + B + C, A + B + C + D))
    at.write(A + B + C + D)
    monkeypatch.setattr(file_lineage, "GONE_ASKED", 1)
    assert at.who() == "1-3:? 4-4:1"


def test_asking_without_a_repository_takes_nothing_from_python(at: Root) -> None:
    before = sys.getrefcount(None)
    for _ in range(200):
        assert Git.open(at.root) is None
    assert before - sys.getrefcount(None) < 100


def test_what_was_merged_mends_a_missing_link_after_a_clone(repository: Repository) -> None:
    """No record names the tip of a branch on which nobody worked after its last commit."""
    at = Root(repository.root)
    many = "".join(f"a line between them, number {number}\n" for number in range(9))

    def commit(before: str | None, after: str) -> None:
        if before is not None:
            at.record(changed(before, after))
        at.write(after)
        repository.git("add", PATH)
        repository.git("commit", "--quiet", "--message", "work")

    commit(None, A + many)
    repository.git("checkout", "--quiet", "-b", "side")
    commit(A + many, B + A + many)
    repository.git("checkout", "--quiet", "main")
    commit(A + many, A + many + C)
    repository.git("merge", "--quiet", "--no-edit", "side")
    assert at.who() == "1-1:0 2-11:? 12-12:1"
    at.ledger.close()
