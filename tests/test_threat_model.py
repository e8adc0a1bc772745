"""The threat model is held to the tests: each one that it names is there, each row names one."""

import ast
import re
from pathlib import Path

import pytest

from intent_lsp import __version__
from tests.support import markdown

ROOT = Path(__file__).parent.parent
PAGE = markdown.read(ROOT / "docs" / "threat-model.md")
SECURITY = markdown.read(ROOT / "SECURITY.md")
NAMED = re.compile(r"(tests/[\w/]+\.py)::(\w+)(?:\[.*\])?")


def named(text: str) -> list[tuple[str, str]]:
    """Give the tests that a text names: file and function, without the id of an example."""
    return [(found[1], found[2]) for found in NAMED.finditer(text)]


def names_of(path: Path) -> set[str]:
    """Give the tests of a file, methods too."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {
        node.name for node in nodes if isinstance(node, functions) and node.name.startswith("test_")
    }


def ways() -> list[str]:
    """Give the rows of the ways round, the heads of their tables left out."""
    _, _, rest = PAGE.text.partition("\n## Ways round")
    section, _, _ = rest.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [row for row in rows if not row.startswith(("| what is tried |", "| --- |"))]


@pytest.mark.parametrize("file", sorted({file for file, _ in named(PAGE.text)}))
def test_every_test_that_is_named_is_there(file: str) -> None:
    known = names_of(ROOT / file) if (ROOT / file).is_file() else set()
    assert [name for path, name in named(PAGE.text) if path == file and name not in known] == []


def test_no_test_is_named_in_a_form_that_nobody_checks() -> None:
    spans = [span for span in PAGE.spans() if "tests/" in span or "test_" in span]
    assert [span for span in spans if NAMED.fullmatch(span) is None] == []


def test_every_way_round_names_a_test_and_no_way_stands_twice() -> None:
    rows = ways()
    assert len(rows) > 50
    assert [row for row in rows if not named(row)] == []
    tried = [row.split(" | ")[0] for row in rows]
    assert len(tried) == len(set(tried))


def test_an_example_of_a_test_is_the_test() -> None:
    assert named("`tests/a/test_b.py::test_c[x|y-1]`") == [("tests/a/test_b.py", "test_c")]


@pytest.mark.parametrize("name", ["SECURITY.md", "docs/threat-model.md"])
def test_every_link_of_the_pages_on_security_leads_to_a_file(name: str) -> None:
    page = markdown.read(ROOT / name)
    there = {link: (page.path.parent / link.partition("#")[0]).exists() for link in page.links()}
    assert there
    assert [link for link, is_there in there.items() if not is_there] == []


def test_the_supported_version_is_this_one() -> None:
    supported = re.findall(r"^\| (\d+\.\d+)\.x \| yes \|$", SECURITY.text, flags=re.MULTILINE)
    assert supported == [__version__.rpartition(".")[0]]
