"""The documentation is held to the code: codes, links, examples, commands, versions."""

import json
import re
import subprocess
import sys
from enum import StrEnum
from itertools import takewhile
from pathlib import Path

import pytest
import yaml

from intent_lsp import __version__
from intent_lsp.core import codes
from tests.support import (
    code_map,
    command_list,
    host_pages,
    markdown,
    message_list,
    schema_files,
)
from tests.support.markdown import Page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(ROOT).as_posix(): markdown.read(path)
    for path in sorted([ROOT / "README.md", *DOCS.rglob("*.md")])
}
FOLDERS = ("tests", "benchmarks", "demo")
READMES = {
    path.relative_to(ROOT).as_posix(): markdown.read(path)
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("README.md"))
    if "node_modules" not in path.parts
}
TARGETS = set(
    re.findall(r"^([a-z][a-z-]*):(?!=)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
)

each_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
each_page_or_readme = pytest.mark.parametrize(
    "page", [*PAGES.values(), *READMES.values()], ids=[*PAGES, *READMES]
)


def known_codes() -> set[str]:
    kinds = [
        kind
        for kind in vars(codes).values()
        if isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not StrEnum
    ]
    return {code.value for kind in kinds for code in kind}


def test_every_code_has_a_section_of_its_own_and_no_other_code_has() -> None:
    page = PAGES["docs/codes.md"]
    documented = [text for text in page.headings() if re.fullmatch(r"[A-Z][A-Z_]+", text)]
    assert sorted(documented) == sorted(known_codes())
    assert {code.lower() for code in known_codes()} <= page.anchors()


def test_every_code_is_explained_and_has_a_way_out() -> None:
    sections = re.split(r"^### ", PAGES["docs/codes.md"].text, flags=re.MULTILINE)[1:]
    without = [text.split("\n")[0] for text in sections if "**Way out:**" not in text]
    assert without == []


@each_page_or_readme
def test_every_link_leads_somewhere(page: Page) -> None:
    dead = [target for target in page.links() if not _leads_somewhere(page, target)]
    assert dead == []


def _leads_somewhere(page: Page, target: str) -> bool:
    if re.match(r"[a-z]+:", target):
        return True
    name, _, anchor = target.partition("#")
    there = (page.path.parent / name).resolve() if name else page.path
    if not there.exists() or not there.is_relative_to(ROOT):
        return False
    return not anchor or anchor in markdown.read(there).anchors()


@each_page_or_readme
def test_every_example_is_of_the_language_it_claims(page: Page) -> None:
    for fence in page.fences():
        match fence.language:
            case "yaml":
                yaml.safe_load(fence.body)
            case "json":
                json.loads(fence.body)
            case "python":
                compile(fence.body, str(page.path), "exec")
            case language:
                assert language in {"", "console", "lua", "mermaid", "sh", "text"}, fence


def _commands(page: Page) -> set[str]:
    """Return what a reader would type: console lines, and code spans."""
    typed = [
        line.removeprefix("$ ")
        for fence in page.fences()
        if fence.language in {"console", "sh"}
        for line in fence.body.splitlines()
        if fence.language == "sh" or line.startswith("$ ")
    ]
    return {line.split("  #")[0].strip() for line in [*typed, *page.spans()]}


@each_page_or_readme
def test_every_make_target_exists(page: Page) -> None:
    asked = {line.split()[1] for line in _commands(page) if re.match(r"make [a-z]", line)}
    assert asked <= TARGETS


def _subcommands() -> list[str]:
    """Give each `intent-lsp` command: its words up to the first that is none, and its options."""
    found = set()
    for page in PAGES.values():
        for line in _commands(page):
            words = line.split()
            if words[:1] == ["intent-lsp"] and "--version" not in words:
                plain = takewhile(re.compile(r"[a-z]+").fullmatch, words[1:])
                options = [word.split("=")[0] for word in words if word.startswith("--")]
                found.add(" ".join([*plain, *options]))
    return sorted(found)


@pytest.mark.e2e
@pytest.mark.parametrize("line", _subcommands())
def test_every_command_and_its_options_exist(line: str) -> None:
    words = line.split()
    plain = [word for word in words if not word.startswith("--")]
    done = subprocess.run(
        [sys.executable, "-m", "intent_lsp", *plain, "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [word for word in words if word.startswith("--") and word not in done.stdout] == []


def test_the_changelog_has_an_entry_for_this_version() -> None:
    headings = PAGES["docs/changelog.md"].headings()
    versions = [text for text in headings if re.match(r"\[?\d", text)]
    assert versions
    assert re.match(rf"\[{re.escape(__version__)}\]( - \d{{4}}-\d\d-\d\d)?$", versions[0])


@each_page
def test_the_product_line_names_this_version(page: Page) -> None:
    told = re.findall(r"intent-lsp (\d+\.\d+\.\d+\S*) \(", page.text)
    assert set(told) <= {__version__}


def test_the_list_of_commands_is_the_one_that_they_make() -> None:
    assert command_list.written() == command_list.made(), "run `make docs`"


def test_the_list_of_messages_is_the_one_that_the_code_makes() -> None:
    assert message_list.PAGE.read_text(encoding="utf-8") == message_list.made(), "run `make docs`"


HARD_TO_READ = re.compile(
    r"\b(mend|mends|mended|say it again|for want of|of its own accord|kept no more|all the same"
    r"|whoever|let through"
    r"|(it|that|which|\}) is no (file|text|record|hash|list|object|moment|code|command))\b"
)
"""Turns of phrase that a reader stumbles over, and that messages have had."""

OF_THE_SPECIFICATION = "Governance Unavailable:"


def test_messages_are_in_plain_words() -> None:
    found = [
        f"{file}: {message}"
        for file, message in message_list.all_messages()
        if HARD_TO_READ.search(message) and not message.startswith(OF_THE_SPECIFICATION)
    ]
    assert found == []


def test_the_ways_out_that_messages_name_are_called_as_their_buttons() -> None:
    messages = list(message_list.all_messages())
    named = {name for _, message in messages for name in re.findall(r"“([^”{…]+)”", message)}
    titles = {message for _, message in messages}
    prefixed = {name.removeprefix("Intent: ").removesuffix("…") for name in named}
    assert prefixed, "no message names a way out"
    assert {name for name in prefixed if not {name, f"{name}…"} & titles} == set()


def test_the_schemas_are_the_ones_that_their_models_make() -> None:
    assert schema_files.written() == schema_files.made(), "run `make docs`"


def test_each_agent_host_has_a_page_of_one_screen() -> None:
    made = host_pages.pages()
    assert {path: path.read_text(encoding="utf-8") for path in made} == made, "run `make docs`"
    assert set(host_pages.FOLDER.glob("*.md")) == made.keys()
    for path, text in made.items():
        assert text.count("\n") <= 45, path
    observed = {host.name for host in host_pages.HOSTS if host.observed}
    assert host_pages.UNSEEN.keys() == observed


def test_the_list_of_modules_is_the_one_that_their_first_lines_make() -> None:
    assert code_map.modules_written() == code_map.modules_made(), "run `make docs`"


def test_the_folders_and_the_figure_are_those_of_the_package() -> None:
    assert code_map.folders_written() == code_map.folders_made(), "run `make docs`"
    assert code_map.figure_written() == code_map.figure_made(), "run `make docs`"
    assert len(re.findall(r"n\d+\[", code_map.figure_made())) <= 25


def test_recipes_name_files_that_exist() -> None:
    recipes = PAGES["docs/architecture.md"].text.split("## Recipes")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_]+/[\w./]*)`", recipes))
    assert len(named) > recipes.count("\n### ") >= 6
    assert {name for name in named if not (ROOT / name).exists()} == set()


@pytest.mark.parametrize("page", READMES.values(), ids=READMES.keys())
def test_files_that_a_readme_names_exist(page: Page) -> None:
    named = [word for text in _commands(page) for word in text.split()]
    paths = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w/.]+\.\w+")
    assert [name for name in named if paths.fullmatch(name) and not (ROOT / name).exists()] == []


def test_the_readme_of_the_tests_lists_every_support_module() -> None:
    table = READMES["tests/README.md"].text.split("## Support modules")[1].split("\n## ")[0]
    listed = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\|[^|]*\|([^|]*)\|", table, re.MULTILINE))
    )
    modules = [path.stem for path in (ROOT / "tests/support").glob("[!_]*.py")]
    assert sorted(listed) == sorted(modules)


def test_the_readme_of_the_benchmarks_lists_every_benchmark() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", READMES["benchmarks/README.md"].text, re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


def test_the_glossary_is_short_and_in_order() -> None:
    words = re.findall(r"^\| ([a-z][^|]*) \|", PAGES["docs/glossary.md"].text, re.MULTILINE)[1:]
    assert len(words) <= 40
    assert words == sorted(words)


def test_every_page_is_reachable_from_the_index() -> None:
    def targets(page: Page) -> set[Path]:
        return {(page.path.parent / link.split("#")[0]).resolve() for link in page.links()}

    index = DOCS / "README.md"
    indexes = ("docs/README.md", "docs/adr/README.md", "docs/agent-hosts.md")
    reached = {index}.union(*(targets(PAGES[name]) for name in indexes))
    assert {page.path for page in PAGES.values()} - reached == {ROOT / "README.md"}
    assert index in targets(PAGES["README.md"])


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = sorted(path.name[:4] for path in (DOCS / "adr").glob("[0-9]*.md"))
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
