"""Paths that a plan names, and the globs that they become."""

import pytest

from intent_lsp.formats.plans.named_paths import MAX_GLOBS, TreeNames, globs_of, paths_in
from intent_lsp.formats.plans.proposed_intent import NamedPath

FILES = (
    "README.md",
    "Dockerfile",
    "src/auth/login.py",
    "src/auth/token.py",
    "src/web/[slug]/page.tsx",
    "src/core/gen/adapters/index.ts",
    "tests/test_login.py",
    "tests/e2e/index.ts",
    "docs/guide.md",
    ".orchestration/active_intents.yaml",
)
DIRECTORIES = {
    "/".join(path.split("/")[:depth]) for path in FILES for depth in range(1, path.count("/") + 1)
}


def only_file_below(path: str) -> str | None:
    found = [each for each in FILES if each.endswith(f"/{path}")]
    return found[0] if len(found) == 1 else None


TREE = TreeNames(FILES.__contains__, DIRECTORIES.__contains__, only_file_below)


@pytest.mark.parametrize(
    ("text", "stated", "others"),
    [
        ("Add a test in tests/test_new.py", ["tests/test_new.py"], []),
        ("Create src/new/, then", [], ["src/new/"]),
        ("Put it into src/new/.", ["src/new/"], []),
        ("see src/auth/login.py:12-20.", [], ["src/auth/login.py"]),
        ("see [the login](src/auth/login.py#L3)", [], ["src/auth/login.py"]),
        ("in `src/a b.py`", [], []),
        ("`src/auth/login.py`, `README.md`", ["src/auth/login.py"], ["README.md"]),
        ("**src/auth/login.py**: the file", [], ["src/auth/login.py"]),
        ("from `./src/a.py`", ["src/a.py"], []),
        ("in `src\\auth\\login.py`", ["src/auth/login.py"], []),
        ("``src/a.py``", ["src/a.py"], []),
        ("at https://example.com/src/a.py", [], []),
        ("at www.example.com/src/a.py", [], []),
        ("and/or, GET/POST", [], ["and/or", "GET/POST"]),
        ("`/api/users` and `~/x/y.py` and `../z/a.py`", [], []),
        ("in src/models/[entity name].py", [], []),
        ("`src/{name}/x.py`, `src/<name>/y.py`, `src/$NAME/z.py`, `.../a.py`", [], []),
        ("`src/**/*.ts`", ["src/**/*.ts"], []),
        ("`@scope/package`, `#7/x`, `-x/y`", [], []),
        ("version 1.2, e.g. 3.4", [], ["e.g"]),
        ("Files: src/a.py, src/b.py", ["src/a.py"], ["src/b.py"]),
        ("(in src/a.py)", ["src/a.py"], []),
        ("\u201cin src/a.py\u201d", ["src/a.py"], []),
        ("the Dockerfile", [], []),
        ("`Makefile` and `config.install`", [], ["config.install"]),
        ("in src/a.py and `src/a.py`", ["src/a.py"], []),
        ("`" * 5_000 + "src/a.py", [], ["src/a.py"]),
    ],
)
def test_paths_are_found_in_a_text(text: str, stated: list[str], others: list[str]) -> None:
    found = paths_in([text])
    assert [path.text for path in found if path.stated] == stated
    assert [path.text for path in found if not path.stated] == others


@pytest.mark.parametrize(
    ("named", "globs"),
    [
        # What is there: files and directories, stated or not.
        ("src/auth/login.py", ["src/auth/login.py"]),
        ("src/auth", ["src/auth/**"]),
        ("src/auth/", ["src/auth/**"]),
        ("README.md", ["README.md"]),
        ("src/web/[slug]/page.tsx", ["src/web/\\[slug\\]/page.tsx"]),
        ("docs", ["docs/**"]),
        # What is not there yet counts only if it is stated.
        ("and/or", []),
        ("src/new.py", []),
        ("`src/new.py`", ["src/new.py"]),
        ("`src/new/`", ["src/new/**"]),
        ("`src/new`", ["src/new/**"]),
        ("`lib/new.py`", ["lib/new.py"]),
        ("`lib/new/`", ["lib/new/**"]),
        ("`lib/new`", []),
        ("`lib/`", []),
        ("`application/json`", []),
        ("`example.com/page.html`", []),
        ("`src/[entity]/a.py`", []),
        # Spelled from an inner directory, if one file alone is meant.
        ("`adapters/index.ts`", ["src/core/gen/adapters/index.ts"]),
        ("`gen/other.ts`", ["gen/other.ts"]),
        # Globs, which must begin at a directory that is there.
        ("`src/**/*.py`", ["src/**/*.py"]),
        ("`src/auth/{a,b}.py`", ["src/auth/{a,b}.py"]),
        ("`lib/**/*.py`", []),
        # Never everything, nor control files.
        ("`**`", []),
        ("`**/*.py`", []),
        (".orchestration", []),
        ("`.orchestration/new.yaml`", []),
        ("`.git/config.yaml`", []),
    ],
)
def test_a_named_path_becomes_a_glob(named: str, globs: list[str]) -> None:
    path = NamedPath(named.strip("`"), stated=named.startswith("`"))
    assert list(globs_of([path], TREE).globs) == globs


def test_what_no_intent_may_own_is_left_out() -> None:
    named = [NamedPath("**/*.py", stated=True), NamedPath(".orchestration", stated=True)]
    assert globs_of(named, TREE).left_out == ("**/*.py", ".orchestration")


def test_a_file_that_may_be_new_is_named_where_it_is_left_out() -> None:
    texts = ["Create src/new.py, then docs/new/, docs/new/*.md, GET/POST, lib/a.py, src/x/y"]
    found = globs_of(paths_in(texts), TREE)
    assert found.globs == ()
    assert found.left_out == ("src/new.py", "docs/new/*.md")


def test_what_a_directory_has_is_not_said_again() -> None:
    named = [
        NamedPath(text, stated=True) for text in ("src/auth/login.py", "src/auth", "README.md")
    ]
    assert globs_of(named, TREE).globs == ("src/auth/**", "README.md")


def test_a_directory_of_the_root_gives_way_to_what_is_named_in_it() -> None:
    named = [NamedPath(text, stated=True) for text in ("src/", "docs/", "src/auth/login.py")]
    assert globs_of(named, TREE).globs == ("docs/**", "src/auth/login.py")


def test_the_documents_of_the_plan_are_no_scope() -> None:
    named = [NamedPath("docs/guide.md", stated=True), NamedPath("README.md", stated=True)]
    assert globs_of(named, TREE, lambda path: path.startswith("docs/")).globs == ("README.md",)


def test_globs_beyond_the_limit_are_left_out() -> None:
    named = [NamedPath(f"src/new/{number}/a.py", stated=True) for number in range(MAX_GLOBS + 2)]
    found = globs_of(named, TREE)
    assert len(found.globs) == MAX_GLOBS
    assert found.left_out == ("src/new/100/a.py", "src/new/101/a.py")
