"""Folders, modules and names: small shelves, one name for one thing, words of the field."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import architecture

PACKAGE = Path(__file__).parent.parent / "intent_lsp"
FOLDERS = [PACKAGE, *(path.parent for path in sorted(PACKAGE.rglob("*/__init__.py")))]
MODULES = architecture.modules_of(PACKAGE)

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


def test_no_public_name_has_a_word_that_is_a_picture() -> None:
    found = {
        f"{module.short_name}: {name}"
        for module in MODULES
        for name in public_names(module)
        if words(name) & PICTURES
    }
    assert found == set()


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
    assert {name: rooms for name, rooms in found.items() if len(rooms) > 1} == {}


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
