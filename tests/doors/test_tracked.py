"""Tracked documents: what is shown while a text is typed (requirements section 8)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.content import hash_content, split_lines
from intent_lsp.core.line_diff import LineDiff, LineEdit
from intent_lsp.doors.lsp.diagnostics.disk_state import DiskState
from intent_lsp.doors.lsp.diagnostics.document_diffs import DocumentDiffs
from intent_lsp.doors.lsp.diagnostics.refresh import observe_disk
from intent_lsp.doors.lsp.diagnostics.tracked_document import SaveDelta, TrackedDocument
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.diff import line_hunks
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

PATH = "src/db.py"
HEAD = "alpha\nbeta\ngamma\n"
Open = Callable[[], Editor]


@pytest.fixture
def root(repository: Repository) -> Repository:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write(PATH, HEAD)
    repository.commit()
    return repository


@pytest.fixture
def open_editor(root: Repository) -> Iterator[Open]:
    opened: list[Editor] = []

    def open_one() -> Editor:
        opened.append(Editor.open(root.root))
        return opened[-1]

    yield open_one
    for editor in opened:
        editor.close()


class Window:
    """A document in an editor, with what is shown on it."""

    def __init__(self, editor: Editor, path: str = PATH, intent_id: str | None = "INT-001") -> None:
        if intent_id is not None and editor.session.continued != intent_id:
            editor.select(intent_id)
        self.editor, self.path = editor, path
        self.tracked = TrackedDocument(
            uri="file:///x",
            lines=split_lines(editor.show(path)),
            version=1,
            open_root=OpenRoot(editor.governance, editor.session),
            place=editor.place(path),
        )
        self.look()

    def look(self) -> None:
        """Take a new look at the file."""
        lines = list(self.tracked.lines)
        data = self.editor.disk(self.path) or b""
        edited = data.decode("utf-8", "replace") != "".join(lines)
        look = self.editor.look(self.path, "".join(lines) if edited else None)
        self.tracked.look = look
        self.tracked.diffs = DocumentDiffs.of(look, lines) if look.shown else None

    def type(self, text: str) -> list[tuple[int, int]]:
        """Put a text into the window, and give the lines that are marked."""
        lines = split_lines(text)
        edit = LineEdit(start=0, old_end=len(self.tracked.lines), new_end=len(lines))
        self.tracked.follow([edit], lines, (self.tracked.version or 0) + 1)
        return self.shown()

    def save(self, text: str) -> list[tuple[int, int]]:
        """Save a text, and give the lines that are marked then."""
        self.editor.save(self.path, text)
        self.tracked.lines = split_lines(text)
        self.look()
        return self.shown()

    def shown(self) -> list[tuple[int, int]]:
        """Give the lines that are marked."""
        return [(problem.first_line, problem.last_line) for problem in self.tracked.show()]

    @property
    def codes(self) -> list[str]:
        """Give the codes of what is shown."""
        return [problem.code for problem in self.tracked.show()]


def test_opening_a_file_shows_nothing_new(root: Repository, open_editor: Open) -> None:
    root.write(PATH, "alpha\nunfinished\ngamma\n")
    assert Window(open_editor()).shown() == []


@pytest.mark.parametrize("kind", ["no git", "unborn"])
def test_without_a_commit_opening_shows_nothing_and_typing_does(
    root: Repository, open_editor: Open, kind: str
) -> None:
    git = root.root / ".git"
    git.rename(root.root.parent / "not-git")
    if kind == "unborn":
        root.git("init", "--quiet")
    window = Window(open_editor())
    assert window.shown() == []
    assert window.type("alpha\nBETA\ngamma\n") == [(1, 1)]
    assert window.type(HEAD) == []
    # Saved, it stands refused; for the next window it is what was seen first.
    assert window.save("alpha\nBETA\nmore\ngamma\n") == [(1, 2)]
    window.editor.close()
    again = Window(open_editor())
    assert again.shown() == [(1, 2)]
    assert again.type("alpha\nBETA\nmore\nDELTA\n") == [(3, 3)]


def test_typing_out_of_scope_is_shown_at_once_and_taken_back_is_gone(open_editor: Open) -> None:
    window = Window(open_editor())
    assert window.type("alpha\nBETA\ngamma\n") == [(1, 1)]
    assert window.codes == [GateCode.SCOPE_VIOLATION]
    assert window.type("new\nalpha\nbeta\n") == [(0, 0), (2, 2)]
    assert window.type(HEAD) == []
    assert not window.tracked.edited


def test_typing_in_scope_shows_nothing(root: Repository, open_editor: Open) -> None:
    root.write("src/auth/a.py", "x\n")
    window = Window(open_editor(), "src/auth/a.py")
    assert window.type("y\n") == []


def test_without_an_intent_the_message_says_so(open_editor: Open) -> None:
    window = Window(open_editor(), intent_id=None)
    window.type("x\n")
    (problem,) = window.tracked.problems
    assert problem.code == GateCode.NO_ACTIVE_INTENT
    assert problem.message == "No intent is selected."
    assert problem.intent_id is None
    assert problem.elsewhere == ()


def test_a_problem_names_the_intents_scope_and_who_owns_the_file(
    root: Repository, open_editor: Open
) -> None:
    root.write("docs/guide.md", "x\n")
    window = Window(open_editor(), "docs/guide.md")
    window.type("y\n")
    (problem,) = window.tracked.problems
    assert (problem.path, problem.intent_id, problem.owners) == (
        "docs/guide.md",
        "INT-001",
        ("INT-002",),
    )
    (place,) = problem.elsewhere
    assert place.path == root.root / ".orchestration/active_intents.yaml"
    assert INTENTS.split("\n")[place.span.start.line].strip().startswith("owned_scope")
    assert problem.hunk is not None


def test_a_refused_save_stays_shown_after_a_restart(open_editor: Open) -> None:
    window = Window(open_editor())
    assert window.save("alpha\nBETA\ngamma\n") == [(1, 1)]
    window.editor.close()
    again = Window(open_editor())
    assert again.editor.session.continued == "INT-001"
    assert again.shown() == [(1, 1)]
    # Typed beyond it, both are shown; put back to HEAD, none is.
    assert again.type("alpha\nBETA\nGAMMA\n") == [(1, 2)]
    assert again.type("alpha\nBETA\ngamma\nmore\n") == [(1, 1), (3, 3)]
    assert again.type(HEAD) == []
    assert again.save(HEAD) == []


def test_a_committed_change_is_everybodys(root: Repository, open_editor: Open) -> None:
    window = Window(open_editor())
    window.save("alpha\nBETA\ngamma\n")
    root.commit()
    window.look()
    assert window.shown() == []


def test_what_passed_under_an_intent_is_not_shown_under_another(open_editor: Open) -> None:
    editor = open_editor()
    intents = editor.root / ".orchestration/active_intents.yaml"
    intents.write_text(INTENTS.replace('"src/auth/**"', '"src/**"'))
    window = Window(editor)
    assert window.save("alpha\nBETA\ngamma\n") == []
    intents.write_text(INTENTS)
    window.look()
    assert window.shown() == []
    assert window.type("alpha\nBETA\nGAMMA\n") == [(1, 2)]
    assert window.type("ALPHA\nBETA\ngamma\n") == [(0, 1)]


def test_a_stale_file_is_one_problem_on_its_first_line(open_editor: Open) -> None:
    editor = open_editor()
    (editor.root / "src/auth").mkdir()
    (editor.root / "src/auth/a.py").write_text("x\ny\n")
    window = Window(editor, "src/auth/a.py")
    (editor.root / "src/auth/a.py").write_text("someone else\n")
    window.tracked.lines = ["x\n", "mine\n"]
    window.look()
    assert window.shown() == [(0, 0)]
    assert window.codes == [GateCode.STALE_FILE]


def test_the_servers_own_files_warn(root: Repository, open_editor: Open) -> None:
    path = ".orchestration/intent_map.md"
    root.write(path, "map\n")
    root.commit()
    window = Window(open_editor(), path)
    assert window.shown() == []
    window.type("mine\n")
    assert window.codes == [ShownCode.CONTROL_PLANE_EDIT]


def test_at_most_a_hundred_runs_are_shown(root: Repository, open_editor: Open) -> None:
    lines = [f"{number}\n" for number in range(250)]
    root.write(PATH, "".join(lines))
    root.commit()
    window = Window(open_editor())
    typed = [line if number % 2 else "x\n" for number, line in enumerate(lines)]
    shown = window.type("".join(typed))
    assert len(shown) == 101
    assert shown[-1] == (200, 200)
    assert set(window.codes[:100]) == {GateCode.SCOPE_VIOLATION}
    last = window.tracked.problems[-1]
    assert last.code == ShownCode.MORE_VIOLATIONS
    assert last.message == "25 more violations in this file are not shown."


def test_a_file_that_is_no_text_is_shown_whole(root: Repository, open_editor: Open) -> None:
    root.write(PATH, b"\xff\n")
    root.commit()
    editor = open_editor()
    window = Window(editor)
    assert window.shown() == []
    (editor.root / PATH).write_bytes(b"\xfe\n")
    window.tracked.lines = ["?\n", "?\n"]
    window.look()
    assert window.shown() == [(0, 1)]
    editor.select("INT-004")
    window.look()
    # A different intent: what is there now is its baseline.
    assert window.shown() == []


def test_texts_too_different_to_compare_are_shown_whole(
    root: Repository, open_editor: Open
) -> None:
    root.write(PATH, "".join(f"{number}\n" for number in range(30_000)))
    root.commit()
    window = Window(open_editor())
    typed = "".join(f"{number}x\n" for number in range(30_000))
    assert window.type(typed) == [(0, 29_999)]


def test_nothing_is_shown_without_a_root(tmp_path: Path) -> None:
    tracked = TrackedDocument(uri=tmp_path.as_uri(), lines=["x"], version=1)
    tracked.follow([LineEdit(start=0, old_end=1, new_end=1)], ["y"], 2)
    assert tracked.show() == ()
    assert (tracked.lines, tracked.version, tracked.generation) == (["y"], 2, 1)
    assert not tracked.edited


# What the disk held, as far as it was seen.

A, B, C = b"a", b"b", b"c"


def _opened() -> DiskState:
    disk = DiskState()
    disk.saved(A)
    return disk


def test_a_save_takes_the_place_of_what_was_opened() -> None:
    disk = _opened()
    assert disk.read_now == hash_content(A)
    assert disk.before(B) == (A, hash_content(A))
    disk.saved(B)
    assert disk.before(C) == (B, hash_content(B))


def test_a_save_seen_before_it_is_told_of_takes_the_place_of_what_was_known() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=True)
    assert disk.before(B) == (A, hash_content(A))


def test_a_file_loaded_again_was_read_again() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=False)
    assert disk.read_now == hash_content(A)
    disk.saw(B, same_as_buffer=True)
    assert disk.read_now == hash_content(B)
    assert disk.before(C) == (B, hash_content(B))


def test_a_file_loaded_again_before_it_was_seen_was_read_again() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=True)
    assert disk.read_now == hash_content(B)
    assert disk.before(C) == (B, hash_content(B))


def test_a_save_over_an_unread_change_takes_its_place_unread() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=False)
    assert disk.before(C) == (B, hash_content(A))


def test_a_save_that_the_watcher_saw_first_takes_the_place_of_what_was_there_before() -> None:
    disk = _opened()
    # The buffer moved on meanwhile, so that it no longer equals what it had saved.
    disk.saw(B, same_as_buffer=False)
    assert disk.before(B) == (A, hash_content(A))
    disk.saw(C, same_as_buffer=False)
    assert disk.before(C) == (A, hash_content(A))


def test_a_file_that_appears_takes_the_place_of_nothing() -> None:
    disk = DiskState()
    disk.saw(None, same_as_buffer=False)
    assert disk.before(A) == (None, None)
    disk.saved(A)
    disk.saw(None, same_as_buffer=False)
    assert disk.before(B) == (None, hash_content(A))


# Saves that are told of late, when the buffer has moved on or the next save is made.


def _watched(*, opened: bytes | None = None) -> TrackedDocument:
    tracked = TrackedDocument(uri="file:///x", lines=["one\n"], version=1)
    tracked.disk.saved(opened)
    return tracked


def _typed_on(tracked: TrackedDocument, text: str) -> None:
    tracked.follow([], split_lines(text), (tracked.version or 0) + 1)


def test_a_save_seen_when_the_buffer_has_moved_on_is_the_editors_own() -> None:
    tracked = _watched()
    tracked.writes(["one\n"])
    _typed_on(tracked, "one\ntwo\n")
    assert not observe_disk(tracked, b"one\n", tracked.lines)
    assert tracked.disk.read_now == hash_content(b"one\n")
    assert tracked.replaced(b"one\n", ["one\n"]) == SaveDelta(b"one\n", None, None)


def test_two_saves_told_of_when_both_are_made_are_two() -> None:
    tracked = _watched()
    tracked.writes(["one\n"])
    _typed_on(tracked, "one\ntwo\n")
    observe_disk(tracked, b"one\n", tracked.lines)
    tracked.writes(["one\n", "two\n"])
    both = b"one\ntwo\n"
    assert tracked.replaced(both, ["one\n"]) == SaveDelta(b"one\n", None, None)
    tracked.recorded(b"one\n")
    observe_disk(tracked, both, tracked.lines)
    expected = SaveDelta(both, b"one\n", hash_content(b"one\n"))
    assert tracked.replaced(both, ["one\n", "two\n"]) == expected
    tracked.recorded(both)
    assert tracked.written == []


def test_two_saves_of_which_one_was_never_seen_are_one() -> None:
    tracked = _watched(opened=b"old\n")
    tracked.writes(["one\n"])
    tracked.writes(["one\n", "two\n"])
    observe_disk(tracked, b"one\ntwo\n", ["one\n", "two\n"])
    old = (b"old\n", hash_content(b"old\n"))
    assert tracked.replaced(b"one\ntwo\n", ["one\n"]) == SaveDelta(b"one\ntwo\n", *old)


def test_what_another_program_makes_of_a_save_is_recorded_with_it() -> None:
    tracked = _watched(opened=b"old\n")
    tracked.writes(["one\n"])
    observe_disk(tracked, b"one\n", ["one\n"])
    old = (b"old\n", hash_content(b"old\n"))
    assert tracked.replaced(b"ONE\n", ["one\n"]) == SaveDelta(b"ONE\n", *old)


def test_a_text_put_back_by_another_hand_after_its_record_was_read_and_not_written() -> None:
    tracked = _watched()
    for text in ("one\n", "two\n"):
        tracked.writes([text])
        observe_disk(tracked, text.encode(), [text])
        tracked.recorded(text.encode())
    observe_disk(tracked, b"one\n", ["two\n"])
    assert tracked.disk.read_now == hash_content(b"two\n")
    observe_disk(tracked, b"one\n", ["one\n"])
    expected = SaveDelta(b"new\n", b"one\n", hash_content(b"one\n"))
    assert tracked.replaced(b"new\n", ["new\n"]) == expected


@pytest.mark.parametrize("seen", [None, b"", b"on"])
def test_a_file_that_is_being_written_is_not_changed_by_another_hand(seen: bytes | None) -> None:
    tracked = _watched(opened=b"old\n")
    assert not tracked.is_writing(seen)
    tracked.writes(["one\n", "two\n"])
    assert tracked.is_writing(seen)
    assert not tracked.is_writing(b"one\ntwo\n")
    assert not tracked.is_writing(b"other\n")


@pytest.mark.parametrize("half", [b"", b"on"])
def test_half_of_a_save_that_nobody_announced_is_the_save(half: bytes) -> None:
    tracked = _watched(opened=b"old\n")
    observe_disk(tracked, half, ["one\n"])
    tracked.writes(["one\n"])
    old = (b"old\n", hash_content(b"old\n"))
    assert tracked.replaced(b"one\n", ["one\n"]) == SaveDelta(b"one\n", *old)


def test_of_many_saves_under_way_the_newest_are_kept() -> None:
    tracked = _watched()
    for number in (1, 2, 2, 3, 4, 5):
        tracked.writes([f"{number}\n"])
    assert tracked.written == [["2\n"], ["3\n"], ["4\n"], ["5\n"]]
    tracked.recorded(b"3\n")
    assert tracked.written == [["4\n"], ["5\n"]]
    tracked.recorded(b"something else\n")
    assert tracked.written == []


# Edits that came together, followed as one.

TEXTS = st.lists(st.sampled_from("abcd"), max_size=8)
STEPS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 4), st.lists(st.sampled_from("abx"), max_size=3)),
    min_size=1,
    max_size=5,
)


@given(TEXTS, TEXTS, STEPS)
def test_edits_that_came_together_are_followed_as_one(
    head: list[str], text: list[str], steps: list[tuple[int, int, list[str]]]
) -> None:
    diffs = DocumentDiffs(LineDiff(head, text, line_hunks), None, None)
    edits: list[LineEdit] = []
    for start, count, fresh in steps:
        first = min(start, len(text))
        end = min(first + count, len(text))
        text[first:end] = fresh
        edits.append(LineEdit(start=first, old_end=end, new_end=first + len(fresh)))
    diffs.edited(edits, text)
    kept, made = 0, []
    for hunk in diffs.head.hunks or ():
        made += head[kept : hunk.old_start] + text[hunk.new_start : hunk.new_start + hunk.new_count]
        kept = hunk.old_start + hunk.old_count
    assert made + head[kept:] == text
    diffs.compare(text)
    assert bool(diffs.head.hunks) == (head != text)
