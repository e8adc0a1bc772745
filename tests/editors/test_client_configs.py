"""What people copy into their editors: it can be read, starts our server, and is explained."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support import markdown

CONFIGS = Path(__file__).parents[2] / "client-configs"
README = markdown.read(CONFIGS / "README.md")
COMMAND = ["intent-lsp", "serve"]


def read(name: str) -> Any:
    text = (CONFIGS / name).read_text()
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


def words(server: Mapping[str, Any]) -> list[str]:
    """Give the command line that a configuration spells as one list, or as two."""
    command = server["command"]
    return [command, *server["args"]] if isinstance(command, str) else command


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("helix/languages.toml", ("language-server", "intent-lsp")),
        ("kate/settings.json", ("servers", "intent-lsp")),
        ("sublime/LanguageServers.sublime-settings", ("intent-lsp",)),
        ("vim/coc-settings.json", ("languageserver", "intent-lsp")),
    ],
)
def test_each_starts_the_server(name: str, place: tuple[str, ...]) -> None:
    server = read(name)
    for step in place:
        server = server[step]
    assert words(server) == COMMAND


def test_those_that_are_programs_start_it_too() -> None:
    programs = read("jetbrains/template.json")["programArgs"]
    assert programs.keys() == {"default", "windows"}
    assert all(" ".join(COMMAND) in program for program in programs.values())
    for name in ("emacs/intent-lsp.el", "vim/intent-lsp.vim", "zed/src/lib.rs"):
        text = (CONFIGS / name).read_text()
        assert re.search(r'[\'"]intent-lsp[\'"]', text), name
        assert re.search(r'[\'"]serve[\'"]', text), name
    assert read("zed/extension.toml")["language_servers"].keys() == {"intent-lsp"}


def test_every_language_of_helix_keeps_a_server_of_its_own_beside_ours() -> None:
    languages = {
        each["name"]: each["language-servers"] for each in read("helix/languages.toml")["language"]
    }
    assert all(servers[-1] == "intent-lsp" for servers in languages.values())
    assert {name for name, servers in languages.items() if len(servers) == 1} == {"sql", "text"}


def test_sublimes_commands_are_the_servers() -> None:
    servers = read("sublime/LanguageServers.sublime-settings")
    for command in read("sublime/Default.sublime-commands"):
        assert command["args"]["session_name"] in servers
        assert command["args"]["command_name"] in {"intent.select", "intent.clear"}


def test_the_readme_names_each_and_its_links_lead_somewhere() -> None:
    links = {link.split("#")[0] for link in README.links() if not re.match(r"[a-z]+:", link)}
    assert [link for link in sorted(links) if not (CONFIGS / link).exists()] == []
    told = {Path(link).parts[0] for link in links}
    assert {path.name for path in CONFIGS.iterdir() if path.is_dir()} - told == set()
    tables = [row.split("|") for row in README.text.splitlines() if row.startswith("|")]
    assert {len(row) for row in tables} == {5, 14}


@pytest.mark.parametrize("plugin", ["neovim", "vscode"])
def test_where_to_start_names_five_files_that_exist(plugin: str) -> None:
    text = (CONFIGS / plugin / "README.md").read_text()
    files = re.findall(r"^\d\. `([\w./]+)` ", text.partition("## Where to start")[2], re.MULTILINE)
    assert len(files) == 5
    assert [name for name in files if not (CONFIGS / plugin / name).is_file()] == []
