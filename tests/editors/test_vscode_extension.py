"""The VS Code extension: it builds from what is committed, and holds what its manifest promises."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from intent_lsp import __version__
from intent_lsp.doors.lsp.wire.names import CommandName, RequestName
from tests.support.vscode_extension import ROOT, SOURCES, STEPS, build, code, manifest, sources

MOST_BYTES = 400_000
"""Without the server's wheel, which grows with the server."""
MOST_LINES = 250
WHEEL = f"intent_lsp-{__version__}-py3-none-any.whl"


def contributed(kind: str) -> Any:
    """Give what the manifest contributes of a kind."""
    return manifest()["contributes"][kind]


@pytest.fixture(scope="module")
def words() -> str:
    return code()


@pytest.mark.editor
@pytest.mark.parametrize("step", STEPS)
def test_every_step_from_the_sources_to_the_package_succeeds(step: str) -> None:
    status, output = build().steps[step]
    assert status == 0, output


@pytest.mark.editor
def test_the_package_holds_what_runs_and_nothing_else() -> None:
    vsix = build().vsix
    with zipfile.ZipFile(vsix) as package:
        names = {
            name.removeprefix("extension/") for name in package.namelist() if "/media/" not in name
        }
        wheel = package.getinfo(f"extension/bundled/{WHEEL}").compress_size
    assert names == {
        "[Content_Types].xml",
        "extension.vsixmanifest",
        "LICENSE.txt",
        "changelog.md",
        "package.json",
        "readme.md",
        "dist/extension.js",
        f"bundled/{WHEEL}",
    }
    assert vsix.stat().st_size - wheel < MOST_BYTES


@pytest.mark.editor
def test_the_wheel_in_the_package_is_the_server_and_can_be_installed(tmp_path: Path) -> None:
    with zipfile.ZipFile(build().vsix) as package:
        wheel = package.extract(f"extension/bundled/{WHEEL}", tmp_path)
    place = tmp_path / "installed"
    offline = ("--no-deps", "--no-index", "--quiet", "--target", place)
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, wheel], check=True)
    # By its path: our own environment has the dependencies, and the sources, too.
    start = f"import sys; sys.path.insert(0, {str(place)!r}); import intent_lsp.__main__ as m; "
    ask = "print(m.__file__); sys.exit(m.main(['--version']))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", start + ask],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    where, said = done.stdout.splitlines()
    assert Path(where).is_relative_to(place)
    assert f" {__version__} " in said


@pytest.mark.editor
def test_what_runs_names_no_host() -> None:
    with zipfile.ZipFile(build().vsix) as package:
        bundle = package.read("extension/dist/extension.js").decode()
    assert re.findall(r"\b(?:https?|wss?)://\w[^\s\"'`]*", bundle) == []


def test_the_version_and_the_licence_are_the_projects() -> None:
    assert manifest()["version"] == __version__
    assert (SOURCES / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert f"## {__version__}" in (SOURCES / "CHANGELOG.md").read_text()


def test_the_lock_file_is_exact_and_names_no_registry() -> None:
    lock = (SOURCES / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert "registry" not in lock
    assert lock.count('"integrity"') > len(manifest()["devDependencies"])
    assert all(re.fullmatch(r"\d[\w.-]*", v) for v in manifest()["devDependencies"].values())


def test_every_command_is_declared_and_registered(words: str) -> None:
    declared = [command["command"] for command in contributed("commands")]
    registered = re.findall(r"registerCommand\('(intentLsp\.[\w.]+)'", words)
    tables = re.search(r"function intentCommands.*?\nasync function", words, flags=re.DOTALL)
    assert tables is not None
    named = re.findall(r"^    '?([a-z][\w.]*)'?: (?:async )?\(", tables[0], flags=re.MULTILINE)
    registered += [f"intentLsp.{name}" for name in named]
    assert sorted(registered) == sorted(declared)
    assert all(command["category"] == "Intent" for command in contributed("commands"))


def test_menus_keys_and_pages_name_commands_that_exist() -> None:
    declared = {command["command"] for command in contributed("commands")}
    entries = [entry for menu in contributed("menus").values() for entry in menu]
    named = {entry["command"] for entry in [*entries, *contributed("keybindings")]}
    pages = [*contributed("viewsWelcome"), *contributed("walkthroughs")[0]["steps"]]
    told = "".join(page.get("contents", "") + page.get("description", "") for page in pages)
    named |= set(re.findall(r"\(command:(intentLsp\.[\w.]+)", told))
    assert named <= declared


def test_the_servers_commands_are_never_registered_by_the_extension(words: str) -> None:
    # vscode-languageclient registers them for the whole window; a second one would fail it.
    assert re.findall(r"registerCommand\(\s*['\"`]intent\.", words) == []


def test_every_setting_is_described_and_read() -> None:
    properties = contributed("configuration")["properties"]
    for name, told in properties.items():
        said = told.get("description") or told["markdownDescription"]
        assert said.endswith("."), name
        assert {"default", "scope", "type"} <= set(told), name
    text = (SOURCES / "src" / "settings.ts").read_text()
    own = re.findall(r"^  \w+: '([\w.]+)',$", text, flags=re.MULTILINE)
    told = re.findall(r"^  '(\w+)',$", text, flags=re.MULTILINE)
    assert sorted(properties) == sorted(f"intentLsp.{name}" for name in [*own, *told])


def test_every_request_and_command_exists_in_the_server(words: str) -> None:
    listed = re.search(r"REQUESTS = \[(.*?)\]", words, flags=re.DOTALL)
    assert listed is not None
    requests = re.findall(r"'(\w+)'", listed[1])
    assert requests
    assert set(requests) <= set(RequestName)
    asked = set(re.findall(r"'intent/(\w+)'", words)) - {"didChange", "didTrace"}
    assert asked <= set(RequestName)
    commands = set(re.findall(r"'intent\.(\w+)'", words))
    assert commands
    assert commands <= {*RequestName, *CommandName}


def test_views_and_walkthroughs_lead_to_files_that_are_there() -> None:
    files = [view["icon"] for view in contributed("views")["intentLsp"]]
    files += [box["icon"] for box in contributed("viewsContainers")["activitybar"]]
    files += [step["media"]["markdown"] for step in contributed("walkthroughs")[0]["steps"]]
    files.append(manifest()["icon"])
    assert [name for name in files if not (SOURCES / name).is_file()] == []


def test_what_is_off_in_workspaces_of_other_kinds_is_said() -> None:
    told = manifest()["capabilities"]
    assert told["untrustedWorkspaces"]["supported"] == "limited"
    assert "intentLsp.server.command" in told["untrustedWorkspaces"]["restrictedConfigurations"]
    assert told["virtualWorkspaces"]["supported"] is False
    assert all(kind["description"] for kind in told.values())


def test_nothing_of_the_extension_speaks_to_a_network(words: str) -> None:
    assert re.findall(r"https?://", words) == []
    assert re.findall(r"'(?:node:)?(?:https?|net|tls|dgram)'|\bfetch\(|[tT]elemetry", words) == []


def test_every_module_has_a_sign_and_one_purpose() -> None:
    modules = [path for path in sources() if path.suffix == ".ts" and path.parent.name == "src"]
    assert modules
    for path in modules:
        lines = path.read_text().splitlines()
        assert lines[0].startswith("/** "), path.name
        assert len(lines) < MOST_LINES, path.name
        assert max(map(len, lines)) <= 100, path.name
