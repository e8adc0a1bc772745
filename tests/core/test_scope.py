"""What a pattern matches: the language of globs, the deviations, the limits (scope 1 to 3)."""

import inspect
import json
import sys
from itertools import product
from pathlib import Path

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope import nfa
from intent_lsp.core.scope.language import escape, read_segment
from intent_lsp.core.scope.nfa import Automaton
from intent_lsp.core.scope.pattern import EXACT, NameComparison, Pattern
from intent_lsp.core.scope.scope import compile_scope, compile_scopes

DATA = Path(__file__).parent / "data"
PATHS = json.loads((DATA / "paths.json").read_text(encoding="utf-8"))
VECTORS = [
    json.loads(line)
    for line in (DATA / "scope_typical.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(
    "vector", VECTORS, ids=[f"{one['group']}: {one['pattern']}" for one in VECTORS]
)
def test_a_typical_pattern_matches_what_minimatch_matches(vector: dict[str, object]) -> None:
    everything = set(range(len(PATHS)))
    wanted = set(vector["hits"]) if "hits" in vector else everything - set(vector["all_but"])
    scope = compile_scope([str(vector["pattern"])])
    assert {at for at, path in enumerate(PATHS) if scope.covers(path)} == wanted


# A pattern, paths that it matches, paths that it does not.
LANGUAGE = [
    ("README.md", "README.md", "readme.md docs/README.md"),
    ("src/*.ts", "src/a.ts src/.a.ts src/.ts", "src/a/b.ts src/a.tsx"),
    ("src/?.ts", "src/a.ts src/é.ts src/😀.ts", "src/.ts src/ab.ts"),
    ("[a-c]x", "ax cx", "dx [a-c]x"),
    ("[!a]x", "bx .x", "ax"),
    ("[^a]x", "bx", "ax"),
    ("[]a]x", "]x ax", "bx"),
    (r"[a\]]x", "]x ax", "bx"),
    ("[a-]x", "-x ax", "bx"),
    ("[[:alpha:]]x", "ax Éx 日x", "1x -x"),
    ("[[:digit:]_]x", "1x _x", "ax"),
    ("[![:space:]]x", "ax", "\u00a0x"),
    ("[[:graph:]]x", "ax -x", "\u00a0x"),
    ("[^[:print:]a]x", "bx \u200bx", "ax"),
    ("[[:xdigit:]]", "f 9", "g"),
    ("[[:ascii:]]", "f ~", "é"),
    ("[a", "[a", "a"),
    ("[a\\", "[a\\", "a"),
    ("a[", "a[", "a"),
    ("[x-a]", "", "x a [x-a]"),
    ("{[x-a],b}", "b", "a x"),
    ("[x-ab]", "b", "x a"),
    ("[a-[:alpha:]]", "", "a b"),
    ("src/**", "src/a src/.a/b src/a/b/c", "src srcs/a"),
    ("**", "a a/b .a", ""),
    ("**/x", "x a/x a/.b/x", "ax x/a"),
    ("a/**/b", "a/b a/c/b a/c/d/b", "a/cb b"),
    ("a/**/**/b", "a/b a/c/b", "b"),
    ("**.ts", "a.ts .ts", "a/b.ts"),
    ("a**", "a ab", "a/b"),
    ("**/a/**", "a/b c/a/b", "a c/a"),
    ("a//b", "a/b", "a"),
    ("a/../b", "b", "a/b"),
    ("*.{ts,js}", "a.ts a.js", "a.{ts,js}"),
    ("{a,b/c}/d", "a/d b/c/d", "c/d"),
    ("{a, b}", "a", "b"),
    ("{a,{b,c}d}", "a bd cd", "b"),
    ("{1..3}", "1 2 3", "4 {1..3}"),
    ("{01..10..2}", "01 03 09", "1 02 10"),
    ("{3..1}", "1 2 3", "0"),
    ("{-1..1}", "-1 0 1", "2"),
    ("{a..e..2}", "a c e", "b"),
    ("{Z..a}", "Z [ a", "b"),
    ("{a}", "{a}", "a"),
    ("{a,b", "{a,b", "a"),
    ("a{,b}", "a ab", "b"),
    ("{,a}", "a", "b"),
    ("{a},b}", "a} b", "{a}"),
    ("{{a,b}}", "{a} {b}", "a"),
    ("{a,{b}}", "a {b}", "b"),
    ("{}{a,b}", "{}a {}b", "a"),
    ("{${a,b}}", "{${a,b}}", "a"),
    ("a}{b,c}", "a}b a}c", "ab"),
    ("{{b,c}{d}}", "{b{d}} {c{d}}", "b"),
    ("${a,b}", "${a,b}", "$a"),
    (r"\{a,b\}", "{a,b}", "a"),
    ("?(a)b", "b ab", "aab"),
    ("*(a)b", "b aab", "cb"),
    ("+(a|b)", "a abba", "c"),
    ("@(a|b)c", "ac bc", "c abc"),
    ("@(a|b*)c", "ac bc bxc", "axc"),
    ("*@()*", "a ab", ""),
    ("!(gen)", "a genx xgen", "gen"),
    ("!(*.test).ts", "a.ts test.ts", "a.test.ts"),
    ("!()", "a", ""),
    ("a!(b)c", "ac abbc axc", "abc"),
    ("!(!(a))", "a", "b"),
    ("!(a|!(b*))", "b bc", "a c"),
    ("+([0-9]).log", "1.log 42.log", ".log a.log"),
    ("*!([a-f])x", "ax x", "a"),
    ("@(a", "@(a", "a"),
    ("?(a", "?(a", "xa"),
    ("@()", "@()", "a"),
    ("a|b)", "a|b)", "a"),
    ("@(a/b)", "@(a/b)", "a/b"),
    (r"\*", "*", "a"),
    (r"\a", "a", r"\a"),
    ("a\\", "a\\", "a"),
    (r"\!a", "!a", "a"),
    (r"\#a", "#a", "a"),
    ("#a", "", "#a a"),
]


@pytest.mark.parametrize(("pattern", "hits", "misses"), LANGUAGE, ids=[row[0] for row in LANGUAGE])
def test_the_language_is_that_of_the_table(pattern: str, hits: str, misses: str) -> None:
    scope = compile_scope([pattern])
    asked = hits.split(" ") + misses.split(" ")
    assert [path for path in asked if path and scope.covers(WorkspacePath(path))] == [
        path for path in hits.split(" ") if path
    ]


DEVIATIONS = [
    (["src/**", "!src/gen/**"], "src/a", "src/gen/a"),
    (["!src/gen/**", "src/**"], "src/a", "src/gen/a"),
    (["!src/gen/**"], "", "src/gen/a src/a a"),
    (["**", "!src/gen/"], "src/gen a", "src/gen/a"),
    (["**", "!./a"], "b", "a"),
    (["**", "!/a"], "b", "a"),
    (["!!a"], "a", "b"),
    (["**", "!!!a"], "b", "a"),
    (["!(gen)/**"], "src/a", "gen/a a"),
    (["**", "!(gen/a"], "a", "(gen/a"),
    (["**", "!#a"], "a", "#a"),
    (["src/"], "src/a src/a/b", "src"),
    (["src/**/"], "src/a", "src"),
    (["./src/**"], "src/a", "a"),
    (["././/src"], "src", "a"),
    (["/src/**"], "src/a", "a"),
    (["  src/**\t"], "src/a", "a"),
    (["{./src,a}"], "a", "src"),
    (["src/{,a}"], "src/a", "src/b src"),
    (["{!a,b}"], "!a b", "a"),
    (["{#a,b}"], "#a b", "a"),
]


@pytest.mark.parametrize(("patterns", "hits", "misses"), DEVIATIONS, ids=str)
def test_a_pattern_means_what_people_mean(patterns: list[str], hits: str, misses: str) -> None:
    scope = compile_scope(patterns)
    assert all(scope.covers(WorkspacePath(path)) for path in hits.split())
    assert not any(scope.covers(WorkspacePath(path)) for path in misses.split())


def test_spaces_inside_a_pattern_belong_to_the_names() -> None:
    scope = compile_scope(["{a, b}", "c d/*", r"e\ "])
    assert all(map(scope.covers, map(WorkspacePath, ("a", " b", "c d/x", "e "))))
    assert not any(map(scope.covers, map(WorkspacePath, ("b", "e"))))


@pytest.mark.parametrize(
    "pattern", ["", " ", "#a", "!", "/", "./", ".", "..", "../a", "a/./b", "!#"]
)
def test_a_dead_pattern_owns_nothing(pattern: str) -> None:
    scope = compile_scope([pattern])
    assert not any(map(scope.covers, map(WorkspacePath, ("a", "a/b", "#a", "/", "!", ""))))


def test_no_pattern_owns_a_path_with_an_empty_segment() -> None:
    assert not any(map(compile_scope(["**"]).covers, map(WorkspacePath, ("", "/a", "a//b", "a/"))))


def test_an_empty_scope_owns_nothing() -> None:
    assert not compile_scope([]).covers(WorkspacePath("a"))


def test_a_scope_says_which_pattern_covers_a_path() -> None:
    scope = compile_scope(["docs/**", " src/** ", "**/*.py", "!src/gen/**"])
    assert scope.why(WorkspacePath("src/a.py")) == " src/** "
    assert scope.why(WorkspacePath("a.py")) == "**/*.py"
    assert scope.why(WorkspacePath("src/gen/a.py")) is None
    assert scope == compile_scope(scope.patterns)


REFUSED = [
    ("a" * 512, "a" * 513),
    ("{1..1000}", "{1..1001}"),
    ("{a,b}" * 9, "{a,b}" * 10),
    ("{" + "," * 511, "{" + "," * 255 + "}{" + "," * 8 + "}"),
    ("{1..2}", "{1..99999999999999999999}"),
    ("{{1..400},{1..400}}", "{{1..600},{1..600}}"),
    ("{1..200}" + "a" * 300, "{1..300}" + "a" * 300),
    ("{" * 200 + "a}", "{a," * 170 + "}" * 170),
    ("**/a/" * 16 + "b", "**/a/" * 17 + "b"),
    ("@(a)" * 8, "@(a)" * 9),
    ("*(*(*(a)))", "*(*(*(*(a))))"),
    ("[[:alpha:]]" * 8, "[[:alpha:]]" * 9),
    ("[{1..9}x]" * 2, "[{1..90}x]"),
    ("{1..32}+(a)", "{1..33}+(a)"),
    ("+(" + "a" * 150 + ")", "+(" + "a" * 160 + ")"),
    ("*!(?a*)*b", "*!(" + "|".join("?" * at + "a*" for at in range(1, 15)) + ")*b"),
]


@pytest.mark.parametrize(("within", "beyond"), REFUSED, ids=[row[1][:30] for row in REFUSED])
def test_a_pattern_over_a_limit_is_refused_and_the_others_go_on(within: str, beyond: str) -> None:
    assert Pattern(within, EXACT).refusal is None
    assert Pattern(beyond, EXACT).refusal
    assert Pattern(beyond, EXACT).rows == ()
    scope = compile_scope([beyond, "a"])
    assert scope.why(WorkspacePath("a")) == "a"


def test_a_file_has_room_for_so_many_alternatives() -> None:
    wide = [f"a{at}/{{1..1000}}" for at in range(21)]
    *_, twentieth, beyond, small = compile_scopes([*([one] for one in wide), ["b"]])
    assert twentieth.covers(WorkspacePath("a19/7"))
    assert not beyond.covers(WorkspacePath("a20/7"))
    assert beyond.compiled[0].refusal
    assert not small.covers(WorkspacePath("b"))
    assert compile_scopes([[*wide[:19], "b"]])[0].covers(WorkspacePath("b"))


def test_a_file_has_room_for_so_many_automata() -> None:
    patterns = [f"{{1..25}}+(a)x{at}" for at in range(21)]
    (scope,) = compile_scopes([[*patterns, "b"]])
    assert [one.refusal is None for one in scope.compiled] == [True] * 20 + [False, True]


def test_case_is_ignored_where_the_disk_ignores_it() -> None:
    scope = compile_scope(
        ["SRC/[a-c]*.Ts", "É/[[:upper:]]+(X)"], NameComparison(case_sensitive=False)
    )
    assert scope.covers(WorkspacePath("src/Bx.TS"))
    assert scope.covers(WorkspacePath("é/axX"))
    assert not scope.covers(WorkspacePath("src/dx.ts"))
    assert not compile_scope(["SRC/**"]).covers(WorkspacePath("src/a"))
    # A letter whose small form is two letters is left as it is: `?` is one letter.
    assert compile_scope(["?"], NameComparison(case_sensitive=False)).covers(WorkspacePath("İ"))
    assert compile_scope(["İ"], NameComparison(case_sensitive=False)).covers(WorkspacePath("İ"))
    assert compile_scope([r"\A/?(b)*[x]"], NameComparison(case_sensitive=False)).covers(
        WorkspacePath("a/BX")
    )


def test_composed_and_decomposed_names_are_one_where_the_disk_says_so() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    for written, named in ((composed, decomposed), (decomposed, composed)):
        assert compile_scope([written], NameComparison(nfc=True)).covers(WorkspacePath(named))
        assert not compile_scope([written]).covers(WorkspacePath(named))


def test_names_that_are_odd_work_as_any_other() -> None:
    for name in ("a\nb", "a\udcffb", "a" * 4000, "a/" * 1999 + "a", "\u202e", "\x7f"):
        for pattern in (escape(name), "**", "a*" if "/" not in name else "a/**", "**/*"):
            covered = compile_scope([pattern]).covers(WorkspacePath(name))
            assert covered or (pattern == "a*" and not name.startswith("a")) or len(pattern) > 512


# Each once took more than seconds in a matcher that backtracks or that builds all states.
HOSTILE = [
    "*a" * 120 + "b",
    "?*" * 100 + "b",
    "**/a/" * 16 + "b",
    "{**/,}a/" * 8 + "b",
    "{?,a}" * 9 + "b",
    "{*a,*b}" * 9 + "c",
    "*{1..1000}*b",
    "+(a|aa)" * 8 + "b",
    "*(*(*(a|b)|ab)|ba)c",
    "*(a|b)" * 8 + "c",
    "!(*a*)!(*b*)!(*c*)x",
    "!(!(!(*a*)))x",
    "*!(*a??????????)*b",
    "*([!a]|[!b]|??)*([ab])c",
    "[a-{a..z}]*[a-{a..z}]*x",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_pattern_comes_to_an_end(pattern: str) -> None:
    scope = compile_scope([pattern])
    assert scope.compiled[0].refusal is None
    for path in ("a" * 4000, "/".join("a" * 2000), "".join(map(chr, range(0x4E00, 0x4E00 + 4000)))):
        scope.covers(WorkspacePath(path))


def test_braces_are_expanded_within_a_bounded_number_of_steps() -> None:
    assert Pattern("{" * 128 + ",".join("ab" * 64) + "}" * 128, EXACT).refusal
    assert Pattern("{" * 100 + "a,b" + "}" * 100, EXACT).refusal is None
    assert len(Pattern("\U0010ff00{a,b}", EXACT).rows) == 1


def test_braces_nested_deeper_than_the_interpreter_goes_are_refused() -> None:
    pattern = "{" * 100 + "a,b" + "}" * 100

    def refusal(depth: int) -> str | None:
        return refusal(depth - 1) if depth else Pattern(pattern, EXACT).refusal

    assert refusal(0) is None
    assert refusal(sys.getrecursionlimit() - len(inspect.stack()) - 100) is not None


@pytest.mark.parametrize("wildcard", ["?", "[w-z]", "[[:alpha:]]", "*(a)x"])
def test_many_wildcards_in_one_pattern_are_told_apart(wildcard: str) -> None:
    scope = compile_scope([f"src/{{1..30}}{wildcard}/**"])
    for path in ("src/1x/y", "src/17x/y", "src/30x/y"):
        assert scope.covers(WorkspacePath(path))
    for path in ("src/31x/y", "src/ax/y", "src/1/y", "src/1x", "lib/1x/y"):
        assert not scope.covers(WorkspacePath(path))


def test_an_automaton_that_has_read_very_much_answers_as_a_fresh_one() -> None:
    scope = compile_scope(["*([!a]|[!b]|??)*([ab])c"])
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 20_900)))
    assert not scope.covers(WorkspacePath(long))
    assert scope.covers(WorkspacePath(long + "abc"))
    assert scope.covers(WorkspacePath("c"))
    assert not scope.covers(WorkspacePath("a"))


def test_an_automaton_that_forgets_its_states_answers_as_one_that_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    items = read_segment("!(*(a)!(abd|bd))", folded=False)
    assert items is not None
    names = ["".join(letters) for size in range(7) for letters in product("abd", repeat=size)]
    expected = [Automaton((items,)).matches(name) for name in names]
    for edges in range(4):
        monkeypatch.setattr(nfa, "_MAX_EDGES", edges)
        automaton = Automaton((items,))
        assert [automaton.matches(name) for name in names] == expected
