"""The end of a ledger's file, followed while others append: as if each line were stepped."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.ledger.chain import ChainCursor
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.raw.file import FileSystem, LedgerFile
from intent_lsp.store.ledger.tail import TailState
from tests.support.ledgers import chained, stepped

CHAIN = chained("abc")
ODD = (b"\n", b"nonsense\n", *chained(["other", "branch"]), CHAIN[1])
PROCESSES = 3

appending = st.integers(0, PROCESSES - 1)
changing = st.sampled_from(ODD)


class World:
    """A ledger, and what several processes know of its end."""

    def __init__(self, root: Path) -> None:
        self._root, self._path = root, root / LEDGER_FILE
        self._path.parent.mkdir()
        self._path.write_bytes(b"".join(CHAIN))
        self.file = LedgerFile(self._path, FileSystem())
        self.ends = [self._found() for _ in range(PROCESSES)]

    def append(self, process: int) -> None:
        """Append as a process does, and hold its end against the whole file."""
        end = self.ends[process]
        assert end.follow(self.file)
        assert cursor_state(end.trail) == cursor_state(stepped(self.lines()))
        *_, line = chained([f"by {process}"], self.lines())
        self.put(line)
        end.trail = stepped(self.lines())
        end.moved(line)

    def put(self, line: bytes) -> None:
        """Write as any program may."""
        with self._path.open("ab") as ledger:
            ledger.write(line)

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


@given(st.lists(appending | appending | changing, max_size=16))
def test_an_end_is_what_stepping_through_all_lines_finds(steps: list[int | bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        world = World(Path(name))
        for step in steps:
            match step:
                case int():
                    world.append(step)
                case bytes():
                    world.put(step)
        world.append(0)
