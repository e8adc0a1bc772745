"""The end of a ledger's file, followed while others append: as if each line were stepped."""

import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import hash_content
from intent_lsp.core.ledger.chain import ChainCursor
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.file import FileSystem, LedgerFile
from intent_lsp.store.ledger.tail import TailNote, TailState
from tests.support.ledgers import chained, edit, ledger_at, stepped

CHAIN = chained("abc")
ODD = (b"\n", b"nonsense\n", *chained(["other", "branch"]), CHAIN[1])
PROCESSES = 3

appending = st.integers(0, PROCESSES - 1)
changing = st.sampled_from(ODD)
leaving = st.sampled_from(["lost", "old"])


def no_note() -> None:
    """Give what was left where nothing was."""


class World:
    """A ledger, what several processes know of its end, and what the last of them left."""

    def __init__(self, root: Path) -> None:
        self._root, self._path = root, root / LEDGER_FILE
        self._path.parent.mkdir()
        self._path.write_bytes(b"".join(CHAIN))
        self.file = LedgerFile(self._path, FileSystem())
        self.ends = [self._found() for _ in range(PROCESSES)]
        self._left: list[TailNote | None] = [None]

    def append(self, process: int) -> None:
        """Append as a process does, and hold its end against the whole file."""
        end = self.ends[process]
        assert end.follow(self.file, lambda: self._left[-1])
        assert cursor_state(end.trail) == cursor_state(stepped(self.lines()))
        *_, line = chained([f"by {process}"], self.lines())
        self.put(line)
        end.trail = stepped(self.lines())
        end.moved(line)
        self._left.append(end.note(self.file))

    def put(self, line: bytes) -> None:
        """Write as any program may."""
        with self._path.open("ab") as ledger:
            ledger.write(line)

    def leave(self, what: str) -> None:
        self._left.append(None if what == "lost" else self._left[len(self._left) // 2])

    def lines(self) -> Sequence[bytes]:
        return self._path.read_bytes().splitlines(keepends=True)

    def _found(self) -> TailState:
        index = Index(self._path.with_name("index.sqlite3"), self._root)
        end = TailState.find(
            self.file, LEDGER_FILE, self._root, clock=lambda: datetime.now(UTC), index=index
        )
        index.close()
        return end


def cursor_state(trail: ChainCursor) -> tuple[object, ...]:
    return trail.lines, trail.last_time, trail.end


@given(st.lists(appending | appending | changing | leaving, max_size=16))
def test_an_end_is_what_stepping_through_all_lines_finds(steps: list[int | bytes | str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        world = World(Path(name))
        for step in steps:
            match step:
                case int():
                    world.append(step)
                case bytes():
                    world.put(step)
                case str():
                    world.leave(step)
        world.append(0)


def test_who_follows_a_note_reads_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = ledger_at(tmp_path), ledger_at(tmp_path)
    one.append(edit())
    two.append(edit())

    def examine(line: bytes) -> object:
        raise AssertionError(line)

    monkeypatch.setattr("intent_lsp.store.ledger.tail.examine", examine)
    for ledger in (one, one, two, two, one):
        ledger.append(edit())
    assert one.verify().ok
    assert one.verify().records == 7


def lie(note: TailNote, **other: object) -> TailNote:
    fields = {name: getattr(note, name) for name in note.__struct_fields__}
    return TailNote(**{**fields, **other})


@pytest.mark.parametrize(
    "other",
    [
        lambda _: {"inode": 1},
        lambda _: {"size": 1},
        lambda _: {"tail": b""},
        lambda _: {"hash": hash_content(b"another")},
        # It names the hash, behind something that is not in the file.
        lambda note: {"tail": b"?" + note.tail[1:]},
    ],
    ids=["inode", "size", "no tail", "hash", "another tail"],
)
def test_a_note_that_the_file_does_not_bear_out_is_passed(
    tmp_path: Path, other: Callable[[TailNote], dict[str, object]]
) -> None:
    world = World(tmp_path)
    old, new, _ = world.ends
    *_, line = chained(["d"], world.lines())
    world.put(line)
    assert new.follow(world.file, no_note)
    note = new.note(world.file)
    assert note is not None
    assert note.hash.encode() in note.tail[1:]
    lying = lie(note, lines=99, **other(note))
    assert old.follow(world.file, lambda: lying)
    assert cursor_state(old.trail) == cursor_state(stepped(world.lines()))


def test_an_end_with_two_heads_leaves_no_note(tmp_path: Path) -> None:
    world = World(tmp_path)
    end, *_ = world.ends
    assert end.note(world.file) is not None
    world.put(chained(["branch"])[0])
    assert end.follow(world.file, no_note)
    assert len(end.trail.heads) == 2
    assert end.note(world.file) is None
