"""The names under which hosts have registered our MCP server, in each host's own file."""

from pathlib import Path

import pytest

from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.store.mcp_servers import own_servers

PLACES = sorted(
    {(path, host.mcp.container) for host in HOSTS if host.mcp for path in host.mcp.paths}
)


@pytest.mark.parametrize(("path", "container"), PLACES)
def test_a_server_is_known_where_its_host_registers_it(
    path: str, container: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = tmp_path / "root" / path
    file.parent.mkdir(parents=True)
    if file.suffix == ".toml":
        file.write_text(f'[{container}.gate]\ncommand = "intent-lsp"\nargs = ["mcp"]\n')
    else:
        server = '{"command": "/opt/bin/intent-lsp", "args": ["mcp", /* all */],}'
        file.write_text(f'// the team\'s\n{{"{container}": {{"gate": {server}}},}}\n')
    assert own_servers(tmp_path / "root") == {"gate"}


@pytest.mark.parametrize("text", ["", "{", "{,}", "[" * 100_000, "[]", '{"mcpServers": [1]}'])
def test_an_unusable_file_registers_nothing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    tmp_path.joinpath(".mcp.json").write_text(text)
    assert own_servers(tmp_path) == frozenset()
