"""Trees made from those of earlier contents: they are the ones that the contents alone have."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Node, Tree

from intent_lsp.formats.syntax.fingerprint import file_fingerprint
from intent_lsp.formats.syntax.languages import language_of, parse
from intent_lsp.formats.syntax.outlined import OutlinedTree, outlined
from intent_lsp.governance.syntax_tree_cache import MAX_BYTES, MAX_TREES, SyntaxTreeCache
from tests.support.edited_texts import edits, programs

Told = tuple[str, bool, int, int, tuple[int, int], tuple[int, int]]


def nodes(tree: Tree) -> Iterator[Told]:
    """Give all nodes of a tree, the outer before the inner."""
    left: list[Node] = [tree.root_node]
    while left:
        node = left.pop()
        places = node.start_point, node.end_point
        yield (node.type, node.has_error, node.start_byte, node.end_byte, *places)
        left.extend(reversed(node.children))


def alone(path: str, data: bytes) -> OutlinedTree | None:
    """Give the tree of a content of which nothing else is known."""
    tree = parse(language_of(path) or "", data)
    return None if tree is None else outlined(tree)


def same(found: OutlinedTree | None, expected: OutlinedTree | None) -> bool:
    if found is None or expected is None:
        return found is expected
    whole = found.tree.whole, expected.tree.whole
    return list(nodes(whole[0])) == list(nodes(whole[1])) and (
        (found.definitions, list(found.spots)) == (expected.definitions, list(expected.spots))
    )


@given(path=st.sampled_from(sorted(programs())), seed=st.integers(0, 2**32))
def test_a_tree_is_the_same_whatever_was_known_before(path: str, seed: int) -> None:
    trees = SyntaxTreeCache()
    for text in edits(Random(seed), path, 6):  # noqa: S311 - nobody is kept out by these numbers
        assert same(trees.tree(path, text.encode()), alone(path, text.encode()))
        assert file_fingerprint(path, text.encode(), tree_of=trees.tree) == file_fingerprint(
            path, text.encode()
        )


APP = """
    class App {
        int n;
        int f() { return this.n; }
    }

import a.A;
class App { }
"""
CALL = """import { a, b } from './x';
a(b);

function b() { return 2; }
function bb() { return 1; }
"""
CUT = APP.replace("        int n;\n", "class App {\n").replace(
    "f() { return this.n; }", "f(int a) {"
)
BROKEN_ONES = [("a.java", APP, CUT), ("a.js", CALL, CALL.replace("return 2", "re{turn 2"))]
"""Code that a parser reads otherwise when it comes from code that is whole."""


@pytest.mark.parametrize(("path", "before", "after"), BROKEN_ONES)
def test_broken_code_has_the_tree_that_it_has_alone(path: str, before: str, after: str) -> None:
    trees = SyntaxTreeCache()
    trees.tree(path, before.encode())
    assert same(trees.tree(path, after.encode()), alone(path, after.encode()))
    assert same(trees.tree(path, before.encode()), alone(path, before.encode()))


DECORATED = (
    "class A:\n    x = 1\n\n@one\n@two\ndef f():\n    pass\n\nclass B:\n    def g(self): pass\n"
)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", DECORATED, DECORATED.replace("@one\n", "")),
        ("a.py", DECORATED, DECORATED.replace("@one", "@zero\n@one")),
        ("a.py", DECORATED, DECORATED.replace("class B", "class Other")),
        ("a.py", DECORATED, DECORATED.replace("class B", "def B")),
        ("a.py", DECORATED, DECORATED.replace("x = 1", "x = 1\n    y = 2")),
        ("a.py", DECORATED, f"#\n{DECORATED}"),
        ("a.py", DECORATED, ""),
        ("a.py", "", DECORATED),
        ("a.js", "const\n  a = () => 1;\n", "const\n  a = () => 1, b = 2;\n"),
        ("a.js", "const\n  a = () => 1, b = 2;\n", "const\n  a = () => 1;\n"),
        ("a.js", "const\n  b = 2, a = () => 1;\n", "const\n  a = () => 1;\n"),
        ("a.js", "const\n  a = () => 1 /* one */;\n", "const\n  a = () => 1 /* one */, b = 2;\n"),
        ("a.ts", "class A {\n  m() {}\n}\n", "export\nclass A {\n  m() {}\n}\n"),
        ("a.json", '{"a": {"b": {"c": 1}}}', '{"a": {"d": {"b": {"c": 1}}}}'),
        ("a.py", DECORATED, DECORATED.replace("\n", "\r")),
        ("a.py", DECORATED, DECORATED.replace("one", "ein\u00fc")),
    ],
)
def test_what_stays_is_where_it_is_now(path: str, before: str, after: str) -> None:
    trees = SyntaxTreeCache()
    trees.tree(path, before.encode())
    assert same(trees.tree(path, after.encode()), alone(path, after.encode()))


def test_a_content_that_is_known_is_not_parsed_again() -> None:
    trees = SyntaxTreeCache()
    first = trees.tree("a.py", b"x = 1\n")
    second = trees.tree("a.py", b"x = 2\n")
    assert trees.tree("b.py", b"x = 1\n") is first is not None
    assert trees.tree("a.py", b"x = 2\n") is second is not first
    # The same bytes under another name are another program.
    assert trees.tree("a.js", b"x = 1\n") is not first


def asked(trees: SyntaxTreeCache, text: str) -> int:
    """Count how often a caller is asked for time while a content is parsed."""
    times = []

    def late() -> bool:
        times.append(1)
        return False

    assert trees.tree("a.py", text.encode(), late) is not None
    return len(times)


def test_what_stays_is_not_parsed_again() -> None:
    text = "".join(f"def f{n}(a):\n    return [a, {n}, (a, {n})]\n" for n in range(400))
    changed, broken = text.replace("f200(a)", "f200(b)"), text.replace("f200(a)", "f200(a")
    trees = SyntaxTreeCache()
    whole, again = asked(trees, text), asked(trees, changed)
    assert again < whole / 3
    assert asked(trees, changed) == 0
    # Nothing is made from broken code, but what was whole before is known still.
    assert asked(trees, broken) > whole / 3
    assert asked(trees, text.replace("f200(a)", "f200(c)")) < whole / 3


def test_a_line_above_all_definitions_moves_them() -> None:
    trees = SyntaxTreeCache()
    head, rest = "a = 1\nb = 2\nc = 3\n", "\n\nclass A:\n    def f(self): pass\n"
    trees.tree("a.py", f"{head}{rest}".encode())
    for more in ("", "d = 4\n"):
        text = f"{head.replace('b = 2', 'b = 20')}{more}{rest}".encode()
        assert same(trees.tree("a.py", text), alone("a.py", text))


def test_an_edit_within_a_definition_leaves_all_called_as_they_were() -> None:
    trees = SyntaxTreeCache()
    text = "class A:\n    def f(self):\n        return 1\n\n\ndef g(): pass\n"
    before = trees.tree("a.py", text.encode())
    after = trees.tree("a.py", text.replace("return 1", "return 1 + 2").encode())
    assert before is not None
    assert after is not None
    assert after.definitions is before.definitions
    assert after.differs(before) is not None
    assert before.differs(after) is None


def test_what_is_not_parsed_has_no_tree() -> None:
    trees = SyntaxTreeCache()
    for path, data in (("a.zig", b"x"), ("a.py", b"\xff"), ("a.py", b"\0"), ("a.py", b"")):
        assert (trees.tree(path, data) is None) == bool(data)


def test_who_has_no_time_gets_no_tree() -> None:
    text, again = b"def f(): pass\n" * 500, b"def f(): pass\n" * 501
    trees = SyntaxTreeCache()
    assert trees.tree("a.py", text, lambda: True) is None
    known = trees.tree("a.py", text)
    assert trees.tree("a.py", again, lambda: True) is None
    assert trees.tree("a.py", text, lambda: True) is known is not None
    assert outlined(known.tree, lambda: True) is None
    # The last that is asked for time looks for definitions.
    times = iter(range(asked(trees, again.decode()) - 1))
    other = SyntaxTreeCache()
    other.tree("a.py", text)
    assert other.tree("a.py", again, lambda: next(times, None) is None) is None


def test_few_trees_are_kept() -> None:
    trees = SyntaxTreeCache()
    oldest, used = (trees.tree("a.py", b"x = %d\n" % n) for n in range(2))
    for number in range(2, MAX_TREES + 4):
        trees.tree("b.py", b"y = %d\n" % number)
        trees.tree("a.py", b"x = 1\n")
    assert trees.tree("a.py", b"x = 1\n") is used
    assert trees.tree("a.py", b"x = 0\n") is not oldest


def test_not_many_bytes_are_kept() -> None:
    line = b"# " + b"a" * 1_000 + b"\n"
    contents = [line * (MAX_BYTES // 3 // len(line)) + b"# %d\n" % n for n in range(4)]
    trees = SyntaxTreeCache()
    first, second, third = (trees.tree("a.py", data) for data in contents[:3])
    assert trees.tree("a.py", contents[2]) is third
    trees.tree("a.py", contents[3])
    assert trees.tree("a.py", contents[2]) is third
    assert trees.tree("a.py", contents[0]) is not first
    assert second is not None


def test_many_threads_ask_at_the_same_time() -> None:
    texts = [f"def f_{n % 7}():\n    return {n}\n".encode() * 40 for n in range(60)]
    trees = SyntaxTreeCache()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda data: trees.tree("a.py", data), texts))
    assert all(same(each, alone("a.py", text)) for each, text in zip(found, texts, strict=True))
