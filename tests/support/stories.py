"""The stories of `tests/cases`: read from text, told at any door."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.support.repository import Repository

CASES = Path(__file__).parent.parent / "cases"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a story: its verb, its words, where it stands."""

    line: int
    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """One case file."""

    name: str
    policy: str
    steps: tuple[Step, ...]


class Door(Protocol):
    """What a door must be able to do for a story to be told there."""

    root: Path

    async def select(self, intent_id: str) -> None: ...
    async def clear(self) -> None: ...
    async def open(self, path: str) -> None: ...
    async def text(self) -> str: ...
    async def edit(self, text: str) -> None: ...
    async def shows(self, codes: Sequence[str]) -> None: ...
    async def save(self, *, manual: bool) -> None: ...
    async def outside_changed(self) -> None: ...
    async def records(self) -> list[dict[str, Any]]: ...
    async def drafts(self) -> int: ...
    async def ledger_ok(self) -> bool: ...


def stories() -> list[Story]:
    """Read every case file."""
    return [_read(path) for path in sorted(CASES.glob("*.txt"))]


def _read(path: Path) -> Story:
    first, *lines = path.read_text().splitlines()
    assert first.startswith("# "), f"{path.name}: the first line tells the story in a sentence"
    policy, steps = "", []
    for number, line in enumerate(lines, 2):
        if line.startswith("policy "):
            policy = line.removeprefix("policy ")
        elif line and not line.startswith("#"):
            steps.append(Step(number, f"{path.name}:{number}: {line}", _words(line)))
    return Story(path.stem, policy, tuple(steps))


def _words(line: str) -> tuple[str, ...]:
    return tuple(word.replace("\\n", "\n") for word in shlex.split(line.replace("\\n", "\\\\n")))


async def tell(story: Story, door: Door) -> None:
    """Tell a story at a door; what does not come true fails with its line."""
    teller = _Teller(door)
    for step in story.steps:
        try:
            await teller.take(step.words)
        except AssertionError as wrong:
            raise AssertionError(f"{step.text}: {wrong}") from wrong


class _Teller:
    def __init__(self, door: Door) -> None:
        self._door = door
        self._path = Path()
        self._original = b""
        self._edited = ""

    async def take(self, words: tuple[str, ...]) -> None:
        match words:
            case ("select", intent_id):
                await self._door.select(intent_id)
            case ("clear",):
                await self._door.clear()
            case ("open", path):
                await self._open(path)
            case ("save",):
                await self._door.save(manual=True)
            case ("auto", "save"):
                await self._door.save(manual=False)
            case ("outside", "writes", text):
                self._path.write_text(self._path.read_text() + text)
                await self._door.outside_changed()
            case _:
                await self._edit_or_look(words)

    async def _edit_or_look(self, words: tuple[str, ...]) -> None:
        match words:
            case ("replace", old, "with", new):
                await self._edit((await self._door.text()).replace(old, new))
            case ("append", text):
                await self._edit(await self._door.text() + text)
            case ("prepend", text):
                await self._edit(text + await self._door.text())
            case ("empty",):
                await self._edit("")
            case ("commit",):
                Repository(self._door.root).commit("as told")
                await self._door.outside_changed()
            case ("shows", "nothing"):
                await self._door.shows(())
            case ("shows", *codes):
                await self._door.shows(codes)
            case _:
                await self._look_at_what_is_kept(words)

    async def _look_at_what_is_kept(self, words: tuple[str, ...]) -> None:
        match words:
            case ("disk", "holds", "edit"):
                assert self._path.read_bytes() == self._edited.encode()
            case ("disk", "holds", "original"):
                assert self._path.read_bytes() == self._original
            case ("recorded", verdict, *intent):
                newest = (await self._door.records())[-1]
                assert newest["scope_validation"] == verdict
                assert (newest["intent_id"] or "none") in (intent or [newest["intent_id"]])
            case ("records", count):
                assert len(await self._door.records()) == int(count)
            case ("drafts", count):
                assert await self._door.drafts() == int(count)
            case ("ledger", "ok"):
                assert await self._door.ledger_ok()
            case _:
                raise AssertionError("no door knows these words")

    async def _open(self, path: str) -> None:
        self._path = self._door.root / path
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text("")
        self._original = self._path.read_bytes()
        self._edited = self._original.decode()
        await self._door.open(path)

    async def _edit(self, text: str) -> None:
        self._edited = text
        await self._door.edit(text)
