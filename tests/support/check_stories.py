"""The cases of `tests/cases/check`: changes in git told line by line, and what a check finds."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.recorded_edits import By, RecordedRepository

CASES = Path(__file__).parent.parent / "cases" / "check"

INTENTS = """\
active_intents:
  - {id: INT-001, name: Login, status: IN_PROGRESS, owned_scope: ["src/auth/**"]}
  - {id: INT-002, name: Billing, status: IN_PROGRESS, owned_scope: ["src/billing/**"]}
  - {id: INT-003, name: Search, status: COMPLETED, owned_scope: ["src/search/**"]}
"""
LINES = "".join(f"line {number}\n" for number in range(1, 11))
FILES = {
    ".orchestration/active_intents.yaml": INTENTS,
    ".orchestration/.gitignore": ".local/\n",
    "src/auth/login.py": LINES,
    "src/auth/token.py": LINES,
    "src/billing/invoice.py": LINES,
    "README.md": "# A project\n",
}


@dataclass(frozen=True, slots=True)
class CheckStory:
    """A case: its name, the sentence at its head, and its lines as words."""

    name: str
    sentence: str
    lines: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class StoryState:
    """A case while it is told: the repository, and the named commits."""

    world: RecordedRepository
    marks: dict[str, str] = field(default_factory=dict)

    def arguments(self, words: Sequence[str]) -> list[str]:
        """Return the arguments of a check, with the names of commits replaced by their ids."""
        return [self.marks.get(word, word) for word in words]


def stories() -> list[CheckStory]:
    """Return all cases, by name."""
    return [_read(path) for path in sorted(CASES.glob("*.txt"))]


def begin(world: RecordedRepository) -> StoryState:
    """Write the files of a governed project and commit them; the commit is `base`."""
    for path, text in FILES.items():
        world.repository.write(path, text)
    return StoryState(world, {"base": world.commit("begin")})


def act(state: StoryState, words: Sequence[str]) -> bool:
    """Do what a line says. Return False for a line that expects something of a check."""
    verb, *rest = words
    action = _ACTIONS.get(verb)
    if action is None:
        return False
    action(state, rest)
    return True


def found_in(report: Any) -> list[str]:
    """Return the findings of a check's JSON as the cases write them."""
    return sorted(
        " ".join(filter(None, (each["level"], each["code"], _place(each), _undone(each))))
        for each in report["findings"]
    )


def changes_in(report: Any) -> list[str]:
    """Return the changes of a check's JSON as the cases write them."""
    return [_change(each) for each in report["changes"]]


def _change(change: Any) -> str:
    if change["notJudged"]:
        return "not judged"
    named = " ".join(change["intentIds"]) or "none"
    return f"{named} by {change['namedBy']} {change['recorded']}/{change['hunks']}"


def _place(finding: Any) -> str:
    if finding["path"] is None:
        return ""
    first, last = finding["startLine"], finding["endLine"]
    lines = "" if first is None else f":{first}" if first == last else f":{first}-{last}"
    return f"{finding['path']}{lines}"


def _undone(finding: Any) -> str:
    return "undone" if finding["undone"] else ""


def _read(path: Path) -> CheckStory:
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# "), f"{path.name}: the first line is its sentence"
    words = (tuple(shlex.split(line)) for line in lines if line and not line.startswith("#"))
    return CheckStory(path.stem, first.removeprefix("# "), tuple(words))


def _by(words: Sequence[str]) -> By | None:
    """Return who edits, from `by AI for INT-001 approved`; None if nobody records it."""
    if "by" not in words:
        return None
    who = words[words.index("by") + 1]
    intent = words[words.index("for") + 1] if "for" in words else None
    return By(who, intent, "approved" in words)


def _text(word: str) -> str:
    return word.replace("\\n", "\n")


def _write(state: StoryState, words: Sequence[str]) -> None:
    state.world.write(words[0], _text(words[1]), _by(words[2:]))


def _append(state: StoryState, words: Sequence[str]) -> None:
    state.world.append(words[0], _text(words[1]), _by(words[2:]))


def _replace(state: StoryState, words: Sequence[str]) -> None:
    path, old, _, new, *rest = words
    text = (state.world.root / path).read_text(encoding="utf-8")
    assert _text(old) in text, f"{path} does not contain {old}"
    state.world.write(path, text.replace(_text(old), _text(new), 1), _by(rest))


def _delete(state: StoryState, words: Sequence[str]) -> None:
    state.world.write(words[0], None, _by(words[1:]))


def _rename(state: StoryState, words: Sequence[str]) -> None:
    state.world.rename(words[0], words[2], _by(words[3:]))


def _grant(state: StoryState, words: Sequence[str]) -> None:
    minutes = int(words[3]) if words[2:3] == ["for"] else None
    state.world.grant(words[0], words[1], minutes=minutes)


def _commit(state: StoryState, words: Sequence[str]) -> None:
    """`commit NAME ["MESSAGE"] [as "Name <address>"]`."""
    name, *rest = words
    author = rest[rest.index("as") + 1] if "as" in rest else ""
    message = _text(rest[0]) if rest[:1] not in ([], ["as"]) else name
    state.marks[name] = state.world.commit(message, author)


def _git(state: StoryState, words: Sequence[str]) -> None:
    state.world.repository.git(*state.arguments(words))


_ACTIONS = {
    "write": _write,
    "append": _append,
    "replace": _replace,
    "delete": _delete,
    "rename": _rename,
    "grant": _grant,
    "commit": _commit,
    "git": _git,
}
