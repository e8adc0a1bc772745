"""What one save costs, counted in the server: judged before and after, read and hashed once each.

The figures are of a save whose file is in scope, from the question before it until its echo, the
events of the watches that it causes, is over. Another program's write is always examined.
"""

import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from watchfiles import awatch

from tests.support.counting_server import BEGIN, MARK, NAME
from tests.support.editor import Editor, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

FILE = f"src/auth/{NAME}.py"
OTHER = "src/auth/login.py"


def text(number: int) -> str:
    return f"# {MARK.decode()}\nx = {number}\n"


@dataclass
class Costs:
    """A log of what the server has done, read from where it was read last."""

    log: Path
    read: int = 0

    def since(self) -> list[str]:
        """Give the lines that were added since the last call."""
        data = self.log.read_bytes()[self.read :]
        self.read += len(data)
        return data.decode().splitlines()

    async def until_noticed(self, name: str, times: int) -> list[str]:
        """Wait until watches have reported a file so often since the last call of `since`."""
        async for _ in awatch(self.log.parent, recursive=False):
            lines = self.log.read_bytes()[self.read :].decode().splitlines()
            if sum(each.startswith("noticed") and each.endswith(name) for each in lines) >= times:
                break
        return self.since()


@asynccontextmanager
async def counted(repository: Repository, kinds: str) -> AsyncIterator[tuple[Editor, Costs]]:
    """Start an editor whose server counts, with a file open that is saved and recorded once."""
    log = repository.root.parent / "costs"
    # By `env`, so that it is started: the product must be counted from its first import.
    server = ("env", sys.executable, "-m", "tests.support.counting_server", kinds, str(log))
    async with editing(repository.root, command=(*server, "serve")) as editor:
        await editor.command("intent.select", "INT-001")
        editor.open(FILE)
        await editor.settled(FILE)
        costs = Costs(log)
        yield editor, costs


@pytest.fixture
def governed(repository: Repository) -> Repository:
    govern(repository)
    repository.write(FILE, text(0))
    repository.commit("counted")
    return repository


async def other_program_writes(editor: Editor, repository: Repository, number: int) -> None:
    """Let another program change another file, and wait until that is recorded.

    Whatever the watches reported before has been worked off by then.
    """
    already = len(editor.records())
    repository.write(OTHER, f"{number}\n")
    await editor.traced(already + 1)


async def save(editor: Editor, number: int) -> None:
    already = len(editor.records())
    editor.type(FILE, text(number))
    await editor.save(FILE)
    await editor.traced(already + 1)


def kinds(lines: list[str]) -> Counter[str]:
    return Counter(line.partition("\t")[0] for line in lines)


APART = ("find_wrong", "history.write")
"""The look at the other file after its record, and the history, stored after the report."""


def of_file(lines: list[str]) -> list[str]:
    """Leave out what watches report, and what is apart from the save."""
    costs = [each for each in lines if not each.startswith("noticed")]
    return [each for each in costs if not any(part in each for part in APART)]


@pytest.mark.parametrize("attributes", ["", "*.py text eol=lf\n"], ids=["plain", "converted"])
async def test_a_save_is_judged_twice_and_each_content_is_read_and_hashed_once(
    governed: Repository, attributes: str
) -> None:
    if attributes:
        governed.write(".gitattributes", attributes)
        governed.commit("attributes")
    async with counted(governed, "costs") as (editor, costs):
        await save(editor, 1)
        await other_program_writes(editor, governed, 1)
        costs.since()
        await save(editor, 2)
        told = of_file(costs.since())
        most = Counter(judge=2, read=2, hash=2, decode=2, transaction=2)
        assert kinds(told) - Counter(sha256=2) <= most, "\n".join(told)
        await editor.settled(FILE)
        # The echo: both watches report the file, the ledger, and 2 seconds later the intent map.
        echo = of_file(await costs.until_noticed("intent_map.md", 2))
        assert kinds(echo).keys() <= {"transaction"}, echo


async def test_another_programs_write_in_the_same_instant_is_still_seen(
    governed: Repository,
) -> None:
    async with counted(governed, "costs") as (editor, _):
        await save(editor, 1)
        # As many bytes, in place, and at once: only the time can differ. It is not emptied first,
        # which a watch could see as a change of its own.
        with (governed.root / FILE).open("r+") as file:
            file.write(text(2))
        await editor.traced(2)
        assert [each["tool_name"] for each in editor.records()] == ["editor/save", "disk/change"]


async def test_a_save_goes_through_fewer_modules_than_it_did(governed: Repository) -> None:
    """`-s` prints how many, and which. There were 110.

    A look at the disk that was due anyway may fall into the time of a save: the fewest modules of
    three saves, each in a server of its own, are those of the save alone.
    """
    ways = [await modules_of_a_save(governed, number) for number in (1, 2, 3)]
    modules = min(ways, key=len)
    print(len(modules), "modules from willSave to didTrace:", *modules, sep="\n")  # noqa: T201
    assert "governance/saves/saves.py" in modules
    assert len(modules) < 110


async def modules_of_a_save(governed: Repository, number: int) -> list[str]:
    """Save a file once in a new server. Return the modules that ran until its record was told."""
    async with counted(governed, "modules") as (editor, costs):
        editor.type(FILE, text(number))
        await editor.settled(FILE)
        begin = costs.log.with_name(costs.log.name + BEGIN)
        begin.touch()
        await editor.save(FILE)
        await editor.traced(1)
        modules = sorted(line.partition("\t")[2] for line in costs.since())
    begin.unlink()
    costs.log.unlink()
    return modules
