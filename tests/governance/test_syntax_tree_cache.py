"""Trees that are kept: the ones that the contents alone have, and few of them."""

from concurrent.futures import ThreadPoolExecutor

from intent_lsp.core.content import content_of
from intent_lsp.formats.syntax.outline import OutlinedTree, outlined_tree
from intent_lsp.governance.root.syntax_tree_cache import MAX_BYTES, MAX_TREES, SyntaxTreeCache


def parts(found: OutlinedTree | None) -> object:
    assert found is not None
    return found.tree.source, str(found.tree.root), found.definitions


def test_a_content_that_is_known_is_not_parsed_again() -> None:
    trees = SyntaxTreeCache()
    first = trees.tree("a.py", content_of(b"x = 1\n"))
    second = trees.tree("a.py", content_of(b"x = 2\n"))
    assert trees.tree("a.py", content_of(b"x = 1\n")) is first is not None
    assert trees.tree("a.py", content_of(b"x = 2\n")) is second is not first
    # The same bytes under another name are another program.
    assert trees.tree("a.js", content_of(b"x = 1\n")) is not first


def test_what_is_not_parsed_has_no_tree() -> None:
    trees = SyntaxTreeCache()
    for path, data in (("a.zig", b"x"), ("a.py", b"\xff"), ("a.py", b"\0"), ("a.py", b"")):
        assert (trees.tree(path, content_of(data)) is None) == bool(data)


def test_who_has_no_time_gets_no_tree() -> None:
    text, asked = b"def f(): pass\n" * 500, []
    trees = SyntaxTreeCache()
    assert trees.tree("a.py", content_of(text), lambda: True) is None
    assert trees.tree("a.py", content_of(text), lambda: bool(asked.append(1))) is not None
    # What is known takes no time.
    assert trees.tree("a.py", content_of(text), lambda: True) is not None
    # The last that is asked for time looks for definitions.
    times = iter(range(len(asked) - 1))
    assert (
        SyntaxTreeCache().tree("a.py", content_of(text), lambda: next(times, None) is None) is None
    )


def test_few_trees_are_kept() -> None:
    trees = SyntaxTreeCache()
    oldest, used = (trees.tree("a.py", content_of(b"x = %d\n" % n)) for n in range(2))
    for number in range(2, MAX_TREES + 4):
        trees.tree("b.py", content_of(b"y = %d\n" % number))
        trees.tree("a.py", content_of(b"x = 1\n"))
    assert trees.tree("a.py", content_of(b"x = 1\n")) is used
    assert trees.tree("a.py", content_of(b"x = 0\n")) is not oldest


def test_not_many_bytes_are_kept() -> None:
    line = b"# " + b"a" * 1_000 + b"\n"
    contents = [line * (MAX_BYTES // 3 // len(line)) + b"# %d\n" % n for n in range(4)]
    trees = SyntaxTreeCache()
    first, second, third = (trees.tree("a.py", content_of(data)) for data in contents[:3])
    assert trees.tree("a.py", content_of(contents[2])) is third
    trees.tree("a.py", content_of(contents[3]))
    assert trees.tree("a.py", content_of(contents[2])) is third
    assert trees.tree("a.py", content_of(contents[0])) is not first
    assert second is not None


def test_many_threads_ask_at_the_same_time() -> None:
    texts = [f"def f_{n % 7}():\n    return {n}\n".encode() * 40 for n in range(60)]
    trees = SyntaxTreeCache()
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda data: trees.tree("a.py", content_of(data)), texts))
    assert [*map(parts, found)] == [
        parts(outlined_tree("a.py", content_of(text))) for text in texts
    ]
