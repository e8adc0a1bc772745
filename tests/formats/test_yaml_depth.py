"""How deep a YAML text may be nested before its grammar reads it."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent_lsp.core.content import content_of
from intent_lsp.formats.syntax.languages import is_deep, parse

ROOM = 250
"""Levels for which the grammar's scanner has room."""


def stairs(levels: int, sign: str = "a:") -> bytes:
    return "".join(f"{' ' * level}{sign}\n" for level in range(levels)).encode()


@pytest.mark.parametrize(
    ("source", "deep"),
    [
        (b"", False),
        (b"a:\n  b: 1\n", False),
        (stairs(81), False),
        (stairs(82), True),
        (b"- " * 40 + b"x\n", False),
        (b"- " * 41 + b"x\n", True),
        (b"? - : " * 14, True),
        (b" " * 200 + b"\n", False),
        (b"[" * 1000, False),
        (b"text: |\n" + b"  a-b:c " * 100 + b"\n", False),
    ],
)
def test_columns_and_signs_tell_how_deep_a_text_may_be(source: bytes, *, deep: bool) -> None:
    assert is_deep(source) is deep


def test_a_text_that_is_too_deep_has_no_tree() -> None:
    assert parse("yaml", content_of(stairs(81))) is not None
    assert parse("yaml", content_of(stairs(82))) is None
    assert parse("yaml", content_of(stairs(1_000))) is None
    assert parse("yaml", content_of(b"- " * 10_000)) is None


def levels(source: str) -> int:
    """Count the most levels that can be open at once: each is opened by a column or a sign."""
    return max(
        2 * (len(line) - len(line.lstrip())) + len([w for w in line.split(" ") if w in "-?:"])
        for line in source.splitlines()
    )


SIGNS = st.text(st.sampled_from("-?: a\t"), max_size=120)


@given(st.lists(st.tuples(st.integers(0, 120), SIGNS), min_size=1, max_size=20))
def test_what_is_not_deep_opens_fewer_levels_than_there_is_room_for(
    lines: list[tuple[int, str]],
) -> None:
    source = "".join(f"{' ' * columns}{signs}x\n" for columns, signs in lines)
    assert is_deep(source.encode()) or levels(source) < ROOM


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_the_grammar_survives_what_is_not_deep(seed: int) -> None:
    """In a process of its own: what it cannot bear ends it."""
    child = subprocess.run(
        [sys.executable, "-c", _SOUP, str(seed)], check=False, capture_output=True, text=True
    )
    assert (child.returncode, child.stdout) == (0, "300\n"), child.stderr


_SOUP = r"""
import random, sys
from intent_lsp.core.content import content_of
from intent_lsp.formats.syntax.languages import parse
from intent_lsp.formats.syntax.languages import is_deep
chance = random.Random(int(sys.argv[1]))
signs = ["- ", "? ", ": ", "a: ", "a:\n", "\n", "  ", "&x ", "*x ", "!t ", "|\n", ">-\n", "---\n",
    "[", "]", "{", "}", ", ", "'", '"', "#c\n", "\t", "\r\n"]
steps = ["a:\n", "- a:\n", "? a\n", "- - a:\n", "- " * 38 + "a:\n"]
parsed = 0
while parsed < 300:
    soup = "".join(chance.choice(signs) for _ in range(chance.randrange(200)))
    slope = chance.randrange(1, 4)
    deep = "".join(" " * min(80, n // slope) + chance.choice(steps) for n in range(300))
    for text in (soup, deep, deep + soup):
        parsed += not is_deep(text.encode())
        parse("yaml", content_of(text.encode()))
print(min(parsed, 300))
"""
