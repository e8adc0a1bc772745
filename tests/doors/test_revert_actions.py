"""Quick fixes that revert: each is applied, and what it leaves is judged again (protocol 4.3)."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.features.actions.revert_actions import file_edits, lines_edits
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities
from intent_lsp.formats.text_positions import TextPositions
from tests.governance.editor import INTENTS, Editor
from tests.support.client_texts import edited
from tests.support.document_window import Window
from tests.support.marked_text import cursor_in
from tests.support.repository import Repository

PATH = "src/db.py"
ENCODERS = [LspEncoder(ClientCapabilities(), encoding) for encoding in PositionEncoding]
Windows = Callable[[str], Window]


@pytest.fixture
def open_window(repository: Repository) -> Iterator[Windows]:
    """Return a function that commits a text, and opens a window on it, out of scope."""
    opened: list[Editor] = []

    def open_one(head: str) -> Window:
        repository.write(".orchestration/active_intents.yaml", INTENTS)
        repository.write(".orchestration/.gitignore", ".local/\n")
        (repository.root / PATH).parent.mkdir(exist_ok=True)
        (repository.root / PATH).write_bytes(head.encode())
        repository.commit()
        opened.append(Editor.open(repository.root))
        return Window(opened[-1])

    yield open_one
    for editor in opened:
        editor.close()


TEN = "".join(f"line {number}\n" for number in range(10))

# What HEAD holds, what was typed with the cursor where the fix is asked for, and what it leaves.
LINES = {
    "a changed line": ("a\nb\nc\n", "a\nB|\nc\n", "a\nb\nc\n"),
    "one of two changed lines": ("a\nb\nc\nd\n", "A|\nb\nC\nd\n", "a\nb\nC\nd\n"),
    "the other of two changed lines": ("a\nb\nc\nd\n", "A\nb\nC|\nd\n", "A\nb\nc\nd\n"),
    "a run of changed lines": ("a\nb\nc\nd\n", "a\nB\nC|\nd\n", "a\nb\nc\nd\n"),
    "a line at the top": ("a\nb\n", "|new\na\nb\n", "a\nb\n"),
    "a line at the end": ("a\nb\n", "a\nb\nnew|\n", "a\nb\n"),
    "lines in between": ("a\nb\n", "a\nx\n|y\nz\nb\n", "a\nb\n"),
    "a removed line": ("a\nb\nc\n", "a|\nc\n", "a\nb\nc\n"),
    "a removed first line": ("a\nb\nc\n", "|b\nc\n", "a\nb\nc\n"),
    "a removed last line": ("a\nb\nc\n", "a\nb|\n", "a\nb\nc\n"),
    "a removed line and another change": ("a\nb\nc\nd\n", "a|\nc\nD\n", "a\nb\nc\nD\n"),
    "everything removed": ("a\nb\n", "|", "a\nb\n"),
    "everything replaced": ("a\nb\n", "x\ny|\nz\n", "a\nb\n"),
    "a text where none was": ("", "new|\n", ""),
    "a new line end at the end": ("a\nb", "a\nb|\n", "a\nb"),
    "a lost line end at the end": ("a\nb\n", "a\nb|", "a\nb\n"),
    "a change in a last line without an end": ("a\nb", "a\nB|", "a\nb"),
    "CRLF": ("a\r\nb\r\nc\r\n", "a\r\nB|\r\nc\r\n", "a\r\nb\r\nc\r\n"),
    "CRLF that became LF": ("a\r\nb\r\n", "a\r\nb|\n", "a\r\nb\r\n"),
    "lone CR": ("a\rb\rc\r", "a\rB|\rc\r", "a\rb\rc\r"),
    "mixed line ends": ("a\nb\r\nc\rd", "a\nB|\r\nc\rD", "a\nb\r\nc\rD"),
    "letters beyond ASCII": ("für\nüber\nnaïve\n", "für\nÜBER|\nnaïve\n", "für\nüber\nnaïve\n"),
    "characters of two units": ("🙂\n🙂🙂\n", "🙂\n🙂x🙂|\n", "🙂\n🙂🙂\n"),
    "a character of two units at the end": ("a\n🙂", "a\n🙂🙂|", "a\n🙂"),
    "a combining mark": ("e\u0301\nb\n", "\u00e9|\nb\n", "e\u0301\nb\n"),
    "white space alone": ("\ta\n b\n", "    a|\n b\n", "\ta\n b\n"),
    "a form feed within a line": ("a\x0cb\nc\n", "a\x0cB|\nc\n", "a\x0cb\nc\n"),
    "a line separator within a line": ("a\u2028b\nc\n", "A\u2028b|\nc\n", "a\u2028b\nc\n"),
    "a null": ("a\nb\n", "a\0|\nb\n", "a\nb\n"),
    "the ninth of ten": (TEN, TEN.replace("line 8", "eight|"), TEN),
    "moved lines": ("a\nb\nc\nd\n", "c|\na\nb\nd\n", "a\nb\nd\n"),
}


@pytest.mark.parametrize("case", LINES)
def test_reverted_lines_have_no_violation_left(open_window: Windows, case: str) -> None:
    head, marked, left = LINES[case]
    typed, at = cursor_in(marked)
    window = open_window(head)
    line = TextPositions(typed).position(at).line
    for spelling in ENCODERS:
        before = window.type(typed)
        assert before
        touched = [run for run in before if run[0] <= line <= run[1]]
        assert touched, "the cursor is on no violation"
        made = edited(typed, lines_edits(window.tracked, line, line, spelling), spelling.encoding)
        assert made == left
        after = window.type(made)
        # Only what was asked for has gone.
        assert len(after) == len(before) - len(touched)


@pytest.mark.parametrize("case", LINES)
def test_a_reverted_file_has_no_violation_left(open_window: Windows, case: str) -> None:
    head, marked, _ = LINES[case]
    typed, _ = cursor_in(marked)
    window = open_window(head)
    for spelling in ENCODERS:
        assert window.type(typed)
        assert edited(typed, file_edits(window.tracked, spelling), spelling.encoding) == head
        assert window.type(head) == []
        assert file_edits(window.tracked, spelling) == []


# What the editor has read, what the disk holds by now, what was typed.
DISK = {
    "another line": ("a\nb\n", "a\nB\n", "a\nb\nmine\n"),
    "fewer lines": ("a\nb\nc\n", "a\n", "a\nb\nc\nmine\n"),
    "nothing any more": ("a\nb\n", "", "a\nb\nmine\n"),
    "CRLF now": ("a\nb\n", "a\r\nb\r\n", "a\nb\nmine\n"),
    "LF now": ("a\r\nb\r\n", "a\nb\n", "a\r\nb\r\nmine\r\n"),
    "no line end now": ("a\n", "a", "a\nmine\n"),
    "characters of two units": ("🙂\n", "🙂🙂\n🙂", "x🙂\n"),
    "a byte order mark": ("a\n", "\ufeffa\nb\n", "a\nmine\n"),
    "the same change": ("a\n", "a\nx\ny\n", "a\nx\n"),
}


@pytest.mark.parametrize("case", DISK)
@pytest.mark.parametrize("committed", [True, False])
def test_what_is_on_disk_is_taken_and_not_stale(
    open_window: Windows, repository: Repository, case: str, *, committed: bool
) -> None:
    read, disk, typed = DISK[case]
    window = open_window(read)
    window.editor.policy("  agents: warn")
    repository.replace(".orchestration/active_intents.yaml", INTENTS.replace("src/auth", "src"))
    if not committed:
        repository.git("rm", "--quiet", "--cached", PATH)
        repository.git("commit", "--quiet", "--message", "untracked")
    window.look()
    window.type(typed)
    (repository.root / PATH).write_bytes(disk.encode())
    window.look()
    assert window.shown() == [(0, 0)]
    assert window.codes == ["STALE_FILE"]
    for spelling in ENCODERS:
        assert lines_edits(window.tracked, 0, 9, spelling) == []
        made = edited(typed, file_edits(window.tracked, spelling), spelling.encoding)
        assert made == disk.removeprefix("\ufeff")
    assert window.type(made) == []


@pytest.mark.parametrize("disk", [b"\0\xff\xfe", None])
def test_a_disk_without_a_text_gives_none(
    open_window: Windows, repository: Repository, disk: bytes | None
) -> None:
    window = open_window("a\n")
    repository.replace(".orchestration/active_intents.yaml", INTENTS.replace("src/auth", "src"))
    window.type("a\nmine\n")
    path = repository.root / PATH
    path.unlink()
    if disk is not None:
        path.write_bytes(disk)
    window.look()
    assert window.codes == ["STALE_FILE"]
    assert file_edits(window.tracked, ENCODERS[0]) == []


def test_without_a_snapshot_or_a_committed_text_nothing_is_reverted(
    open_window: Windows, repository: Repository
) -> None:
    window = open_window("a\n")
    window.tracked.look = None
    for spelling in ENCODERS:
        assert file_edits(window.tracked, spelling) == []
        assert lines_edits(window.tracked, 0, 9, spelling) == []
    (repository.root / "lib").mkdir()
    (repository.root / "lib/image.bin").write_bytes(b"\0\xff")
    repository.commit("binary")
    other = Window(window.editor, "lib/image.bin")
    other.type("text\n")
    assert lines_edits(other.tracked, 0, 9, ENCODERS[0]) == []


TEXTS = st.text(alphabet="ab\n\r🙂é\t", max_size=24)


@pytest.mark.parametrize("head", ["", "a\nb\na\nb\n", "a\r\n🙂\r\nb", "é\n\n\n\ta\n"])
def test_reverting_every_run_of_lines_is_reverting_the_file(
    open_window: Windows, head: str
) -> None:
    window = open_window(head)

    @settings(suppress_health_check=[HealthCheck.nested_given])
    @given(typed=TEXTS)
    def holds(typed: str) -> None:
        runs = window.type(typed)
        for spelling in ENCODERS:
            edits = lines_edits(window.tracked, 0, len(typed), spelling)
            assert edited(typed, edits, spelling.encoding) == (head if runs else typed)
            assert edited(typed, file_edits(window.tracked, spelling), spelling.encoding) == head
        assert window.type(head) == []

    holds()
