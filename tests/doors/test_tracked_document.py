"""Tracked documents: what is shown while a text is typed (requirements section 8)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.codes import GateCode, ShownCode
from intent_lsp.core.line_diff import LineDiff, LineEdit
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.formats.diff import line_hunks
from intent_lsp.governance.violations.file_violations import DocumentDiffs
from tests.governance.editor import INTENTS, Editor
from tests.support.document_window import Window
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


@pytest.mark.parametrize(
    "case",
    [
        (250, "25 more violations in this file are not shown."),
        (202, "1 more violation in this file is not shown."),
    ],
)
def test_at_most_a_hundred_runs_are_shown(
    root: Repository, open_editor: Open, case: tuple[int, str]
) -> None:
    count, said = case
    lines = [f"{number}\n" for number in range(count)]
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
    assert last.message == said


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
