"""The stories of `tests/cases` at any door: what a person does in an editor, and what is said."""

from collections.abc import Sequence
from typing import Any, Protocol

from tests.support.repository import Repository
from tests.support.stories import Answer, Story, asked, prepare


class PersonDoor(Protocol):
    """What a door must be able to do for a person's story to be asked there.

    `passes_over`: it takes no step with one of these words.
    """

    passes_over: frozenset[str]

    async def select(self, intent_id: str) -> str:
        """Choose an intent; give the code that refuses it, or nothing."""
        ...

    async def clear(self) -> None: ...
    async def open(self, path: str) -> None: ...
    async def text(self) -> str: ...
    async def edit(self, text: str) -> None: ...
    async def shows(self, codes: Sequence[str]) -> None: ...

    async def would_be(self) -> Answer:
        """Give what the gate would say of a save of the open file."""
        ...

    async def save(self, *, manual: bool) -> None: ...
    async def outside_changed(self) -> None: ...

    async def records(self) -> list[dict[str, Any]]:
        """Give the records as the ledger has them, oldest first."""
        ...

    async def drafts(self) -> int: ...
    async def ledger_ok(self) -> bool: ...


async def run_story(story: Story, repository: Repository, door: PersonDoor) -> None:
    """Tell a story at a door; what does not come true fails with its line."""
    teller = _Teller(repository, door)
    for step in asked(story, door.passes_over):
        try:
            await teller.take(step.words)
        except AssertionError as wrong:
            raise AssertionError(f"{step.text}: {wrong}") from wrong


def shown(words: Sequence[str]) -> list[str]:
    """Give the codes after `shows`; a number stands before a code that is shown so many times."""
    codes: list[str] = []
    times = 1
    for word in words:
        if word.isdigit():
            times = int(word)
        elif word != "nothing":
            codes += [word] * times
            times = 1
    return codes


class _Teller:
    def __init__(self, repository: Repository, door: PersonDoor) -> None:
        self._repository = repository
        self._door = door
        self._path = repository.root
        self._original = b""
        self._edited = ""

    async def take(self, words: tuple[str, ...]) -> None:
        if prepare(words, self._repository):
            await self._door.outside_changed()
            return
        match words:
            case ("select", intent_id, *refused):
                assert ["->", await self._door.select(intent_id)] == (refused or ["->", ""])
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
            case ("replace", "every", "other", "line", "with", new):
                lines = (await self._door.text()).splitlines(keepends=True)
                lines[::2] = [new] * len(lines[::2])
                await self._edit("".join(lines))
            case ("replace", old, "with", new):
                await self._edit((await self._door.text()).replace(old, new))
            case ("append", text):
                await self._edit(await self._door.text() + text)
            case ("prepend", text):
                await self._edit(text + await self._door.text())
            case ("empty",):
                await self._edit("")
            case ("shows", *codes):
                await self._door.shows(shown(codes))
            case ("a", "save", "would", "be", *outcome):
                (await self._door.would_be()).check(*outcome)
            case _:
                await self._look_at_what_is_kept(words)

    async def _look_at_what_is_kept(self, words: tuple[str, ...]) -> None:
        match words:
            case ("disk", "holds", "edit"):
                assert self._path.read_bytes() == self._edited.encode()
            case ("disk", "holds", "original"):
                assert self._path.read_bytes() == self._original
            case ("recorded", verdict, *intent):
                newest = [each for each in await self._door.records() if self._is_of_file(each)][-1]
                assert newest["scope_validation"] == verdict
                assert not intent or (newest["intent_id"] or "none") == intent[0]
            case ("records", count):
                assert len(await self._door.records()) == int(count)
            case ("drafts", count):
                assert await self._door.drafts() == int(count)
            case ("ledger", "ok"):
                assert await self._door.ledger_ok()
            case _:
                raise AssertionError("no door knows these words")

    def _is_of_file(self, record: dict[str, Any]) -> bool:
        path = self._path.relative_to(self._repository.root).as_posix()
        return any(file["relative_path"] == path for file in record["files"])

    async def _open(self, path: str) -> None:
        self._path = self._repository.root / path
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text("")
        self._original = self._path.read_bytes()
        self._edited = self._original.decode()
        await self._door.open(path)

    async def _edit(self, text: str) -> None:
        self._edited = text
        await self._door.edit(text)
