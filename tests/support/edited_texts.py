"""Programs in many languages, and what becomes of them one edit after the other."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from intent_lsp.formats.syntax.languages import language_of

_CASES = Path(__file__).parents[1] / "formats" / "data"
_SIGNS = ["x", "(", ")", "'", '"', "{", "}", "\n", " ", "#", "/*", "1", "=", ";", "é", ",", "@a\n"]


@cache
def programs() -> Mapping[str, Sequence[str]]:
    """Give programs by a name that a file of their language may have."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, cut in (("outlines.txt", 1), ("change_class.txt", 2)):
        for case in (_CASES / name).read_text(encoding="utf-8").split("\n=== ")[1:]:
            head, _, texts = case.partition("\n")
            path = head.partition(" | ")[0].strip()
            if language_of(path) is not None:
                found[f"a.{path.rpartition('.')[2]}"] += texts.split("---\n")[:cut]
    return {path: found[path] for path in sorted(found)}


def program(chance: Random, path: str) -> str:
    """Write a program, often one with many definitions."""
    count = chance.choice([1, 3, 40])
    return "\n".join(chance.choice(programs()[path]) for _ in range(count))


def edits(chance: Random, path: str, count: int) -> Iterator[str]:
    """Give a program, and then what some edits in turn have left of it; many of them break it."""
    text = program(chance, path)
    yield text
    for _ in range(count):
        changed = _edited(chance, text, chance.choice(programs()[path]))
        yield changed
        # What follows is mostly made of whole code again.
        text = chance.choice([text, changed])


def _edited(chance: Random, text: str, other: str) -> str:
    lines, others = text.splitlines(keepends=True) or [""], other.splitlines(keepends=True) or [""]
    at, many = chance.randrange(len(lines)), chance.randrange(1, 6)
    first, some, last = lines[:at], lines[at : at + many], lines[at + many :]
    new = others[chance.randrange(len(others)) :][:many]
    place, away = chance.randrange(len(text) + 1), chance.randrange(len(lines))
    return chance.choice(
        [
            "".join(first + last),
            "".join(first + new + some + last),
            "".join(first + new + last),
            "".join(first + [f"    {line}" for line in some] + last),
            "".join(first + [line.replace("a", "bb") for line in some] + last),
            "".join(first[:away] + some + first[away:] + last),
            text[:place] + chance.choice(_SIGNS) + text[place:],
            text[:place] + text[place + many :],
        ]
    )
