"""What is odd about patterns and scopes, and how to mend it (scope section 3)."""

import pytest

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.findings import (
    ScopeFinding,
    file_findings,
    pattern_findings,
    reaches_control_plane,
    tree_findings,
)
from intent_lsp.core.scope.pattern import NameComparison

DIRECTORIES = {"src", "src/auth", "app", "app/[slug]", "app/[slug]/[...rest]", "src/gen"}

BAD, DEAD, HINT, WIDE = (
    FileCode.BAD_GLOB,
    FileCode.DEAD_GLOB,
    FileCode.GLOB_HINT,
    FileCode.WIDE_GLOB,
)

ODD = [
    ("a" * 513, BAD, Severity.ERROR, None),
    ("", DEAD, Severity.WARNING, None),
    ("/", DEAD, Severity.WARNING, "**"),
    ("!/", DEAD, Severity.WARNING, None),
    ("#a", DEAD, Severity.WARNING, "\\#a"),
    ("../a", DEAD, Severity.WARNING, None),
    ("a/../../b", DEAD, Severity.WARNING, None),
    ("a/./b", DEAD, Severity.WARNING, "a/b"),
    ("!a/./b", DEAD, Severity.WARNING, "!a/b"),
    ("[b-a]", DEAD, Severity.WARNING, None),
    ("{[b-a],c}", DEAD, Severity.WARNING, None),
    ("C:\\a", DEAD, Severity.WARNING, None),
    ("!C:/a", DEAD, Severity.WARNING, None),
    ("file:///a", DEAD, Severity.WARNING, None),
    ("https://x/a", DEAD, Severity.WARNING, None),
    ("~/a", DEAD, Severity.WARNING, None),
    ("${HOME}/a", DEAD, Severity.WARNING, None),
    ("%TEMP%/a", DEAD, Severity.WARNING, None),
    ("/home/me/src/**", DEAD, Severity.WARNING, None),
    ("src\\auth\\**", DEAD, Severity.WARNING, "src/auth/**"),
    ("!src\\**", DEAD, Severity.WARNING, "!src/**"),
    ("src/auth", HINT, Severity.WARNING, "src/auth/**"),
    ("!src/gen", HINT, Severity.WARNING, "!src/gen/**"),
    ("{src,app}", HINT, Severity.WARNING, "{src,app}/**"),
    ("{src,x}", HINT, Severity.WARNING, None),
    ("app/[slug]/page.tsx", HINT, Severity.WARNING, "app/\\[slug\\]/page.tsx"),
    ("app/[slug]/[...rest]/**", HINT, Severity.WARNING, "app/\\[slug\\]/\\[...rest\\]/**"),
    ("app/\\[slug\\]/[...rest]/*", HINT, Severity.WARNING, "app/\\[slug\\]/\\[...rest\\]/*"),
    ("**.ts", HINT, Severity.WARNING, "**/*.ts"),
    ("src/a**", HINT, Severity.WARNING, "src/a*/**"),
    ("!a**b", HINT, Severity.WARNING, "!a*/**/*b"),
    ("***", HINT, Severity.WARNING, "**"),
    ("{!a,b}", HINT, Severity.WARNING, None),
    ("**", WIDE, Severity.WARNING, None),
    ("**/*", WIDE, Severity.WARNING, None),
    ("!**", WIDE, Severity.WARNING, None),
    ("/src/**", HINT, Severity.HINT, "src/**"),
    ("!/src/**", HINT, Severity.HINT, "!src/**"),
    (" src/** ", HINT, Severity.HINT, "src/**"),
]


@pytest.mark.parametrize(
    ("pattern", "code", "severity", "cure"), ODD, ids=[row[0][:20] for row in ODD]
)
def test_an_odd_pattern_has_a_finding_with_its_cure(
    pattern: str, code: FileCode, severity: Severity, cure: str | None
) -> None:
    found = pattern_findings(pattern, DIRECTORIES.__contains__)[0]
    assert (found.code, found.severity, found.replacement) == (code, severity, cure)
    assert cure is None or f"`{cure}`" in found.message


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("../a", "no file name fits `..`"),
        ("a/**/[z-a]/b", "no file name fits `[z-a]`"),
        ("{../a,b/[z-a]}", "no file name fits `..`"),
        ("{,}", "no file name is empty"),
    ],
)
def test_a_pattern_that_matches_nothing_is_told_which_part_is_to_blame(
    pattern: str, why: str
) -> None:
    (found,) = pattern_findings(pattern, DIRECTORIES.__contains__)
    assert found.message == f"This pattern matches nothing: {why}."


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("!src/gen", "`src/gen` is a directory; this pattern excludes no file in it."),
        ("!*/**", "This pattern excludes every file of the root that is 1 directory deep or more."),
        ("{../a,b}", "One of the alternatives in the braces can match no file."),
        ("{../a,b,../c}", "2 of the alternatives in the braces can match no file."),
    ],
)
def test_a_finding_says_what_the_pattern_does(pattern: str, said: str) -> None:
    (found,) = pattern_findings(pattern, DIRECTORIES.__contains__)
    assert found.message.startswith(said)


SOUND = r"""
src/** src/auth/ src/a.ts *.ts app/\[slug\]/** [ab].ts app/[xyz]/a {a,b} !(a|b) \!a src/@(a|b)/**
*/x %20/** [**] etc/** a\* x/../[slug] ../[slug]/../a
"""


@pytest.mark.parametrize("pattern", SOUND.split()[:-1])
def test_a_sound_pattern_has_no_finding(pattern: str) -> None:
    assert pattern_findings(pattern, DIRECTORIES.__contains__) == ()


def test_a_leading_slash_is_the_root_when_such_a_directory_is_there() -> None:
    (found,) = pattern_findings("/home/**", {"home"}.__contains__)
    assert (found.severity, found.replacement) == (Severity.HINT, "home/**")


REACHING = """
** * **/*.ts .orchestration/** .orchestration .git .git/config .git/** .g*/x .intentignore .int*
.claude/** .claude/* .claude/settings.json .claude/settings.local.json .claude/*.json .claude/s*
.claude/set?????*.json .claude/[a-z]*.local.* .claude/!(x) .*/settings*json **/settings.json
.cursor/hooks.json .cursor/* .codex/x .gemini/settings.json .gemini/** .github/** .github/hooks/a
{a,.git}/** .claude/@(settings|x)*.json .claude/settings** **/.claude/settings.a.json
"""
APART = """
src/** *.ts a .orchestrations/** .github/workflows/** .claude/agents/** .claude/settings.md
.claude/?.json .claude/*.md .claude .cursor/rules/** .gemini/x.json .claude/settings/x.json
.cursor .claude/*/settings.json !** .claude/+(x) .claude/[a-b]*.json
"""


def test_a_pattern_that_can_match_the_control_plane_reaches_it() -> None:
    assert [one for one in REACHING.split() if not reaches_control_plane(one)] == []
    assert [one for one in APART.split() if reaches_control_plane(one)] == []
    assert not reaches_control_plane("")


def intents(*scopes: list[str], status: Status = Status.PLANNED) -> Intents:
    return Intents(
        tuple(
            Intent(id=IntentId(f"INT-{at}"), owned_scope=tuple(patterns), status=status)
            for at, patterns in enumerate(scopes)
        )
    )


def paths(text: str) -> list[WorkspacePath]:
    return list(map(WorkspacePath, text.split()))


def of(code: FileCode, found: tuple[ScopeFinding, ...]) -> list[tuple[str, int | None]]:
    return [(one.intent_id, one.pattern_index) for one in found if one.code is code]


def test_a_pattern_that_no_file_matches_has_a_hint() -> None:
    given = intents(["src/**", "lib/**", "!gen/**", "#"], ["nothing"])
    found = tree_findings(given, paths("src/a src/b"))
    assert of(FileCode.SCOPE_MATCHES_NOTHING, found) == [("INT-0", 1), ("INT-1", 0)]
    assert {one.severity for one in found} == {Severity.HINT}


@pytest.mark.parametrize("count", [100, 101, 250])
def test_of_many_patterns_that_no_file_matches_the_first_are_shown(count: int) -> None:
    found = tree_findings(
        intents(*(["x", "y"] for _ in range(count // 2)), *[["z"]] * (count % 2)), []
    )
    assert len(of(FileCode.SCOPE_MATCHES_NOTHING, found)) == 100
    others = {101: "1 more pattern", 250: "150 more patterns"}
    more = f", nor {others[count]} further down in this file" if count in others else ""
    assert found[98].message == "No file matches this pattern."
    assert found[99].message == f"No file matches this pattern{more}."


def test_a_closed_intent_is_asked_for_no_file_and_overlaps_with_nothing() -> None:
    given = intents(["src/**", "lib/**"], ["src/**"], status=Status.COMPLETED)
    assert tree_findings(given, paths("src/a")) == ()


COVERED = [
    (["a", "a"], [1]),
    (["src/**", "src/a/*.ts"], [1]),
    (["src/a/*.ts", "src/**"], [0]),
    (["{src,lib}/**", "src/a/**", "lib/x"], [1, 2]),
    (["src/", "./src/**", "/src/**"], [1, 2]),
    (["**", "a", "b/**"], [1, 2]),
    (["src/*/**", "src/*/a/*"], [1]),
    (["{a,b}", "b"], [1]),
    (["src/**", "src"], []),
    (["src/**", "srcs/a", "**/src/a"], []),
    (["src/*", "src/a"], []),
    (["src/**/a/**", "src/a/b"], []),
    (["src/**", "!src/a/**", "#", ""], []),
    (["!src/**", "src/a"], []),
]


@pytest.mark.parametrize(("patterns", "wanted"), COVERED, ids=str)
def test_a_glob_is_covered_when_that_can_be_proved(patterns: list[str], wanted: list[int]) -> None:
    found = file_findings(intents(patterns))
    assert [at for _, at in of(FileCode.COVERED_GLOB, found)] == wanted


def test_a_scope_that_reaches_into_the_control_plane_is_warned_of() -> None:
    found = file_findings(intents(["src/**", ".orchestration/**", "!.git/**"]))
    assert of(FileCode.SCOPE_CONTROL_PLANE, found) == [("INT-0", 1)]
    assert found[0].severity is Severity.WARNING


def test_a_pattern_over_the_limits_of_the_file_has_an_error() -> None:
    given = intents(*([f"a{at}/{{1..1000}}"] for at in range(21)), ["a" * 600])
    found = file_findings(given)
    assert of(FileCode.BAD_GLOB, found) == [("INT-20", 0)]
    assert found[0].severity is Severity.ERROR


def test_two_open_intents_on_the_same_files_are_told_once_with_their_files() -> None:
    given = intents(["lib/x", "src/**"], ["src/[a-d]"], ["src/**", "!src/a"], ["docs/**"])
    files = paths("docs/a lib/x src/a src/b src/c src/d src/e")
    found = [one for one in tree_findings(given, files) if one.code is FileCode.SCOPE_OVERLAP]
    assert [(one.intent_id, one.other, one.pattern_index) for one in found] == [
        ("INT-0", "INT-1", 1),
        ("INT-0", "INT-2", 1),
        ("INT-1", "INT-2", 0),
    ]
    assert found[0].message == "INT-0 and INT-1 both own `src/a`, `src/b`, `src/c`, `src/d`."
    assert found[0].severity is Severity.INFORMATION


@pytest.mark.parametrize(
    ("whole", "more"), [(True, "and 1,990 more"), (False, "and at least 1,990 more")]
)
def test_of_many_shared_files_the_first_ten_are_named_and_the_rest_counted(
    more: str, *, whole: bool
) -> None:
    given = intents(["src/**"], ["src/**", "src/[0-9]/**"])
    files = paths(
        " ".join(f"src/{n:04}" if n % 2 else f"src/{n % 10}/{n:04}" for n in range(2_000))
    )
    found = tree_findings(given, files, whole=whole)
    (overlap,) = (one for one in found if one.code is FileCode.SCOPE_OVERLAP)
    assert overlap.message.count("`") == 20
    assert overlap.message.endswith(f" {more}.")


def test_nobody_owns_control_files() -> None:
    given = intents(["**"], ["**", ".orchestration/**"], [".orchestration/**"])
    found = tree_findings(given, paths(".orchestration/active_intents.yaml .mcp.json src/a"))
    (overlap,) = (one for one in found if one.code is FileCode.SCOPE_OVERLAP)
    assert overlap.message == "INT-0 and INT-1 both own `src/a`."
    assert of(FileCode.SCOPE_MATCHES_NOTHING, found) == []


def test_a_thousand_intents_on_everything_make_no_flood() -> None:
    given = intents(*([f"{{{at},src}}/**"] for at in range(1_000)))
    found = tree_findings(given, paths("src/a src/b docs/c"))
    assert len(of(FileCode.SCOPE_OVERLAP, found)) == 1_000


def test_a_tree_is_compared_as_its_disk_compares() -> None:
    given = intents(["SRC/**"])
    assert tree_findings(given, paths("src/a"), NameComparison(case_sensitive=False)) == ()
    assert len(tree_findings(given, paths("src/a"))) == 1
