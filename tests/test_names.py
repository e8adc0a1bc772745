"""Folders, modules and names: small folders, one name for one thing, words of the field."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.support import architecture

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "intent_lsp"
FOLDERS = [PACKAGE, *(path.parent for path in sorted(PACKAGE.rglob("*/__init__.py")))]
MODULES = architecture.modules_of(PACKAGE)
OUTSIDE_THE_PACKAGE = [
    module
    for folder in ("tests", "benchmarks", "demo")
    for module in architecture.modules_of(ROOT / folder)
]

MODULES_IN_A_FOLDER = 20
LINES_OF_A_MODULE = 300
PICTURES = frozenset(
    (
        *("bell", "bulletin", "carrier", "chronicle", "desk", "doorkeeper", "doorway", "farewell"),
        *("hear", "lobby", "lull", "office", "reception", "room", "sight", "spell", "stir"),
        *("stranger", "tell", "told", "untold"),
    )
)
"""Words that a reader would have to learn; each thing has a name of the field instead."""


@pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: folder.relative_to(PACKAGE.parent).as_posix()
)
def test_a_folder_is_one_subject_and_small(folder: Path) -> None:
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MODULES_IN_A_FOLDER
    if folder != PACKAGE:
        said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
        assert said is not None
        assert said.count(". ") == 0, "one sentence names the subject"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_is_one_subject_and_small(module: architecture.Module) -> None:
    lines = (PACKAGE.parent / module.path).read_text(encoding="utf-8").splitlines()
    assert len(lines) <= LINES_OF_A_MODULE


def words(name: str) -> set[str]:
    """Split a name into its words, in lower case."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {word.lower() for word in found}


def public_names(module: architecture.Module) -> Iterator[str]:
    """Name a module, its public classes, and the public functions in it, wherever they stand."""
    yield module.name.rpartition(".")[2]
    for node in ast.walk(module.tree):
        named = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if named and not node.name.startswith("_"):
            yield node.name


def pictures_in(modules: Iterable[architecture.Module]) -> set[str]:
    """Return the public names with a word that is a picture, save tests': those are sentences."""
    return {
        f"{module.path}: {name}"
        for module in modules
        for name in public_names(module)
        if words(name) & PICTURES
        and (not name.startswith("test_") or module.name.endswith(f".{name}"))
    }


def test_no_public_name_has_a_word_that_is_a_picture() -> None:
    assert pictures_in(MODULES) == set()


def test_neither_has_a_name_of_the_tests_the_benchmarks_and_the_demo() -> None:
    assert pictures_in(OUTSIDE_THE_PACKAGE) == set()


def test_a_name_that_is_a_picture_is_found_wherever_it_stands() -> None:
    source = "class Lobby:\n    def tell(self): ...\n\ndef test_it_is_told(): ...\n"
    module = architecture.parse("tests.doors.test_desk", source, path="test_desk.py")
    found = {f"test_desk.py: {name}" for name in ("Lobby", "tell", "test_desk")}
    assert pictures_in([module]) == found


def classes(module: architecture.Module) -> Iterator[str]:
    """Name the public classes of a module, and the types that it gives a name."""
    for node in module.tree.body:
        match node:
            case ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                pass
            case _:
                continue
        if name[0].isupper() and not name.isupper() and len(name) > 1:
            yield name


def test_every_public_class_has_a_name_of_its_own() -> None:
    found = defaultdict(list)
    for module in MODULES:
        for name in classes(module):
            found[name].append(module.short_name)
    assert {name: modules for name, modules in found.items() if len(modules) > 1} == {}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("StirredDesk", {"stirred", "desk"}),
        ("untold_story", {"untold", "story"}),
        ("RPCTeller", {"rpc", "teller"}),
    ],
)
def test_names_are_split_into_whole_words(name: str, found: set[str]) -> None:
    assert words(name) == found
