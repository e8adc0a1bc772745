"""The stories of `tests/cases/agents` at any door: what agents want to do, and what is said."""

from dataclasses import dataclass
from typing import Protocol

from tests.support.repository import Repository
from tests.support.stories import Answer, Story, asked, prepare


@dataclass(frozen=True, slots=True)
class Asker:
    """An agent's session, or a subagent of it."""

    session: str
    agent: str

    @classmethod
    def of(cls, who: str) -> "Asker":
        session, _, agent = who.partition("/")
        return cls(session, agent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A call that an agent wants to make. `intent` is the one that it cites.

    `word` is what a person says when asked: `approved` or `rejected`; empty where nobody is asked.
    """

    tool: str
    paths: tuple[str, ...] = ()
    command: str | None = None
    patch: str | None = None
    intent: str | None = None
    word: str = ""


class AgentDoor(Protocol):
    """What a door must be able to do for an agents' story to be asked there.

    What may be refused gives the code, or nothing. `passes_over`: see `PersonDoor`.
    """

    passes_over: frozenset[str]

    async def select(self, who: Asker, intent_id: str) -> str: ...
    async def complete(self, who: Asker, intent_id: str) -> str: ...
    async def read(self, who: Asker, path: str) -> None: ...
    async def begin_turn(self, who: Asker) -> None: ...
    async def answer(self, who: Asker, wish: Wish) -> Answer: ...

    async def look_up(self, who: Asker, what: str) -> str:
        """Ask for the `records` or the `status`."""
        ...

    async def record(self, who: Asker, ticket: str) -> str: ...
    async def restore(self, draft: str) -> str: ...


async def ask(story: Story, repository: Repository, door: AgentDoor) -> None:
    """Ask every line at a door; what does not come true fails with its line."""
    for step in asked(story, door.passes_over):
        words = tuple(word.replace("${ROOT}", str(repository.root)) for word in step.words)
        try:
            if not prepare(words, repository):
                await _take(words, door)
        except AssertionError as wrong:
            raise AssertionError(f"{step.text}: {wrong}") from wrong


async def _take(words: tuple[str, ...], door: AgentDoor) -> None:
    expected: tuple[str, ...] = ()
    if "->" in words:
        at = words.index("->")
        words, expected = words[:at], words[at + 1 :]
    wish = _wish(words[1:])
    if wish is not None:
        (await door.answer(Asker.of(words[0]), wish)).check(*expected)
        return
    done = await _do(words, door)
    assert done == "".join(expected), f"it is {done or 'allowed'}"


def _wish(words: tuple[str, ...]) -> Wish | None:
    match words:
        case ("for", intent, "wants", tool, *paths):
            return Wish(tool=tool, paths=tuple(paths), intent=intent)
        case ("wants", tool, *paths, "and", "is", word):
            return Wish(tool=tool, paths=tuple(paths), word=word)
        case ("wants", tool, *paths):
            return Wish(tool=tool, paths=tuple(paths))
        case ("runs", command):
            return Wish(tool="Bash", command=command)
        case ("patches", patch):
            return Wish(tool="apply_patch", patch=patch)
        case _:
            return None


async def _do(words: tuple[str, ...], door: AgentDoor) -> str:
    """Do what is no call; give the code that refuses it, or nothing."""
    match words:
        case (who, "selects", intent_id):
            return await door.select(Asker.of(who), intent_id)
        case (who, "completes", intent_id):
            return await door.complete(Asker.of(who), intent_id)
        case (who, "reads", path):
            await door.read(Asker.of(who), path)
        case (who, "begins", "a", "turn"):
            await door.begin_turn(Asker.of(who))
        case (who, "asks", "for", "the", what):
            return await door.look_up(Asker.of(who), what)
        case (who, "records", "the", "ticket", ticket):
            return await door.record(Asker.of(who), ticket)
        case ("somebody", "restores", "the", "draft", draft):
            return await door.restore(draft)
        case _:
            raise AssertionError("no door knows these words")
    return ""
