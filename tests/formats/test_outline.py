"""The definitions of texts in each language, and what is not text at all."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given

from intent_lsp.core.content import content_of
from intent_lsp.formats.syntax.languages import (
    MAX_BROKEN,
    MAX_DEPTH,
    MAX_PARSED_BYTES,
    language_of,
    parse,
)
from intent_lsp.formats.syntax.outline import MAX_NAMED, Definition, innermost, outline
from intent_lsp.store.clock import budget
from tests.support.source_texts import contents, suffixes

CASES = Path(__file__).parent / "data" / "outlines.txt"


def cases() -> list[tuple[str, str, str]]:
    """Give the file name, text and expected outline of each case."""
    found = []
    for case in CASES.read_text(encoding="utf-8").split("\n=== ")[1:]:
        path, _, rest = case.partition("\n")
        text, _, expected = rest.partition("---\n")
        found.append((path, text, expected.strip("\n")))
    return found


def outline_text(definitions: tuple[Definition, ...]) -> str:
    return "\n".join(
        f"{'  ' * each.depth}{each.first_line}-{each.last_line} {each.kind} {each.name}"
        for each in definitions
    )


@pytest.mark.parametrize(("path", "text", "expected"), cases(), ids=[case[0] for case in cases()])
def test_each_language_has_its_definitions(path: str, text: str, expected: str) -> None:
    assert outline_text(outline(path, content_of(text.encode()))) == expected


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("B.PY", "python"),
        ("x.tsx", "tsx"),
        ("x.h", "c"),
        ("sub/Rakefile", "ruby"),
        (".bashrc", "bash"),
        ("py", None),
        (".py", None),
        ("x.py.bak", None),
        ("x.", None),
        ("", None),
        ("a.py/b", None),
    ],
)
def test_a_file_name_tells_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.zig", b"fn f() {}"),
        ("a.py", b"\xff\xfe\xfa"),
        ("a.py", b""),
        ("a.py", b"def f(): pass\n" * (MAX_PARSED_BYTES // 14 + 1)),
    ],
    ids=["language", "bytes", "empty", "size"],
)
def test_what_cannot_be_read_has_no_outline(path: str, data: bytes) -> None:
    assert outline(path, content_of(data)) == ()


def test_a_language_without_its_grammar_has_no_tree() -> None:
    assert parse("cobol", content_of(b"x")) is None
    # A package of that name that is no grammar.
    assert parse("", content_of(b"x")) is None


def test_no_grammar_is_loaded_before_a_file_is_parsed() -> None:
    told = """import sys
import intent_lsp.governance.governance, intent_lsp.formats.syntax.outline
print([name for name in sys.modules if name.startswith("tree_sitter_")])
intent_lsp.formats.syntax.outline.outline("a.py", intent_lsp.core.content.content_of(b"x"))
print("tree_sitter_python" in sys.modules, "tree_sitter_go" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\nTrue False\n"


def test_broken_code_has_what_can_be_read() -> None:
    broken = b"def f():\n    return (\n\nclass A:\n    def m(self): pass\n"
    assert [each.name for each in outline("a.py", content_of(broken))][-1:] == ["A.m"]


def test_a_text_of_sixteen_bits_is_read_as_what_it_says() -> None:
    text = "# é\ndef f():\n    pass\n"
    assert outline("a.py", content_of(text.encode("utf-16"))) == outline(
        "a.py", content_of(text.encode())
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_the_ledger_counts_them(end: str) -> None:
    text = "x = 1\ndef f():\n    return 1\n".replace("\n", end)
    assert outline_text(outline("a.py", content_of(text.encode()))) == "2-3 function f"


def test_names_are_of_bounded_length() -> None:
    long = (
        b"".join(b"%sclass %s:\n" % (b" " * n, b"x" * 1000) for n in range(9)) + b" " * 9 + b"y=1"
    )
    found = outline("a.py", content_of(long))
    assert len(found) == 9
    assert max(len(each.name) for each in found) <= MAX_NAMED


HOSTILE = {
    "nul": b"\0" * 100_000,
    "deep": b"(" * 10_000 + b")" * 10_000,
    "open": b"[x," * 200_000,
    "line": b"x+" * 200_000,
    "blocks": b"".join(b"%sif x:\n" % (b" " * n) for n in range(600)),
    "braces": b"{" * 10_000 + b"}" * 10_000,
    "less": b"a<" * 200_000,
    "functions": b"function f(){" * 10_000,
    "quotes": b"\"'`" * 50_000,
    "marks": b"# " * 100_000,
    "modules": b"mod a{" * 30_000 + b"}" * 30_000,
    "brackets": b"a: " + b"[" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["a.py", "a.cpp", "a.js", "a.md", "a.rb", "a.rs", "a.yaml"])
def test_hostile_text_is_answered(path: str, name: str) -> None:
    for each in outline(path, content_of(HOSTILE[name]), budget(0.2)):
        assert 1 <= each.first_line <= each.last_line


def test_a_text_of_many_tokens_that_fits_the_grammar_nowhere_has_no_tree() -> None:
    assert parse("yaml", content_of(b"a: " + b"[" * MAX_BROKEN)) is None
    assert parse("yaml", content_of(b"a: " + b"[" * (MAX_BROKEN // 2))) is not None


def test_definitions_are_found_at_a_bounded_depth() -> None:
    found = outline("a.rs", content_of(b"mod a{" * 5_000 + b"}" * 5_000))
    # Between two modules is the list of the outer one's items.
    assert len(found) == MAX_DEPTH // 2


def test_a_text_that_takes_too_long_has_no_tree() -> None:
    asked = []

    def late() -> bool:
        asked.append(1)
        return len(asked) > 10

    assert parse("python", content_of(b"x = [1]\n" * 1_000), late) is None
    assert len(asked) <= 12
    assert parse("python", content_of(b"x = [1]\n" * 1_000)) is not None


def test_a_text_that_takes_too_many_steps_has_no_tree() -> None:
    assert parse("python", content_of(b"x = [1]\n" * 130_000)) is None
    assert parse("python", content_of(b"x = [1]\n" * 20_000)) is not None


@given(
    data=contents,
    suffix=suffixes,
)
@example(data=b"class :\n def (", suffix="py")
def test_any_content_has_an_outline_within_its_lines(data: bytes, suffix: str) -> None:
    lines = data.count(b"\n") + data.count(b"\r") + 1
    for each in outline(f"x.{suffix}", content_of(data)):
        assert 1 <= each.first_line <= each.last_line <= lines
        assert each.name


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("def a():\n    pass\n", ["a"]),
        (
            "class A:\n    def b(self):\n        pass\n    def c(self):\n        pass\n",
            ["A.b", "A.c"],
        ),
        ("class A:\n    def b(self):\n        pass\ndef d():\n    pass\n", ["A.b", "d"]),
        ("def a():\n    def b():\n        pass\ndef c():\n    pass\n", ["a.b", "c"]),
    ],
)
def test_innermost_definitions_hold_no_other(text: str, names: list[str]) -> None:
    assert [each.name for each in innermost(outline("a.py", content_of(text.encode())))] == names
