"""The stories below `tests/cases`, as text: a sentence, what holds before, and the steps.

A step is read here and taken by `person_stories` or `agent_stories`.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.support.governed_repository import FILES, set_policy
from tests.support.repository import Repository

CASES = Path(__file__).parent.parent / "cases"
AGENTS_CASES = CASES / "agents"


class At(StrEnum):
    """Where a story is asked."""

    GOVERNANCE = "governance"
    SERVER = "the server"
    COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a story: its words, and the line with its place."""

    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One case file.

    `policy` are lines of the team's policy. `by_agent`: the editor's own contributor is an agent.
    `not_at` are the doors that cannot answer it, each with the reason.
    """

    name: str
    title: str
    policy: tuple[str, ...] = ()
    by_agent: bool = False
    not_at: Mapping[At, str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a door says of an edit: a verdict or a code, and what it says of the rows.

    `rows` are the row's number, its code if it has one, and its outcome.
    """

    outcome: str
    rows: Sequence[tuple[int, str | None, str]] = ()

    def check(self, *expected: str) -> None:
        """Fail unless this is what was expected: `PASS`, `SCOPE_VIOLATION`, `EXEMPT by row 2`."""
        wanted, *row = expected
        assert self.outcome == wanted, f"it is {self.outcome}"
        failing = [code for _, code, outcome in self.rows if outcome == "fail"]
        if self.outcome in failing and self.outcome != "HITL_REJECTED":
            # A person is asked last, and may be asked for what an earlier row refuses.
            assert failing[0] == self.outcome, f"the first row that fails is {failing[0]}"
        if row:
            by = ["by", "row", str(self.deciding_row)]
            assert row == by, f"it is {self.outcome} {' '.join(by)}"

    @property
    def deciding_row(self) -> int | None:
        """The row that exempts the edit: it says that the others are not asked."""
        if len(self.rows) == 1:
            return self.rows[0][0]
        return next((number for number, _, outcome in self.rows if outcome == "skipped"), None)


def stories(folder: Path = CASES) -> list[Story]:
    """Read every case file of a folder."""
    return [read(path.stem, path.read_text()) for path in sorted(folder.glob("*.txt"))]


def stories_at(door: At, folder: Path = CASES) -> list[Story]:
    """Read the case files that a door is asked."""
    return [story for story in stories(folder) if door not in story.not_at]


def read(name: str, text: str) -> Story:
    """Read a case file."""
    first, *lines = text.splitlines()
    assert first.startswith("# "), f"{name}: the first line tells the story in a sentence"
    numbered = [(number, line) for number, line in enumerate(lines, 2) if line and line[0] != "#"]
    return Story(
        name=name,
        title=first.removeprefix("# "),
        policy=tuple(line.removeprefix("policy ") for _, line in numbered if _is_policy(line)),
        by_agent=any(line == "contributor AI" for _, line in numbered),
        not_at=dict(_not_at(line) for _, line in numbered if line.startswith("not at ")),
        steps=tuple(
            Step(f"{name}.txt:{number}: {line}", _words(line))
            for number, line in numbered
            if not (_is_policy(line) or line == "contributor AI" or line.startswith("not at "))
        ),
    )


def begin(repository: Repository, story: Story) -> Repository:
    """Write and commit the project in which a story begins."""
    for name, text in FILES.items():
        repository.write(name, text)
    if story.policy:
        set_policy(repository, "\n  ".join(story.policy))
    repository.commit("begin")
    return repository


def prepare(words: tuple[str, ...], repository: Repository) -> bool:
    """Take a step that changes files behind everybody's back; tell whether it was one."""
    root = repository.root
    match words:
        case ("file", path, text):
            repository.write(path, text)
        case ("file", path, text, "times", count):
            repository.write(path, text * int(count))
        case ("link", path, "->", target):
            (root / path).symlink_to(target)
        case (path, "becomes", "a", ("file" | "directory") as kind):
            _set_aside(root / path)
            (root / path).touch() if kind == "file" else (root / path).mkdir()
        case (path, "is", ("removed" | "put") as what, *_):
            (root / path).rmdir() if (root / path).is_dir() else (root / path).unlink()
            if what == "put":
                _aside(root / path).rename(root / path)
        case ("commit",):
            repository.commit("as told")
        case _:
            return False
    return True


def asked(story: Story, passed_over: frozenset[str]) -> Iterator[Step]:
    """Give the steps that a door takes, without those that begin or are asked with such a word."""
    return (step for step in story.steps if passed_over.isdisjoint(_verbs(step.words)))


def _verbs(words: tuple[str, ...]) -> Iterator[str]:
    """Give the first word, and the last one of what is asked."""
    yield words[0]
    if "->" in words:
        yield words[words.index("->") - 1]


def _set_aside(path: Path) -> None:
    if path.exists():
        path.rename(_aside(path))


def _aside(path: Path) -> Path:
    # Beside the project, which is one step away for the file system.
    return next(parent for parent in path.parents if (parent / ".git").exists()).parent / path.name


def _is_policy(line: str) -> bool:
    return line.startswith("policy ")


def _not_at(line: str) -> tuple[At, str]:
    door, _, why = line.removeprefix("not at ").partition(": ")
    assert why, f"{line}: a reason follows"
    return At(door), why


def _words(line: str) -> tuple[str, ...]:
    return tuple(word.replace("\\n", "\n") for word in shlex.split(line.replace("\\n", "\\\\n")))
