"""Two agents and a person at once, by chance: each change has its author, and no line has two."""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest

from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.gate.request import EDITOR_SAVE
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import DISK_CHANGE, EntityType, Record, ScopeValidation
from intent_lsp.governance.ledger.blame import ALL_LINES
from intent_lsp.store.ledger.index.queries import Query
from tests.governance.work import Work

SCHEDULES = [
    *(pytest.param(seed, 125, id=f"short-{seed}") for seed in range(4)),
    pytest.param(4, 2000, id="long", marks=pytest.mark.slow),
]
INTENTS = {"builder": "INT-001", "biller": "INT-002"}
OWNED = {
    "builder": ("src/auth/login.py", "src/auth/token.py", "src/auth/deep/keys.txt"),
    "biller": ("docs/guide.md", "docs/prices.md", "docs/deep/rates.txt"),
}
NOBODYS = ("src/db.py", "tools/build.py", "notes.txt")
EVERY_FILE = (*OWNED["builder"], *OWNED["biller"], *NOBODYS)
PASS, FAIL = ScopeValidation.PASS, ScopeValidation.FAIL


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Whom a record names, under which intent, and how sure it is."""

    session: str
    intent: str | None
    tool: str
    entity: EntityType
    verdict: ScopeValidation
    concurrent: bool = False
    assumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A file of a record: what it held, what it was left as, and how many lines of that are new."""

    path: str
    old: ContentHash | None
    new: ContentHash | None
    lines: int
    by: By


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """An agent's write of `lines`, or its command; `since`: how much was recorded before that."""

    agent: str
    ticket: str
    since: int = 0
    lines: tuple[str, ...] = ()


class Model:
    """What each file holds, line by line, and the record that each content and line should have."""

    def __init__(self, work: Work) -> None:
        held = {path: work.editor.disk(path) for path in EVERY_FILE}
        texts = {path: data.decode() for path, data in held.items() if data is not None}
        self.now = {path: tuple(text.splitlines(keepends=True)) for path, text in texts.items()}
        self.recorded = dict(self.now)
        self.left: list[Left] = []
        self.came_with: dict[str, ContentHash | None] = {}

    def record(self, path: str, by: By) -> None:
        """Have what a file holds recorded: what is new in it is its author's."""
        before, now = self.recorded.get(path), self.now[path]
        texts = (None if lines is None else "".join(lines).encode() for lines in (before, now))
        old, new = map(hash_if_there, texts)
        added = [line for line in now if line not in (before or ())]
        self.left.append(Left(path=path, old=old, new=new, lines=len(added), by=by))
        self.came_with.update(dict.fromkeys(added, new))
        self.recorded[path] = now


class Schedule:
    """Who does what next is left to chance; what should be recorded of it is told to the model.

    Where two could have written one file, and the specification leaves open which of them did, they
    do not: a file that is claimed, or was changed and has no record yet, is let alone by everybody
    else until it has one, and what an intent owns by all programs but its agent's commands. While
    its command is open an agent announces no write, which would have that recorded in parts.
    """

    def __init__(self, work: Work, seed: int) -> None:
        self.work, self.model = work, Model(work)
        self.chance = random.Random(seed)  # noqa: S311 - any order will do
        self.commands: dict[str, Call] = {}
        self.claims: dict[str, Call] = {}
        # Of each file the commands that may have changed it since its record; none: a program.
        self.unrecorded: dict[str, frozenset[str]] = {}
        self.edits = self.lines = 0
        work.editor.select("INT-002")
        for agent, intent in INTENTS.items():
            work.agent(agent, intent)

    def run(self, edits: int) -> None:
        """Let all of them work until there are so many edits, and come to an end."""
        moves = [
            *(self.a_person_saves, self.something_writes_what_nobody_owns, self.work.look),
            *(self.a_command_begins, self.a_command_writes, self.a_command_ends),
            *(self.a_write_is_announced, self.a_write_goes_on, self.a_write_goes_on),
            self.the_watcher_records,
        ]
        while self.edits < edits:
            self.chance.choice(moves)()
        while self.claims or self.commands:
            self.a_write_goes_on()
            self.a_command_ends()
        self.the_watcher_records()

    def a_person_saves(self) -> None:
        path = self.one_of(path for path in EVERY_FILE if self.is_free(path))
        if path is not None:
            self.work.editor.show(path)
            self.model.now[path] = self.edited(path)
            self.work.editor.save(path, "".join(self.model.now[path]))
            verdict = PASS if path in OWNED["biller"] else FAIL
            self.model.record(path, self.in_editor(EDITOR_SAVE, EntityType.HUMAN, verdict))

    def something_writes_what_nobody_owns(self) -> None:
        """Write as any open command may have done; without one it is another program."""
        self.unannounced(NOBODYS, self.under_way())

    def a_command_begins(self) -> None:
        agent = self.one_of(agent for agent in INTENTS if agent not in self.commands)
        if agent is not None:
            ticket = self.work.begins(agent)
            self.commands[agent] = Call(agent=agent, ticket=ticket, since=len(self.model.left))

    def a_command_writes(self) -> None:
        agent = self.one_of(self.commands)
        if agent is not None:
            self.unannounced(OWNED[agent], frozenset({self.commands[agent].ticket}))

    def a_command_ends(self) -> None:
        agent = self.one_of(self.commands)
        if agent is None:
            return
        call = self.commands.pop(agent)
        self.work.ends(call.ticket)
        own = {path for path, makers in self.unrecorded.items() if call.ticket in makers}
        done = {path for path in own if self.unrecorded[path].isdisjoint(self.under_way())}
        self.a_command_left(call, PASS, done.intersection(OWNED[agent]))
        self.a_command_left(call, FAIL, done.difference(OWNED[agent]))

    def a_command_left(self, call: Call, verdict: ScopeValidation, files: set[str]) -> None:
        """Have what a command changed recorded: its files of one verdict have one record."""
        makers = [self.unrecorded.pop(path) for path in files]
        shared = any(len(each) > 1 for each in makers)
        newest = {left.path: left.by.session for left in self.model.left[call.since :]}
        overtaken = any(newest.get(path, call.agent) != call.agent for path in files)
        by = self.of_agent(call.agent, "Bash", verdict)
        for path in files:
            self.model.record(path, replace(by, concurrent=shared or overtaken, assumed=shared))

    def a_write_is_announced(self) -> None:
        agent = self.chance.choice(list(INTENTS))
        path = self.one_of(path for path in OWNED[agent] if self.is_free(path))
        if path is not None and agent not in self.commands:
            held, lines = self.work.editor.disk(path), self.edited(path)
            self.work.governance.calls.read(agent, "", WorkspacePath(path), hash_if_there(held))
            ticket = self.work.begins(agent, path, "".join(lines))
            self.claims[path] = Call(agent=agent, ticket=ticket, lines=lines)

    def a_write_goes_on(self) -> None:
        """Write what was announced, or the first half of it, or end the call that wrote it."""
        path = self.one_of(self.claims)
        if path is None:
            return
        call, text = self.claims[path], "".join(self.claims[path].lines)
        if self.model.now.get(path) == call.lines:
            self.work.ends(self.claims.pop(path).ticket)
            self.model.record(path, self.of_agent(call.agent, "Write", PASS))
        elif self.chance.random() < 0.3:
            self.work.root.write(path, text[: len(text) // 2])
        else:
            self.work.root.write(path, text)
            self.model.now[path] = call.lines

    def the_watcher_records(self) -> None:
        self.work.noticed()
        by = self.in_editor(DISK_CHANGE, EntityType.UNKNOWN, FAIL)
        for path in [path for path, makers in self.unrecorded.items() if not makers]:
            del self.unrecorded[path]
            self.model.record(path, replace(by, assumed=True))

    def unannounced(self, paths: tuple[str, ...], makers: frozenset[str]) -> None:
        """Write a file that no other has changed since its record, as these commands may have."""
        others = {path: self.unrecorded.get(path, makers) & self.under_way() for path in paths}
        path = self.one_of(p for p in paths if p not in self.claims and others[p] == makers)
        if path is not None:
            self.unrecorded.setdefault(path, makers)
            self.model.now[path] = self.edited(path)
            self.work.root.write(path, "".join(self.model.now[path]))

    def under_way(self) -> frozenset[str]:
        return frozenset(call.ticket for call in self.commands.values())

    def edited(self, path: str) -> tuple[str, ...]:
        """Give a file with lines that stand nowhere else: more of them, or in the place of some."""
        lines = list(self.model.now.get(path, ()))
        gone = max(self.chance.choice((0, 0, 1, 2)), len(lines) - 20)
        at = self.chance.randint(0, max(len(lines) - gone, 0))
        new = range(self.lines, self.lines + self.chance.randint(1, 3))
        self.edits, self.lines = self.edits + 1, new.stop
        lines[at : at + gone] = [f"line {number}\n" for number in new]
        return tuple(lines)

    def one_of(self, names: Iterable[str]) -> str | None:
        found = list(names)
        return self.chance.choice(found) if found else None

    def is_free(self, path: str) -> bool:
        return path not in self.claims and path not in self.unrecorded

    def of_agent(self, agent: str, tool: str, verdict: ScopeValidation) -> By:
        intent = INTENTS[agent]
        return By(session=agent, intent=intent, tool=tool, entity=EntityType.AI, verdict=verdict)

    def in_editor(self, tool: str, entity: EntityType, verdict: ScopeValidation) -> By:
        session = self.work.editor.session.id
        return By(session=session, intent="INT-002", tool=tool, entity=entity, verdict=verdict)


def left_by(record: Record, path: str) -> Left:
    """Tell what a record says of one of its files."""
    (file,) = (file for file in record.files if file.relative_path == path)
    (talk,) = file.conversations
    by = By(
        session=record.session_id,
        intent=record.intent_id,
        tool=record.tool_name,
        entity=talk.contributor.entity_type,
        verdict=record.scope_validation,
        concurrent=record.concurrent_modification,
        assumed=record.assumed,
    )
    lines = sum(run.replaced[2] for run in talk.ranges if run.replaced is not None)
    return Left(path=path, old=file.pre_hash, new=file.post_hash, lines=lines, by=by)


def recorded(work: Work) -> list[Left]:
    """Tell of each file of each record, the oldest first."""
    records = reversed(work.governance.stores.ledger.index.query(Query(), limit=100_000).records)
    return [left_by(each, file.relative_path) for each in records for file in each.files]


def blamed(work: Work, path: str) -> list[ContentHash | None]:
    """Tell of each line of a file which of its contents it is said to have come with."""
    found = work.governance.blaming.blame(WorkspacePath(path))
    assert found is not None
    runs = found.runs(*ALL_LINES)
    records = [run.record for run in runs for _ in range(run.count)]
    return [None if record is None else left_by(record, path).new for record in records]


@pytest.mark.parametrize(("seed", "edits"), SCHEDULES)
def test_each_change_has_its_author_and_no_line_is_counted_twice(
    work: Work, seed: int, edits: int
) -> None:
    """The long one takes minutes: 2,000 edits, and looks at the work tree before and after most."""
    before = len(recorded(work))
    schedule = Schedule(work, seed)
    schedule.run(edits)
    assert work.noticed() == []
    model, told = schedule.model, recorded(work)[before:]
    for path in EVERY_FILE:
        of_path = [left for left in told if left.path == path]
        assert of_path == [left for left in model.left if left.path == path]
        assert [left.old for left in of_path[1:]] == [left.new for left in of_path[:-1]]
        assert blamed(work, path) == [model.came_with.get(line) for line in model.now[path]]
    assert len({(left.path, left.new) for left in told}) == len(told) == len(model.left)
    assert sum(left.lines for left in told) == len(model.came_with)
