"""Who owns a path, asked of all intents at once (scope section 5)."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.pattern import NameComparison
from intent_lsp.core.scope.scope import Ownership, ScopeIndex, compile_scope
from tests.support.scope_index import index_of


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def owners(index: ScopeIndex, path: str) -> list[tuple[str, str]]:
    return [(found.intent_id, found.pattern) for found in index.owners(WorkspacePath(path))]


@pytest.fixture
def index() -> ScopeIndex:
    return index_of(
        [
            ("A", ["docs/**", "src/**", "**/*.py", "!src/gen/**"]),
            ("B", ["**/*.py", "src/a.*"]),
            ("C", ["!src/**"]),
            ("D", []),
            ("E", ["**/*long*name*/**", "**/*middle*", "*/[ab]?", "src", "*"]),
        ]
    )


def test_all_owners_are_given_in_file_order_with_their_first_pattern(index: ScopeIndex) -> None:
    assert owners(index, "src/a.py") == [("A", "src/**"), ("B", "**/*.py")]
    assert owners(index, "src/a.ts") == [("A", "src/**"), ("B", "src/a.*")]
    assert index.owners(WorkspacePath("docs/x")) == (Ownership(IntentId("A"), "docs/**"),)


def test_an_exclusion_holds_for_its_own_intent_alone(index: ScopeIndex) -> None:
    assert owners(index, "src/gen/a.py") == [("B", "**/*.py")]
    assert owners(index, "src/gen/a.ts") == []


def test_wildcards_are_found_wherever_they_are_filed(index: ScopeIndex) -> None:
    assert owners(index, "x/a_long_name_b/c") == [("E", "**/*long*name*/**")]
    assert owners(index, "x/y/in_middle_of") == [("E", "**/*middle*")]
    assert owners(index, "x/ax") == [("E", "*/[ab]?")]
    assert owners(index, "src") == [("E", "src")]
    assert owners(index, "x") == [("E", "*")]


def test_nobody_owns_what_is_no_path(index: ScopeIndex) -> None:
    assert [owners(index, path) for path in ("", "/src/a", "src//a", "src/")] == [[]] * 4


def test_many_wildcards_under_one_name_are_told_apart() -> None:
    patterns = [f"**/*{at}*.ts" for at in range(40)] + [f"src/a{at}*b" for at in range(40)]
    patterns += [f"**/mid*{at}{at}x*" for at in range(40)] + ["a/**/b/**/c/**", "**/a/**/*"]
    index = index_of([(text, [text]) for text in patterns])
    for path in ("x/11.ts", "src/a17xb", "src/a1b", "mid33x", "a/b/c/d", "a/b/a/b/c/c", "a/a/a"):
        wanted = [text for text in patterns if compile_scope([text]).covers(WorkspacePath(path))]
        assert [pattern for _, pattern in owners(index, path)] == wanted


def test_the_answer_is_the_same_when_names_come_by_the_thousand() -> None:
    index = index_of([("A", ["**/*7*.ts"])])
    found = [at for at in range(9_000) if owners(index, f"src/{at}.ts")]
    assert found == [at for at in range(9_000) if "7" in str(at)]


@pytest.mark.usefixtures("switching")
def test_threads_that_empty_the_cache_of_each_other_are_answered(
    index: ScopeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.core.scope.trie._HEAVIEST", 0)

    def asked(thread: int) -> bool:
        paths = [WorkspacePath(f"src/{thread}/{at % 7}/a.ts") for at in range(5_000)]
        return all(index.hits(path).given for path in paths)

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(asked, range(3))) == [True] * 3


def test_patterns_over_the_limits_of_a_file_own_nothing() -> None:
    index = index_of([(str(at), [f"a{at}/{{1..1000}}"]) for at in range(21)])
    assert owners(index, "a19/5") == [("19", "a19/{1..1000}")]
    assert owners(index, "a20/5") == []


def test_the_index_compares_names_as_the_disk_does() -> None:
    index = index_of([("A", ["SRC/caf\u00e9*"])], NameComparison(case_sensitive=False, nfc=True))
    assert owners(index, "src/CAFE\u0301.txt") == [("A", "SRC/caf\u00e9*")]
