"""A hundred allowed writes through each way in: each is in the ledger, each run with its hash."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from intent_lsp.core.content import hash_content
from tests.support.editor import Editor, editing
from tests.support.governed_repository import govern
from tests.support.repository import Repository

pytestmark = pytest.mark.e2e

WRITES = 100
LINES = 40
LOGIN = "src/auth/login.py"

Write = Callable[[Editor, Repository, str], Awaitable[None]]


async def by_a_save(editor: Editor, _: Repository, text: str) -> None:
    editor.type(LOGIN, text)
    await editor.save(LOGIN)


async def by_validate_and_record(editor: Editor, repository: Repository, text: str) -> None:
    agent = {"sessionId": "builder"}
    call = {**agent, "toolName": "Write", "path": LOGIN}
    told = await editor.ask("intent/validateEdit", call)
    repository.write(LOGIN, text)
    await editor.ask("intent/recordEdit", {**agent, "ticket": told["ticket"], "success": True})


async def by_apply(editor: Editor, _: Repository, text: str) -> None:
    call = {"sessionId": "builder", "toolName": "Write", "path": LOGIN, "newText": text}
    assert (await editor.ask("intent/applyEdit", call))["applied"]


def changed(text: str, number: int, chance: random.Random) -> tuple[str, list[int]]:
    """Change some lines that do not touch each other; give the text and their numbers."""
    lines = text.splitlines(keepends=True)
    runs = sorted(chance.sample(range(0, LINES, 2), chance.randint(1, 5)))
    for at in runs:
        lines[at] = f"line {at}, write {number}\n"
    return "".join(lines), [at + 1 for at in runs]


@pytest.mark.parametrize(
    ("write", "session"),
    [
        pytest.param(by_a_save, None, id="save"),
        pytest.param(by_validate_and_record, "builder", id="validate and record"),
        pytest.param(by_apply, "builder", id="apply"),
    ],
)
async def test_every_allowed_write_is_in_the_ledger_with_a_hash_for_each_run(
    repository: Repository, write: Write, session: str | None
) -> None:
    govern(repository)
    text = "".join(f"line {number}\n" for number in range(LINES))
    repository.write(LOGIN, text)
    repository.commit()
    chance = random.Random(7)  # noqa: S311 - a test's choice
    expected: list[tuple[str, list[tuple[int, str]]]] = []
    async with editing(repository.root) as editor:
        who = {} if session is None else {"sessionId": session}
        await editor.ask("intent/select", {**who, "intentId": "INT-001"})
        if session is None:
            editor.open(LOGIN)
        for number in range(WRITES):
            text, runs = changed(text, number, chance)
            await write(editor, repository, text)
            lines = text.splitlines()
            hashes = [(line, hash_content(lines[line - 1].encode())) for line in runs]
            expected.append((hash_content(text.encode()), hashes))
        await editor.traced(WRITES)
        records = editor.records()
        verified = await editor.ask("intent/verify")
    assert [recorded_hashes(record) for record in records] == expected
    assert {record["scope_validation"] for record in records} == {"PASS"}
    assert verified["ok"]


def recorded_hashes(record: dict[str, Any]) -> tuple[str, list[tuple[int, str]]]:
    (file,) = record["files"]
    ranges = file["conversations"][0]["ranges"]
    assert all(each["start_line"] == each["end_line"] for each in ranges)
    return file["post_hash"], [(each["start_line"], each["content_hash"]) for each in ranges]
